/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/region.c - the region that a lock statement guards.
 *
 * Runs in burl-analyze. From a statement that takes a lock forward to all that may release it, or
 * from one that releases it back to all that may have taken it; where the function ends before, on
 * in its callers. Functions called in between belong to it.
 *
 * The release is the one of the same expression. If the function has none, it is any that fits the
 * kind of lock and belongs to no other lock statement of the function.
 *
 * A condition that had to hold for the statement to be executed holds in the rest of the function,
 * as long as it is made of values and not of memory.
 */
#include <stdlib.h>

#include "analysis/impact/impact_int.h"

enum { MAX_FACTS = 8 };

/* A condition whose value is known where the statement is executed. */
struct fact {
    LLVMValueRef condition;
    bool value;
};

struct walk {
    struct burl__side *s;
    LLVMValueRef stmt; /* NULL: nothing ends it */
    bool forward;
    bool strict;  /* only releases of the same expression end it */
    bool leaves;  /* the end (the start) of the function was reached */
    bool matched; /* something ended it */
    struct burl_valmap *seen;
    struct burl__region *out; /* NULL: only whether it leaves */
    BURL_VEC(LLVMValueRef) todo;
    struct fact facts[MAX_FACTS];
    int n_facts;
};

/* ---- conditions: if (x) lock(m); ... if (x) unlock(m); ---- */

/* Has it one value in a call of its function? */
static bool
is_steady(const struct burl__cfg *g, LLVMValueRef v)
{
    uint32_t ix;

    return !LLVMIsAInstruction(v) ||
           (burl_valmap_get(&g->ix, LLVMGetInstructionParent(v), &ix) && !g->repeats[ix]);
}

/* The same operation on the same values. *inverse: it has the opposite value. */
static bool
same_condition(LLVMValueRef a, LLVMValueRef b, bool *inverse)
{
    *inverse = false;
    if (a == b)
        return true;
    if (LLVMIsATruncInst(a) && LLVMIsATruncInst(b))
        return LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
    if (!LLVMIsAICmpInst(a) || !LLVMIsAICmpInst(b) ||
        LLVMGetOperand(a, 0) != LLVMGetOperand(b, 0) ||
        LLVMGetOperand(a, 1) != LLVMGetOperand(b, 1))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(a), q = LLVMGetICmpPredicate(b);
    *inverse = (p == LLVMIntEQ && q == LLVMIntNE) || (p == LLVMIntNE && q == LLVMIntEQ);
    return p == q || *inverse;
}

static LLVMValueRef
condition_of(LLVMValueRef end)
{
    if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return NULL;
    return LLVMGetCondition(end);
}

static bool
is_steady_condition(const struct burl__cfg *g, LLVMValueRef c)
{
    if (LLVMIsAICmpInst(c))
        return is_steady(g, LLVMGetOperand(c, 0)) && is_steady(g, LLVMGetOperand(c, 1));
    return is_steady(g, LLVMIsATruncInst(c) ? LLVMGetOperand(c, 0) : c);
}

/* The branches that must have been taken to come to the statement. */
static void
find_facts(struct walk *w)
{
    struct burl__cfg *g = burl__cfg_of(w->s, burl__body_ix(w->s, burl_ir_function(w->stmt)));
    uint32_t at, b;

    if (!burl_valmap_get(&g->ix, LLVMGetInstructionParent(w->stmt), &at) ||
        g->dom[at] == UINT32_MAX)
        return;
    for (b = at; g->dom[b] != b && w->n_facts < MAX_FACTS; b = g->dom[b]) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[g->dom[b]]);
        LLVMValueRef c = g->pred[b].n == 1 ? condition_of(end) : NULL;
        if (c && is_steady_condition(g, c))
            w->facts[w->n_facts++] = (struct fact){ c, LLVMGetSuccessor(end, 0) == g->blocks[b] };
    }
}

/* Can control go from this branch to the block, by what is known? */
static bool
may_go(const struct walk *w, LLVMValueRef end, LLVMBasicBlockRef to)
{
    LLVMValueRef c = w->n_facts ? condition_of(end) : NULL;

    for (int i = 0; c && i < w->n_facts; i++) {
        bool inverse;
        if (same_condition(w->facts[i].condition, c, &inverse))
            return LLVMGetSuccessor(end, w->facts[i].value != inverse ? 0 : 1) == to;
    }
    return true;
}

/* ---- the walk ---- */

