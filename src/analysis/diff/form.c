/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/form.c - the form that functions are compared in. Runs in burl-analyze.
 *
 * From -O1 on clang marks where locals begin and end to live. Leaving a scope then goes through a
 * block that has nothing but these marks and a switch on the number of the exit, which is a phi of
 * constants. Here such blocks, and all that only jump on, are left out: an edge leads to the next
 * block with contents. A phi of a block that was left out is a phi of the block behind it. After
 * that all levels of optimization have the same blocks, and a phi that no path reads is not seen.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"

/* Longer chains of empty blocks, and longer chains of phis, are not resolved. */
enum { MAX_CHAIN = 128, MAX_RESOLVE = 64, MAX_WEB = 400, MAX_UNWIND = 8 };

#define LABEL_DEFAULT 0x64656661756c74ull

static bool
is_expect(LLVMValueRef v)
{
    LLVMValueRef fn = LLVMIsACallInst(v) ? burl_ir_callee(v) : NULL;

    return fn && burl_ir_begins(burl_ir_name(fn), "llvm.expect.");
}

/* __builtin_expect(x < y, 1) as a condition: without optimization it is x < y, with it a conversion
 * to long and back. The condition, or NULL. */
static LLVMValueRef
expected_condition(LLVMValueRef inst)
{
    if (!LLVMIsAICmpInst(inst) || LLVMGetICmpPredicate(inst) != LLVMIntNE ||
        !burl_ir_is_int(LLVMGetOperand(inst, 1), 0) || !is_expect(LLVMGetOperand(inst, 0)))
        return NULL;
    LLVMValueRef wide = LLVMGetOperand(LLVMGetOperand(inst, 0), 0);
    LLVMValueRef c = LLVMIsAZExtInst(wide) ? LLVMGetOperand(wide, 0) : NULL;
    return c && LLVMGetIntTypeWidth(LLVMTypeOf(c)) == 1 ? c : NULL;
}

static bool
is_unwound(LLVMValueRef v, int depth)
{
    if (LLVMIsALandingPadInst(v))
        return true;
    if (LLVMIsAExtractValueInst(v))
        return is_unwound(LLVMGetOperand(v, 0), depth);
    if (LLVMIsAInsertValueInst(v))
        return is_unwound(LLVMGetOperand(v, 1), depth);
    unsigned n = LLVMIsAPHINode(v) && depth < MAX_UNWIND ? LLVMCountIncoming(v) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef x = LLVMGetIncomingValue(v, i);
        if (x != v && !LLVMIsUndef(x) && !is_unwound(x, depth + 1))
            return false;
    }
    return n > 0;
}

bool
burl__form_is_unwound(LLVMValueRef v)
{
    return is_unwound(v, 0);
}

/* There are more of them when locals end to live: a cleanup without anything to do. */
static bool
is_unwinding(LLVMValueRef inst)
{
    if (LLVMIsALandingPadInst(inst))
        return LLVMIsCleanup(inst) && LLVMGetNumClauses(inst) == 0;
    return (LLVMIsAExtractValueInst(inst) || LLVMIsAInsertValueInst(inst)) && is_unwound(inst, 0);
}

bool
burl__form_is_marker(LLVMValueRef inst)
{
    static const char *const names[] = {
        "llvm.lifetime.",      "llvm.dbg.",
        "llvm.assume",         "llvm.invariant.start",
        "llvm.invariant.end",  "llvm.expect.",
        "llvm.donothing",      "llvm.experimental.noalias.",
        "llvm.var.annotation", "llvm.pseudoprobe",
        "llvm.is.constant.",
    };
    LLVMValueRef fn = LLVMIsACallInst(inst) ? burl_ir_callee(inst) : NULL;

    if (expected_condition(inst) || is_unwinding(inst))
        return true;
    if (!fn || !LLVMGetIntrinsicID(fn))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (burl_ir_begins(burl_ir_name(fn), names[i]))
            return true;
    return false;
}

/* ---- empty blocks ---- */

