/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/ops.c - which instructions take and release locks, synchronize, or start threads;
 * and which functions do so in effect.
 *
 * Runs in burl-analyze. Functions of libraries come from wire/libfn.def, columns LOCK, THREAD and
 * SYNC. A lock made by hand is an exchange or a compare-exchange that stores a constant other than
 * 0, and the atomic store of a 0 to the same place.
 *
 * A function that may hold one more lock when it returns than when it was called is a lock
 * statement wherever it is called, and so is one that may hold one less: q_lock(q), the constructor
 * of std::lock_guard. Such calls are matched by their arguments: q_unlock(q), the destructor of the
 * same guard.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

enum { MAX_ROUNDS = 6, MAX_DEPTH = 8 };

/* By enum burl_libfn_sync; without a word it is the name of the function. */
static const struct {
    enum burl__op_kind kind;
    uint32_t family;
    bool shared;
    const char *word;
} stated[BURL_FN_SYNC__N] = {
    [BURL_FN_SYNC_INIT_MUTEX] = { BURL__OP_INIT, BURL__MUTEX, false, "initialization" },
    [BURL_FN_SYNC_INIT_RWLOCK] = { BURL__OP_INIT, BURL__RWLOCK, false, "initialization" },
    [BURL_FN_SYNC_INIT_SPIN] = { BURL__OP_INIT, BURL__SPIN, false, "initialization" },
    [BURL_FN_SYNC_INIT_SEM] = { BURL__OP_INIT, BURL__SEM, false, "initialization" },
    [BURL_FN_SYNC_ATTRIBUTE] = { BURL__OP_SYNC, BURL__ATTRIBUTE, false, NULL },
    [BURL_FN_SYNC_TAKE_MUTEX] = { BURL__OP_TAKE, BURL__MUTEX, false, "lock" },
    [BURL_FN_SYNC_TRY_MUTEX] = { BURL__OP_TRY, BURL__MUTEX, false, "trylock" },
    [BURL_FN_SYNC_DROP_MUTEX] = { BURL__OP_DROP, BURL__MUTEX, false, "unlock" },
    [BURL_FN_SYNC_TAKE_RWLOCK] = { BURL__OP_TAKE, BURL__RWLOCK, false, "lock" },
    [BURL_FN_SYNC_SHARE_RWLOCK] = { BURL__OP_TAKE, BURL__RWLOCK, true, "read lock" },
    [BURL_FN_SYNC_DROP_RWLOCK] = { BURL__OP_DROP, BURL__RWLOCK, false, "unlock" },
    [BURL_FN_SYNC_TAKE_SEM] = { BURL__OP_TAKE, BURL__SEM, false, NULL },
    [BURL_FN_SYNC_TRY_SEM] = { BURL__OP_TRY, BURL__SEM, false, NULL },
    [BURL_FN_SYNC_DROP_SEM] = { BURL__OP_DROP, BURL__SEM, false, NULL },
    [BURL_FN_SYNC_TAKE_STREAM] = { BURL__OP_TAKE, BURL__STREAM, false, NULL },
    [BURL_FN_SYNC_TRY_STREAM] = { BURL__OP_TRY, BURL__STREAM, false, NULL },
    [BURL_FN_SYNC_DROP_STREAM] = { BURL__OP_DROP, BURL__STREAM, false, NULL },
    [BURL_FN_SYNC_TAKE_GUARD] = { BURL__OP_TAKE, BURL__GUARD, false, "guard" },
    [BURL_FN_SYNC_DROP_GUARD] = { BURL__OP_DROP, BURL__GUARD, false, "end of the guard" },
    [BURL_FN_SYNC_COND_WAIT] = { BURL__OP_SYNC, BURL__COND_WAIT, false, NULL },
    [BURL_FN_SYNC_COND_SIGNAL] = { BURL__OP_SYNC, BURL__COND_SIGNAL, false, NULL },
    [BURL_FN_SYNC_BARRIER] = { BURL__OP_SYNC, BURL__BARRIER, false, NULL },
    [BURL_FN_SYNC_JOIN] = { BURL__OP_SYNC, BURL__JOIN, false, NULL },
    [BURL_FN_SYNC_ONCE] = { BURL__OP_SYNC, BURL__ONCE, false, NULL },
    [BURL_FN_SYNC_FUTEX] = { BURL__OP_SYNC, BURL__FUTEX, false, "wait" },
};