static bool
is_pair(const struct walk *w, LLVMValueRef i)
{
    return w->forward ? burl__releases(w->s, w->stmt, i) : burl__releases(w->s, i, w->stmt);
}

/* The first, and the next, instruction of its function that may be a lock statement. */
static LLVMValueRef
nth_statement(const struct walk *w, size_t *n, LLVMValueRef last)
{
    const struct burl__body *f = &w->s->fns.v[burl__body_ix(w->s, burl_ir_function(w->stmt))];

    if (!w->s->settled)
        return last ? burl_ir_next(last) : burl_ir_first(f->fn);
    return *n < f->statements.n ? f->statements.v[(*n)++] : NULL;
}

/* Does the other statement belong to no lock statement but this one? */
static bool
is_free(const struct walk *w, LLVMValueRef i)
{
    const enum burl__op_kind mine = w->forward ? BURL__OP_TAKE : BURL__OP_DROP;
    const enum burl__op_kind other = w->forward ? BURL__OP_DROP : BURL__OP_TAKE;
    struct burl__op a, b;

    if (!burl__is_lock_statement(w->s, i, other, &a) ||
        !burl__is_lock_statement(w->s, w->stmt, mine, &b) || !(a.family & b.family))
        return false;
    size_t n = 0;
    for (LLVMValueRef k = nth_statement(w, &n, NULL); k; k = nth_statement(w, &n, k)) {
        struct burl__op op;
        if (k != w->stmt && burl__is_lock_statement(w->s, k, mine, &op) &&
            (w->forward ? burl__releases(w->s, k, i) : burl__releases(w->s, i, k)))
            return false;
    }
    if (!w->s->is || !a.lock || !b.lock)
        return true;
    struct burl__held h = { .ptr = { a.lock }, .n_ptr = 1 };
    return burl__may_be_lock(w->s->names, &h, b.lock);
}

static bool
ends(const struct walk *w, LLVMValueRef i)
{
    return w->stmt && (w->strict ? is_pair(w, i) : is_free(w, i));
}

static void
look_for_pair(struct walk *w)
{
    w->strict = false;
    size_t n = 0;
    for (LLVMValueRef i = w->stmt ? nth_statement(w, &n, NULL) : NULL; i && !w->strict;
         i = nth_statement(w, &n, i))
        w->strict = i != w->stmt && is_pair(w, i);
}

static void
take_inst(struct walk *w, LLVMValueRef i)
{
    if (!w->out)
        return;
    BURL_VEC_PUSH(&w->out->insts, i);
    for (uint32_t c = burl__first_call(w->s, i); c != UINT32_MAX; c = w->s->calls.v[c].next)
        if (!w->s->calls.v[c].later && !w->s->calls.v[c].spawn)
            burl_u32s_add(&w->out->called, w->s->calls.v[c].callee);
}

static void
push_neighbors(struct walk *w, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    if (w->forward) {
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (may_go(w, end, LLVMGetSuccessor(end, i)))
                BURL_VEC_PUSH(&w->todo, LLVMGetFirstInstruction(LLVMGetSuccessor(end, i)));
        w->leaves |= end && LLVMIsAReturnInst(end);
        return;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef from = LLVMGetUser(u);
        if (LLVMIsATerminatorInst(from) && may_go(w, from, b))
            BURL_VEC_PUSH(&w->todo, from);
    }
    w->leaves |= b == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(b));
}

static void
run(struct walk *w)
{
    while (w->todo.n > 0) {
        LLVMValueRef i = w->todo.v[--w->todo.n];
        while (i && burl_valmap_add(w->seen, i)) {
            if (i != w->stmt && ends(w, i)) {
                w->matched = true;
                if (w->out)
                    BURL_VEC_PUSH(&w->out->ends, i);
                break;
            }
            take_inst(w, i);
            LLVMValueRef next =
                w->forward ? LLVMGetNextInstruction(i) : LLVMGetPreviousInstruction(i);
            if (!next)
                push_neighbors(w, LLVMGetInstructionParent(i));
            i = next;
        }
    }
}

/* The branch that a trylock, or the exchange of a lock made by hand, has succeeded on; NULL
 * unknown. */
