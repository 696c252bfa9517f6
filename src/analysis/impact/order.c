/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/order.c - lock orders that a change may have turned into a deadlock.
 *
 * Runs in burl-analyze. An edge is a statement that requests a lock while another statement's lock
 * may be held (region.c). An edge is impacted if one of the two statements or the call between them
 * changed or depends on a change (another lock is passed), or if the base version has no such edge.
 * Two edges with the locks the other way round, in two threads, at least one of them impacted, are
 * a cycle. Which locks they are is what points-to says. A lock that both threads hold around (a
 * gate) is not looked for here: when the tests run, the detector sees it.
 *
 * A statement is the outermost call that has the effect: the constructor of a guard, not the call
 * in the library that it makes, else all guards would be one.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"
#include "base/hash.h"

enum { MAX_DEPTH = 4, MAX_CYCLES = 1000, MAX_EDGES = 1000000, MAX_PAIRS = 200000000 };

struct stmt {
    LLVMValueRef inst;
    struct burl__op op;
    struct burl_u32s leaves; /* of the new version only */
    uint32_t set;            /* statements with the same leaves have the same number */
};

struct edge {
    uint32_t held, wanted; /* statements */
    bool impacted;         /* at first: a call that leads to `wanted` changed */
};

struct orders {
    struct burl__side *s;
    BURL_VEC(struct stmt) stmts;
    struct burl_valmap stmt_ix;
    struct burl_u32s *of_fn; /* statements of a function */
    struct burl_u32s *kept;  /* locks that a function keeps, by kept_by() */
    bool *kept_known;
    struct burl_u32s *below; /* with those of all that it calls */
    BURL_VEC(struct edge) edges;
    struct burl_map known; /* pairs of statements, for the base version */
    uint32_t n_sets;
    bool *meets; /* n_sets * n_sets: have they a leaf in common? */
};

/* ---- statements ---- */

static bool
has_callers(const struct burl__body *f, const struct burl__side *s)
{
    for (size_t i = 0; i < f->in.n; i++)
        if (!s->calls.v[f->in.v[i]].later && !s->calls.v[f->in.v[i]].spawn)
            return true;
    return false;
}

static void
unite_pointer(const struct burl__impact *im, LLVMValueRef ptr, struct burl_u32s *to)
{
    uint32_t n = 0;
    const uint32_t *leaves = ptr ? burl_pts_of(im->sp->pts, ptr, &n) : NULL;

    burl_u32s_unite(to, leaves, n);
}

/* Leaves of memory that one of the arguments points to; all of them if there are none. */
static void
keep_given(const struct burl__impact *im, LLVMValueRef call, struct burl_u32s *leaves)
{
    struct burl_u32s objects = { 0 }, kept = { 0 };

    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        uint32_t n = 0;
        LLVMValueRef a = LLVMGetOperand(call, k);
        const uint32_t *v = burl_ir_is_pointer(a) ? burl_pts_of(im->sp->pts, a, &n) : NULL;
        for (uint32_t i = 0; i < n; i++)
            BURL_VEC_PUSH(&objects, burl_pts_leaf(im->sp->pts, v[i])->object);
    }
    burl_u32s_sort(&objects);
    for (size_t i = 0; i < leaves->n; i++)
        if (burl_u32s_has(&objects, burl_pts_leaf(im->sp->pts, leaves->v[i])->object))
            BURL_VEC_PUSH(&kept, leaves->v[i]);
    if (kept.n > 0) {
        BURL_VEC_FREE(leaves);
        *leaves = kept;
    }
    BURL_VEC_FREE(&objects);
}

static void find_leaves(struct burl__impact *im, struct orders *o, LLVMValueRef inst,
                        struct burl_u32s *out, int depth);

