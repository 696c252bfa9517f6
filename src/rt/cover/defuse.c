/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/defuse.c - DEFUSE: a write, and a read of what it wrote by another thread (PAPERS 2.1).
 *
 * Runs in the target. Of every byte the last write is kept; reads in between change nothing.
 */
#include "bytes.h"

struct granule {
    struct burl_chain chain;
    struct burl_mark *defs; /* masks are disjoint */
};

static struct burl_marks marks;

static void
defuse_granule_access(struct burl_watch *w, const struct burl_access *a,
                      const struct burl_piece *piece)
{
    struct granule *g = (struct granule *)burl_chains_find(&marks.granules, piece->key);

    if (g == NULL && !burl__access_writes(a->flags))
        return;
    g = (struct granule *)burl__granule_get(&marks.granules, piece->key, sizeof *g);
    if (burl__access_reads(a->flags)) {
        for (const struct burl_mark *x = g->defs; x != NULL; x = x->next) {
            if (burl__marks_meet(x, w, piece->mask))
                burl__cover_put(BURL_METRIC_DEFUSE, x->site, a->site, 0, 0, 0);
        }
    }
    if (burl__access_writes(a->flags)) {
        burl__marks_clear(&marks, &g->defs, piece->mask);
        burl__marks_add(&marks, &g->defs, w, a, piece->mask);
    }
}

static void
defuse_granule_is_empty(struct burl_chain *chain)
{
    burl__marks_drop_all(&marks, &((struct granule *)chain)->defs);
}

BURL_MARKS_LIFE(&marks, defuse_granule_is_empty)

static void
defuse_access(struct burl_watch *w, const struct burl_access *a)
{
    burl__cover_touch(w, a, forget, defuse_granule_access);
}

const struct burl_observer burl_observer_defuse = BURL_MEMORY_METRIC("defuse", defuse_access);