static LLVMBasicBlockRef
success_of(const struct walk *w)
{
    struct burl__op op = burl__op_of(w->s, w->stmt);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(w->stmt));
    LLVMValueRef test =
        end && LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;

    if (op.kind != BURL__OP_TRY || !test || !LLVMIsAICmpInst(test) ||
        LLVMGetOperand(test, 0) != w->stmt || !burl_ir_is_int(LLVMGetOperand(test, 1), 0))
        return NULL;
    /* GLib's functions return whether they did. */
    bool zero_is_done = !burl_ir_begins(burl_ir_name(LLVMGetCalledValue(w->stmt)), "g_");
    bool equal = LLVMGetICmpPredicate(test) == LLVMIntEQ;
    return LLVMGetSuccessor(end, equal == zero_is_done ? 0 : 1);
}

static void
start(struct walk *w, LLVMValueRef from)
{
    if (w->stmt)
        find_facts(w);
    LLVMBasicBlockRef to = w->forward && w->stmt ? success_of(w) : NULL;
    LLVMValueRef next =
        w->forward ? LLVMGetNextInstruction(from) : LLVMGetPreviousInstruction(from);

    if (to)
        BURL_VEC_PUSH(&w->todo, LLVMGetFirstInstruction(to));
    else if (w->forward && LLVMIsAInvokeInst(from))
        BURL_VEC_PUSH(&w->todo, LLVMGetFirstInstruction(LLVMGetNormalDest(from)));
    else if (next)
        BURL_VEC_PUSH(&w->todo, next);
    else
        push_neighbors(w, LLVMGetInstructionParent(from));
    run(w);
    BURL_VEC_FREE(&w->todo);
}

bool
burl__region_leaves(struct burl__side *s, LLVMValueRef stmt, bool forward)
{
    struct burl_valmap seen = { 0 };
    struct walk w = { .s = s, .stmt = stmt, .forward = forward, .seen = &seen };

    look_for_pair(&w);
    start(&w, stmt);
    burl_valmap_deinit(&seen);
    return w.leaves;
}

enum { ALL_CALLERS = 1u << 30 };

/* `stops`: look for what ends it; `levels`: of callers that it goes on in. */
static bool
walk_from(struct burl__side *s, LLVMValueRef from, bool forward, bool stops, uint32_t levels,
          struct burl__region *out)
{
    BURL_VEC(LLVMValueRef) starts = { 0 };
    size_t level_end = 1;
    struct burl_valmap met = { 0 };
    bool matched = false;

    BURL_VEC_PUSH(&starts, from);
    burl_valmap_add(&met, from);
    for (size_t i = 0; i < starts.n; i++) {
        if (i == level_end) {
            level_end = starts.n;
            levels--;
        }
        struct walk w = { .s = s,
                          .stmt = stops ? starts.v[i] : NULL,
                          .forward = forward,
                          .seen = &out->seen,
                          .out = out };
        look_for_pair(&w);
        start(&w, starts.v[i]);
        matched |= w.matched;
        if (!w.leaves || levels == 0)
            continue;
        const struct burl__body *f = &s->fns.v[burl__body_ix(s, burl_ir_function(starts.v[i]))];
        for (size_t k = 0; k < f->in.n; k++) {
            const struct burl__call *c = &s->calls.v[f->in.v[k]];
            if (!c->later && !c->spawn && burl_valmap_add(&met, c->inst))
                BURL_VEC_PUSH(&starts, c->inst);
        }
    }
    BURL_VEC_FREE(&starts);
    burl_valmap_deinit(&met);
    return matched;
}

bool
burl__region_walk(struct burl__side *s, LLVMValueRef stmt, bool forward, struct burl__region *out)
{
    return walk_from(s, stmt, forward, true, ALL_CALLERS, out);
}

void
burl__region_near(struct burl__side *s, LLVMValueRef stmt, uint32_t levels,
                  struct burl__region *out)
{
    (void)walk_from(s, stmt, true, true, levels, out);
}

bool
burl__region_of(struct burl__side *s, LLVMValueRef stmt, bool forward, struct burl__region *out)
{
    bool matched = walk_from(s, stmt, forward, true, ALL_CALLERS, out);

    burl__reach(s, &out->called, false);
    return matched;
}

void
burl__region_open(struct burl__side *s, LLVMValueRef from, bool forward, bool callers,
                  struct burl__region *out)
{
    (void)walk_from(s, from, forward, false, callers ? ALL_CALLERS : 0, out);
    burl__reach(s, &out->called, false);
}

void
burl__region_deinit(struct burl__region *r)
{
    burl_valmap_deinit(&r->seen);
    BURL_VEC_FREE(&r->insts);
    BURL_VEC_FREE(&r->called);
    BURL_VEC_FREE(&r->ends);
}
