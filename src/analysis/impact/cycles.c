/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/cycles.c - cycles of lock orders in which a change has a part.
 *
 * Runs in burl-analyze. In a cycle of n edges each requests the lock that the next one holds, in n
 * threads. Cycles of two edges are all listed; those of three and four, whose number can be large,
 * once for an impacted edge and the one after it: a test that has the deadlock executes these two
 * in different threads, and nothing more is asked of it (base/changes.h). A longer cycle is left
 * out if a shorter one has the same impacted edge.
 *
 * No cycle: two of the threads cannot run at the same time, or hold a common lock for sure (a
 * gate), or a lock is held and requested for reading only.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/order.h"
#include "base/hash.h"

enum { MAX_CYCLES = 1000, MAX_LONG = 200, MAX_STEPS = 2000000 };

struct found {
    uint64_t hash[BURL_CHANGES_MAX_CYCLE];
    uint32_t index[BURL_CHANGES_MAX_CYCLE];
    uint32_t n;
    char *locks;
};

struct search {
    struct burl__impact *im;
    struct burl__orders *o;
    BURL_VEC(struct found) list;
    size_t n_steps;
    struct burl_u32s edges; /* of which one stands for all that differ in nothing that matters */
    struct burl_u32s *from; /* edges that hold a lock of a set */
    const struct burl__order_edge *way[BURL_CHANGES_MAX_CYCLE];
};

/* ---- sets of locks ---- */

static bool
meet(const struct burl_u32s *a, const struct burl_u32s *b)
{
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->v[i] == b->v[k])
            return true;
        if (a->v[i] < b->v[k])
            i++;
        else
            k++;
    }
    return false;
}

/* There are many requests and few sets. */
static void
compare_sets(struct burl__orders *o)
{
    struct burl_u32s first = { 0 }; /* request of each set */

    for (uint32_t i = 0; i < o->requests.n; i++) {
        struct burl__request *x = &o->requests.v[i];
        for (x->set = 0; x->set < first.n; x->set++) {
            const struct burl_u32s *l = &o->requests.v[first.v[x->set]].leaves;
            if (l->n == x->leaves.n &&
                (l->n == 0 || memcmp(l->v, x->leaves.v, l->n * sizeof *l->v) == 0))
                break;
        }
        if (x->set == first.n)
            BURL_VEC_PUSH(&first, i);
    }
    o->n_sets = (uint32_t)first.n;
    o->meets = burl_xcalloc((size_t)o->n_sets * o->n_sets + 1, sizeof *o->meets);
    for (size_t i = 0; i < first.n; i++)
        for (size_t k = 0; k < first.n; k++)
            o->meets[i * o->n_sets + k] =
                meet(&o->requests.v[first.v[i]].leaves, &o->requests.v[first.v[k]].leaves);
    BURL_VEC_FREE(&first);
}

/* ---- what can be part of one cycle ---- */

static const struct burl__request *
held_by(const struct search *s, const struct burl__order_edge *e)
{
    return &s->o->requests.v[e->held];
}

static const struct burl__request *
wanted_by(const struct search *s, const struct burl__order_edge *e)
{
    return &s->o->requests.v[e->wanted];
}

/* May the two be different locks at all? */
static bool
may_differ(const struct burl__impact *im, const struct burl__request *a,
           const struct burl__request *b)
{
    if (a->leaves.n != 1 || b->leaves.n != 1 || a->leaves.v[0] != b->leaves.v[0])
        return true;
    const struct burl_pts_leaf *l = burl_pts_leaf(im->sp->pts, a->leaves.v[0]);
    return l->array || burl_pts_object(im->sp->pts, l->object)->kind != BURL_PTS_GLOBAL;
}

