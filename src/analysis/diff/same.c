/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/same.c - is an instruction of one version that of the other, in the same way? Runs
 * in burl-analyze.
 *
 * Operands that are computed elsewhere are equal when the instructions that compute them are
 * counterparts; what differs there is reported there. Addresses are compared by how they are
 * computed, so that an access to another field is a modified access. Phis are equal if everything
 * that flows into them is, which is assumed while it is being proved.
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"
#include "ir/ditype.h"

enum { MAX_DEPTH = 48, MAX_ASSUMED = 1000, MAX_MACRO_LINES = 50 };

/* Of one comparison: what takes longer differs. */
#define MAX_STEPS 100000u

/* ---- constants ---- */

static bool
is_text(LLVMValueRef g)
{
    LLVMLinkage l = LLVMGetLinkage(g);

    return LLVMIsAGlobalVariable(g) && l == LLVMPrivateLinkage && LLVMGetInitializer(g);
}

/* __func__ and the like have the name of their function, which may have been renamed. */
static bool
is_function_name(LLVMValueRef g)
{
    const char *name = burl_ir_name(g);

    return burl_ir_begins(name, "__func__.") || burl_ir_begins(name, "__FUNCTION__.") ||
           burl_ir_begins(name, "__PRETTY_FUNCTION__.");
}

static bool
same_global(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was)
{
    if (is_text(is) && is_text(was))
        return (is_function_name(is) && is_function_name(was)) ||
               (burl__types_same(d->own, LLVMGlobalGetValueType(is), LLVMGlobalGetValueType(was)) &&
                burl__same_constant(d, NULL, LLVMGetInitializer(is), LLVMGetInitializer(was)));
    LLVMValueRef a = burl__match_definition(d->is, is), b = burl__match_definition(d->was, was);
    LLVMValueRef other = burl__match_of(d, BURL__IS, a);
    if (other == b)
        return true;
    /* One of them may be defined elsewhere, or its body be of interest to the optimizer only. */
    if (other && burl__match_of(d, BURL__WAS, b))
        return false;
    return burl__name_hash(burl_ir_name(a)) == burl__name_hash(burl_ir_name(b));
}

static bool
same_real(LLVMValueRef is, LLVMValueRef was)
{
    char *a = LLVMPrintValueToString(is), *b = LLVMPrintValueToString(was);
    bool same = strcmp(a, b) == 0;

    LLVMDisposeMessage(a);
    LLVMDisposeMessage(b);
    return same;
}

static bool
same_int(LLVMValueRef is, LLVMValueRef was)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(is)) != LLVMGetIntTypeWidth(LLVMTypeOf(was)))
        return false;
    return LLVMGetIntTypeWidth(LLVMTypeOf(is)) > 64
               ? same_real(is, was)
               : LLVMConstIntGetZExtValue(is) == LLVMConstIntGetZExtValue(was);
}

static LLVMValueRef
element(LLVMValueRef c, unsigned i)
{
    return LLVMGetAggregateElement(c, i);
}

/* By members: one that only one version has is read by code that differs. */
static bool
same_struct_value(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, LLVMValueRef was)
{
    LLVMTypeRef a = LLVMTypeOf(is), b = LLVMTypeOf(was);
    unsigned n = LLVMCountStructElementTypes(a);

    for (unsigned i = 0; i < n; i++) {
        uint32_t k = burl__types_member(d->own, BURL__IS, a, i, b);
        if (k != BURL__NONE && !burl__same_constant(d, p, element(is, i), element(was, k)))
            return false;
    }
    return true;
}

static unsigned
n_elements(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(t)
                                                   : LLVMGetVectorSize(t);
}

static bool
same_aggregate(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, LLVMValueRef was)
{
    LLVMTypeRef a = LLVMTypeOf(is), b = LLVMTypeOf(was);
    LLVMTypeKind kind = LLVMGetTypeKind(a);

    if (kind != LLVMGetTypeKind(b))
        return false;
    if (kind == LLVMStructTypeKind)
        return same_struct_value(d, p, is, was);
    unsigned n = n_elements(a);
    if (n != n_elements(b))
        return false;
    if (LLVMIsAConstantDataSequential(is) && LLVMIsAConstantDataSequential(was) &&
        LLVMIsConstantString(is) && LLVMIsConstantString(was)) {
        size_t na, nb;
        const char *ta = LLVMGetAsString(is, &na), *tb = LLVMGetAsString(was, &nb);
        return na == nb && memcmp(ta, tb, na) == 0;
    }
    for (unsigned i = 0; i < n; i++)
        if (!burl__same_constant(d, p, element(is, i), element(was, i)))
            return false;
    return true;
}

