/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/private.c - memory that only one thread can access.
 *
 * Runs in the compiler. An access is private if every object its address may come from is a stack
 * variable (or a by-value parameter) whose address does not escape. The uses of the variable are
 * walked; a call does not let it escape if the parameter is marked nocapture, if it is a known mem*
 * or str* function, or if the function is defined here and its own uses of the parameter do not.
 *
 * Errors go one way: a use that is not understood counts as an escape, which costs a hook and never
 * hides an access.
 */
#include <string.h>

#include "instr/instr_int.h"

enum { ESC_NO = 0, ESC_YES = 1, ESC_BUSY = 2 };

/* Deeper call chains are rare, and each level may multiply the work. */
enum { MAX_DEPTH = 5, MAX_USES = 4000, MAX_ROOTS = 16 };

struct walk {
    struct burl_map seen;
    BURL_VEC(LLVMValueRef) todo;
    size_t n_uses;
    int depth;
};

static bool escapes(struct burl__instr *in, LLVMValueRef object, int depth);

static void
follow_pointer(struct walk *w, LLVMValueRef v)
{
    uint64_t unused;
    if (burl_map_get_ptr(&w->seen, v, &unused))
        return;
    burl_map_set_ptr(&w->seen, v, 1);
    BURL_VEC_PUSH(&w->todo, v);
}

bool
burl__instr_is_exact(LLVMValueRef fn)
{
    if (LLVMIsDeclaration(fn))
        return false;
    switch (LLVMGetLinkage(fn)) {
    case LLVMExternalLinkage:
    case LLVMInternalLinkage:
    case LLVMPrivateLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakODRLinkage:
    case LLVMAvailableExternallyLinkage:
        return true;
    default:
        return false;
    }
}

static bool
intrinsic_escapes(const char *name)
{
    return burl_ir_begins(name, "llvm.coro.") || burl_ir_begins(name, "llvm.localescape") ||
           burl_ir_begins(name, "llvm.gc") || burl_ir_begins(name, "llvm.eh.sjlj") ||
           burl_ir_begins(name, "llvm.experimental");
}

/* Does the call get no more of it than a copy? */
static bool
is_only_copied(LLVMValueRef call, LLVMValueRef v)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == v && !burl__instr_byval_type(call, i))
            return false;
    return LLVMGetCalledValue(call) != v && !LLVMGetNumOperandBundles(call);
}

static bool
call_escapes(struct burl__instr *in, struct walk *w, LLVMValueRef call, LLVMValueRef v)
{
    LLVMValueRef fn = burl_ir_callee(call);
    unsigned n = LLVMGetNumArgOperands(call);
    bool returns_ptr = burl_ir_is_pointer(call);

    if (is_only_copied(call, v))
        return false;
    if (!fn || LLVMGetNumOperandBundles(call) || LLVMGetCalledValue(call) == v)
        return true;
    const char *name = burl_ir_name(fn);
    if (LLVMGetIntrinsicID(fn)) {
        if (returns_ptr)
            follow_pointer(w, call);
        return intrinsic_escapes(name);
    }
    if (LLVMIsDeclaration(fn) &&
        (burl__instr_lib_known(name) || burl_ir_begins(name, "__atomic_"))) {
        if (returns_ptr)
            follow_pointer(w, call);
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        if (LLVMGetOperand(call, i) != v)
            continue;
        if (burl_ir_call_attr(call, i + 1, "nocapture") ||
            (LLVMIsDeclaration(fn) && burl__instr_lib_forgets(name, i)))
            continue;
        if (!burl__instr_is_exact(fn) || i >= LLVMCountParams(fn) || w->depth >= MAX_DEPTH)
            return true;
        if (escapes(in, LLVMGetParam(fn, i), w->depth + 1))
            return true;
    }
    return false;
}

static bool
use_escapes(struct burl__instr *in, struct walk *w, LLVMValueRef user, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(user))
        return true;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
    case LLVMVAArg:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == v;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == v;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 1) == v || LLVMGetOperand(user, 2) == v;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        if (!burl_ir_is_pointer(user))
            return true;
        follow_pointer(w, user);
        return false;
    case LLVMCall:
    case LLVMInvoke:
        return call_escapes(in, w, user, v);
    default:
        return true;
    }
}

