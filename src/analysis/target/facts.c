/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/facts.c - accesses that are never the last, or never the first, of their critical
 * section.
 *
 * Runs in burl-analyze. The paper's typical infeasible pair: two threads read and then write x
 * under one lock; the read of one is followed by its own write, never by that of the other. For
 * each access under a lock: does every path from it reach another access to must-alias bytes before
 * the lock may be released (NEVER_LAST)? Does every path to it come from one, since the lock was
 * acquired (NEVER_FIRST)? A section that holds the lock shared counts too: it excludes exclusive
 * holders.
 *
 * The same without a lock where the main thread is alone: another access comes before the first
 * thread is started; or another has come since all have exited. A test that prints a result and
 * then compares it has such a second read.
 *
 * The analysis is intraprocedural and gives up at the function's ends, including calls that may
 * throw. A call may release a lock if something it leads to unlocks or waits with one that may
 * alias it. Thread cancellation and longjmp leave sections at arbitrary points: programs with
 * either have no facts.
 *
 * The witness of a fact is the access that every path reaches. If different paths reach different
 * accesses the fact holds without a witness: nothing is claimed of an access that is not true of it
 * alone.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

/* Paths are followed over this many instructions: sections are short. */
enum { MAX_STEPS = 2000 };

struct search {
    struct burl__sp *sp;
    struct burl_valmap access_at; /* instruction -> first access */
    /* Of the fact at hand. */
    const struct burl__access *a;
    const struct burl__held *lock; /* whose section it is; NULL the main thread alone */
    struct burl__addr at;
    bool forward;
    uint32_t only; /* no other access is a witness; UINT32_MAX any is */
    bool several;  /* more than one was met */
    uint32_t witness;
    int steps;
    struct burl__walk walk;
};

/* May this call end (or, backwards, begin) the section? Taking another lock does neither; taking
 * what may be ours can only be its beginning. */
static bool
touches_lock(const struct search *s, LLVMValueRef call)
{
    const struct burl__sp *sp = s->sp;
    const struct burl__fn *f = &sp->fns.v[s->a->fn];
    LLVMValueRef lock;

    if (burl__lock_op(sp, call, &lock) != BURL_FN_LOCK_NONE)
        return burl__may_be_lock(sp, s->lock, lock);
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        if (e->call != call || e->later)
            continue;
        const struct burl__locking *k = &sp->locking[e->callee];
        if (burl__may_be_in(sp, s->lock, &k->releases))
            return true;
        for (size_t g = 0; g < k->gains.n; g++) {
            const struct burl__held *h = &k->gains.v[g];
            for (uint8_t p = 0; p < (h->n_ptr ? h->n_ptr : 1); p++)
                if (burl__may_be_lock(sp, s->lock, h->n_ptr ? h->ptr[p] : NULL))
                    return true;
        }
    }
    return false;
}

/* May another thread run after it (backwards: before it)? */
static bool
ends_alone(const struct search *s, LLVMValueRef inst)
{
    if (s->forward)
        return burl__sp_may_start(s->sp, s->a->fn, inst);
    return !burl__sp_is_after(s->sp, inst, s->a->fn);
}

/* An access to all bytes of ours, as the instruction at hand does it; UINT32_MAX none. */
static uint32_t
find_witness(struct search *s, LLVMValueRef inst)
{
    uint32_t ix;

    if (!burl_valmap_get(&s->access_at, inst, &ix))
        return UINT32_MAX;
    for (uint32_t i = ix; i < s->sp->accesses.n && s->sp->accesses.v[i].inst == inst; i++) {
        const struct burl__access *w = &s->sp->accesses.v[i];
        if (w == s->a || (s->only != UINT32_MAX && s->only != i) || !w->exact || w->n_ptr != 1 ||
            w->target == UINT32_MAX || (w->flags & BURL_SP_ASSERT) || w->copy_of != UINT32_MAX)
            continue;
        struct burl__addr at = burl__addr_of(s->sp, w->ptr[0]);
        if (at.node == s->at.node && at.off <= s->at.off &&
            at.off + (int64_t)w->bytes >= s->at.off + (int64_t)s->a->bytes)
            return i;
    }
    return UINT32_MAX;
}

enum step { STEP_ON, STEP_MET, STEP_LOST };

static enum step
look_at(struct search *s, LLVMValueRef inst)
{
    if (++s->steps > MAX_STEPS)
        return STEP_LOST;
    uint32_t w = find_witness(s, inst);
    if (w != UINT32_MAX) {
        s->several |= s->witness != UINT32_MAX && s->witness != w;
        s->witness = w;
        return STEP_MET;
    }
    if (burl__node_has(s->sp, s->at.node, inst))
        return STEP_LOST; /* from here on (back) the expression means another address */
    if (LLVMIsAReturnInst(inst) || LLVMIsAResumeInst(inst))
        return STEP_LOST;
    if (!s->lock && (burl_ir_is_call(inst) || LLVMIsATerminatorInst(inst)) && ends_alone(s, inst))
        return STEP_LOST;
    if (!burl_ir_is_call(inst))
        return STEP_ON;
    if (LLVMIsACallInst(inst) && s->forward && burl__may_throw(s->sp, s->a->fn, inst))
        return STEP_LOST;
    return s->lock && touches_lock(s, inst) ? STEP_LOST : STEP_ON;
}