static bool same_gep(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, uint32_t at_is,
                     LLVMValueRef was, uint32_t at_was);

static bool
same_expression(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, LLVMValueRef was)
{
    int n = LLVMGetNumOperands(is);

    if (!LLVMIsAConstantExpr(was) || LLVMGetConstOpcode(is) != LLVMGetConstOpcode(was))
        return false;
    if (LLVMGetConstOpcode(is) == LLVMGetElementPtr)
        return same_gep(d, p, is, BURL__NONE, was, BURL__NONE);
    if (n != LLVMGetNumOperands(was) || !burl__types_same(d->own, LLVMTypeOf(is), LLVMTypeOf(was)))
        return false;
    for (int i = 0; i < n; i++)
        if (!burl__same_constant(d, p, LLVMGetOperand(is, (unsigned)i),
                                 LLVMGetOperand(was, (unsigned)i)))
            return false;
    return true;
}

bool
burl__same_constant(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, LLVMValueRef was)
{
    if (!is || !was)
        return is == was;
    if (LLVMIsAGlobalValue(is) || LLVMIsAGlobalValue(was))
        return LLVMIsAGlobalValue(is) && LLVMIsAGlobalValue(was) && same_global(d, is, was);
    if (LLVMIsAConstantInt(is) && LLVMIsAConstantInt(was))
        return same_int(is, was);
    if (LLVMIsAConstantExpr(is))
        return same_expression(d, p, is, was);
    if (LLVMIsAConstantExpr(was))
        return false;
    if (LLVMIsUndef(is) || LLVMIsUndef(was))
        return LLVMIsUndef(is) && LLVMIsUndef(was);
    if (LLVMIsAConstantFP(is) || LLVMIsAConstantFP(was))
        return LLVMIsAConstantFP(is) && LLVMIsAConstantFP(was) && same_real(is, was);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(is));
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
        return LLVMIsNull(is) && LLVMIsNull(was)
                   ? burl__types_same(d->own, LLVMTypeOf(is), LLVMTypeOf(was))
                   : same_aggregate(d, p, is, was);
    if (LLVMIsABlockAddress(is) || LLVMIsABlockAddress(was)) {
        uint32_t a, b;
        return p && LLVMIsABlockAddress(is) && LLVMIsABlockAddress(was) &&
               burl_valmap_get(&p->f[0]->block_of, LLVMGetBlockAddressBasicBlock(is), &a) &&
               burl_valmap_get(&p->f[1]->block_of, LLVMGetBlockAddressBasicBlock(was), &b) &&
               burl__same_target(p, a, b);
    }
    return LLVMIsNull(is) == LLVMIsNull(was) &&
           burl__types_same(d->own, LLVMTypeOf(is), LLVMTypeOf(was));
}

/* ---- operands ---- */

/* An operand, seen from the block of its user; BURL__NONE: of a constant expression. */
static bool
same_value(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, uint32_t at_is,
           LLVMValueRef was, uint32_t at_was)
{
    struct burl__ref a = { is, BURL__NONE }, b = { was, BURL__NONE };

    if (p && at_is != BURL__NONE)
        a = burl__form_resolve(p->f[BURL__IS], is, at_is);
    if (p && at_was != BURL__NONE)
        b = burl__form_resolve(p->f[BURL__WAS], was, at_was);
    return burl__same_ref(d, p, a, b);
}

bool
burl__is_address(LLVMValueRef inst)
{
    return LLVMIsAGetElementPtrInst(inst) || LLVMIsACastInst(inst) || LLVMIsAFreezeInst(inst);
}

static LLVMTypeRef
step_into(LLVMTypeRef t, LLVMValueRef index)
{
    return LLVMGetTypeKind(t) == LLVMStructTypeKind
               ? LLVMStructGetTypeAtIndex(t, (unsigned)burl_ir_int_or_0(index))
               : LLVMGetElementType(t);
}

