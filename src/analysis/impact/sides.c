/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/sides.c - the call graphs of both versions.
 *
 * Runs in burl-analyze. That of the new version is known from points-to. In the base version a
 * direct call calls what it names; an indirect one, and one that a library passes on, what its
 * counterpart calls in the new version.
 */
#include <string.h>

#include "analysis/impact/impact_int.h"

uint32_t
burl__body_ix(const struct burl__side *s, LLVMValueRef fn)
{
    uint32_t ix;

    return fn && burl_valmap_get(&s->fn_ix, fn, &ix) ? ix : UINT32_MAX;
}

uint32_t
burl__first_call(const struct burl__side *s, LLVMValueRef inst)
{
    uint32_t ix;

    return burl_valmap_get(&s->call_ix, inst, &ix) ? ix : UINT32_MAX;
}

static void
add_call(struct burl__side *s, struct burl__call c)
{
    uint32_t ix = (uint32_t)s->calls.n, first;

    for (uint32_t i = burl__first_call(s, c.inst); i != UINT32_MAX; i = s->calls.v[i].next)
        if (s->calls.v[i].callee == c.callee && s->calls.v[i].spawn == c.spawn)
            return;
    c.next = UINT32_MAX;
    if (burl_valmap_get(&s->call_ix, c.inst, &first)) {
        c.next = s->calls.v[first].next;
        s->calls.v[first].next = ix;
    } else {
        burl_valmap_set(&s->call_ix, c.inst, ix);
    }
    BURL_VEC_PUSH(&s->calls, c);
    BURL_VEC_PUSH(&s->fns.v[c.caller].out, ix);
    BURL_VEC_PUSH(&s->fns.v[c.callee].in, ix);
}

static void
add_bodies(struct burl__side *s, const struct burl_program *p)
{
    s->p = p;
    s->rows = burl_xcalloc(1, sizeof *s->rows);
    for (size_t i = 0; i < p->functions.n; i++) {
        BURL_VEC_PUSH(&s->fns, (struct burl__body){ .fn = p->functions.v[i] });
        burl_valmap_set(&s->fn_ix, p->functions.v[i], (uint32_t)i);
    }
}

/* A library function of which it is known what it does with pointers, and that it calls none. */
static bool
is_no_callback(const struct burl__sp *sp, const struct burl__edge *e)
{
    LLVMValueRef f = burl_ir_is_call(e->call) ? burl__callee(sp, e->call) : NULL;

    if (!f || !LLVMIsDeclaration(f) || e->later)
        return false;
    const struct burl_libfn row = burl_program_libfn(sp->p, f);
    return row.lock != BURL_FN_LOCK_NONE || (row.pointers && !strchr(row.pointers, 'k'));
}

static void
make_new(struct burl__impact *im)
{
    struct burl__side *s = &im->is;
    const struct burl__sp *sp = im->sp;

    s->is = true;
    s->names = im->sp;
    add_bodies(s, sp->p);
    burl__members_find(s);
    for (size_t i = 0; i < sp->edges.n; i++) {
        const struct burl__edge *e = &sp->edges.v[i];
        const struct burl_u32s *in =
            burl_ir_is_call(e->call) ? burl__members_called(s, e->call) : NULL;
        if (is_no_callback(sp, e) || (in && !burl_u32s_has(in, e->callee)))
            continue;
        add_call(s, (struct burl__call){ .inst = sp->edges.v[i].call,
                                         .caller = sp->edges.v[i].caller,
                                         .callee = sp->edges.v[i].callee,
                                         .later = sp->edges.v[i].later });
    }
    for (size_t i = 0; i < sp->spawns.n; i++) {
        const struct burl__spawn *w = &sp->spawns.v[i];
        for (size_t k = 0; w->callee == UINT32_MAX && k < w->roots.n; k++)
            add_call(s, (struct burl__call){ .inst = w->call,
                                             .caller = w->fn,
                                             .callee = sp->entries.v[w->roots.v[k]].v[0],
                                             .spawn = true });
    }
}

