/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/alive.c - where the main thread must be alone: before the first create, and after
 * all created threads were joined.
 *
 * Runs in burl-analyze. A forward dataflow over each function that the main thread executes, with
 * summaries of callees (may it start threads, may it leave one running). Two facts at each point:
 * may a thread have been created, and which creates of this function may still be open. A join
 * closes a create only if loops.c proves it. A thread that starts threads is closed by its join
 * only if it leaves none running. The constructor of std::thread counts as a create of the function
 * that calls it, if the thread is joined there.
 *
 * One fact for all calls of a function: one that is called both before and after counts as neither.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

/* Bits of burl__state.open above those of the function's own spawns and makers. */
#define OPEN_ENTRY (1ull << 62)
#define OPEN_CALLEE (1ull << 63)

enum { MAX_OWN = 62 };

/* The bit of a spawn or maker among those of its function; 0 it is none. */
static uint64_t
spawn_bit(const struct burl__sp *sp, LLVMValueRef call, uint32_t fn)
{
    uint32_t k = 0;

    for (size_t i = 0; i < sp->spawns.n; i++) {
        if (sp->spawns.v[i].fn != fn)
            continue;
        if (sp->spawns.v[i].call == call)
            return k < MAX_OWN ? 1ull << k : OPEN_CALLEE;
        k++;
    }
    return 0;
}

static bool
is_spawn(const struct burl__sp *sp, LLVMValueRef call)
{
    for (size_t i = 0; i < sp->spawns.n; i++)
        if (sp->spawns.v[i].call == call && sp->spawns.v[i].callee == UINT32_MAX)
            return true;
    return false;
}

/* What one started leaves running when it has ended itself. */
static bool
spawn_outlives(const struct burl__sp *sp, const struct burl__spawn *s)
{
    uint32_t n, n_ours = 0;
    const LLVMValueRef *starts = burl_pts_spawned(sp->pts, s->call, &n);

    for (uint32_t i = 0; i < n; i++)
        /* The entry of a pure virtual function: calling it ends the program. */
        n_ours += strcmp(burl_ir_name(starts[i]), "__cxa_pure_virtual") != 0;
    if (n_ours != s->roots.n)
        return true; /* starts something that is not ours */
    for (size_t i = 0; i < s->roots.n; i++)
        for (size_t k = 0; k < sp->fns.n; k++)
            if (sp->fns.v[k].leaves_open && burl_u32s_has(&sp->fns.v[k].roots, s->roots.v[i]))
                return true;
    return false;
}

/* All that it starts is started in calls of std::thread's constructor below it. */
static bool
maker_outlives(const struct burl__sp *sp, const struct burl__spawn *m)
{
    struct burl_u32s below = { 0 };
    bool found = false, longer = false;

    BURL_VEC_PUSH(&below, m->callee);
    for (size_t k = 0; k < below.n; k++) {
        const struct burl__fn *f = &sp->fns.v[below.v[k]];
        for (size_t i = 0; i < sp->spawns.n; i++) {
            if (sp->spawns.v[i].fn != below.v[k] || sp->spawns.v[i].callee != UINT32_MAX)
                continue;
            found = true;
            longer |= spawn_outlives(sp, &sp->spawns.v[i]);
        }
        for (size_t i = 0; i < f->out.n; i++) {
            const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
            if (sp->fns.v[e->callee].spawns && burl_u32s_add(&below, e->callee))
                longer |= e->later;
        }
    }
    BURL_VEC_FREE(&below);
    return longer || !found;
}

static uint64_t
closed_by(const struct burl__sp *sp, const void *at, uint32_t fn)
{
    uint64_t bits = 0;
    uint32_t ix;

    if (!burl_valmap_get(&sp->closes, at, &ix))
        return 0;
    for (; ix != UINT32_MAX; ix = sp->closings.v[ix].next) {
        const struct burl__spawn *s = &sp->spawns.v[sp->closings.v[ix].what];
        if (!(s->callee == UINT32_MAX ? spawn_outlives : maker_outlives)(sp, s))
            bits |= spawn_bit(sp, s->call, fn);
    }
    return bits & ~OPEN_CALLEE;
}

void
burl__sp_close(struct burl__sp *sp, void *at, uint32_t what)
{
    struct burl__closing c = { what, UINT32_MAX };
    uint32_t first;

    if (burl_valmap_get(&sp->closes, at, &first))
        c.next = first;
    burl_valmap_set(&sp->closes, at, (uint32_t)sp->closings.n);
    BURL_VEC_PUSH(&sp->closings, c);
}

/* The effect of one instruction; `throws`: on the exceptional edge. */
static void
pass_inst(const struct burl__sp *sp, uint32_t fn, LLVMValueRef inst, bool throws,
          struct burl__state *st)
{
    const struct burl__fn *f = &sp->fns.v[fn];