/* The lengths of arrays do not matter to an address, the size of what is stepped over does. */
static bool
same_step(struct burl_diff *d, LLVMTypeRef is, LLVMTypeRef was)
{
    while (LLVMGetTypeKind(is) == LLVMArrayTypeKind && LLVMGetTypeKind(was) == LLVMArrayTypeKind) {
        is = LLVMGetElementType(is);
        was = LLVMGetElementType(was);
    }
    return burl__types_same(d->own, is, was);
}

static bool
same_gep(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, uint32_t at_is,
         LLVMValueRef was, uint32_t at_was)
{
    LLVMTypeRef a = LLVMGetGEPSourceElementType(is), b = LLVMGetGEPSourceElementType(was);
    int n = LLVMGetNumOperands(is);

    if (n != LLVMGetNumOperands(was) || !same_step(d, a, b) ||
        !same_value(d, p, LLVMGetOperand(is, 0), at_is, LLVMGetOperand(was, 0), at_was))
        return false;
    for (int i = 1; i < n; i++) {
        LLVMValueRef x = LLVMGetOperand(is, (unsigned)i), y = LLVMGetOperand(was, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(a) != LLVMGetTypeKind(b))
            return false;
        if (i > 1 && LLVMGetTypeKind(a) == LLVMStructTypeKind) {
            if (!burl__types_same_member(d->own, a, (unsigned)burl_ir_int_or_0(x), b,
                                         (unsigned)burl_ir_int_or_0(y)))
                return false;
        } else if (!same_value(d, p, x, at_is, y, at_was)) {
            return false;
        }
        a = i > 1 ? step_into(a, x) : a;
        b = i > 1 ? step_into(b, y) : b;
    }
    return true;
}

/* ---- phis ---- */

static uint64_t
hash_two(struct burl__ref is, struct burl__ref was)
{
    return burl_hash_end(
        burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, burl__ref_hash(is)), burl__ref_hash(was)));
}

/* The edge into block `to` of the other form that is edge `e` of this one; BURL__NONE none. */
static uint32_t
other_edge(const struct burl__pair *p, int side, const struct burl__edge *e, uint32_t to)
{
    const struct burl__form *f = p->f[side], *g = p->f[!side];
    const struct burl__block *from = &f->blocks.v[e->from], *b = &g->blocks.v[to];

    for (uint32_t i = 0; i < b->n_in; i++) {
        const struct burl__edge *x = &g->edges.v[g->ins.v[b->in + i]];
        const struct burl__block *y = &g->blocks.v[x->from];
        if (x->label != e->label || y->tail != from->tail)
            continue;
        if (from->n == 0 || y->n == 0) {
            if (from->n == y->n && (from->other == x->from || y->other == e->from))
                return g->ins.v[b->in + i];
        } else if (f->insts.v[from->first + from->n - 1].other == y->first + y->n - 1) {
            return g->ins.v[b->in + i];
        }
    }
    return BURL__NONE;
}

/* The edges into one block of a side, with the phi's values; edges that keep it are left out. */
struct flow {
    uint32_t edge; /* BURL__NONE: has its counterpart */
    struct burl__ref v;
};

static struct flow *
list_flows(struct burl__form *f, struct burl__ref phi, uint32_t *n)
{
    const struct burl__block *b = &f->blocks.v[phi.at];
    struct flow *all = burl_xcalloc((size_t)b->n_in + 1, sizeof *all);

    *n = 0;
    for (uint32_t i = 0; i < b->n_in; i++) {
        uint32_t e = f->ins.v[b->in + i];
        struct burl__ref v = burl__form_incoming(f, phi, &f->edges.v[e]);
        if (v.v != phi.v || v.at != phi.at)
            all[(*n)++] = (struct flow){ e, v };
    }
    return all;
}

static uint32_t
find_flow(const struct flow *all, uint32_t n, uint32_t edge)
{
    for (uint32_t i = 0; edge != BURL__NONE && i < n; i++)
        if (all[i].edge == edge)
            return i;
    return BURL__NONE;
}

/* Edges without a counterpart belong to branches that are reported: what flows must be equal, one
 * by one. */
static bool
same_rest(struct burl_diff *d, struct burl__pair *p, struct flow *is, uint32_t n_is,
          struct flow *was, uint32_t n_was)
{
    for (uint32_t i = 0; i < n_is; i++) {
        uint32_t k = 0;
        if (is[i].edge == BURL__NONE)
            continue;
        while (k < n_was && (was[k].edge == BURL__NONE || !is[i].v.v || !was[k].v.v ||
                             !burl__same_ref(d, p, is[i].v, was[k].v)))
            k++;
        if (k == n_was)
            return false;
        was[k].edge = BURL__NONE;
    }
    for (uint32_t k = 0; k < n_was; k++)
        if (was[k].edge != BURL__NONE)
            return false;
    return true;
}

