/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/pairs.c - LOCPAIRS where events come one at a time: location pairs, exactly (PAPERS 2.1).
 *
 * Runs in the target, in controlled mode; free mode has its own form in the shadow (locpairs.c). Of
 * every byte the last access is kept. The next one, by another thread, covers the pair (earlier
 * site, later site) when one of the two writes; by the same thread it only takes the place. So a
 * read of the writer's own between its write and another's read hides the write, as the paper has
 * it.
 *
 * Departure: the paper stops at a race; here the pair is flagged RACY when nothing orders the two.
 */
#include "bytes.h"
#include "rt/core/core.h"

struct granule {
    struct burl_chain chain;
    struct burl_mark *last; /* masks are disjoint */
};

struct burl_pool burl__marks;

static void
pairs_cover(const struct burl_mark *x, const struct burl_watch *w, const struct burl_access *a,
            uint32_t ctx)
{
    struct burl_wire_cover_item item = {
        .metric = BURL_METRIC_LOCPAIRS,
        .a = x->site,
        .b = a->site,
        .c = x->ctx,
        .d = ctx,
        .tid_a = x->tid,
        .tid_b = w->tid,
    };

    if (burl_access_races(x->flags, a->flags) && !burl_hb_before(x->slot, x->clock, w))
        item.flags = BURL_COVER_F_RACY;
    burl__pair_covered(x->site, a->site);
    if (burl_cover_add(&item))
        burl_rt.ctl->result.n_pairs++;
}

static void
pairs_granule_access(struct burl_watch *w, const struct burl_access *a,
                     const struct burl_piece *piece, uint32_t ctx)
{
    struct granule *g = burl_granule_get(burl_observer_locpairs.granules, piece->key, sizeof *g);
    struct burl_mark *now = NULL;

    for (struct burl_mark **at = &g->last; *at != NULL;) {
        struct burl_mark *x = *at;

        if (burl_access_writes(x->flags | a->flags) && burl__marks_meet(x, w, piece->mask))
            pairs_cover(x, w, a, ctx);
        x->mask &= (uint8_t)~piece->mask;
        if (x->mask != 0) {
            at = &x->next;
        } else if (now == NULL) {
            now = x; /* its place serves the new one */
            at = &x->next;
        } else {
            BURL_POOL_GIVE_AT(&burl__marks, at);
        }
    }
    if (now == NULL) {
        now = burl_pool_take(&burl__marks, sizeof *now);
        now->next = g->last;
        g->last = now;
    }
    *now = (struct burl_mark){ .next = now->next,
                               .site = a->site,
                               .clock = w->clock,
                               .ctx = ctx,
                               .tid = w->tid,
                               .slot = w->slot,
                               .mask = piece->mask,
                               .flags = a->flags };
}

static void
pairs_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);
    uint32_t ctx;

    if (!burl__cover_looks(&burl_observer_locpairs, a))
        return;
    ctx = burl__cover_context(w);
    while (burl_piece_next(&piece))
        pairs_granule_access(w, a, &piece, ctx);
}

static void
pairs_granule_empty(struct burl_chain *chain)
{
    BURL_POOL_GIVE_ALL(&burl__marks, &((struct granule *)chain)->last);
}

static struct burl_chains granules;

const struct burl_observer burl_observer_locpairs =
    BURL_MEMORY_METRIC(granules, pairs_granule_empty, pairs_access);
