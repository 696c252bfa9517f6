/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/cover_events.h - free mode: what only coverage wants to know, for hooks and interposers.
 *
 * Functions, blocks, accesses of a lone thread, and how synchronization went. All of them do
 * nothing unless an observer wants it (burl_ob_wants); then they take the observers' lock
 * (observers.c).
 */
#ifndef BURL_RT_FREE_COVER_EVENTS_H
#define BURL_RT_FREE_COVER_EVENTS_H

#include "free.h"

void burl_free_notify_enter(struct burl_free_thread *me, uint32_t depth,
                          const struct burl_wire_site *site, uintptr_t sp);
void burl_free_notify_leave(struct burl_free_thread *me);
void burl_free_notify_block(struct burl_free_thread *me, const struct burl_wire_site *site);
/* By the only thread there is, which is not observed otherwise. */
void burl_free_notify_alone(struct burl_free_thread *me, uintptr_t addr, uint64_t n,
                          const struct burl_wire_site *site, bool write);
void burl_free_notify_alone_atomic(struct burl_free_thread *me, uintptr_t addr,
                                 const struct burl_wire_site *site, bool stored);

/* A block that may have had a past; when there has been no second thread yet, nobody else says. */
void burl_free_notify_new_block(const void *p, size_t n);

void burl_free_notify_outcome(const volatile void *object, enum burl_wire_synchro what);
void burl_free_notify_join_begin(void);

static inline bool
burl_free_wants(enum burl_want what)
{
    return BURL_UNLIKELY((burl_ob_wants & (uint32_t)what) != 0) && burl_free_me != NULL;
}

static inline void *
burl_free_new_block(void *p, size_t n)
{
    if (burl_free_wants(BURL_WANT_ALONE) && p != NULL)
        burl_free_notify_new_block(p, n);
    return p;
}

/* A try or timed form ended so; r: 0 or an errno value. A success is told by taking the lock. */
static inline int
burl_free_tried(int r, const volatile void *object)
{
    if (burl_free_wants(BURL_WANT_SYNC) && (r == 16 /* EBUSY */ || r == 110 /* ETIMEDOUT */))
        burl_free_notify_outcome(object, r == 16 ? BURL_SYNCHRO_TRY_BUSY : BURL_SYNCHRO_TIMED_OUT);
    return r;
}

/* The same with the codes of C11. */
static inline int
burl_free_tried_c11(int r, const volatile void *object)
{
    int error = r == 1 /* thrd_busy */ ? 16 : r == 4 /* thrd_timedout */ ? 110 : 0;

    (void)burl_free_tried(error, object);
    return r;
}

/* `call` takes the lock if it gives 0; like BURL_FREE_TRYLOCK, and tells when it did not. */
#define BURL_FREE_TRIED(lock, mode, call) \
    burl_free_tried(BURL_FREE_TRYLOCK(lock, mode, call), lock)

/* A wait on a condition variable ended so. */
static inline int
burl_free_waited(int r, const volatile void *cond)
{
    if (burl_free_wants(BURL_WANT_SYNC) && (r == 0 || r == 110 /* ETIMEDOUT */))
        burl_free_notify_outcome(cond, r == 0 ? BURL_SYNCHRO_WAITED : BURL_SYNCHRO_TIMED_OUT);
    return r;
}

static inline int
burl_free_waited_c11(int r, const volatile void *cond)
{
    (void)burl_free_waited(r == 4 /* thrd_timedout */ ? 110 : r == 0 ? 0 : -1, cond);
    return r;
}

/* A join is about to begin. */
static inline void
burl_free_join_begins(void)
{
    if (burl_free_wants(BURL_WANT_SYNC))
        burl_free_notify_join_begin();
}

#endif
