/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/sync.c - what changes of synchronization statements impact: rules REGION, SYNC
 * and THREAD.
 *
 * Runs in burl-analyze. A statement that was added or modified is looked at in the new version, one
 * that was removed or modified in the base version, where what it guards is mapped to the new one
 * by counterparts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

/* "added", "removed", "changed". */
static const char *
how(const struct burl__impact *im, const struct burl__side *s, LLVMValueRef inst)
{
    if (burl_diff_counterpart(im->d, inst))
        return "changed";
    return s->is ? "added" : "removed";
}

/* ---- locks ---- */

/* What a lock guards in one version and in the other, as an unlock between them has changed. */
static void
mark_both(struct burl__impact *im, struct burl__side *s, LLVMValueRef take, uint32_t cause)
{
    struct burl__side *os = s->is ? &im->was : &im->is;
    LLVMValueRef other = burl_diff_counterpart(im->d, take);
    struct burl__region r = { 0 };

    (void)burl__region_of(s, take, true, &r);
    burl__mark_region(im, s, &r, cause);
    burl__region_deinit(&r);
    if (!other)
        return;
    (void)burl__region_of(os, other, true, &r);
    burl__mark_region(im, os, &r, cause);
    burl__region_deinit(&r);
}

void
burl__apply_region(struct burl__impact *im, struct burl__side *s, LLVMValueRef stmt, uint32_t cause)
{
    struct burl__op op;

    for (int forward = 1; forward >= 0; forward--) {
        struct burl__region r = { 0 };
        if (!burl__is_lock_statement(s, stmt, forward ? BURL__OP_TAKE : BURL__OP_DROP, &op))
            continue;
        bool matched = burl__region_of(s, stmt, forward, &r);
        /* An atomic operation without a partner is no lock. */
        if (matched || (op.family & ~(uint32_t)BURL__HAND))
            burl__mark_region(im, s, &r, cause);
        for (size_t i = 0; !forward && i < r.ends.n; i++)
            mark_both(im, s, r.ends.v[i], cause);
        burl__region_deinit(&r);
    }
}

/* A statement that was removed, and one that was added, for the same lock: it was moved, or is of
 * another kind now. */
static const char *
found_again(struct burl__impact *im, struct burl__side *s, LLVMValueRef stmt,
            const struct burl__op *op, const char *name)
{
    struct burl__side *os = s->is ? &im->was : &im->is;
    uint32_t fn = burl__body_ix(os, burl_diff_counterpart(im->d, burl_ir_function(stmt)));
    const char *word = NULL;

    for (size_t i = 0; fn != UINT32_MAX && !word && i < os->fns.v[fn].statements.n; i++) {
        LLVMValueRef x = os->fns.v[fn].statements.v[i];
        struct burl__op y;
        if (burl_diff_counterpart(im->d, x) ||
            !burl__is_lock_statement(os, x,
                                     op->kind == BURL__OP_DROP ? BURL__OP_DROP : BURL__OP_TAKE, &y))
            continue;
        char *other = burl__pointer_name(os, y.lock, "a lock");
        if (strcmp(other, name) == 0)
            word = y.word;
        free(other);
    }
    return word;
}

/* Another kind of the same lock, another lock, another place. */
static char *
lock_reason(struct burl__impact *im, struct burl__side *s, LLVMValueRef stmt,
            const struct burl__op *op)
{
    LLVMValueRef other = burl_diff_counterpart(im->d, stmt);
    struct burl__side *os = s->is ? &im->was : &im->is;
    struct burl__op before = other ? burl__op_of(os, other) : (struct burl__op){ 0 };
    char *name = burl__pointer_name(s, op->lock, "a lock");
    char *old = before.lock ? burl__pointer_name(os, before.lock, "a lock") : NULL;
    const char *again = other ? NULL : found_again(im, s, stmt, op, name);
    char *text;

    if (again && strcmp(again, op->word) == 0)
        text = burl_xasprintf("%s of %s moved", op->word, name);
    else if (again)
        text = burl_xasprintf("%s of %s is now a %s", s->is ? again : op->word, name,
                              s->is ? op->word : again);
    else if (!other)
        text = burl_xasprintf("%s of %s %s", op->word, name, s->is ? "added" : "removed");
    else if (before.word && op->word && strcmp(before.word, op->word) != 0)
        text = burl_xasprintf("%s of %s is now a %s", s->is ? before.word : op->word, name,
                              s->is ? op->word : before.word);
    else if (old && strcmp(old, name) != 0)
        text = burl_xasprintf("%s of %s is now of %s", op->word, s->is ? old : name,
                              s->is ? name : old);
    else
        text = burl_xasprintf("%s of %s changed", op->word, name);
    free(name);
    free(old);
    return text;
}