/* Locks that a function may hold more when it returns, whatever it is given. */
static const struct burl_u32s *
kept_by(struct burl__impact *im, struct orders *o, uint32_t fn, int depth)
{
    const struct burl__body *f = &im->is.fns.v[fn];
    struct burl_u32s inner = { 0 };
    struct burl__op op;

    if (o->kept_known[fn] || depth >= MAX_DEPTH)
        return &o->kept[fn];
    o->kept_known[fn] = true; /* at once: it may call itself */
    for (size_t i = 0; f->takes && i < f->statements.n; i++)
        if (burl__is_lock_statement(&im->is, f->statements.v[i], BURL__OP_TAKE, &op) &&
            burl__region_leaves(&im->is, f->statements.v[i], true))
            find_leaves(im, o, f->statements.v[i], &inner, depth + 1);
    burl_u32s_sort(&inner);
    o->kept[fn] = inner;
    return &o->kept[fn];
}

/* Which locks a statement may take. */
static void
find_leaves(struct burl__impact *im, struct orders *o, LLVMValueRef inst, struct burl_u32s *out,
            int depth)
{
    struct burl__op op = burl__op_of(&im->is, inst);

    if (op.kind == BURL__OP_TAKE || op.kind == BURL__OP_TRY) {
        unite_pointer(im, op.lock, out);
        for (unsigned k = 0; !op.lock && burl_ir_is_call(inst) && k < LLVMGetNumArgOperands(inst);
             k++)
            unite_pointer(im, LLVMGetOperand(inst, k), out);
        return;
    }
    for (uint32_t c = burl__first_call(&im->is, inst); c != UINT32_MAX;
         c = im->is.calls.v[c].next) {
        struct burl_u32s inner = { 0 };
        const struct burl_u32s *kept = kept_by(im, o, im->is.calls.v[c].callee, depth);
        burl_u32s_unite(&inner, kept->v, kept->n);
        keep_given(im, inst, &inner);
        burl_u32s_unite(out, inner.v, inner.n);
        BURL_VEC_FREE(&inner);
    }
}

static void
find_statements(struct burl__impact *im, struct orders *o)
{
    o->of_fn = burl_xcalloc(o->s->fns.n + 1, sizeof *o->of_fn);
    o->kept = burl_xcalloc(o->s->fns.n + 1, sizeof *o->kept);
    o->kept_known = burl_xcalloc(o->s->fns.n + 1, sizeof *o->kept_known);
    for (uint32_t f = 0; f < o->s->fns.n; f++) {
        const struct burl__body *body = &o->s->fns.v[f];
        for (size_t n = 0; n < body->statements.n; n++) {
            LLVMValueRef i = body->statements.v[n];
            struct stmt x = { .inst = i };
            if (!burl__is_lock_statement(o->s, i, BURL__OP_TAKE, &x.op) ||
                (x.op.family & BURL__GUARD) ||
                ((x.op.family & body->takes) && has_callers(body, o->s) &&
                 burl__region_leaves(o->s, i, true)))
                continue;
            if (o->s->is)
                find_leaves(im, o, i, &x.leaves, 0);
            burl_u32s_sort(&x.leaves);
            burl_valmap_set(&o->stmt_ix, i, (uint32_t)o->stmts.n);
            BURL_VEC_PUSH(&o->of_fn[f], (uint32_t)o->stmts.n);
            BURL_VEC_PUSH(&o->stmts, x);
        }
    }
}

/* ---- edges ---- */

static uint64_t
pair_key(LLVMValueRef a, LLVMValueRef b)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)(uintptr_t)a);

    return burl_hash_end(burl_hash_u64(h, (uint64_t)(uintptr_t)b));
}

static void
add_edge(struct orders *o, uint32_t held, uint32_t wanted, bool changed)
{
    uint64_t key = pair_key(o->stmts.v[held].inst, o->stmts.v[wanted].inst), unused;

    if (held == wanted || o->stmts.v[wanted].op.kind == BURL__OP_TRY ||
        (burl_map_get(&o->known, key, &unused) && !changed))
        return;
    burl_map_set(&o->known, key, 1);
    BURL_VEC_PUSH(&o->edges, (struct edge){ .held = held, .wanted = wanted, .impacted = changed });
}

/* Statements in a function and in all that it calls. */
static void
find_below(struct orders *o)
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

/* All that is requested in a region; *met: statements and functions that were looked at. */
static void
add_wanted(struct burl__impact *im, struct orders *o, uint32_t held, LLVMValueRef inst,
           struct burl_valmap *met)
{
    bool changed = o->s->is && burl__is_changed(im, o->s, inst);
    uint32_t b;

