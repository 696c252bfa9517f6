/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/free.c - the copies of functions for free mode (`burl run`).
 *
 * Runs in the compiler. Under control every access of the source is a point where threads may be
 * switched, so its hook is inserted before the optimizer runs, and keeps it from doing its work.
 * A run that only looks for data races needs no more hooks than ThreadSanitizer: those of the
 * accesses that the optimizer leaves, less those that can show nothing new. So every function F
 * has a third copy, F.burl_free, which alone.c lets F choose at its entry. It is taken from the
 * numbered module and optimized here, with site numbers in its debug locations, and gets its
 * hooks in the way of the late profile (late.c). They are of the same sites: nothing is added to
 * the site table, and nothing that control can see changes.
 *
 * Unlike in the late profile functions have the hooks of their entry and exit before they are
 * inlined, so that stacks in reports are complete. These hooks are declared to touch no memory of
 * the program: the optimizer works across them. Where nothing is left between the two they go, and
 * where it is little (scopes.c) they become stores.
 *
 * The passes are those that remove accesses: inlining, redundant loads and stores. None that moves
 * an access, out of a loop for example: it would leave its frame, and most such passes remove the
 * location too. None that widens one: reports name variables. The other passes follow, when clang
 * compiles the result.
 */
#include <llvm-c/Support.h>
#include <string.h>

#include "instr/instr_int.h"

#define SITES_SYMBOL "__burl_sites"

#define SIMPLIFY "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>"
#define PASSES                                                                        \
    "always-inline,function<eager-inv>(" SIMPLIFY "),cgscc(inline,function-attrs,"    \
    "function<eager-inv>(" SIMPLIFY ")),function<eager-inv>(gvn<no-pre;no-load-pre>," \
    "dse,adce,simplifycfg)"

/* Options of passes that have no other way in. */
static void
set_options(void)
{
    static const char *const words[] = { "burl-instr", "-instcombine-code-sinking=0" };

    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

/* ---- the module of the copies --------------------------------------------------------------- */

/* Functions without a copy are called where they are. */
static void
drop_bodies(LLVMModuleRef mod)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || burl__instr_is_copy(f, BURL__FREE_SUFFIX))
            continue;
        char *name = burl_xstrdup(burl_ir_name(f));
        LLVMValueRef proto = LLVMAddFunction(mod, "", LLVMGlobalGetValueType(f));
        LLVMReplaceAllUsesWith(f, proto);
        LLVMDeleteFunction(f);
        LLVMSetValueName2(proto, name, strlen(name));
        free(name);
    }
}

/* A copy that only copies call may be inlined and vanish. */
static void
hide_copies(struct burl__instr *in, LLVMModuleRef mod)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef fn;

        if (LLVMIsDeclaration(f) || !burl__instr_is_copy(f, BURL__FREE_SUFFIX))
            continue;
        fn = burl__instr_copied(in->mod, f, BURL__FREE_SUFFIX);
        if (!fn || burl__instr_copy_is_entered(mod, BURL__FREE_SUFFIX, fn))
            continue;
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

/* An alias must be of something defined, and here is only what the copies need. */
static bool
has_aliases(LLVMModuleRef mod)
{
    return LLVMGetFirstGlobalAlias(mod) || LLVMGetFirstGlobalIFunc(mod);
}

/* ---- hooks of functions --------------------------------------------------------------------- */

static void
hook_functions(struct burl__instr *fr)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(fr->mod); f; f = LLVMGetNextFunction(f)) {
        uint32_t ix = burl_ir_func_site(f);

        if (!LLVMIsDeclaration(f) && ix < fr->sites.n)
            burl__instr_hook_function(fr, f, ix);
    }
}

/* A read that the optimizer may remove although nothing else reads the same: of a value that is not
 * used, of a structure that is copied to private memory and used in part. */
static bool
may_vanish(LLVMValueRef inst, const struct burl__op *ops, int n)
{
    if (n != 1 || (ops[0].kind != BURL_SITE_READ && ops[0].kind != BURL_SITE_RANGE_READ))
        return false;
    return LLVMIsALoadInst(inst) ? !LLVMGetFirstUse(inst) && !LLVMGetVolatile(inst)
                                 : LLVMIsAMemCpyInst(inst) || LLVMIsAMemMoveInst(inst);
}

/* Their hooks come first. What the optimizer leaves of the read gets another one. */
static void
hook_vanishing(struct burl__instr *fr)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(fr->mod); f; f = LLVMGetNextFunction(f)) {
        for (LLVMValueRef i = burl_ir_first(f); i; i = burl_ir_next(i)) {
            struct burl__op ops[BURL__MAX_OPS];
            uint32_t ix = burl_ir_site(i, fr->md_site);

            if (ix != UINT32_MAX && may_vanish(i, ops, burl__instr_classify(fr, i, ops)))
                burl__instr_hook_ops(fr, i, ops, &ix, 1);
        }
    }
}

/* Inlining may have shown that the memory is private. */
static void
drop_private_hooks(struct burl__instr *fr, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn), next; i; i = next) {
        LLVMValueRef callee = burl_ir_is_call(i) ? burl_ir_callee(i) : NULL;

        next = burl_ir_next(i);
        if (callee && burl_ir_begins(burl_ir_name(callee), "__burl_read") &&
            burl__instr_is_private(fr, LLVMGetOperand(i, 0)))
            LLVMInstructionEraseFromParent(i);
    }
}

enum { MAX_REGION = 64 };