    if (!burl_ir_is_call(inst))
        return;
    if (!throws)
        st->open &= ~closed_by(sp, inst, fn);
    if (is_spawn(sp, inst)) {
        st->created = true;
        st->open |= spawn_bit(sp, inst, fn);
        return;
    }
    if (!f->spawns)
        return;
    uint64_t made = spawn_bit(sp, inst, fn);
    if (made) {
        st->created = true;
        st->open |= throws ? 0 : made; /* what cannot start a thread throws */
        return;
    }
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        if (e->call != inst || !sp->fns.v[e->callee].spawns)
            continue;
        st->created = true;
        if (sp->fns.v[e->callee].leaves_open || throws || e->later)
            st->open |= OPEN_CALLEE;
    }
}

static struct burl__state *
state_of(struct burl__sp *sp, LLVMBasicBlockRef b)
{
    uint32_t ix = (uint32_t)sp->states.n;

    if (!burl_valmap_find_or_add(&sp->alive, b, &ix))
        (void)BURL_VEC_ADD(&sp->states);
    return &sp->states.v[ix];
}

static bool
merge_state(struct burl__sp *sp, uint32_t fn, LLVMBasicBlockRef b, const struct burl__state *from)
{
    struct burl__state *to = state_of(sp, b);
    struct burl__state old = *to;

    to->reached = true;
    to->created |= from->created;
    to->open |= from->open & ~closed_by(sp, b, fn);
    return old.reached != to->reached || old.created != to->created || old.open != to->open;
}

/* Once over the blocks of a function; true when something changed. */
static bool
flow_blocks(struct burl__sp *sp, uint32_t fn, uint64_t *at_return)
{
    bool changed = false;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(sp->fns.v[fn].fn); b;
         b = LLVMGetNextBasicBlock(b)) {
        struct burl__state st = *state_of(sp, b);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!st.reached || !end)
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && i != end;
             i = LLVMGetNextInstruction(i))
            pass_inst(sp, fn, i, false, &st);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            struct burl__state next = st;
            pass_inst(sp, fn, end, LLVMIsAInvokeInst(end) && k == 1, &next);
            changed |= merge_state(sp, fn, LLVMGetSuccessor(end, k), &next);
        }
        if (burl__leaves_function(b))
            *at_return |= st.open;
    }
    return changed;
}

static bool
flow_function(struct burl__sp *sp, uint32_t fn)
{
    struct burl__fn *f = &sp->fns.v[fn];
    struct burl__state in = { .reached = true,
                              .created = f->entered_created,
                              .open = f->entered_open ? OPEN_ENTRY : 0 };
    uint64_t at_return = 0;
    bool changed;

    if (!LLVMGetFirstBasicBlock(f->fn))
        return false;
    changed = merge_state(sp, fn, LLVMGetFirstBasicBlock(f->fn), &in);
    while (flow_blocks(sp, fn, &at_return))
        changed = true;
    if ((at_return & ~OPEN_ENTRY) && !f->leaves_open) {
        f->leaves_open = true;
        changed = true;
    }
    return changed;
}

/* The state right before `inst`; false when it is never reached. */
static bool
state_before(const struct burl__sp *sp, uint32_t fn, LLVMValueRef inst, struct burl__state *st)
{
    LLVMBasicBlockRef b = LLVMGetInstructionParent(inst);
    uint32_t ix;

    if (!burl_valmap_get(&sp->alive, b, &ix) || !sp->states.v[ix].reached)
        return false;
    *st = sp->states.v[ix];
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && i != inst; i = LLVMGetNextInstruction(i))
        pass_inst(sp, fn, i, false, st);
    return true;
}

/* Propagates the state at calls to the entries of callees. */
static bool
enter_callees(struct burl__sp *sp, uint32_t fn)
{
    const struct burl__fn *f = &sp->fns.v[fn];
    bool changed = false;

    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        struct burl__fn *to = &sp->fns.v[e->callee];
        struct burl__state st;
        if (!state_before(sp, fn, e->call, &st))
            continue;
        st.created |= e->later;
        st.open |= e->later ? OPEN_CALLEE : 0;
        changed |= (st.created && !to->entered_created) || (st.open && !to->entered_open);
        to->entered_created |= st.created;
        to->entered_open |= st.open != 0;
    }
    return changed;
}

bool
burl__sp_may_start(const struct burl__sp *sp, uint32_t fn, LLVMValueRef inst)
{
    struct burl__state st = { 0 };

    pass_inst(sp, fn, inst, false, &st);
    return st.created;
}

/* May one be started after `inst` (NULL: from the start of the block)? */
static bool
is_ahead(struct burl__sp *sp, uint32_t fn, LLVMBasicBlockRef b, LLVMValueRef inst)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    LLVMValueRef i = inst ? LLVMGetNextInstruction(inst) : LLVMGetFirstInstruction(b);

    for (; i; i = LLVMGetNextInstruction(i))
        if (burl__sp_may_start(sp, fn, i))
            return true;
    if (burl__leaves_function(b))
        return sp->fns.v[fn].left_ahead;
    for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
        if (state_of(sp, LLVMGetSuccessor(end, k))->ahead)
            return true;
    return false;
}

