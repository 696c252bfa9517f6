/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/diff.c - see diff.h. Runs in burl-analyze.
 *
 * Pairs of functions that differ are kept. Those of equal functions are made again when a
 * counterpart in them is asked for: most never are.
 */
#include "analysis/diff/diff.h"

#include <stdlib.h>

#include "analysis/diff/diff_int.h"

static void
compare_functions(struct burl_diff *d)
{
    d->own->pairs = burl_xcalloc(d->functions.n + 1, sizeof(struct burl__pair *));
    for (size_t i = 0; i < d->functions.n; i++) {
        struct burl_diff_function *f = &d->functions.v[i];
        if (!f->is || !f->was)
            continue;
        struct burl__pair *p = burl__pair_make(d, f->is, f->was);
        f->equal = burl__types_same(d->own, LLVMGlobalGetValueType(f->is),
                                    LLVMGlobalGetValueType(f->was)) &&
                   burl__pair_is_equal(p);
        f->moved = f->moved && f->equal;
        if (f->equal)
            burl__pair_free(p);
        else
            d->own->pairs[i] = p;
    }
}

static bool
same_variable(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was)
{
    return burl__types_same_layout(d->own, LLVMGlobalGetValueType(is),
                                   LLVMGlobalGetValueType(was)) &&
           LLVMIsThreadLocal(is) == LLVMIsThreadLocal(was) &&
           LLVMIsGlobalConstant(is) == LLVMIsGlobalConstant(was) &&
           burl__same_constant(d, NULL, LLVMGetInitializer(is), LLVMGetInitializer(was));
}

static void
compare_globals(struct burl_diff *d)
{
    for (size_t i = 0; i < d->own->globals.n; i++) {
        struct burl__global *g = &d->own->globals.v[i];
        LLVMValueRef any = g->is ? g->is : g->was;
        /* Other modules may use a variable that is not internal. */
        g->equal = g->is && g->was
                       ? same_variable(d, g->is, g->was)
                       : LLVMGetLinkage(any) == LLVMInternalLinkage && LLVMGetFirstUse(any) == NULL;
    }
}

enum burl_status
burl_diff_make(struct burl_diff *d, const struct burl_program *is, const struct burl_program *was,
               struct burl_err *err)
{
    (void)err;
    memset(d, 0, sizeof *d);
    d->is = is;
    d->was = was;
    d->own = burl_xcalloc(1, sizeof *d->own);
    d->own->side[BURL__IS].p = is;
    d->own->side[BURL__WAS].p = was;
    d->own->side[BURL__IS].d = d->own->side[BURL__WAS].d = d;
    burl__types_init(&d->own->side[BURL__IS]);
    burl__types_init(&d->own->side[BURL__WAS]);
    burl__types_find_grown(d->own);
    burl__match_globals(d);
    burl__match_functions(d);
    compare_functions(d);
    burl__inline_find(d, BURL__IS);
    burl__inline_find(d, BURL__WAS);
    compare_globals(d);
    return BURL_OK;
}

static int
side_of(const struct burl_diff *d, LLVMValueRef v)
{
    return LLVMGetTypeContext(LLVMTypeOf(v)) == d->is->ctx ? BURL__IS : BURL__WAS;
}

/* The pair that a function of a side belongs to; NULL none. */
static struct burl__pair *
pair_of(const struct burl_diff *d, int side, LLVMValueRef fn)
{
    uint32_t ix;

    if (!burl_valmap_get(&d->own->side[side].entry_of, fn, &ix) || ix == BURL__NONE)
        return NULL;
    const struct burl_diff_function *f = &d->functions.v[ix];
    if (!d->own->pairs[ix] && f->is && f->was)
        d->own->pairs[ix] = burl__pair_make((struct burl_diff *)(uintptr_t)d, f->is, f->was);
    return d->own->pairs[ix];
}

static const struct burl__phis *
find_phis(const struct burl__pair *p, int side, LLVMValueRef phi)
{
    for (size_t i = 0; i < p->phis.n; i++)
        if ((side == BURL__IS ? p->phis.v[i].is.v : p->phis.v[i].was.v) == phi)
            return &p->phis.v[i];
    return NULL;
}