static bool
prove_phi(struct burl_diff *d, struct burl__pair *p, struct burl__ref is, struct burl__ref was)
{
    uint32_t n_is, n_was;
    struct flow *a = list_flows(p->f[BURL__IS], is, &n_is);
    struct flow *b = list_flows(p->f[BURL__WAS], was, &n_was);
    bool same = n_is == n_was && (p->steps += n_is) < MAX_STEPS;

    for (uint32_t i = 0; same && i < n_is; i++) {
        const struct burl__edge *e = &p->f[BURL__IS]->edges.v[a[i].edge];
        uint32_t k = find_flow(b, n_was, other_edge(p, BURL__IS, e, was.at));
        if (k == BURL__NONE)
            continue;
        same = a[i].v.v && b[k].v.v && burl__same_ref(d, p, a[i].v, b[k].v);
        a[i].edge = b[k].edge = BURL__NONE;
    }
    same = same && same_rest(d, p, a, n_is, b, n_was);
    free(a);
    free(b);
    return same;
}

static void
keep_phis(struct burl__pair *p, struct burl__phis x)
{
    uint64_t ix = p->phis.n, a = burl__ref_hash(x.is), b = burl__ref_hash(x.was), unused;

    if (burl_map_get(&p->phi_of[BURL__IS], a, &unused) ||
        burl_map_get(&p->phi_of[BURL__WAS], b, &unused))
        return;
    burl_map_set(&p->phi_of[BURL__IS], a, ix);
    burl_map_set(&p->phi_of[BURL__WAS], b, ix);
    BURL_VEC_PUSH(&p->phis, x);
}

static bool
is_assumed(const struct burl__pair *p, struct burl__ref is, struct burl__ref was)
{
    for (size_t i = 0; i < p->assumed.n; i++)
        if (p->assumed.v[i].is.v == is.v && p->assumed.v[i].is.at == is.at &&
            p->assumed.v[i].was.v == was.v && p->assumed.v[i].was.at == was.at)
            return true;
    return false;
}

/* The outermost proof holds for all that it assumed; a refutation only if it assumed nothing. */
static bool
try_phi(struct burl_diff *d, struct burl__pair *p, struct burl__ref is, struct burl__ref was,
        uint64_t both)
{
    size_t before = p->assumed.n;

    BURL_VEC_PUSH(&p->assumed, (struct burl__phis){ is, was, true });
    bool proved = prove_phi(d, p, is, was);
    for (size_t i = 0; proved && before == 0 && i < p->assumed.n; i++)
        keep_phis(p, p->assumed.v[i]);
    if (!proved || before == 0)
        p->assumed.n = before;
    if (!proved && before == 0)
        burl_map_set(&p->refuted, both, 1);
    return proved;
}

static bool
same_phi(struct burl_diff *d, struct burl__pair *p, struct burl__ref is, struct burl__ref was)
{
    uint64_t a = BURL__NONE, b = BURL__NONE, unused, both = hash_two(is, was);
    bool has_a = burl_map_get(&p->phi_of[BURL__IS], burl__ref_hash(is), &a);
    bool has_b = burl_map_get(&p->phi_of[BURL__WAS], burl__ref_hash(was), &b);

    if (has_a && has_b && a == b)
        return p->phis.v[a].equal || p->loose;
    if (is_assumed(p, is, was))
        return true;
    if (p->assumed.n > MAX_ASSUMED ||
        !burl__types_same(d->own, LLVMTypeOf(is.v), LLVMTypeOf(was.v)) ||
        !burl__same_target(p, is.at, was.at))
        return false;
    if (!burl_map_get(&p->refuted, both, &unused) && try_phi(d, p, is, was, both))
        return true;
    if (!p->loose || has_a || has_b)
        return false;
    /* Counterparts that differ. */
    keep_phis(p, (struct burl__phis){ is, was, false });
    return true;
}

/* ---- references ---- */

/* Computes from its operands alone: the same wherever it is. */
static bool
is_pure(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
           LLVMIsASelectInst(v) || LLVMIsAExtractValueInst(v) || LLVMIsAInsertValueInst(v) ||
           burl__is_address(v);
}