/* What an argument names is started, kept or called by a library function. */
static void
add_named_arguments(struct burl__side *s, LLVMValueRef inst, uint32_t caller, uint32_t is,
                    bool spawn)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++) {
        LLVMValueRef a = LLVMGetOperand(inst, i);
        uint32_t callee =
            LLVMIsAFunction(a) ? burl__body_ix(s, burl_program_definition(s->p, a)) : UINT32_MAX;
        if (callee != UINT32_MAX)
            add_call(
                s, (struct burl__call){ .inst = inst,
                                        .caller = caller,
                                        .callee = callee,
                                        .spawn = spawn,
                                        .later = (is & (BURL_FN_AT_EXIT | BURL_FN_HANDLER)) != 0 });
    }
}

static void
add_direct(struct burl__side *s, LLVMValueRef inst, uint32_t caller)
{
    LLVMValueRef v = LLVMGetCalledValue(inst);

    if (!v || (!LLVMIsAFunction(v) && !LLVMIsAGlobalAlias(v)))
        return;
    LLVMValueRef f = burl_program_definition(s->p, v);
    uint32_t callee = burl__body_ix(s, f);
    const struct burl_libfn row = burl_program_libfn(s->p, f);
    if (callee != UINT32_MAX)
        add_call(s, (struct burl__call){ .inst = inst, .caller = caller, .callee = callee });
    else if (!(row.is & BURL_FN_INERT) && !burl_ir_begins(burl_ir_name(f), "llvm."))
        add_named_arguments(s, inst, caller, row.is, row.thread == BURL_FN_CREATE);
}

static void
add_by_counterpart(struct burl__impact *im, LLVMValueRef inst, uint32_t caller)
{
    LLVMValueRef v = burl_ir_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
    LLVMValueRef other = burl_diff_counterpart(im->d, inst);

    if (v && LLVMIsAFunction(v) &&
        burl__body_ix(&im->was, burl_program_definition(im->was.p, v)) != UINT32_MAX)
        return;
    for (uint32_t i = other ? burl__first_call(&im->is, other) : UINT32_MAX; i != UINT32_MAX;
         i = im->is.calls.v[i].next) {
        struct burl__call c = im->is.calls.v[i];
        c.inst = inst;
        c.caller = caller;
        c.callee = burl__body_ix(&im->was, burl_diff_counterpart(im->d, im->is.fns.v[c.callee].fn));
        if (c.callee != UINT32_MAX)
            add_call(&im->was, c);
    }
}

static void
make_base(struct burl__impact *im)
{
    struct burl__side *s = &im->was;

    s->names = burl_xcalloc(1, sizeof *s->names);
    s->names->p = im->d->was;
    add_bodies(s, im->d->was);
    burl__members_find(s);
    for (uint32_t f = 0; f < s->fns.n; f++) {
        for (LLVMValueRef i = burl_ir_first(s->fns.v[f].fn); i; i = burl_ir_next(i)) {
            if (burl_ir_is_call(i))
                add_direct(s, i, f);
            if (burl_ir_is_call(i) || LLVMIsAStoreInst(i))
                add_by_counterpart(im, i, f);
        }
    }
}

void
burl__sides_make(struct burl__impact *im)
{
    make_new(im);
    make_base(im);
    burl__find_effects(&im->is);
    burl__find_effects(&im->was);
}

void
burl__reach(const struct burl__side *s, struct burl_u32s *list, bool spawned)
{
    struct burl_valmap seen = { 0 };

    for (size_t i = 0; i < list->n; i++)
        burl_valmap_add(&seen, s->fns.v[list->v[i]].fn);
    for (size_t i = 0; i < list->n; i++) {
        const struct burl__body *f = &s->fns.v[list->v[i]];
        for (size_t k = 0; k < f->out.n; k++) {
            const struct burl__call *c = &s->calls.v[f->out.v[k]];
            if (!c->later && (spawned || !c->spawn) &&
                burl_valmap_add(&seen, s->fns.v[c->callee].fn))
                BURL_VEC_PUSH(list, c->callee);
        }
    }
    burl_valmap_deinit(&seen);
}
