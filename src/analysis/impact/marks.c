/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/marks.c - which accesses are impacted, by which rules and for which reason.
 *
 * Runs in burl-analyze. The first reason of an access is the one that is shown; rules that say more
 * come first (rules.c).
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

uint32_t
burl__cause(struct burl__impact *im, LLVMValueRef at, uint32_t rule, const char *fmt, ...)
{
    struct burl__cause *c = BURL_VEC_ADD(&im->causes);
    struct burl_buf text;
    va_list ap;

    burl_buf_init(&text, 400);
    va_start(ap, fmt);
    burl_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    c->fn = LLVMIsAFunction(at) ? at : LLVMIsAGlobalVariable(at) ? NULL : burl_ir_function(at);
    c->rule = rule;
    c->text = burl_buf_take(&text, NULL);
    return (uint32_t)im->causes.n - 1;
}

bool
burl__first_access(const struct burl__impact *im, LLVMValueRef inst, uint32_t *first)
{
    return burl_valmap_get(&im->access_of, inst, first);
}

void
burl__mark(struct burl__impact *im, LLVMValueRef inst, uint32_t cause)
{
    const uint32_t apart = im->causes.v[cause].rule & (BURL_RULE_SYNC | BURL_RULE_THREAD);
    uint32_t i, rules = 0;

    if (inst && apart && burl_ir_is_call(inst)) {
        (void)burl_valmap_get(&im->unordered, inst, &rules);
        burl_valmap_set(&im->unordered, inst, rules | apart);
    }
    if (!inst || !burl__first_access(im, inst, &i))
        return;
    for (; i < im->sp->accesses.n && im->sp->accesses.v[i].inst == inst &&
           im->sp->accesses.v[i].copy_of == UINT32_MAX;
         i++) {
        struct burl__hit *h = &im->hits[i];
        if (!h->rules)
            h->cause = cause;
        h->rules |= im->causes.v[cause].rule;
        im->causes.v[cause].used |= im->sp->accesses.v[i].target != UINT32_MAX;
    }
}

LLVMValueRef
burl__in_new(const struct burl__impact *im, const struct burl__side *s, LLVMValueRef inst)
{
    return s->is ? inst : burl_diff_counterpart(im->d, inst);
}

bool
burl__is_changed(const struct burl__impact *im, const struct burl__side *s, LLVMValueRef inst)
{
    return burl_valmap_has(s->is ? &im->changed_is : &im->changed_was, inst);
}

void
burl__mark_function(struct burl__impact *im, const struct burl__side *s, uint32_t fn,
                    uint32_t cause)
{
    LLVMValueRef f = burl__in_new(im, s, s->fns.v[fn].fn);

    for (LLVMValueRef i = f ? burl_ir_first(f) : NULL; i; i = burl_ir_next(i))
        burl__mark(im, i, cause);
}

void
burl__mark_functions(struct burl__impact *im, const struct burl__side *s,
                     const struct burl_u32s *fns, uint32_t cause)
{
    for (size_t i = 0; i < fns->n; i++)
        burl__mark_function(im, s, fns->v[i], cause);
}

void
burl__mark_region(struct burl__impact *im, const struct burl__side *s, const struct burl__region *r,
                  uint32_t cause)
{
    for (size_t i = 0; i < r->insts.n; i++)
        burl__mark(im, burl__in_new(im, s, r->insts.v[i]), cause);
    burl__mark_functions(im, s, &r->called, cause);
}

/* ---- operands ---- */

/* Several locals of one name and type (the guard `g` in each of several blocks) may be paired
 * crosswise when one of them is gone. */