static bool
apply_lock(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst)
{
    struct burl__op op;

    if (!burl__is_lock_statement(s, inst, BURL__OP_TAKE, &op) &&
        !burl__is_lock_statement(s, inst, BURL__OP_DROP, &op))
        return false;
    char *why = lock_reason(im, s, inst, &op);
    uint32_t cause = burl__cause(im, inst, BURL_RULE_REGION, "%s", why);
    free(why);
    burl__apply_region(im, s, inst, cause);
    return true;
}

/* All regions of locks that it may be. */
static void
apply_init(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst,
           const struct burl__op *op)
{
    LLVMValueRef at = burl__in_new(im, s, inst);
    struct burl__op now = at ? burl__op_of(&im->is, at) : *op;
    char *name = burl__pointer_name(s, op->lock, "a lock");
    uint32_t cause =
        burl__cause(im, inst, BURL_RULE_REGION, "%s of %s %s", op->word, name, how(im, s, inst));

    free(name);
    for (size_t f = 0; f < im->is.fns.n; f++) {
        for (LLVMValueRef i = burl_ir_first(im->is.fns.v[f].fn); i; i = burl_ir_next(i)) {
            struct burl__op take = burl__op_of(&im->is, i);
            struct burl__held h = { .ptr = { take.lock }, .n_ptr = 1 };
            if ((take.kind == BURL__OP_TAKE || take.kind == BURL__OP_TRY) &&
                (take.family & op->family) && take.lock &&
                (!at || burl__may_be_lock(im->sp, &h, now.lock)))
                burl__apply_region(im, &im->is, i, cause);
        }
    }
}

/* Attributes are set on a local object; what is initialized in the same function has them. */
static void
apply_attribute(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst)
{
    for (LLVMValueRef i = burl_ir_first(burl_ir_function(inst)); i; i = burl_ir_next(i)) {
        struct burl__op op = burl__op_of(s, i);
        if (op.kind == BURL__OP_INIT)
            apply_init(im, s, i, &op);
    }
}

/* ---- threads ---- */

void
burl__spawned_at(const struct burl__side *s, LLVMValueRef inst, struct burl_u32s *out)
{
    struct burl_u32s below = { 0 };

    for (uint32_t i = burl__first_call(s, inst); i != UINT32_MAX; i = s->calls.v[i].next)
        burl_u32s_add(s->calls.v[i].spawn ? out : &below, s->calls.v[i].callee);
    /* The constructor of std::thread starts it further down. */
    burl__reach(s, &below, false);
    for (size_t i = 0; i < below.n; i++) {
        const struct burl__body *f = &s->fns.v[below.v[i]];
        for (size_t k = 0; k < f->out.n; k++)
            if (s->calls.v[f->out.v[k]].spawn)
                burl_u32s_add(out, s->calls.v[f->out.v[k]].callee);
    }
    BURL_VEC_FREE(&below);
}

static void
apply_create(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst)
{
    struct burl_u32s fns = { 0 };
    uint32_t cause;

    burl__spawned_at(s, inst, &fns);
    cause = burl__cause(im, inst, BURL_RULE_THREAD, "thread %s%s%s",
                        fns.n == 1 ? burl__sp_function_name(s->names, s->fns.v[fns.v[0]].fn) : "",
                        fns.n == 1 ? " " : "",
                        burl_diff_counterpart(im->d, inst) ? "is started in another way"
                        : s->is                            ? "started here"
                                                           : "no longer started here");
    burl__reach(s, &fns, true);
    burl__mark_functions(im, s, &fns, cause);
    burl__mark_function(im, s, burl__body_ix(s, burl_ir_function(inst)), cause);
    if (s->is)
        BURL_VEC_PUSH(&im->creates, inst);
    BURL_VEC_FREE(&fns);
}