bool
burl__is_acquire(LLVMAtomicOrdering o)
{
    return o == LLVMAtomicOrderingAcquire || o == LLVMAtomicOrderingAcquireRelease ||
           o == LLVMAtomicOrderingSequentiallyConsistent;
}

bool
burl__is_release(LLVMAtomicOrdering o)
{
    return o == LLVMAtomicOrderingRelease || o == LLVMAtomicOrderingAcquireRelease ||
           o == LLVMAtomicOrderingSequentiallyConsistent;
}

LLVMAtomicOrdering
burl__order_of(LLVMValueRef i)
{
    if (LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetCmpXchgSuccessOrdering(i);
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAFenceInst(i))
        return LLVMGetOrdering(i);
    return LLVMAtomicOrderingNotAtomic;
}

/* An empty statement of assembly that memory is not moved over. */
bool
burl__is_barrier_asm(LLVMValueRef inst)
{
    LLVMValueRef f = burl_ir_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
    size_t n;

    if (!f || !LLVMIsAInlineAsm(f))
        return false;
    const char *text = LLVMGetInlineAsmConstraintString(f, &n);
    return text && strstr(text, "~{memory}") != NULL;
}

static bool
is_constant(LLVMValueRef v, bool zero)
{
    return LLVMIsAConstantInt(v) && (LLVMConstIntGetZExtValue(v) == 0) == zero;
}

/* A lock made by hand. */
static struct burl__op
atomic_op(LLVMValueRef i)
{
    LLVMAtomicOrdering o = burl__order_of(i);

    if (LLVMIsAFenceInst(i))
        return (struct burl__op){ BURL__OP_SYNC, BURL__FENCE, false, NULL, "fence" };
    if (LLVMIsAAtomicRMWInst(i) && LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpXchg &&
        burl__is_acquire(o) && is_constant(LLVMGetOperand(i, 1), false))
        return (struct burl__op){ BURL__OP_TAKE, BURL__HAND, false, LLVMGetOperand(i, 0), "lock" };
    if (LLVMIsAAtomicCmpXchgInst(i) && burl__is_acquire(o) &&
        is_constant(LLVMGetOperand(i, 2), false))
        return (struct burl__op){ BURL__OP_TAKE, BURL__HAND, false, LLVMGetOperand(i, 0), "lock" };
    if (LLVMIsAStoreInst(i) && burl__is_release(o) && is_constant(LLVMGetOperand(i, 0), true))
        return (struct burl__op){ BURL__OP_DROP, BURL__HAND, false, LLVMGetOperand(i, 1),
                                  "unlock" };
    return (struct burl__op){ 0 };
}

