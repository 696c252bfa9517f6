/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_solve.c - wave propagation to a fixed point. Host side.
 *
 * Work is done in the order of node numbers and in topological order, never in the order of
 * addresses, so that the same program gives the same solution with the same numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"

/* Looking for components costs a walk over the whole graph: only when it has grown by this part. */
enum { REORDER_PART = 64 };

/* An address that is formed from a struct shows the type of untyped memory. */
static void
learn_type(struct burl_pts *s, uint32_t step, uint32_t leaf)
{
    if (step != BURL__NONE && s->steps.v[step].type && s->leaves.v[leaf].offset == 0)
        burl__pts_learn_type(s, s->leaves.v[leaf].object, s->steps.v[step].type);
}

static void
apply_constraint(struct burl_pts *s, const struct burl__con *c, uint32_t leaf)
{
    uint32_t out[BURL__MAX_TARGETS], n;
    bool code = s->objects.v[s->leaves.v[leaf].object].pub.kind == BURL_PTS_FUNCTION;

    switch (c->kind) {
    case BURL__CON_LOAD:
    case BURL__CON_STORE:
        n = code ? 0 : burl__pts_plus(s, leaf, c->d, out);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t memory = burl__pts_memory(s, out[i]);
            bool load = c->kind == BURL__CON_LOAD;
            burl__pts_edge(s, load ? memory : c->other, load ? c->other : memory);
        }
        break;
    case BURL__CON_ADD:
        learn_type(s, c->x, leaf);
        n = burl__pts_plus(s, burl__pts_leaf_rep(s, leaf), c->d, out);
        for (uint32_t i = 0; i < n; i++)
            burl__pts_add(s, c->other, out[i]);
        break;
    case BURL__CON_WALK:
        learn_type(s, c->x, leaf);
        burl__pts_walk(s, burl__pts_leaf_rep(s, leaf), c->other, c->x, c->d);
        break;
    case BURL__CON_CALL:
        burl__pts_bind(s, c->x, leaf);
        break;
    case BURL__CON_FROM:
        burl__pts_copy_from(s, c->x, leaf);
        break;
    case BURL__CON_TO:
        burl__pts_copy_to(s, c->x, leaf);
        break;
    case BURL__CON_RUN:
        if (!code)
            burl__pts_run_state(s, c->x, leaf);
        break;
    case BURL__CON_START:
        burl__pts_add(s, c->other, code ? leaf : burl__pts_leaf_at(s, s->leaves.v[leaf].object, 0));
        break;
    }
}

static void
pass_on(struct burl_pts *s, uint32_t n)
{
    struct burl__set fresh = s->nodes.v[n].fresh;

    memset(&s->nodes.v[n].fresh, 0, sizeof fresh);
    BURL__SET_EACH(e, &s->nodes.v[n].edges)
    {
        uint32_t to = burl__pts_node(s, e);
        struct burl__node *t = &s->nodes.v[to];
        if (to != n && burl__set_merge(&t->pts, &fresh, &t->fresh))
            s->changed = true;
    }
    /* Constraints may add nodes, merge this one and move the arrays: by index, from the copy. */
    for (size_t i = 0; s->node_reps.v[n] == n && i < s->nodes.v[n].cons.n; i++) {
        struct burl__con c = s->nodes.v[n].cons.v[i];
        BURL__SET_EACH(x, &fresh)
        {
            uint32_t leaf = burl__pts_leaf_rep(s, x);
            apply_constraint(s, &c, leaf);
            if (s->node_reps.v[n] != n)
                break;
        }
    }
    /* Merged away in the middle: the one that took it over looks at all of it again. */
    if (s->node_reps.v[n] != n) {
        struct burl__node *t = &s->nodes.v[burl__pts_node(s, n)];
        burl__set_merge(&t->pts, &fresh, NULL);
        burl__set_merge(&t->fresh, &t->pts, NULL);
        s->changed = true;
    }
    burl__set_clear(&fresh);
}

static void
drain_work(struct burl_pts *s)
{
    while (s->todo_funcs.n || s->todo_globals.n || s->new_leaves.n || s->new_regions.n) {
        for (size_t i = 0; i < s->todo_funcs.n; i++)
            burl__pts_generate(s, s->todo_funcs.v[i]);
        s->todo_funcs.n = 0;
        for (size_t i = 0; i < s->todo_globals.n; i++)
            burl__pts_initialize(s, s->todo_globals.v[i]);
        s->todo_globals.n = 0;
        struct burl_u32s leaves, objects;
        memcpy(&leaves, &s->new_leaves, sizeof leaves);
        memcpy(&objects, &s->new_regions, sizeof objects);
        memset(&s->new_leaves, 0, sizeof leaves);
        memset(&s->new_regions, 0, sizeof objects);
        for (size_t i = 0; i < objects.n; i++)
            burl__pts_notify_regions(s, objects.v[i]);
        for (size_t i = 0; i < leaves.n; i++)
            burl__pts_notify(s, leaves.v[i]);
        BURL_VEC_FREE(&leaves);
        BURL_VEC_FREE(&objects);
    }
}

/* At the fixed point: untyped memory is an array of the elements that are walked over. */
static void
decide_later(struct burl_pts *s)
{
    size_t n = s->later.n;
    struct burl__later *all = s->later.v;

    memset(&s->later, 0, sizeof s->later);
    s->no_later = true;
    for (size_t i = 0; i < n; i++)
        burl__pts_walk(s, burl__pts_leaf_rep(s, all[i].leaf), all[i].to, all[i].step, all[i].d);
    s->no_later = false;
    free(all);
}

void
burl__pts_run(struct burl_pts *s)
{
    struct burl_u32s order = { 0 };
    size_t edges_then = 0, ordered = 0;

    drain_work(s);
    s->new_edges = UINT32_MAX;
    do {
        s->changed = false;
        if (s->new_edges > edges_then / REORDER_PART) {
            burl__pts_order(s, &order);
            edges_then = s->n_constraints;
            ordered = s->nodes.n;
        }
        for (size_t i = 0; i < order.n; i++)
            if (s->node_reps.v[order.v[i]] == order.v[i] && s->nodes.v[order.v[i]].fresh.n)
                pass_on(s, order.v[i]);
        /* Nodes that came up meanwhile have no place in the order yet. */
        for (size_t i = ordered; i < s->nodes.n; i++)
            if (s->node_reps.v[i] == i && s->nodes.v[i].fresh.n)
                pass_on(s, (uint32_t)i);
        drain_work(s);
        if (!s->changed && s->later.n)
            decide_later(s);
    } while (s->changed || s->later.n);
    BURL_VEC_FREE(&order);
}
