/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/classify.c - what an instruction does that other threads can see.
 *
 * Runs in the compiler. One instruction gives a list of operations (a memcpy
 * reads and writes), each of which becomes a site. Private and read-only memory
 * gives none. Not watched, and said so in docs/internals/instr.md: what inline
 * assembly does through registers (asmop.c), masked vector accesses, other
 * address spaces. The first two are marked as calls of something that is not
 * seen (unseen.c), so that nothing is taken for proven where they are executed.
 */
#include <string.h>

#include "instr/instr_int.h"

static uint8_t
order_of(LLVMAtomicOrdering o)
{
    switch (o) {
    case LLVMAtomicOrderingAcquire:
        return BURL_MO_ACQUIRE;
    case LLVMAtomicOrderingRelease:
        return BURL_MO_RELEASE;
    case LLVMAtomicOrderingAcquireRelease:
        return BURL_MO_ACQ_REL;
    case LLVMAtomicOrderingSequentiallyConsistent:
        return BURL_MO_SEQ_CST;
    default:
        return BURL_MO_RELAXED;
    }
}

static bool
is_hook_size(uint64_t n)
{
    return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* Memory we can watch at all. */
static bool
is_visible(struct burl__instr *in, LLVMValueRef ptr)
{
    LLVMTypeRef t = LLVMTypeOf(ptr);
    unsigned swifterror = LLVMGetEnumAttributeKindForName("swifterror", 10);

    if (LLVMGetTypeKind(t) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(t) != 0)
        return false;
    if (LLVMIsAArgument(ptr)) {
        LLVMValueRef fn = LLVMGetParamParent(ptr);
        for (unsigned i = 0; i < LLVMCountParams(fn); i++)
            if (LLVMGetParam(fn, i) == ptr && LLVMGetEnumAttributeAtIndex(fn, i + 1, swifterror))
                return false;
    }
    return !burl__instr_is_constant(ptr) && !burl__instr_is_private(in, ptr);
}

/* clang's type-based alias tag of an object's pointer to its virtual table; not there at -O0. */
static bool
has_vtable_tag(LLVMValueRef store)
{
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(store)), "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(store, kind);
    LLVMValueRef parts[4], name[4];
    const char *text;
    unsigned n;

    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 4)
        return false;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || LLVMGetMDNodeNumOperands(parts[1]) < 1 ||
        LLVMGetMDNodeNumOperands(parts[1]) > 4)
        return false;
    LLVMGetMDNodeOperands(parts[1], name);
    text = name[0] ? LLVMGetMDString(name[0], &n) : NULL;
    return text && n == strlen("vtable pointer") && memcmp(text, "vtable pointer", n) == 0;
}

/*
 * Constructors and destructors set the object's pointer to the virtual table of their class. The
 * destructor of the class the object was made as sets what is there already, before its first
 * statement, in which it may well wait for the threads that still call the object's methods: no
 * line of the source writes there, and no thread can see it.
 */
static bool
is_vptr_store(LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);

    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return false;
    while (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAGlobalVariable(v) && strncmp(burl__instr_value_name(v), "_ZTV", 4) == 0)
        return true;
    return has_vtable_tag(store);
}

static int
classify_access(struct burl__instr *in, LLVMValueRef inst, bool write, struct burl__op *op)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, write ? 1 : 0);
    LLVMTypeRef ty = write ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : LLVMTypeOf(inst);
    LLVMAtomicOrdering mo = LLVMGetOrdering(inst);

    if (!is_visible(in, ptr) || !LLVMTypeIsSized(ty))
        return 0;
    *op = (struct burl__op){ .ptr = ptr, .bytes = LLVMStoreSizeOfType(in->td, ty) };
    if (LLVMGetVolatile(inst))
        op->flags |= BURL_SITE_F_VOLATILE;
    if (mo != LLVMAtomicOrderingNotAtomic) {
        op->kind = write ? BURL_SITE_ATOMIC_STORE : BURL_SITE_ATOMIC_LOAD;
        op->order = order_of(mo);
        op->how = BURL__HOW_ATOMIC;
        if (LLVMIsAtomicSingleThread(inst))
            op->flags |= BURL_SITE_F_SINGLE_THREAD;
        return 1;
    }
    op->order = BURL_MO_NONE;
    if (is_hook_size(op->bytes)) {
        op->kind = write ? BURL_SITE_WRITE : BURL_SITE_READ;
        op->how = write && is_vptr_store(inst) ? BURL__HOW_VPTR : BURL__HOW_ACCESS;
    } else {
        op->kind = write ? BURL_SITE_RANGE_WRITE : BURL_SITE_RANGE_READ;
        op->how = BURL__HOW_RANGE;
    }
    return op->bytes != 0;
}