static bool
in_parallel(const struct burl__impact *im, LLVMValueRef a, LLVMValueRef b)
{
    const struct burl__fn *f = &im->sp->fns.v[burl__body_ix(&im->is, burl_ir_function(a))];
    const struct burl__fn *g = &im->sp->fns.v[burl__body_ix(&im->is, burl_ir_function(b))];

    for (size_t i = 0; i < f->roots.n; i++)
        for (size_t k = 0; k < g->roots.n; k++)
            if (f->roots.v[i] != g->roots.v[k] || im->sp->t->roots.v[f->roots.v[i]].many)
                return true;
    return false;
}

/* Is a lock held at both that is one for the whole program, not by both for reading? */
static bool
have_gate(const struct burl__sp *sp, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t x, y;

    if (!burl_valmap_get(&sp->held_at, a, &x) || !burl_valmap_get(&sp->held_at, b, &y))
        return false;
    for (size_t i = 0; i < sp->helds.v[x].n; i++) {
        const struct burl__held *h = &sp->helds.v[x].v[i];
        for (size_t k = 0; k < sp->helds.v[y].n; k++) {
            const struct burl__held *g = &sp->helds.v[y].v[k];
            if (h->at.node == g->at.node && h->at.off == g->at.off && !(h->shared && g->shared))
                return true;
        }
    }
    return false;
}

/* Can two threads be at these edges at one time? */
static bool
go_together(const struct search *s, const struct burl__order_edge *e,
            const struct burl__order_edge *f)
{
    LLVMValueRef a = wanted_by(s, e)->at[0], b = wanted_by(s, f)->at[0];

    return in_parallel(s->im, a, b) && !have_gate(s->im->sp, a, b);
}

/* Does the first wait for the second? */
static bool
waits_for(const struct search *s, const struct burl__order_edge *e,
          const struct burl__order_edge *f)
{
    const struct burl__request *b = wanted_by(s, e), *c = held_by(s, f);

    return s->o->meets[b->set * s->o->n_sets + c->set] && !(b->op.shared && c->op.shared);
}

/* One edge in two threads is a cycle if its locks may change places. */
static bool
is_own_cycle(const struct search *s, const struct burl__order_edge *e)
{
    LLVMValueRef a = held_by(s, e)->op.lock, b = wanted_by(s, e)->op.lock;

    return e->held != e->wanted && a && b && !burl__same_address(&s->im->is, a, b, 0) &&
           !(LLVMIsAGlobalValue(a) && LLVMIsAGlobalValue(b));
}

/* ---- result ---- */

/* The number of the site that stands for a statement: that of the call, else of its block. */
static uint32_t
site_of(const struct burl__impact *im, LLVMValueRef inst)
{
    uint32_t own = burl_program_site_of(im->is.p, inst);
    unsigned kind =
        LLVMGetMDKindIDInContext(im->is.p->ctx, BURL_IR_MD_BLOCK, strlen(BURL_IR_MD_BLOCK));

    if (own != UINT32_MAX)
        return own;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(inst));
    return end ? burl_ir_site(end, kind) : UINT32_MAX;
}

static uint64_t
module_of(const struct burl__impact *im, LLVMValueRef inst)
{
    return im->is.p->modules.v[burl_program_module_of(im->is.p, inst)].hash;
}

static void
add_site(const struct search *x, const struct burl__order_edge *e)
{
    struct burl__impact *im = x->im;
    LLVMValueRef inst = wanted_by(x, e)->at[0];
    uint64_t hash = module_of(im, inst);
    uint32_t index = site_of(im, inst);
    struct burl_changes_site *s = NULL;

    for (size_t i = im->c->sites.n; i-- > 0 && !s;)
        if (im->c->sites.v[i].module_hash == hash && im->c->sites.v[i].index == index)
            s = &im->c->sites.v[i];
    if (!s) {
        s = BURL_VEC_ADD(&im->c->sites);
        s->module_hash = hash;
        s->index = index;
        s->function = UINT32_MAX;
        burl__history_blocks(im, inst, s);
    }
    s->rules |= e->rules;
    if (!e->rules || s->why)
        return;
    char *held = burl__pointer_name(&im->is, held_by(x, e)->op.lock, "another lock");
    s->why = burl_xasprintf("requested while %s is held: the order of locks changed", held);
    s->function = burl__function_number(im, burl_ir_function(inst));
    free(held);
}