/* The same flow backwards. */
static bool
flow_back(struct burl__sp *sp, uint32_t fn)
{
    const struct burl__fn *f = &sp->fns.v[fn];
    bool changed = true, any = false;

    while (changed) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(f->fn); b;
             b = LLVMGetPreviousBasicBlock(b)) {
            if (state_of(sp, b)->ahead || !is_ahead(sp, fn, b, NULL))
                continue;
            state_of(sp, b)->ahead = true;
            changed = any = true;
        }
    }
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        struct burl__fn *to = &sp->fns.v[e->callee];
        if (to->left_ahead || !is_ahead(sp, fn, LLVMGetInstructionParent(e->call), e->call))
            continue;
        to->left_ahead = true;
        any = true;
    }
    return any;
}

/* Where in its function all that `create` started is joined. */
static void
find_closing(struct burl__sp *sp, uint32_t in, LLVMValueRef create, size_t number)
{
    LLVMValueRef fn = sp->fns.v[in].fn;

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        void *at = burl_ir_is_call(i) ? burl__sp_closing(sp, create, i) : NULL;
        if (at)
            burl__sp_close(sp, at, (uint32_t)number);
    }
}

static void
find_closings(struct burl__sp *sp)
{
    for (size_t s = 0; s < sp->spawns.n; s++)
        find_closing(sp, sp->spawns.v[s].fn, sp->spawns.v[s].call, s);
    for (size_t i = 0; i < sp->edges.n; i++) {
        const struct burl__edge *e = &sp->edges.v[i];
        if (e->later || sp->fns.v[e->caller].roots.n == 0 || !sp->fns.v[e->callee].spawns ||
            burl__callee(sp, e->call) != sp->fns.v[e->callee].fn ||
            (!burl__sp_is_cxx_create(sp, e->call) && !burl__sp_is_cxx_keeping(sp, e->call)))
            continue;
        BURL_VEC_PUSH(&sp->spawns, (struct burl__spawn){
                                       .call = e->call, .fn = e->caller, .callee = e->callee });
        find_closing(sp, e->caller, e->call, sp->spawns.n - 1);
    }
    burl__sp_cxx_closings(sp);
}

void
burl__sp_alive(struct burl__sp *sp)
{
    bool spawning_entry = false, changed = true;

    /* Jumps over frames skip joins: with them in the program no thread is known to have exited. */
    if (!burl_program_has_traits(sp->p, BURL_FN_JUMPS))
        find_closings(sp);
    /* Constructors come before main, in an order we do not look into; destructors after it. */
    for (size_t i = 0; i < sp->entries.v[0].n; i++) {
        struct burl__fn *f = &sp->fns.v[sp->entries.v[0].v[i]];
        f->entered_created |= spawning_entry;
        f->entered_open |= spawning_entry;
        spawning_entry |= f->spawns;
    }
    spawning_entry = false;
    for (size_t i = sp->entries.v[0].n; i-- > 0;) {
        struct burl__fn *f = &sp->fns.v[sp->entries.v[0].v[i]];
        f->left_ahead |= spawning_entry;
        spawning_entry |= f->spawns;
    }
    /* A handler or a function left for the end that starts threads: at any time. */
    for (size_t i = 0; i < sp->edges.n; i++)
        if (sp->edges.v[i].later && sp->fns.v[sp->edges.v[i].callee].spawns)
            for (size_t k = 0; k < sp->fns.n; k++)
                sp->fns.v[k].left_ahead = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < sp->fns.n; i++) {
            if (sp->fns.v[i].roots.n == 0)
                continue;
            changed |= flow_function(sp, i);
            changed |= enter_callees(sp, i);
            changed |= flow_back(sp, i);
        }
    }
}

/* In the main thread alone. */
static bool
state_in_main(const struct burl__sp *sp, LLVMValueRef inst, uint32_t fn, struct burl__state *st)
{
    const struct burl_u32s *roots = &sp->fns.v[fn].roots;

    return roots->n == 1 && roots->v[0] == 0 && !sp->t->roots.v[0].many &&
           state_before(sp, fn, inst, st);
}

bool
burl__sp_is_before(const struct burl__sp *sp, LLVMValueRef inst, uint32_t fn)
{
    struct burl__state st;

    return state_in_main(sp, inst, fn, &st) && !st.created;
}

bool
burl__sp_is_after(struct burl__sp *sp, LLVMValueRef inst, uint32_t fn)
{
    struct burl__state st;

    return state_in_main(sp, inst, fn, &st) && st.created && !st.open &&
           !is_ahead(sp, fn, LLVMGetInstructionParent(inst), inst);
}