/* Blocks in which the frame of an entry is on top. */
struct region {
    LLVMBasicBlockRef v[MAX_REGION];
    size_t n;
};

/* From an instruction to the end of the frame or of the block. False: something between needs the
 * frame. */
static bool
walk_block(LLVMValueRef from, LLVMValueRef enter, bool *ended)
{
    *ended = false;
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
        if (burl_ir_calls(i, "__burl_func_exit") && LLVMGetOperand(i, 0) == enter) {
            *ended = true;
            return true;
        }
        if (burl_ir_calls_function(i) || LLVMIsACallBrInst(i) || LLVMIsAReturnInst(i))
            return false;
    }
    return true;
}

static bool
add_successors(struct region *r, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        bool known = false;
        for (size_t k = 0; k < r->n; k++)
            known = known || r->v[k] == next;
        if (known)
            continue;
        if (r->n == MAX_REGION)
            return false;
        r->v[r->n++] = next;
    }
    return true;
}

static bool
is_idle(LLVMValueRef enter)
{
    struct region r = { .n = 0 };
    bool ended;

    for (LLVMUseRef u = LLVMGetFirstUse(enter); u; u = LLVMGetNextUse(u))
        if (!burl_ir_calls(LLVMGetUser(u), "__burl_func_exit"))
            return false;
    if (!walk_block(LLVMGetNextInstruction(enter), enter, &ended))
        return false;
    if (!ended && !add_successors(&r, LLVMGetInstructionParent(enter)))
        return false;
    for (size_t i = 0; i < r.n; i++) {
        if (!walk_block(LLVMGetFirstInstruction(r.v[i]), enter, &ended))
            return false;
        if (!ended && !add_successors(&r, r.v[i]))
            return false;
    }
    return true;
}

static void
drop_frame(LLVMValueRef enter)
{
    for (LLVMUseRef u = LLVMGetFirstUse(enter); u; u = LLVMGetFirstUse(enter))
        LLVMInstructionEraseFromParent(LLVMGetUser(u));
    LLVMInstructionEraseFromParent(enter);
}

/* From the last one up: inner frames go first, which may leave nothing in the outer ones. */
static void
drop_idle_frames(LLVMValueRef fn)
{
    BURL_VEC(LLVMValueRef) enters = { 0 };
    bool again = true;

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (burl_ir_calls(i, "__burl_func_enter"))
            BURL_VEC_PUSH(&enters, i);
    while (again) {
        again = false;
        for (size_t i = enters.n; i-- > 0;) {
            if (!enters.v[i] || !is_idle(enters.v[i]))
                continue;
            drop_frame(enters.v[i]);
            enters.v[i] = NULL;
            again = true;
        }
    }
    BURL_VEC_FREE(&enters);
}

/* Unrolled loops and more inlining gain little between calls of hooks, and cost time and space. */
static void
make_small(struct burl__instr *fr)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("optsize", 7);

    for (LLVMValueRef f = LLVMGetFirstFunction(fr->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !burl_ir_attr(f, BURL_IR_FN_ATTRS, "optnone"))
            LLVMAddAttributeAtIndex(f, BURL_IR_FN_ATTRS, LLVMCreateEnumAttribute(fr->ctx, kind, 0));
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void
open_copies(struct burl__instr *fr, const struct burl__instr *in, LLVMModuleRef mod)
{
    *fr = *in;
    fr->mod = mod;
    fr->td = LLVMGetModuleDataLayout(mod);
    fr->di = LLVMCreateDIBuilderDisallowUnresolved(mod);
    fr->quiet_hooks = true;
    memset(&fr->skip, 0, sizeof fr->skip);
    memset(&fr->escapes, 0, sizeof fr->escapes);
    memset(fr->hooks, 0, sizeof fr->hooks);
    fr->extent_fn = NULL;
    fr->site_array_ty = LLVMArrayType2(in->i64, in->sites.n);
    fr->site_array = LLVMAddGlobal(mod, fr->site_array_ty, SITES_SYMBOL);
}

enum burl_status
burl__instr_free_make(struct burl__instr *in, bool strip, struct burl_err *err)
{
    LLVMModuleRef mod = has_aliases(in->mod) ? NULL : burl__instr_copy_take(in, BURL__FREE_SUFFIX);
    struct burl__instr fr;
    enum burl_status st;

    if (!mod)
        return BURL_OK;
    drop_bodies(mod);
    hide_copies(in, mod);
    open_copies(&fr, in, mod);
    hook_functions(&fr);
    hook_vanishing(&fr);
    burl__instr_late_encode(&fr);
    set_options();
    st = burl__instr_run_passes(mod, PASSES, err);
    if (st != BURL_OK)
        return st;
    LLVMSetIsNewDbgInfoFormat(mod, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        drop_private_hooks(&fr, f);
    burl__instr_late_finish_copies(&fr);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        drop_idle_frames(f);
    burl__instr_scopes(&fr);
    make_small(&fr);
    if (strip)
        LLVMStripModuleDebugInfo(mod);
    else
        st = burl__instr_run_passes(mod, "strip-nonlinetable-debuginfo", err);
    LLVMDisposeDIBuilder(fr.di);
    burl_map_deinit(&fr.skip);
    burl_map_deinit(&fr.escapes);
    in->free = mod;
    return st;
}

enum burl_status
burl__instr_free_link(struct burl__instr *in, struct burl_err *err)
{
    LLVMModuleRef copies = in->free;

    in->free = NULL;
    return copies ? burl__instr_copy_link(in, copies, err) : BURL_OK;
}
