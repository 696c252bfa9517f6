/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_gen.c - inclusion constraints of instructions. Host side.
 *
 * 64-bit values and aggregates are tracked like pointers: clang passes small structs as integers,
 * and pointers are converted to uintptr_t. An aggregate in a register is one node; in memory its
 * fields are separate.
 */
#include "analysis/pts/pts_int.h"

/* Parts of an array that is loaded or stored as one value. */
enum { MAX_PARTS = 64 };

/* Steps of arithmetic between a pointer and the integer it is kept in. */
enum { MAX_CHAIN = 6 };

void
burl__pts_access(struct burl_pts *s, enum burl__con_kind kind, uint32_t ptr, uint32_t value,
                 LLVMTypeRef t, int64_t d)
{
    LLVMTypeKind type = LLVMGetTypeKind(t);

    if (ptr == BURL__NONE || value == BURL__NONE || !burl__pts_may_hold(t))
        return;
    if (type == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
            burl__pts_access(s, kind, ptr, value, LLVMStructGetTypeAtIndex(t, i),
                             d + (int64_t)LLVMOffsetOfElement(s->p->td, t, i));
        return;
    }
    uint64_t n = type == LLVMArrayTypeKind     ? LLVMGetArrayLength2(t)
                 : type == LLVMVectorTypeKind  ? LLVMGetVectorSize(t)
                 : type == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) / 64
                                               : 1;
    for (uint64_t i = 0; i < n && i < MAX_PARTS; i++) {
        if (type == LLVMArrayTypeKind || type == LLVMVectorTypeKind) {
            LLVMTypeRef e = LLVMGetElementType(t);
            burl__pts_access(s, kind, ptr, value, e,
                             d + (int64_t)(i * LLVMABISizeOfType(s->p->td, e)));
        } else {
            burl__pts_con(s, ptr,
                          (struct burl__con){ kind, value, BURL__NONE, d + 8 * (int64_t)i });
        }
    }
}

void
burl__pts_stride(struct burl_pts *s, uint32_t from, uint32_t to, uint64_t stride)
{
    if (from == BURL__NONE || to == BURL__NONE)
        return;
    BURL_VEC_PUSH(&s->steps, (struct burl_ir_steps){ .n = 1, .v = { { .stride = stride } } });
    burl__pts_con(s, from, (struct burl__con){ BURL__CON_WALK, to, (uint32_t)s->steps.n - 1, 0 });
}

static void
copy_value(struct burl_pts *s, LLVMValueRef from, LLVMValueRef to)
{
    uint32_t a = burl__pts_value(s, from), b = burl__pts_value(s, to);

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
    uint32_t x = (uint32_t)s->steps.n;

    if (!t)
        return BURL__NONE;
    if (!burl_valmap_find_or_add(&s->by_type, t, &x))
        BURL_VEC_PUSH(&s->steps, (struct burl_ir_steps){ .type = t });
    return x;
}

static void
gen_gep(struct burl_pts *s, LLVMValueRef i)
{
    struct burl_ir_steps step;
    int64_t d;
    uint32_t from = burl__pts_value(s, LLVMGetOperand(i, 0)), to = burl__pts_value(s, i);

    if (from == BURL__NONE || to == BURL__NONE)
        return;
    if (burl_ir_gep(s->p->td, i, &d, &step)) {
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

static void
gen_sum(struct burl_pts *s, LLVMValueRef i, bool minus)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    uint32_t from = burl__pts_value(s, a), to = burl__pts_value(s, i);

    if (to == BURL__NONE || !is_address(i))
        return;
    if (LLVMIsAConstantInt(b)) {
        int64_t k = LLVMConstIntGetSExtValue(b);
        burl__pts_con(s, from, (struct burl__con){ BURL__CON_ADD, to, BURL__NONE, minus ? -k : k });
        return;
    }
    /* The distance of two pointers is none. */
    if (minus && (LLVMIsAPtrToIntInst(b) || LLVMIsAPtrToIntInst(a) == NULL))
        return;
    /* An address computed with integers: by how much is not known. */
    burl__pts_stride(s, from, to, 1);
    if (!minus)
        burl__pts_stride(s, burl__pts_value(s, b), to, 1);
}

static void
gen_alloca(struct burl_pts *s, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMGetAllocatedType(i);
    LLVMValueRef n = LLVMGetOperand(i, 0);
    uint32_t x = burl__pts_new_object(s, BURL_PTS_STACK, i, t);
    struct burl__object *o = &s->objects.v[x];

    if (!LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) != 1) {
        o->heap = true;
        o->pub.size_b = LLVMIsAConstantInt(n) ? o->pub.size_b * LLVMConstIntGetZExtValue(n) : 0;
    }
    burl_valmap_set(&s->allocas, i, x);
    burl__pts_add(s, burl__pts_value(s, i), burl__pts_leaf_at(s, x, 0));
}