static int
classify_rmw(struct burl__instr *in, LLVMValueRef inst, struct burl__op *op)
{
    bool cas = LLVMIsAAtomicCmpXchgInst(inst) != NULL;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);

    if (!is_visible(in, ptr))
        return 0;
    *op = (struct burl__op){
        .ptr = ptr,
        .bytes = LLVMStoreSizeOfType(in->td, LLVMTypeOf(LLVMGetOperand(inst, 1))),
        .kind = cas ? BURL_SITE_ATOMIC_CAS : BURL_SITE_ATOMIC_RMW,
        .order = cas ? burl_wire_mo_pair(order_of(LLVMGetCmpXchgSuccessOrdering(inst)),
                                         order_of(LLVMGetCmpXchgFailureOrdering(inst)))
                     : order_of(LLVMGetOrdering(inst)),
        .how = BURL__HOW_ATOMIC,
    };
    if (LLVMIsAtomicSingleThread(inst))
        op->flags |= BURL_SITE_F_SINGLE_THREAD;
    if (LLVMGetVolatile(inst))
        op->flags |= BURL_SITE_F_VOLATILE;
    return 1;
}

static int
classify_fence(LLVMValueRef inst, struct burl__op *op)
{
    *op = (struct burl__op){ .kind = BURL_SITE_FENCE,
                             .order = order_of(LLVMGetOrdering(inst)),
                             .how = BURL__HOW_FENCE };
    if (LLVMIsAtomicSingleThread(inst))
        op->flags |= BURL_SITE_F_SINGLE_THREAD;
    return 1;
}

static int
add_range(struct burl__instr *in, LLVMValueRef call, unsigned arg, uint8_t kind,
          struct burl__op *op)
{
    LLVMValueRef ptr = LLVMGetOperand(call, arg);
    LLVMValueRef len = LLVMGetOperand(call, 2);
    LLVMValueRef is_volatile = LLVMGetOperand(call, 3);

    if (!is_visible(in, ptr))
        return 0;
    *op = (struct burl__op){
        .ptr = ptr, .kind = kind, .order = BURL_MO_NONE, .how = BURL__HOW_RANGE
    };
    if (LLVMIsAConstantInt(len))
        op->bytes = LLVMConstIntGetZExtValue(len);
    else
        op->len = len;
    if (LLVMIsAConstantInt(is_volatile) && LLVMConstIntGetZExtValue(is_volatile))
        op->flags |= BURL_SITE_F_VOLATILE;
    return op->len || op->bytes;
}

/* What touches memory that no hook tells of. */
static struct burl__op
unseen_op(LLVMValueRef target)
{
    return (struct burl__op){ .ptr = target,
                              .bytes = BURL_HIDDEN_UNSEEN,
                              .kind = BURL_SITE_CALL,
                              .order = BURL_MO_NONE,
                              .how = BURL__HOW_CALL };
}

static int
classify_intrinsic(struct burl__instr *in, LLVMValueRef call, const char *name,
                   struct burl__op *ops)
{
    int n = 0;

    if (burl__instr_intrinsic_is_unseen(in, call, name)) {
        ops[n++] = unseen_op(LLVMGetCalledValue(call));
    } else if (strncmp(name, "llvm.memcpy.", 12) == 0 || strncmp(name, "llvm.memmove.", 13) == 0) {
        n += add_range(in, call, 1, BURL_SITE_RANGE_READ, &ops[n]);
        n += add_range(in, call, 0, BURL_SITE_RANGE_WRITE, &ops[n]);
    } else if (strncmp(name, "llvm.memset.", 12) == 0) {
        n += add_range(in, call, 0, BURL_SITE_RANGE_WRITE, &ops[n]);
    }
    return n;
}

/*
 * The out-of-line atomics clang calls for sizes the machine has no instruction for. Generic ones
 * have the size first (__atomic_load), sized ones in the name (__atomic_load_16).
 */
static int
classify_atomic_call(struct burl__instr *in, LLVMValueRef call, const char *name,
                     struct burl__op *op)
{
    const char *what = name + strlen("__atomic_");
    const char *digits = strrchr(what, '_');
    unsigned size = 0;
    unsigned arg = 1;
    unsigned n = LLVMGetNumArgOperands(call);

