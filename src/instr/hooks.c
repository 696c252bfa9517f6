/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/hooks.c - inserting the calls that wire/site.h lists.
 *
 * Runs in the compiler. Every call is nounwind, so no landing pads are needed
 * for it, and carries the source location of what it watches. The pointer
 * parameters are nocapture: a hook must not make the optimizer believe that a
 * variable is shared. The hottest hooks are linked into every object (rt/hooks/hot.c)
 * and called directly.
 */
#include <string.h>

#include "instr/instr_int.h"

enum shape {
    SHAPE_V_PS,  /* void (ptr, site) */
    SHAPE_V_PNS, /* void (ptr, u64, site) */
    SHAPE_N_P,   /* u64 (ptr) */
    SHAPE_N_PI,  /* u64 (ptr, i32) */
    SHAPE_V_PSI, /* void (ptr, site, i32) */
    SHAPE_V_P,   /* void (ptr) */
    SHAPE_P_P    /* ptr (ptr) */
};

static const struct {
    const char *name;
    enum shape shape;
} hook_table[BURL__HOOK__N] = {
    [BURL__HOOK_READ1] = { "__burl_read1", SHAPE_V_PS },
    [BURL__HOOK_READ2] = { "__burl_read2", SHAPE_V_PS },
    [BURL__HOOK_READ4] = { "__burl_read4", SHAPE_V_PS },
    [BURL__HOOK_READ8] = { "__burl_read8", SHAPE_V_PS },
    [BURL__HOOK_READ16] = { "__burl_read16", SHAPE_V_PS },
    [BURL__HOOK_WRITE1] = { "__burl_write1", SHAPE_V_PS },
    [BURL__HOOK_WRITE2] = { "__burl_write2", SHAPE_V_PS },
    [BURL__HOOK_WRITE4] = { "__burl_write4", SHAPE_V_PS },
    [BURL__HOOK_WRITE8] = { "__burl_write8", SHAPE_V_PS },
    [BURL__HOOK_WRITE16] = { "__burl_write16", SHAPE_V_PS },
    [BURL__HOOK_READ_RANGE] = { "__burl_read_range", SHAPE_V_PNS },
    [BURL__HOOK_WRITE_RANGE] = { "__burl_write_range", SHAPE_V_PNS },
    [BURL__HOOK_READ_STR] = { "__burl_read_str", SHAPE_V_PS },
    [BURL__HOOK_STRLEN] = { "__burl_strlen", SHAPE_N_P },
    [BURL__HOOK_NUMBER] = { "__burl_number", SHAPE_N_PI },
    [BURL__HOOK_TREE] = { "__burl_tree", SHAPE_P_P },
    [BURL__HOOK_ATOMIC_PRE] = { "__burl_atomic_pre", SHAPE_V_PS },
    [BURL__HOOK_ATOMIC_POST] = { "__burl_atomic_post", SHAPE_V_PSI },
    [BURL__HOOK_FENCE] = { "__burl_fence", SHAPE_V_P },
    [BURL__HOOK_CALL] = { "__burl_call", SHAPE_V_P },
    [BURL__HOOK_FUNC_ENTER] = { "__burl_func_enter", SHAPE_P_P },
    [BURL__HOOK_FUNC_EXIT] = { "__burl_func_exit", SHAPE_V_P },
    [BURL__HOOK_FUNC_RESYNC] = { "__burl_func_resync", SHAPE_V_P },
    [BURL__HOOK_BLOCK] = { "__burl_block", SHAPE_V_P },
    [BURL__HOOK_MODULE_INIT] = { "__burl_module_init", SHAPE_V_P },
};

static LLVMTypeRef
hook_type(struct burl__instr *in, enum shape shape)
{
    LLVMTypeRef p = in->ptr;
    LLVMTypeRef args[3] = { p, p, in->i32 };

    switch (shape) {
    case SHAPE_V_PS:
        return LLVMFunctionType(in->void_ty, args, 2, 0);
    case SHAPE_V_PNS:
        args[1] = in->i64;
        args[2] = p;
        return LLVMFunctionType(in->void_ty, args, 3, 0);
    case SHAPE_N_P:
        return LLVMFunctionType(in->i64, args, 1, 0);
    case SHAPE_N_PI:
        args[1] = in->i32;
        return LLVMFunctionType(in->i64, args, 2, 0);
    case SHAPE_V_PSI:
        return LLVMFunctionType(in->void_ty, args, 3, 0);
    case SHAPE_P_P:
        return LLVMFunctionType(p, args, 1, 0);
    default:
        return LLVMFunctionType(in->void_ty, args, 1, 0);
    }
}

