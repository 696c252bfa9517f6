/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/detect.h - what observers share: locks held, which accesses race, sides of reports.
 */
#ifndef BURL_RT_DETECT_H
#define BURL_RT_DETECT_H

#include <string.h>

#include "observe.h"
#include "rt/clock/chains.h"

void burl__held_reset(void);
void burl__suspects_reset(void);

/* held.c: w->held and w->lockset. */
void burl__held_add(struct burl_watch *w, const struct burl_held *lock);
/* The last acquisition of that lock, NULL when it is not known to be held. */
struct burl_held *burl__held_find(struct burl_watch *w, uintptr_t addr);
void burl__held_remove(struct burl_watch *w, struct burl_held *lock);

/* Do two accesses to one byte race when nothing orders them? */
static inline bool
burl_access_races(uint8_t a, uint8_t b)
{
    return ((a | b) & BURL_ACCESS_WRITE) != 0 && (a & b & BURL_ACCESS_ATOMIC) == 0;
}

/* Does everything that races with `weak` race with `strong` too? */
static inline bool
burl_access_stands_for(uint8_t strong, uint8_t weak)
{
    return ((strong & BURL_ACCESS_WRITE) != 0 || (weak & BURL_ACCESS_WRITE) == 0) &&
           ((strong & BURL_ACCESS_ATOMIC) == 0 || (weak & BURL_ACCESS_ATOMIC) != 0);
}

/* One side of a report from what is left of an access: everything but the stack. */
static inline void
burl__past_side(struct burl_wire_side *side, const struct burl_access *a, uint16_t tid,
                uint32_t lockset)
{
    *side = (struct burl_wire_side){ 0 };
    side->addr = a->addr;
    side->site = a->site;
    side->size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n;
    side->tid = tid;
    side->op = a->op;
    side->flags = (uint8_t)((a->flags & BURL_ACCESS_ATOMIC ? BURL_SIDE_F_ATOMIC : 0) |
                            (a->flags & BURL_ACCESS_FREE ? BURL_SIDE_F_FREE : 0));
    side->n_locks = burl_lockset_locks(lockset, side->locks, BURL_WIRE_MAX_LOCKS);
}

#endif
