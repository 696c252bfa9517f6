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

LLVMTypeRef
burl__instr_byval_type(LLVMValueRef call, unsigned arg)
{
    static const char *const names[] = { "byval", "inalloca", "preallocated" };
    LLVMAttributeRef a = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !a; i++)
        a = burl_ir_call_attr(call, arg + 1, names[i]);
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
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
        const char *text;
        size_t len;
        if (LLVMGetNumOperands(row) >= 2 && LLVMIsAFunction(LLVMGetOperand(row, 0)) &&
            burl_ir_text(LLVMGetOperand(row, 1), &text, &len) && len == sizeof "burl.ignore" &&
            memcmp(text, "burl.ignore", len - 1) == 0)
            burl_map_set_ptr(&in->skip, LLVMGetOperand(row, 0), 1);
    }
}

/* libstdc++ keeps what the classic locale's facet for characters has converted, without a lock:
 * std::regex and streams do it. Every thread stores the same value, and none can tell who was
 * first. */
static bool
is_cache_of_locale(const char *name)
{
    return burl_ir_begins(name, "_ZNKSt5ctypeIcE6narrowE") ||
           burl_ir_begins(name, "_ZNKSt5ctypeIcE5widenE");
}

static bool
must_skip(LLVMValueRef fn)
{
    return is_cache_of_locale(burl_ir_name(fn)) || burl_ir_attr(fn, BURL_IR_FN_ATTRS, "naked") ||
           burl_ir_attr(fn, BURL_IR_FN_ATTRS, "disable_sanitizer_instrumentation") ||
           LLVMGetStringAttributeAtIndex(fn, BURL_IR_FN_ATTRS, "no_caller_saved_registers", 25) ||
           LLVMGetFunctionCallConv(fn) == X86_INTERRUPT_CC ||
           burl_ir_begins(burl_ir_name(fn), "__burl_");
}

bool
burl__instr_is_chosen(const struct burl__instr *in, LLVMValueRef fn)
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
    LLVMContextSetDiagnosticHandler(in->ctx, burl_ir_keep_diagnostic, &in->diagnostic);
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
    in->md_site = LLVMGetMDKindIDInContext(in->ctx, BURL_IR_MD_SITE, strlen(BURL_IR_MD_SITE));
    in->md_block = LLVMGetMDKindIDInContext(in->ctx, BURL_IR_MD_BLOCK, strlen(BURL_IR_MD_BLOCK));
    in->md_place = LLVMGetMDKindIDInContext(in->ctx, BURL_IR_MD_PLACE, strlen(BURL_IR_MD_PLACE));
    in->i1 = LLVMInt1TypeInContext(in->ctx);
    in->i8 = LLVMInt8TypeInContext(in->ctx);
    in->i32 = LLVMInt32TypeInContext(in->ctx);
    in->i64 = LLVMInt64TypeInContext(in->ctx);
    in->ptr = LLVMPointerTypeInContext(in->ctx, 0);
    in->void_ty = LLVMVoidTypeInContext(in->ctx);
    choose_functions(in);
    return BURL_OK;
}

enum burl_status
burl__instr_run_passes(LLVMModuleRef mod, const char *passes, struct burl_err *err)
{
    LLVMPassBuilderOptionsRef opts = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(mod, passes, NULL, opts);
    enum burl_status st = BURL_OK;

    LLVMDisposePassBuilderOptions(opts);
    if (e) {
        char *msg = LLVMGetErrorMessage(e);
        st = burl_err_set(err, BURL_E_INTERNAL, 0, "passes \"%s\" failed: %s", passes, msg);
        LLVMDisposeErrorMessage(msg);
    }
    return st;
}

/* std::atomic<std::shared_ptr> of libstdc++ locks its pointer by a bit, and load() clears the bit
 * by a relaxed update: by the letter, its read of the pointer races with the next store. No
 * program can tell, and the instruction is the same: here a release always clears the bit. */
static void
release_shared_ptr_locks(LLVMModuleRef mod)
{
    static const char unlock[] = "13_Atomic_count6unlockESt12memory_order";
    const unsigned long long release = 3; /* std::memory_order_release */

    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
        const char *name = burl_ir_name(f);

        if (burl_ir_begins(name, "_ZNKSt10_Sp_atomicI") && strstr(name, unlock) != NULL &&
            !LLVMIsDeclaration(f) && LLVMCountParams(f) == 2) {
            LLVMValueRef order = LLVMGetParam(f, 1);

            LLVMReplaceAllUsesWith(order, LLVMConstInt(LLVMTypeOf(order), release, 0));
        }
    }
}

enum burl_status
burl__instr_canonicalize(struct burl__instr *in, struct burl_err *err)
{
    enum burl_status st = burl__instr_run_passes(in->mod, CANONICAL_PASSES, err);

    /* The passes may leave either form of debug records; names.c reads the intrinsics. */
    LLVMSetIsNewDbgInfoFormat(in->mod, 0);
    release_shared_ptr_locks(in->mod);
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
        enum burl_status st = burl__instr_run_passes(in->mod, "strip-nonlinetable-debuginfo", err);
        if (st != BURL_OK)
            return st;
    }
    if (LLVMWriteBitcodeToFile(in->mod, path) != 0)
        return burl_err_set(err, BURL_E_IO, 0, "cannot write bitcode %s", path);
    return BURL_OK;
}
