/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/slice.c - rule SLICE: what depends on a change, as data or because a changed
 * condition decides whether it is executed.
 *
 * Runs in burl-analyze, on the new version. Along uses of values, through arguments into callees,
 * through results to callers, through memory, and over branches. Memory that threads share is
 * passed through once: a changed flag decides whether the code that reads it takes a lock. What
 * that code stores for other threads ends the slice, otherwise one changed value would impact
 * everything.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

struct item {
    LLVMValueRef v;
    uint32_t cause;
};

struct burl__slice {
    BURL_VEC(struct item) todo;
    struct burl_valmap values, blocks, bodies, statements;
    BURL_VEC(struct item) later; /* readers of shared memory, for the second round */
    bool is_second;
    BURL_VEC(LLVMValueRef) readers; /* of memory */
    struct burl_u32s *by_leaf;      /* readers of a leaf; NULL not made yet */
    BURL_VEC(LLVMValueRef) gates;   /* atomic operations whose result is used */
    struct burl_u32s *gates_of;     /* of a leaf, as by_leaf */
    struct burl_valmap open;        /* gates that were looked at */
};

enum { MAX_LEAVES = 256 };

void
burl__slice_begin(struct burl__impact *im)
{
    im->slice = burl_xcalloc(1, sizeof *im->slice);
}

void
burl__slice_value(struct burl__impact *im, LLVMValueRef v, uint32_t cause)
{
    if (burl_valmap_add(&im->slice->values, v))
        BURL_VEC_PUSH(&im->slice->todo, (struct item){ v, cause });
}

bool
burl__slice_has_call(const struct burl__impact *im, LLVMValueRef call)
{
    return burl_valmap_has(&im->slice->statements, call);
}

bool
burl__slice_has_body(const struct burl__impact *im, LLVMValueRef fn)
{
    return burl_valmap_has(&im->slice->bodies, fn);
}

/* ---- memory ---- */

static bool
is_private(const struct burl__impact *im, uint32_t leaf)
{
    return !im->sp->shared[burl_pts_leaf(im->sp->pts, leaf)->object];
}

static void
add_reader(struct burl__impact *im, LLVMValueRef inst, LLVMValueRef pointer)
{
    struct burl__slice *s = im->slice;
    uint32_t n;
    const uint32_t *leaves = burl_pts_of(im->sp->pts, pointer, &n);
    bool added = false;

    for (uint32_t i = 0; i < n && n <= MAX_LEAVES; i++) {
        if (!added)
            BURL_VEC_PUSH(&s->readers, inst);
        added = true;
        BURL_VEC_PUSH(&s->by_leaf[leaves[i]], (uint32_t)s->readers.n - 1);
    }
}

static bool
is_gate(LLVMValueRef i)
{
    return (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) && LLVMGetFirstUse(i) &&
           burl__is_acquire(burl__order_of(i));
}

/* A count of permits, a lock made by hand: another value lets more threads through. */
void
burl__slice_permits(struct burl__impact *im, LLVMValueRef inst, uint32_t cause)
{
    struct burl__region r = { 0 };

    if (!is_gate(inst) || !burl_valmap_add(&im->slice->open, inst))
        return;
    burl__region_open(&im->is, inst, true, true, &r);
    burl__mark_region(im, &im->is, &r, cause);
    burl__region_deinit(&r);
}

static void
add_gate(struct burl__impact *im, LLVMValueRef inst)
{
    struct burl__slice *s = im->slice;
    uint32_t n;
    const uint32_t *leaves = burl_pts_of(im->sp->pts, LLVMGetOperand(inst, 0), &n);

    BURL_VEC_PUSH(&s->gates, inst);
    for (uint32_t i = 0; i < n && n <= MAX_LEAVES; i++)
        BURL_VEC_PUSH(&s->gates_of[leaves[i]], (uint32_t)s->gates.n - 1);
}

static bool
is_library_call(const struct burl__impact *im, LLVMValueRef inst)
{
    return burl_ir_is_call(inst) && burl__first_call(&im->is, inst) == UINT32_MAX;
}

static void
index_readers(struct burl__impact *im)
{
    struct burl_pts_stats st;

    burl_pts_stats(im->sp->pts, &st);
    im->slice->by_leaf = burl_xcalloc((size_t)st.n_leaves + 1, sizeof *im->slice->by_leaf);
    im->slice->gates_of = burl_xcalloc((size_t)st.n_leaves + 1, sizeof *im->slice->gates_of);
    for (size_t f = 0; f < im->is.fns.n; f++) {
        for (LLVMValueRef i = burl_ir_first(im->is.fns.v[f].fn); i; i = burl_ir_next(i)) {
            if (is_gate(i))
                add_gate(im, i);
            if (LLVMIsALoadInst(i))
                add_reader(im, i, LLVMGetOperand(i, 0));
            for (unsigned k = 0; is_library_call(im, i) && k < LLVMGetNumArgOperands(i); k++)
                if (burl_ir_is_pointer(LLVMGetOperand(i, k)))
                    add_reader(im, i, LLVMGetOperand(i, k));
        }
    }
}

