/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_gen.c - inclusion constraints of instructions. Host side.
 *
 * 64-bit values and aggregates are tracked like pointers: clang passes small structs as integers,
 * and pointers are converted to uintptr_t. An aggregate in a register is one node; in memory its
 * fields are separate.
 */
#include <string.h>

#include "analysis/pts/pts_int.h"

/* Parts of an array that is loaded or stored as one value. */
enum { MAX_PARTS = 64 };

/* Steps of arithmetic between a pointer and the integer it is kept in. */
enum { MAX_CHAIN = 6 };

static void
add_index(struct burl__step *step, uint64_t stride, uint64_t count, int64_t at)
{
    if (step->n < BURL__MAX_INDEX) {
        step->v[step->n++] = (struct burl__index){ stride, count, at };
        return;
    }
    /* More indices than real code has: the last one represents the rest. */
    struct burl__index *x = &step->v[BURL__MAX_INDEX - 1];
    x->stride = burl__pts_gcd(x->stride, stride);
    x->count = 0;
}

bool
burl__pts_gep(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef gep, int64_t *d,
              struct burl__step *step)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);

    (void)s;
    memset(step, 0, sizeof *step);
    step->type = LLVMGetTypeKind(t) == LLVMStructTypeKind ? t : NULL;
    *d = 0;
    for (int i = 1; i < n; i++) {
        LLVMValueRef ix = LLVMGetOperand(gep, (unsigned)i);
        bool known = LLVMIsAConstantInt(ix) || LLVMIsNull(ix);
        int64_t k = known && LLVMIsAConstantInt(ix) ? LLVMConstIntGetSExtValue(ix) : 0;
        uint64_t count = 0;
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            *d += (int64_t)LLVMOffsetOfElement(td, t, (unsigned)k);
            t = LLVMStructGetTypeAtIndex(t, (unsigned)k);
            continue;
        }
        if (i > 1) {
            count = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t)
                                                            : LLVMGetVectorSize(t);
            t = LLVMGetElementType(t);
        }
        uint64_t size = LLVMABISizeOfType(td, t);
        if (known)
            *d += k * (int64_t)size;
        else
            add_index(step, size, count, *d);
    }
    return step->n != 0;
}

/* Calls load or store for every part of a type that may hold a pointer. */
static void
each_part(struct burl_pts *s, LLVMTargetDataRef td, uint32_t ptr, uint32_t value, LLVMTypeRef t,
          int64_t d, enum burl__con_kind kind)
{
    unsigned n;

    if (!burl__pts_may_hold(t))
        return;
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind:
        n = LLVMCountStructElementTypes(t);
        for (unsigned i = 0; i < n; i++)
            each_part(s, td, ptr, value, LLVMStructGetTypeAtIndex(t, i),
                      d + (int64_t)LLVMOffsetOfElement(td, t, i), kind);
        break;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: {
        LLVMTypeRef e = LLVMGetElementType(t);
        int64_t size = (int64_t)LLVMABISizeOfType(td, e);
        uint64_t len =
            LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t) : LLVMGetVectorSize(t);
        for (uint64_t i = 0; i < len && i < MAX_PARTS; i++)
            each_part(s, td, ptr, value, e, d + (int64_t)i * size, kind);
        break;
    }
    case LLVMIntegerTypeKind:
        n = LLVMGetIntTypeWidth(t) / 64;
        for (unsigned i = 0; i < n && i < MAX_PARTS; i++)
            burl__pts_con(
                s, ptr,
                (struct burl__con){ kind, .other = value, .x = BURL__NONE, .d = d + 8 * i });
        break;
    default:
        burl__pts_con(s, ptr, (struct burl__con){ kind, .other = value, .x = BURL__NONE, .d = d });
    }
}

void
burl__pts_load(struct burl_pts *s, LLVMTargetDataRef td, uint32_t from, uint32_t to, LLVMTypeRef t,
               int64_t d)
{
    if (from != BURL__NONE && to != BURL__NONE)
        each_part(s, td, from, to, t, d, BURL__CON_LOAD);
}

void
burl__pts_store(struct burl_pts *s, LLVMTargetDataRef td, uint32_t value, uint32_t to,
                LLVMTypeRef t, int64_t d)
{
    if (value != BURL__NONE && to != BURL__NONE)
        each_part(s, td, to, value, t, d, BURL__CON_STORE);
}

static void
copy_value(struct burl_pts *s, LLVMValueRef from, LLVMValueRef to)
{
    uint32_t a = burl__pts_value(s, from), b = burl__pts_value(s, to);

    if (a != BURL__NONE && b != BURL__NONE)
        burl__pts_edge(s, a, b);
}

static void
copy_operands(struct burl_pts *s, LLVMValueRef i)
{
    int n = LLVMGetNumOperands(i);

    for (int k = 0; k < n; k++)
        copy_value(s, LLVMGetOperand(i, (unsigned)k), i);
}

