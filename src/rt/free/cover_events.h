/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/cover_events.h - free mode: events for observers other than the race detector and the
 * location pairs, which follow the program by themselves.
 *
 * All of them do nothing unless there is such an observer; then they take the observers' lock
 * (observers.c). What only coverage wants to know (functions, blocks, accesses of a lone thread,
 * how synchronization went) is reported by hooks and interposers if an observer wants it
 * (burl_ob_wants).
 */
#ifndef BURL_RT_FREE_COVER_EVENTS_H
#define BURL_RT_FREE_COVER_EVENTS_H

#include <errno.h>
#include <threads.h>

#include "free.h"

void burl__free_notify_create(struct burl_free_thread *me, struct burl_free_thread *child);
void burl__free_notify_join(struct burl_free_thread *me, struct burl_free_thread *ended);
void burl__free_notify_join_begin(struct burl_free_thread *me);
void burl__free_notify_thread_begin(struct burl_free_thread *me);
void burl__free_notify_thread_end(struct burl_free_thread *me);
/* Of atomic accesses nothing: they are reported when they have happened. */
void burl__free_notify_access(struct burl_free_thread *me, uintptr_t addr, uint64_t n,
                              uint32_t site, uint64_t kind, bool is_free);
void burl__free_notify_atomic(struct burl_free_thread *me, uintptr_t addr,
                              const struct burl_wire_site *site, bool stored);
void burl__free_notify_fence(struct burl_free_thread *me, uint8_t order, uint32_t site);
#define BURL_X(event, parameters, arguments, names) \
    void burl__free_notify_##event(struct burl_free_thread *me, BURL_UNWRAP parameters);
BURL_STREAM_EVENTS(BURL_X)
#undef BURL_X
void burl__free_notify_forget(struct burl_free_thread *me, uintptr_t addr, size_t n);
void burl__free_notify_renewed(struct burl_free_thread *me, uintptr_t addr, size_t n);
void burl__free_notify_enter(struct burl_free_thread *me, uint32_t depth,
                             const struct burl_wire_site *site, uintptr_t sp);
void burl__free_notify_leave(struct burl_free_thread *me);
void burl__free_notify_block(struct burl_free_thread *me, const struct burl_wire_site *site);
/* A block that may have had a past; before there was a second thread no other function says so. */
void burl__free_notify_new_block(const void *p, size_t n);

static inline bool
burl_free_wants(enum burl_want what)
{
    return BURL_UNLIKELY((burl_ob_wants & (uint32_t)what) != 0) && burl_free_me != NULL;
}

static inline void *
burl_free_new_block(void *p, size_t n)
{
    if (burl_free_wants(BURL_WANT_ALONE) && p != NULL)
        burl__free_notify_new_block(p, n);
    return p;
}

static inline void
burl_free_outcome(const volatile void *object, enum burl_wire_synchro what)
{
    if (burl_free_wants(BURL_WANT_SYNC))
        burl__free_notify_outcome(burl_free_me, object, what);
}

/* A try or timed operation of a thread other than main gave up, as burl_exec.contended says of
 * controlled executions. Not an observer's: every free run has it. */
static inline void
burl_free_give_up(void)
{
    /* relaxed: read at the end of calls and of the program, and no order is to follow from it */
    if (burl_free_me != NULL && burl_free_me->tid != 0)
        __atomic_store_n(&burl_free_contended, true, __ATOMIC_RELAXED);
}

/* A try or timed form ended so; r: 0 or an errno value. A success is reported by taking the lock.
 * */
static inline int
burl_free_tried(int r, const volatile void *object)
{
    if (r == EBUSY || r == ETIMEDOUT) {
        burl_free_give_up();
        burl_free_outcome(object, r == EBUSY ? BURL_SYNCHRO_TRY_BUSY : BURL_SYNCHRO_TIMED_OUT);
    }
    return r;
}

/* The same with the codes of C11. */
static inline int
burl_free_tried_c11(int r, const volatile void *object)
{
    (void)burl_free_tried(r == thrd_busy ? EBUSY : r == thrd_timedout ? ETIMEDOUT : 0, object);
    return r;
}

/* `call` takes the lock if it gives 0; like BURL_FREE_TRYLOCK, and reports if it did not. */
#define BURL_FREE_TRIED(lock, mode, call) \
    burl_free_tried(BURL_FREE_TRYLOCK(lock, mode, call), lock)

/* A wait on a condition variable ended so. */
static inline int
burl_free_waited(int r, const volatile void *cond)
{
    if (r == ETIMEDOUT)
        burl_free_give_up();
    if (r == 0 || r == ETIMEDOUT)
        burl_free_outcome(cond, r == 0 ? BURL_SYNCHRO_WAITED : BURL_SYNCHRO_TIMED_OUT);
    return r;
}

static inline int
burl_free_waited_c11(int r, const volatile void *cond)
{
    (void)burl_free_waited(r == thrd_timedout ? ETIMEDOUT : r == thrd_success ? 0 : -1, cond);
    return r;
}

/* A join is about to begin. */
static inline void
burl_free_join_begins(void)
{
    if (burl_free_wants(BURL_WANT_SYNC))
        burl__free_notify_join_begin(burl_free_me);
}

#endif