void
burl__slice_stored(struct burl__impact *im, LLVMValueRef pointer, uint32_t cause)
{
    uint32_t n = 0;
    const uint32_t *leaves = burl_pts_of(im->sp->pts, pointer, &n);

    for (uint32_t i = 0; i < n && n <= MAX_LEAVES; i++) {
        const bool private = is_private(im, leaves[i]);

        if (!im->slice->by_leaf)
            index_readers(im);
        const struct burl_u32s *g = &im->slice->gates_of[leaves[i]];
        for (size_t k = 0; k < g->n; k++)
            if (!burl__is_hand_lock(&im->is, im->slice->gates.v[g->v[k]]))
                burl__slice_permits(im, im->slice->gates.v[g->v[k]], cause);
        if (!private && im->slice->is_second)
            continue;
        const struct burl_u32s *l = &im->slice->by_leaf[leaves[i]];
        for (size_t k = 0; k < l->n; k++) {
            LLVMValueRef reader = im->slice->readers.v[l->v[k]];

            if (!private) {
                BURL_VEC_PUSH(&im->slice->later, (struct item){ reader, cause });
                continue;
            }
            burl__mark(im, reader, cause);
            burl__slice_value(im, reader, cause);
        }
    }
}

/* What a library function may write for its caller. */
static void
library_stores(struct burl__impact *im, LLVMValueRef call, uint32_t cause)
{
    /* Locks and guards are no values. */
    if (burl__op_of(&im->is, call).kind != BURL__OP_NONE)
        return;
    for (unsigned k = 0; is_library_call(im, call) && k < LLVMGetNumArgOperands(call); k++)
        if (burl_ir_is_pointer(LLVMGetOperand(call, k)) &&
            !burl__is_marker(burl_ir_callee(call) ? burl_ir_name(burl_ir_callee(call)) : ""))
            burl__slice_stored(im, LLVMGetOperand(call, k), cause);
}

/* A library function reads memory that differs: its result, and what it writes. */
void
burl__slice_used(struct burl__impact *im, LLVMValueRef call, uint32_t cause)
{
    if (!is_library_call(im, call))
        return;
    burl__slice_value(im, call, cause);
    library_stores(im, call, cause);
}

/* ---- conditions ---- */

/* All that a call executes. */
void
burl__slice_called(struct burl__impact *im, LLVMValueRef call, uint32_t cause)
{
    struct burl_u32s fns = { 0 };

    for (uint32_t i = burl__first_call(&im->is, call); i != UINT32_MAX; i = im->is.calls.v[i].next)
        if (!im->is.calls.v[i].later && !im->is.calls.v[i].spawn)
            BURL_VEC_PUSH(&fns, im->is.calls.v[i].callee);
    for (size_t i = 0; i < fns.n; i++)
        burl__way_to_function(im, im->is.fns.v[fns.v[i]].fn, LLVMGetInstructionParent(call), true);
    while (fns.n > 0) {
        const struct burl__body *f = &im->is.fns.v[fns.v[--fns.n]];
        if (!burl_valmap_add(&im->slice->bodies, f->fn))
            continue;
        burl__mark_function(im, &im->is, burl__body_ix(&im->is, f->fn), cause);
        for (size_t k = 0; k < f->out.n; k++) {
            const struct burl__call *c = &im->is.calls.v[f->out.v[k]];
            if (c->later || c->spawn)
                continue;
            burl__way_to_function(im, im->is.fns.v[c->callee].fn, LLVMGetInstructionParent(c->inst),
                                  false);
            BURL_VEC_PUSH(&fns, c->callee);
        }
    }
    BURL_VEC_FREE(&fns);
}

static void
touch_block(struct burl__impact *im, LLVMBasicBlockRef b, uint32_t cause)
{
    if (!b || !burl_valmap_add(&im->slice->blocks, b))
        return;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        burl__mark(im, i, cause);
        burl__slice_value(im, i, cause);
        if (LLVMIsAStoreInst(i))
            burl__slice_stored(im, LLVMGetOperand(i, 1), cause);
        if (!burl_ir_is_call(i))
            continue;
        burl__slice_called(im, i, cause);
        library_stores(im, i, cause);
        if (burl_valmap_add(&im->slice->statements, i))
            burl__apply_dependent(im, i, cause);
    }
}

