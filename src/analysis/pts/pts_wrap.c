/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_wrap.c - allocation wrappers. Host side.
 *
 * A function whose result is only memory allocated by this call (or one of its parameters), or
 * which writes only such memory through a parameter, is an allocation wrapper: each call of it has
 * an object of its own. Inside the function its allocations hold the objects of all its calls, so
 * that what it does with the memory, and where else it stores it, stays visible. Wrappers of
 * wrappers are treated the same, to a bounded depth.
 *
 * Without this a program with its own xmalloc() has one heap object. Allocators with free lists are
 * not wrappers: taking a block from a list looks the same as taking a job from a queue, where both
 * ends use the same object.
 */
#include <string.h>

#include "analysis/pts/pts_int.h"

/* Chains of wrappers of this length were the longest met; objects multiply with each level. */
enum { MAX_DEPTH = 8, MAX_VISITED = 512 };

/* Every object goes through every function in the worst case, so a large program gets fewer: their
 * product is bounded. Beyond that the calls of a wrapper share its first object. */
enum { CLONE_BUDGET = 100000, MIN_CLONES = 32 };

struct look {
    struct burl_pts *s;
    struct burl_valmap seen;        /* value -> offset */
    BURL_VEC(LLVMValueRef) sources; /* allocating calls */
    uint32_t params;
    uint32_t depth;
    uint32_t n_visited;
    struct burl__offsets offsets;
    bool fresh;
};

static bool follow_value(struct look *k, LLVMValueRef v, int64_t offset);

static bool
add_offset(struct burl__offsets *o, int64_t offset)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->v[i] == offset)
            return true;
    if (o->n == BURL__MAX_OFFSETS || offset < 0)
        return false;
    o->v[o->n++] = offset;
    return true;
}

static bool
add_source(struct look *k, LLVMValueRef source, int64_t offset, uint32_t depth)
{
    k->fresh = true;
    if (depth > k->depth)
        k->depth = depth;
    BURL_VEC_PUSH(&k->sources, source);
    return add_offset(&k->offsets, offset);
}

static bool
add_wrapper(struct look *k, LLVMValueRef call, int64_t offset, uint32_t fn)
{
    const struct burl__offsets *o = &k->s->funcs.v[fn].sum.offsets;

    for (uint32_t i = 0; i < o->n; i++)
        if (!add_source(k, call, offset + o->v[i], k->s->funcs.v[fn].depth))
            return false;
    return true;
}

/* The row returns fresh memory and arguments only. */
static bool
follow_model(struct look *k, LLVMValueRef call, const char *words, int64_t offset)
{
    bool any = false;

    for (const char *w = words; *w; w++) {
        if (*w == ' ')
            continue;
        if (*w == 'H' && (w[1] < '0' || w[1] > '9')) {
            if (!add_source(k, call, offset, 0))
                return false;
            any = true;
        } else if (*w == 'r' && w[1] >= '0' && w[1] <= '9') {
            if (!follow_value(k, LLVMGetOperand(call, (unsigned)(w[1] - '0')), offset))
                return false;
            any = true;
            w++;
        } else {
            return false;
        }
    }
    return any;
}

static bool
follow_callee(struct look *k, LLVMValueRef call, uint32_t fn, int64_t offset)
{
    struct burl_pts *s = k->s;

    if (!s->funcs.v[fn].defined) {
        const char *words = burl__pts_words_of(s, fn);
        return words && follow_model(k, call, words, offset);
    }
    burl__pts_summarize(s, fn);
    const struct burl__summary sum = s->funcs.v[fn].sum;
    if (!sum.ok || (!sum.fresh && !sum.params))
        return false;
    if (sum.fresh && !add_wrapper(k, call, offset, fn))
        return false;
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < 32; i++)
        if ((sum.params >> i & 1) && (i >= n || !follow_value(k, LLVMGetOperand(call, i), offset)))
            return false;
    return true;
}

