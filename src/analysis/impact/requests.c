/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/requests.c - the statements that request locks, and which locks these may be.
 *
 * Runs in burl-analyze. Which locks is what points-to says. In a wrapper that is the locks of all
 * its callers, so a request is a call of the wrapper, with those locks that lie in what the call is
 * given. Only a function that keeps a lock in effect is a wrapper (ops.c): one that takes a lock
 * and releases it under the same condition has requests of its own.
 */
#include <stdlib.h>

#include "analysis/impact/order.h"

enum { MAX_DEPTH = 4, MAX_PARTS = 4 };

struct parts {
    BURL_VEC_OF(struct burl__request);
};

/* Of a function. */
struct burl__kept {
    bool known;
    bool excludes;           /* not only for reading */
    bool waits;              /* not only by trylock */
    struct burl_u32s leaves; /* locks that it may hold more when it returns, whatever it is given */
};

static bool
has_callers(const struct burl__body *f, const struct burl__side *s)
{
    for (size_t i = 0; i < f->in.n; i++)
        if (!s->calls.v[f->in.v[i]].later && !s->calls.v[f->in.v[i]].spawn)
            return true;
    return false;
}

/* Does the function keep the lock of this statement, so that a call of it is the request? */
static bool
is_kept(const struct burl__side *s, uint32_t fn, LLVMValueRef inst, const struct burl__op *op)
{
    return (op->family & burl__effect_of(s, fn, BURL__OP_TAKE)) != 0 &&
           burl__region_leaves((struct burl__side *)s, inst, true);
}

/* ---- which locks ---- */

static void
unite_pointer(const struct burl__impact *im, LLVMValueRef ptr, struct burl_u32s *to)
{
    uint32_t n = 0;
    const uint32_t *leaves = ptr ? burl_pts_of(im->sp->pts, ptr, &n) : NULL;

    burl_u32s_unite(to, leaves, n);
}

static void
add_objects(const struct burl__impact *im, LLVMValueRef pointer, struct burl_u32s *objects)
{
    uint32_t n = 0;
    const uint32_t *v = burl_ir_is_pointer(pointer) ? burl_pts_of(im->sp->pts, pointer, &n) : NULL;

    for (uint32_t i = 0; i < n; i++)
        BURL_VEC_PUSH(objects, burl_pts_leaf(im->sp->pts, v[i])->object);
}

/* Leaves of memory that an argument points to (`arg` UINT32_MAX: one of them); all of them if there
 * are none. */
