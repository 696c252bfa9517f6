/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - the families together: beginning of executions and threads, and calls whose order
 * matters because of what the library or the kernel keeps.
 */
#include "interpose_int.h"
#include "ompt.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/core/op.h"
#include "rt/learn/learn.h"

/* Stand for the states; never written. */
static const uint8_t states[BURL__STATE__N][8];

void
burl__state_point(struct burl_thread *t, enum burl__state what, bool changes)
{
    if (burl_thread_alive() > 1)
        burl__point(t, BURL_OP_STATE, states[what], changes);
}

/* A loop that polls the clock must let others run, like one that polls anything else. */
void
burl__clock_point(struct burl_thread *t)
{
    const struct burl_op op = burl__op(t, BURL_OP_STATE, states[BURL__STATE_CLOCK], 1);

    if (burl_thread_alive() < 2)
        return;
    if (op.site < burl_rt.points_n && burl_rt.points[op.site] != 0)
        burl__poll_point(t, &op);
    if (burl_rt.learn && op.site != 0)
        burl__learn_access(t, op.site, op.addr, 8, BURL_LEARN_READ | BURL_LEARN_WRITE);
}

void
burl__state_call(enum burl__state what)
{
    BURL_IN_CALL(burl__state_point(t, what, true));
}

void
burl__state_doubt(struct burl_thread *t, enum burl__state what)
{
    if (burl_thread_alive() <= 1)
        return;
    BURL_TELL(unmodeled_call, t);
    burl__state_point(t, what, true);
}

void
burl__state_doubt_all(struct burl_thread *t)
{
    if (burl_thread_alive() <= 1)
        return;
    BURL_TELL(unmodeled_call, t);
    burl__point(t, BURL_OP_STATE, states[BURL__STATE_KERNEL], BURL_STATE_ALL);
}

/* A nested call is no operation of its own; a search must learn of it all the same. */
void
burl__state_doubt_call(enum burl__state what)
{
    if (burl_self != NULL && burl_self->inside != 0 && burl_thread_alive() > 1)
        BURL_TELL(unmodeled_call, burl_self);
    BURL_IN_CALL(burl__state_doubt(t, what));
}

void
burl_interpose_reset(void)
{
    burl__mutex_reset();
    burl__rwlock_reset();
    burl__sem_reset();
    burl__timers_reset();
    burl__signals_reset();
    burl__keys_reset();
    burl__exit_reset();
    burl__fork_reset();
    burl__io_reset();
    burl__omp_reset();
}

void
burl_interpose_mark_start(void)
{
    burl__sem_mark_start();
    burl__signals_mark_start();
    burl__keys_mark_start();
    burl__exit_mark_start();
    burl__fork_mark_start();
    burl__omp_mark_start();
}

void
burl__process_thread_init(struct burl_thread *t, const struct burl_thread *parent)
{
    burl__keys_thread_init(t);
    burl__signals_thread_init(t, parent);
}
