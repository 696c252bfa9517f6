/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/alone.c - the copies of functions that run when no burl watches.
 *
 * Runs in the compiler. A program that was built for burl and is started by itself should cost what
 * it costs without burl. So every function F has a copy F.burl_alone without hooks, taken before
 * anything else is done to the module; the optimizer makes of it what it makes of a plain build. A
 * function that can be called from elsewhere begins with
 *
 *     if (__burl_alone) return F.burl_alone(...);
 *
 * and the copies call copies directly. The byte is hidden, one for each executable and shared
 * object (rt/hooks/hot.c), and is set by the constructor that registers a module. Until then it is
 * 0: hooks are right at any time, so the order of constructors does not matter. Nothing changes
 * when a program is watched: the functions with hooks are the ones that have the names and
 * addresses, and the copies are not reached.
 *
 * LLVM's C API cannot copy a function. It can copy a module and link two: the copy of the module
 * keeps the bodies under their new names, and everything else in it gives way to what the module
 * itself defines. Symbols that are local have to be visible to each other for that moment.
 */
#include <ctype.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

#include "instr/instr_int.h"

#define SUFFIX ".burl_alone"
#define FLAG_SYMBOL "__burl_alone"

/* ---- which functions ---------------------------------------------------------------------- */

/* A label that the assembler would see twice. Numbers may be defined again, and names with the
 * number of the place in them are different ones. */
static bool
defines_label(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t from = i;

        if (text[i] != ':' || (i > 1 && text[i - 1] == '{' && text[i - 2] == '$'))
            continue;
        while (from > 0 &&
               (isalnum((unsigned char)text[from - 1]) || strchr("_.$", text[from - 1])))
            from--;
        /* "$0:" is an operand, "%fs:" a segment */
        if (from < i && !isdigit((unsigned char)text[from]) && text[from] != '$' &&
            (from == 0 || text[from - 1] != '%'))
            return true;
    }
    return false;
}

static bool
has_label(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *text;
    size_t n;

    if (!LLVMIsAInlineAsm(callee))
        return false;
    text = LLVMGetInlineAsmAsmString(callee, &n);
    return text && defines_label(text, n);
}

/* Code that must exist once. */
static bool
is_unique(LLVMValueRef fn)
{
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
        if (LLVMIsABlockAddress(LLVMGetUser(u))) /* a table of labels leads into the original */
            return true;
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        if (LLVMIsACallBrInst(i) && has_label(i))
            return true;
        if (burl_ir_is_call(i) &&
            (has_label(i) || burl_ir_call_attr(i, BURL_IR_FN_ATTRS, "noduplicate")))
            return true;
    }
    return false;
}

/* The compiler adds calls at the entry of such a function, which would be made twice. */
static bool
is_traced(LLVMValueRef fn)
{
    static const char *const names[] = {
        "instrument-function-entry", "instrument-function-entry-inlined", "fentry-call",
        "function-instrument",       "patchable-function-entry",          "patchable-function",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (LLVMGetStringAttributeAtIndex(fn, BURL_IR_FN_ATTRS, names[i],
                                          (unsigned)strlen(names[i])))
            return true;
    return false;
}

/* Can its parameters be passed on by a call with the same types? */
static bool
is_passable(LLVMValueRef fn)
{
    static const char *const names[] = { "inalloca",   "preallocated", "nest",
                                         "swifterror", "swiftself",    "swiftasync" };
    bool variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)) != 0;

    for (unsigned i = 1; i <= LLVMCountParams(fn); i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (burl_ir_attr(fn, i, names[k]))
                return false;
        if (variadic && burl_ir_attr(fn, i, "byval"))
            return false;
    }
    return LLVMGetFunctionCallConv(fn) == LLVMCCallConv;
}

static bool
can_copy(struct burl__instr *in, LLVMValueRef fn)
{
    return burl__instr_is_chosen(in, fn) &&
           !burl_ir_attr(fn, BURL_IR_FN_ATTRS, "presplitcoroutine") &&
           !burl_ir_attr(fn, BURL_IR_FN_ATTRS, "returns_twice") &&
           !burl_ir_attr(fn, BURL_IR_FN_ATTRS, "noduplicate") && is_passable(fn) &&
           !is_traced(fn) && !is_unique(fn);
}

/* gcov numbers functions and writes one file for each unit of the debug information. */
static bool
can_copy_module(struct burl__instr *in)
{
    return LLVMGetNamedMetadataNumOperands(in->mod, "llvm.gcov") == 0;
}

/* Is a call of `fn` a call of the body that is here? In a shared library a function that is visible
 * may be another one's, and a weak one anywhere. */
static bool
is_bound(struct burl__instr *in, LLVMValueRef fn)
{
    bool shared =
        LLVMGetModuleFlag(in->mod, "PIC Level", 9) && !LLVMGetModuleFlag(in->mod, "PIE Level", 9);

    return burl__instr_is_exact(fn) && (LLVMGetLinkage(fn) != LLVMExternalLinkage || !shared ||
                                        LLVMGetVisibility(fn) != LLVMDefaultVisibility);
}

/* ---- names -------------------------------------------------------------------------------- */

