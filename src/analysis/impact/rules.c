/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/rules.c - from the instructions that differ to the accesses that are impacted:
 * the rules in order, those that say most first.
 *
 * Runs in burl-analyze. The rules are those of the SimRT paper's impact analysis; what C has beside
 * them (memory orders, fences, condition variables, joins, thread creation, initializers) is added.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

static bool
is_memory(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i);
}

static bool
is_volatile(LLVMValueRef i)
{
    return is_memory(i) && LLVMGetVolatile(i);
}

static const char *
order_name(LLVMAtomicOrdering o)
{
    switch (o) {
    case LLVMAtomicOrderingNotAtomic:
        return "a plain access";
    case LLVMAtomicOrderingAcquire:
        return "acquire";
    case LLVMAtomicOrderingRelease:
        return "release";
    case LLVMAtomicOrderingAcquireRelease:
        return "acq_rel";
    case LLVMAtomicOrderingSequentiallyConsistent:
        return "seq_cst";
    default:
        return "relaxed";
    }
}

static bool
is_weaker(LLVMAtomicOrdering now, LLVMAtomicOrdering before)
{
    return (burl__is_acquire(before) && !burl__is_acquire(now)) ||
           (burl__is_release(before) && !burl__is_release(now)) ||
           (before != LLVMAtomicOrderingNotAtomic && now == LLVMAtomicOrderingNotAtomic) ||
           (before == LLVMAtomicOrderingSequentiallyConsistent && now != before);
}

/* ---- memory orders and qualifiers ---- */

/* What a release published comes before it, what an acquire protects after it. */
static void
mark_ordered(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst,
             LLVMAtomicOrdering before, LLVMAtomicOrdering now, uint32_t cause)
{
    for (int forward = 0; forward < 2; forward++) {
        struct burl__region r = { 0 };
        if (forward ? burl__is_acquire(before) && !burl__is_acquire(now)
                    : burl__is_release(before) && !burl__is_release(now)) {
            burl__region_open(s, inst, forward, false, &r);
            burl__mark_region(im, s, &r, cause);
            burl__region_deinit(&r);
        }
    }
}

/* True: all that differs is how strong it is. */
static bool
apply_qualifier(struct burl__impact *im, LLVMValueRef now, LLVMValueRef before)
{
    LLVMAtomicOrdering o = burl__order_of(now), p = burl__order_of(before);
    bool fails_weaker =
        LLVMIsAAtomicCmpXchgInst(now) && LLVMIsAAtomicCmpXchgInst(before) &&
        is_weaker(LLVMGetCmpXchgFailureOrdering(now), LLVMGetCmpXchgFailureOrdering(before));

    if (is_weaker(o, p) || fails_weaker) {
        uint32_t cause =
            o == LLVMAtomicOrderingNotAtomic
                ? burl__cause(im, now, BURL_RULE_QUALIFIER, "atomic access is now a plain one")
                : burl__cause(im, now, BURL_RULE_QUALIFIER, "memory order weakened from %s to %s",
                              order_name(p), is_weaker(o, p) ? order_name(o) : "a weaker one");
        burl__mark(im, now, cause);
        mark_ordered(im, &im->is, now, p, o, cause);
    }
    if (is_volatile(before) && !is_volatile(now))
        burl__mark(im, now, burl__cause(im, now, BURL_RULE_QUALIFIER, "volatile removed"));
    if (!burl__same_operands(im, now, before))
        return false;
    if (is_weaker(p, o) && !is_weaker(o, p))
        (void)burl__cause(im, now, 0, "memory order strengthened to %s", order_name(o));
    return true;
}

/* Part of a lock made by hand, whose region says more. */
bool
burl__is_hand_lock(struct burl__side *s, LLVMValueRef inst)
{
    struct burl__op op = burl__op_of(s, inst);
    struct burl__region r = { 0 };

    if (!(op.family & BURL__HAND))
        return false;
    bool matched = burl__region_of(s, inst, op.kind == BURL__OP_TAKE, &r);
    burl__region_deinit(&r);
    return matched;
}

