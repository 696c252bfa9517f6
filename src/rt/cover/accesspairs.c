/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/accesspairs.c - ACCESSPAIRS (Sherman and others 2009, PAPERS 2.1), by two threads:
 *
 *     RW   a read, and any later write
 *     WW   a write, and a later write with no read in between
 *     WR   a write, and a later read with no write in between
 *
 * Runs in the target. "In between" is anybody's access to the byte, the two threads' own included.
 * A read-modify-write is one access: as the later one it is a read and a write, and its own read
 * does not come between.
 *
 * Kept for every byte: the reads of its life, the writes since the last read, the last write. Of
 * the first two at most LIMIT distinct (site, thread) per granule, the oldest goes: a miss.
 */
#include "bytes.h"

#define LIMIT 64u

enum kind { RW = 0, WW = 1, WR = 2 };

struct granule {
    struct burl_chain chain;
    struct burl_mark *reads;
    struct burl_mark *writes; /* since the last read */
    struct burl_mark *last;   /* write; masks are disjoint */
};

static struct burl_marks marks;

static void
accesspairs_cover(const struct burl_mark *x, const struct burl_watch *w,
                  const struct burl_access *a, uint8_t mask, enum kind kind)
{
    for (; x != NULL; x = x->next) {
        if (burl__marks_meet(x, w, mask))
            burl__cover_put(BURL_METRIC_ACCESSPAIRS, x->site, a->site, (uint32_t)kind, 0, 0);
    }
}

static void
keep(struct burl_mark **list, const struct burl_watch *w, const struct burl_access *a, uint8_t mask)
{
    uint32_t n = 0;

    burl__marks_add(&marks, list, w, a, mask);
    for (struct burl_mark **at = list; *at != NULL;) {
        if (++n > LIMIT)
            burl__mark_drop(&marks, at);
        else
            at = &(*at)->next;
    }
}

static void
accesspairs_granule_access(struct burl_watch *w, const struct burl_access *a,
                           const struct burl_piece *piece)
{
    struct granule *g = (struct granule *)burl__granule_get(&marks.granules, piece->key, sizeof *g);
    bool writes = burl__access_writes(a->flags);
    bool reads = burl__access_reads(a->flags);

    if (reads)
        accesspairs_cover(g->last, w, a, piece->mask, WR);
    if (writes) {
        accesspairs_cover(g->reads, w, a, piece->mask, RW);
        accesspairs_cover(g->writes, w, a, piece->mask, WW);
    }
    if (reads) {
        burl__marks_clear(&marks, &g->writes, piece->mask);
        keep(&g->reads, w, a, piece->mask);
    }
    if (writes) {
        keep(&g->writes, w, a, piece->mask);
        burl__marks_clear(&marks, &g->last, piece->mask);
        burl__marks_add(&marks, &g->last, w, a, piece->mask);
    }
}

static void
accesspairs_granule_is_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    burl__marks_drop_all(&marks, &g->reads);
    burl__marks_drop_all(&marks, &g->writes);
    burl__marks_drop_all(&marks, &g->last);
}

BURL_MARKS_LIFE(&marks, accesspairs_granule_is_empty)

static void
accesspairs_access(struct burl_watch *w, const struct burl_access *a)
{
    burl__cover_touch(w, a, forget, accesspairs_granule_access);
}

const struct burl_observer burl_observer_accesspairs =
    BURL_MEMORY_METRIC("accesspairs", accesspairs_access);
