/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/alone.c - the copies of functions that run when no burl watches, and the choice of a copy.
 *
 * Runs in the compiler. A program that was built for burl and is started by itself should cost
 * what it costs without burl. So every function F has a copy F.burl_alone without hooks, taken
 * before anything else is done to the module; the optimizer makes of it what it makes of a plain
 * build. With --free-copies there is another one, F.burl_free, for runs that look for data races
 * and nothing else (free.c). A function that can be called from elsewhere begins with
 *
 *     if (__burl_copy == 1) return F.burl_alone(...);
 *     if (__burl_copy == 2) return F.burl_free(...);
 *
 * and the copies call copies of the same kind directly. The byte is hidden, one for each executable
 * and shared object (rt/hooks/hot.c), and is set by the constructor that registers a module. Until
 * then it is 0: hooks are right at any time, so the order of constructors does not matter. Nothing
 * changes under control: the functions with hooks are the ones that have the names and addresses,
 * and the copies are not reached.
 */
#include <llvm-c/Comdat.h>
#include <string.h>

#include "instr/instr_int.h"

#define FLAG_SYMBOL "__burl_copy"

void
burl__instr_alone_take(struct burl__instr *in, bool strip)
{
    in->alone = burl__instr_copy_take(in, BURL__ALONE_SUFFIX);
    if (in->alone && strip)
        LLVMStripModuleDebugInfo(in->alone);
}

enum burl_status
burl__instr_alone_link(struct burl__instr *in, struct burl_err *err)
{
    LLVMModuleRef copies = in->alone;

    in->alone = NULL;
    return copies ? burl__instr_copy_link(in, copies, err) : BURL_OK;
}

/* ---- the way in --------------------------------------------------------------------------- */

static bool
calls_anything(LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (burl_ir_calls_function(i))
            return true;
    return false;
}

/* Variables on the stack that are not in the first block would be made and removed like VLAs. */
static void
move_allocas(struct burl__instr *in, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMPositionBuilderAtEnd(in->builder, to);
    LLVMSetCurrentDebugLocation2(in->builder, NULL);
    for (LLVMValueRef i = LLVMGetFirstInstruction(from), next; i; i = next) {
        size_t n;
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        char *name = burl_xstrdup(LLVMGetValueName2(i, &n));
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilderWithName(in->builder, i, name);
        free(name);
    }
}

static void
copy_attributes(LLVMValueRef fn, LLVMValueRef call, LLVMAttributeIndex index)
{
    LLVMAttributeRef attrs[64];
    unsigned n = LLVMGetAttributeCountAtIndex(fn, index);

    if (n > sizeof attrs / sizeof *attrs)
        return;
    LLVMGetAttributesAtIndex(fn, index, attrs);
    for (unsigned i = 0; i < n; i++)
        LLVMAddCallSiteAttribute(call, index, attrs[i]);
}