static bool
is_constant_test(LLVMValueRef v)
{
    LLVMValueRef fn = LLVMIsACallInst(v) ? burl_ir_callee(v) : NULL;

    return fn && burl_ir_begins(burl_ir_name(fn), "llvm.is.constant.");
}

static LLVMBasicBlockRef
switch_to(LLVMValueRef end, uint64_t value)
{
    if (LLVMIsABranchInst(end))
        return LLVMGetSuccessor(end, value ? 0 : 1);
    unsigned n = LLVMGetNumSuccessors(end);
    for (unsigned i = 1; i < n; i++)
        if (LLVMConstIntGetZExtValue(LLVMGetOperand(end, i * 2)) == value)
            return LLVMGetSuccessor(end, i);
    return LLVMGetSuccessor(end, 0);
}

static bool
is_decision(LLVMValueRef end)
{
    return LLVMIsASwitchInst(end) || (LLVMIsABranchInst(end) && LLVMIsConditional(end));
}

static bool
ends_process(LLVMValueRef i)
{
    LLVMValueRef fn = LLVMIsACallInst(i) ? burl_ir_callee(i) : NULL;

    return fn && strcmp(burl_ir_name(fn), "__clang_call_terminate") == 0;
}

static bool
leads_to_end(LLVMValueRef landing)
{
    for (LLVMValueRef i = landing; i; i = LLVMGetNextInstruction(i))
        if (ends_process(i))
            return true;
    return false;
}

/* Does an unwind through the block run nothing? Marks of locals that end to live are there from -O1
 * on, and without them the call is no invoke. It is none either in a function that does not throw
 * when the callee is known not to, which clang finds out from -O1 on. */
static bool
only_resumes(LLVMBasicBlockRef b)
{
    for (int n = 0; n < MAX_CHAIN; n++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != end; i = LLVMGetNextInstruction(i)) {
            bool cleanup = LLVMIsALandingPadInst(i) && LLVMIsCleanup(i) && !LLVMGetNumClauses(i);
            if (ends_process(i))
                return true;
            if (n == 0 && LLVMIsALandingPadInst(i) && leads_to_end(i))
                continue;
            if (!cleanup && !LLVMIsAPHINode(i) && !LLVMIsAExtractValueInst(i) &&
                !LLVMIsAInsertValueInst(i) && !burl__form_is_marker(i))
                return false;
        }
        if (LLVMIsAResumeInst(end))
            return true;
        if (!LLVMIsABranchInst(end) || LLVMIsConditional(end))
            return false;
        b = LLVMGetSuccessor(end, 0);
    }
    return false;
}

/* Where a terminator always goes; NULL: that depends. clang folds conditions that it knows at every
 * level of optimization; __builtin_constant_p() is false without optimization. */
static LLVMBasicBlockRef
only_exit(LLVMValueRef end)
{
    LLVMValueRef c = is_decision(end) ? LLVMGetOperand(end, 0) : NULL;

    if (LLVMIsABranchInst(end) && !c)
        return LLVMGetSuccessor(end, 0);
    if (LLVMIsAInvokeInst(end) && only_resumes(LLVMGetUnwindDest(end)))
        return LLVMGetNormalDest(end);
    if (c && is_constant_test(c))
        return switch_to(end, 0);
    return c && LLVMIsAConstantInt(c) ? switch_to(end, LLVMConstIntGetZExtValue(c)) : NULL;
}

/* The phi of its own block that decides where a terminator goes; NULL when that is not so. */
static LLVMValueRef
dispatch_phi(LLVMValueRef end)
{
    LLVMValueRef c = is_decision(end) ? LLVMGetOperand(end, 0) : NULL;

    return c && LLVMIsAPHINode(c) && LLVMGetInstructionParent(c) == LLVMGetInstructionParent(end)
               ? c
               : NULL;
}

static bool
may_be_empty(LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != end; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && !burl__form_is_marker(i))
            return false;
    if (LLVMIsAInvokeInst(end))
        return false;
    return only_exit(end) ? only_exit(end) != b : dispatch_phi(end) != NULL;
}

