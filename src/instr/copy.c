/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/copy.c - copies of a module's functions under other names.
 *
 * Runs in the compiler. alone.c says what they are for. LLVM's C API cannot copy a function. It can
 * copy a module and link two: the copy of the module keeps the bodies under their new names, and
 * everything else in it gives way to what the module itself defines. Symbols that are local have to
 * be visible to each other for that moment.
 */
#include <ctype.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

#include "instr/instr_int.h"

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
rename_body(LLVMModuleRef copy, LLVMValueRef body, const char *suffix)
{
    char *name = burl_xstrdup(burl_ir_name(body));
    char *new_name = burl_xasprintf("%s%s", name, suffix);
    LLVMValueRef proto = LLVMAddFunction(copy, "", LLVMGlobalGetValueType(body));

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

LLVMModuleRef
burl__instr_copy_take(struct burl__instr *in, const char *suffix)
{
    BURL_VEC(struct pair) todo = { 0 };
    struct burl_map bodies = { 0 };
    struct shown_list shown = { 0 };
    LLVMModuleRef copy;

    if (!can_copy_module(in))
        return NULL;
    show_globals(in->mod, &shown, false);
    copy = LLVMCloneModule(in->mod);
    LLVMSetModuleInlineAsm2(copy, "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f))
        if (can_copy(in, f))
            BURL_VEC_PUSH(&todo, ((struct pair){ LLVMGetNamedFunction(copy, burl_ir_name(f)),
                                                 is_bound(in, f) }));
    hide_globals(&shown);
    yield_globals(copy);
    for (size_t i = 0; i < todo.n; i++) {
        LLVMValueRef proto = rename_body(copy, todo.v[i].body, suffix);
        if (todo.v[i].bound)
            burl_map_set_ptr(&bodies, proto, (uint64_t)(uintptr_t)todo.v[i].body);
    }
    for (size_t i = 0; i < todo.n; i++)
        call_bodies(todo.v[i].body, &bodies);
    burl_map_deinit(&bodies);
    BURL_VEC_FREE(&todo);
    return copy;
}

enum burl_status
burl__instr_copy_link(struct burl__instr *in, LLVMModuleRef copy, struct burl_err *err)
{
    struct shown_list shown = { 0 };
    bool failed;

    show_globals(in->mod, &shown, true);
    failed = LLVMLinkModules2(in->mod, copy);
    hide_globals(&shown);
    if (failed)
        return burl_err_set(err, BURL_E_INTERNAL, 0, "%s: cannot add the copies of functions: %s",
                            in->name, burl_buf_str(&in->diagnostic));
    return BURL_OK;
}

bool
burl__instr_is_copy(LLVMValueRef fn, const char *suffix)
{
    const char *name = burl_ir_name(fn);
    size_t n = strlen(name);
    size_t k = strlen(suffix);

    return n > k && strcmp(name + n - k, suffix) == 0;
}

LLVMValueRef
burl__instr_copy_of(LLVMModuleRef mod, LLVMValueRef fn, const char *suffix)
{
    char *name = burl_xasprintf("%s%s", burl_ir_name(fn), suffix);
    LLVMValueRef copy = LLVMGetNamedFunction(mod, name);

    free(name);
    return copy;
}

LLVMValueRef
burl__instr_copied(LLVMModuleRef mod, LLVMValueRef copy, const char *suffix)
{
    const char *name = burl_ir_name(copy);
    char *old_name = burl_xstrndup(name, strlen(name) - strlen(suffix));
    LLVMValueRef fn = LLVMGetNamedFunction(mod, old_name);

    free(old_name);
    return fn;
}

/* A call by a function that has a copy, which calls the copy of `fn`. */
static bool
is_parallel_call(LLVMModuleRef copies, const char *suffix, LLVMValueRef user, LLVMValueRef fn)
{
    if (!LLVMIsAInstruction(user) || !burl_ir_is_call(user) || LLVMGetCalledValue(user) != fn)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetOperand(user, i) == fn)
            return false;
    return burl__instr_copy_of(copies, burl_ir_function(user), suffix) != NULL;
}

bool
burl__instr_copy_is_entered(LLVMModuleRef copies, const char *suffix, LLVMValueRef fn)
{
    if (LLVMGetLinkage(fn) == LLVMAvailableExternallyLinkage)
        return false;
    if (!is_local(LLVMGetLinkage(fn)))
        return true;
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
        if (!is_parallel_call(copies, suffix, LLVMGetUser(u), fn))
            return true;
    return false;
}