static LLVMValueRef
next_global(LLVMModuleRef mod, LLVMValueRef v)
{
    LLVMValueRef next = NULL;

    if (!v)
        next = LLVMGetFirstGlobal(mod);
    else if (LLVMIsAGlobalVariable(v))
        next = LLVMGetNextGlobal(v);
    else if (LLVMIsAFunction(v))
        next = LLVMGetNextFunction(v);
    else if (LLVMIsAGlobalAlias(v))
        next = LLVMGetNextGlobalAlias(v);
    else
        return LLVMGetNextGlobalIFunc(v);
    if (!next && (!v || LLVMIsAGlobalVariable(v)))
        next = LLVMGetFirstFunction(mod);
    if (!next && (!v || LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v)))
        next = LLVMGetFirstGlobalAlias(mod);
    return next ? next : LLVMGetFirstGlobalIFunc(mod);
}

/* What a global has for the moment of linking, and had before. */
struct shown {
    LLVMValueRef v;
    LLVMLinkage linkage;
    bool unnamed;
};

struct shown_list {
    BURL_VEC_OF(struct shown);
};

static bool
is_local(LLVMLinkage linkage)
{
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* Names by order, the same in the module and its copy. */
static void
show_globals(LLVMModuleRef mod, struct shown_list *list, bool locals)
{
    unsigned n = 0;

    for (LLVMValueRef v = next_global(mod, NULL); v; v = next_global(mod, v)) {
        struct shown s = { v, LLVMGetLinkage(v), *burl_ir_name(v) == '\0' };

        if (s.unnamed) {
            char name[40];
            int len = snprintf(name, sizeof name, "burl.unnamed.%u", n++);
            LLVMSetValueName2(v, name, (size_t)len);
        }
        if (locals && is_local(s.linkage))
            LLVMSetLinkage(v, LLVMExternalLinkage);
        if (s.unnamed || (locals && is_local(s.linkage)))
            BURL_VEC_PUSH(list, s);
    }
}

static void
hide_globals(struct shown_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        LLVMSetLinkage(list->v[i].v, list->v[i].linkage);
        if (list->v[i].unnamed)
            LLVMSetValueName2(list->v[i].v, "", 0);
    }
    BURL_VEC_FREE(list);
}

/* ---- the copy of the module --------------------------------------------------------------- */

/* Everything but the bodies gives way to what the module has. */
static void
yield_globals(LLVMModuleRef copy)
{
    for (LLVMValueRef v = next_global(copy, NULL), next; v; v = next) {
        next = next_global(copy, v);
        if (LLVMIsAGlobalAlias(v) || LLVMIsAGlobalIFunc(v)) {
            LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
        } else if (LLVMGetLinkage(v) == LLVMAppendingLinkage) {
            LLVMDeleteGlobal(v); /* constructors and the like */
        } else if (!LLVMIsDeclaration(v)) {
            LLVMSetComdat(v, NULL);
            LLVMSetLinkage(v, LLVMAvailableExternallyLinkage);
        }
    }
}

/* The body gets the new name; whatever uses the function, its address above all, keeps the old. */
static LLVMValueRef
rename_body(struct burl__instr *in, LLVMValueRef body)
{
    char *name = burl_xstrdup(burl_ir_name(body));
    char *new_name = burl_xasprintf("%s" SUFFIX, name);
    LLVMValueRef proto = LLVMAddFunction(in->alone, "", LLVMGlobalGetValueType(body));

    LLVMReplaceAllUsesWith(body, proto);
    LLVMSetValueName2(body, new_name, strlen(new_name));
    LLVMSetValueName2(proto, name, strlen(name));
    LLVMSetLinkage(body, LLVMExternalLinkage);
    LLVMSetVisibility(body, LLVMHiddenVisibility);
    free(new_name);
    free(name);
    return proto;
}

static void
call_bodies(LLVMValueRef fn, const struct burl_map *bodies)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint64_t body;

        if (burl_ir_is_call(i) && burl_map_get_ptr(bodies, LLVMGetCalledValue(i), &body))
            LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, (LLVMValueRef)(uintptr_t)body);
    }
}

struct pair {
    LLVMValueRef body;
    bool bound;
};

