/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/canon.c - reading, the canonical form, choosing functions, writing.
 *
 * Runs in the compiler. The canonical form is clang's unoptimized output with
 * local scalars in registers (mem2reg, sroa) and the attributes of well-known
 * library functions (inferattrs). Nothing else may run here: any pass that
 * merges, moves or speculates accesses would break the identity of sites.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#include "instr/instr_int.h"

#define CANONICAL_PASSES "function(mem2reg,sroa<preserve-cfg>),inferattrs"

/* x86's interrupt handlers must not clobber registers, so they cannot call us. */
enum { X86_INTERRUPT_CC = 83 };

const char *
burl__instr_value_name(LLVMValueRef v)
{
    size_t n;
    return LLVMGetValueName2(v, &n);
}

bool
burl__instr_has_attr(LLVMValueRef fn, const char *enum_attr)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(enum_attr, strlen(enum_attr));
    return kind && LLVMGetEnumAttributeAtIndex(fn, BURL__FN_ATTRS, kind);
}

bool
burl__instr_is_call(LLVMValueRef v)
{
    return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v);
}

LLVMValueRef
burl__instr_callee(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    return f && LLVMIsAFunction(f) ? f : NULL;
}

bool
burl__instr_call_has_attr(LLVMValueRef call, LLVMAttributeIndex index, const char *attr)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attr, strlen(attr));
    LLVMValueRef f = burl__instr_callee(call);

    if (!kind)
        return false;
    if (LLVMGetCallSiteEnumAttribute(call, index, kind))
        return true;
    return f && LLVMGetEnumAttributeAtIndex(f, index, kind);
}

LLVMTypeRef
burl__instr_byval_type(LLVMValueRef call, unsigned arg)
{
    static const char *const names[] = { "byval", "inalloca", "preallocated" };
    LLVMValueRef f = burl__instr_callee(call);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);

        if (!a && f && arg < LLVMCountParams(f))
            a = LLVMGetEnumAttributeAtIndex(f, arg + 1, kind);
        if (a)
            return LLVMGetTypeAttributeValue(a);
    }
    return NULL;
}

static void
skip_ifunc_resolvers(struct burl__instr *in)
{
    /* They run while the program is being relocated, before the runtime can be called. */
    for (LLVMValueRef f = LLVMGetFirstGlobalIFunc(in->mod); f; f = LLVMGetNextGlobalIFunc(f))
        burl_map_set_ptr(&in->skip, LLVMGetGlobalIFuncResolver(f), 1);
}

static void
skip_annotated(struct burl__instr *in)
{
    LLVMValueRef g = LLVMGetNamedGlobal(in->mod, "llvm.global.annotations");
    LLVMValueRef list = g ? LLVMGetInitializer(g) : NULL;
    int n = list ? LLVMGetNumOperands(list) : 0;

    for (int i = 0; i < n; i++) {
        LLVMValueRef row = LLVMGetOperand(list, (unsigned)i);
        if (LLVMGetNumOperands(row) < 2)
            continue;
        LLVMValueRef what = LLVMGetOperand(row, 0);
        LLVMValueRef text = LLVMGetOperand(row, 1);
        LLVMValueRef init = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
        size_t len;
        if (!init || !LLVMIsConstantString(init) || !LLVMIsAFunction(what))
            continue;
        const char *s = LLVMGetAsString(init, &len);
        if (len == sizeof "burl.ignore" && memcmp(s, "burl.ignore", len - 1) == 0)
            burl_map_set_ptr(&in->skip, what, 1);
    }
}

static bool
must_skip(LLVMValueRef fn)
{
    return burl__instr_has_attr(fn, "naked") ||
           burl__instr_has_attr(fn, "disable_sanitizer_instrumentation") ||
           LLVMGetStringAttributeAtIndex(fn, BURL__FN_ATTRS, "no_caller_saved_registers", 25) ||
           LLVMGetFunctionCallConv(fn) == X86_INTERRUPT_CC ||
           strncmp(burl__instr_value_name(fn), "__burl_", 7) == 0;
}

bool
burl__instr_wants(const struct burl__instr *in, LLVMValueRef fn)
{
    uint64_t unused;
    return !LLVMIsDeclaration(fn) && !burl_map_get_ptr(&in->skip, fn, &unused);
}

static void
choose_functions(struct burl__instr *in)
{
    skip_ifunc_resolvers(in);
    skip_annotated(in);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f))
        if (must_skip(f))
            burl_map_set_ptr(&in->skip, f, 1);
}

static void
find_dir(struct burl__instr *in)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(in->mod, "llvm.dbg.cu");
    const char *dir = "";
    unsigned len = 0;

    if (n) {
        LLVMValueRef *cus = burl_xcalloc(n, sizeof *cus);
        LLVMGetNamedMetadataOperands(in->mod, "llvm.dbg.cu", cus);
        LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(cus[0]));
        if (file)
            dir = LLVMDIFileGetDirectory(file, &len);
        free(cus);
    }
    in->dir = burl_xstrndup(dir ? dir : "", len);
}

/* LLVM's own handler prints and ends the process; ours keeps the words for the caller. */
static void
keep_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    struct burl_buf *out = arg;
    char *text = LLVMGetDiagInfoDescription(info);

    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !out->n)
        burl_buf_str_append(out, text);
    LLVMDisposeMessage(text);
}