static bool
follow_call(struct look *k, LLVMValueRef call, int64_t offset)
{
    LLVMValueRef def = burl__pts_callee(k->s, call);

    if (def && LLVMGetIntrinsicID(def))
        return false;
    if (def)
        return follow_callee(k, call, burl__pts_function(k->s, def), offset);
    const struct burl__functions *guess = k->s->no_guesses ? NULL : burl__pts_guess(k->s, call);
    for (size_t i = 0; guess && i < guess->n; i++) {
        if (!guess->v[i])
            return false;
        BURL_VEC_PUSH(&k->s->guesses, (struct burl__guess){ call, guess->v[i] });
        if (!follow_callee(k, call, burl__pts_function(k->s, guess->v[i]), offset))
            return false;
    }
    return guess != NULL;
}

/* Does a call write nothing but fresh memory through its argument `slot`? */
static bool
call_fills(struct look *k, LLVMValueRef call, LLVMValueRef slot)
{
    struct burl_pts *s = k->s;
    LLVMValueRef def = burl__pts_callee(s, call);
    unsigned n = LLVMGetNumArgOperands(call);

    if (!def)
        return false;
    if (LLVMGetIntrinsicID(def))
        return burl_ir_begins(burl_ir_name(def), "llvm.lifetime");
    uint32_t fn = burl__pts_function(s, def);
    if (!s->funcs.v[fn].defined) {
        const char *words = burl__pts_words_of(s, fn);
        return words && strcmp(words, "H0") == 0 && LLVMGetOperand(call, 0) == slot &&
               add_source(k, call, 0, 0);
    }
    burl__pts_summarize(s, fn);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetOperand(call, i) == slot && (i >= 32 || !(s->funcs.v[fn].sum.out >> i & 1)))
            return false;
    return add_wrapper(k, call, 0, fn);
}

/* Only fresh memory is ever in this variable (or behind this parameter). */
static bool
follow_slot(struct look *k, LLVMValueRef slot, bool *stores)
{
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (!LLVMIsAInstruction(i))
            return false;
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMLoad:
        case LLVMICmp:
            break;
        case LLVMStore:
            if (LLVMGetOperand(i, 0) == slot || !follow_value(k, LLVMGetOperand(i, 0), 0))
                return false;
            *stores = true;
            break;
        case LLVMCall:
        case LLVMInvoke:
            if (LLVMGetCalledValue(i) == slot || !call_fills(k, i, slot))
                return false;
            *stores = true;
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool
follow_instruction(struct look *k, LLVMValueRef v, int64_t offset)
{
    struct burl_ir_steps step;
    int64_t d;
    bool stores;

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (!follow_value(k, LLVMGetIncomingValue(v, i), offset))
                return false;
        return true;
    case LLVMSelect:
        return follow_value(k, LLVMGetOperand(v, 1), offset) &&
               follow_value(k, LLVMGetOperand(v, 2), offset);
    case LLVMBitCast:
    case LLVMFreeze:
        return follow_value(k, LLVMGetOperand(v, 0), offset);
    case LLVMGetElementPtr:
        return !burl_ir_gep(k->s->p->td, v, &d, &step) &&
               follow_value(k, LLVMGetOperand(v, 0), offset + d);
    case LLVMCall:
    case LLVMInvoke:
        return follow_call(k, v, offset);
    case LLVMLoad:
        return offset == 0 && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)) &&
               follow_slot(k, LLVMGetOperand(v, 0), &stores);
    default:
        return false;
    }
}

static bool
follow_value(struct look *k, LLVMValueRef v, int64_t offset)
{
    uint32_t was;

    if (burl_valmap_get(&k->seen, v, &was) && was == (uint32_t)offset)
        return true;
    if (++k->n_visited > MAX_VISITED)
        return false;
    burl_valmap_set(&k->seen, v, (uint32_t)offset);
    if (LLVMIsAInstruction(v))
        return follow_instruction(k, v, offset);
    if (LLVMIsAArgument(v)) {
        unsigned i = burl_ir_param_index(v);
        if (i >= 32 || offset != 0)
            return false;
        k->params |= UINT32_C(1) << i;
        return true;
    }
    return LLVMIsNull(v) || LLVMIsUndef(v);
}

