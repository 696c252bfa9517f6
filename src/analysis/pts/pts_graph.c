/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_graph.c - nodes and edges, strongly connected components, topological order.
 * Host side.
 *
 * A component connected by copy edges alone is collapsed into one node. One that also has edges
 * with offsets is harmless if the offsets of every cycle sum to zero (an element and its list hook,
 * back and forth). In any other (p = p + 1 in a loop) the inconsistent edges become edges with a
 * stride. This is done for small components only, which are loops of the source: a component of
 * hundreds of nodes comes from imprecision, and a stride would merge the fields of every object
 * that flows through it. There offsets are bounded by the end of each object.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/mem.h"

uint32_t
burl__pts_new_node(struct burl_pts *s)
{
    uint32_t n = (uint32_t)s->nodes.n;

    (void)BURL_VEC_ADD(&s->nodes);
    BURL_VEC_PUSH(&s->node_reps, n);
    return n;
}

uint32_t
burl__pts_rep(uint32_t *reps, uint32_t x)
{
    while (reps[x] != x) {
        reps[x] = reps[reps[x]];
        x = reps[x];
    }
    return x;
}

uint32_t
burl__pts_node(struct burl_pts *s, uint32_t n)
{
    return burl__pts_rep(s->node_reps.v, n);
}

void
burl__pts_add(struct burl_pts *s, uint32_t node, uint32_t leaf)
{
    if (node == BURL__NONE || leaf == BURL__NONE)
        return;
    struct burl__node *n = &s->nodes.v[burl__pts_node(s, node)];
    leaf = burl__pts_leaf_rep(s, leaf);
    if (!burl__set_add(&n->pts, leaf))
        return;
    burl__set_add(&n->fresh, leaf);
    s->changed = true;
}

void
burl__pts_edge(struct burl_pts *s, uint32_t from, uint32_t to)
{
    if (from == BURL__NONE || to == BURL__NONE)
        return;
    from = burl__pts_node(s, from);
    to = burl__pts_node(s, to);
    if (from == to || !burl__set_add(&s->nodes.v[from].edges, to))
        return;
    s->new_edges++;
    s->n_constraints++;
    struct burl__node *t = &s->nodes.v[to];
    if (burl__set_merge(&t->pts, &s->nodes.v[from].pts, &t->fresh))
        s->changed = true;
}

void
burl__pts_con(struct burl_pts *s, uint32_t node, struct burl__con c)
{
    if (node == BURL__NONE)
        return;
    struct burl__node *n = &s->nodes.v[burl__pts_node(s, node)];
    BURL_VEC_PUSH(&n->cons, c);
    s->n_constraints++;
    s->new_edges += c.kind == BURL__CON_ADD;
    /* The new constraint has seen nothing yet: all is fresh again. Seeing a target twice is
     * harmless, and most constraints are made before anything flows. */
    if (burl__set_merge(&n->fresh, &n->pts, NULL))
        s->changed = true;
}

void
burl__pts_unite(struct burl_pts *s, uint32_t a, uint32_t b)
{
    a = burl__pts_node(s, a);
    b = burl__pts_node(s, b);
    if (a == b)
        return;
    if (a > b) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    struct burl__node *x = &s->nodes.v[a], *y = &s->nodes.v[b];
    bool same = x->pts.n == y->pts.n &&
                (!x->pts.n || memcmp(x->pts.v, y->pts.v, x->pts.n * sizeof *x->pts.v) == 0);
    s->node_reps.v[b] = a;
    burl__set_merge(&x->edges, &y->edges, NULL);
    burl__set_merge(&x->pts, &y->pts, NULL);
    burl__set_merge(&x->fresh, &y->fresh, NULL);
    /* The constraints and edges of each have not seen what only the other had. */
    if (!same && (x->cons.n || y->cons.n || x->edges.n))
        burl__set_merge(&x->fresh, &x->pts, NULL);
    for (size_t i = 0; i < y->cons.n; i++)
        BURL_VEC_PUSH(&x->cons, y->cons.v[i]);
    BURL_VEC_FREE(&y->cons);
    burl__set_clear(&y->pts);
    burl__set_clear(&y->fresh);
    burl__set_clear(&y->edges);
    if (x->fresh.n)
        s->changed = true;
    s->n_merged++;
}

/* Nodes of a loop over memory: a handful of values, and the variables they are kept in. */
enum { MAX_LOOP = 24 };

/* A walk over the edges of a node: copies, then offsets. */
struct frame {
    uint32_t node;
    uint32_t edge; /* next copy to look at, BURL__NONE all were */
    uint32_t hint;
    uint32_t con; /* next constraint */
    /* The edge at hand. */
    uint32_t to;
    int64_t d;           /* what it adds */
    struct burl__con *c; /* NULL a copy */
};

