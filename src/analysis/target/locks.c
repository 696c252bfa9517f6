/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/locks.c - must-hold locksets at each access.
 *
 * Runs in burl-analyze. A forward dataflow over each function (locks held on every path), with
 * three summaries per function: locks it must acquire and keep (lock wrappers), locks it may
 * release, and locks held at every call of it. A lock is an expression (addr.c); releasing one
 * drops all that may alias it, so errors go one way: too few locks.
 *
 * Locks get their numbers of the target in locknum.c.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

struct state {
    bool reached;
    struct burl__helds held;
};

struct flow {
    struct burl__sp *sp;
    uint32_t fn;
    struct burl_valmap ix; /* block -> state */
    BURL_VEC(struct state) states;
};

static bool
same_held(const struct burl__held *a, const struct burl__held *b)
{
    return a->at.node == b->at.node && a->at.off == b->at.off && a->shared == b->shared;
}

static bool
has_held(const struct burl__helds *s, const struct burl__held *h)
{
    for (size_t i = 0; i < s->n; i++)
        if (same_held(&s->v[i], h))
            return true;
    return false;
}

static void
add_held(struct burl__helds *s, struct burl__held h)
{
    if (!has_held(s, &h))
        BURL_VEC_PUSH(s, h);
}

static void
copy_helds(struct burl__helds *to, const struct burl__helds *from)
{
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        BURL_VEC_PUSH(to, from->v[i]);
}

/* Keeps what is in both; true when something went. */
static bool
meet_helds(struct burl__helds *to, const struct burl__helds *with)
{
    size_t n = 0;

    for (size_t i = 0; i < to->n; i++)
        if (has_held(with, &to->v[i]))
            to->v[n++] = to->v[i];
    bool shrank = n < to->n;
    to->n = n;
    return shrank;
}

/* Drops locks whose address contains a value that is computed again, that may be at `lock` (NULL
 * any), or that may be at one of `leaves`. */
struct drop {
    enum { DROP_VALUE, DROP_LOCK, DROP_LEAVES } what;
    LLVMValueRef v;
    const struct burl_u32s *leaves;
};

static void
drop_helds(const struct burl__sp *sp, struct burl__helds *s, struct drop d)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct burl__held *h = &s->v[i];
        bool drop = d.what == DROP_VALUE  ? burl__node_has(sp, h->at.node, d.v)
                    : d.what == DROP_LOCK ? burl__may_be_lock(sp, h, d.v)
                                          : burl__may_be_in(sp, h, d.leaves);
        if (!drop)
            s->v[n++] = *h;
    }
    s->n = n;
}

/* ---- expressions across calls ---- */

struct rename {
    uint32_t from;
    struct burl__addr to;
};

enum { MAX_RENAMES = 16 };

static bool
rename_node(struct burl__sp *sp, const struct rename *r, int n, uint32_t node,
            struct burl__addr *out)
{
    struct burl__node x = sp->nodes.v[node];

    for (int i = 0; i < n; i++) {
        if (r[i].from == node) {
            *out = r[i].to;
            return true;
        }
    }
    if (x.kind == BURL__NODE_VALUE) {
        *out = (struct burl__addr){ node, 0 };
        return LLVMIsAGlobalVariable(x.v) != NULL;
    }
    if (x.kind != BURL__NODE_LOAD || !rename_node(sp, r, n, x.parent, out))
        return false;
    x.parent = out->node;
    x.off += out->off;
    *out = (struct burl__addr){ burl__node_intern(sp, &x), 0 };
    return true;
}

/* What the caller calls its arguments is to the callee (`in`) its parameters; and back. */
static int
make_renames(struct burl__sp *sp, LLVMValueRef call, LLVMValueRef fn, bool in, struct rename *r)
{
    unsigned n_args = LLVMGetNumArgOperands(call);
    int n = 0;

    for (unsigned i = 0; i < n_args && i < LLVMCountParams(fn) && n < MAX_RENAMES; i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        if (!burl_ir_is_pointer(arg) || (in && LLVMIsAConstant(arg)))
            continue;
        struct burl__addr a = burl__addr_of(sp, arg);
        uint32_t p = burl__value_node(sp, LLVMGetParam(fn, i));
        r[n++] = in ? (struct rename){ a.node, { p, -a.off } } : (struct rename){ p, a };
    }
    return n;
}

static void
rename_helds(struct burl__sp *sp, const struct rename *r, int n, const struct burl__helds *from,
             struct burl__helds *to)
{
    for (size_t i = 0; i < from->n; i++) {
        struct burl__held h = from->v[i];
        struct burl__addr a;
        if (!rename_node(sp, r, n, h.at.node, &a))
            continue;
        h.at = (struct burl__addr){ a.node, a.off + h.at.off };
        add_held(to, h);
    }
}