/* By the columns LOCK and THREAD of wire/libfn.def. */
static struct burl__op
stated_op(LLVMValueRef call, const struct burl_libfn *row, const char *name)
{
    static const uint32_t families[] = {
        [BURL_FN_MUTEX] = BURL__MUTEX, [BURL_FN_SPIN] = BURL__SPIN, [BURL_FN_RWLOCK] = BURL__RWLOCK
    };
    struct burl__op op = { .family = families[row->lock_type] };

    if (row->thread == BURL_FN_CREATE || row->thread == BURL_FN_STD_CREATE ||
        row->thread == BURL_FN_STD_CREATE_J)
        return (struct burl__op){ .kind = BURL__OP_CREATE, .word = "creation of a thread" };
    if (row->thread == BURL_FN_JOIN)
        return (struct burl__op){ BURL__OP_SYNC, BURL__JOIN, false, NULL, name };
    if (row->thread == BURL_FN_STD_JOIN ||
        (row->thread == BURL_FN_STD_END && strstr(name, "jthread")))
        return (struct burl__op){ BURL__OP_SYNC, BURL__JOIN, false, NULL, "join" };
    if (row->lock_arg < LLVMGetNumArgOperands(call))
        op.lock = LLVMGetOperand(call, row->lock_arg);
    switch ((enum burl_libfn_lock)row->lock) {
    case BURL_FN_LOCK_NONE:
        return (struct burl__op){ 0 };
    case BURL_FN_LOCK_TAKE:
    case BURL_FN_LOCK_TAKE_SHARED:
        op.kind = BURL__OP_TAKE;
        op.shared = row->lock == BURL_FN_LOCK_TAKE_SHARED;
        op.word = op.shared ? "read lock" : "lock";
        break;
    case BURL_FN_LOCK_TRY:
    case BURL_FN_LOCK_TRY_SHARED:
        op.kind = BURL__OP_TRY;
        op.shared = row->lock == BURL_FN_LOCK_TRY_SHARED;
        op.word = "trylock";
        break;
    case BURL_FN_LOCK_DROP:
        op.kind = BURL__OP_DROP;
        op.word = "unlock";
        break;
    case BURL_FN_LOCK_WAIT:
        op = (struct burl__op){ BURL__OP_SYNC, BURL__COND_WAIT, false, NULL,
                                burl_ir_begins(name, "_Z") ? "wait" : name };
        break;
    }
    return op;
}

/* futex and membarrier have no functions of their own. */
static struct burl__op
system_call(LLVMValueRef call)
{
    enum {
        FUTEX = 202,
        MEMBARRIER = 324,
        FUTEX_WAITV = 449,
        FUTEX_WAKE = 454,
        FUTEX_REQUEUE = 456
    };
    uint64_t n = LLVMGetNumArgOperands(call) ? burl_ir_int_or_0(LLVMGetOperand(call, 0)) : 0;

    if (n == FUTEX || n == FUTEX_WAITV || (n >= FUTEX_WAKE && n <= FUTEX_REQUEUE))
        return (struct burl__op){ BURL__OP_SYNC, BURL__FUTEX, false, NULL, "futex" };
    if (n == MEMBARRIER)
        return (struct burl__op){ BURL__OP_SYNC, BURL__FENCE, false, NULL, "membarrier" };
    return (struct burl__op){ 0 };
}

/* May calls of it be statements? Asked for every call many times, so the answer is kept. */
static bool
has_facts(const struct burl__side *s, LLVMValueRef f)
{
    uint32_t known;

    if (burl_valmap_get(s->rows, f, &known))
        return known != 0;
    const struct burl_libfn row = burl_program_libfn(s->p, f);
    known = row.lock != BURL_FN_LOCK_NONE || row.thread != BURL_FN_THREAD_NONE ||
            row.sync != BURL_FN_SYNC_NONE;
    burl_valmap_set(s->rows, f, known);
    return known != 0;
}

/* A word for a function of C++ is its name without the rest. */
static const char *
word_of(const struct burl__side *s, LLVMValueRef f, const char *name)
{
    if (!burl_ir_begins(name, "_Z"))
        return name;
    const struct burl_libfn row = burl_program_libfn(s->p, f);
    return row.sync == BURL_FN_SYNC_COND_SIGNAL ? "notify"
           : row.sync == BURL_FN_SYNC_ONCE      ? "std::call_once"
           : row.sync == BURL_FN_SYNC_JOIN      ? "detach"
                                                : "wait";
}