static uint32_t
step_for_type(struct burl_pts *s, LLVMTypeRef t)
{
    uint32_t x;

    if (!t)
        return BURL__NONE;
    if (burl_valmap_get(&s->by_type, t, &x))
        return x;
    x = (uint32_t)s->steps.n;
    BURL_VEC_PUSH(&s->steps, (struct burl__step){ .type = t });
    burl_valmap_set(&s->by_type, t, x);
    return x;
}

static void
gen_gep(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i)
{
    struct burl__step step;
    int64_t d;
    uint32_t from = burl__pts_value(s, LLVMGetOperand(i, 0)), to = burl__pts_value(s, i);

    if (from == BURL__NONE || to == BURL__NONE)
        return;
    if (burl__pts_gep(s, td, i, &d, &step)) {
        BURL_VEC_PUSH(&s->steps, step);
        burl__pts_con(s, from,
                      (struct burl__con){ BURL__CON_WALK, to, (uint32_t)s->steps.n - 1, d });
    } else if (d == 0) {
        burl__pts_edge(s, from, to);
    } else {
        burl__pts_con(s, from,
                      (struct burl__con){ BURL__CON_ADD, to, step_for_type(s, step.type), d });
    }
}

static bool
is_arithmetic(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        return true;
    default:
        return false;
    }
}

static bool
was_pointer(LLVMValueRef v, int depth)
{
    if (LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt))
        return true;
    int n = depth < MAX_CHAIN && is_arithmetic(v) ? LLVMGetNumOperands(v) : 0;
    for (int i = 0; i < n; i++)
        if (was_pointer(LLVMGetOperand(v, (unsigned)i), depth + 1))
            return true;
    return false;
}

static bool
becomes_pointer(LLVMValueRef v, int depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (LLVMIsAIntToPtrInst(i) ||
            (depth < MAX_CHAIN && is_arithmetic(i) && becomes_pointer(i, depth + 1)))
            return true;
    }
    return false;
}

/*
 * Arithmetic with integers is followed when one end of it is seen to be a pointer: tags in the low
 * bits, alignment, offsets in uintptr_t. Following all of it would make every counter that shares a
 * union with a pointer an address.
 */
static bool
is_address(LLVMValueRef i)
{
    return was_pointer(i, 0) || becomes_pointer(i, 0);
}

/* An address computed with integers: by how much is not known. */
static void
walk_bytes(struct burl_pts *s, LLVMValueRef from, LLVMValueRef to)
{
    uint32_t a = burl__pts_value(s, from), b = burl__pts_value(s, to);

    if (a == BURL__NONE || b == BURL__NONE)
        return;
    BURL_VEC_PUSH(&s->steps, (struct burl__step){ .n = 1, .v = { { .stride = 1 } } });
    burl__pts_con(s, a, (struct burl__con){ BURL__CON_WALK, b, (uint32_t)s->steps.n - 1, 0 });
}

static void
gen_sum(struct burl_pts *s, LLVMValueRef i, bool minus)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    uint32_t from = burl__pts_value(s, a), to = burl__pts_value(s, i);

    if (to == BURL__NONE || !is_address(i))
        return;
    if (LLVMIsAConstantInt(b)) {
        int64_t k = LLVMConstIntGetSExtValue(b);
        if (from != BURL__NONE)
            burl__pts_con(s, from,
                          (struct burl__con){ BURL__CON_ADD, to, BURL__NONE, minus ? -k : k });
        return;
    }
    /* The distance of two pointers is none. */
    if (minus && (LLVMIsAPtrToIntInst(b) || LLVMIsAPtrToIntInst(a) == NULL))
        return;
    walk_bytes(s, a, i);
    if (!minus)
        walk_bytes(s, b, i);
}

static void
gen_alloca(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMGetAllocatedType(i);
    LLVMValueRef n = LLVMGetOperand(i, 0);
    uint32_t x = burl__pts_new_object(s, BURL_PTS_STACK, i, t, td);
    struct burl__object *o = &s->objects.v[x];

    if (!LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) != 1) {
        o->heap = true;
        o->pub.size_b = LLVMIsAConstantInt(n) ? o->pub.size_b * LLVMConstIntGetZExtValue(n) : 0;
    }
    burl_valmap_set(&s->allocas, i, x);
    burl__pts_add(s, burl__pts_value(s, i), burl__pts_leaf_at(s, x, 0));
}

static void
gen_atomic(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i, unsigned new_value)
{
    uint32_t ptr = burl__pts_value(s, LLVMGetOperand(i, 0));
    LLVMValueRef v = LLVMGetOperand(i, new_value);
    LLVMTypeRef t = LLVMTypeOf(v);

    burl__pts_load(s, td, ptr, burl__pts_value(s, i), t, 0);
    burl__pts_store(s, td, burl__pts_value(s, v), ptr, t, 0);
}