/* Is the phi of an empty block constant on every path through such blocks? */
static bool
is_known(const struct burl_valmap *empty, LLVMValueRef phi, int depth)
{
    unsigned n = LLVMCountIncoming(phi);

    if (depth > MAX_RESOLVE || !burl_valmap_has(empty, LLVMGetInstructionParent(phi)))
        return false;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (!LLVMIsAConstantInt(v) && (!LLVMIsAPHINode(v) || !is_known(empty, v, depth + 1)))
            return false;
    }
    return true;
}

static LLVMBasicBlockRef
second_block(LLVMValueRef fn)
{
    return LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(fn));
}

/* Entries cannot be removed from a map: found again until nothing is refused any more. */
static void
find_empty(struct burl__form *f, struct burl_valmap *refused)
{
    bool again = true;

    while (again) {
        again = false;
        burl_valmap_deinit(&f->empty);
        for (LLVMBasicBlockRef b = second_block(f->fn); b; b = LLVMGetNextBasicBlock(b))
            if (!burl_valmap_has(refused, b) && may_be_empty(b))
                burl_valmap_add(&f->empty, b);
        for (LLVMBasicBlockRef b = second_block(f->fn); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef phi =
                burl_valmap_has(&f->empty, b) ? dispatch_phi(LLVMGetBasicBlockTerminator(b)) : NULL;
            if (phi && !is_known(&f->empty, phi, 0))
                again |= burl_valmap_add(refused, b);
        }
    }
}

static LLVMValueRef
incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    unsigned n = LLVMCountIncoming(phi);

    for (unsigned i = 0; i < n; i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* ---- edges ---- */

/* What `v` is at the end of a path: source, then chain blocks from `from` on to `upto`. */
static LLVMValueRef
value_on_path(const struct burl__form *f, LLVMBasicBlockRef source, uint32_t from, uint32_t upto,
              LLVMValueRef v)
{
    for (uint32_t i = upto; v && i-- > from;) {
        LLVMBasicBlockRef at = f->chain.v[i];
        if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == at)
            v = incoming_from(v, i > from ? f->chain.v[i - 1] : source);
    }
    return v;
}

/* Follows empty blocks. False: *target is one that cannot be left out, since they form a cycle or
 * the exit is not known. */
static bool
follow(struct burl__form *f, LLVMBasicBlockRef source, LLVMBasicBlockRef to, struct burl__edge *e,
       LLVMBasicBlockRef *target)
{
    e->chain = (uint32_t)f->chain.n;
    e->source = source;
    for (; burl_valmap_has(&f->empty, to); e->n_chain++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(to);
        BURL_VEC_PUSH(&f->chain, to);
        *target = to;
        if (e->n_chain > MAX_CHAIN)
            return false;
        if (only_exit(end)) {
            to = only_exit(end);
            continue;
        }
        LLVMValueRef v =
            value_on_path(f, source, e->chain, (uint32_t)f->chain.n, LLVMGetOperand(end, 0));
        if (!v || !LLVMIsAConstantInt(v))
            return false;
        to = switch_to(end, LLVMConstIntGetZExtValue(v));
    }
    *target = to;
    return true;
}

static uint64_t
label_of(LLVMValueRef end, unsigned i)
{
    if (!LLVMIsASwitchInst(end))
        return i;
    return i == 0 ? LABEL_DEFAULT
                  : burl_hash_u64(BURL_HASH_BEGIN,
                                  LLVMConstIntGetZExtValue(LLVMGetOperand(end, i * 2)));
}

/* Blocks that are reached, with their edges. Target blocks are numbers of `order` for now. */
struct reach {
    struct burl_valmap refused;
    BURL_VEC(LLVMBasicBlockRef) todo;
    struct burl_valmap seen;   /* -> number of edges into it */
    struct burl_valmap joined; /* in the line of another block */
};

