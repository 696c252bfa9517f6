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
#include "wire/history.h"

static const struct {
    const char *name;
    const char *types;
} hook_table[] = {
#define HOOK(id, name, types) { name, types },
    BURL__HOOKS(HOOK)
#undef HOOK
};

/* memory(inaccessiblemem: readwrite): two bits for each kind of memory, the second kind. */
enum { MEMORY_INACCESSIBLE = 3 << 2 };

static LLVMTypeRef
hook_type(struct burl__instr *in, const char *types)
{
    LLVMTypeRef t[4];
    unsigned n = 0;

    for (; *types; types++)
        t[n++] = *types == 'p'   ? in->ptr
                 : *types == 'n' ? in->i64
                 : *types == 'i' ? in->i32
                                 : in->void_ty;
    return LLVMFunctionType(t[0], t + 1, n - 1, 0);
}

static LLVMAttributeRef
enum_attr(struct burl__instr *in, const char *name)
{
    return LLVMCreateEnumAttribute(in->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

/* Inserted before the optimizer runs on the copies for free mode. */
static bool
is_early(const char *name)
{
    return burl_ir_begins(name, "__burl_func_") || burl_ir_begins(name, "__burl_read");
}

static void
declare_hook(struct burl__instr *in, enum burl__hook hook)
{
    const char *name = hook_table[hook].name;
    LLVMTypeRef ty = hook_type(in, hook_table[hook].types);
    LLVMValueRef fn = LLVMGetNamedFunction(in->mod, name);

    in->hook_tys[hook] = ty;
    if (!fn)
        fn = LLVMAddFunction(in->mod, name, ty);
    in->hooks[hook] = fn;
    LLVMAddAttributeAtIndex(fn, BURL_IR_FN_ATTRS, enum_attr(in, "nounwind"));
    /* The module structure is kept by the runtime, a node may come back as the head of its tree;
     * everything else is only looked at. */
    if (hook != BURL__HOOK_MODULE_INIT && hook != BURL__HOOK_MARKS_INIT &&
        hook != BURL__HOOK_TREE && hook != BURL__HOOK_WHICH_COPY)
        LLVMAddAttributeAtIndex(fn, 1, enum_attr(in, "nocapture"));
    if (hook == BURL__HOOK_FUNC_ENTER)
        LLVMAddAttributeAtIndex(fn, 2, enum_attr(in, "nocapture"));
    if (in->quiet_hooks && is_early(name)) {
        LLVMAddAttributeAtIndex(fn, BURL_IR_FN_ATTRS, enum_attr(in, "willreturn"));
        LLVMAddAttributeAtIndex(
            fn, BURL_IR_FN_ATTRS,
            LLVMCreateEnumAttribute(in->ctx, LLVMGetEnumAttributeKindForName("memory", 6),
                                    MEMORY_INACCESSIBLE));
    }
}

LLVMValueRef
burl__instr_hook_call(struct burl__instr *in, enum burl__hook hook, LLVMValueRef *args,
                      unsigned n_args)
{
    if (!in->hooks[hook])
        declare_hook(in, hook);
    LLVMValueRef c =
        LLVMBuildCall2(in->builder, in->hook_tys[hook], in->hooks[hook], args, n_args, "");
    LLVMAddCallSiteAttribute(c, BURL_IR_FN_ATTRS, enum_attr(in, "nounwind"));
    return c;
}

void
burl__instr_hook_range(struct burl__instr *in, bool write, LLVMValueRef ptr, LLVMValueRef bytes,
                       LLVMValueRef site)
{
    LLVMValueRef args[3] = { ptr, bytes, site };

    burl__instr_hook_call(in, write ? BURL__HOOK_WRITE_RANGE : BURL__HOOK_READ_RANGE, args, 3);
}

LLVMValueRef
burl__instr_u64(struct burl__instr *in, uint64_t x)
{
    return LLVMConstInt(in->i64, x, 0);
}

LLVMValueRef
burl__instr_offset(struct burl__instr *in, LLVMValueRef ptr, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(in->builder, in->i8, ptr, &bytes, 1, "");
}

static LLVMValueRef
site_const(struct burl__instr *in, uint32_t ix)
{
    LLVMValueRef index[2] = { burl__instr_u64(in, 0), burl__instr_u64(in, ix) };
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
    LLVMValueRef args[2] = { op->ptr, site };
    LLVMValueRef start = op->ptr, n;

    if (op->how == BURL__HOW_LIB && burl__instr_lib_is_str(op)) {
        burl__instr_hook_call(in, BURL__HOOK_READ_STR, args, 2);
        return;
    }
    if (op->how == BURL__HOW_LIB) {
        n = burl__instr_lib_extent(in, inst, op);
        start = burl__instr_lib_start(in, op);
    } else {
        n = op->len ? LLVMBuildIntCast2(in->builder, op->len, in->i64, 0, "")
                    : burl__instr_u64(in, op->bytes);
    }
    burl__instr_hook_range(in, is_write(op), start, n, site);
}

/* The old value is loaded volatile: of memory that was never written the optimizer would choose one
 * that suits it. */
static void
hook_vptr(struct burl__instr *in, LLVMValueRef store, const struct burl__op *op, LLVMValueRef site)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMValueRef old = LLVMBuildLoad2(in->builder, LLVMTypeOf(value), op->ptr, "");
    LLVMValueRef same = LLVMBuildICmp(in->builder, LLVMIntEQ, old, value, "");
    LLVMValueRef n = LLVMBuildSelect(in->builder, same, burl__instr_u64(in, 0),
                                     burl__instr_u64(in, op->bytes), "");

    LLVMSetVolatile(old, 1);
    burl__instr_hook_range(in, true, op->ptr, n, site);
}

/* New code goes before `at` and has the source location of `of`. */
static void
build_before(struct burl__instr *in, LLVMValueRef at, LLVMValueRef of)
{
    LLVMPositionBuilderBefore(in->builder, at);
    LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(of));
}