    if (digits && digits[1] >= '1' && digits[1] <= '9') {
        size = (unsigned)strtoul(digits + 1, NULL, 10);
        arg = 0;
    }
    if (n < arg + 2)
        return 0;
    if (arg == 1 && LLVMIsAConstantInt(LLVMGetOperand(call, 0)))
        size = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
    *op = (struct burl__op){ .ptr = LLVMGetOperand(call, arg),
                             .bytes = size,
                             .how = BURL__HOW_ATOMIC,
                             .order = BURL_MO_SEQ_CST };
    if (strncmp(what, "load", 4) == 0)
        op->kind = BURL_SITE_ATOMIC_LOAD;
    else if (strncmp(what, "store", 5) == 0)
        op->kind = BURL_SITE_ATOMIC_STORE;
    else if (strncmp(what, "compare_exchange", 16) == 0)
        op->kind = BURL_SITE_ATOMIC_CAS;
    else if (strncmp(what, "exchange", 8) == 0 || strncmp(what, "fetch_", 6) == 0)
        op->kind = BURL_SITE_ATOMIC_RMW;
    else
        return 0;
    /* The order is the last argument; before the failure order for compare-exchange. */
    LLVMValueRef mo = LLVMGetOperand(call, op->kind == BURL_SITE_ATOMIC_CAS ? n - 2 : n - 1);
    if (LLVMIsAConstantInt(mo) && LLVMConstIntGetZExtValue(mo) <= BURL_MO_SEQ_CST)
        op->order = (uint8_t)LLVMConstIntGetZExtValue(mo);
    if (op->kind == BURL_SITE_ATOMIC_CAS) {
        LLVMValueRef failure = LLVMGetOperand(call, n - 1);
        bool known = LLVMIsAConstantInt(failure) != NULL &&
                     LLVMConstIntGetZExtValue(failure) <= BURL_MO_SEQ_CST;

        op->order = burl_wire_mo_pair(op->order, known ? (uint8_t)LLVMConstIntGetZExtValue(failure)
                                                       : BURL_MO_SEQ_CST);
    }
    return is_visible(in, op->ptr);
}

/* Library calls that are everywhere, touch nothing shared and are never interposed. */
static bool
is_dull(LLVMValueRef call, const char *name)
{
    static const char *const names[] = { "__errno_location",    "__ctype_b_loc",
                                         "__ctype_tolower_loc", "__ctype_toupper_loc",
                                         "__stack_chk_fail",    "__cxa_begin_catch",
                                         "__cxa_end_catch",     "_Unwind_Resume" };
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMValueRef fn = burl__instr_callee(call);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, BURL__FN_ATTRS, kind);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    if (!a && fn)
        a = LLVMGetEnumAttributeAtIndex(fn, BURL__FN_ATTRS, kind);
    /* memory(none) encodes as 0: arithmetic like sqrt(). */
    return a && LLVMGetEnumAttributeValue(a) == 0;
}

static int
classify_asm(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    int n_all = burl__instr_asm_ops(in, call, ops);
    int n = 0;

    for (int i = 0; i < n_all; i++)
        if (is_visible(in, ops[i].ptr))
            ops[n++] = ops[i];
    if (burl__instr_asm_is_unseen(in, call)) {
        n -= n == BURL__MAX_OPS;
        ops[n++] = unseen_op(LLVMGetCalledValue(call));
    }
    return n;
}

/* asm goto: a hook behind it has no place. */
static int
classify_asm_goto(struct burl__instr *in, LLVMValueRef jump, struct burl__op *ops)
{
    if (!burl__instr_asm_is_unseen(in, jump))
        return 0;
    ops[0] = unseen_op(LLVMGetCalledValue(jump));
    return 1;
}

static int
classify_call(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    LLVMValueRef target = LLVMGetCalledValue(call);
    LLVMValueRef fn = burl__instr_callee(call);
    const char *name = fn ? burl__instr_value_name(fn) : "";

    if (LLVMIsAInlineAsm(target))
        return classify_asm(in, call, ops);
    if (fn && LLVMGetIntrinsicID(fn))
        return classify_intrinsic(in, call, name, ops);
    if (fn && !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage)
        return 0;
    /* Of our own, only the one that ends the run is a place to report. */
    if ((strncmp(name, "__burl_", 7) == 0 && strcmp(name, "__burl_non_linearisable") != 0) ||
        is_dull(call, name))
        return 0;
    if (strncmp(name, "__atomic_", 9) == 0) {
        int n = classify_atomic_call(in, call, name, ops);
        if (n)
            return n;
    }
    int n = burl__instr_lib_ops(in, call, ops);
    if (n >= 0)
        return n;
    n = 0;
    if (burl__instr_state_is_unseen(in, call, name))
        ops[n++] = unseen_op(target);
    ops[n++] = (struct burl__op){ .ptr = target,
                                  .bytes = burl__instr_hidden_at(in, call, name),
                                  .kind = BURL_SITE_CALL,
                                  .order = BURL_MO_NONE,
                                  .how = BURL__HOW_CALL };
    return n;
}

int
burl__instr_classify(struct burl__instr *in, LLVMValueRef inst, struct burl__op ops[BURL__MAX_OPS])
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return classify_access(in, inst, false, &ops[0]);
    case LLVMStore:
        return classify_access(in, inst, true, &ops[0]);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return classify_rmw(in, inst, &ops[0]);
    case LLVMFence:
        return classify_fence(inst, &ops[0]);
    case LLVMCall:
    case LLVMInvoke:
        return classify_call(in, inst, ops);
    case LLVMCallBr:
        return classify_asm_goto(in, inst, ops);
    default:
        return 0;
    }
}
