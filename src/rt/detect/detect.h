/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/detect.h - what detectors share: which accesses race, and past accesses for reports.
 */
#ifndef BURL_RT_DETECT_H
#define BURL_RT_DETECT_H

#include "observe.h"
#include "rt/core/heap.h"

void burl__suspects_reset(void);

/* ---- assumed.c: what volatile accesses would order ---------------------------------- */

/* A volatile load has read the variable, or an atomic operation that acquires. */
void burl__assumed_acquire(struct burl_watch *w, uintptr_t addr);
/* A volatile store. The clock of w is moved by the caller. */
void burl__assumed_release(struct burl_watch *w, uintptr_t addr);
/* An atomic operation wrote a variable of that kind, if it is one. */
void burl__assumed_follow(struct burl_watch *w, uintptr_t addr, uint8_t order, bool update);
/* The variable that would order this moment before what w does now; 0: none. */
uintptr_t burl__assumed_orders(const struct burl_watch *w, uint32_t slot, uint32_t clock);

static inline bool
burl_access_writes(uint8_t flags)
{
    return (flags & BURL_ACCESS_WRITE) != 0;
}

static inline bool
burl_access_reads(uint8_t flags)
{
    return (flags & (BURL_ACCESS_WRITE | BURL_ACCESS_RMW)) != BURL_ACCESS_WRITE;
}

/* Do two accesses to one byte race when nothing orders them? */
static inline bool
burl_access_races(uint8_t a, uint8_t b)
{
    return burl_access_writes(a | b) && (a & b & BURL_ACCESS_ATOMIC) == 0;
}

/* Does everything that races with `weak` race with `strong` too? */
static inline bool
burl_access_stands_for(uint8_t strong, uint8_t weak)
{
    return (burl_access_writes(strong) || !burl_access_writes(weak)) &&
           ((strong & BURL_ACCESS_ATOMIC) == 0 || (weak & BURL_ACCESS_ATOMIC) != 0);
}

/* Does r, another thread's access between p and c, equal neither r before nor r after them? */
static inline bool
burl_access_unserializable(uint8_t p, uint8_t r, uint8_t c)
{
    if (burl_access_writes(r) && burl_access_reads(c))
        return true; /* R-W-R, W-W-R */
    if (burl_access_writes(r) && burl_access_writes(c) && !burl_access_writes(p))
        return true; /* R-W-W */
    return burl_access_writes(p) && burl_access_writes(c) && burl_access_reads(r); /* W-R-W */
}

/* What is left of an access for a report. */
struct burl_past {
    uint32_t site;
    uint32_t lockset;
    uint32_t size_b;
    uint16_t tid;
    uint8_t flags; /* BURL_ACCESS_* */
    uint8_t op;
    const struct burl_wire_side *side; /* kept when the order aims at the site */
};

/* burl__past_of() is with the side if the order aims at the site. */
struct burl_past burl__past_without_side(const struct burl_watch *w, const struct burl_access *a);
struct burl_past burl__past_of(const struct burl_watch *w, const struct burl_access *a);
/* The side of a report; everything but the stack if none was kept. */
void burl__past_side(struct burl_wire_side *side, const struct burl_past *p, uintptr_t addr);

/* Accesses to a granule, distinguished by thread, place, locks held, kind and create/join clock. */
struct burl_seen {
    struct burl_seen *next;
    uint64_t step; /* burl_ob_now() at the first one */
    uint32_t site;
    uint32_t lockset;
    uint32_t cj_clock;
    uint32_t clock; /* of hb, at the last one */
    uint16_t tid;
    uint16_t slot;
    uint8_t mask;
    uint8_t flags; /* BURL_ACCESS_* */
    uint8_t op;
};

struct burl_seen_list {
    struct burl_seen *first; /* younger first */
    uint32_t n;
};

static inline struct burl_seen *
burl_seen_find(const struct burl_seen_list *l, const struct burl_watch *w,
               const struct burl_access *a)
{
    for (struct burl_seen *e = l->first; e != NULL; e = e->next) {
        if (e->site == a->site && e->tid == w->tid && e->cj_clock == w->cj_clock &&
            e->lockset == w->lockset && e->flags == a->flags)
            return e;
    }
    return NULL;
}

/*
 * Was the block at addr handed over from the thread with this slot and clock to w, or is w's access
 * ordered after that clock in the same way? A block that is allocated while there are several
 * threads is known to others only when its address is passed on, so order by locks and atomics,
 * which is luck elsewhere, is the way it went. A thread that goes on using what it has passed on
 * races by happens-before, and race.c sees that.
 */
static inline bool
burl_is_handed_over(const struct burl_watch *w, uint16_t slot, uint32_t clock, uintptr_t addr)
{
    return clock <= burl_vc_get(&w->hb, slot) && burl__heap_is_late(addr);
}

/* Adds an entry that has no bytes yet; of more than `limit` the oldest goes. */
struct burl_seen *burl__seen_add(struct burl_seen_list *l, const struct burl_watch *w,
                                 const struct burl_access *a, uint32_t limit);
void burl__seen_drop(struct burl_seen_list *l, struct burl_seen **at);
void burl__seen_drop_all(struct burl_seen_list *l);

#endif