static void
note_sources(struct look *k, uint32_t fn)
{
    for (size_t i = 0; i < k->sources.n; i++)
        burl_valmap_set(&k->s->sources, k->sources.v[i], fn);
    if (k->sources.n && !k->s->funcs.v[fn].via)
        k->s->funcs.v[fn].via = k->sources.v[0];
    if (k->depth + 1 > k->s->funcs.v[fn].depth)
        k->s->funcs.v[fn].depth = k->depth + 1;
}

static void
end_look(struct look *k)
{
    burl_valmap_deinit(&k->seen);
    BURL_VEC_FREE(&k->sources);
}

/* The stores through a parameter that its summary replaces. */
static void
skip_stores(struct burl_pts *s, LLVMValueRef param)
{
    for (LLVMUseRef u = LLVMGetFirstUse(param); u; u = LLVMGetNextUse(u))
        if (LLVMIsAStoreInst(LLVMGetUser(u)))
            burl_valmap_add(&s->skipped, LLVMGetUser(u));
}

/* One object represents all memory that a call allocates, at the offsets of all. */
static bool
add_offsets(struct burl__offsets *to, const struct burl__offsets *from)
{
    struct burl__offsets both = *to;

    for (uint32_t i = 0; i < from->n; i++)
        if (!add_offset(&both, from->v[i]))
            return false;
    *to = both;
    return true;
}

static void
summarize_outs(struct burl_pts *s, uint32_t fn)
{
    LLVMValueRef f = s->funcs.v[fn].value;
    unsigned n = LLVMCountParams(f);

    for (unsigned i = 0; i < n && i < 32; i++) {
        LLVMValueRef p = LLVMGetParam(f, i);
        struct look k = { .s = s };
        bool stores = false;
        if (burl_ir_is_pointer(p) && follow_slot(&k, p, &stores) && stores && k.fresh &&
            !k.params && k.depth < MAX_DEPTH &&
            add_offsets(&s->funcs.v[fn].sum.offsets, &k.offsets)) {
            s->funcs.v[fn].sum.out |= UINT32_C(1) << i;
            note_sources(&k, fn);
            skip_stores(s, p);
        }
        end_look(&k);
    }
}

static bool
returns_pointer(LLVMValueRef f)
{
    return LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) == LLVMPointerTypeKind;
}

void
burl__pts_summarize(struct burl_pts *s, uint32_t fn)
{
    LLVMValueRef f = s->funcs.v[fn].value;
    struct look k = { .s = s };
    bool ok = true, any = false;

    if (s->funcs.v[fn].summarized || !s->funcs.v[fn].defined)
        return;
    /* Under recursion: not a wrapper until proven. */
    s->funcs.v[fn].summarized = true;
    if (returns_pointer(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && ok;
             b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
            if (end && LLVMIsAReturnInst(end)) {
                ok = follow_value(&k, LLVMGetOperand(end, 0), 0);
                any = true;
            }
        }
        /* Parameters are for the caller to see at offset 0 only. */
        if (ok && any && k.depth < MAX_DEPTH && (k.fresh || k.params)) {
            s->funcs.v[fn].sum = (struct burl__summary){
                .ok = true, .fresh = k.fresh, .params = k.params, .offsets = k.offsets
            };
            note_sources(&k, fn);
        }
    }
    end_look(&k);
    summarize_outs(s, fn);
}