struct burl__op
burl__op_of(const struct burl__side *s, LLVMValueRef inst)
{
    if (!burl_ir_is_call(inst))
        return atomic_op(inst);
    if (burl__is_barrier_asm(inst))
        return (struct burl__op){ BURL__OP_SYNC, BURL__FENCE, false, NULL, "barrier" };
    LLVMValueRef v = LLVMGetCalledValue(inst);
    if (!v || (!LLVMIsAFunction(v) && !LLVMIsAGlobalAlias(v)) ||
        (LLVMIsAFunction(v) && LLVMGetIntrinsicID(v)))
        return (struct burl__op){ 0 };
    LLVMValueRef f = burl_program_definition(s->p, v);
    if (!has_facts(s, f))
        return (struct burl__op){ 0 };
    const char *name = burl_ir_name(f);
    const struct burl_libfn row = burl_program_libfn(s->p, f);
    if (row.sync == BURL_FN_SYNC_SYSTEM)
        return system_call(inst);
    /* More is known of a lock that is proved to be held, except where it is set up. */
    if (row.sync == BURL_FN_SYNC_NONE ||
        (row.lock != BURL_FN_LOCK_NONE && stated[row.sync].kind != BURL__OP_INIT))
        return stated_op(inst, &row, name);
    LLVMValueRef lock = LLVMGetNumArgOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;
    const char *word = stated[row.sync].word;
    return (struct burl__op){ stated[row.sync].kind, stated[row.sync].family,
                              stated[row.sync].shared, lock, word ? word : word_of(s, f, name) };
}

/* ---- statements that take or release a lock in effect ---- */

/* A function that releases a lock for a while and takes it again has none. */
uint32_t
burl__effect_of(const struct burl__side *s, uint32_t fn, enum burl__op_kind kind)
{
    const struct burl__body *f = &s->fns.v[fn];

    return kind == BURL__OP_TAKE ? f->takes & ~f->drops : f->drops & ~f->takes;
}

/* Of the function that a call names; of those in the member that it goes through; else what all
 * that it may call have in common. What a library calls back is no part of it. */
static uint32_t
called_effect(const struct burl__side *s, LLVMValueRef call, enum burl__op_kind kind)
{
    LLVMValueRef v = LLVMGetCalledValue(call);
    uint32_t families = 0;

    if (v && (LLVMIsAFunction(v) || LLVMIsAGlobalAlias(v))) {
        uint32_t fn = burl__body_ix(s, burl_program_definition(s->p, v));
        return fn == UINT32_MAX ? 0 : burl__effect_of(s, fn, kind);
    }
    const struct burl_u32s *in = burl__members_called(s, call);
    for (size_t i = 0; in && i < in->n; i++)
        families |= burl__effect_of(s, in->v[i], kind);
    if (in)
        return families;
    uint32_t first = burl__first_call(s, call);
    families = first == UINT32_MAX ? 0 : ~0u;
    for (uint32_t i = first; i != UINT32_MAX; i = s->calls.v[i].next)
        families &= burl__effect_of(s, s->calls.v[i].callee, kind);
    return families;
}

bool
burl__is_lock_statement(const struct burl__side *s, LLVMValueRef inst, enum burl__op_kind kind,
                        struct burl__op *op)
{
    if (s->settled && !burl_valmap_has(&s->statements, inst)) {
        *op = (struct burl__op){ 0 };
        return false;
    }
    *op = burl__op_of(s, inst);
    if (op->kind == BURL__OP_TRY && kind == BURL__OP_TAKE)
        return true;
    if (op->kind != BURL__OP_NONE)
        return op->kind == kind;
    uint32_t families = burl_ir_is_call(inst) ? called_effect(s, inst, kind) : 0;
    if (!families)
        return false;
    *op = (struct burl__op){ .kind = kind,
                             .family = families,
                             .word = kind == BURL__OP_TAKE ? "lock" : "unlock" };
    for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++)
        if (burl_ir_is_pointer(LLVMGetOperand(inst, i)))
            op->lock = LLVMGetOperand(inst, i);
    return true;
}