static bool same_operands(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is,
                          uint32_t at_is, LLVMValueRef was, uint32_t at_was);
static bool same_way(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was);

static bool
same_pure(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, LLVMValueRef was)
{
    uint32_t a, b;

    if (LLVMGetInstructionOpcode(is) != LLVMGetInstructionOpcode(was) ||
        !burl_valmap_get(&p->f[BURL__IS]->inst_of, is, &a) ||
        !burl_valmap_get(&p->f[BURL__WAS]->inst_of, was, &b) || p->depth > MAX_DEPTH ||
        p->steps++ > MAX_STEPS)
        return false;
    p->depth++;
    bool same = same_way(d, is, was) && same_operands(d, p, is, p->f[BURL__IS]->insts.v[a].block,
                                                      was, p->f[BURL__WAS]->insts.v[b].block);
    p->depth--;
    return same;
}

bool
burl__same_ref(struct burl_diff *d, struct burl__pair *p, struct burl__ref is, struct burl__ref was)
{
    uint32_t a, b;

    if (LLVMIsAConstant(is.v) || LLVMIsAConstant(was.v))
        return LLVMIsAConstant(is.v) && LLVMIsAConstant(was.v) &&
               burl__same_constant(d, p, is.v, was.v);
    if (!p)
        return false;
    if (LLVMIsAArgument(is.v) || LLVMIsAArgument(was.v))
        return LLVMIsAArgument(is.v) && LLVMIsAArgument(was.v) &&
               burl_ir_param_index(is.v) == burl_ir_param_index(was.v) &&
               burl__types_same(d->own, LLVMTypeOf(is.v), LLVMTypeOf(was.v));
    if (burl__form_is_unwound(is.v) && burl__form_is_unwound(was.v))
        return burl__types_same(d->own, LLVMTypeOf(is.v), LLVMTypeOf(was.v));
    if (LLVMIsAPHINode(is.v) || LLVMIsAPHINode(was.v))
        return LLVMIsAPHINode(is.v) && LLVMIsAPHINode(was.v) && is.at != BURL__NONE &&
               was.at != BURL__NONE && same_phi(d, p, is, was);
    if (!LLVMIsAInstruction(is.v) || !LLVMIsAInstruction(was.v))
        return LLVMGetValueKind(is.v) == LLVMGetValueKind(was.v);
    if (burl__is_address(is.v) || burl__is_address(was.v))
        return same_pure(d, p, is.v, was.v);
    if (burl_valmap_get(&p->f[BURL__IS]->inst_of, is.v, &a) &&
        burl_valmap_get(&p->f[BURL__WAS]->inst_of, was.v, &b) &&
        p->f[BURL__IS]->insts.v[a].other == b)
        return true;
    return is_pure(is.v) && same_pure(d, p, is.v, was.v);
}

bool
burl__same_target(const struct burl__pair *p, uint32_t is, uint32_t was)
{
    const struct burl__block *a = &p->f[BURL__IS]->blocks.v[is];
    const struct burl__block *b = &p->f[BURL__WAS]->blocks.v[was];

    if (a->other == was || b->other == is || !a->n || !b->n)
        return true;
    /* What was added or removed is reported there. */
    return p->f[BURL__IS]->insts.v[a->first].other == BURL__NONE ||
           p->f[BURL__WAS]->insts.v[b->first].other == BURL__NONE;
}

/* ---- instructions ---- */