/* What a wrapper takes is, for its caller, what it was given: all callers' locks would be more than
 * this one can hold. */
static void
use_arguments(LLVMValueRef call, LLVMValueRef fn, struct burl__helds *s, const struct burl__sp *sp)
{
    for (size_t i = 0; i < s->n; i++) {
        struct burl__held *h = &s->v[i];
        const struct burl__node *x = &sp->nodes.v[h->at.node];
        if (x->kind != BURL__NODE_VALUE || !LLVMIsAArgument(x->v) || h->at.off != 0)
            continue;
        for (unsigned k = 0; k < LLVMCountParams(fn) && k < LLVMGetNumArgOperands(call); k++) {
            if (LLVMGetParam(fn, k) == x->v) {
                h->ptr[0] = LLVMGetOperand(call, k);
                h->n_ptr = 1;
            }
        }
    }
}

/* ---- the flow in one function ---- */

/* A direct call of the function that the edge leads to; what is given may then be followed. */
static bool
is_direct(const struct burl__sp *sp, const struct burl__edge *e)
{
    return burl__callee(sp, e->call) == sp->fns.v[e->callee].fn;
}

static struct burl__held
taken_lock(struct burl__sp *sp, LLVMValueRef call, LLVMValueRef lock, bool shared)
{
    return (struct burl__held){ .at = burl__addr_of(sp, lock),
                                .ptr = { lock },
                                .n_ptr = 1,
                                .shared = shared,
                                .size_b = burl__lock_size(sp, call) };
}

static void
add_gains(struct burl__sp *sp, LLVMValueRef call, const struct burl__edge *e, struct burl__helds *s)
{
    LLVMValueRef callee = sp->fns.v[e->callee].fn;
    struct burl__helds gains = { 0 };
    struct rename r[MAX_RENAMES];
    int n = make_renames(sp, call, callee, false, r);

    copy_helds(&gains, &sp->locking[e->callee].gains);
    use_arguments(call, callee, &gains, sp);
    rename_helds(sp, r, n, &gains, s);
    BURL_VEC_FREE(&gains);
}

/* `returns` is false on the exceptional edge: locks that the call would have acquired are not
 * held. */
static void
pass_call(struct burl__sp *sp, uint32_t fn, LLVMValueRef call, struct burl__helds *s, bool returns)
{
    LLVMValueRef lock = NULL;
    enum burl_libfn_lock op = burl__lock_op(sp, call, &lock);
    const struct burl__fn *f = &sp->fns.v[fn];
    unsigned n_args = LLVMGetNumArgOperands(call);

    if ((op == BURL_FN_LOCK_TAKE || op == BURL_FN_LOCK_TAKE_SHARED) && returns && lock)
        add_held(s, taken_lock(sp, call, lock, op == BURL_FN_LOCK_TAKE_SHARED));
    for (unsigned i = 0; op == BURL_FN_LOCK_TAKE && returns && !lock && i < n_args; i++)
        add_held(s, taken_lock(sp, call, LLVMGetOperand(call, i), false));
    if (op == BURL_FN_LOCK_DROP)
        drop_helds(sp, s, (struct drop){ DROP_LOCK, .v = lock });
    if (op != BURL_FN_LOCK_NONE)
        return;
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        if (e->call != call || e->later)
            continue;
        const struct burl__locking *k = &sp->locking[e->callee];
        drop_helds(sp, s, (struct drop){ DROP_LEAVES, .leaves = &k->unlocks });
        if (returns && k->gains.n > 0 && is_direct(sp, e))
            add_gains(sp, call, e, s);
    }
}

static void
pass_inst(struct burl__sp *sp, uint32_t fn, LLVMValueRef i, struct burl__helds *s)
{
    if (s->n > 0)
        drop_helds(sp, s, (struct drop){ DROP_VALUE, .v = i });
    if (burl_ir_is_call(i))
        pass_call(sp, fn, i, s, true);
}

