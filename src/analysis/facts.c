/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/facts.c - accesses that are never the last, or never the first, of their section.
 *
 * Runs in burl-analyse. The paper's typical pair that cannot be covered: two threads read and then
 * write x under one lock; after the read of one comes its own write, never that of the other. For
 * each access under a lock that only one thread can hold: does every way from it meet another
 * access to surely the same bytes before the lock may be given up (NEVER_LAST)? Does every way to
 * it come from one, since the lock was taken (NEVER_FIRST)?
 *
 * Looks at one function only, and gives up at its ends. A call may give up a lock when something it
 * leads to unlocks or waits with one that points-to cannot tell from it. Threads that are cancelled
 * and jumps over frames leave sections at odd places: programs with either have no facts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/sp_int.h"

/* Ways are followed over this many instructions: sections are short. */
enum { MAX_STEPS = 2000 };

struct search {
    struct burl__sp *sp;
    const struct burl__access *a;
    struct burl__addr at;
    bool forward;
    struct burl_valmap seen; /* blocks entered */
    struct {
        BURL_VEC_OF(LLVMBasicBlockRef);
    } todo;
    const struct burl_valmap *access_at; /* instruction -> first access + 1 */
    uint32_t witness;
    int steps;
};

/* May this call end (or, backwards, begin) the section? */
static bool
touches_locks(const struct burl__sp *sp, uint32_t fn, LLVMValueRef call)
{
    LLVMValueRef lock;
    const struct burl__fn *f = &sp->fns.v[fn];

    if (burl__lock_op(sp, call, &lock) != BURL__LOCK_NONE)
        return true;
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        if (e->call == call &&
            (sp->locking[e->callee].releases.n > 0 || sp->locking[e->callee].gains.n > 0))
            return true;
    }
    return false;
}

/* An access to all bytes of ours, as the instruction at hand does it; UINT32_MAX none. */
static uint32_t
find_witness(struct search *s, LLVMValueRef inst)
{
    uint32_t ix;

    if (!burl_valmap_get(s->access_at, inst, &ix))
        return UINT32_MAX;
    for (uint32_t i = ix; i < s->sp->accesses.n && s->sp->accesses.v[i].inst == inst; i++) {
        const struct burl__access *w = &s->sp->accesses.v[i];
        if (w == s->a || !w->exact || w->n_ptr != 1 || w->target == UINT32_MAX ||
            (w->flags & BURL_TARGET_ASSERT) || w->copy_of != UINT32_MAX)
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
        if (s->witness == UINT32_MAX)
            s->witness = w;
        return STEP_MET;
    }
    if (burl__node_has(s->sp, s->at.node, inst))
        return STEP_LOST; /* from here on (back) the expression means another address */
    if (LLVMIsAReturnInst(inst) || LLVMIsAResumeInst(inst))
        return STEP_LOST;
    if (burl__is_call(inst) && touches_locks(s->sp, s->a->fn, inst))
        return STEP_LOST;
    return STEP_ON;
}

static void
enter_block(struct search *s, LLVMBasicBlockRef b)
{
    uint32_t unused;

    if (burl_valmap_get(&s->seen, b, &unused))
        return;
    burl_valmap_set(&s->seen, b, 1);
    BURL_VEC_PUSH(&s->todo, b);
}

static void
enter_next(struct search *s, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    if (s->forward) {
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            enter_block(s, LLVMGetSuccessor(end, i));
        return;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
        if (LLVMIsATerminatorInst(LLVMGetUser(u)))
            enter_block(s, LLVMGetInstructionParent(LLVMGetUser(u)));
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

    while (ok && s->todo.n > 0) {
        b = s->todo.v[--s->todo.n];
        ok = walk_from(s, s->forward ? LLVMGetFirstInstruction(b) : LLVMGetLastInstruction(b), b);
    }
    burl_valmap_deinit(&s->seen);
    BURL_VEC_FREE(&s->todo);
    return ok && s->witness != UINT32_MAX;
}

/* Locks that only one can hold. */
static bool
has_exclusive(const struct burl__sp *sp, const struct burl__access *a)
{
    for (size_t i = 0; i < a->locks.n; i++)
        if (!sp->t->locks.v[a->locks.v[i]].shared)
            return true;
    return false;
}

static void
add_fact(struct burl__sp *sp, const struct burl__access *a, uint32_t witness, uint8_t kind)
{
    for (size_t i = 0; i < a->locks.n; i++) {
        uint32_t lock = a->locks.v[i];
        if (!sp->t->locks.v[lock].shared)
            BURL_VEC_PUSH(&sp->t->facts,
                          (struct burl_target_fact){ .site = a->target,
                                                     .witness = sp->accesses.v[witness].target,
                                                     .lock = lock,
                                                     .kind = kind });
    }
}

static void
find_facts(struct burl__sp *sp, const struct burl_valmap *access_at, const struct burl__access *a)
{
    for (int forward = 1; forward >= 0; forward--) {
        struct search s = { .sp = sp,
                            .a = a,
                            .at = burl__addr_of(sp, a->ptr[0]),
                            .forward = forward,
                            .access_at = access_at,
                            .witness = UINT32_MAX };
        if (every_way_meets(&s))
            add_fact(sp, a, s.witness, forward ? BURL_TARGET_NEVER_LAST : BURL_TARGET_NEVER_FIRST);
    }
}

/* Sections may end where no unlock is written. */
static bool
leaves_sections(const struct burl__sp *sp)
{
    static const char *const names[] = { "pthread_cancel", "longjmp", "siglongjmp", "_longjmp",
                                         "__longjmp_chk" };

    for (size_t m = 0; m < sp->p->modules.n; m++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (LLVMGetNamedFunction(sp->p->modules.v[m].mod, names[i]))
                return true;
    return false;
}

void
burl__sp_facts(struct burl__sp *sp)
{
    struct burl_valmap access_at = { 0 };

    if (leaves_sections(sp))
        return;
    for (size_t i = sp->accesses.n; i-- > 0;)
        if (sp->accesses.v[i].copy_of == UINT32_MAX)
            burl_valmap_set(&access_at, sp->accesses.v[i].inst, (uint32_t)i);
    for (size_t i = 0; i < sp->accesses.n; i++) {
        const struct burl__access *a = &sp->accesses.v[i];
        if (a->target != UINT32_MAX && a->copy_of == UINT32_MAX && a->exact && a->n_ptr == 1 &&
            has_exclusive(sp, a))
            find_facts(sp, &access_at, a);
    }
    burl_valmap_deinit(&access_at);
}