/* Qualifiers, orders, predicates and types: all but the operands. */
static bool
same_way(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was)
{
    if (!burl__types_same(d->own, LLVMTypeOf(is), LLVMTypeOf(was)))
        return false;
    switch (LLVMGetInstructionOpcode(is)) {
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(is) == LLVMGetVolatile(was) &&
               LLVMGetOrdering(is) == LLVMGetOrdering(was) &&
               LLVMIsAtomicSingleThread(is) == LLVMIsAtomicSingleThread(was);
    case LLVMFence:
        return LLVMGetOrdering(is) == LLVMGetOrdering(was) &&
               LLVMIsAtomicSingleThread(is) == LLVMIsAtomicSingleThread(was);
    case LLVMAtomicRMW:
        return LLVMGetVolatile(is) == LLVMGetVolatile(was) &&
               LLVMGetOrdering(is) == LLVMGetOrdering(was) &&
               LLVMGetAtomicRMWBinOp(is) == LLVMGetAtomicRMWBinOp(was);
    case LLVMAtomicCmpXchg:
        return LLVMGetVolatile(is) == LLVMGetVolatile(was) && LLVMGetWeak(is) == LLVMGetWeak(was) &&
               LLVMGetCmpXchgSuccessOrdering(is) == LLVMGetCmpXchgSuccessOrdering(was) &&
               LLVMGetCmpXchgFailureOrdering(is) == LLVMGetCmpXchgFailureOrdering(was);
    case LLVMICmp:
        return LLVMGetICmpPredicate(is) == LLVMGetICmpPredicate(was);
    case LLVMFCmp:
        return LLVMGetFCmpPredicate(is) == LLVMGetFCmpPredicate(was);
    case LLVMAlloca:
        return burl__types_same(d->own, LLVMGetAllocatedType(is), LLVMGetAllocatedType(was));
    case LLVMExtractValue:
    case LLVMInsertValue: {
        unsigned n = LLVMGetNumIndices(is);
        return n == LLVMGetNumIndices(was) &&
               memcmp(LLVMGetIndices(is), LLVMGetIndices(was), n * sizeof(unsigned)) == 0;
    }
    case LLVMShuffleVector: {
        unsigned n = LLVMGetNumMaskElements(is);
        bool same = n == LLVMGetNumMaskElements(was);
        for (unsigned i = 0; same && i < n; i++)
            same = LLVMGetMaskValue(is, i) == LLVMGetMaskValue(was, i);
        return same;
    }
    default:
        return true;
    }
}

static bool
same_asm(LLVMValueRef is, LLVMValueRef was)
{
    size_t n[2], m[2];
    const char *a = LLVMGetInlineAsmAsmString(is, &n[0]),
               *b = LLVMGetInlineAsmAsmString(was, &n[1]);
    bool same = n[0] == n[1] && memcmp(a, b, n[0]) == 0;
    const char *x = LLVMGetInlineAsmConstraintString(is, &m[0]);
    const char *y = LLVMGetInlineAsmConstraintString(was, &m[1]);

    return same && m[0] == m[1] && memcmp(x, y, m[0]) == 0;
}

static bool
same_callee(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, uint32_t at_is,
            LLVMValueRef was, uint32_t at_was)
{
    LLVMValueRef a = LLVMGetCalledValue(is), b = LLVMGetCalledValue(was);

    if (LLVMIsAInlineAsm(a) || LLVMIsAInlineAsm(b))
        return LLVMIsAInlineAsm(a) && LLVMIsAInlineAsm(b) && same_asm(a, b);
    return same_value(d, p, a, at_is, b, at_was);
}

/* May a constant of this operand be the size of a struct? */
static bool
takes_size(LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);

    return op == LLVMCall || op == LLVMInvoke || op == LLVMMul || op == LLVMSDiv || op == LLVMUDiv;
}

static bool
same_sizes(struct burl_diff *d, LLVMValueRef user, LLVMValueRef is, LLVMValueRef was)
{
    return takes_size(user) && LLVMIsAConstantInt(is) && LLVMIsAConstantInt(was) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(is)) == 64 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(was)) == 64 &&
           burl__types_grown(d->own, LLVMConstIntGetZExtValue(is), LLVMConstIntGetZExtValue(was));
}

/* Is the string the name of the file that the instruction is in? */
static bool
is_own_file(LLVMValueRef inst, LLVMValueRef v)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
    const char *file = at ? burl_di_file(LLVMDILocationGetScope(at)) : "", *text;
    size_t n;

    return *file && burl_ir_text(v, &text, &n) && n == strlen(file) + 1 &&
           memcmp(text, file, n) == 0;
}

/* How far a constant is from the line of the instruction that uses it. */
static int64_t
line_distance(LLVMValueRef inst, LLVMValueRef v)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

    return at && LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64
               ? (int64_t)LLVMConstIntGetZExtValue(v) - (int64_t)LLVMDILocationGetLine(at)
               : INT64_MIN;
}

static bool
names_own_file(LLVMValueRef call)
{
    unsigned n = burl_ir_is_call(call) ? LLVMGetNumArgOperands(call) : 0;

    for (unsigned i = 0; i < n; i++)
        if (is_own_file(call, LLVMGetOperand(call, i)))
            return true;
    return false;
}