/* The lock that is held on the k-th edge out of `end` only (trylock). */
static bool
tried_lock(struct burl__sp *sp, LLVMValueRef end, unsigned k, struct burl__held *out)
{
    LLVMValueRef lock,
        test = LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;

    if (!test || !LLVMIsAICmpInst(test))
        return false;
    LLVMValueRef call = LLVMGetOperand(test, 0);
    if (!LLVMIsACallInst(call) || !burl_ir_is_int(LLVMGetOperand(test, 1), 0) ||
        LLVMGetICmpPredicate(test) != (k == 0 ? LLVMIntEQ : LLVMIntNE))
        return false;
    enum burl_libfn_lock op = burl__lock_op(sp, call, &lock);
    if (op != BURL_FN_LOCK_TRY && op != BURL_FN_LOCK_TRY_SHARED)
        return false;
    /* The test must see this call, not that of an earlier iteration. */
    if (LLVMGetInstructionParent(call) != LLVMGetInstructionParent(end))
        return false;
    *out = taken_lock(sp, call, lock, op == BURL_FN_LOCK_TRY_SHARED);
    return true;
}

static struct state *
state_of(struct flow *f, LLVMBasicBlockRef b)
{
    uint32_t ix = (uint32_t)f->states.n;

    if (!burl_valmap_find_or_add(&f->ix, b, &ix))
        (void)BURL_VEC_ADD(&f->states);
    return &f->states.v[ix];
}

static bool
merge_helds(struct flow *f, LLVMBasicBlockRef b, struct burl__helds *s)
{
    struct state *to = state_of(f, b);

    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i) && s->n;
         i = LLVMGetNextInstruction(i))
        drop_helds(f->sp, s, (struct drop){ DROP_VALUE, .v = i });
    if (!to->reached) {
        to->reached = true;
        copy_helds(&to->held, s);
        return true;
    }
    return meet_helds(&to->held, s);
}

static bool
flow_block(struct flow *f, LLVMBasicBlockRef b)
{
    struct burl__helds s = { 0 }, thrown = { 0 }, next = { 0 };
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    bool changed = false;

    if (!state_of(f, b)->reached)
        return false;
    copy_helds(&s, &state_of(f, b)->held);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (i == end && LLVMIsAInvokeInst(i)) {
            copy_helds(&thrown, &s);
            pass_call(f->sp, f->fn, i, &thrown, false);
        }
        pass_inst(f->sp, f->fn, i, &s);
    }
    for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++) {
        struct burl__held h;
        bool unwinds = LLVMIsAInvokeInst(end) && LLVMGetSuccessor(end, k) == LLVMGetUnwindDest(end);
        copy_helds(&next, unwinds ? &thrown : &s);
        if (tried_lock(f->sp, end, k, &h))
            add_held(&next, h);
        changed |= merge_helds(f, LLVMGetSuccessor(end, k), &next);
    }
    BURL_VEC_FREE(&s);
    BURL_VEC_FREE(&thrown);
    BURL_VEC_FREE(&next);
    return changed;
}

static void
run_flow(struct flow *f, const struct burl__helds *entry)
{
    LLVMValueRef fn = f->sp->fns.v[f->fn].fn;
    struct burl__helds s = { 0 };
    bool changed = true;

    copy_helds(&s, entry);
    if (LLVMGetFirstBasicBlock(fn))
        merge_helds(f, LLVMGetFirstBasicBlock(fn), &s);
    BURL_VEC_FREE(&s);
    while (changed) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
            changed |= flow_block(f, b);
    }
}

static void
end_flow(struct flow *f)
{
    for (size_t i = 0; i < f->states.n; i++)
        BURL_VEC_FREE(&f->states.v[i].held);
    BURL_VEC_FREE(&f->states);
    burl_valmap_deinit(&f->ix);
}

/* ---- what is known of functions ---- */

/* UINT32_MAX in the list: any lock. */
static void
unite_pointer(const struct burl__sp *sp, struct burl_u32s *to, LLVMValueRef lock)
{
    static const uint32_t any = UINT32_MAX;
    uint32_t n = 0;
    const uint32_t *leaves = lock ? burl_pts_of(sp->pts, lock, &n) : NULL;

    burl_u32s_unite(to, n ? leaves : &any, n ? n : 1);
}

static void
find_own_unlocks(struct burl__sp *sp, uint32_t fn)
{
    for (LLVMValueRef i = burl_ir_first(sp->fns.v[fn].fn); i; i = burl_ir_next(i)) {
        LLVMValueRef lock;
        enum burl_libfn_lock op =
            burl_ir_is_call(i) ? burl__lock_op(sp, i, &lock) : BURL_FN_LOCK_NONE;
        if (op == BURL_FN_LOCK_DROP)
            unite_pointer(sp, &sp->locking[fn].unlocks, lock);
        if (op == BURL_FN_LOCK_DROP || op == BURL_FN_LOCK_WAIT)
            unite_pointer(sp, &sp->locking[fn].releases, lock);
    }
}