static bool
reach_block(struct burl__form *f, struct reach *r, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    LLVMBasicBlockRef only = only_exit(end), to;
    unsigned n = only ? 1 : LLVMGetNumSuccessors(end);

    for (unsigned i = 0; i < n; i++) {
        struct burl__edge e = { 0 };
        if (!follow(f, b, only ? only : LLVMGetSuccessor(end, i), &e, &to)) {
            burl_valmap_add(&r->refused, to);
            return false;
        }
        uint32_t n_in = 0;
        if (!burl_valmap_get(&r->seen, to, &n_in))
            BURL_VEC_PUSH(&r->todo, to);
        burl_valmap_set(&r->seen, to, n_in + 1);
    }
    f->chain.n = 0;
    return true;
}

/* Marks what is reachable through edges of the form. */
static bool
reach_all(struct burl__form *f, struct reach *r)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->fn);

    burl_valmap_add(&r->seen, entry);
    BURL_VEC_PUSH(&r->todo, entry);
    while (r->todo.n > 0) {
        LLVMBasicBlockRef b = r->todo.v[--r->todo.n];
        if (!reach_block(f, r, b))
            return false;
    }
    return true;
}

static void
add_insts(struct burl__form *f, uint32_t ix, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    bool tail = only_exit(end) != NULL;

    burl_valmap_set(&f->block_of, b, ix);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i) || burl__form_is_marker(i) ||
            (i == end && tail && !LLVMIsAInvokeInst(i)))
            continue;
        burl_valmap_set(&f->inst_of, i, (uint32_t)f->insts.n);
        BURL_VEC_PUSH(&f->insts, (struct burl__inst){ .v = i, .block = ix, .other = BURL__NONE });
    }
    f->blocks.v[ix].last = b;
    f->blocks.v[ix].tail = tail;
}

/* The block that always and alone follows `b`, with the edge to it; NULL none. */
static LLVMBasicBlockRef
next_in_line(struct burl__form *f, const struct reach *r, LLVMBasicBlockRef b, struct burl__edge *e)
{
    LLVMBasicBlockRef to = only_exit(LLVMGetBasicBlockTerminator(b));
    uint32_t n_in = 0;

    memset(e, 0, sizeof *e);
    if (!to || !follow(f, b, to, e, &to))
        return NULL;
    return burl_valmap_get(&r->seen, to, &n_in) && n_in == 1 ? to : NULL;
}

static void
find_lines(struct burl__form *f, struct reach *r)
{
    struct burl__edge e;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMBasicBlockRef to = burl_valmap_has(&r->seen, b) ? next_in_line(f, r, b, &e) : NULL;
        f->chain.n = 0;
        if (to)
            burl_valmap_add(&r->joined, to);
    }
}

/* A block with all that follow it in a line. */
static void
add_block(struct burl__form *f, const struct reach *r, LLVMBasicBlockRef b)
{
    uint32_t ix = (uint32_t)f->blocks.n;
    struct burl__block *x = BURL_VEC_ADD(&f->blocks);
    struct burl__edge e;

    x->b = b;
    x->first = (uint32_t)f->insts.n;
    x->other = BURL__NONE;
    x->idom = BURL__NONE;
    add_insts(f, ix, b);
    while ((b = next_in_line(f, r, b, &e)) != NULL) {
        e.from = e.to = ix;
        burl_valmap_set(&f->inner_of, b, (uint32_t)f->inner.n);
        BURL_VEC_PUSH(&f->inner, e);
        add_insts(f, ix, b);
    }
    f->blocks.v[ix].n = (uint32_t)f->insts.n - f->blocks.v[ix].first;
}

static void
add_edges(struct burl__form *f, uint32_t ix)
{
    struct burl__block *x = &f->blocks.v[ix];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->last);
    LLVMBasicBlockRef only = only_exit(end), to;
    unsigned n = only ? 1 : LLVMGetNumSuccessors(end);

    x->edge = (uint32_t)f->edges.n;
    for (unsigned i = 0; i < n; i++) {
        struct burl__edge e = { .label = only ? 0 : label_of(end, i), .from = ix };
        bool reached = follow(f, x->last, only ? only : LLVMGetSuccessor(end, i), &e, &to) &&
                       burl_valmap_get(&f->block_of, to, &e.to);
        BURL_ASSERT(reached);
        BURL_VEC_PUSH(&f->edges, e);
    }
    x->n_edges = (uint32_t)f->edges.n - x->edge;
}