static bool
is_same_local(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before)
{
    LLVMTypeRef t = LLVMGetAllocatedType(now), u = LLVMGetAllocatedType(before);
    const char *name = burl__variable_of(&im->is, now);

    if (LLVMGetTypeKind(t) != LLVMStructTypeKind || LLVMGetTypeKind(u) != LLVMStructTypeKind ||
        !LLVMGetStructName(t) || !LLVMGetStructName(u))
        return false;
    char *a = burl__struct_name(t), *b = burl__struct_name(u);
    bool same =
        strcmp(a, b) == 0 && *name && strcmp(name, burl__variable_of(&im->was, before)) == 0;
    free(a);
    free(b);
    return same;
}

/* Addresses are part of their users, so they have no counterparts. */
static bool
is_same_path(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(now), u = LLVMGetGEPSourceElementType(before);
    bool records = LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMGetStructName(t) &&
                   LLVMGetTypeKind(u) == LLVMStructTypeKind && LLVMGetStructName(u);
    bool same = LLVMGetNumOperands(now) == LLVMGetNumOperands(before) &&
                LLVMGetTypeKind(t) == LLVMGetTypeKind(u);

    if (records) {
        char *a = burl__struct_name(t), *b = burl__struct_name(u);
        same &= strcmp(a, b) == 0;
        free(a);
        free(b);
    }
    for (int i = 0; same && i < LLVMGetNumOperands(now); i++)
        same = burl__same_operand(im, LLVMGetOperand(now, (unsigned)i),
                                  LLVMGetOperand(before, (unsigned)i));
    return same;
}

/* Of two contexts. */
static bool
is_same_constant(LLVMValueRef now, LLVMValueRef before)
{
    char *a = LLVMPrintValueToString(now), *b = LLVMPrintValueToString(before);
    bool same = strcmp(a, b) == 0;

    LLVMDisposeMessage(a);
    LLVMDisposeMessage(b);
    return same;
}

bool
burl__same_operand(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before)
{
    if (LLVMIsAConstantInt(now) && LLVMIsAConstantInt(before))
        return LLVMConstIntGetZExtValue(now) == LLVMConstIntGetZExtValue(before);
    if (LLVMIsAConstantPointerNull(now) && LLVMIsAConstantPointerNull(before))
        return true;
    if (LLVMIsAGlobalValue(now) && LLVMIsAGlobalValue(before))
        return burl_diff_counterpart(im->d, now) == before ||
               (LLVMGetLinkage(now) !=
                    LLVMPrivateLinkage && /* names of the compiler mean nothing */
                strcmp(burl_ir_name(now), burl_ir_name(before)) == 0);
    if (LLVMIsAArgument(now) && LLVMIsAArgument(before))
        return burl_ir_param_index(now) == burl_ir_param_index(before);
    if (LLVMIsABasicBlock(now) && LLVMIsABasicBlock(before))
        return true;
    if (LLVMIsAAllocaInst(now) && LLVMIsAAllocaInst(before) && is_same_local(im, now, before))
        return true;
    if (burl_ir_is_gep(now) && burl_ir_is_gep(before))
        return is_same_path(im, now, before);
    if (LLVMIsACastInst(now) && LLVMIsACastInst(before) &&
        LLVMGetInstructionOpcode(now) == LLVMGetInstructionOpcode(before))
        return burl__same_operand(im, LLVMGetOperand(now, 0), LLVMGetOperand(before, 0));
    if (LLVMIsConstant(now) && LLVMIsConstant(before))
        return is_same_constant(now, before);
    return LLVMIsAInstruction(now) && burl_diff_counterpart(im->d, now) == before;
}

bool
burl__same_operands(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before)
{
    if (LLVMGetInstructionOpcode(now) != LLVMGetInstructionOpcode(before) ||
        LLVMGetNumOperands(now) != LLVMGetNumOperands(before))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(now); i++)
        if (!burl__same_operand(im, LLVMGetOperand(now, (unsigned)i),
                                LLVMGetOperand(before, (unsigned)i)))
            return false;
    return !LLVMIsAAtomicRMWInst(now) ||
           LLVMGetAtomicRMWBinOp(now) == LLVMGetAtomicRMWBinOp(before);
}