static bool
same_site(const struct found *x, uint32_t i, const struct found *y, uint32_t k)
{
    return x->hash[i] == y->hash[k] && x->index[i] == y->index[k];
}

/* Of two edges: the same pair, whichever comes first; of more: the same first two. */
static bool
is_listed(const struct search *s, const struct found *x)
{
    for (size_t i = 0; i < s->list.n; i++) {
        const struct found *y = &s->list.v[i];
        if (y->n != x->n)
            continue;
        if ((same_site(x, 0, y, 0) && same_site(x, 1, y, 1)) ||
            (x->n == 2 && same_site(x, 0, y, 1) && same_site(x, 1, y, 0)))
            return true;
    }
    return false;
}

static char *
names_of(const struct search *s, uint32_t n)
{
    struct burl_buf b;

    burl_buf_init(&b, 1000);
    for (uint32_t i = 0; i < n; i++) {
        char *name = burl__pointer_name(&s->im->is, held_by(s, s->way[i])->op.lock, "a lock");
        burl_buf_printf(&b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", name);
        free(name);
    }
    return burl_buf_take(&b, NULL);
}

/* The edges of the way; false: they are listed already. */
static bool
add_cycle(struct search *s, uint32_t n)
{
    struct found x = { .n = n };

    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef inst = wanted_by(s, s->way[i])->at[0];
        x.hash[i] = module_of(s->im, inst);
        x.index[i] = site_of(s->im, inst);
        if (x.index[i] == UINT32_MAX)
            return false;
    }
    if (is_listed(s, &x))
        return false;
    x.locks = names_of(s, n);
    BURL_VEC_PUSH(&s->list, x);
    for (uint32_t i = 0; i < n; i++)
        add_site(s, s->way[i]);
    return true;
}

static int
compare_site(const void *a, const void *b)
{
    const struct burl_changes_site *x = a, *y = b;

    if (x->module_hash != y->module_hash)
        return x->module_hash < y->module_hash ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void
emit(struct search *s)
{
    struct burl_changes *c = s->im->c;

    if (c->sites.n > 1)
        qsort(c->sites.v, c->sites.n, sizeof *c->sites.v, compare_site);
    for (size_t i = 0; i < s->list.n; i++) {
        const struct found *x = &s->list.v[i];
        struct burl_changes_cycle *y = BURL_VEC_ADD(&c->cycles);
        y->n = x->n;
        y->locks = x->locks;
        for (uint32_t k = 0; k < x->n; k++)
            y->sites[k] = burl_changes_find(c, x->hash[k], x->index[k]);
    }
}

/* ---- search ---- */

/* Edges with the same sets, kinds, request and impact are one. */
static void
list_edges(struct search *s)
{
    struct burl_map known = { 0 };
    struct burl__orders *o = s->o;

    s->from = burl_xcalloc(o->n_sets + 1, sizeof *s->from);
    for (uint32_t i = 0; i < o->edges.n; i++) {
        const struct burl__order_edge *e = &o->edges.v[i];
        const struct burl__request *a = held_by(s, e), *b = wanted_by(s, e);
        uint64_t key = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)e->wanted << 32 | a->set);
        uint64_t unused;
        key = burl_hash_u64(key, (uint64_t)e->rules << 3 | (uint64_t)(e->held == e->wanted) << 2 |
                                     (uint64_t)is_own_cycle(s, e) << 1 | a->op.shared);
        key = burl_hash_end(key);
        if (!may_differ(s->im, a, b) || burl_map_get(&known, key, &unused))
            continue;
        burl_map_set(&known, key, 1);
        BURL_VEC_PUSH(&s->edges, i);
    }
    burl_map_deinit(&known);
    for (uint32_t set = 0; set < o->n_sets; set++)
        for (size_t i = 0; i < s->edges.n; i++)
            if (o->meets[set * o->n_sets + held_by(s, &o->edges.v[s->edges.v[i]])->set])
                BURL_VEC_PUSH(&s->from[set], s->edges.v[i]);
}

