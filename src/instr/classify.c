/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/classify.c - what an instruction does that other threads can see.
 *
 * Runs in the compiler. One instruction gives a list of operations (a memcpy
 * reads and writes), each of which becomes a site. Private and read-only memory
 * gives none. Whatever may touch memory and is on no list is marked as unseen,
 * so that nothing is taken for proven where it is executed: inline assembly that
 * uses pointers in registers (asmop.c), other address spaces, unknown intrinsics
 * (intrinsic.c) and instructions. docs/internals/instr.md has the table.
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

bool
burl__instr_is_hook_size(uint64_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

bool
burl__instr_is_visible(struct burl__instr *in, LLVMValueRef ptr)
{
    if (!burl_ir_is_pointer(ptr) || burl_ir_is_segment(ptr))
        return false;
    if (LLVMIsAArgument(ptr) &&
        burl_ir_attr(LLVMGetParamParent(ptr), burl_ir_param_index(ptr) + 1, "swifterror"))
        return false;
    return !burl__instr_is_constant(ptr) && !burl__instr_is_private(in, ptr);
}

struct burl__op
burl__instr_call_op(LLVMValueRef target, uint8_t hidden)
{
    return (struct burl__op){ .ptr = target,
                              .bytes = hidden,
                              .kind = BURL_SITE_CALL,
                              .order = BURL_MO_NONE,
                              .how = BURL__HOW_CALL };
}

struct burl__op
burl__instr_range_op(LLVMValueRef ptr, uint64_t bytes, bool write)
{
    return (struct burl__op){ .ptr = ptr,
                              .bytes = bytes,
                              .kind = write ? BURL_SITE_RANGE_WRITE : BURL_SITE_RANGE_READ,
                              .order = BURL_MO_NONE,
                              .how = BURL__HOW_RANGE };
}

static int
add_unseen(LLVMValueRef target, struct burl__op *op)
{
    *op = burl__instr_call_op(target, BURL_HIDDEN_UNSEEN);
    return 1;
}

/* clang's type-based alias tag of an object's pointer to its virtual table; not there at -O0. */
static bool
has_vtable_tag(LLVMValueRef store)
{
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(store)), "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(store, kind);
    LLVMValueRef parts[4], name[4];
    unsigned n;

    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 4)
        return false;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || LLVMGetMDNodeNumOperands(parts[1]) < 1 ||
        LLVMGetMDNodeNumOperands(parts[1]) > 4)
        return false;
    LLVMGetMDNodeOperands(parts[1], name);
    const char *text = name[0] ? LLVMGetMDString(name[0], &n) : NULL;
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

    if (!burl_ir_is_pointer(v))
        return false;
    while (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAGlobalVariable(v) && burl_ir_begins(burl_ir_name(v), "_ZTV"))
        return true;
    return has_vtable_tag(store);
}

/* With --volatile=atomic. The hardware does as much: the compiler keeps the order of volatile
 * accesses, and x86 has acquiring loads and releasing stores. */
static bool
is_taken_for_atomic(const struct burl__instr *in, const struct burl__op *op)
{
    return in->volatile_atomic && (op->flags & BURL_SITE_F_VOLATILE) != 0 &&
           burl__instr_is_hook_size(op->bytes);
}

static int
classify_access(struct burl__instr *in, LLVMValueRef inst, bool write, struct burl__op *op)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, write ? 1 : 0);
    LLVMTypeRef ty = write ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : LLVMTypeOf(inst);
    LLVMAtomicOrdering mo = LLVMGetOrdering(inst);

    if (burl_ir_is_segment(ptr))
        return add_unseen(ptr, op);
    if (!burl__instr_is_visible(in, ptr) || !LLVMTypeIsSized(ty))
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
    if (is_taken_for_atomic(in, op)) {
        op->kind = write ? BURL_SITE_ATOMIC_STORE : BURL_SITE_ATOMIC_LOAD;
        op->order = write ? BURL_MO_RELEASE : BURL_MO_ACQUIRE;
        op->how = BURL__HOW_ATOMIC;
        return 1;
    }
    op->order = BURL_MO_NONE;
    if (burl__instr_is_hook_size(op->bytes)) {
        op->kind = write ? BURL_SITE_WRITE : BURL_SITE_READ;
        op->how = (op->flags & BURL_SITE_F_VOLATILE) != 0 ? BURL__HOW_VOLATILE
                  : write && is_vptr_store(inst)          ? BURL__HOW_VPTR
                                                          : BURL__HOW_ACCESS;
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

    if (burl_ir_is_segment(ptr))
        return add_unseen(ptr, op);
    if (!burl__instr_is_visible(in, ptr))
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
    if (burl_ir_begins(what, "load"))
        op->kind = BURL_SITE_ATOMIC_LOAD;
    else if (burl_ir_begins(what, "store"))
        op->kind = BURL_SITE_ATOMIC_STORE;
    else if (burl_ir_begins(what, "compare_exchange"))
        op->kind = BURL_SITE_ATOMIC_CAS;
    else if (burl_ir_begins(what, "exchange") || burl_ir_begins(what, "fetch_"))
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
    return burl__instr_is_visible(in, op->ptr);
}