/* What ran beside a join that is gone may now run beside what follows it. */
static void
mark_joined(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst, uint32_t cause)
{
    struct burl_u32s fns = { 0 };
    LLVMValueRef fn = burl_ir_function(inst);

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (burl__op_of(s, i).kind == BURL__OP_CREATE)
            burl__spawned_at(s, i, &fns);
    for (size_t i = 0; fns.n == 0 && i < s->calls.n; i++)
        if (s->calls.v[i].spawn)
            burl_u32s_add(&fns, s->calls.v[i].callee);
    burl__reach(s, &fns, true);
    burl__mark_functions(im, s, &fns, cause);
    BURL_VEC_FREE(&fns);
}

/* ---- the rest ---- */

static void
mark_around(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst, uint32_t family,
            uint32_t cause)
{
    struct burl__region r = { 0 };

    burl__mark_function(im, s, burl__body_ix(s, burl_ir_function(inst)), cause);
    /* One more wait orders more of what follows. */
    if (s->is && !burl_diff_counterpart(im->d, inst))
        return;
    if (family & BURL__WAITS) {
        burl__region_open(s, inst, true, true, &r);
        burl__mark_region(im, s, &r, cause);
        burl__region_deinit(&r);
    }
    if (family & BURL__JOIN)
        mark_joined(im, s, inst, cause);
}

/* A call of a function that synchronizes somewhere inside. */
static uint32_t
called_syncs(const struct burl__side *s, LLVMValueRef inst)
{
    uint32_t families = 0;

    for (uint32_t i = burl__first_call(s, inst); i != UINT32_MAX; i = s->calls.v[i].next)
        if (!s->calls.v[i].later && !s->calls.v[i].spawn)
            families |= s->fns.v[s->calls.v[i].callee].syncs;
    return families;
}

static bool
apply_wrapped(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst)
{
    uint32_t families = burl_ir_is_call(inst) ? called_syncs(s, inst) : 0;
    LLVMValueRef f = families ? burl_ir_callee(inst) : NULL;
    bool of_library = f && burl_libfn_is_cxx(burl_ir_name(f));

    /* That a function which waits is called in one more place hides nothing from the rest. */
    if (!families || burl_diff_counterpart(im->d, inst) || (s->is && !of_library))
        return false;
    uint32_t cause = burl__cause(
        im, inst, BURL_RULE_SYNC, "call of %s, which synchronizes, %s",
        f ? burl__sp_function_name(s->names, burl_program_definition(s->p, f)) : "a function",
        how(im, s, inst));
    mark_around(im, s, inst, families, cause);
    return true;
}

/* A fence that only got stronger orders no less. */
static bool
is_stronger(const struct burl__impact *im, const struct burl__side *s, LLVMValueRef inst)
{
    LLVMValueRef other = burl_diff_counterpart(im->d, inst);

    if (!other || !LLVMIsAFenceInst(inst) || !LLVMIsAFenceInst(other))
        return false;
    LLVMAtomicOrdering now = burl__order_of(s->is ? inst : other);
    LLVMAtomicOrdering before = burl__order_of(s->is ? other : inst);
    return now >= before &&
           !(before == LLVMAtomicOrderingAcquire && now == LLVMAtomicOrderingRelease);
}