static LLVMAttributeRef
enum_attr(struct burl__instr *in, const char *name)
{
    return LLVMCreateEnumAttribute(in->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

static void
declare_hook(struct burl__instr *in, enum burl__hook hook)
{
    const char *name = hook_table[hook].name;
    LLVMTypeRef ty = hook_type(in, hook_table[hook].shape);
    LLVMValueRef fn = LLVMGetNamedFunction(in->mod, name);

    in->hook_tys[hook] = ty;
    if (!fn)
        fn = LLVMAddFunction(in->mod, name, ty);
    in->hooks[hook] = fn;
    LLVMAddAttributeAtIndex(fn, BURL__FN_ATTRS, enum_attr(in, "nounwind"));
    /* The module structure is kept by the runtime, a node may come back as the head of its tree;
     * everything else is only looked at. */
    if (hook != BURL__HOOK_MODULE_INIT && hook != BURL__HOOK_TREE)
        LLVMAddAttributeAtIndex(fn, 1, enum_attr(in, "nocapture"));
}

LLVMValueRef
burl__instr_hook_call(struct burl__instr *in, enum burl__hook hook, LLVMValueRef *args,
                      unsigned n_args)
{
    if (!in->hooks[hook])
        declare_hook(in, hook);
    LLVMValueRef c =
        LLVMBuildCall2(in->builder, in->hook_tys[hook], in->hooks[hook], args, n_args, "");
    LLVMAddCallSiteAttribute(c, BURL__FN_ATTRS, enum_attr(in, "nounwind"));
    return c;
}

static LLVMValueRef
site_const(struct burl__instr *in, uint32_t ix)
{
    LLVMValueRef index[2] = { LLVMConstInt(in->i64, 0, 0), LLVMConstInt(in->i64, ix, 0) };
    return LLVMConstInBoundsGEP2(in->site_array_ty, in->site_array, index, 2);
}

static enum burl__hook
access_hook(const struct burl__op *op, bool write)
{
    int step = 0;

    while ((1u << step) < op->bytes)
        step++;
    return (enum burl__hook)((write ? BURL__HOOK_WRITE1 : BURL__HOOK_READ1) + step);
}

static bool
is_write(const struct burl__op *op)
{
    return op->kind == BURL_SITE_WRITE || op->kind == BURL_SITE_RANGE_WRITE;
}

static void
hook_range(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *op, LLVMValueRef site)
{
    enum burl__hook hook = is_write(op) ? BURL__HOOK_WRITE_RANGE : BURL__HOOK_READ_RANGE;
    LLVMValueRef start = op->ptr;
    LLVMValueRef n;

    if (op->how == BURL__HOW_LIB) {
        if (burl__instr_lib_is_str(op)) {
            LLVMValueRef args[2] = { op->ptr, site };
            burl__instr_hook_call(in, BURL__HOOK_READ_STR, args, 2);
            return;
        }
        n = burl__instr_lib_extent(in, inst, op);
        start = burl__instr_lib_start(in, op);
    } else if (op->len) {
        n = LLVMBuildIntCast2(in->builder, op->len, in->i64, 0, "");
    } else {
        n = LLVMConstInt(in->i64, op->bytes, 0);
    }
    LLVMValueRef args[3] = { start, n, site };
    burl__instr_hook_call(in, hook, args, 3);
}

/* The old value is loaded volatile: of memory that was never written the optimizer would choose one
 * that suits it. */
static void
hook_vptr(struct burl__instr *in, LLVMValueRef store, const struct burl__op *op, LLVMValueRef site)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMValueRef old = LLVMBuildLoad2(in->builder, LLVMTypeOf(value), op->ptr, "");
    LLVMValueRef same = LLVMBuildICmp(in->builder, LLVMIntEQ, old, value, "");
    LLVMValueRef n = LLVMBuildSelect(in->builder, same, LLVMConstInt(in->i64, 0, 0),
                                     LLVMConstInt(in->i64, op->bytes, 0), "");
    LLVMValueRef args[3] = { op->ptr, n, site };

    LLVMSetVolatile(old, 1);
    burl__instr_hook_call(in, BURL__HOOK_WRITE_RANGE, args, 3);
}

static void
set_location(struct burl__instr *in, LLVMValueRef inst)
{
    LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
}

/* 1 when the operation wrote. */
static LLVMValueRef
stored_flag(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *op)
{
    LLVMValueRef ok = inst;

    if (op->kind == BURL_SITE_ATOMIC_LOAD)
        return LLVMConstInt(in->i32, 0, 0);
    if (op->kind != BURL_SITE_ATOMIC_CAS)
        return LLVMConstInt(in->i32, 1, 0);
    if (LLVMIsAAtomicCmpXchgInst(inst))
        ok = LLVMBuildExtractValue(in->builder, inst, 1, "");
    return LLVMBuildIntCast2(in->builder, ok, in->i32, 0, "");
}

static void
hook_after(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *op, LLVMValueRef site)
{
    LLVMValueRef next = LLVMGetNextInstruction(inst);

    if (!next)
        return;
    LLVMPositionBuilderBefore(in->builder, next);
    set_location(in, inst);
    LLVMValueRef args[3] = { op->ptr, site, stored_flag(in, inst, op) };
    burl__instr_hook_call(in, BURL__HOOK_ATOMIC_POST, args, 3);
}

/* Where new code may go at the head of a block. */
static LLVMValueRef
after_phis(LLVMValueRef inst)
{
    while (inst && (LLVMIsAPHINode(inst) || LLVMIsALandingPadInst(inst)))
        inst = LLVMGetNextInstruction(inst);
    return inst;
}

/* The first place that is reached from this call only, or NULL. */
static LLVMValueRef
behind_call(LLVMValueRef call)
{
    if (LLVMIsAInvokeInst(call)) {
        LLVMBasicBlockRef next = LLVMGetNormalDest(call);
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));
        return use && !LLVMGetNextUse(use) ? after_phis(LLVMGetFirstInstruction(next)) : NULL;
    }
    if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return NULL;
    return LLVMGetNextInstruction(call);
}