/* Values that the generic ones take and give through pointers: load(n, ptr, ret), store(n, ptr,
 * val), exchange(n, ptr, val, ret), compare_exchange(n, ptr, expected, desired); with a size in the
 * name only `expected` is one. */
static int
add_atomic_values(struct burl__instr *in, LLVMValueRef call, const struct burl__op *atomic,
                  struct burl__op *ops)
{
    bool generic = atomic->ptr != LLVMGetOperand(call, 0);
    bool cas = atomic->kind == BURL_SITE_ATOMIC_CAS;
    unsigned first = generic ? 2 : 1;
    int n = 0;

    for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef p = LLVMGetOperand(call, i);
        bool written = atomic->kind == BURL_SITE_ATOMIC_LOAD ||
                       (atomic->kind == BURL_SITE_ATOMIC_RMW && i == 3) || (cas && i == first);

        if (!burl_ir_is_pointer(p) || !burl__instr_is_visible(in, p))
            continue;
        if (n < 3) {
            ops[n] = burl__instr_range_op(p, atomic->bytes, written && !cas);
            ops[n++].after = written && !cas;
        }
        if (written)
            ops[n++] = burl__instr_call_op(LLVMGetCalledValue(call), BURL_HIDDEN_UNSEEN);
    }
    return n;
}

/* The atomic operation, and what goes with it. 0: not known. */
static int
classify_atomic(struct burl__instr *in, LLVMValueRef call, const char *name, struct burl__op *ops)
{
    struct burl__op atomic;
    int n;

    if (!classify_atomic_call(in, call, name, &atomic))
        return 0;
    n = add_atomic_values(in, call, &atomic, ops);
    /* A site has no room for the size of larger ones. */
    if (atomic.bytes == 0 || atomic.bytes > 255)
        ops[n++] = burl__instr_call_op(LLVMGetCalledValue(call), BURL_HIDDEN_UNSEEN);
    ops[n++] = atomic;
    return n;
}

static bool
gets_no_site(LLVMValueRef call, const char *name)
{
    LLVMAttributeRef a = burl_ir_call_attr(call, BURL_IR_FN_ATTRS, "memory");

    /* memory(none) encodes as 0: arithmetic like sqrt(). */
    return (burl_libfn(name).is & BURL_FN_NO_SITE) || (a && LLVMGetEnumAttributeValue(a) == 0);
}

/* The last access gives way: a mark costs a proof and nothing else. */
static int
add_asm_call(LLVMValueRef call, uint8_t hidden, struct burl__op *ops, int n)
{
    n -= n == BURL__MAX_OPS;
    ops[n++] = burl__instr_call_op(LLVMGetCalledValue(call), hidden);
    return n;
}

static int
classify_asm(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    int n_all = burl__instr_asm_ops(in, call, ops);
    int n = 0;

    for (int i = 0; i < n_all; i++)
        if (burl__instr_is_visible(in, ops[i].ptr))
            ops[n++] = ops[i];
    if (burl__instr_asm_is_unseen(in, call))
        n = add_asm_call(call, BURL_HIDDEN_UNSEEN, ops, n);
    if (burl__instr_asm_is_outside(call))
        n = add_asm_call(call, BURL_HIDDEN_OUTSIDE, ops, n);
    return n;
}