LLVMValueRef
burl_diff_counterpart(const struct burl_diff *d, LLVMValueRef v)
{
    int side = side_of(d, v);
    uint32_t ix;

    if (LLVMIsAGlobalValue(v))
        return burl__match_of(d, side, burl_program_definition(d->own->side[side].p, v));
    if (LLVMIsABasicBlock(v)) {
        LLVMBasicBlockRef b = burl_diff_block(d, LLVMValueAsBasicBlock(v));
        return b ? LLVMBasicBlockAsValue(b) : NULL;
    }
    if (!LLVMIsAInstruction(v))
        return NULL;
    const struct burl__pair *p = pair_of(d, side, burl_ir_function(v));
    if (!p)
        return NULL;
    if (LLVMIsAPHINode(v)) {
        const struct burl__phis *x = find_phis(p, side, v);
        return !x ? NULL : side == BURL__IS ? x->was.v : x->is.v;
    }
    if (burl_valmap_get(&p->f[side]->inst_of, v, &ix)) {
        uint32_t other = p->f[side]->insts.v[ix].other;
        return other == BURL__NONE ? NULL : p->f[!side]->insts.v[other].v;
    }
    if (!LLVMIsATerminatorInst(v)) /* a marker */
        return NULL;
    LLVMBasicBlockRef b = burl_diff_block(d, LLVMGetInstructionParent(v));
    LLVMValueRef end = b ? LLVMGetBasicBlockTerminator(b) : NULL;
    return end && LLVMGetNumSuccessors(end) == LLVMGetNumSuccessors(v) ? end : NULL;
}

bool
burl_diff_is_equal(const struct burl_diff *d, LLVMValueRef v)
{
    int side = side_of(d, v);
    uint32_t ix;

    if (LLVMIsAFunction(v)) {
        LLVMValueRef def = burl_program_definition(d->own->side[side].p, v);
        return burl_valmap_get(&d->own->side[side].entry_of, def, &ix) && ix != BURL__NONE &&
               d->functions.v[ix].equal;
    }
    if (LLVMIsAGlobalVariable(v)) {
        LLVMValueRef def = burl_program_definition(d->own->side[side].p, v);
        return burl_valmap_get(&d->own->side[side].global_of, def, &ix) &&
               d->own->globals.v[ix].equal;
    }
    if (!LLVMIsAInstruction(v))
        return false;
    uint32_t entry;
    LLVMValueRef fn = burl_ir_function(v);
    if (burl_valmap_get(&d->own->side[side].entry_of, fn, &entry) && entry != BURL__NONE &&
        d->functions.v[entry].equal)
        return true;
    const struct burl__pair *p = pair_of(d, side, fn);
    if (!p)
        return false;
    if (LLVMIsAPHINode(v)) {
        const struct burl__phis *x = find_phis(p, side, v);
        return x && x->equal;
    }
    if (burl_valmap_get(&p->f[side]->inst_of, v, &ix))
        return p->f[side]->insts.v[ix].other != BURL__NONE && p->f[side]->insts.v[ix].equal;
    if (burl__form_is_marker(v))
        return true;
    /* A jump. Those between blocks in a line cannot differ; those of empty blocks are seen at the
     * branch that leads to them. */
    return !burl_valmap_get(&p->f[side]->block_of, LLVMGetInstructionParent(v), &ix) ||
           p->f[side]->blocks.v[ix].tail_equal;
}

/* The LLVM block of the counterpart of the last instruction before `end` that has one, down to
 * `first`; NULL none. Locals are allocated in the entry, wherever they are used. */
static LLVMBasicBlockRef
place_before(const struct burl__pair *p, int side, uint32_t first, uint32_t end)
{
    while (end-- > first) {
        const struct burl__inst *x = &p->f[side]->insts.v[end];
        if (x->other != BURL__NONE && !LLVMIsAAllocaInst(x->v))
            return LLVMGetInstructionParent(p->f[!side]->insts.v[x->other].v);
    }
    return NULL;
}

