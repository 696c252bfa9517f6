/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/bytes.h - what the metrics of memory share: marks on bytes.
 *
 * Each keeps, for every granule of 8 bytes, lists of marks; a mark is an access and the bytes of
 * the granule for which it still stands. So every byte has a history of its own, and accesses of
 * different sizes that overlap are treated exactly.
 *
 * Accesses of a thread that is alone count like all others: main fills a table, then the thread it
 * creates reads it, and that is a pair of two threads (the paper's definition asks for no overlap).
 *
 * Not looked at: accesses of assertions, the freeing of memory (its history is over then), and what
 * lies beyond the first BURL_COVER_RANGE_B bytes of a range: a miss.
 */
#ifndef BURL_RT_COVER_BYTES_H
#define BURL_RT_COVER_BYTES_H

#include "rt/detect/granules.h"
#include "cover.h"

#define BURL_COVER_RANGE_B 65536u

struct burl_mark {
    struct burl_mark *next;
    uint32_t site;
    uint32_t clock;
    uint32_t ctx; /* LOCPAIRS: context; AVIO: kind of thread */
    uint16_t tid;
    uint16_t slot;
    uint8_t mask;
    uint8_t flags;
};

extern struct burl_pool burl__marks; /* unused ones, of all metrics */

/* The marks no longer stand for these bytes. */
static inline void
burl__marks_clear(struct burl_mark **at, uint8_t mask)
{
    while (*at != NULL) {
        (*at)->mask &= (uint8_t)~mask;
        if ((*at)->mask == 0)
            BURL_POOL_GIVE_AT(&burl__marks, at);
        else
            at = &(*at)->next;
    }
}

/* The mark of such an access of that thread; NULL: none. */
static inline struct burl_mark *
burl__marks_find(struct burl_mark *list, const struct burl_watch *w, const struct burl_access *a)
{
    while (list != NULL &&
           (list->site != a->site || list->tid != w->tid || list->flags != a->flags))
        list = list->next;
    return list;
}

/* This access stands for these bytes as well. */
static inline void
burl__marks_add(struct burl_mark **list, const struct burl_watch *w, const struct burl_access *a,
                uint8_t mask)
{
    struct burl_mark *x = burl__marks_find(*list, w, a);

    if (x == NULL) {
        x = burl_pool_take(&burl__marks, sizeof *x);
        *x = (struct burl_mark){
            .next = *list, .site = a->site, .tid = w->tid, .flags = a->flags
        };
        *list = x;
    }
    x->mask |= mask;
}

/* Is the mark of another thread, on some common byte? */
static inline bool
burl__marks_meet(const struct burl_mark *x, const struct burl_watch *w, uint8_t mask)
{
    return x->tid != w->tid && (x->mask & mask) != 0;
}

/* Does the metric look at it? A freed block is forgotten. */
static inline bool
burl__cover_looks(const struct burl_observer *o, const struct burl_access *a)
{
    if ((a->flags & BURL_ACCESS_FREE) != 0) {
        burl_granules_forget(o->granules, a->addr, a->n, o->granule_empty);
        return false;
    }
    return a->site != 0 && !burl__cover_is_assert(a->site);
}

/* The observer of a metric of memory: its table, how a granule is emptied, a function for
 * accesses. */
#define BURL_MEMORY_METRIC(table, on_empty, on_access) \
    {                                                  \
        .wants = BURL_WANT_CALLS | BURL_WANT_ALONE,    \
        .granules = &(table),                          \
        .granule_empty = on_empty,                     \
        .access = on_access,                           \
    }

#endif