static void
list_ins(struct burl__form *f)
{
    for (size_t i = 0; i < f->edges.n; i++)
        f->blocks.v[f->edges.v[i].to].n_in++;
    uint32_t at = 0;
    for (size_t i = 0; i < f->blocks.n; i++) {
        f->blocks.v[i].in = at;
        at += f->blocks.v[i].n_in;
        f->blocks.v[i].n_in = 0;
    }
    BURL_VEC_RESERVE(&f->ins, f->edges.n);
    f->ins.n = f->edges.n;
    for (size_t i = 0; i < f->edges.n; i++) {
        struct burl__block *to = &f->blocks.v[f->edges.v[i].to];
        f->ins.v[to->in + to->n_in++] = (uint32_t)i;
    }
}

/* ---- dominators (Cooper, Harvey and Kennedy) ---- */

static uint32_t
common_dominator(const struct burl__form *f, const uint32_t *rank, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (rank[a] > rank[b])
            a = f->blocks.v[a].idom;
        while (rank[b] > rank[a])
            b = f->blocks.v[b].idom;
    }
    return a;
}

/* Reverse postorder into `order`; its positions into `rank`. */
static void
order_blocks(const struct burl__form *f, uint32_t *order, uint32_t *rank)
{
    uint32_t n = (uint32_t)f->blocks.n, left = n, depth = 0;
    uint32_t *stack = burl_xcalloc(n, sizeof *stack), *next = burl_xcalloc(n, sizeof *next);
    bool *seen = burl_xcalloc(n, sizeof *seen);

    stack[depth++] = 0;
    seen[0] = true;
    while (depth > 0) {
        uint32_t b = stack[depth - 1];
        const struct burl__block *x = &f->blocks.v[b];
        if (next[b] < x->n_edges) {
            uint32_t to = f->edges.v[x->edge + next[b]++].to;
            if (!seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
            continue;
        }
        depth--;
        order[--left] = b;
        rank[b] = left;
    }
    BURL_ASSERT(left == 0);
    free(stack);
    free(next);
    free(seen);
}

static void
find_dominators(struct burl__form *f)
{
    uint32_t n = (uint32_t)f->blocks.n;
    uint32_t *order = burl_xcalloc(n, sizeof *order), *rank = burl_xcalloc(n, sizeof *rank);
    bool again = true;

    order_blocks(f, order, rank);
    f->blocks.v[0].idom = 0;
    while (again) {
        again = false;
        for (uint32_t i = 1; i < n; i++) {
            struct burl__block *x = &f->blocks.v[order[i]];
            uint32_t d = BURL__NONE;
            for (uint32_t k = 0; k < x->n_in; k++) {
                uint32_t from = f->edges.v[f->ins.v[x->in + k]].from;
                if (f->blocks.v[from].idom != BURL__NONE)
                    d = d == BURL__NONE ? from : common_dominator(f, rank, d, from);
            }
            again |= x->idom != d;
            x->idom = d;
        }
    }
    free(order);
    free(rank);
}

static bool
dominates(const struct burl__form *f, uint32_t a, uint32_t b)
{
    while (b != a && f->blocks.v[b].idom != b)
        b = f->blocks.v[b].idom;
    return a == b;
}

/* ---- the form ---- */

struct burl__form *
burl__form_make(const struct burl__side *side, LLVMValueRef fn)
{
    struct burl__form *f = burl_xcalloc(1, sizeof *f);
    struct reach r = { 0 };

    f->side = side;
    f->fn = fn;
    do {
        burl_valmap_deinit(&r.seen);
        r.todo.n = f->chain.n = 0;
        find_empty(f, &r.refused);
    } while (!reach_all(f, &r));
    find_lines(f, &r);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        if (burl_valmap_has(&r.seen, b) && !burl_valmap_has(&r.joined, b))
            add_block(f, &r, b);
    for (uint32_t i = 0; i < f->blocks.n; i++)
        add_edges(f, i);
    list_ins(f);
    find_dominators(f);
    burl_valmap_deinit(&r.seen);
    burl_valmap_deinit(&r.joined);
    burl_valmap_deinit(&r.refused);
    BURL_VEC_FREE(&r.todo);
    return f;
}

void
burl__form_free(struct burl__form *f)
{
    if (!f)
        return;
    BURL_VEC_FREE(&f->insts);
    BURL_VEC_FREE(&f->blocks);
    BURL_VEC_FREE(&f->edges);
    BURL_VEC_FREE(&f->ins);
    BURL_VEC_FREE(&f->chain);
    burl_valmap_deinit(&f->inst_of);
    burl_valmap_deinit(&f->block_of);
    burl_valmap_deinit(&f->empty);
    burl_valmap_deinit(&f->inner_of);
    BURL_VEC_FREE(&f->inner);
    burl_map_deinit(&f->single_of);
    BURL_VEC_FREE(&f->singles);
    free(f);
}

/* ---- values ---- */

static bool
passes(const struct burl__form *f, const struct burl__edge *e, LLVMBasicBlockRef b)
{
    for (uint32_t i = 0; i < e->n_chain; i++)
        if (f->chain.v[e->chain + i] == b)
            return true;
    return false;
}

/* The last edge through the empty block `b` on the way to `user`; NULL none. */
static const struct burl__edge *
edge_behind(const struct burl__form *f, LLVMBasicBlockRef b, uint32_t user)
{
    const struct burl__edge *best = NULL;

    for (size_t i = 0; i < f->edges.n + f->inner.n; i++) {
        const struct burl__edge *e = i < f->edges.n ? &f->edges.v[i] : &f->inner.v[i - f->edges.n];
        if (e->n_chain && passes(f, e, b) && dominates(f, e->to, user) &&
            (!best || dominates(f, best->to, e->to)))
            best = e;
    }
    return best;
}

static bool
is_inner(const struct burl__form *f, const struct burl__edge *e)
{
    return e >= f->inner.v && e < f->inner.v + f->inner.n;
}

static LLVMValueRef
strip_markers(LLVMValueRef v)
{
    for (;;) {
        LLVMValueRef c = LLVMIsAInstruction(v) ? expected_condition(v) : NULL;
        if (!c && !is_expect(v))
            return v;
        v = c ? c : LLVMGetOperand(v, 0);
    }
}

/* A phi of the block that an edge leads to, when it is entered through the edge. */
static LLVMValueRef
value_over(const struct burl__form *f, LLVMValueRef phi, const struct burl__edge *e)
{
    uint32_t end = e->chain + e->n_chain;
    LLVMValueRef v = incoming_from(phi, e->n_chain ? f->chain.v[end - 1] : e->source);

    return value_on_path(f, e->source, e->chain, end, v);
}

/* The block where a phi has its value. */
static struct burl__ref
locate(const struct burl__form *f, LLVMValueRef v, uint32_t user)
{
    struct burl__ref r = { strip_markers(v), BURL__NONE };

    for (int i = 0; i < MAX_RESOLVE && LLVMIsAPHINode(r.v); i++) {
        LLVMBasicBlockRef home = LLVMGetInstructionParent(r.v);
        uint32_t inner;
        LLVMValueRef next;
        if (burl_valmap_get(&f->inner_of, home, &inner)) {
            user = f->inner.v[inner].from;
            next = value_over(f, r.v, &f->inner.v[inner]);
        } else if (burl_valmap_get(&f->block_of, home, &r.at)) {
            return r;
        } else {
            const struct burl__edge *e = edge_behind(f, home, user);
            r.at = e ? e->to : BURL__NONE;
            if (!e || !is_inner(f, e))
                return r;
            r.at = BURL__NONE;
            next = value_on_path(f, e->source, e->chain, e->chain + e->n_chain, r.v);
        }
        if (!next || next == r.v)
            return r;
        r.v = strip_markers(next);
    }
    return r;
}

/* What a phi has over an edge; v is NULL for damaged code. */
static struct burl__ref
incoming(const struct burl__form *f, struct burl__ref phi, const struct burl__edge *e)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(phi.v);
    LLVMValueRef v = phi.v;

    if (home == f->blocks.v[e->to].b)
        v = value_over(f, v, e);
    else if (passes(f, e, home))
        v = value_on_path(f, e->source, e->chain, e->chain + e->n_chain, v);
    return v ? locate(f, v, e->from) : (struct burl__ref){ NULL, BURL__NONE };
}