bool
burl__same_address(const struct burl__side *s, LLVMValueRef a, LLVMValueRef b, int depth)
{
    while (LLVMIsABitCastInst(a) || LLVMIsAFreezeInst(a) || LLVMIsASExtInst(a) ||
           LLVMIsAZExtInst(a))
        a = LLVMGetOperand(a, 0);
    while (LLVMIsABitCastInst(b) || LLVMIsAFreezeInst(b) || LLVMIsASExtInst(b) ||
           LLVMIsAZExtInst(b))
        b = LLVMGetOperand(b, 0);
    if (a == b)
        return true;
    if (LLVMIsAGlobalValue(a) && LLVMIsAGlobalValue(b))
        return burl_program_definition(s->p, a) == burl_program_definition(s->p, b);
    if (depth >= MAX_DEPTH)
        return false;
    bool geps = burl_ir_is_gep(a) && burl_ir_is_gep(b) &&
                LLVMGetGEPSourceElementType(a) == LLVMGetGEPSourceElementType(b);
    bool loads = LLVMIsALoadInst(a) && LLVMIsALoadInst(b);
    bool sums = LLVMIsABinaryOperator(a) && LLVMIsABinaryOperator(b) &&
                LLVMGetInstructionOpcode(a) == LLVMGetInstructionOpcode(b);
    bool calls =
        LLVMIsACallInst(a) && LLVMIsACallInst(b) && LLVMGetCalledValue(a) == LLVMGetCalledValue(b);
    if ((!geps && !loads && !sums && !calls) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(a); i++)
        if (!burl__same_address(s, LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i),
                                depth + 1))
            return false;
    return true;
}

/* Pointers that say which lock it is: the lock itself, or what a wrapper is given. */
static int
keys_of(const struct burl__side *s, LLVMValueRef stmt, LLVMValueRef keys[8])
{
    struct burl__op op = burl__op_of(s, stmt);
    int n = 0;

    if (op.kind != BURL__OP_NONE && op.lock)
        keys[n++] = op.lock;
    if (!burl_ir_is_call(stmt))
        return n;
    /* A guard object is as good as the lock in it. */
    for (unsigned i = 0; i < LLVMGetNumArgOperands(stmt) && n < 8; i++) {
        LLVMValueRef a = LLVMGetOperand(stmt, i);
        if (burl_ir_is_pointer(a) && !LLVMIsAConstantPointerNull(a))
            keys[n++] = a;
    }
    return n;
}

bool
burl__releases(const struct burl__side *s, LLVMValueRef take, LLVMValueRef drop)
{
    struct burl__op t, d;
    LLVMValueRef of_take[8], of_drop[8];

    if (!burl__is_lock_statement(s, take, BURL__OP_TAKE, &t) ||
        !burl__is_lock_statement(s, drop, BURL__OP_DROP, &d) || !(t.family & d.family))
        return false;
    int n = keys_of(s, take, of_take), m = keys_of(s, drop, of_drop);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (burl__same_address(s, of_take[i], of_drop[k], 0))
                return true;
    return n == 0 || m == 0;
}

/* ---- summaries ---- */

static bool
find_effect(struct burl__side *s, uint32_t fn)
{
    struct burl__body *f = &s->fns.v[fn];
    uint32_t takes = 0, drops = 0;

    for (LLVMValueRef i = burl_ir_first(f->fn); i; i = burl_ir_next(i)) {
        struct burl__op op;
        if (burl__is_lock_statement(s, i, BURL__OP_TAKE, &op) && (op.family & ~takes) &&
            burl__region_leaves(s, i, true))
            takes |= op.family;
        if (burl__is_lock_statement(s, i, BURL__OP_DROP, &op) && (op.family & ~drops) &&
            burl__region_leaves(s, i, false))
            drops |= op.family;
    }
    bool differs = takes != f->takes || drops != f->drops;
    f->takes = takes;
    f->drops = drops;
    return differs;
}