/* A value that is chosen by the way control came. */
static void
touch_phis(struct burl__impact *im, LLVMBasicBlockRef from, uint32_t cause)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);

    for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(end, k));
             i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            burl__slice_value(im, i, cause);
}

void
burl__slice_control(struct burl__impact *im, struct burl__side *s, LLVMValueRef end, uint32_t cause)
{
    LLVMBasicBlockRef at = LLVMGetInstructionParent(end);
    struct burl__cfg *g = burl__cfg_of(s, burl__body_ix(s, burl_ir_function(end)));
    struct burl_u32s list = { 0 };
    uint32_t ix;

    if (!burl_valmap_get(&g->ix, at, &ix))
        return;
    burl__controlled(g, ix, &list);
    for (size_t i = 0; i < list.n; i++) {
        LLVMBasicBlockRef b = g->blocks[list.v[i]];
        LLVMBasicBlockRef now = s->is ? b : burl_diff_block(im->d, b);
        if (now && b != at)
            burl__way_to_block(im, now, at, !s->is);
        touch_block(im, now, cause);
        if (s->is)
            touch_phis(im, b, cause);
    }
    if (s->is && list.n > 0)
        touch_phis(im, at, cause);
    BURL_VEC_FREE(&list);
}

/* ---- uses ---- */

static void
use_in_call(struct burl__impact *im, LLVMValueRef call, LLVMValueRef v, uint32_t cause)
{
    unsigned n_args = LLVMGetNumArgOperands(call);

    burl__mark(im, call, cause);
    if (LLVMGetCalledValue(call) == v)
        burl__slice_called(im, call, cause);
    for (uint32_t i = burl__first_call(&im->is, call); i != UINT32_MAX;
         i = im->is.calls.v[i].next) {
        const struct burl__call *c = &im->is.calls.v[i];
        LLVMValueRef f = im->is.fns.v[c->callee].fn;
        bool direct = LLVMGetNumArgOperands(call) >= LLVMCountParams(f) && !c->spawn && !c->later;
        for (unsigned k = 0; k < LLVMCountParams(f); k++)
            if (direct ? LLVMGetOperand(call, k) == v : c->spawn)
                burl__slice_value(im, LLVMGetParam(f, k), cause);
    }
    if (is_library_call(im, call)) {
        burl__slice_value(im, call, cause);
        library_stores(im, call, cause);
    }
    for (unsigned k = 0; k < n_args; k++)
        if (LLVMGetOperand(call, k) == v && burl_ir_is_pointer(v) &&
            burl_valmap_add(&im->slice->statements, call))
            burl__apply_dependent(im, call, cause);
}

static void
use_returned(struct burl__impact *im, LLVMValueRef ret, uint32_t cause)
{
    uint32_t fn = burl__body_ix(&im->is, burl_ir_function(ret));

    for (size_t i = 0; fn != UINT32_MAX && i < im->is.fns.v[fn].in.n; i++) {
        const struct burl__call *c = &im->is.calls.v[im->is.fns.v[fn].in.v[i]];
        if (!c->later && !c->spawn)
            burl__slice_value(im, c->inst, cause);
    }
}

static void
use_value(struct burl__impact *im, LLVMValueRef user, LLVMValueRef v, uint32_t cause)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMStore:
        burl__mark(im, user, cause);
        burl__slice_stored(im, LLVMGetOperand(user, 1), cause);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        burl__slice_stored(im, LLVMGetOperand(user, 0), cause);
        burl__mark(im, user, cause);
        burl__slice_value(im, user, cause);
        break;
    case LLVMCall:
    case LLVMInvoke:
        use_in_call(im, user, v, cause);
        break;
    case LLVMRet:
        use_returned(im, user, cause);
        break;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
        burl__slice_control(im, &im->is, user, cause);
        break;
    default:
        burl__mark(im, user, cause);
        burl__slice_value(im, user, cause);
    }
}

static void
run_round(struct burl__impact *im)
{
    while (im->slice->todo.n > 0) {
        struct item it = im->slice->todo.v[--im->slice->todo.n];
        if (LLVMIsAInstruction(it.v) && LLVMIsAReturnInst(it.v))
            use_returned(im, it.v, it.cause);
        for (LLVMUseRef u = LLVMGetFirstUse(it.v); u; u = LLVMGetNextUse(u))
            if (LLVMIsAInstruction(LLVMGetUser(u)))
                use_value(im, LLVMGetUser(u), it.v, it.cause);
    }
}

void
burl__slice_run(struct burl__impact *im)
{
    struct burl__slice *s = im->slice;

    run_round(im);
    s->is_second = true;
    for (size_t i = 0; i < s->later.n; i++)
        burl__slice_value(im, s->later.v[i].v, s->later.v[i].cause);
    run_round(im);
}