uint64_t
burl__ref_hash(struct burl__ref r)
{
    return burl_hash_end(
        burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)(uintptr_t)r.v), r.at));
}

static bool
same_value(struct burl__ref a, struct burl__ref b)
{
    return a.v == b.v && a.at == b.at;
}

static bool
is_located_phi(struct burl__ref r)
{
    return r.v && LLVMIsAPHINode(r.v) && r.at != BURL__NONE;
}

/* Does `phi` always have the value `only`? Every way back from it, through phis, must end there. */
static bool
has_only(const struct burl__form *f, struct burl__ref phi, struct burl__ref only)
{
    struct burl__ref seen[MAX_WEB] = { phi };
    size_t n = 1;

    for (size_t i = 0; i < n; i++) {
        const struct burl__block *x = &f->blocks.v[seen[i].at];
        for (uint32_t k = 0; k < x->n_in; k++) {
            struct burl__ref v = incoming(f, seen[i], &f->edges.v[f->ins.v[x->in + k]]);
            size_t at = 0;
            if (same_value(v, only))
                continue;
            if (!is_located_phi(v))
                return false;
            while (at < n && !same_value(seen[at], v))
                at++;
            if (at == n && n == MAX_WEB)
                return false;
            if (at == n)
                seen[n++] = v;
        }
    }
    return true;
}