static bool
walk_uses(struct burl__instr *in, LLVMValueRef object, int depth)
{
    struct walk w = { .depth = depth };
    bool yes = false;

    follow_pointer(&w, object);
    while (!yes && w.todo.n) {
        LLVMValueRef v = w.todo.v[--w.todo.n];
        for (LLVMUseRef u = LLVMGetFirstUse(v); u && !yes; u = LLVMGetNextUse(u))
            yes = ++w.n_uses > MAX_USES || use_escapes(in, &w, LLVMGetUser(u), v);
    }
    burl_map_deinit(&w.seen);
    BURL_VEC_FREE(&w.todo);
    return yes;
}

static bool
escapes(struct burl__instr *in, LLVMValueRef object, int depth)
{
    uint64_t state;

    /* BUSY is a recursive call that passes its own parameter on: counts as an escape. A result that
     * came from the depth limit or from BUSY is cached too, which can only keep unneeded hooks. */
    if (burl_map_get_ptr(&in->escapes, object, &state))
        return state != ESC_NO;
    burl_map_set_ptr(&in->escapes, object, ESC_BUSY);
    bool yes = walk_uses(in, object, depth);
    burl_map_set_ptr(&in->escapes, object, yes ? ESC_YES : ESC_NO);
    return yes;
}

/* Its variables move to a frame on the heap, where any thread may resume it. */
static bool
is_of_coroutine(LLVMValueRef object)
{
    return burl_ir_attr(burl_ir_function(object), BURL_IR_FN_ATTRS, "presplitcoroutine") != NULL;
}

/* A stack variable, or a parameter passed by value. */
static bool
is_local(LLVMValueRef o)
{
    return LLVMIsAAllocaInst(o) ||
           (LLVMIsAArgument(o) &&
            burl_ir_attr(LLVMGetParamParent(o), burl_ir_param_index(o) + 1, "byval"));
}

/* The next step towards the object an address comes from; NULL at the object itself. */
static LLVMValueRef
step_to_object(LLVMValueRef v)
{
    if (LLVMIsAConstantExpr(v)) {
        LLVMOpcode op = LLVMGetConstOpcode(v);
        return op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast
                   ? LLVMGetOperand(v, 0)
                   : NULL;
    }
    if (LLVMIsAGetElementPtrInst(v) || LLVMIsABitCastInst(v) || LLVMIsAAddrSpaceCastInst(v) ||
        LLVMIsAFreezeInst(v))
        return LLVMGetOperand(v, 0);
    return NULL;
}

static LLVMValueRef
object_of(LLVMValueRef v)
{
    for (LLVMValueRef next = step_to_object(v); next; next = step_to_object(v))
        v = next;
    return v;
}

bool
burl__instr_is_constant(LLVMValueRef ptr)
{
    LLVMValueRef o = object_of(ptr);
    return (LLVMIsAGlobalVariable(o) && LLVMIsGlobalConstant(o)) || LLVMIsAFunction(o);
}

bool
burl__instr_is_private(struct burl__instr *in, LLVMValueRef ptr)
{
    LLVMValueRef roots[MAX_ROOTS];
    int n = 0, done = 0;

    roots[n++] = object_of(ptr);
    while (done < n) {
        LLVMValueRef o = roots[done++];
        if (is_local(o)) {
            if (escapes(in, o, 0) || is_of_coroutine(o))
                return false;
            continue;
        }
        if (!LLVMIsASelectInst(o) && !LLVMIsAPHINode(o))
            return false;
        /* The first operand of a select is its condition. */
        for (int i = LLVMIsASelectInst(o) ? 1 : 0; i < LLVMGetNumOperands(o); i++) {
            LLVMValueRef r = object_of(LLVMGetOperand(o, (unsigned)i));
            bool known = false;
            for (int k = 0; k < n; k++)
                known = known || roots[k] == r;
            if (known)
                continue;
            if (n == MAX_ROOTS)
                return false;
            roots[n++] = r;
        }
    }
    return true;
}