void
burl__apply_sync(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst)
{
    struct burl__op op = burl__op_of(s, inst);
    LLVMValueRef other = burl_diff_counterpart(im->d, inst);

    /* Only what comes after it differs. */
    if (other && burl_ir_is_call(inst) &&
        burl__same_operands(im, s->is ? inst : other, s->is ? other : inst))
        return;
    if (op.kind == BURL__OP_CREATE) {
        apply_create(im, s, inst);
        return;
    }
    if (op.kind == BURL__OP_INIT) {
        apply_init(im, s, inst, &op);
        return;
    }
    if (op.kind == BURL__OP_SYNC && (op.family & BURL__ATTRIBUTE)) {
        apply_attribute(im, s, inst);
        return;
    }
    bool locks = apply_lock(im, s, inst);
    if (op.kind == BURL__OP_SYNC || (op.family & BURL__SEM)) {
        /* A fence more, or a stronger one, orders more. */
        if ((op.family & BURL__FENCE) &&
            ((s->is && !burl_diff_counterpart(im->d, inst)) || is_stronger(im, s, inst)))
            return;
        mark_around(im, s, inst, op.family,
                    burl__cause(im, inst, BURL_RULE_SYNC, "%s %s", op.word, how(im, s, inst)));
    } else if (!locks) {
        apply_wrapped(im, s, inst);
    }
}

/* while (!ready) wait() that became if (!ready) wait(). */
void
burl__apply_wait_loops(struct burl__impact *im)
{
    for (size_t k = 0; k < im->d->functions.n; k++) {
        const struct burl_diff_function *f = &im->d->functions.v[k];
        for (LLVMValueRef i = f->was && f->is && !f->equal ? burl_ir_first(f->was) : NULL; i;
             i = burl_ir_next(i)) {
            struct burl__op op = burl__op_of(&im->was, i);
            LLVMValueRef now = burl_diff_counterpart(im->d, i);
            if (op.kind != BURL__OP_SYNC || !(op.family & BURL__COND_WAIT) || !now ||
                !burl__in_cycle(LLVMGetInstructionParent(i)) ||
                burl__in_cycle(LLVMGetInstructionParent(now)))
                continue;
            mark_around(im, &im->is, now, op.family,
                        burl__cause(im, now, BURL_RULE_SYNC, "%s is no longer in a loop", op.word));
        }
    }
}

/* One region for all such statements: what one of them has marked need not be walked again. */
static void
mark_dependent(struct burl__impact *im, LLVMValueRef stmt, bool forward, uint32_t cause)
{
    struct burl__region *r = &im->dependent[!forward];
    size_t n = r->insts.n, m = r->called.n;

    (void)burl__region_walk(&im->is, stmt, forward, r);
    if (r->called.n > m)
        burl__reach(&im->is, &r->called, false);
    for (; n < r->insts.n; n++)
        burl__mark(im, r->insts.v[n], cause);
    for (; m < r->called.n; m++)
        burl__mark_function(im, &im->is, r->called.v[m], cause);
}

void
burl__apply_dependent(struct burl__impact *im, LLVMValueRef inst, uint32_t cause)
{
    struct burl__side *s = &im->is;
    struct burl__op op = burl__op_of(s, inst), lock;
    struct burl_u32s fns = { 0 };

    /* Inside a guard of the C++ library the statement is one for all guards; their constructors and
     * destructors are statements themselves. */
    if (burl_libfn_is_cxx(burl_ir_name(burl_ir_function(inst))))
        return;
    for (int forward = 1; forward >= 0; forward--) {
        if (!burl__is_lock_statement(s, inst, forward ? BURL__OP_TAKE : BURL__OP_DROP, &lock))
            continue;
        char *name = burl__pointer_name(s, lock.lock, "a lock");
        mark_dependent(im, inst, forward,
                       burl__cause(im, inst, BURL_RULE_REGION, "%s of %s depends on: %s", lock.word,
                                   name, im->causes.v[cause].text));
        free(name);
    }
    if (op.kind == BURL__OP_SYNC && (op.family & BURL__WAITS))
        mark_around(im, s, inst, op.family,
                    burl__cause(im, inst, BURL_RULE_SYNC, "%s depends on: %s", op.word,
                                im->causes.v[cause].text));
    if (op.kind == BURL__OP_CREATE) {
        burl__spawned_at(s, inst, &fns);
        burl__reach(s, &fns, true);
        BURL_VEC_PUSH(&im->creates, inst);
        burl__mark_functions(im, s, &fns,
                             burl__cause(im, inst, BURL_RULE_THREAD, "start of the thread: %s",
                                         im->causes.v[cause].text));
        BURL_VEC_FREE(&fns);
    }
}
