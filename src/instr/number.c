/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/number.c - site numbers.
 *
 * Runs in the compiler, on the canonical form. Order: functions as they lie in
 * the module, but bodies that exist only for inlining (available_externally)
 * last, because clang emits those at -O1 and above only; in each function its
 * FUNC site, then block by block the BLOCK site and the operations.
 *
 * The numbers are also written into the module, for every reader of .burl.bc:
 * metadata "burl" !{i32 first} on instructions (an instruction with several
 * operations has consecutive numbers), "burl.block" !{i32 n} on the terminator
 * of each block, function attribute "burl-func"="n".
 *
 * Stacks in reports show where each function was called. So every call in the
 * user's own code has a site: that of its operation, or one of kind PLACE that
 * is nothing but a position. "burl.place" !{i32 n} names it. Of the functions of
 * system headers a report shows the outermost only, which needs no more.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "instr/instr_int.h"

static void
attach_number(struct burl__instr *in, LLVMValueRef inst, unsigned kind, uint32_t ix)
{
    LLVMMetadataRef op = LLVMValueAsMetadata(LLVMConstInt(in->i32, ix, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(in->ctx, &op, 1);
    LLVMSetMetadata(inst, kind, LLVMMetadataAsValue(in->ctx, node));
}

void
burl__instr_describe_op(struct burl_wire_sitedesc *d, const struct burl__op *op)
{
    d->kind = op->kind;
    d->size_b = op->bytes <= 255 ? (uint8_t)op->bytes : 0;
    d->order = op->order;
    d->flags = op->flags;
}

static uint32_t
add_site(struct burl__instr *in, LLVMValueRef at, uint8_t kind, uint32_t func_ix, uint32_t block_ix)
{
    uint32_t ix = (uint32_t)in->sites.n;
    struct burl__site *s = BURL_VEC_ADD(&in->sites);

    s->at = at;
    s->desc.kind = kind;
    s->desc.order = BURL_MO_NONE;
    s->desc.func_ix = func_ix;
    s->desc.block_ix = block_ix;
    return ix;
}

static bool
is_user_code(LLVMValueRef fn)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);

    return sp && !burl_path_is_system(burl_di_file(sp));
}

/* A library function whose accesses are known calls nothing back: no frame is ever above this
 * one then. */
static void
place_call(struct burl__instr *in, LLVMValueRef call, uint32_t func_ix, uint32_t block_ix)
{
    const struct burl__site *last = &in->sites.v[in->sites.n - 1];
    LLVMValueRef fn = burl_ir_callee(call);
    uint32_t ix = (uint32_t)in->sites.n - 1;

    if (last->at != call || last->desc.kind != BURL_SITE_CALL) {
        if (!fn || LLVMIsDeclaration(fn))
            return;
        ix = add_site(in, call, BURL_SITE_PLACE, func_ix, block_ix);
        in->sites.v[ix].op.ptr = fn;
    }
    attach_number(in, call, in->md_place, ix);
}

static bool
is_no_return_call(LLVMValueRef inst)
{
    return inst && burl_ir_is_call(inst) && burl_ir_call_attr(inst, BURL_IR_FN_ATTRS, "noreturn");
}

/* With -O0 clang lets no function be inlined that need not be. */
static bool
is_unoptimized(LLVMModuleRef mod)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !burl_ir_attr(f, BURL_IR_FN_ATTRS, "noinline") &&
            !burl_ir_attr(f, BURL_IR_FN_ATTRS, "alwaysinline"))
            return false;
    return true;
}

/* The block behind an invoke that does not return. */
static bool
follows_no_return(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

    return use && LLVMIsAInvokeInst(LLVMGetUser(use)) && is_no_return_call(LLVMGetUser(use));
}

/*
 * Where control leaves a function that returns a value without one, clang has a trap when it does
 * not optimize (after one of the program's own, if there is one), and nothing otherwise; nor has it
 * anything for __builtin_unreachable(). NULL: the code is not reached.
 */
static LLVMValueRef
find_no_return(const struct burl__instr *in, LLVMValueRef end)
{
    LLVMValueRef before = LLVMGetPreviousInstruction(end);

    while (before && LLVMIsADbgInfoIntrinsic(before))
        before = LLVMGetPreviousInstruction(before);
    if (before && burl_ir_calls(before, "llvm.trap"))
        return is_unoptimized(in->mod) ? before : NULL;
    if (!before && follows_no_return(LLVMGetInstructionParent(end)))
        return NULL;
    return is_no_return_call(before) ? NULL : end;
}

static void
place_no_return(struct burl__instr *in, LLVMValueRef end, uint32_t func_ix, uint32_t block_ix)
{
    LLVMValueRef at = find_no_return(in, end);

    if (at)
        attach_number(in, at, in->md_place, add_site(in, at, BURL_SITE_PLACE, func_ix, block_ix));
}

static void
number_inst(struct burl__instr *in, LLVMValueRef inst, uint32_t func_ix, uint32_t block_ix)
{
    struct burl__op ops[BURL__MAX_OPS];
    int n = burl__instr_classify(in, inst, ops);

    for (int i = 0; i < n; i++) {
        uint32_t ix = add_site(in, inst, ops[i].kind, func_ix, block_ix);
        struct burl__site *s = &in->sites.v[ix];
        s->op = ops[i];
        burl__instr_describe_op(&s->desc, &ops[i]);
        if (i == 0)
            attach_number(in, inst, in->md_site, ix);
    }
}

static void
number_function(struct burl__instr *in, LLVMValueRef fn)
{
    char text[16];
    uint32_t func_ix = (uint32_t)in->sites.n;
    bool places = is_user_code(fn);

    add_site(in, fn, BURL_SITE_FUNC, func_ix, func_ix + 1);
    in->sites.v[func_ix].desc.flags = burl__instr_identity(fn);
    int n = snprintf(text, sizeof text, "%u", func_ix);
    LLVMAddAttributeAtIndex(fn, BURL_IR_FN_ATTRS,
                            LLVMCreateStringAttribute(in->ctx, BURL_IR_ATTR_FUNC,
                                                      strlen(BURL_IR_ATTR_FUNC), text,
                                                      (unsigned)n));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        uint32_t block_ix = (uint32_t)in->sites.n;
        add_site(in, LLVMGetFirstInstruction(b), BURL_SITE_BLOCK, func_ix, block_ix);
        if (end)
            attach_number(in, end, in->md_block, block_ix);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            number_inst(in, i, func_ix, block_ix);
            if (places && burl_ir_calls_function(i))
                place_call(in, i, func_ix, block_ix);
            if (places && LLVMIsAUnreachableInst(i))
                place_no_return(in, i, func_ix, block_ix);
        }
    }
}

void
burl__instr_number(struct burl__instr *in)
{
    for (int inline_only = 0; inline_only < 2; inline_only++) {
        for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
            bool is_inline = LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage;
            if (is_inline == (inline_only == 1) && burl__instr_is_chosen(in, f))
                number_function(in, f);
        }
    }
}