/* 1 when the operation wrote. */
static LLVMValueRef
stored_flag(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *op)
{
    LLVMValueRef ok = inst;

    if (op->kind == BURL_SITE_ATOMIC_LOAD || op->kind == BURL_SITE_READ)
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
    build_before(in, next, inst);
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
    build_before(in, at, call);
    hook_range(in, call, op, site);
    build_before(in, call, call);
}

void
burl__instr_hook_ops(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *ops,
                     const uint32_t *site_ix, int n)
{
    build_before(in, inst, inst);
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
        case BURL__HOW_VOLATILE:
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
    build_before(in, at, at);
    burl__instr_hook_call(in, BURL__HOOK_FUNC_EXIT, &mark, 1);
}

static void
hook_resync(struct burl__instr *in, LLVMValueRef at, LLVMValueRef mark)
{
    if (!at)
        return;
    build_before(in, at, at);
    burl__instr_hook_call(in, BURL__HOOK_FUNC_RESYNC, &mark, 1);
}

/* An instruction that is still numbered will have a hook. */
static bool
has_calls_or_hooks(const struct burl__instr *in, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if ((burl_ir_calls_function(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i))) ||
            burl_ir_site(i, in->md_site) != UINT32_MAX ||
            burl_ir_site(i, in->md_place) != UINT32_MAX)
            return true;
    return false;
}

bool
burl__instr_is_early_hook(LLVMValueRef inst)
{
    LLVMValueRef fn = burl_ir_is_call(inst) ? burl_ir_callee(inst) : NULL;

    return fn && is_early(burl_ir_name(fn));
}

void
burl__instr_drop_promises(LLVMValueRef fn)
{
    static const char *const names[] = { "memory", "nosync", "nofree", "willreturn",
                                         "speculatable" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMRemoveEnumAttributeAtIndex(fn, BURL_IR_FN_ATTRS, kind);
        for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsAInstruction(user) && burl_ir_is_call(user) && LLVMGetCalledValue(user) == fn)
                LLVMRemoveCallSiteEnumAttribute(user, BURL_IR_FN_ATTRS, kind);
        }
    }
}

/* What is not reached must not run on into whatever lies behind it. */
static void
build_trap(struct burl__instr *in)
{
    unsigned id = LLVMLookupIntrinsicID("llvm.trap", strlen("llvm.trap"));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(in->mod, id, NULL, 0);

    LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
}

/* The place of an instruction, if it has one that is of this function: what came with a function
 * that was inlined is of that one, and at a musttail call this one has ended. */
static bool
find_place(struct burl__instr *in, LLVMValueRef inst, uint32_t func_ix, uint32_t *ix)
{
    *ix = burl_ir_site(inst, in->md_place);
    return *ix != UINT32_MAX && in->sites.v[*ix].desc.func_ix == func_ix &&
           !(LLVMIsACallInst(inst) && LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail);
}