/* asm goto has no place for a hook after it. */
static int
classify_asm_goto(struct burl__instr *in, LLVMValueRef jump, struct burl__op *ops)
{
    int n = burl__instr_asm_is_unseen(in, jump) ? add_unseen(LLVMGetCalledValue(jump), ops) : 0;

    return burl__instr_asm_is_outside(jump) ? add_asm_call(jump, BURL_HIDDEN_OUTSIDE, ops, n) : n;
}

/*
 * The call itself copies what it passes by value, before the callee's first instruction; the copy
 * is the callee's own. Each such argument has a site, the last of them shares it with all others.
 */
enum { MAX_BYVAL_OPS = 8 };

static struct burl__op
byval_op(struct burl__instr *in, LLVMValueRef call, unsigned arg)
{
    LLVMTypeRef t = burl__instr_byval_type(call, arg);
    LLVMValueRef p = LLVMGetOperand(call, arg);

    if (!t || !burl__instr_is_visible(in, p))
        return (struct burl__op){ .bytes = 0 };
    return burl__instr_range_op(p, LLVMABISizeOfType(in->td, t), false);
}

/* A structure in another address space cannot be passed by value without a copy before the call. */
static int
add_byval(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    int n = 0;

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        struct burl__op op = byval_op(in, call, i);

        if (op.bytes == 0)
            continue;
        if (n + 1 == MAX_BYVAL_OPS) {
            op.how = BURL__HOW_BYVALS;
            op.from = i;
            op.bytes = 0;
        }
        ops[n++] = op;
        if (n == MAX_BYVAL_OPS)
            break;
    }
    return n;
}

void
burl__instr_hook_byvals(struct burl__instr *in, LLVMValueRef call, unsigned from, LLVMValueRef site)
{
    for (unsigned i = from; i < LLVMGetNumArgOperands(call); i++) {
        struct burl__op op = byval_op(in, call, i);

        if (op.bytes != 0)
            burl__instr_hook_range(in, false, op.ptr, burl__instr_u64(in, op.bytes), site);
    }
}

/* What the callee does, when it is no code of this module. */
static int
classify_callee(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    LLVMValueRef target = LLVMGetCalledValue(call);
    LLVMValueRef fn = burl_ir_callee(call);
    const char *name = fn ? burl_ir_name(fn) : "";

    if (fn && !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage)
        return 0;
    /* Of our own, only the one that ends the run is a place to report. */
    if ((burl_ir_begins(name, "__burl_") && strcmp(name, "__burl_non_linearizable") != 0) ||
        gets_no_site(call, name))
        return 0;
    int n = burl_ir_begins(name, "__atomic_") ? classify_atomic(in, call, name, ops) : 0;
    if (n)
        return n;
    n = burl__instr_lib_ops(in, call, ops);
    if (n >= 0)
        return n;
    n = 0;
    if (burl__instr_state_is_unseen(in, call, name))
        ops[n++] = burl__instr_call_op(target, BURL_HIDDEN_UNSEEN);
    ops[n++] = burl__instr_call_op(target, burl__instr_hidden_at(in, call, name));
    return n;
}

static int
classify_call(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    LLVMValueRef fn = burl_ir_callee(call);
    int n;

    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return classify_asm(in, call, ops);
    if (fn && LLVMGetIntrinsicID(fn))
        return burl__instr_intrinsic_ops(in, call, burl_ir_name(fn), ops);
    n = add_byval(in, call, ops);
    return n + classify_callee(in, call, ops + n);
}

/* Instructions that cannot touch memory. */
static bool
is_quiet(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMRet:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMUnreachable:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMFreeze:
    case LLVMResume:
    case LLVMLandingPad:
    case LLVMFNeg:
        return true;
    default:
        /* Arithmetic and conversions are two rows of neighbors in the enumeration. */
        return (opcode >= LLVMAdd && opcode <= LLVMXor) ||
               (opcode >= LLVMTrunc && opcode <= LLVMBitCast) || opcode == LLVMAddrSpaceCast;
    }
}

/* On no list (va_arg is one): unseen if it has a pointer to memory that may be shared. */
static int
classify_unknown(struct burl__instr *in, LLVMValueRef inst, struct burl__op *op)
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);

        if (burl_ir_is_pointer(v) && (burl_ir_is_segment(v) || burl__instr_is_visible(in, v)))
            return add_unseen(v, op);
    }
    return 0;
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
        return is_quiet(LLVMGetInstructionOpcode(inst)) ? 0 : classify_unknown(in, inst, ops);
    }
}