static void
keep_given(const struct burl__impact *im, LLVMValueRef call, uint32_t arg, struct burl_u32s *leaves)
{
    struct burl_u32s objects = { 0 }, kept = { 0 };

    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (arg == UINT32_MAX || arg == k)
            add_objects(im, LLVMGetOperand(call, k), &objects);
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

static void find_leaves(struct burl__impact *im, struct burl__orders *o, LLVMValueRef inst,
                        struct burl__kept *out, int depth);

static const struct burl__kept *
kept_by(struct burl__impact *im, struct burl__orders *o, uint32_t fn, int depth)
{
    const struct burl__body *f = &im->is.fns.v[fn];
    struct burl__kept inner = { .known = true };
    struct burl__op op;

    if (o->kept[fn].known || depth >= MAX_DEPTH)
        return &o->kept[fn];
    o->kept[fn].known = true; /* at once: it may call itself */
    for (size_t i = 0; f->takes && i < f->statements.n; i++)
        if (burl__is_lock_statement(&im->is, f->statements.v[i], BURL__OP_TAKE, &op) &&
            burl__region_leaves(&im->is, f->statements.v[i], true))
            find_leaves(im, o, f->statements.v[i], &inner, depth + 1);
    burl_u32s_sort(&inner.leaves);
    o->kept[fn] = inner;
    return &o->kept[fn];
}

/* Which locks a statement may take, and how. */
static void
find_leaves(struct burl__impact *im, struct burl__orders *o, LLVMValueRef inst,
            struct burl__kept *out, int depth)
{
    struct burl__op op = burl__op_of(&im->is, inst);

    if (op.kind == BURL__OP_TAKE || op.kind == BURL__OP_TRY) {
        out->excludes |= !op.shared;
        out->waits |= op.kind == BURL__OP_TAKE;
        unite_pointer(im, op.lock, &out->leaves);
        for (unsigned k = 0; !op.lock && burl_ir_is_call(inst) && k < LLVMGetNumArgOperands(inst);
             k++)
            unite_pointer(im, LLVMGetOperand(inst, k), &out->leaves);
        return;
    }
    for (uint32_t c = burl__first_call(&im->is, inst); c != UINT32_MAX;
         c = im->is.calls.v[c].next) {
        struct burl_u32s inner = { 0 };
        const struct burl__kept *kept = kept_by(im, o, im->is.calls.v[c].callee, depth);
        out->excludes |= kept->excludes;
        out->waits |= kept->waits;
        burl_u32s_unite(&inner, kept->leaves.v, kept->leaves.n);
        keep_given(im, inst, UINT32_MAX, &inner);
        burl_u32s_unite(&out->leaves, inner.v, inner.n);
        BURL_VEC_FREE(&inner);
    }
}

/* The parameter that a pointer is, or leads through members; UINT32_MAX none. */
static uint32_t
parameter_of(LLVMValueRef pointer)
{
    while (pointer && burl_ir_is_gep(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer && LLVMIsAArgument(pointer) ? burl_ir_param_index(pointer) : UINT32_MAX;
}

/* From the innermost statement out: what its lock is called, and which locks it may be. */
static void
find_locks(struct burl__impact *im, struct burl__orders *o, struct burl__request *r)
{
    struct burl__kept k = { 0 };
    LLVMValueRef inner = r->at[r->n_at - 1];

    (void)burl__is_lock_statement(o->s, inner, BURL__OP_TAKE, &r->op);
    if (o->s->is)
        find_leaves(im, o, inner, &k, 0);
    if (o->s->is && burl__op_of(o->s, inner).kind == BURL__OP_NONE && k.leaves.n > 0) {
        r->op.shared = !k.excludes;
        r->op.kind = k.waits ? BURL__OP_TAKE : BURL__OP_TRY;
    }
    for (uint32_t i = r->n_at - 1; i-- > 0;) {
        uint32_t arg = r->op.lock ? parameter_of(r->op.lock) : UINT32_MAX;
        bool given = arg < LLVMGetNumArgOperands(r->at[i]);
        if (o->s->is)
            keep_given(im, r->at[i], given ? arg : UINT32_MAX, &k.leaves);
        if (given)
            r->op.lock = LLVMGetOperand(r->at[i], arg);
    }
    burl_u32s_sort(&k.leaves);
    r->leaves = k.leaves;
}

/* ---- statements ---- */

static void
add_request(struct burl__impact *im, struct burl__orders *o, uint32_t fn, struct burl__request r)
{
    uint32_t first = (uint32_t)o->requests.n;

    find_locks(im, o, &r);
    (void)burl_valmap_find_or_add(&o->first_of, r.at[0], &first);
    BURL_VEC_PUSH(&o->of_fn[fn], (uint32_t)o->requests.n);
    BURL_VEC_PUSH(&o->requests, r);
}

/* The function of the program that a call is a wrapper of; UINT32_MAX: it takes the lock itself, or
 * in a library, which knows of no order. */
static uint32_t
wrapper_at(const struct burl__side *s, LLVMValueRef inst)
{
    LLVMValueRef v = burl_ir_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;

    if (burl__op_of(s, inst).kind != BURL__OP_NONE || !v ||
        (!LLVMIsAFunction(v) && !LLVMIsAGlobalAlias(v)))
        return UINT32_MAX;
    v = burl_program_definition(s->p, v);
    return burl_libfn_is_cxx(burl_ir_name(v)) ? UINT32_MAX : burl__body_ix(s, v);
}

/* The requests of a statement: one, or those that the function keeps which it calls. */
static void
list_parts(const struct burl__orders *o, struct burl__request r, struct parts *out)
{
    const uint32_t callee = wrapper_at(o->s, r.at[r.n_at - 1]);
    const size_t before = out->n;

    for (size_t n = 0; callee != UINT32_MAX && r.n_at < BURL__MAX_WRAPS && out->n <= MAX_PARTS &&
                       n < o->s->fns.v[callee].statements.n;
         n++) {
        struct burl__request inner = r;
        struct burl__op op;
        LLVMValueRef i = o->s->fns.v[callee].statements.v[n];
        if (!burl__is_lock_statement(o->s, i, BURL__OP_TAKE, &op) || !is_kept(o->s, callee, i, &op))
            continue;
        inner.at[inner.n_at++] = i;
        list_parts(o, inner, out);
    }
    if (out->n == before)
        BURL_VEC_PUSH(out, r);
}

/* Many parts are ways to one lock rather than many locks. */
static void
add_requests(struct burl__impact *im, struct burl__orders *o, uint32_t fn, LLVMValueRef inst)
{
    struct burl__request whole = { .at = { inst }, .n_at = 1 };
    struct parts parts = { 0 };

    list_parts(o, whole, &parts);
    if (parts.n > MAX_PARTS)
        add_request(im, o, fn, whole);
    for (size_t i = 0; parts.n <= MAX_PARTS && i < parts.n; i++)
        add_request(im, o, fn, parts.v[i]);
    BURL_VEC_FREE(&parts);
}

void
burl__find_requests(struct burl__impact *im, struct burl__orders *o)
{
    o->of_fn = burl_xcalloc(o->s->fns.n + 1, sizeof *o->of_fn);
    o->kept = burl_xcalloc(o->s->fns.n + 1, sizeof *o->kept);
    for (uint32_t f = 0; f < o->s->fns.n; f++) {
        const struct burl__body *body = &o->s->fns.v[f];
        const bool called = has_callers(body, o->s);
        /* A library has its own orders: std::lock() takes any number of locks without one. */
        if (burl_libfn_is_cxx(burl_ir_name(body->fn)))
            continue;
        for (size_t n = 0; n < body->statements.n; n++) {
            struct burl__op op;
            LLVMValueRef i = body->statements.v[n];
            if (burl__is_lock_statement(o->s, i, BURL__OP_TAKE, &op) &&
                !(op.family & BURL__GUARD) && !(called && is_kept(o->s, f, i, &op)))
                add_requests(im, o, f, i);
        }
    }
}