/* The function's word for where it is in a call (wire/site.h); NULL: it has no places. */
static LLVMValueRef
build_word(struct burl__instr *in, LLVMValueRef fn, uint32_t func_ix)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint32_t ix;

        if (!find_place(in, i, func_ix, &ix))
            continue;
        LLVMPositionBuilderBefore(in->builder, burl_ir_first(fn));
        LLVMSetCurrentDebugLocation2(in->builder, NULL);
        return LLVMBuildAlloca(in->builder, in->i32, "");
    }
    return NULL;
}

/* The stores are volatile and nothing else may alias the word: the optimizer keeps each of them and
 * works across them. */
static void
set_word(struct burl__instr *in, LLVMValueRef word, uint32_t value)
{
    LLVMSetVolatile(LLVMBuildStore(in->builder, LLVMConstInt(in->i32, value, 0), word), 1);
}

static void
note_places(struct burl__instr *in, LLVMValueRef fn, uint32_t func_ix, LLVMValueRef word)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint32_t ix;
        bool found = find_place(in, i, func_ix, &ix);

        if (ix != UINT32_MAX)
            LLVMSetMetadata(i, in->md_place, NULL);
        if (!found)
            continue;
        build_before(in, i, i);
        set_word(in, word, ix - func_ix);
        if (LLVMIsAUnreachableInst(i))
            build_trap(in);
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
    burl__instr_drop_promises(fn);
    /* A coroutine is left and entered without call and return. */
    if (burl_ir_attr(fn, BURL_IR_FN_ATTRS, "presplitcoroutine"))
        return;
    LLVMValueRef word = build_word(in, fn, site_ix);
    LLVMPositionBuilderBefore(in->builder, at);
    LLVMSetCurrentDebugLocation2(
        in->builder,
        sp ? LLVMDIBuilderCreateDebugLocation(in->ctx, LLVMDISubprogramGetLine(sp), 0, sp, NULL)
           : NULL);
    if (word)
        set_word(in, word, 0);
    LLVMValueRef args[2] = { site_const(in, site_ix), word ? word : LLVMConstNull(in->ptr) };
    LLVMValueRef mark = burl__instr_hook_call(in, BURL__HOOK_FUNC_ENTER, args, 2);
    note_places(in, fn, site_ix, word);

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        if (LLVMIsALandingPadInst(i))
            hook_resync(in, after_phis(i), mark);
        else if (LLVMIsACallInst(i) && burl_ir_call_attr(i, BURL_IR_FN_ATTRS, "returns_twice"))
            hook_resync(in, LLVMGetNextInstruction(i), mark);
        else if (LLVMIsAReturnInst(i))
            hook_exit(in, i, mark);
    }
}

LLVMValueRef
burl__instr_block_start(LLVMValueRef first)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
    LLVMValueRef fn = LLVMGetBasicBlockParent(block);

    return block == LLVMGetEntryBasicBlock(fn) ? after_allocas(fn) : after_phis(first);
}

void
burl__instr_build_before(struct burl__instr *in, LLVMValueRef at)
{
    build_before(in, at, at);
}

LLVMValueRef
burl__instr_hot(struct burl__instr *in)
{
    LLVMTypeRef ty = LLVMArrayType2(in->i8, BURL_WIRE_HOT_B);
    LLVMValueRef hot = LLVMAddGlobal(in->mod, ty, "__burl_hot");

    LLVMSetThreadLocalMode(hot, LLVMInitialExecTLSModel);
    LLVMSetVisibility(hot, LLVMHiddenVisibility);
    LLVMSetAlignment(hot, 8);
    return hot;
}

static void
hook_block(struct burl__instr *in, LLVMValueRef first, uint32_t site_ix)
{
    LLVMValueRef at = burl__instr_block_start(first);
    LLVMValueRef site = site_const(in, site_ix);

    if (!at)
        return;
    build_before(in, at, at);
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

        if (s->v[i].desc.kind == BURL_SITE_FUNC || s->v[i].desc.kind == BURL_SITE_BLOCK ||
            s->v[i].desc.kind == BURL_SITE_PLACE) {
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
        LLVMRemoveStringAttributeAtIndex(s->v[i].at, BURL_IR_FN_ATTRS, BURL_IR_ATTR_FUNC,
                                         strlen(BURL_IR_ATTR_FUNC));
    }
}