static void
find_unlocks(struct burl__sp *sp)
{
    bool changed = true;

    for (uint32_t i = 0; i < sp->fns.n; i++)
        find_own_unlocks(sp, i);
    while (changed) {
        changed = false;
        for (size_t i = sp->edges.n; i-- > 0;) {
            const struct burl__edge *e = &sp->edges.v[i];
            struct burl__locking *to = &sp->locking[e->caller];
            const struct burl__locking *from = &sp->locking[e->callee];
            if (e->later || e->caller == e->callee)
                continue;
            changed |= burl_u32s_unite(&to->unlocks, from->unlocks.v, from->unlocks.n);
            changed |= burl_u32s_unite(&to->releases, from->releases.v, from->releases.n);
        }
    }
}

/* Only a function that takes a lock, or calls one that keeps one, can keep one. */
static bool
may_gain(const struct burl__sp *sp, uint32_t fn)
{
    const struct burl__fn *f = &sp->fns.v[fn];
    LLVMValueRef lock;

    for (size_t i = 0; i < f->out.n; i++)
        if (sp->locking[sp->edges.v[f->out.v[i]].callee].gains.n > 0)
            return true;
    for (LLVMValueRef i = burl_ir_first(f->fn); i; i = burl_ir_next(i))
        if (burl_ir_is_call(i) && burl__lock_op(sp, i, &lock) != BURL_FN_LOCK_NONE)
            return true;
    return false;
}

/* What is held at every return, in terms of parameters and globals. */
static bool
find_gains(struct burl__sp *sp, uint32_t fn)
{
    struct flow f = { .sp = sp, .fn = fn };
    struct burl__helds out = { 0 }, none = { 0 };
    bool first = true;
    size_t n = 0;

    run_flow(&f, &none);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(sp->fns.v[fn].fn); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || !LLVMIsAReturnInst(end) || !state_of(&f, b)->reached)
            continue;
        struct burl__helds s = { 0 };
        copy_helds(&s, &state_of(&f, b)->held);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            pass_inst(sp, fn, i, &s);
        if (first)
            copy_helds(&out, &s);
        else
            meet_helds(&out, &s);
        first = false;
        BURL_VEC_FREE(&s);
    }
    end_flow(&f);
    for (size_t i = 0; i < out.n; i++) {
        const struct burl__node *x = &sp->nodes.v[out.v[i].at.node];
        while (x->parent != UINT32_MAX && x->kind == BURL__NODE_LOAD)
            x = &sp->nodes.v[x->parent];
        if (x->kind == BURL__NODE_VALUE && (LLVMIsAArgument(x->v) || LLVMIsAGlobalVariable(x->v)))
            out.v[n++] = out.v[i];
    }
    out.n = n;
    bool changed = out.n != sp->locking[fn].gains.n;
    BURL_VEC_FREE(&sp->locking[fn].gains);
    sp->locking[fn].gains = out;
    return changed;
}

static void
find_all_gains(struct burl__sp *sp)
{
    bool changed = true;

    /* Wrappers of wrappers; deeper ones stay unknown, which is safe. */
    for (int round = 0; round < 4 && changed; round++) {
        changed = false;
        for (uint32_t i = 0; i < sp->fns.n; i++)
            if (sp->fns.v[i].roots.n > 0 && may_gain(sp, i))
                changed |= find_gains(sp, i);
    }
}

/* ---- all functions ---- */

/* The same parameter is another lock for another caller: for points-to it is either. */
static bool
add_pointers(struct burl__helds *to, const struct burl__helds *from)
{
    bool changed = false;

    for (size_t i = 0; i < to->n; i++) {
        struct burl__held *h = &to->v[i];
        const struct burl__held *o = NULL;
        for (size_t k = 0; k < from->n && !o; k++)
            o = same_held(h, &from->v[k]) ? &from->v[k] : NULL;
        for (uint8_t k = 0; o && h->n_ptr && k < (o->n_ptr ? o->n_ptr : 1); k++) {
            uint8_t at = 0;
            while (o->n_ptr && at < h->n_ptr && h->ptr[at] != o->ptr[k])
                at++;
            if (o->n_ptr && at < h->n_ptr)
                continue;
            changed = true;
            if (o->n_ptr == 0 || h->n_ptr == BURL__MAX_PTRS)
                h->n_ptr = 0; /* too many: any */
            else
                h->ptr[h->n_ptr++] = o->ptr[k];
        }
    }
    return changed;
}