static void
hook_behind_call(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op,
                 LLVMValueRef site)
{
    LLVMValueRef at = behind_call(call);

    if (!at)
        return;
    LLVMPositionBuilderBefore(in->builder, at);
    set_location(in, call);
    hook_range(in, call, op, site);
    LLVMPositionBuilderBefore(in->builder, call);
    set_location(in, call);
}

void
burl__instr_hook_ops(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *ops,
                     const uint32_t *site_ix, int n)
{
    LLVMPositionBuilderBefore(in->builder, inst);
    set_location(in, inst);
    for (int i = 0; i < n; i++) {
        LLVMValueRef site = site_const(in, site_ix[i]);
        LLVMValueRef args[2] = { ops[i].ptr, site };
        switch ((enum burl__how)ops[i].how) {
        case BURL__HOW_ACCESS:
            burl__instr_hook_call(in, access_hook(&ops[i], is_write(&ops[i])), args, 2);
            break;
        case BURL__HOW_RANGE:
        case BURL__HOW_LIB:
            if (ops[i].after || burl__instr_lib_is_after(&ops[i]))
                hook_behind_call(in, inst, &ops[i], site);
            else
                hook_range(in, inst, &ops[i], site);
            break;
        case BURL__HOW_VPTR:
            hook_vptr(in, inst, &ops[i], site);
            break;
        case BURL__HOW_ATOMIC:
            burl__instr_hook_call(in, BURL__HOOK_ATOMIC_PRE, args, 2);
            hook_after(in, inst, &ops[i], site);
            break;
        case BURL__HOW_FENCE:
            burl__instr_hook_call(in, BURL__HOOK_FENCE, &site, 1);
            break;
        case BURL__HOW_LANES:
            burl__instr_hook_lanes(in, inst, site);
            break;
        case BURL__HOW_BYVALS:
            burl__instr_hook_byvals(in, inst, ops[i].from, site);
            break;
        case BURL__HOW_CALL:
            burl__instr_hook_call(in, BURL__HOOK_CALL, &site, 1);
            break;
        }
    }
}

/* Allocas must stay at the head of the entry block, or they would become dynamic. */
static LLVMValueRef
after_allocas(LLVMValueRef fn)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (i && (LLVMIsAAllocaInst(i) || LLVMIsADbgInfoIntrinsic(i)))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void
hook_exit(struct burl__instr *in, LLVMValueRef ret, LLVMValueRef mark)
{
    LLVMValueRef at = ret;
    LLVMValueRef before = LLVMGetPreviousInstruction(ret);

    /* Nothing may come between a musttail call and the return. */
    while (before && (LLVMIsADbgInfoIntrinsic(before) || LLVMIsABitCastInst(before)))
        before = LLVMGetPreviousInstruction(before);
    if (before && LLVMIsACallInst(before) &&
        LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail)
        at = before;
    LLVMPositionBuilderBefore(in->builder, at);
    set_location(in, at);
    burl__instr_hook_call(in, BURL__HOOK_FUNC_EXIT, &mark, 1);
}

