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

/* A table and its unused marks. */
struct burl_marks {
    struct burl_chains granules;
    struct burl_mark *unused;
};

/* Where on stacks there may be granules: a bit for STRIPE_B bytes, many to one. */
#define BURL_STRIPE_B 512u
#define BURL_STRIPES 4096u
extern uint64_t burl__stripes[BURL_STRIPES / 64];

static inline void
burl__stripe_set(uintptr_t addr)
{
    uint32_t s = (uint32_t)(addr / BURL_STRIPE_B) % BURL_STRIPES;

    burl__stripes[s / 64] |= 1ull << s % 64;
}

static inline bool
burl__stripe_any(uintptr_t lo, uintptr_t hi)
{
    uintptr_t n = (hi - 1) / BURL_STRIPE_B - lo / BURL_STRIPE_B + 1;

    for (uintptr_t i = 0; i < n && i < BURL_STRIPES; i++) {
        uint32_t s = (uint32_t)(lo / BURL_STRIPE_B + i) % BURL_STRIPES;

        if ((burl__stripes[s / 64] >> s % 64 & 1) != 0)
            return true;
    }
    return false;
}

/* The granule `key`, made when it is not there: size_b bytes that begin with a struct
 * burl_chain. */
static inline struct burl_chain *
burl__granule_get(struct burl_chains *c, uintptr_t key, size_t size_b)
{
    struct burl_chain *g = burl_chains_find(c, key);

    if (BURL_LIKELY(g != NULL))
        return g;
    g = burl_ob_alloc(size_b);
    g->key = key;
    burl_chains_add(c, g);
    burl__stripe_set(key * BURL_GRANULE_B);
    return g;
}

/* May some granule lie in [lo, hi) of a stack? */
static inline bool
burl__granules_near(const struct burl_chains *c, uintptr_t lo, uintptr_t hi)
{
    return c->n != 0 && burl__stripe_any(lo, hi);
}

static inline struct burl_mark *
burl__mark_new(struct burl_marks *m)
{
    struct burl_mark *x = m->unused;

    if (x == NULL)
        return burl_ob_alloc(sizeof *x);
    m->unused = x->next;
    return x;
}

static inline void
burl__marks_begin(struct burl_marks *m)
{
    burl_chains_clear(&m->granules);
    m->unused = NULL;
}

/* Takes *at out of its list. */
static inline void
burl__mark_drop(struct burl_marks *m, struct burl_mark **at)
{
    struct burl_mark *x = *at;

    *at = x->next;
    x->next = m->unused;
    m->unused = x;
}

static inline void
burl__marks_drop_all(struct burl_marks *m, struct burl_mark **list)
{
    while (*list != NULL)
        burl__mark_drop(m, list);
}

/* The marks no longer stand for these bytes. */
static inline void
burl__marks_clear(struct burl_marks *m, struct burl_mark **at, uint8_t mask)
{
    while (*at != NULL) {
        (*at)->mask &= (uint8_t)~mask;
        if ((*at)->mask == 0)
            burl__mark_drop(m, at);
        else
            at = &(*at)->next;
    }
}

/* This access stands for these bytes as well. */
static inline void
burl__marks_add(struct burl_marks *m, struct burl_mark **list, const struct burl_watch *w,
                const struct burl_access *a, uint8_t mask)
{
    struct burl_mark *x = *list;

    while (x != NULL && (x->site != a->site || x->tid != w->tid || x->flags != a->flags))
        x = x->next;
    if (x == NULL) {
        x = burl__mark_new(m);
        *x = (struct burl_mark){
            .next = *list, .site = a->site, .tid = w->tid, .flags = a->flags
        };
        *list = x;
    }
    x->mask |= mask;
}

static inline bool
burl__access_writes(uint8_t flags)
{
    return (flags & BURL_ACCESS_WRITE) != 0;
}

static inline bool
burl__access_reads(uint8_t flags)
{
    return (flags & (BURL_ACCESS_WRITE | BURL_ACCESS_RMW)) != BURL_ACCESS_WRITE;
}

/* Is the mark of another thread, on some common byte? */
static inline bool
burl__marks_meet(const struct burl_mark *x, const struct burl_watch *w, uint8_t mask)
{
    return x->tid != w->tid && (x->mask & mask) != 0;
}

/* Does the metric look at it? A freed block is forgotten by forget(). */
static inline bool
burl__cover_looks(const struct burl_access *a, void (*forget)(uintptr_t addr, uint64_t n))
{
    if ((a->flags & BURL_ACCESS_FREE) != 0) {
        forget(a->addr, a->n);
        return false;
    }
    return a->site != 0 && !burl__cover_is_assert(a->site);
}

/* Calls touch() for each granule's part of an access that the metric looks at. */
static inline void
burl__cover_touch(struct burl_watch *w, const struct burl_access *a,
                  void (*forget)(uintptr_t addr, uint64_t n),
                  void (*touch)(struct burl_watch *w, const struct burl_access *a,
                                const struct burl_piece *piece))
{
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);

    if (!burl__cover_looks(a, forget))
        return;
    while (burl_piece_next(&piece))
        touch(w, a, &piece);
}

/* Is the triple one of the four that no serial order explains? As in detect/triple.c. */
static inline bool
burl__unserializable(uint8_t p, uint8_t r, uint8_t c)
{
    if (burl__access_writes(r) && burl__access_reads(c))
        return true; /* R-W-R, W-W-R */
    if (burl__access_writes(r) && burl__access_writes(c) && !burl__access_writes(p))
        return true; /* R-W-W */
    return burl__access_writes(p) && burl__access_writes(c) && burl__access_reads(r); /* W-R-W */
}

/* The functions of an observer are not told which observer they belong to, so every metric needs
 * these three of its own: an execution begins, some memory or a stack frame begins a new life. The
 * statements say what the first two do with its table. */
#define BURL_METRIC_LIFE(granules, begin_all, forget_range) \
    static void begin(void)                                 \
    {                                                       \
        begin_all;                                          \
    }                                                       \
                                                            \
    static void forget(uintptr_t addr, uint64_t n)          \
    {                                                       \
        forget_range;                                       \
    }                                                       \
                                                            \
    static void frame(uintptr_t lo, uintptr_t hi)           \
    {                                                       \
        if (burl__granules_near(granules, lo, hi))          \
            forget(lo, hi - lo);                            \
    }

/* For a table of marks; empty() drops those of one granule. */
#define BURL_MARKS_LIFE(marks, empty)                              \
    BURL_METRIC_LIFE(&(marks)->granules, burl__marks_begin(marks), \
                     burl_granules_forget(&(marks)->granules, addr, n, empty))

/* The observer of a metric of memory: the three functions above, and one for accesses. */
#define BURL_MEMORY_METRIC(metric_name, on_access)  \
    {                                               \
        .name = metric_name,                        \
        .wants = BURL_WANT_CALLS | BURL_WANT_ALONE, \
        .begin = begin,                             \
        .access = on_access,                        \
        .forget = forget,                           \
        .frame = frame,                             \
    }

#endif