void
burl__instr_alone_take(struct burl__instr *in, bool strip)
{
    BURL_VEC(struct pair) todo = { 0 };
    struct burl_map bodies = { 0 };
    struct shown_list shown = { 0 };

    if (!can_copy_module(in))
        return;
    show_globals(in->mod, &shown, false);
    in->alone = LLVMCloneModule(in->mod);
    if (strip)
        LLVMStripModuleDebugInfo(in->alone);
    LLVMSetModuleInlineAsm2(in->alone, "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f))
        if (can_copy(in, f))
            BURL_VEC_PUSH(&todo, ((struct pair){ LLVMGetNamedFunction(in->alone, burl_ir_name(f)),
                                                 is_bound(in, f) }));
    hide_globals(&shown);
    yield_globals(in->alone);
    for (size_t i = 0; i < todo.n; i++) {
        LLVMValueRef proto = rename_body(in, todo.v[i].body);
        if (todo.v[i].bound)
            burl_map_set_ptr(&bodies, proto, (uint64_t)(uintptr_t)todo.v[i].body);
    }
    for (size_t i = 0; i < todo.n; i++)
        call_bodies(todo.v[i].body, &bodies);
    burl_map_deinit(&bodies);
    BURL_VEC_FREE(&todo);
}

enum burl_status
burl__instr_alone_link(struct burl__instr *in, struct burl_err *err)
{
    struct shown_list shown = { 0 };
    bool failed;

    if (!in->alone)
        return BURL_OK;
    show_globals(in->mod, &shown, true);
    failed = LLVMLinkModules2(in->mod, in->alone);
    in->alone = NULL;
    hide_globals(&shown);
    if (failed)
        return burl_err_set(err, BURL_E_INTERNAL, 0, "%s: cannot add the copies without hooks: %s",
                            in->name, burl_buf_str(&in->diagnostic));
    return BURL_OK;
}

/* ---- the way in --------------------------------------------------------------------------- */

static bool
is_copy(LLVMValueRef fn)
{
    const char *name = burl_ir_name(fn);
    size_t n = strlen(name);

    return n > strlen(SUFFIX) && strcmp(name + n - strlen(SUFFIX), SUFFIX) == 0;
}

static LLVMValueRef
copy_of(struct burl__instr *in, LLVMValueRef fn)
{
    char *name = burl_xasprintf("%s" SUFFIX, burl_ir_name(fn));
    LLVMValueRef copy = LLVMGetNamedFunction(in->mod, name);

    free(name);
    return copy;
}

/* A call by a function that has a copy, which calls the copy of `fn`. */
static bool
is_parallel_call(struct burl__instr *in, LLVMValueRef user, LLVMValueRef fn)
{
    if (!LLVMIsAInstruction(user) || !burl_ir_is_call(user) || LLVMGetCalledValue(user) != fn)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetOperand(user, i) == fn)
            return false;
    return copy_of(in, burl_ir_function(user)) != NULL;
}

static bool
is_called_from_elsewhere(struct burl__instr *in, LLVMValueRef fn)
{
    if (LLVMGetLinkage(fn) == LLVMAvailableExternallyLinkage)
        return false;
    if (!is_local(LLVMGetLinkage(fn)))
        return true;
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
        if (!is_parallel_call(in, LLVMGetUser(u), fn))
            return true;
    return false;
}

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

static void
choose_at_entry(struct burl__instr *in, LLVMValueRef fn, LLVMValueRef copy)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    LLVMBasicBlockRef hooked = LLVMGetEntryBasicBlock(fn);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(in->ctx, hooked, "");
    LLVMBasicBlockRef alone = LLVMAppendBasicBlockInContext(in->ctx, fn, "");

    burl__instr_drop_promises(fn);
    move_allocas(in, hooked, head);
    LLVMPositionBuilderAtEnd(in->builder, head);
    LLVMSetCurrentDebugLocation2(
        in->builder,
        sp ? LLVMDIBuilderCreateDebugLocation(in->ctx, LLVMDISubprogramGetLine(sp), 0, sp, NULL)
           : NULL);
    LLVMValueRef set = LLVMBuildLoad2(in->builder, in->i8, flag(in), "");
    LLVMValueRef yes = LLVMBuildICmp(in->builder, LLVMIntNE, set, LLVMConstInt(in->i8, 0, 0), "");
    LLVMBuildCondBr(in->builder, yes, alone, hooked);
    LLVMPositionBuilderAtEnd(in->builder, alone);
    pass_on(in, fn, copy);
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

void
burl__instr_alone_finish(struct burl__instr *in)
{
    BURL_VEC(LLVMValueRef) copies = { 0 };

    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f))
        if (is_copy(f) && !LLVMIsDeclaration(f))
            BURL_VEC_PUSH(&copies, f);
    for (size_t i = 0; i < copies.n; i++) {
        LLVMValueRef copy = copies.v[i];
        const char *name = burl_ir_name(copy);
        char *old_name = burl_xstrndup(name, strlen(name) - strlen(SUFFIX));
        LLVMValueRef fn = LLVMGetNamedFunction(in->mod, old_name);

        free(old_name);
        if (fn && LLVMIsDeclaration(fn))
            fn = NULL;
        set_linkage(in, copy, fn);
        /* In the late profile the optimizer may have changed the parameters of one of them; then
         * it knows every call. */
        if (fn && LLVMGlobalGetValueType(fn) == LLVMGlobalGetValueType(copy) &&
            calls_anything(fn) && is_called_from_elsewhere(in, fn))
            choose_at_entry(in, fn, copy);
    }
    BURL_VEC_FREE(&copies);
}

void
burl__instr_alone_set(struct burl__instr *in)
{
    LLVMValueRef answer;

    if (!LLVMGetNamedGlobal(in->mod, FLAG_SYMBOL))
        return;
    answer = burl__instr_hook_call(in, BURL__HOOK_IS_ALONE, NULL, 0);
    LLVMBuildStore(in->builder, LLVMBuildIntCast2(in->builder, answer, in->i8, 0, ""), flag(in));
}