/* Calls `copy` with the parameters of `fn` and returns what it returns. */
static void
pass_on(struct burl__instr *in, LLVMValueRef fn, LLVMValueRef copy)
{
    LLVMTypeRef ty = LLVMGlobalGetValueType(fn);
    unsigned n = LLVMCountParams(fn);
    LLVMValueRef *args = burl_xcalloc(n + 1, sizeof *args);
    LLVMAttributeRef noinline_ =
        LLVMCreateEnumAttribute(in->ctx, LLVMGetEnumAttributeKindForName("noinline", 8), 0);
    bool by_value = false;

    LLVMGetParams(fn, args);
    LLVMValueRef call = LLVMBuildCall2(in->builder, ty, copy, args, n, "");
    free(args);
    for (unsigned i = 0; i <= n; i++) {
        copy_attributes(fn, call, i);
        by_value = by_value || (i > 0 && burl_ir_attr(fn, i, "byval"));
    }
    LLVMAddCallSiteAttribute(call, BURL_IR_FN_ATTRS, noinline_);
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(fn));
    if (LLVMIsFunctionVarArg(ty))
        LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    else if (!by_value)
        LLVMSetTailCallKind(call, LLVMTailCallKindTail);
    if (LLVMGetTypeKind(LLVMGetReturnType(ty)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(in->builder);
    else
        LLVMBuildRet(in->builder, call);
}

static LLVMValueRef
flag(struct burl__instr *in)
{
    LLVMValueRef g = LLVMGetNamedGlobal(in->mod, FLAG_SYMBOL);

    if (!g) {
        g = LLVMAddGlobal(in->mod, in->i8, FLAG_SYMBOL);
        LLVMSetVisibility(g, LLVMHiddenVisibility);
    }
    return g;
}

/* Without a copy of its own the function with hooks stands in for it. */
static void
add_way(struct burl__instr *in, LLVMValueRef fn, LLVMValueRef choice, enum burl_wire_copy which,
        LLVMValueRef copy)
{
    LLVMBasicBlockRef block;

    /* In the late profile the optimizer may have changed the parameters of one of them; then it
     * knows every call. */
    if (!copy || LLVMGlobalGetValueType(fn) != LLVMGlobalGetValueType(copy))
        return;
    block = LLVMAppendBasicBlockInContext(in->ctx, fn, "");
    LLVMAddCase(choice, LLVMConstInt(in->i8, which, 0), block);
    LLVMPositionBuilderAtEnd(in->builder, block);
    pass_on(in, fn, copy);
}

static void
choose_at_entry(struct burl__instr *in, LLVMValueRef fn, LLVMValueRef alone, LLVMValueRef free_)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    LLVMBasicBlockRef hooked = LLVMGetEntryBasicBlock(fn);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(in->ctx, hooked, "");

    burl__instr_drop_promises(fn);
    move_allocas(in, hooked, head);
    LLVMPositionBuilderAtEnd(in->builder, head);
    LLVMSetCurrentDebugLocation2(
        in->builder,
        sp ? LLVMDIBuilderCreateDebugLocation(in->ctx, LLVMDISubprogramGetLine(sp), 0, sp, NULL)
           : NULL);
    LLVMValueRef which = LLVMBuildLoad2(in->builder, in->i8, flag(in), "");
    LLVMValueRef choice = LLVMBuildSwitch(in->builder, which, hooked, 2);
    add_way(in, fn, choice, BURL_COPY_ALONE, alone);
    add_way(in, fn, choice, BURL_COPY_FREE, free_);
}

/* As the function's own, but never seen from outside. Of functions that several objects define, one
 * copy remains as well: in a group of its own, for an object of a plain compiler may have the
 * function without one. */
static void
set_linkage(struct burl__instr *in, LLVMValueRef copy, LLVMValueRef fn)
{
    LLVMLinkage linkage = fn ? LLVMGetLinkage(fn) : LLVMInternalLinkage;

    if (linkage != LLVMLinkOnceODRLinkage && linkage != LLVMWeakODRLinkage) {
        LLVMSetVisibility(copy, LLVMDefaultVisibility);
        LLVMSetLinkage(copy, LLVMInternalLinkage);
        return;
    }
    LLVMSetLinkage(copy, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(copy, LLVMHiddenVisibility);
    LLVMSetComdat(copy, LLVMGetOrInsertComdat(in->mod, burl_ir_name(copy)));
}

static void
finish_copies(struct burl__instr *in, const char *suffix)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef fn;

        if (LLVMIsDeclaration(f) || !burl__instr_is_copy(f, suffix))
            continue;
        fn = burl__instr_copied(in->mod, f, suffix);
        set_linkage(in, f, fn && !LLVMIsDeclaration(fn) ? fn : NULL);
    }
}

void
burl__instr_alone_finish(struct burl__instr *in)
{
    BURL_VEC(LLVMValueRef) todo = { 0 };

    finish_copies(in, BURL__ALONE_SUFFIX);
    finish_copies(in, BURL__FREE_SUFFIX);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && burl__instr_copy_of(in->mod, f, BURL__ALONE_SUFFIX) &&
            calls_anything(f) && burl__instr_copy_is_entered(in->mod, BURL__ALONE_SUFFIX, f))
            BURL_VEC_PUSH(&todo, f);
    }
    for (size_t i = 0; i < todo.n; i++)
        choose_at_entry(in, todo.v[i], burl__instr_copy_of(in->mod, todo.v[i], BURL__ALONE_SUFFIX),
                        burl__instr_copy_of(in->mod, todo.v[i], BURL__FREE_SUFFIX));
    BURL_VEC_FREE(&todo);
}

void
burl__instr_alone_set(struct burl__instr *in)
{
    LLVMValueRef answer;

    if (!LLVMGetNamedGlobal(in->mod, FLAG_SYMBOL))
        return;
    answer = burl__instr_hook_call(in, BURL__HOOK_WHICH_COPY, NULL, 0);
    LLVMBuildStore(in->builder, LLVMBuildIntCast2(in->builder, answer, in->i8, 0, ""), flag(in));
}