/* What is held at a call is held in what it calls. */
static bool
enter_callee(struct burl__sp *sp, const struct burl__edge *e, const struct burl__helds *s)
{
    struct burl__locking *k = &sp->locking[e->callee];
    struct burl__helds in = { 0 };
    struct rename r[MAX_RENAMES];
    bool changed = false;

    if (!e->later) {
        int n = is_direct(sp, e) ? make_renames(sp, e->call, sp->fns.v[e->callee].fn, true, r) : 0;
        rename_helds(sp, r, n, s, &in);
    }
    if (!k->known) {
        k->known = true;
        copy_helds(&k->entry, &in);
        changed = true;
    } else {
        changed = meet_helds(&k->entry, &in);
        changed |= add_pointers(&k->entry, &in);
    }
    BURL_VEC_FREE(&in);
    return changed;
}

/* Two threads at calls that hold the same lock exclude each other. */
static void
record_gates(struct burl__sp *sp, LLVMValueRef call, const struct burl__helds *s)
{
    struct burl__helds all = { 0 };

    for (size_t i = 0; i < s->n; i++)
        if (burl__node_is_global(sp, s->v[i].at.node))
            BURL_VEC_PUSH(&all, s->v[i]);
    if (all.n == 0)
        return;
    burl_valmap_set(&sp->held_at, call, (uint32_t)sp->helds.n);
    BURL_VEC_PUSH(&sp->helds, all);
}

/* One function; with `keys` the accesses get their locks, else the entries of callees do. */
static bool
visit_function(struct burl__sp *sp, uint32_t fn, struct burl__lock_keys *keys, size_t *next)
{
    struct flow f = { .sp = sp, .fn = fn };
    const struct burl__fn *x = &sp->fns.v[fn];
    bool changed = false;

    run_flow(&f, &sp->locking[fn].entry);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->fn); b; b = LLVMGetNextBasicBlock(b)) {
        struct burl__helds s = { 0 };
        if (state_of(&f, b)->reached)
            copy_helds(&s, &state_of(&f, b)->held);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            for (; keys && *next < sp->accesses.n && sp->accesses.v[*next].inst == i; ++*next)
                burl__lock_record(sp, keys, &sp->accesses.v[*next], &s);
            for (size_t k = 0; !keys && burl_ir_is_call(i) && k < x->out.n; k++)
                if (sp->edges.v[x->out.v[k]].call == i)
                    changed |= enter_callee(sp, &sp->edges.v[x->out.v[k]], &s);
            if (keys && sp->for_changes && s.n > 0 && burl_ir_is_call(i))
                record_gates(sp, i, &s);
            pass_inst(sp, fn, i, &s);
        }
        BURL_VEC_FREE(&s);
    }
    end_flow(&f);
    return changed;
}

static void
record_copies(struct burl__sp *sp)
{
    for (size_t i = 0; i < sp->accesses.n; i++) {
        struct burl__access *a = &sp->accesses.v[i];
        if (a->copy_of == UINT32_MAX)
            continue;
        a->locks = sp->accesses.v[a->copy_of].locks;
        a->held = (struct burl__helds){ 0 };
    }
}

void
burl__sp_locks(struct burl__sp *sp)
{
    bool changed = true;
    struct burl__lock_keys *keys = burl__lock_keys_new();
    bool *uses_locks = burl_xcalloc(sp->fns.n + 1, sizeof *uses_locks);
    size_t next = 0;

    burl__sp_stable(sp);
    sp->locking = burl_xcalloc(sp->fns.n + 1, sizeof *sp->locking);
    find_unlocks(sp);
    find_all_gains(sp);
    for (uint32_t i = 0; i < sp->fns.n; i++)
        uses_locks[i] = may_gain(sp, i);
    for (size_t r = 0; r < sp->entries.n; r++)
        for (size_t i = 0; i < sp->entries.v[r].n; i++)
            sp->locking[sp->entries.v[r].v[i]].known = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < sp->fns.n; i++) {
            if (sp->fns.v[i].roots.n == 0 || !sp->locking[i].known)
                continue;
            if (uses_locks[i] || sp->locking[i].entry.n) {
                changed |= visit_function(sp, i, NULL, NULL);
                continue;
            }
            /* Without locks at its entry and without lock operations nothing is ever held in it. */
            for (size_t k = 0; k < sp->fns.v[i].out.n; k++)
                changed |= enter_callee(sp, &sp->edges.v[sp->fns.v[i].out.v[k]],
                                        &(struct burl__helds){ 0 });
        }
    }
    for (uint32_t i = 0; i < sp->fns.n; i++) {
        if (uses_locks[i] || sp->locking[i].entry.n) {
            while (next < sp->accesses.n && sp->accesses.v[next].fn < i)
                next++;
            if (sp->fns.v[i].roots.n > 0)
                visit_function(sp, i, keys, &next);
        }
    }
    record_copies(sp);
    free(uses_locks);
}