    if (burl_valmap_get(&o->stmt_ix, inst, &b))
        add_edge(o, held, b, false);
    for (uint32_t c = burl__first_call(o->s, inst); c != UINT32_MAX; c = o->s->calls.v[c].next) {
        const struct burl__call *x = &o->s->calls.v[c];
        const struct burl_u32s *l = &o->below[x->callee];
        if (x->later || x->spawn || (!burl_valmap_add(met, o->s->fns.v[x->callee].fn) && !changed))
            continue;
        for (size_t k = 0; k < l->n; k++)
            if (burl_valmap_add(met, o->stmts.v[l->v[k]].inst) || changed)
                add_edge(o, held, l->v[k], changed);
    }
}

static void
find_edges(struct burl__impact *im, struct orders *o)
{
    find_below(o);
    for (uint32_t a = 0; a < o->stmts.n && o->edges.n < MAX_EDGES; a++) {
        struct burl__region r = { 0 };
        struct burl_valmap met = { 0 };
        (void)burl__region_walk(o->s, o->stmts.v[a].inst, true, &r);
        for (size_t i = 0; i < r.insts.n; i++)
            add_wanted(im, o, a, r.insts.v[i], &met);
        burl_valmap_deinit(&met);
        burl__region_deinit(&r);
    }
}

static void
find_impacted(struct burl__impact *im, struct orders *is, const struct orders *was)
{
    for (size_t i = 0; i < is->edges.n; i++) {
        struct edge *e = &is->edges.v[i];
        LLVMValueRef a = is->stmts.v[e->held].inst, b = is->stmts.v[e->wanted].inst;
        LLVMValueRef x = burl_diff_counterpart(im->d, a), y = burl_diff_counterpart(im->d, b);
        uint64_t unused;
        e->impacted |= !x || !y || burl__is_changed(im, &im->is, a) ||
                       burl__is_changed(im, &im->is, b) || burl__slice_has_call(im, a) ||
                       burl__slice_has_call(im, b) ||
                       !burl_map_get(&was->known, pair_key(x, y), &unused);
    }
}

/* ---- cycles ---- */

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

