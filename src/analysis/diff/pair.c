/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/pair.c - two functions side by side. Runs in burl-analyze.
 *
 * Most functions of two versions are equal instruction by instruction. That is tried first, and
 * only those that differ are aligned.
 */
#include <stdlib.h>

#include "analysis/diff/diff_int.h"

enum { MAX_ROUNDS = 8 };

void
burl__pair_free(struct burl__pair *p)
{
    if (!p)
        return;
    for (int side = 0; side < 2; side++) {
        burl__form_free(p->f[side]);
        burl_map_deinit(&p->phi_of[side]);
    }
    burl_map_deinit(&p->refuted);
    BURL_VEC_FREE(&p->phis);
    BURL_VEC_FREE(&p->assumed);
    free(p);
}

static void
forget(struct burl__pair *p)
{
    for (int side = 0; side < 2; side++) {
        struct burl__form *f = p->f[side];
        for (size_t i = 0; i < f->insts.n; i++) {
            f->insts.v[i].other = BURL__NONE;
            f->insts.v[i].equal = false;
        }
        for (size_t i = 0; i < f->blocks.n; i++)
            f->blocks.v[i].other = BURL__NONE;
        burl_map_deinit(&p->phi_of[side]);
    }
    burl_map_deinit(&p->refuted);
    p->phis.n = p->assumed.n = 0;
}

/* Blocks and instructions one by one, and nothing else on either side. */
static bool
pair_by_place(struct burl__pair *p)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];

    if (f->insts.n != g->insts.n || f->blocks.n != g->blocks.n || f->edges.n != g->edges.n)
        return false;
    for (uint32_t i = 0; i < f->blocks.n; i++) {
        struct burl__block *a = &f->blocks.v[i], *b = &g->blocks.v[i];
        if (a->n != b->n || a->tail != b->tail || a->n_edges != b->n_edges)
            return false;
        a->other = b->other = i;
    }
    for (uint32_t i = 0; i < f->edges.n; i++)
        if (f->edges.v[i].label != g->edges.v[i].label || f->edges.v[i].to != g->edges.v[i].to)
            return false;
    for (uint32_t i = 0; i < f->insts.n; i++)
        f->insts.v[i].other = g->insts.v[i].other = i;
    return true;
}

bool
burl__pair_lockstep(struct burl_diff *d, struct burl__pair *p)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    bool equal = pair_by_place(p);

    for (uint32_t i = 0; equal && i < f->insts.n; i++) {
        equal = burl__same_inst(d, p, i, i);
        f->insts.v[i].equal = g->insts.v[i].equal = true;
    }
    for (uint32_t i = 0; equal && i < f->blocks.n; i++)
        f->blocks.v[i].tail_equal = g->blocks.v[i].tail_equal = true;
    if (!equal)
        forget(p);
    return equal;
}

/* Of two blocks that end with a jump: do they end at the same place, and lead to the same one? */
static bool
same_tails(const struct burl__pair *p, uint32_t is)
{
    const struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    const struct burl__block *a = &f->blocks.v[is];
    uint32_t was = a->other;

    if (a->n) {
        uint32_t last = f->insts.v[a->first + a->n - 1].other;
        was = last == BURL__NONE ? BURL__NONE : g->insts.v[last].block;
        if (was == BURL__NONE || last != g->blocks.v[was].first + g->blocks.v[was].n - 1)
            return true; /* what comes after it was added or removed, or has moved */
    }
    if (was == BURL__NONE || !g->blocks.v[was].tail)
        return true;
    return burl__same_target(p, f->edges.v[a->edge].to, g->edges.v[g->blocks.v[was].edge].to);
}

void
burl__pair_settle(struct burl_diff *d, struct burl__pair *p)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    bool again = true;

    for (int round = 0; again && round < MAX_ROUNDS; round++) {
        /* Counterparts that differ are sought when those that are equal are known. */
        p->loose = round > 0;
        again = round == 0;
        burl_map_deinit(&p->refuted);
        for (uint32_t i = 0; i < f->insts.n; i++) {
            struct burl__inst *x = &f->insts.v[i];
            if (x->other == BURL__NONE || x->equal || !burl__same_inst(d, p, i, x->other))
                continue;
            x->equal = g->insts.v[x->other].equal = true;
            again = true;
        }
    }
    for (uint32_t i = 0; i < g->blocks.n; i++)
        g->blocks.v[i].tail_equal = true;
    for (uint32_t i = 0; i < f->blocks.n; i++) {
        struct burl__block *a = &f->blocks.v[i];
        a->tail_equal = !a->tail || same_tails(p, i);
        if (!a->tail_equal && a->other != BURL__NONE)
            g->blocks.v[a->other].tail_equal = false;
    }
}

struct burl__pair *
burl__pair_make(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was)
{
    struct burl__pair *p = burl_xcalloc(1, sizeof *p);

    p->f[BURL__IS] = burl__form_make(&d->own->side[BURL__IS], is);
    p->f[BURL__WAS] = burl__form_make(&d->own->side[BURL__WAS], was);
    if (burl__pair_lockstep(d, p))
        return p;
    burl__align(p);
    burl__pair_settle(d, p);
    burl__find_moved(p);
    return p;
}

bool
burl__pair_is_change(const struct burl__pair *p, int side, uint32_t i)
{
    const struct burl__inst *x = &p->f[side]->insts.v[i];

    /* A new local is nothing before it is used, an address nothing before an access. */
    if (burl__is_address(x->v) || (LLVMIsAAllocaInst(x->v) && x->other == BURL__NONE))
        return false;
    return x->other == BURL__NONE || !x->equal;
}

bool
burl__pair_is_equal(const struct burl__pair *p)
{
    for (int side = 0; side < 2; side++) {
        const struct burl__form *f = p->f[side];
        for (uint32_t i = 0; i < f->insts.n; i++)
            if (burl__pair_is_change(p, side, i))
                return false;
        for (size_t i = 0; i < f->blocks.n; i++)
            if (!f->blocks.v[i].tail_equal)
                return false;
    }
    for (size_t i = 0; i < p->phis.n; i++)
        if (!p->phis.v[i].equal)
            return false;
    return true;
}