static void
hook_resync(struct burl__instr *in, LLVMValueRef at, LLVMValueRef mark)
{
    if (!at)
        return;
    LLVMPositionBuilderBefore(in->builder, at);
    set_location(in, at);
    burl__instr_hook_call(in, BURL__HOOK_FUNC_RESYNC, &mark, 1);
}

static bool
has_calls_or_hooks(struct burl__instr *in, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!burl__instr_is_call(i) || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                continue;
            LLVMValueRef callee = burl__instr_callee(i);
            if (!callee || !LLVMGetIntrinsicID(callee))
                return true;
        }
    (void)in;
    return false;
}

/* What pure and const promise is no longer true once the body calls hooks. */
static void
drop_promises(LLVMValueRef fn)
{
    static const char *const names[] = { "memory", "nosync", "nofree", "willreturn",
                                         "speculatable" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMRemoveEnumAttributeAtIndex(fn, BURL__FN_ATTRS, kind);
        for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsAInstruction(user) && burl__instr_is_call(user) &&
                LLVMGetCalledValue(user) == fn)
                LLVMRemoveCallSiteEnumAttribute(user, BURL__FN_ATTRS, kind);
        }
    }
}

void
burl__instr_hook_function(struct burl__instr *in, LLVMValueRef fn, uint32_t site_ix)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    LLVMValueRef at = after_allocas(fn);

    /* A leaf that touches nothing shared can be in no stack that a report shows. */
    if (!at || (in->sites.v[site_ix].desc.flags == 0 && !has_calls_or_hooks(in, fn)))
        return;
    drop_promises(fn);
    /* A coroutine is left and entered without call and return. */
    if (burl__instr_has_attr(fn, "presplitcoroutine"))
        return;
    LLVMPositionBuilderBefore(in->builder, at);
    LLVMSetCurrentDebugLocation2(
        in->builder,
        sp ? LLVMDIBuilderCreateDebugLocation(in->ctx, LLVMDISubprogramGetLine(sp), 0, sp, NULL)
           : NULL);
    LLVMValueRef site = site_const(in, site_ix);
    LLVMValueRef mark = burl__instr_hook_call(in, BURL__HOOK_FUNC_ENTER, &site, 1);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsALandingPadInst(i))
                hook_resync(in, after_phis(i), mark);
            else if (LLVMIsACallInst(i) &&
                     burl__instr_call_has_attr(i, BURL__FN_ATTRS, "returns_twice"))
                hook_resync(in, LLVMGetNextInstruction(i), mark);
            else if (LLVMIsAReturnInst(i))
                hook_exit(in, i, mark);
        }
    }
}

static void
hook_block(struct burl__instr *in, LLVMValueRef first, uint32_t site_ix)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
    LLVMValueRef at = after_phis(first);
    LLVMValueRef site = site_const(in, site_ix);

    if (block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)))
        at = after_allocas(LLVMGetBasicBlockParent(block));
    if (!at)
        return;
    LLVMPositionBuilderBefore(in->builder, at);
    set_location(in, at);
    burl__instr_hook_call(in, BURL__HOOK_BLOCK, &site, 1);
    in->sites.v[site_ix].desc.flags |= BURL_SITE_F_TOLD;
}

void
burl__instr_hook_module(struct burl__instr *in)
{
    struct burl__sites *s = &in->sites;

    for (size_t i = 0; i < s->n;) {
        struct burl__op ops[BURL__MAX_OPS];
        uint32_t ix[BURL__MAX_OPS];
        int n = 0;
        LLVMValueRef at = s->v[i].at;

        if (s->v[i].desc.kind == BURL_SITE_FUNC || s->v[i].desc.kind == BURL_SITE_BLOCK) {
            if (in->blocks && s->v[i].desc.kind == BURL_SITE_BLOCK)
                hook_block(in, at, (uint32_t)i);
            i++;
            continue;
        }
        for (; i < s->n && n < BURL__MAX_OPS && s->v[i].at == at; i++, n++) {
            ops[n] = s->v[i].op;
            ix[n] = (uint32_t)i;
        }
        LLVMSetMetadata(at, in->md_site, NULL);
        burl__instr_hook_ops(in, at, ops, ix, n);
    }
    /* Last, so that a function is known to contain hooks. */
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].desc.kind != BURL_SITE_FUNC)
            continue;
        burl__instr_hook_function(in, s->v[i].at, (uint32_t)i);
        LLVMRemoveStringAttributeAtIndex(s->v[i].at, BURL__FN_ATTRS, BURL__ATTR_FUNC,
                                         strlen(BURL__ATTR_FUNC));
    }
}