/* Tarjan's algorithm without recursion: chains of copies are as deep as the program is long. */
struct tarjan {
    uint32_t *index; /* 0 not seen */
    uint32_t *low;
    bool *on_stack;
    int64_t *height; /* offset from the component's first node, for cycles with offsets */
    uint32_t *comp;  /* number of its component */
    uint32_t next;
    uint32_t n_comps;
    bool offsets; /* follow edges with offsets too */
    BURL_VEC(struct frame) frames;
    struct burl_u32s stack;
    struct burl_u32s *order;
};

/* To the next edge; false when all were seen. */
static bool
next_edge(struct burl_pts *s, struct frame *f)
{
    const struct burl__node *x = &s->nodes.v[f->node];
    uint32_t e = f->edge == BURL__NONE ? BURL__NONE : burl__set_next(&x->edges, f->edge, &f->hint);

    f->edge = e == BURL__NONE ? BURL__NONE : e + 1;
    if (e != BURL__NONE) {
        f->to = burl__pts_node(s, e);
        return true;
    }
    while (f->con < x->cons.n) {
        f->c = &x->cons.v[f->con++];
        if (f->c->kind == BURL__CON_ADD) {
            f->to = burl__pts_node(s, f->c->other);
            f->d = f->c->d;
            return true;
        }
    }
    return false;
}

/* The same within the component of the node. */
static bool
next_inner(struct burl_pts *s, const struct tarjan *t, struct frame *f)
{
    bool more = next_edge(s, f);

    while (more && t->comp[f->to] != t->comp[f->node])
        more = next_edge(s, f);
    return more;
}

static void
push_frame(struct tarjan *t, uint32_t n)
{
    t->index[n] = t->low[n] = ++t->next;
    t->on_stack[n] = true;
    BURL_VEC_PUSH(&t->stack, n);
    BURL_VEC_PUSH(&t->frames, (struct frame){ .node = n });
}

static bool
has_offsets(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct frame f = { .node = v[i] };
        while (next_inner(s, t, &f))
            if (f.c)
                return true;
    }
    return false;
}

/* Gives every node of a component its height along a spanning tree. */
static void
measure_heights(struct burl_pts *s, struct tarjan *t, const uint32_t *v, size_t n)
{
    struct burl_u32s todo = { 0 };

    for (size_t i = 0; i < n; i++)
        t->height[v[i]] = INT64_MIN;
    t->height[v[0]] = 0;
    BURL_VEC_PUSH(&todo, v[0]);
    while (todo.n) {
        struct frame f = { .node = todo.v[--todo.n] };
        while (next_inner(s, t, &f)) {
            if (t->height[f.to] != INT64_MIN)
                continue;
            t->height[f.to] = t->height[f.node] + f.d;
            BURL_VEC_PUSH(&todo, f.to);
        }
    }
    BURL_VEC_FREE(&todo);
}

/* By how much an edge disagrees with the heights. */
static int64_t
excess_of(const struct tarjan *t, const struct frame *f)
{
    return t->height[f->node] + f->d - t->height[f->to];
}

/* The greatest common divisor of what the cycles of the component add up to; 0: all to nothing.
 * *odd_copy: a plain copy disagrees with the heights. */
static uint64_t
find_excess(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, bool *odd_copy)
{
    uint64_t g = 0;

    *odd_copy = false;
    for (size_t i = 0; i < n; i++) {
        struct frame f = { .node = v[i] };
        while (next_inner(s, t, &f)) {
            g = burl_ir_gcd(g, (uint64_t)llabs(excess_of(t, &f)));
            *odd_copy |= !f.c && excess_of(t, &f) != 0;
        }
    }
    return g;
}

/*
 * Offsets on cycles that do not add up become walks: every such cycle has an odd edge. When a plain
 * copy is odd (the measuring began at another place), all offsets of the component have to.
 */
static void
make_walks(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, bool all,
           uint64_t stride)
{
    for (size_t i = 0; i < n; i++) {
        struct frame f = { .node = v[i] };
        while (next_inner(s, t, &f)) {
            if (!f.c || (!all && excess_of(t, &f) == 0))
                continue;
            f.c->kind = BURL__CON_WALK;
            f.c->x = (uint32_t)s->steps.n;
            BURL_VEC_PUSH(&s->steps,
                          (struct burl_ir_steps){ .n = 1, .v = { { .stride = stride } } });
        }
        burl__set_merge(&s->nodes.v[v[i]].fresh, &s->nodes.v[v[i]].pts, NULL);
        s->changed = true;
    }
}

struct tall {
    int64_t height;
    uint32_t node;
};