LLVMBasicBlockRef
burl_diff_block(const struct burl_diff *d, LLVMBasicBlockRef b)
{
    LLVMValueRef fn = LLVMGetBasicBlockParent(b);
    int side = side_of(d, fn);
    const struct burl__pair *p = pair_of(d, side, fn);
    uint32_t ix;

    if (!p)
        return NULL;
    const struct burl__form *f = p->f[side], *g = p->f[!side];
    if (b == f->blocks.v[0].b)
        return g->blocks.v[0].b;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (!burl_valmap_get(&f->inst_of, i, &ix) || LLVMIsAAllocaInst(i))
            continue;
        uint32_t other = f->insts.v[ix].other;
        if (other != BURL__NONE)
            return LLVMGetInstructionParent(g->insts.v[other].v);
    }
    return NULL;
}

/* Where instructions before the LLVM block end in its block of the form. */
static uint32_t
end_above(const struct burl__form *f, uint32_t at, LLVMBasicBlockRef b)
{
    uint32_t i = f->blocks.v[at].first, end = i + f->blocks.v[at].n;

    while (i < end && LLVMGetInstructionParent(f->insts.v[i].v) != b)
        i++;
    return i;
}

LLVMBasicBlockRef
burl_diff_history_block(const struct burl_diff *d, LLVMBasicBlockRef b, bool *exact)
{
    LLVMBasicBlockRef was = burl_diff_block(d, b);
    const struct burl__pair *p = pair_of(d, BURL__IS, LLVMGetBasicBlockParent(b));

    *exact = was != NULL;
    if (was || !p)
        return was;
    const struct burl__form *f = p->f[BURL__IS];
    uint32_t at = burl__form_above(f, b);
    uint32_t end = at == BURL__NONE ? 0 : end_above(f, at, b);
    while (at != BURL__NONE) {
        was = place_before(p, BURL__IS, f->blocks.v[at].first, end);
        if (was || at == 0)
            break;
        at = f->blocks.v[at].idom;
        end = f->blocks.v[at].first + f->blocks.v[at].n;
    }
    return was ? was : p->f[BURL__WAS]->blocks.v[0].b;
}

static void
each_in_pair(const struct burl__pair *p, int side, void (*each)(void *arg, LLVMValueRef inst),
             void *arg)
{
    const struct burl__form *f = p->f[side];

    for (uint32_t b = 0; b < f->blocks.n; b++) {
        const struct burl__block *x = &f->blocks.v[b];
        for (size_t i = 0; i < p->phis.n; i++) {
            struct burl__ref r = side == BURL__IS ? p->phis.v[i].is : p->phis.v[i].was;
            if (!p->phis.v[i].equal && r.at == b)
                each(arg, r.v);
        }
        for (uint32_t i = x->first; i < x->first + x->n; i++)
            if (burl__pair_is_change(p, side, i))
                each(arg, f->insts.v[i].v);
        if (x->tail && !x->tail_equal)
            each(arg, LLVMGetBasicBlockTerminator(x->last));
    }
}

void
burl_diff_each_change(const struct burl_diff *d, bool is,
                      void (*each)(void *arg, LLVMValueRef inst), void *arg)
{
    for (size_t k = 0; k < d->functions.n; k++) {
        const struct burl_diff_function *f = &d->functions.v[k];
        LLVMValueRef fn = is ? f->is : f->was;
        if (!fn || f->equal)
            continue;
        if (f->is && f->was) {
            each_in_pair(d->own->pairs[k], is ? BURL__IS : BURL__WAS, each, arg);
            continue;
        }
        for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
            if (!burl__form_is_marker(i) && !burl__is_address(i) && !LLVMIsAAllocaInst(i))
                each(arg, i);
    }
}

void
burl_diff_each_global(const struct burl_diff *d,
                      void (*each)(void *arg, LLVMValueRef is, LLVMValueRef was), void *arg)
{
    for (size_t i = 0; i < d->own->globals.n; i++) {
        const struct burl__global *g = &d->own->globals.v[i];
        if (!g->equal)
            each(arg, g->is, g->was);
    }
}