/* An atomic operation that is gone. */
static void
apply_removed_atomic(struct burl__impact *im, LLVMValueRef inst)
{
    LLVMAtomicOrdering o = burl__order_of(inst);

    if (!is_memory(inst) || (!burl__is_acquire(o) && !burl__is_release(o)) ||
        burl__is_hand_lock(&im->was, inst))
        return;
    char *name = burl__pointer_name(&im->was, LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0),
                                    "an atomic");
    mark_ordered(im, &im->was, inst, o, LLVMAtomicOrderingNotAtomic,
                 burl__cause(im, inst, BURL_RULE_QUALIFIER, "atomic %s of %s (%s) removed",
                             LLVMIsALoadInst(inst)    ? "load"
                             : LLVMIsAStoreInst(inst) ? "store"
                                                      : "operation",
                             name, order_name(o)));
    free(name);
}

/* ---- accesses ---- */

static void
apply_access(struct burl__impact *im, LLVMValueRef inst)
{
    LLVMValueRef before = burl_diff_counterpart(im->d, inst);
    const char *what = "access added";
    uint32_t first;

    if (before && is_memory(inst) && is_memory(before)) {
        if (apply_qualifier(im, inst, before))
            return;
        what = "access changed";
        if (LLVMIsAStoreInst(inst) && LLVMIsAStoreInst(before))
            what = burl__same_operand(im, LLVMGetOperand(inst, 1), LLVMGetOperand(before, 1))
                       ? "stored value changed"
                       : "address of the access changed";
        else if (LLVMIsALoadInst(inst) && LLVMIsALoadInst(before))
            what = "address of the access changed";
    } else if (before) {
        what = "access changed";
    }
    if (!burl__first_access(im, inst, &first))
        return;
    if (burl_ir_is_call(inst) && (burl__callee_facts(im->sp, inst).is & BURL_FN_FREES))
        what = before ? "memory that is freed changed" : "free added";
    burl__mark(im, inst, burl__cause(im, inst, BURL_RULE_ACCESS, "%s", what));
}

/* ---- dependence ---- */

/* Parameters whose arguments differ; all when the call itself is new. */
static void
slice_arguments(struct burl__impact *im, LLVMValueRef call, LLVMValueRef before, uint32_t cause)
{
    for (uint32_t i = burl__first_call(&im->is, call); i != UINT32_MAX;
         i = im->is.calls.v[i].next) {
        const struct burl__call *c = &im->is.calls.v[i];
        LLVMValueRef f = im->is.fns.v[c->callee].fn;
        for (unsigned k = 0; !c->later && k < LLVMCountParams(f); k++)
            if (c->spawn ||
                (k < LLVMGetNumArgOperands(call) &&
                 (k >= LLVMGetNumArgOperands(before) ||
                  !burl__same_operand(im, LLVMGetOperand(call, k), LLVMGetOperand(before, k)))))
                burl__slice_value(im, LLVMGetParam(f, k), cause);
    }
}

static const char *
callee_text(const struct burl__side *s, LLVMValueRef call)
{
    LLVMValueRef f = burl_ir_callee(call);

    return f ? burl__sp_function_name(s->names, burl_program_definition(s->p, f)) : "a function";
}

/* A statement of synchronization, which sync.c looks at. */
static bool
is_statement(const struct burl__side *s, LLVMValueRef inst)
{
    struct burl__op op;

    return burl__op_of(s, inst).kind != BURL__OP_NONE ||
           burl__is_lock_statement(s, inst, BURL__OP_TAKE, &op) ||
           burl__is_lock_statement(s, inst, BURL__OP_DROP, &op);
}

static uint32_t
condition_cause(struct burl__impact *im, const struct burl__side *s, LLVMValueRef end)
{
    char *place = burl__place_name(s, end);
    const char *how = burl_diff_counterpart(im->d, end) ? "changed" : s->is ? "added" : "removed";
    uint32_t cause = burl__cause(
        im, end, BURL_RULE_SLICE, "condition%s at %s %s",
        burl__in_cycle(LLVMGetInstructionParent(end)) ? " of the loop" : "", place, how);

    free(place);
    return cause;
}