static void
gen_phi(struct burl_pts *s, LLVMValueRef i)
{
    unsigned n = LLVMCountIncoming(i);

    for (unsigned k = 0; k < n; k++)
        copy_value(s, LLVMGetIncomingValue(i, k), i);
}

static void
gen_va_arg(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i)
{
    uint32_t area = burl__pts_new_node(s);
    LLVMTypeRef ptr = LLVMTypeOf(LLVMGetOperand(i, 0));

    burl__pts_load(s, td, burl__pts_value(s, LLVMGetOperand(i, 0)), area, ptr, 8);
    burl__pts_load(s, td, area, burl__pts_value(s, i), LLVMTypeOf(i), 0);
}

static void
gen_other(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i, uint32_t fn)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
        if (LLVMGetNumOperands(i)) {
            uint32_t v = burl__pts_value(s, LLVMGetOperand(i, 0));
            if (v != BURL__NONE)
                burl__pts_edge(s, v, s->funcs.v[fn].ret);
        }
        break;
    case LLVMLandingPad:
        burl__pts_edge(s, s->exceptions, burl__pts_value(s, i));
        break;
    case LLVMResume: {
        uint32_t v = burl__pts_value(s, LLVMGetOperand(i, 0));
        if (v != BURL__NONE)
            burl__pts_edge(s, v, s->exceptions);
        break;
    }
    case LLVMAtomicRMW:
        gen_atomic(s, td, i, 1);
        break;
    case LLVMAtomicCmpXchg:
        gen_atomic(s, td, i, 2);
        break;
    case LLVMVAArg:
        gen_va_arg(s, td, i);
        break;
    default:
        break;
    }
}

static void
gen_instruction(struct burl_pts *s, LLVMTargetDataRef td, LLVMValueRef i, uint32_t fn)
{
    uint32_t unused;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca:
        gen_alloca(s, td, i);
        break;
    case LLVMLoad:
        burl__pts_load(s, td, burl__pts_value(s, LLVMGetOperand(i, 0)), burl__pts_value(s, i),
                       LLVMTypeOf(i), 0);
        break;
    case LLVMStore:
        if (!burl_valmap_get(&s->skipped, i, &unused))
            burl__pts_store(s, td, burl__pts_value(s, LLVMGetOperand(i, 0)),
                            burl__pts_value(s, LLVMGetOperand(i, 1)),
                            LLVMTypeOf(LLVMGetOperand(i, 0)), 0);
        /* The address must have a node even when nothing is stored that matters. */
        burl__pts_value(s, LLVMGetOperand(i, 1));
        break;
    case LLVMGetElementPtr:
        gen_gep(s, td, i);
        break;
    case LLVMPHI:
        gen_phi(s, i);
        break;
    case LLVMSelect:
    case LLVMShuffleVector:
    case LLVMInsertValue:
    case LLVMInsertElement:
    case LLVMExtractValue:
    case LLVMExtractElement:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMFreeze:
    case LLVMTrunc:
    case LLVMZExt:
        copy_operands(s, i);
        break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if (is_address(i))
            copy_operands(s, i);
        break;
    case LLVMAdd:
        gen_sum(s, i, false);
        break;
    case LLVMSub:
        gen_sum(s, i, true);
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        burl__pts_call(s, i);
        break;
    default:
        gen_other(s, td, i, fn);
        break;
    }
}

uint32_t
burl__pts_function(struct burl_pts *s, LLVMValueRef def)
{
    uint32_t fn;

    if (burl_valmap_get(&s->func_of, def, &fn))
        return fn;
    fn = (uint32_t)s->funcs.n;
    burl_valmap_set(&s->func_of, def, fn);
    uint32_t ret = burl__pts_new_node(s);
    uint32_t object = burl__pts_global(s, def);
    struct burl__function *f = BURL_VEC_ADD(&s->funcs);
    f->value = def;
    f->object = object;
    f->ret = ret;
    f->varargs = BURL__NONE;
    f->defined = !LLVMIsDeclaration(def);
    return fn;
}

void
burl__pts_reach(struct burl_pts *s, uint32_t fn)
{
    struct burl__function *f = &s->funcs.v[fn];

    if (f->reached || !f->defined)
        return;
    f->reached = true;
    s->changed = true;
    burl__pts_summarize(s, fn);
    BURL_VEC_PUSH(&s->todo_funcs, fn);
}

void
burl__pts_generate(struct burl_pts *s, uint32_t fn)
{
    LLVMValueRef f = s->funcs.v[fn].value;
    LLVMTargetDataRef td = burl__pts_td(s, f);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            gen_instruction(s, td, i, fn);
}