static void
enter_next(struct search *s, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    if (s->forward) {
        bool returns = end && LLVMIsAInvokeInst(end) && !burl__may_throw(s->sp, s->a->fn, end);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (!returns || LLVMGetSuccessor(end, i) != LLVMGetUnwindDest(end))
                burl__walk_visit(&s->walk, LLVMGetSuccessor(end, i));
        return;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
        if (LLVMIsATerminatorInst(LLVMGetUser(u)))
            burl__walk_visit(&s->walk, LLVMGetInstructionParent(LLVMGetUser(u)));
}

/* From an instruction to the end (start) of its block, then on. */
static bool
walk_from(struct search *s, LLVMValueRef i, LLVMBasicBlockRef b)
{
    while (i) {
        enum step st = look_at(s, i);
        if (st != STEP_ON)
            return st == STEP_MET;
        i = s->forward ? LLVMGetNextInstruction(i) : LLVMGetPreviousInstruction(i);
    }
    /* Backwards out of the function: the section began in a caller. */
    if (!s->forward && b == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(b)))
        return false;
    enter_next(s, b);
    return true;
}

static bool
every_way_meets(struct search *s)
{
    LLVMValueRef i = s->a->inst;
    LLVMBasicBlockRef b = LLVMGetInstructionParent(i);
    bool ok =
        walk_from(s, s->forward ? LLVMGetNextInstruction(i) : LLVMGetPreviousInstruction(i), b);

    for (b = burl__walk_next(&s->walk); b && ok; b = burl__walk_next(&s->walk))
        ok = walk_from(s, s->forward ? LLVMGetFirstInstruction(b) : LLVMGetLastInstruction(b), b);
    burl__walk_deinit(&s->walk);
    return ok && s->witness != UINT32_MAX;
}

static bool
find_witnesses(struct search *s, const struct burl__access *a, const struct burl__held *lock,
               bool forward, uint32_t only)
{
    s->a = a;
    s->lock = lock;
    s->at = burl__addr_of(s->sp, a->ptr[0]);
    s->forward = forward;
    s->only = only;
    s->several = false;
    s->witness = UINT32_MAX;
    s->steps = 0;
    return every_way_meets(s);
}

/* One access that every path reaches, where the nearest ones differ; UINT32_MAX none. */
static uint32_t
common_witness(struct search *s)
{
    const struct burl__access *all = s->sp->accesses.v, *a = s->a;
    size_t first = (size_t)(a - all), end = first;

    while (first > 0 && all[first - 1].fn == a->fn && all[first - 1].copy_of == UINT32_MAX)
        first--;
    while (end < s->sp->accesses.n && all[end].fn == a->fn && all[end].copy_of == UINT32_MAX)
        end++;
    for (size_t i = first; i < end; i++)
        if (all[i].path == a->path && find_witnesses(s, a, s->lock, s->forward, (uint32_t)i))
            return (uint32_t)i;
    return UINT32_MAX;
}

static bool
has_fact(const struct burl_sp *t, size_t from, uint32_t lock, uint8_t kind)
{
    for (size_t i = from; i < t->facts.n; i++)
        if (t->facts.v[i].lock == lock && t->facts.v[i].kind == kind)
            return true;
    return false;
}

static void
add_fact(struct search *s)
{
    uint32_t w = s->several ? common_witness(s) : s->witness;

    BURL_VEC_PUSH(
        &s->sp->t->facts,
        (struct burl_sp_fact){ .site = s->a->target,
                               .witness = w == UINT32_MAX ? w : s->sp->accesses.v[w].target,
                               .lock = s->lock ? s->lock->number : UINT32_MAX,
                               .kind = s->forward ? BURL_SP_NEVER_LAST : BURL_SP_NEVER_FIRST });
}

static void
find_facts(struct search *s, const struct burl__access *a)
{
    const struct burl_sp *t = s->sp->t;
    size_t from = t->facts.n;

    for (int forward = 1; forward >= 0; forward--) {
        uint8_t kind = forward ? BURL_SP_NEVER_LAST : BURL_SP_NEVER_FIRST;
        for (size_t i = 0; i < a->held.n; i++)
            if (!has_fact(t, from, a->held.v[i].number, kind) &&
                find_witnesses(s, a, &a->held.v[i], forward, UINT32_MAX))
                add_fact(s);
    }
}

static void
find_alone_facts(struct search *s, const struct burl__access *a)
{
    uint8_t flags = s->sp->t->sites.v[a->target].flags;
    bool forward = (flags & BURL_SP_BEFORE) != 0;

    if ((forward || (flags & BURL_SP_AFTER)) && find_witnesses(s, a, NULL, forward, UINT32_MAX))
        add_fact(s);
}

void
burl__sp_facts(struct burl__sp *sp)
{
    struct search s = { .sp = sp };

    /* Sections may end where no unlock is written. */
    if (burl_program_has_traits(sp->p, BURL_FN_JUMPS | BURL_FN_CANCELS))
        return;
    burl__sp_throws(sp);
    for (size_t i = sp->accesses.n; i-- > 0;)
        if (sp->accesses.v[i].copy_of == UINT32_MAX)
            burl_valmap_set(&s.access_at, sp->accesses.v[i].inst, (uint32_t)i);
    for (int alone = 0; alone < 2; alone++) {
        for (size_t i = 0; i < sp->accesses.n; i++) {
            const struct burl__access *a = &sp->accesses.v[i];
            if (a->target != UINT32_MAX && a->copy_of == UINT32_MAX && a->exact && a->n_ptr == 1)
                (alone ? find_alone_facts : find_facts)(&s, a);
        }
    }
}
