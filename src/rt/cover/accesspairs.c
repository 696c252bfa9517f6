/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/accesspairs.c - ACCESSPAIRS and DEFUSE (Sherman and others 2009, PAPERS 2.1): accesses to a
 * byte by two threads.
 *
 * Runs in the target.
 *     RW   a read, and any later write
 *     WW   a write, and a later write with no read in between
 *     WR   a write, and a later read with no write in between; these alone are DEFUSE
 *
 * "In between" is any thread's access to the byte, the two threads' own included. A
 * read-modify-write is one access: as the later one it is a read and a write, and its own read does
 * not come between.
 *
 * Kept for every byte: the reads of its life, the writes since the last read, the last write. Of
 * the first two at most LIMIT distinct (site, thread) per granule, the oldest goes: a miss.
 */
#include "bytes.h"

#define LIMIT 64u

enum kind { RW = 0, WW = 1, WR = 2 };

struct granule {
    struct burl_chain chain;
    struct burl_mark *reads;  /* not for DEFUSE */
    struct burl_mark *writes; /* since the last read; not for DEFUSE */
    struct burl_mark *last;   /* write; masks are disjoint */
};

static void
cover_marks(enum burl_wire_metric metric, const struct burl_mark *x, const struct burl_watch *w,
            const struct burl_access *a, uint8_t mask, uint32_t kind)
{
    for (; x != NULL; x = x->next) {
        if (burl__marks_meet(x, w, mask))
            burl__cover_put(metric, x->site, a->site, kind, 0, 0);
    }
}

static void
keep_mark(struct burl_mark **list, const struct burl_watch *w, const struct burl_access *a,
          uint8_t mask)
{
    uint32_t n = 0;

    burl__marks_add(list, w, a, mask);
    for (struct burl_mark **at = list; *at != NULL;) {
        if (++n > LIMIT)
            BURL_POOL_GIVE_AT(&burl__marks, at);
        else
            at = &(*at)->next;
    }
}

static void
keep_last(struct granule *g, const struct burl_watch *w, const struct burl_access *a, uint8_t mask)
{
    burl__marks_clear(&g->last, mask);
    burl__marks_add(&g->last, w, a, mask);
}

static void
accesspairs_access(struct burl_watch *w, const struct burl_access *a)
{
    const struct burl_observer *o = &burl_observer_accesspairs;
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);

    if (!burl__cover_looks(o, a))
        return;
    while (burl_piece_next(&piece)) {
        struct granule *g = burl_granule_get(o->granules, piece.key, sizeof *g);

        if (burl_access_reads(a->flags))
            cover_marks(BURL_METRIC_ACCESSPAIRS, g->last, w, a, piece.mask, WR);
        if (burl_access_writes(a->flags)) {
            cover_marks(BURL_METRIC_ACCESSPAIRS, g->reads, w, a, piece.mask, RW);
            cover_marks(BURL_METRIC_ACCESSPAIRS, g->writes, w, a, piece.mask, WW);
        }
        if (burl_access_reads(a->flags)) {
            burl__marks_clear(&g->writes, piece.mask);
            keep_mark(&g->reads, w, a, piece.mask);
        }
        if (burl_access_writes(a->flags)) {
            keep_mark(&g->writes, w, a, piece.mask);
            keep_last(g, w, a, piece.mask);
        }
    }
}

static void
defuse_access(struct burl_watch *w, const struct burl_access *a)
{
    const struct burl_observer *o = &burl_observer_defuse;
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);

    if (!burl__cover_looks(o, a))
        return;
    while (burl_piece_next(&piece)) {
        struct granule *g = (struct granule *)burl_chains_find(o->granules, piece.key);

        if (g != NULL && burl_access_reads(a->flags))
            cover_marks(BURL_METRIC_DEFUSE, g->last, w, a, piece.mask, 0);
        if (burl_access_writes(a->flags))
            keep_last(burl_granule_get(o->granules, piece.key, sizeof *g), w, a, piece.mask);
    }
}

static void
accesspairs_granule_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    BURL_POOL_GIVE_ALL(&burl__marks, &g->reads);
    BURL_POOL_GIVE_ALL(&burl__marks, &g->writes);
    BURL_POOL_GIVE_ALL(&burl__marks, &g->last);
}

static struct burl_chains accesspairs_granules;
static struct burl_chains defuse_granules;

const struct burl_observer burl_observer_accesspairs =
    BURL_MEMORY_METRIC(accesspairs_granules, accesspairs_granule_empty, accesspairs_access);
const struct burl_observer burl_observer_defuse =
    BURL_MEMORY_METRIC(defuse_granules, accesspairs_granule_empty, defuse_access);
