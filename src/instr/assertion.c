/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/assertion.c - which sites belong to an assertion.
 *
 * Runs in the compiler. A block that calls the C library's assertion failure is
 * the failing path; the loads that do nothing but feed the branches into it are
 * the condition. Best effort: a value that is also used elsewhere is not
 * marked, so a marked site is certain and an unmarked one is not.
 */
#include "instr/instr_int.h"

/* Conditions are small; the bound keeps a generated one from costing much. */
enum { MAX_COND = 64 };

struct cond {
    LLVMValueRef v[MAX_COND];
    int n;
};

static bool
is_failure_call(LLVMValueRef inst)
{
    LLVMValueRef fn = burl_ir_is_call(inst) ? burl_ir_callee(inst) : NULL;

    return fn && (burl_libfn(burl_ir_name(fn)).is & BURL_FN_ASSERTION);
}

static void
mark_site(struct burl__instr *in, LLVMValueRef inst)
{
    uint32_t ix = burl_ir_site(inst, in->md_site);

    for (; ix < in->sites.n && in->sites.v[ix].at == inst; ix++) {
        in->sites.v[ix].desc.flags |= BURL_SITE_F_ASSERT;
        in->sites.v[ix].op.flags |= BURL_SITE_F_ASSERT;
    }
}

static bool
in_cond(const struct cond *c, LLVMValueRef v)
{
    for (int i = 0; i < c->n; i++)
        if (c->v[i] == v)
            return true;
    return false;
}

static bool
feeds_only_cond(const struct cond *c, LLVMValueRef v)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsADbgInfoIntrinsic(user) && !in_cond(c, user))
            return false;
    }
    return true;
}

static void
mark_condition(struct burl__instr *in, LLVMValueRef branch)
{
    struct cond c = { .v = { branch }, .n = 1 };

    for (int i = 0; i < c.n; i++) {
        int n_ops = LLVMGetNumOperands(c.v[i]);
        /* What a call returns is the callee's doing; fabs() and isfinite() are mere arithmetic. */
        if (i > 0 && (LLVMIsAPHINode(c.v[i]) || burl_ir_calls_function(c.v[i])))
            continue;
        for (int k = 0; k < n_ops; k++) {
            LLVMValueRef o = LLVMGetOperand(c.v[i], (unsigned)k);
            if (!LLVMIsAInstruction(o) || c.n == MAX_COND || in_cond(&c, o))
                continue;
            if (feeds_only_cond(&c, o))
                c.v[c.n++] = o;
        }
    }
    for (int i = 1; i < c.n; i++)
        if (LLVMIsALoadInst(c.v[i]))
            mark_site(in, c.v[i]);
}

static void
mark_block(struct burl__instr *in, LLVMBasicBlockRef block)
{
    LLVMValueRef self = LLVMBasicBlockAsValue(block);

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        mark_site(in, i);
    for (LLVMUseRef u = LLVMGetFirstUse(self); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsABranchInst(user) && LLVMIsConditional(user))
            mark_condition(in, user);
    }
}

void
burl__instr_mark_assertions(struct burl__instr *in)
{
    for (size_t i = 0; i < in->sites.n; i++)
        if (in->sites.v[i].desc.kind == BURL_SITE_CALL && is_failure_call(in->sites.v[i].at))
            mark_block(in, LLVMGetInstructionParent(in->sites.v[i].at));
}
