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
    struct burl__node *node = BURL_VEC_ADD(&s->nodes);

    node->rep = n;
    return n;
}

uint32_t
burl__pts_node(struct burl_pts *s, uint32_t n)
{
    struct burl__node *v = s->nodes.v;

    while (v[n].rep != n) {
        v[n].rep = v[v[n].rep].rep;
        n = v[n].rep;
    }
    return n;
}

bool
burl__pts_add(struct burl_pts *s, uint32_t node, uint32_t leaf)
{
    struct burl__node *n = &s->nodes.v[burl__pts_node(s, node)];

    leaf = burl__pts_leaf_rep(s, leaf);
    if (!burl__set_add(&n->pts, leaf))
        return false;
    burl__set_add(&n->fresh, leaf);
    s->changed = true;
    return true;
}

void
burl__pts_edge(struct burl_pts *s, uint32_t from, uint32_t to)
{
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
    y->rep = a;
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

/* Tarjan's algorithm without recursion: chains of copies are as deep as the program is long. */
struct frame {
    uint32_t node;
    uint32_t edge; /* next edge to look at; then constraints */
    uint32_t con;
    uint32_t hint;
};

struct tarjan {
    uint32_t *index; /* 0 not seen */
    uint32_t *low;
    bool *on_stack;
    int64_t *height; /* offset from the component's first node, for cycles with offsets */
    uint32_t *comp;
    uint32_t next;
    uint32_t n_comps;
    bool offsets; /* follow edges with offsets too */
    struct {
        BURL_VEC_OF(struct frame);
    } frames;
    struct burl__u32s stack;
    struct burl__u32s *order;
};

static void
push_frame(struct tarjan *t, uint32_t n)
{
    t->index[n] = t->low[n] = ++t->next;
    t->on_stack[n] = true;
    BURL_VEC_PUSH(&t->stack, n);
    BURL_VEC_PUSH(&t->frames, (struct frame){ .node = n });
}

/* Gives every node of a component its height along a spanning tree. */
static void
measure(struct burl_pts *s, struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp)
{
    struct burl__u32s todo = { 0 };

    for (size_t i = 0; i < n; i++)
        t->height[v[i]] = INT64_MIN;
    t->height[v[0]] = 0;
    BURL_VEC_PUSH(&todo, v[0]);
    while (todo.n) {
        uint32_t a = todo.v[--todo.n];
        const struct burl__node *x = &s->nodes.v[a];
        BURL__SET_EACH(e, &x->edges)
        {
            uint32_t b = burl__pts_node(s, e);
            if (t->comp[b] == comp && t->height[b] == INT64_MIN) {
                t->height[b] = t->height[a];
                BURL_VEC_PUSH(&todo, b);
            }
        }
        for (size_t i = 0; i < x->cons.n; i++) {
            if (x->cons.v[i].kind != BURL__CON_ADD)
                continue;
            uint32_t b = burl__pts_node(s, x->cons.v[i].other);
            if (t->comp[b] == comp && t->height[b] == INT64_MIN) {
                t->height[b] = t->height[a] + x->cons.v[i].d;
                BURL_VEC_PUSH(&todo, b);
            }
        }
    }
    BURL_VEC_FREE(&todo);
}

/* The greatest common divisor of what the cycles of the component add up to; 0: all to nothing. */
static uint64_t
excess(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp)
{
    uint64_t g = 0;

    for (size_t i = 0; i < n; i++) {
        const struct burl__node *x = &s->nodes.v[v[i]];
        BURL__SET_EACH(e, &x->edges)
        {
            uint32_t b = burl__pts_node(s, e);
            if (t->comp[b] == comp)
                g = burl__pts_gcd(g, (uint64_t)llabs(t->height[v[i]] - t->height[b]));
        }
        for (size_t k = 0; k < x->cons.n; k++) {
            if (x->cons.v[k].kind != BURL__CON_ADD)
                continue;
            uint32_t b = burl__pts_node(s, x->cons.v[k].other);
            if (t->comp[b] == comp)
                g = burl__pts_gcd(g,
                                  (uint64_t)llabs(t->height[v[i]] + x->cons.v[k].d - t->height[b]));
        }
    }
    return g;
}

/* Does an edge of the component disagree with the heights? */
static bool
is_odd(struct burl_pts *s, const struct tarjan *t, uint32_t a, uint32_t to, int64_t d,
       uint32_t comp)
{
    uint32_t b = burl__pts_node(s, to);
    return t->comp[b] == comp && t->height[a] + d != t->height[b];
}

static bool
has_odd_copy(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp)
{
    for (size_t i = 0; i < n; i++)
        BURL__SET_EACH(e, &s->nodes.v[v[i]].edges)
    if (is_odd(s, t, v[i], e, 0, comp))
        return true;
    return false;
}

/*
 * Offsets on cycles that do not add up become walks: every such cycle has an odd edge. When a plain
 * copy is odd (the measuring began at another place), all offsets of the component have to.
 */
static void
make_walks(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp,
           uint64_t stride)
{
    bool all = has_odd_copy(s, t, v, n, comp);

    for (size_t i = 0; i < n; i++) {
        struct burl__node *x = &s->nodes.v[v[i]];
        for (size_t k = 0; k < x->cons.n; k++) {
            struct burl__con *c = &x->cons.v[k];
            if (c->kind != BURL__CON_ADD || t->comp[burl__pts_node(s, c->other)] != comp)
                continue;
            if (!all && !is_odd(s, t, v[i], c->other, c->d, comp))
                continue;
            struct burl__step step = { .n = 1, .v = { { .stride = stride } } };
            c->kind = BURL__CON_WALK;
            c->x = (uint32_t)s->steps.n;
            BURL_VEC_PUSH(&s->steps, step);
        }
        burl__set_merge(&x->fresh, &x->pts, NULL);
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

static bool
has_offsets(struct burl_pts *s, const struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->nodes.v[v[i]].cons.n; k++) {
            const struct burl__con *c = &s->nodes.v[v[i]].cons.v[k];
            if (c->kind == BURL__CON_ADD && t->comp[burl__pts_node(s, c->other)] == comp)
                return true;
        }
    return false;
}

static void
collapse(struct burl_pts *s, struct tarjan *t, const uint32_t *v, size_t n, uint32_t comp)
{
    if (!t->offsets) {
        for (size_t i = 1; i < n; i++)
            burl__pts_unite(s, v[0], v[i]);
        return;
    }
    if (n > MAX_LOOP || !has_offsets(s, t, v, n, comp))
        return;
    measure(s, t, v, n, comp);
    uint64_t g = excess(s, t, v, n, comp);
    if (g)
        make_walks(s, t, v, n, comp, g);
    else
        unite_levels(s, t, v, n);
}

static void
finish(struct tarjan *t, uint32_t n)
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

/* The next successor of the frame's node, BURL__NONE when all were seen. */
static uint32_t
successor(struct burl_pts *s, struct frame *f, bool offsets)
{
    const struct burl__node *x = &s->nodes.v[f->node];

    if (f->edge != BURL__NONE) {
        uint32_t e = burl__set_next(&x->edges, f->edge, &f->hint);
        f->edge = e == BURL__NONE ? BURL__NONE : e + 1;
        if (e != BURL__NONE)
            return burl__pts_node(s, e);
    }
    while (offsets && f->con < x->cons.n) {
        const struct burl__con *c = &x->cons.v[f->con++];
        if (c->kind == BURL__CON_ADD)
            return burl__pts_node(s, c->other);
    }
    return BURL__NONE;
}

static void
visit(struct burl_pts *s, struct tarjan *t, uint32_t root)
{
    push_frame(t, root);
    while (t->frames.n) {
        struct frame *f = &t->frames.v[t->frames.n - 1];
        uint32_t n = f->node;
        uint32_t m = successor(s, f, t->offsets);
        if (m != BURL__NONE) {
            if (!t->index[m])
                push_frame(t, m);
            else if (t->on_stack[m] && t->index[m] < t->low[n])
                t->low[n] = t->index[m];
            continue;
        }
        if (t->low[n] == t->index[n])
            finish(t, n);
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
        if (s->nodes.v[i].rep != i)
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
find_components(struct burl_pts *s, bool offsets, struct burl__u32s *order)
{
    size_t n = s->nodes.n;
    struct tarjan t = { .order = order, .offsets = offsets };

    t.index = burl_xcalloc(n + 1, sizeof *t.index);
    t.low = burl_xcalloc(n + 1, sizeof *t.low);
    t.on_stack = burl_xcalloc(n + 1, sizeof *t.on_stack);
    t.height = burl_xcalloc(n + 1, sizeof *t.height);
    t.comp = burl_xcalloc(n + 1, sizeof *t.comp);
    for (uint32_t i = 0; i < n; i++)
        if (s->nodes.v[i].rep == i && !t.index[i])
            visit(s, &t, i);
    for (size_t i = 0; i < order->n;) {
        size_t end = i + 1;
        while (end < order->n && t.comp[order->v[end]] == t.comp[order->v[i]])
            end++;
        collapse(s, &t, &order->v[i], end - i, t.comp[order->v[i]]);
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
burl__pts_order(struct burl_pts *s, struct burl__u32s *order)
{
    struct burl__u32s reverse = { 0 };

    clean_edges(s);
    find_components(s, false, &reverse);
    reverse.n = 0;
    find_components(s, true, &reverse);
    order->n = 0;
    for (size_t i = reverse.n; i > 0; i--)
        if (s->nodes.v[reverse.v[i - 1]].rep == reverse.v[i - 1])
            BURL_VEC_PUSH(order, reverse.v[i - 1]);
    s->new_edges = 0;
    BURL_VEC_FREE(&reverse);
}