/* A comparison that differs is reported as its condition. */
static uint32_t
value_cause(struct burl__impact *im, LLVMValueRef inst)
{
    char *place;
    uint32_t cause;

    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsABranchInst(user) || LLVMIsASwitchInst(user))
            return condition_cause(im, &im->is, user);
    }
    place = burl__place_name(&im->is, inst);
    cause = burl__cause(im, inst, BURL_RULE_SLICE, "value computed at %s changed", place);
    free(place);
    return cause;
}

static void
slice_call(struct burl__impact *im, LLVMValueRef inst)
{
    LLVMValueRef before = burl_diff_counterpart(im->d, inst);
    uint32_t cause;

    if (is_statement(&im->is, inst)) {
        if (!before)
            burl__slice_value(im, inst, value_cause(im, inst));
        return;
    }
    cause = burl__cause(im, inst, BURL_RULE_SLICE,
                        before ? "arguments of the call of %s changed" : "call of %s added",
                        callee_text(&im->is, inst));
    if (before && burl_ir_is_call(before) &&
        burl__same_operand(im, LLVMGetCalledValue(inst), LLVMGetCalledValue(before)))
        slice_arguments(im, inst, before, cause);
    else
        burl__slice_called(im, inst, cause);
    burl__slice_value(im, inst, cause);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(inst); k++)
        if (burl_ir_is_pointer(LLVMGetOperand(inst, k)))
            burl__slice_stored(im, LLVMGetOperand(inst, k), cause);
}

static bool
decides(LLVMValueRef i)
{
    return LLVMIsATerminatorInst(i) && !LLVMIsAInvokeInst(i) && LLVMGetNumSuccessors(i) > 1;
}

static void
slice_new(struct burl__impact *im, LLVMValueRef inst)
{
    LLVMValueRef f = burl_ir_is_call(inst) ? burl_ir_callee(inst) : NULL;

    LLVMValueRef before = burl_diff_counterpart(im->d, inst);

    if (f && LLVMGetIntrinsicID(f) && burl__is_marker(burl_ir_name(f)))
        return;
    /* Only stronger or weaker: the values are the same. */
    if (before && is_memory(inst) && is_memory(before) && burl__same_operands(im, inst, before))
        return;
    if (decides(inst))
        burl__slice_control(im, &im->is, inst, condition_cause(im, &im->is, inst));
    else if (burl_ir_is_call(inst))
        slice_call(im, inst);
    else if (LLVMIsAStoreInst(inst))
        burl__slice_stored(im, LLVMGetOperand(inst, 1), value_cause(im, inst));
    else if (LLVMIsAReturnInst(inst) || LLVMGetFirstUse(inst))
        burl__slice_value(im, inst, value_cause(im, inst));
}

/* What was removed had an effect on what stays: as a condition, or by what it stored. */
static void
slice_removed(struct burl__impact *im, LLVMValueRef inst)
{
    LLVMValueRef to = NULL;

    if (burl_diff_counterpart(im->d, inst))
        return;
    if (decides(inst)) {
        burl__slice_control(im, &im->was, inst, condition_cause(im, &im->was, inst));
        return;
    }
    if ((!LLVMIsAStoreInst(inst) && !burl_ir_is_call(inst)) || is_statement(&im->was, inst))
        return;
    char *place = burl__place_name(&im->was, inst);
    uint32_t cause = UINT32_MAX;
    unsigned n = LLVMIsAStoreInst(inst) ? 1 : LLVMGetNumArgOperands(inst);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef ptr = LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : k);
        to = burl_ir_is_pointer(ptr) && (LLVMIsAInstruction(ptr) || LLVMIsAArgument(ptr))
                 ? burl_diff_counterpart(im->d, ptr)
                 : NULL;
        if (!to)
            continue;
        if (cause == UINT32_MAX)
            cause = burl__cause(im, inst, BURL_RULE_SLICE, "%s at %s removed",
                                LLVMIsAStoreInst(inst) ? "store" : "call", place);
        burl__slice_stored(im, to, cause);
    }
    free(place);
}

