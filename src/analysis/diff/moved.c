/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/moved.c - statements that moved. Runs in burl-analyze.
 *
 * A statement that moved has an equal counterpart, but at another place: behind an unlock, say.
 * Of the counterparts in two functions the longest run in the same order stayed where it was.
 * Another one moved if it passed one that stayed: it was executed before it and now comes after
 * it, or the other way around; it then counts as removed there and added here. The mere order of
 * blocks in memory, as of handlers of exceptions, means nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"
#include "base/mem.h"

/* Beyond, every instruction out of order counts as moved. */
enum { MAX_SUSPECTS = 2000 };

/* Does it matter when it is executed? */
static bool
has_effect(LLVMValueRef v)
{
    return LLVMIsALoadInst(v) || LLVMIsAStoreInst(v) || LLVMIsAAtomicRMWInst(v) ||
           LLVMIsAAtomicCmpXchgInst(v) || LLVMIsAFenceInst(v) || burl_ir_is_call(v);
}

static bool
is_placed(const struct burl__inst *x)
{
    return x->other != BURL__NONE && has_effect(x->v);
}

/* Marks the longest run of counterparts in the same order. */
static bool *
find_stayed(const struct burl__form *f)
{
    bool *stayed = burl_xcalloc(f->insts.n + 1, sizeof *stayed);
    uint32_t *ends = burl_xcalloc(f->insts.n + 1, sizeof *ends); /* of runs, by length */
    uint32_t *before = burl_xcalloc(f->insts.n + 1, sizeof *before);
    uint32_t longest = 0;

    for (uint32_t i = 0; i < f->insts.n; i++) {
        uint32_t lo = 0, hi = longest;

        if (!is_placed(&f->insts.v[i]))
            continue;
        while (lo < hi) {
            uint32_t mid = (lo + hi) / 2;

            if (f->insts.v[ends[mid]].other < f->insts.v[i].other)
                lo = mid + 1;
            else
                hi = mid;
        }
        before[i] = lo > 0 ? ends[lo - 1] : BURL__NONE;
        ends[lo] = i;
        longest += lo == longest;
    }
    for (uint32_t i = longest > 0 ? ends[longest - 1] : BURL__NONE; i != BURL__NONE; i = before[i])
        stayed[i] = true;
    free(ends);
    free(before);
    return stayed;
}

/* Blocks that control can get to from a block, at least one edge on. */
static void
find_reach(const struct burl__form *f, uint32_t from, bool *reached)
{
    uint32_t *todo = burl_xcalloc(f->blocks.n + 1, sizeof *todo);
    size_t n = 0;

    memset(reached, 0, f->blocks.n * sizeof *reached);
    todo[n++] = from;
    while (n > 0) {
        const struct burl__block *b = &f->blocks.v[todo[--n]];

        for (uint32_t i = 0; i < b->n_edges; i++) {
            uint32_t to = f->edges.v[b->edge + i].to;

            if (reached[to])
                continue;
            reached[to] = true;
            todo[n++] = to;
        }
    }
    free(todo);
}

/* What can be executed after what; both in a loop. */
enum { AFTER = 1, BEFORE = 2 };

struct place {
    const struct burl__form *f;
    uint32_t inst;
    bool *after; /* blocks */
};

static struct place
place_of(const struct burl__form *f, uint32_t inst)
{
    struct place p = { f, inst, burl_xcalloc(f->blocks.n + 1, sizeof *p.after) };

    find_reach(f, f->insts.v[inst].block, p.after);
    return p;
}

/* Can `i` be executed after (before) the instruction of the place? `reach_i` is the reach of the
 * block of `i`. */
static int
relation(const struct place *p, uint32_t i, const bool *reach_i)
{
    const struct burl__form *f = p->f;
    uint32_t at = f->insts.v[p->inst].block, other = f->insts.v[i].block;
    int r = 0;

    if (p->after[other] || (at == other && p->inst < i))
        r |= AFTER;
    if (reach_i[at] || (at == other && i < p->inst))
        r |= BEFORE;
    return r;
}

static bool
has_passed(struct burl__pair *p, uint32_t i, const bool *stayed, bool *reach[2])
{
    const struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    struct place is = place_of(f, i), was = place_of(g, f->insts.v[i].other);
    bool passed = false;
    uint32_t last[2] = { BURL__NONE, BURL__NONE };

    for (uint32_t k = 0; k < f->insts.n && !passed; k++) {
        uint32_t o = f->insts.v[k].other;

        if (!stayed[k] || (k < i) == (o < f->insts.v[i].other))
            continue;
        if (f->insts.v[k].block != last[0])
            find_reach(f, last[0] = f->insts.v[k].block, reach[0]);
        if (g->insts.v[o].block != last[1])
            find_reach(g, last[1] = g->insts.v[o].block, reach[1]);
        int now = relation(&is, k, reach[0]), then = relation(&was, o, reach[1]);
        passed = (now == AFTER && then == BEFORE) || (now == BEFORE && then == AFTER) ||
                 (now == (AFTER | BEFORE) && then == (AFTER | BEFORE));
    }
    free(is.after);
    free(was.after);
    return passed;
}

void
burl__find_moved(struct burl__pair *p)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    bool *stayed = find_stayed(f);
    bool *moved = burl_xcalloc(f->insts.n + 1, sizeof *moved);
    bool *reach[2] = { burl_xcalloc(f->blocks.n + 1, sizeof *reach[0]),
                       burl_xcalloc(g->blocks.n + 1, sizeof *reach[1]) };
    uint32_t suspects = 0;

    for (uint32_t i = 0; i < f->insts.n; i++) {
        struct burl__inst *x = &f->insts.v[i];

        if (!is_placed(x) || stayed[i])
            continue;
        moved[i] = ++suspects > MAX_SUSPECTS || has_passed(p, i, stayed, reach);
    }
    for (uint32_t i = 0; i < f->insts.n; i++) {
        struct burl__inst *x = &f->insts.v[i];

        if (!moved[i])
            continue;
        g->insts.v[x->other].other = BURL__NONE;
        g->insts.v[x->other].equal = x->equal = false;
        x->other = BURL__NONE;
    }
    free(moved);
    free(stayed);
    free(reach[0]);
    free(reach[1]);
}