static void
find_twos(struct search *s)
{
    for (size_t i = 0; i < s->edges.n && s->list.n < MAX_CYCLES; i++) {
        const struct burl__order_edge *e = &s->o->edges.v[s->edges.v[i]];
        const struct burl_u32s *next = &s->from[wanted_by(s, e)->set];
        for (size_t k = 0; e->rules && k < next->n && s->list.n < MAX_CYCLES; k++) {
            const struct burl__order_edge *f = &s->o->edges.v[next->v[k]];
            s->way[0] = e;
            s->way[1] = f;
            if (waits_for(s, e, f) && waits_for(s, f, e) && (e != f || is_own_cycle(s, e)) &&
                go_together(s, e, f))
                (void)add_cycle(s, 2);
        }
    }
}

/* Can the edge come after the n edges of the way, without a shorter way to it? */
static bool
fits(struct search *s, uint32_t n, const struct burl__order_edge *f)
{
    if (!waits_for(s, s->way[n - 1], f) || f->held == f->wanted)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (s->way[i] == f || (i + 1 < n && waits_for(s, s->way[i], f)) ||
            (i > 0 && waits_for(s, f, s->way[i])) || !go_together(s, s->way[i], f))
            return false;
    return true;
}

/* Goes on from n edges to a cycle of `length`. */
static bool
close_cycle(struct search *s, uint32_t n, uint32_t length)
{
    const struct burl_u32s *next = &s->from[wanted_by(s, s->way[n - 1])->set];

    for (size_t k = 0; k < next->n && s->n_steps < MAX_STEPS; k++) {
        const struct burl__order_edge *f = &s->o->edges.v[next->v[k]];
        s->n_steps++;
        if (!fits(s, n, f) || waits_for(s, f, s->way[0]) != (n + 1 == length))
            continue;
        s->way[n] = f;
        if (n + 1 == length ? add_cycle(s, length) : close_cycle(s, n + 1, length))
            return true;
    }
    return false;
}

static void
find_longer(struct search *s, uint32_t length)
{
    const size_t most = s->list.n + MAX_LONG;

    for (size_t i = 0; i < s->edges.n; i++) {
        const struct burl__order_edge *e = &s->o->edges.v[s->edges.v[i]];
        const struct burl_u32s *next = &s->from[wanted_by(s, e)->set];
        for (size_t k = 0; e->rules && e->held != e->wanted && k < next->n && s->list.n < most &&
                           s->n_steps < MAX_STEPS;
             k++) {
            s->way[0] = e;
            s->n_steps++;
            s->way[1] = &s->o->edges.v[next->v[k]];
            if (!fits(s, 1, s->way[1]) || waits_for(s, s->way[1], e))
                continue;
            (void)close_cycle(s, 2, length);
        }
    }
    if (s->list.n == most || s->n_steps >= MAX_STEPS)
        BURL_VEC_PUSH(&s->im->c->notes,
                      burl_xasprintf("some cycles of %u locks are left out", length));
}

void
burl__list_cycles(struct burl__impact *im, struct burl__orders *o)
{
    struct search s = { .im = im, .o = o };

    compare_sets(o);
    list_edges(&s);
    find_twos(&s);
    if (s.list.n == MAX_CYCLES)
        BURL_VEC_PUSH(
            &im->c->notes,
            burl_xasprintf("more than %d cycles of locks: the rest is left out", MAX_CYCLES));
    for (uint32_t length = 3; length <= BURL_CHANGES_MAX_CYCLE; length++)
        find_longer(&s, length);
    emit(&s);
    BURL_VEC_PUSH(&im->c->notes, burl_xstrdup("cycles of more than four locks are not looked for"));
}
