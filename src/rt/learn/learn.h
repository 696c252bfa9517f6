/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/learn.h - what executions with LEARN find out: shared sites, edges, pairs, profiles.
 */
#ifndef BURL_RT_LEARN_H
#define BURL_RT_LEARN_H

#include "rt/core/core.h"
#include "rt/core/op.h"
#include "rt/core/upcalls.h"

/* learn/learn.c */
enum burl_learn_how {
    BURL_LEARN_READ = 1u << 0,
    BURL_LEARN_WRITE = 1u << 1, /* it may write */
    BURL_LEARN_STORES = 1u << 2 /* it does: what is there afterwards is its value */
};

void burl__learn_reset(void);
void burl__learn_prepare(void); /* see burl__sched_prepare() */
/* An access that has its turn, before it happens (a compare-exchange that stored something: once
 * more afterwards). */
void burl__learn_access(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                        uint32_t how);

/* t uses the sync object in these bytes. Plain accesses of other threads to them become points.
 * Only in a search. */
void burl__learn_object(const struct burl_thread *t, uintptr_t addr, uint32_t size_b);

/* Accesses to the granule are no longer known one by one: its edges are not followed any more. */
void burl__learn_stop_following(uintptr_t key);

/* learn/edges.c */
void burl__edges_reset(void);
uint16_t burl__edges_cell(void); /* a new one for a granule; 0: none left */
/* An access to the bytes in `mask` of the granule that has this cell; how: BURL_LEARN_*. */
void burl__edges_access(uint16_t cell, const struct burl_thread *t, uint32_t site, uint8_t mask,
                        uint32_t how);

/* learn/adjacent.c; with LEARN only */
void burl__pairs_seen(uint32_t earlier, uint32_t later); /* a location pair was covered */

/* learn/profile.c: only while burl_rt.profiling */
void burl__profile_reset(void);
void burl__profile_commit(const struct burl_thread *t, const struct burl_op *op);
void burl__profile_finish(void); /* the execution is over */

/* Is it an operation on a variable or a sync object whose order a profile is about? What comes
 * before decides when those that follow happen. */
static inline bool
burl__profile_counts(const struct burl_op *op)
{
    const uint64_t follows = BURL_KIND(UNLOCK) | BURL_KIND(RWUNLOCK) | BURL_KIND(BARRIER_LEAVE) |
                             BURL_KIND(FUTEX_WOKEN);

    return burl_is_access(op) ||
           (op->addr != 0 && op->kind >= BURL_OP_LOCK && op->kind <= BURL_OP_FUTEX_WAKE &&
            !burl_kind_in(op->kind, follows));
}

#endif