static void
gen_atomic(struct burl_pts *s, LLVMValueRef i, unsigned new_value)
{
    uint32_t ptr = burl__pts_value(s, LLVMGetOperand(i, 0));
    LLVMValueRef v = LLVMGetOperand(i, new_value);
    LLVMTypeRef t = LLVMTypeOf(v);

    burl__pts_access(s, BURL__CON_LOAD, ptr, burl__pts_value(s, i), t, 0);
    burl__pts_access(s, BURL__CON_STORE, ptr, burl__pts_value(s, v), t, 0);
}

static void
gen_va_arg(struct burl_pts *s, LLVMValueRef i)
{
    uint32_t area = burl__pts_new_node(s);
    LLVMTypeRef ptr = LLVMTypeOf(LLVMGetOperand(i, 0));

    burl__pts_access(s, BURL__CON_LOAD, burl__pts_value(s, LLVMGetOperand(i, 0)), area, ptr, 8);
    burl__pts_access(s, BURL__CON_LOAD, area, burl__pts_value(s, i), LLVMTypeOf(i), 0);
}

static void
gen_other(struct burl_pts *s, LLVMValueRef i, uint32_t fn)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
        if (LLVMGetNumOperands(i))
            burl__pts_edge(s, burl__pts_value(s, LLVMGetOperand(i, 0)), s->funcs.v[fn].ret);
        break;
    case LLVMLandingPad:
        burl__pts_edge(s, s->exceptions, burl__pts_value(s, i));
        break;
    case LLVMResume:
        burl__pts_edge(s, burl__pts_value(s, LLVMGetOperand(i, 0)), s->exceptions);
        break;
    case LLVMAtomicRMW:
        gen_atomic(s, i, 1);
        break;
    case LLVMAtomicCmpXchg:
        gen_atomic(s, i, 2);
        break;
    case LLVMVAArg:
        gen_va_arg(s, i);
        break;
    default:
        break;
    }
}

static void
gen_instruction(struct burl_pts *s, LLVMValueRef i, uint32_t fn)
{
    uint32_t ptr, value;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca:
        gen_alloca(s, i);
        break;
    case LLVMLoad:
        value = burl__pts_value(s, i);
        ptr = burl__pts_value(s, LLVMGetOperand(i, 0));
        burl__pts_access(s, BURL__CON_LOAD, ptr, value, LLVMTypeOf(i), 0);
        break;
    case LLVMStore:
        /* The address must have a node even when nothing is stored that matters. */
        ptr = burl__pts_value(s, LLVMGetOperand(i, 1));
        if (!burl_valmap_has(&s->skipped, i)) {
            value = burl__pts_value(s, LLVMGetOperand(i, 0));
            burl__pts_access(s, BURL__CON_STORE, ptr, value, LLVMTypeOf(LLVMGetOperand(i, 0)), 0);
        }
        break;
    case LLVMGetElementPtr:
        gen_gep(s, i);
        break;
    case LLVMPHI:
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
        gen_other(s, i, fn);
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
    burl__pts_global(s, def);
    struct burl__function *f = BURL_VEC_ADD(&s->funcs);
    f->value = def;
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
    for (LLVMValueRef i = burl_ir_first(s->funcs.v[fn].value); i; i = burl_ir_next(i))
        gen_instruction(s, i, fn);
}