/* ---- functions and data ---- */

static bool
has_match(const struct burl__impact *im, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        if (burl_diff_block(im->d, b))
            return true;
    return false;
}

static void
apply_functions(struct burl__impact *im)
{
    for (size_t i = 0; i < im->d->functions.n; i++) {
        const struct burl_diff_function *f = &im->d->functions.v[i];
        uint32_t ix = f->is ? burl__body_ix(&im->is, f->is) : UINT32_MAX;
        if (ix == UINT32_MAX || f->equal || f->moved || (f->was && has_match(im, f->is)))
            continue;
        burl__mark_function(im, &im->is, ix,
                            burl__cause(im, f->is, BURL_RULE_FUNCTION, "function %s",
                                        f->was ? "rewritten" : "added"));
    }
}

static bool
points_into(const struct burl__impact *im, LLVMValueRef pointer, LLVMValueRef global)
{
    uint32_t n;
    const uint32_t *leaves = burl_pts_of(im->sp->pts, pointer, &n);

    for (uint32_t i = 0; i < n; i++)
        if (burl_pts_object_of(im->sp->pts, leaves[i])->at == global)
            return true;
    return false;
}

/* Memory that is only read has no accesses in the target, but what is read there decides: a table
 * of functions, the constant that a local structure is initialized from. */
static void
slice_readers(struct burl__impact *im, LLVMValueRef global, uint32_t cause)
{
    for (size_t f = 0; f < im->is.fns.n; f++) {
        for (LLVMValueRef i = burl_ir_first(im->is.fns.v[f].fn); i; i = burl_ir_next(i)) {
            if (LLVMIsALoadInst(i) && points_into(im, LLVMGetOperand(i, 0), global))
                burl__slice_value(im, i, cause);
            for (unsigned k = 0; burl_ir_is_call(i) && k < LLVMGetNumArgOperands(i); k++)
                if (burl_ir_is_pointer(LLVMGetOperand(i, k)) &&
                    points_into(im, LLVMGetOperand(i, k), global)) {
                    burl__slice_used(im, i, cause);
                    break;
                }
        }
    }
}

static void
apply_to_object(struct burl__impact *im, LLVMValueRef global, uint32_t cause)
{
    for (uint32_t a = 0; a < im->sp->accesses.n; a++) {
        const struct burl__access *x = &im->sp->accesses.v[a];
        for (uint8_t k = 0; k < x->n_ptr; k++) {
            bool found = points_into(im, x->ptr[k], global);
            if (!found)
                continue;
            burl__mark(im, x->inst, cause);
            burl__slice_permits(im, x->inst, cause);
            if (LLVMIsALoadInst(x->inst))
                burl__slice_value(im, x->inst, cause);
        }
    }
    /* A lock in it. */
    for (size_t f = 0; f < im->is.fns.n; f++) {
        for (LLVMValueRef i = burl_ir_first(im->is.fns.v[f].fn); i; i = burl_ir_next(i)) {
            struct burl__op op = burl__op_of(&im->is, i);
            if ((op.kind != BURL__OP_TAKE && op.kind != BURL__OP_TRY) || !op.lock)
                continue;
            if (points_into(im, op.lock, global))
                burl__apply_region(im, &im->is, i, cause);
        }
    }
}

/* A slot that names another function than before, one that the base version has, too: an override
 * is gone. A function that is new is looked at anyway. */
static bool
is_other_slot(const struct burl__impact *im, LLVMValueRef is, LLVMValueRef was)
{
    LLVMValueRef f = is && LLVMIsAFunction(is) ? burl_program_definition(im->is.p, is) : NULL;
    LLVMValueRef g = was && LLVMIsAFunction(was) ? burl_program_definition(im->was.p, was) : NULL;

    return f && g && burl_diff_counterpart(im->d, f) && burl_diff_counterpart(im->d, f) != g &&
           strcmp(burl_ir_name(f), burl_ir_name(g)) != 0;
}