/* There are many statements and few sets. */
static void
compare_sets(struct orders *o)
{
    struct burl_u32s first = { 0 }; /* statement of each set */

    for (uint32_t i = 0; i < o->stmts.n; i++) {
        struct stmt *x = &o->stmts.v[i];
        for (x->set = 0; x->set < first.n; x->set++) {
            const struct burl_u32s *l = &o->stmts.v[first.v[x->set]].leaves;
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
                meet(&o->stmts.v[first.v[i]].leaves, &o->stmts.v[first.v[k]].leaves);
    BURL_VEC_FREE(&first);
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

/* May the two be different locks at all? */
static bool
may_differ(const struct burl__impact *im, const struct stmt *a, const struct stmt *b)
{
    if (a->leaves.n != 1 || b->leaves.n != 1 || a->leaves.v[0] != b->leaves.v[0])
        return true;
    const struct burl_pts_leaf *l = burl_pts_leaf(im->sp->pts, a->leaves.v[0]);
    return l->array || burl_pts_object(im->sp->pts, l->object)->kind != BURL_PTS_GLOBAL;
}

static bool
is_cycle(const struct burl__impact *im, const struct orders *o, const struct edge *e,
         const struct edge *f)
{
    const struct stmt *a = &o->stmts.v[e->held], *b = &o->stmts.v[e->wanted];
    const struct stmt *c = &o->stmts.v[f->held], *d = &o->stmts.v[f->wanted];

    if (!o->meets[a->set * o->n_sets + d->set] || !o->meets[b->set * o->n_sets + c->set] ||
        (a->op.shared && d->op.shared) || (b->op.shared && c->op.shared) || !may_differ(im, a, b) ||
        !may_differ(im, c, d))
        return false;
    if (e == f &&
        (!a->op.lock || !b->op.lock || burl__same_address(&im->is, a->op.lock, b->op.lock, 0)))
        return false;
    return in_parallel(im, b->inst, d->inst);
}

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

static void
add_site(struct burl__impact *im, const struct orders *o, const struct edge *e)
{
    LLVMValueRef inst = o->stmts.v[e->wanted].inst;
    uint64_t hash = im->is.p->modules.v[burl_program_module_of(im->is.p, inst)].hash;
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
    if (!e->impacted || (s->rules & BURL_RULE_REGION))
        return;
    s->rules |= BURL_RULE_REGION;
    if (s->why)
        return;
    char *held = burl__pointer_name(&im->is, o->stmts.v[e->held].op.lock, "another lock");
    s->why = burl_xasprintf("requested while %s is held: the order of locks changed", held);
    s->function = burl__function_number(im, burl_ir_function(inst));
    free(held);
}

struct found {
    uint64_t hash[2];
    uint32_t index[2];
    char *locks;
};

struct cycles {
    BURL_VEC_OF(struct found);
};

static void
add_cycle(struct burl__impact *im, const struct orders *o, const struct edge *e,
          const struct edge *f, struct cycles *out)
{
    LLVMValueRef inst[2] = { o->stmts.v[e->wanted].inst, o->stmts.v[f->wanted].inst };
    struct found x;

    for (int i = 0; i < 2; i++) {
        x.hash[i] = im->is.p->modules.v[burl_program_module_of(im->is.p, inst[i])].hash;
        x.index[i] = site_of(im, inst[i]);
        if (x.index[i] == UINT32_MAX)
            return;
    }
    for (size_t i = 0; i < out->n; i++) {
        const struct found *y = &out->v[i];
        for (int k = 0; k < 2; k++)
            if (y->hash[0] == x.hash[k] && y->index[0] == x.index[k] &&
                y->hash[1] == x.hash[1 - k] && y->index[1] == x.index[1 - k])
                return;
    }
    char *a = burl__pointer_name(&im->is, o->stmts.v[e->held].op.lock, "a lock");
    char *b = burl__pointer_name(&im->is, o->stmts.v[e->wanted].op.lock, "a lock");
    x.locks = burl_xasprintf("%s and %s", a, b);
    free(a);
    free(b);
    BURL_VEC_PUSH(out, x);
    add_site(im, o, e);
    add_site(im, o, f);
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
find_pairs(struct burl__impact *im, const struct orders *o)
{
    struct cycles list = { 0 };

    for (size_t i = 0; i < o->edges.n && list.n < MAX_CYCLES; i++)
        for (size_t k = 0; o->edges.v[i].impacted && k < o->edges.n && list.n < MAX_CYCLES; k++)
            if (is_cycle(im, o, &o->edges.v[i], &o->edges.v[k]))
                add_cycle(im, o, &o->edges.v[i], &o->edges.v[k], &list);
    if (list.n == MAX_CYCLES)
        BURL_VEC_PUSH(
            &im->c->notes,
            burl_xasprintf("more than %d cycles of locks: the rest is left out", MAX_CYCLES));
    if (im->c->sites.n > 1)
        qsort(im->c->sites.v, im->c->sites.n, sizeof *im->c->sites.v, compare_site);
    for (size_t i = 0; i < list.n; i++)
        BURL_VEC_PUSH(&im->c->cycles,
                      (struct burl_changes_cycle){
                          burl_changes_find(im->c, list.v[i].hash[0], list.v[i].index[0]),
                          burl_changes_find(im->c, list.v[i].hash[1], list.v[i].index[1]),
                          list.v[i].locks });
    BURL_VEC_FREE(&list);
}

void
burl__find_cycles(struct burl__impact *im)
{
    struct orders is = { .s = &im->is }, was = { .s = &im->was };

    if (im->list_is.n == 0 && im->list_was.n == 0)
        return;
    find_statements(im, &is);
    if (is.stmts.n == 0)
        return;
    find_edges(im, &is);
    if (is.edges.n == 0)
        return;
    find_statements(im, &was);
    find_edges(im, &was);
    find_impacted(im, &is, &was);
    compare_sets(&is);
    find_pairs(im, &is);
    BURL_VEC_PUSH(&im->c->notes, burl_xstrdup("cycles of more than two locks are not looked for"));
}