/* The only value that a phi has, or the phi. */
static struct burl__ref
simplify(struct burl__form *f, struct burl__ref phi)
{
    uint64_t key = burl__ref_hash(phi), ix;

    if (!is_located_phi(phi))
        return phi;
    if (burl_map_get(&f->single_of, key, &ix))
        return f->singles.v[ix];
    ix = f->singles.n;
    burl_map_set(&f->single_of, key, ix);
    BURL_VEC_PUSH(&f->singles, phi);
    const struct burl__block *x = &f->blocks.v[phi.at];
    for (uint32_t i = 0; i < x->n_in; i++) {
        struct burl__ref v = incoming(f, phi, &f->edges.v[f->ins.v[x->in + i]]);
        struct burl__ref behind = simplify(f, v); /* may be what all of them have in common */
        if (behind.v && !same_value(behind, phi) && has_only(f, phi, behind)) {
            f->singles.v[ix] = behind;
            return behind;
        }
    }
    return phi;
}

struct burl__ref
burl__form_incoming(struct burl__form *f, struct burl__ref phi, const struct burl__edge *e)
{
    return simplify(f, incoming(f, phi, e));
}

struct burl__ref
burl__form_resolve(struct burl__form *f, LLVMValueRef v, uint32_t user)
{
    return simplify(f, locate(f, v, user));
}

uint32_t
burl__form_above(const struct burl__form *f, LLVMBasicBlockRef b)
{
    uint32_t ix, above = BURL__NONE;

    if (burl_valmap_get(&f->block_of, b, &ix))
        return ix;
    /* What dominates an empty block dominates all edges through it. */
    for (size_t i = 0; i < f->edges.n + f->inner.n; i++) {
        const struct burl__edge *e = i < f->edges.n ? &f->edges.v[i] : &f->inner.v[i - f->edges.n];
        if (!e->n_chain || !passes(f, e, b))
            continue;
        ix = e->from;
        while (above != BURL__NONE && !dominates(f, ix, above))
            ix = f->blocks.v[ix].idom;
        above = ix;
    }
    return above;
}
