/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/order.c - in which orders locks are requested, and which orders a change touches.
 *
 * Runs in burl-analyze. An edge is a request (requests.c) while the lock of another request may be
 * held (region.c). An edge is impacted if one of the two statements or the call between them
 * changed or depends on a change (another lock is passed), if the base version has no such edge, if
 * a lock that was held around is not held any more, or is another one (it may have been a gate),
 * and if the change concerns the threads that execute it (creation, join). cycles.c makes cycles of
 * the edges.
 */
#include <stdlib.h>

#include "analysis/impact/order.h"
#include "base/hash.h"

/* A function that keeps a lock is a request where it is called. So only one that also releases one,
 * as lists do that are locked hand over hand, has a region that goes on in its callers; or it seems
 * so, where a lock is taken and released under conditions that are not understood. */
enum { MAX_EDGES = 1000000, MAX_LEVELS = 1 };

/* ---- edges ---- */

/* `d`: of the base version, by what its statements are in the new one. 0: there is no such pair. */
static uint64_t
pair_key(const struct burl_diff *d, const struct burl__request *a, const struct burl__request *b)
{
    const struct burl__request *both[2] = { a, b };
    uint64_t h = BURL_HASH_BEGIN;

    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < both[k]->n_at; i++) {
            LLVMValueRef v = both[k]->at[i];
            v = d ? burl_diff_counterpart(d, v) : v;
            if (!v)
                return 0;
            h = burl_hash_u64(h, (uint64_t)(uintptr_t)v);
        }
        h = burl_hash_u64(h, both[k]->n_at);
    }
    return burl_hash_end(h) | 1;
}

static void
add_edge(struct burl__orders *o, uint32_t held, uint32_t wanted, bool changed)
{
    const struct burl__request *a = &o->requests.v[held], *b = &o->requests.v[wanted];

    if (b->op.kind == BURL__OP_TRY || (o->met[wanted] == held + 1 && !changed))
        return;
    o->met[wanted] = held + 1;
    burl_map_set(&o->known, pair_key(NULL, a, b), 1);
    BURL_VEC_PUSH(&o->edges, (struct burl__order_edge){
                                 held, wanted, changed ? BURL_RULE_REGION | BURL_RULE_SLICE : 0u });
}

/* Requests in a function and in all that it calls. */
static void
find_below(struct burl__orders *o)
{
    bool changed = true;

    o->below = burl_xcalloc(o->s->fns.n + 1, sizeof *o->below);
    for (size_t f = 0; f < o->s->fns.n; f++)
        burl_u32s_unite(&o->below[f], o->of_fn[f].v, o->of_fn[f].n);
    while (changed) {
        changed = false;
        for (size_t i = o->s->calls.n; i-- > 0;) {
            const struct burl__call *c = &o->s->calls.v[i];
            if (!c->later && !c->spawn && c->caller != c->callee)
                changed |= burl_u32s_unite(&o->below[c->caller], o->below[c->callee].v,
                                           o->below[c->callee].n);
        }
    }
}

/* All that is requested in a region; *met: requests and functions that were looked at. */
static void
add_wanted(struct burl__impact *im, struct burl__orders *o, uint32_t held, LLVMValueRef inst,
           struct burl_valmap *met)
{
    bool changed = o->s->is && burl__is_changed(im, o->s, inst);
    uint32_t b;

    /* With itself: a loop takes one lock after the other. */
    for (bool is = burl_valmap_get(&o->first_of, inst, &b);
         is && b < o->requests.n && o->requests.v[b].at[0] == inst; b++)
        add_edge(o, held, b, false);
    for (uint32_t c = burl__first_call(o->s, inst); c != UINT32_MAX; c = o->s->calls.v[c].next) {
        const struct burl__call *x = &o->s->calls.v[c];
        const struct burl_u32s *l = &o->below[x->callee];
        if (x->later || x->spawn || (!burl_valmap_add(met, o->s->fns.v[x->callee].fn) && !changed))
            continue;
        for (size_t k = 0; k < l->n; k++)
            if (l->v[k] != held)
                add_edge(o, held, l->v[k], changed);
    }
}

/* Do two requests of one statement have the first n steps in common? */
static bool
same_way(const struct burl__request *a, const struct burl__request *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (i >= b->n_at || a->at[i] != b->at[i])
            return false;
    return n < b->n_at;
}

/* In a wrapper: what it requests after it has taken the lock. */
static void
add_inside(struct burl__impact *im, struct burl__orders *o, uint32_t held, uint32_t level,
           struct burl_valmap *met)
{
    const struct burl__request *a = &o->requests.v[held];
    struct burl__region r = { 0 };
    uint32_t b;

    burl__region_near(o->s, a->at[level], 0, &r);
    for (size_t i = 0; i < r.insts.n; i++)
        add_wanted(im, o, held, r.insts.v[i], met);
    for (bool is = burl_valmap_get(&o->first_of, a->at[0], &b);
         is && b < o->requests.n && o->requests.v[b].at[0] == a->at[0]; b++)
        if (same_way(a, &o->requests.v[b], level) &&
            burl_valmap_has(&r.seen, o->requests.v[b].at[level]))
            add_edge(o, held, b, false);
    burl__region_deinit(&r);
}