/* __FILE__, or __LINE__: a number that is its own line in both versions. In a macro call of several
 * lines it is a later line; then __FILE__ must be there as well. */
static bool
same_position(LLVMValueRef user_is, LLVMValueRef is, LLVMValueRef user_was, LLVMValueRef was)
{
    int64_t a = line_distance(user_is, is), b = line_distance(user_was, was);

    if (is_own_file(user_is, is) && is_own_file(user_was, was))
        return true;
    if (a != INT64_MIN && a == 0 && b == 0)
        return true;
    return a > 0 && a <= MAX_MACRO_LINES && b > 0 && b <= MAX_MACRO_LINES &&
           names_own_file(user_is) && names_own_file(user_was);
}

static unsigned
n_arguments(LLVMValueRef inst)
{
    return burl_ir_is_call(inst) ? LLVMGetNumArgOperands(inst) : (unsigned)LLVMGetNumOperands(inst);
}

/* The arguments of a failed assertion are text and line. */
static bool
is_assertion(struct burl_diff *d, LLVMValueRef call)
{
    LLVMValueRef fn = burl_ir_is_call(call) ? burl_ir_callee(call) : NULL;

    return fn && (burl_program_libfn(d->is, fn).is & BURL_FN_ASSERTION);
}

static bool
same_operands(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is, uint32_t at_is,
              LLVMValueRef was, uint32_t at_was)
{
    unsigned n = n_arguments(is);

    if (LLVMIsAGetElementPtrInst(is))
        return same_gep(d, p, is, at_is, was, at_was);
    if (burl_ir_is_call(is) && !same_callee(d, p, is, at_is, was, at_was))
        return false;
    if (is_assertion(d, is))
        return true;
    if (n != n_arguments(was))
        return false;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef a = LLVMGetOperand(is, i), b = LLVMGetOperand(was, i);
        if (LLVMIsABasicBlock(a) || LLVMIsABasicBlock(b))
            continue;
        if (!same_value(d, p, a, at_is, b, at_was) && !same_sizes(d, is, a, b) &&
            !((burl_ir_is_call(is) || LLVMIsAStoreInst(is)) && same_position(is, a, was, b)))
            return false;
    }
    return true;
}

static const struct burl__edge *
find_edge(const struct burl__form *f, const struct burl__block *b, uint64_t label)
{
    for (uint32_t i = 0; i < b->n_edges; i++)
        if (f->edges.v[b->edge + i].label == label)
            return &f->edges.v[b->edge + i];
    return NULL;
}

static bool
same_exits(const struct burl__pair *p, uint32_t is, uint32_t was)
{
    const struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    const struct burl__block *a = &f->blocks.v[is], *b = &g->blocks.v[was];

    if (a->n_edges != b->n_edges)
        return false;
    for (uint32_t i = 0; i < a->n_edges; i++) {
        const struct burl__edge *e = &f->edges.v[a->edge + i], *x = find_edge(g, b, e->label);
        if (!x || !burl__same_target(p, e->to, x->to))
            return false;
    }
    return true;
}

/* Does it decide where its block goes? */
static bool
is_exit(const struct burl__form *f, const struct burl__inst *x)
{
    return LLVMIsATerminatorInst(x->v) && !f->blocks.v[x->block].tail;
}

bool
burl__same_inst(struct burl_diff *d, struct burl__pair *p, uint32_t is, uint32_t was)
{
    const struct burl__inst *a = &p->f[BURL__IS]->insts.v[is];
    const struct burl__inst *b = &p->f[BURL__WAS]->insts.v[was];

    p->steps = 0;
    if (LLVMGetInstructionOpcode(a->v) != LLVMGetInstructionOpcode(b->v) &&
        !(burl_ir_is_call(a->v) && burl_ir_is_call(b->v)))
        return false;
    if (!same_way(d, a->v, b->v))
        return false;
    /* A call that became an invoke: the handler is reported where it is. */
    if (is_exit(p->f[BURL__IS], a) && is_exit(p->f[BURL__WAS], b) &&
        !same_exits(p, a->block, b->block))
        return false;
    if (LLVMIsASwitchInst(a->v)) /* the cases are labels */
        return same_value(d, p, LLVMGetOperand(a->v, 0), a->block, LLVMGetOperand(b->v, 0),
                          b->block);
    return same_operands(d, p, a->v, a->block, b->v, b->block);
}