/* Reads and decodes the file; on failure `in->mod` stays NULL. */
static enum burl_status
read_module(struct burl__instr *in, const char *path, struct burl_err *err)
{
    LLVMMemoryBufferRef bytes = NULL;
    char *msg = NULL;
    bool failed = strcmp(path, "-") == 0
                      ? LLVMCreateMemoryBufferWithSTDIN(&bytes, &msg)
                      : LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &msg);

    if (failed) {
        burl_err_set(err, BURL_E_IO, 0, "cannot read bitcode %s: %s", path, msg);
        LLVMDisposeMessage(msg);
        return BURL_E_IO;
    }
    LLVMContextSetDiagnosticHandler(in->ctx, keep_diagnostic, &in->diagnostic);
    failed = LLVMParseBitcodeInContext2(in->ctx, bytes, &in->mod);
    LLVMDisposeMemoryBuffer(bytes);
    if (failed) {
        in->mod = NULL;
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "cannot decode bitcode %s (%s); burl works with clang 19", path,
                            burl_buf_str(&in->diagnostic));
    }
    return BURL_OK;
}

enum burl_status
burl__instr_open(struct burl__instr *in, const char *path, struct burl_err *err)
{
    size_t n;

    memset(in, 0, sizeof *in);
    in->ctx = LLVMContextCreate();
    burl__strtab_init(&in->strings);
    burl_buf_init(&in->diagnostic, 4096);
    enum burl_status st = read_module(in, path, err);
    if (st != BURL_OK)
        return st;

    LLVMSetIsNewDbgInfoFormat(in->mod, 0);
    in->td = LLVMGetModuleDataLayout(in->mod);
    in->builder = LLVMCreateBuilderInContext(in->ctx);
    in->di = LLVMCreateDIBuilderDisallowUnresolved(in->mod);
    const char *source = LLVMGetSourceFileName(in->mod, &n);
    in->name = burl_xstrndup(source, n);
    find_dir(in);
    in->profile = "early";
    in->md_site = LLVMGetMDKindIDInContext(in->ctx, BURL__MD_SITE, strlen(BURL__MD_SITE));
    in->md_block = LLVMGetMDKindIDInContext(in->ctx, BURL__MD_BLOCK, strlen(BURL__MD_BLOCK));
    in->i1 = LLVMInt1TypeInContext(in->ctx);
    in->i8 = LLVMInt8TypeInContext(in->ctx);
    in->i32 = LLVMInt32TypeInContext(in->ctx);
    in->i64 = LLVMInt64TypeInContext(in->ctx);
    in->ptr = LLVMPointerTypeInContext(in->ctx, 0);
    in->void_ty = LLVMVoidTypeInContext(in->ctx);
    choose_functions(in);
    return BURL_OK;
}

void
burl__instr_close(struct burl__instr *in)
{
    BURL_VEC_FREE(&in->sites);
    burl__strtab_deinit(&in->strings);
    burl_map_deinit(&in->skip);
    burl_map_deinit(&in->escapes);
    burl_map_deinit(&in->locals);
    burl_map_deinit(&in->globals);
    burl_buf_deinit(&in->diagnostic);
    free(in->name);
    free(in->dir);
    if (in->builder)
        LLVMDisposeBuilder(in->builder);
    if (in->di)
        LLVMDisposeDIBuilder(in->di);
    if (in->mod)
        LLVMDisposeModule(in->mod);
    if (in->ctx)
        LLVMContextDispose(in->ctx);
    memset(in, 0, sizeof *in);
}

static enum burl_status
run_passes(struct burl__instr *in, const char *passes, struct burl_err *err)
{
    LLVMPassBuilderOptionsRef opts = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(in->mod, passes, NULL, opts);
    enum burl_status st = BURL_OK;

    LLVMDisposePassBuilderOptions(opts);
    if (e) {
        char *msg = LLVMGetErrorMessage(e);
        st = burl_err_set(err, BURL_E_INTERNAL, 0, "passes \"%s\" failed: %s", passes, msg);
        LLVMDisposeErrorMessage(msg);
    }
    return st;
}

enum burl_status
burl__instr_canonicalize(struct burl__instr *in, struct burl_err *err)
{
    enum burl_status st = run_passes(in, CANONICAL_PASSES, err);

    /* The passes may leave either form of debug records; names.c reads the intrinsics. */
    LLVMSetIsNewDbgInfoFormat(in->mod, 0);
    return st;
}

enum burl_status
burl__instr_verify(struct burl__instr *in, struct burl_err *err)
{
    char *msg = NULL;
    enum burl_status st = BURL_OK;

    if (LLVMVerifyModule(in->mod, LLVMReturnStatusAction, &msg))
        st = burl_err_set(err, BURL_E_INTERNAL, 0, "%s: instrumented module is not valid: %s",
                          in->name, msg);
    LLVMDisposeMessage(msg);
    return st;
}

enum burl_status
burl__instr_write(struct burl__instr *in, const char *path, enum burl__debug debug,
                  struct burl_err *err)
{
    if (debug == BURL__DEBUG_NONE)
        LLVMStripModuleDebugInfo(in->mod);
    if (debug == BURL__DEBUG_LINES) {
        enum burl_status st = run_passes(in, "strip-nonlinetable-debuginfo", err);
        if (st != BURL_OK)
            return st;
    }
    if (LLVMWriteBitcodeToFile(in->mod, path) != 0)
        return burl_err_set(err, BURL_E_IO, 0, "cannot write bitcode %s", path);
    return BURL_OK;
}