static void
find_edges(struct burl__impact *im, struct burl__orders *o)
{
    find_below(o);
    o->met = burl_xcalloc(o->requests.n + 1, sizeof *o->met);
    for (uint32_t a = 0; a < o->requests.n && o->edges.n < MAX_EDGES; a++) {
        struct burl__region r = { 0 };
        struct burl_valmap met = { 0 };
        burl__region_near(o->s, o->requests.v[a].at[0], MAX_LEVELS, &r);
        for (size_t i = 0; i < r.insts.n; i++)
            add_wanted(im, o, a, r.insts.v[i], &met);
        for (uint32_t k = 1; k < o->requests.v[a].n_at; k++)
            add_inside(im, o, a, k, &met);
        burl_valmap_deinit(&met);
        burl__region_deinit(&r);
    }
}

/* ---- what a change touches ---- */

/* Another lock, or whether it is taken. */
static bool
is_touched(const struct burl__impact *im, const struct burl__request *r)
{
    for (uint32_t i = 0; i < r->n_at; i++)
        if (!burl_diff_counterpart(im->d, r->at[i]) || burl__is_changed(im, &im->is, r->at[i]) ||
            burl__slice_has_call(im, r->at[i]))
            return true;
    return false;
}

/* Requests around which a lock is missing, or may have changed. */
static void
find_bared(const struct burl__impact *im, const struct burl__orders *is,
           const struct burl__orders *was, const bool *touched, struct burl_valmap *bared)
{
    uint64_t unused;

    for (size_t i = 0; i < was->edges.n; i++) {
        const struct burl__request *a = &was->requests.v[was->edges.v[i].held];
        const struct burl__request *b = &was->requests.v[was->edges.v[i].wanted];
        LLVMValueRef now = burl_diff_counterpart(im->d, b->at[0]);
        uint64_t key = now ? pair_key(im->d, a, b) : 0;
        if (now && (!key || !burl_map_get(&is->known, key, &unused)))
            burl_valmap_add(bared, now);
    }
    for (size_t i = 0; i < is->edges.n; i++) {
        const struct burl__request *a = &is->requests.v[is->edges.v[i].held];
        if (touched[is->edges.v[i].held] && burl_diff_counterpart(im->d, a->at[0]))
            burl_valmap_add(bared, is->requests.v[is->edges.v[i].wanted].at[0]);
    }
}

/* Where a change is about more than the locks, lifetimes of the base version say less
 * (src/regress/tracks.c). */
static uint32_t
rules_of_place(const struct burl__impact *im, const struct burl__request *r)
{
    uint32_t rules = 0;

    (void)burl_valmap_get(&im->unordered, r->at[0], &rules);
    if (!burl_diff_counterpart(im->d, r->at[0]))
        rules |= BURL_RULE_ACCESS;
    if (burl__slice_has_body(im, burl_ir_function(r->at[0])))
        rules |= BURL_RULE_SLICE;
    return rules;
}

static void
find_impacted(struct burl__impact *im, struct burl__orders *is, const struct burl__orders *was)
{
    bool *touched = burl_xcalloc(is->requests.n + 1, sizeof *touched);
    struct burl_valmap bared = { 0 };
    struct burl_map before = { 0 };
    uint64_t unused;

    for (size_t i = 0; i < is->requests.n; i++)
        touched[i] = is_touched(im, &is->requests.v[i]);
    for (size_t i = 0; i < was->edges.n; i++)
        burl_map_set(&before,
                     pair_key(im->d, &was->requests.v[was->edges.v[i].held],
                              &was->requests.v[was->edges.v[i].wanted]),
                     1);
    find_bared(im, is, was, touched, &bared);
    for (size_t i = 0; i < is->edges.n; i++) {
        struct burl__order_edge *e = &is->edges.v[i];
        const struct burl__request *a = &is->requests.v[e->held], *b = &is->requests.v[e->wanted];
        if (touched[e->held] || touched[e->wanted] || burl_valmap_has(&bared, b->at[0]) ||
            !burl_map_get(&before, pair_key(NULL, a, b), &unused))
            e->rules |= BURL_RULE_REGION;
        e->rules |= rules_of_place(im, a) | rules_of_place(im, b);
    }
    burl_map_deinit(&before);
    burl_valmap_deinit(&bared);
    free(touched);
}

void
burl__find_cycles(struct burl__impact *im)
{
    struct burl__orders is = { .s = &im->is }, was = { .s = &im->was };

    if (im->list_is.n == 0 && im->list_was.n == 0)
        return;
    burl__find_requests(im, &is);
    if (is.requests.n == 0)
        return;
    find_edges(im, &is);
    if (is.edges.n == 0)
        return;
    burl__find_requests(im, &was);
    find_edges(im, &was);
    find_impacted(im, &is, &was);
    burl__list_cycles(im, &is);
}