static int
compare_tall(const void *a, const void *b)
{
    const struct tall *x = a, *y = b;

    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Every cycle adds up to nothing: nodes of the same height hold the same. */
static void
unite_levels(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n)
{
    struct tall *all = burl_xcalloc(n, sizeof *all);

    for (size_t i = 0; i < n; i++)
        all[i] = (struct tall){ t->height[v[i]], v[i] };
    qsort(all, n, sizeof *all, compare_tall);
    for (size_t i = 1; i < n; i++)
        if (all[i].height == all[i - 1].height)
            burl__pts_unite(s, all[i].node, all[i - 1].node);
    free(all);
}

static void
collapse_component(struct burl_pts *s, struct tarjan *t, const uint32_t *v, size_t n)
{
    if (!t->offsets) {
        for (size_t i = 1; i < n; i++)
            burl__pts_unite(s, v[0], v[i]);
        return;
    }
    bool odd_copy;
    if (n > MAX_LOOP || !has_offsets(s, t, v, n))
        return;
    measure_heights(s, t, v, n);
    uint64_t g = find_excess(s, t, v, n, &odd_copy);
    if (g)
        make_walks(s, t, v, n, odd_copy, g);
    else
        unite_levels(s, t, v, n);
}

static void
finish_component(struct tarjan *t, uint32_t n)
{
    size_t first = t->stack.n;
    uint32_t comp = t->n_comps++;

    while (t->stack.v[first - 1] != n)
        first--;
    first--;
    for (size_t i = first; i < t->stack.n; i++) {
        t->on_stack[t->stack.v[i]] = false;
        t->comp[t->stack.v[i]] = comp;
        BURL_VEC_PUSH(t->order, t->stack.v[i]);
    }
    t->stack.n = first;
}

static void
visit_from(struct burl_pts *s, struct tarjan *t, uint32_t root)
{
    push_frame(t, root);
    while (t->frames.n) {
        struct frame *f = &t->frames.v[t->frames.n - 1];
        uint32_t n = f->node;
        if (next_edge(s, f) && (!f->c || t->offsets)) {
            uint32_t m = f->to;
            if (!t->index[m])
                push_frame(t, m);
            else if (t->on_stack[m] && t->index[m] < t->low[n])
                t->low[n] = t->index[m];
            continue;
        }
        if (t->low[n] == t->index[n])
            finish_component(t, n);
        t->frames.n--;
        if (t->frames.n) {
            uint32_t up = t->frames.v[t->frames.n - 1].node;
            if (t->low[n] < t->low[up])
                t->low[up] = t->low[n];
        }
    }
}

/* Edges to merged nodes are renamed, so that sets stay small and walks over them cheap. */
static void
clean_edges(struct burl_pts *s)
{
    for (uint32_t i = 0; i < s->nodes.n; i++) {
        struct burl__set clean = { 0 };
        bool stale = false;
        if (s->node_reps.v[i] != i)
            continue;
        BURL__SET_EACH(e, &s->nodes.v[i].edges)
        stale |= burl__pts_node(s, e) != e || e == i;
        if (!stale)
            continue;
        BURL__SET_EACH(e, &s->nodes.v[i].edges)
        {
            uint32_t to = burl__pts_node(s, e);
            if (to != i)
                burl__set_add(&clean, to);
        }
        burl__set_clear(&s->nodes.v[i].edges);
        s->nodes.v[i].edges = clean;
    }
}

/* Finds the components and collapses them; `order` gets the nodes, sinks first. */
static void
find_components(struct burl_pts *s, bool offsets, struct burl_u32s *order)
{
    size_t n = s->nodes.n;
    struct tarjan t = { .order = order, .offsets = offsets };

    t.index = burl_xcalloc(n + 1, sizeof *t.index);
    t.low = burl_xcalloc(n + 1, sizeof *t.low);
    t.on_stack = burl_xcalloc(n + 1, sizeof *t.on_stack);
    t.height = burl_xcalloc(n + 1, sizeof *t.height);
    t.comp = burl_xcalloc(n + 1, sizeof *t.comp);
    for (uint32_t i = 0; i < n; i++)
        if (s->node_reps.v[i] == i && !t.index[i])
            visit_from(s, &t, i);
    for (size_t i = 0; i < order->n;) {
        size_t end = i + 1;
        while (end < order->n && t.comp[order->v[end]] == t.comp[order->v[i]])
            end++;
        collapse_component(s, &t, &order->v[i], end - i);
        i = end;
    }
    free(t.index);
    free(t.low);
    free(t.on_stack);
    free(t.height);
    free(t.comp);
    BURL_VEC_FREE(&t.frames);
    BURL_VEC_FREE(&t.stack);
}

void
burl__pts_order(struct burl_pts *s, struct burl_u32s *order)
{
    struct burl_u32s reverse = { 0 };

    clean_edges(s);
    find_components(s, false, &reverse);
    reverse.n = 0;
    find_components(s, true, &reverse);
    order->n = 0;
    for (size_t i = reverse.n; i > 0; i--)
        if (s->node_reps.v[reverse.v[i - 1]] == reverse.v[i - 1])
            BURL_VEC_PUSH(order, reverse.v[i - 1]);
    s->new_edges = 0;
    BURL_VEC_FREE(&reverse);
}