/* `node` holds `object`, at the offsets at which `fn` gives it out. */
static void
hold_object(struct burl_pts *s, uint32_t node, uint32_t object, uint32_t fn)
{
    const struct burl__offsets o =
        fn == BURL__NONE ? (struct burl__offsets){ .n = 1 } : s->funcs.v[fn].sum.offsets;

    for (uint32_t i = 0; i < o.n; i++)
        burl__pts_add(s, node, burl__pts_leaf_at(s, object, (uint64_t)o.v[i]));
}

/* All nodes inside the wrapper that hold its allocations get one more object. */
static void
give_object(struct burl_pts *s, uint32_t fn, uint32_t object)
{
    if (!burl__set_add(&s->funcs.v[fn].clones, object))
        return;
    for (size_t i = 0; i < s->funcs.v[fn].allocs.n; i++) {
        uint32_t from = s->funcs.v[fn].alloc_fns.v[i];
        hold_object(s, s->funcs.v[fn].allocs.v[i], object, from);
        if (from != BURL__NONE)
            give_object(s, from, object);
    }
}

/* `node` is in wrapper `owner` and holds what `fn` allocates for it. */
static void
join_wrapper(struct burl_pts *s, uint32_t owner, uint32_t fn, uint32_t node)
{
    BURL_VEC_PUSH(&s->funcs.v[owner].allocs, node);
    BURL_VEC_PUSH(&s->funcs.v[owner].alloc_fns, fn);
    BURL__SET_EACH(x, &s->funcs.v[owner].clones)
    {
        hold_object(s, node, x, fn);
        if (fn != BURL__NONE && fn != owner)
            give_object(s, fn, x);
    }
}

/* A routine that is started or called back has no call of its own: its memory is named after the
 * allocation inside. */
static uint32_t
new_block(struct burl_pts *s, LLVMValueRef call, uint32_t fn)
{
    LLVMValueRef def = burl__pts_callee(s, call), via = NULL;

    if (fn != BURL__NONE) {
        via = s->funcs.v[fn].via;
        if (def && def != s->funcs.v[fn].value) {
            call = via;
            via = NULL;
        }
    }
    uint32_t x = burl__pts_new_object(s, BURL_PTS_HEAP, call, NULL);
    s->objects.v[x].pub.via = via;
    return x;
}

void
burl__pts_allocate(struct burl_pts *s, LLVMValueRef call, uint32_t fn, uint32_t node,
                   uint64_t size_b)
{
    uint32_t owner, hint = 0, x;

    if (burl_valmap_get(&s->sources, call, &owner)) {
        join_wrapper(s, owner, fn, node);
        return;
    }
    size_t max = CLONE_BUDGET / s->p->functions.n;
    if (fn != BURL__NONE && s->funcs.v[fn].clones.n > 0 &&
        s->n_clones >= (max > MIN_CLONES ? max : MIN_CLONES)) {
        x = burl__set_next(&s->funcs.v[fn].clones, 0, &hint);
    } else {
        x = new_block(s, call, fn);
        s->objects.v[x].pub.size_b = size_b;
        if (fn != BURL__NONE) {
            s->n_clones++;
            give_object(s, fn, x);
        }
    }
    hold_object(s, node, x, fn);
}

static bool
was_guessed(const struct burl_pts *s, LLVMValueRef call, LLVMValueRef fn)
{
    for (size_t i = 0; i < s->guesses.n; i++)
        if (s->guesses.v[i].call == call && s->guesses.v[i].fn == fn)
            return true;
    return false;
}

bool
burl__pts_check_guesses(struct burl_pts *s)
{
    for (size_t i = 0; i < s->guesses.n; i++) {
        LLVMValueRef call = s->guesses.v[i].call;
        uint32_t x;
        /* Not every guess led to a wrapper. */
        if (!burl_valmap_has(&s->sources, call) || !burl_valmap_get(&s->first_site, call, &x))
            continue;
        for (size_t k = 0; k < s->sites.v[x].callees.n; k++)
            if (!was_guessed(s, call, s->funcs.v[s->sites.v[x].callees.v[k]].value))
                return false;
    }
    return true;
}
