/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/key.c - what instructions are aligned by: hashes that do not depend on the version.
 * Runs in burl-analyze.
 *
 * Equal keys propose a counterpart; same.c decides whether it is equal.
 */
#include <string.h>

#include "analysis/diff/diff_int.h"
#include "ir/ditype.h"

enum { MAX_DEPTH = 3, MAX_ADDRESS = 8, MAX_ELEMENTS = 256 };

struct keys {
    struct burl__form *f;
    struct burl_map *locals; /* hash of the name by variable in memory */
    struct burl__side *side;
    bool body; /* names of functions without a counterpart do not count */
};

static uint64_t value_key(const struct keys *k, LLVMValueRef v, int depth);

static uint64_t
hash2(uint64_t a, uint64_t b)
{
    return burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, a), b);
}

static uint64_t
function_key(const struct keys *k, LLVMValueRef fn)
{
    LLVMValueRef def = burl__match_definition(k->side->p, fn);
    const struct burl_diff *d = k->side->d;
    uint32_t entry;

    if (k->body && def == k->f->fn)
        return 1;
    if (burl_valmap_get(&k->side->entry_of, def, &entry)) {
        if (entry != BURL__NONE && d->functions.v[entry].is && d->functions.v[entry].was)
            return hash2(2, entry);
        if (k->body)
            return hash2(3, LLVMCountParams(def));
    }
    return burl__name_hash(burl_ir_name(def));
}

static uint64_t
global_key(const struct keys *k, LLVMValueRef g, int depth)
{
    if (LLVMIsAFunction(g) || LLVMIsAGlobalAlias(g))
        return function_key(k, g);
    if (LLVMIsAGlobalVariable(g) && LLVMGetLinkage(g) == LLVMPrivateLinkage &&
        LLVMGetInitializer(g))
        return depth > 0 ? hash2(4, value_key(k, LLVMGetInitializer(g), depth - 1)) : 4;
    return burl_hash_str(BURL_HASH_BEGIN, burl_ir_name(g));
}

static uint64_t
aggregate_key(const struct keys *k, LLVMValueRef c, int depth)
{
    uint64_t h = 5;
    size_t n;

    if (LLVMIsAConstantDataSequential(c) && LLVMIsConstantString(c)) {
        const char *s = LLVMGetAsString(c, &n);
        return burl_hash_bytes(h, s, n);
    }
    for (unsigned i = 0; i < MAX_ELEMENTS && depth > 0; i++) {
        LLVMValueRef e = LLVMIsAConstant(c) ? LLVMGetAggregateElement(c, i) : NULL;
        if (!e)
            break;
        h = hash2(h, value_key(k, e, depth - 1));
    }
    return h;
}

static uint64_t
constant_key(const struct keys *k, LLVMValueRef c, int depth)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(c));
    LLVMBool lost;

    if (LLVMIsAGlobalValue(c))
        return global_key(k, c, depth);
    if (LLVMIsAConstantInt(c))
        return LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64
                   ? 6
                   : hash2(LLVMGetIntTypeWidth(LLVMTypeOf(c)), LLVMConstIntGetZExtValue(c));
    if (LLVMIsAConstantFP(c)) {
        double x = LLVMConstRealGetDouble(c, &lost);
        return burl_hash_bytes(7, &x, sizeof x);
    }
    if (LLVMIsNull(c))
        return 8;
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
        return aggregate_key(k, c, depth);
    return hash2(9, (uint64_t)LLVMGetValueKind(c));
}

/* Struct and member names, constant indices; what it starts from. */
static uint64_t
gep_key(const struct keys *k, LLVMValueRef gep, int depth)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    uint64_t h = hash2(10, value_key(k, LLVMGetOperand(gep, 0), depth - 1));

    for (int i = 1; i < n; i++) {
        LLVMValueRef x = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            const struct burl__struct *s = burl__types_struct(k->side, t);
            unsigned ix = (unsigned)burl_ir_int_or_0(x);
            h = hash2(h, s->members[ix] ? s->members[ix] : ix);
            if (s->name)
                h = burl_hash_bytes(h, s->name, s->name_n);
            t = LLVMStructGetTypeAtIndex(t, ix);
            continue;
        }
        h = hash2(h, value_key(k, x, depth - 1));
        if (i > 1)
            t = LLVMGetElementType(t);
    }
    return h;
}

static uint64_t
value_key(const struct keys *k, LLVMValueRef v, int depth)
{
    if (depth < -MAX_ADDRESS)
        return 11;
    if (burl_ir_is_gep(v))
        return gep_key(k, v, depth < 1 ? depth : 1);
    if (LLVMIsAConstant(v))
        return LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) > 0
                   ? hash2(12, value_key(k, LLVMGetOperand(v, 0), depth - 1))
                   : constant_key(k, v, depth < 0 ? 1 : depth);
    if (LLVMIsAArgument(v))
        return hash2(13, burl_ir_param_index(v));
    if (!LLVMIsAInstruction(v))
        return 14;
    if (LLVMIsAPHINode(v))
        return 15;
    if (burl__form_is_unwound(v))
        return 17;
    uint64_t h = hash2(16, (uint64_t)LLVMGetInstructionOpcode(v));
    if (burl__form_is_marker(v))
        return value_key(k, LLVMGetOperand(v, 0), depth - 1);
    if (burl_ir_is_call(v) && burl_ir_callee(v))
        return hash2(h, function_key(k, burl_ir_callee(v)));
    if (LLVMIsALoadInst(v) && depth > 0)
        return hash2(h, value_key(k, LLVMGetOperand(v, 0), depth - 1));
    return h;
}