/* A table of virtual functions: other functions in front of a slot are seen where it is read. */
static void
apply_virtuals(struct burl__impact *im, LLVMValueRef is, LLVMValueRef was)
{
    LLVMValueRef a = LLVMGetInitializer(is), b = LLVMGetInitializer(was);
    LLVMValueRef x, y;

    for (unsigned part = 0;
         a && b && (x = LLVMGetAggregateElement(a, part)) && (y = LLVMGetAggregateElement(b, part));
         part++) {
        for (unsigned i = 0;; i++) {
            LLVMValueRef f = LLVMGetAggregateElement(x, i), g = LLVMGetAggregateElement(y, i);
            if (!f || !g)
                break;
            if (!is_other_slot(im, f, g))
                continue;
            slice_readers(
                im, is,
                burl__cause(im, f, BURL_RULE_SLICE, "%s takes the place of an override",
                            burl__sp_function_name(im->sp, burl_program_definition(im->is.p, f))));
            return;
        }
    }
}

static void
apply_global(void *arg, LLVMValueRef is, LLVMValueRef was)
{
    struct burl__impact *im = arg;
    const char *name = is ? burl_ir_name(is) : "";

    if (is && was && burl_ir_begins(name, "_ZTV"))
        apply_virtuals(im, burl_program_definition(im->is.p, is), was);
    if (!is || !was || burl_ir_begins(name, "llvm.") || burl_ir_begins(name, "_ZT"))
        return;
    is = burl_program_definition(im->is.p, is);
    char *text = burl__sp_global_name(is);
    bool shared_now = LLVMIsThreadLocal(was) && !LLVMIsThreadLocal(is);
    uint32_t cause =
        burl__cause(im, is, BURL_RULE_DATA,
                    shared_now ? "%s is no longer thread-local" : "definition of %s changed", text);
    free(text);
    /* A constant that is only read keeps its readers in step by their values. */
    apply_to_object(im, is, cause);
    slice_readers(im, is, cause);
}

/* ---- all ---- */

/* Is it in a function that the other version does not have? */
static bool
is_in_unmatched(const struct burl__impact *im, LLVMValueRef inst)
{
    return !burl_diff_counterpart(im->d, burl_ir_function(inst));
}

static void
apply_statements(struct burl__impact *im)
{
    for (size_t i = 0; i < im->list_was.n; i++)
        if (!is_in_unmatched(im, im->list_was.v[i]))
            burl__apply_sync(im, &im->was, im->list_was.v[i]);
    for (size_t i = 0; i < im->list_is.n; i++) {
        LLVMValueRef inst = im->list_is.v[i];
        if (!is_in_unmatched(im, inst) || burl__op_of(&im->is, inst).kind == BURL__OP_CREATE)
            burl__apply_sync(im, &im->is, inst);
    }
    burl__apply_wait_loops(im);
}

void
burl__apply_rules(struct burl__impact *im)
{
    burl__slice_begin(im);
    apply_statements(im);
    for (size_t i = 0; i < im->list_was.n; i++)
        if (!is_in_unmatched(im, im->list_was.v[i]) &&
            !burl_diff_counterpart(im->d, im->list_was.v[i]))
            apply_removed_atomic(im, im->list_was.v[i]);
    apply_functions(im);
    burl_diff_each_global(im->d, apply_global, im);
    for (size_t i = 0; i < im->list_is.n; i++)
        if (!is_in_unmatched(im, im->list_is.v[i]))
            apply_access(im, im->list_is.v[i]);
    for (size_t i = 0; i < im->list_is.n; i++) {
        LLVMValueRef inst = im->list_is.v[i];
        if (!is_in_unmatched(im, inst))
            slice_new(im, inst);
        else if (burl_ir_is_call(inst) && burl__op_of(&im->is, inst).kind == BURL__OP_NONE)
            burl__slice_called(im, inst,
                               burl__cause(im, inst, BURL_RULE_SLICE, "called by %s, which is new",
                                           burl__sp_function_name(im->sp, burl_ir_function(inst))));
    }
    for (size_t i = 0; i < im->list_was.n; i++)
        if (!is_in_unmatched(im, im->list_was.v[i]))
            slice_removed(im, im->list_was.v[i]);
    burl__slice_run(im);
}
