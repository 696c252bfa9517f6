/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/pos.c - partial order sampling.
 *
 * Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling", CAV 2018. Every pending
 * operation has a random priority; the highest that can happen is performed; then the operations
 * of other threads that conflict with it get new priorities, so that the order of each
 * conflicting pair is decided by a fresh coin.
 *
 * Departures:
 * - Priorities belong to pending operations at scheduling points; operations that are not
 *   points (sites never seen shared) ride along with the thread.
 * - Two sync operations on one object conflict; so do two accesses that overlap in their first
 *   address, one of them writing.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "rt/sched/op.h"
#include "rt/sched/sched.h"

static void
begin(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
}

static void
thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_thread_by_tid(tid)->priority = burl_rng_next();
}

static uint16_t
pick(const struct burl_choice *c)
{
    struct burl_thread *current = burl_thread_by_tid(c->current);
    struct burl_thread *best = NULL;

    /* The thread that stopped here has a new pending operation: a new coin for it. Passed over
     * (yielding) threads draw too, but are not in the list. */
    current->priority = burl_rng_next();
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);

        if (best == NULL || t->priority > best->priority)
            best = t;
    }
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);

        if (t != best && burl__op_conflict(&t->op, &best->op))
            t->priority = burl_rng_next();
    }
    return best->tid;
}

const struct burl_strategy_ops burl_strategy_pos = {
    .name = "pos",
    .begin = begin,
    .thread_new = thread_new,
    .pick = pick,
};