static void
find_syncs(struct burl__side *s)
{
    bool changed = true;

    for (size_t k = 0; k < s->fns.n; k++) {
        for (LLVMValueRef i = burl_ir_first(s->fns.v[k].fn); i; i = burl_ir_next(i)) {
            struct burl__op op = burl__op_of(s, i);
            if (op.kind == BURL__OP_SYNC || (op.family & BURL__SEM))
                s->fns.v[k].syncs |= op.family;
        }
    }
    while (changed) {
        changed = false;
        for (size_t i = s->calls.n; i-- > 0;) {
            const struct burl__call *c = &s->calls.v[i];
            uint32_t more = s->fns.v[c->callee].syncs & ~s->fns.v[c->caller].syncs;
            if (more && !c->later && !c->spawn) {
                s->fns.v[c->caller].syncs |= more;
                changed = true;
            }
        }
    }
}

/* Has it any statement that may matter? Most functions have none. */
static bool
has_locks(const struct burl__side *s, uint32_t fn)
{
    const struct burl__body *f = &s->fns.v[fn];

    for (size_t i = 0; i < f->out.n; i++) {
        LLVMValueRef call = s->calls.v[f->out.v[i]].inst;
        if (burl_ir_is_call(call) &&
            (called_effect(s, call, BURL__OP_TAKE) || called_effect(s, call, BURL__OP_DROP)))
            return true;
    }
    for (LLVMValueRef i = burl_ir_first(f->fn); i; i = burl_ir_next(i))
        if (burl__op_of(s, i).family & BURL__LOCKS)
            return true;
    return false;
}

/* Callees before their callers, except where calls are recursive. */
static void
order_bodies(const struct burl__side *s, struct burl_u32s *out)
{
    struct burl_u32s stack = { 0 };
    uint8_t *state = burl_xcalloc(s->fns.n + 1, sizeof *state);

    for (uint32_t r = 0; r < s->fns.n; r++) {
        BURL_VEC_PUSH(&stack, r);
        while (stack.n > 0) {
            uint32_t f = stack.v[stack.n - 1];
            if (state[f] == 0) {
                state[f] = 1;
                for (size_t i = 0; i < s->fns.v[f].out.n; i++) {
                    uint32_t to = s->calls.v[s->fns.v[f].out.v[i]].callee;
                    if (state[to] == 0)
                        BURL_VEC_PUSH(&stack, to);
                }
                continue;
            }
            stack.n--;
            if (state[f] == 1)
                BURL_VEC_PUSH(out, f);
            state[f] = 2;
        }
    }
    BURL_VEC_FREE(&stack);
    free(state);
}

void
burl__find_effects(struct burl__side *s)
{
    struct burl_u32s order = { 0 };
    bool changed = true;

    find_syncs(s);
    order_bodies(s, &order);
    /* Each round anew: what is known of releases takes back what was thought to be kept. */
    for (int round = 0; round < MAX_ROUNDS && changed; round++) {
        changed = false;
        for (size_t i = 0; i < order.n; i++)
            if (has_locks(s, order.v[i]))
                changed |= find_effect(s, order.v[i]);
    }
    BURL_VEC_FREE(&order);
    for (size_t k = 0; k < s->fns.n; k++) {
        for (LLVMValueRef i = burl_ir_first(s->fns.v[k].fn); i; i = burl_ir_next(i)) {
            struct burl__op op;
            if (!burl__is_lock_statement(s, i, BURL__OP_TAKE, &op) &&
                !burl__is_lock_statement(s, i, BURL__OP_DROP, &op))
                continue;
            burl_valmap_add(&s->statements, i);
            BURL_VEC_PUSH(&s->fns.v[k].statements, i);
        }
    }
    s->settled = true;
}