static LLVMValueRef
address_of(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetOperand(i, 0);
    return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : LLVMIsAGetElementPtrInst(i) ? i : NULL;
}

static uint64_t
loose_key(const struct keys *k, LLVMValueRef i)
{
    uint64_t h = hash2(20, (uint64_t)LLVMGetInstructionOpcode(i));

    if (!burl_ir_is_call(i))
        return LLVMIsAAllocaInst(i) ? hash2(h, burl__types_key(k->side, LLVMGetAllocatedType(i)))
                                    : h;
    LLVMValueRef fn = burl_ir_callee(i);
    h = hash2(20, (uint64_t)LLVMCall); /* a call in a function with handlers is an invoke */
    return hash2(h, fn ? function_key(k, fn) : 21);
}

static uint64_t
way_key(LLVMValueRef i)
{
    uint64_t h = 30;

    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i))
        h = hash2(h, (uint64_t)LLVMGetVolatile(i) << 8 | (uint64_t)LLVMGetOrdering(i));
    if (LLVMIsAICmpInst(i))
        h = hash2(h, (uint64_t)LLVMGetICmpPredicate(i));
    if (LLVMIsAFCmpInst(i))
        h = hash2(h, (uint64_t)LLVMGetFCmpPredicate(i));
    return h;
}

static bool
is_assertion(const struct keys *k, LLVMValueRef i)
{
    LLVMValueRef fn = burl_ir_is_call(i) ? burl_ir_callee(i) : NULL;

    return fn && (burl_program_libfn(k->side->p, fn).is & BURL_FN_ASSERTION);
}

static void
key_inst(const struct keys *k, struct burl__inst *x)
{
    LLVMValueRef address = address_of(x->v);
    bool call = burl_ir_is_call(x->v);
    int n = call ? (int)LLVMGetNumArgOperands(x->v) : LLVMGetNumOperands(x->v);

    x->loose = loose_key(k, x->v);
    x->near = hash2(x->loose, address ? value_key(k, address, 1) : 0);
    for (int i = 0; call && i < n && !is_assertion(k, x->v); i++)
        if (burl_ir_is_pointer(LLVMGetOperand(x->v, (unsigned)i)))
            x->near = hash2(x->near, value_key(k, LLVMGetOperand(x->v, (unsigned)i), 1));
    x->exact = hash2(hash2(x->near, way_key(x->v)), burl__types_key(k->side, LLVMTypeOf(x->v)));
    for (int i = 0; i < n && !is_assertion(k, x->v); i++) {
        LLVMValueRef op = LLVMGetOperand(x->v, (unsigned)i);
        if (!LLVMIsABasicBlock(op) && !LLVMIsASwitchInst(x->v))
            x->exact = hash2(x->exact, value_key(k, op, MAX_DEPTH));
    }
    uint64_t name;
    if (LLVMIsAAllocaInst(x->v) && burl_map_get_ptr(k->locals, x->v, &name))
        x->exact = hash2(x->exact, name);
    if (LLVMIsASwitchInst(x->v))
        x->exact = hash2(x->exact, value_key(k, LLVMGetOperand(x->v, 0), MAX_DEPTH));
}

/* Names of variables in memory, which tell two of a type apart. */
static void
name_locals(struct burl__form *f, struct burl_map *out)
{
    LLVMContextRef ctx = f->side->p->ctx;

    for (LLVMValueRef i = burl_ir_first(f->fn); i; i = burl_ir_next(i)) {
        LLVMValueRef wrapped = LLVMIsADbgDeclareInst(i) ? LLVMGetOperand(i, 0) : NULL, v = NULL;
        if (!wrapped || LLVMGetMDNodeNumOperands(wrapped) != 1)
            continue;
        LLVMGetMDNodeOperands(wrapped, &v);
        const char *name =
            burl_di_string(ctx, LLVMValueAsMetadata(LLVMGetOperand(i, 1)), BURL_DI_VAR_NAME);
        if (v && LLVMIsAAllocaInst(v))
            burl_map_set_ptr(out, v, burl_hash_str(BURL_HASH_BEGIN, name) >> 1);
    }
}

static void
key_all(struct burl__form *f, bool body)
{
    struct burl_map locals = { 0 };
    /* Looking up a struct type may add it. */
    const struct keys k = { f, &locals, (struct burl__side *)(uintptr_t)f->side, body };

    if (!body)
        name_locals(f, &locals);
    for (size_t i = 0; i < f->insts.n; i++)
        key_inst(&k, &f->insts.v[i]);
    burl_map_deinit(&locals);
}

void
burl__key_form(struct burl__form *f)
{
    key_all(f, false);
}

uint64_t
burl__key_body(struct burl__form *f)
{
    uint64_t h = hash2(f->blocks.n, LLVMCountParams(f->fn));

    key_all(f, true);
    for (size_t i = 0; i < f->insts.n; i++)
        h = hash2(h, f->insts.v[i].exact);
    for (size_t i = 0; i < f->edges.n; i++)
        h = hash2(hash2(h, f->edges.v[i].label), f->edges.v[i].to);
    return burl_hash_end(h);
}
