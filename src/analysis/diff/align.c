/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/align.c - finds counterparts in two functions that differ. Runs in burl-analyze.
 *
 * First the control-flow graphs are walked in parallel from their entries over edges of equal
 * labels (Dejavu), which pairs blocks of equal contents. Where they differ the walk goes on if the
 * last instructions correspond. Then all instructions, in the order of the source, are aligned by
 * longest common subsequences: by exact keys, with the paired blocks as fixed points, and in the
 * gaps by near and loose ones. Order is kept: code that moved within a function was removed and
 * added.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"

/* Cells of the largest table of one alignment; what is larger is split at unique keys. */
#define SMALL_CELLS ((size_t)1 << 20)
#define MAX_CELLS ((size_t)1 << 27)

static void
join(struct burl__pair *p, uint32_t is, uint32_t was)
{
    p->f[BURL__IS]->insts.v[is].other = was;
    p->f[BURL__WAS]->insts.v[was].other = is;
}

/* ---- the parallel walk ---- */

struct blocks {
    uint32_t is, was;
};

struct walk {
    struct burl__pair *p;
    bool *seen; /* blocks of the new version */
    BURL_VEC(struct blocks) todo;
};

static uint32_t
common_prefix(const struct burl__pair *p, const struct burl__block *a, const struct burl__block *b)
{
    const struct burl__inst *x = p->f[BURL__IS]->insts.v + a->first;
    const struct burl__inst *y = p->f[BURL__WAS]->insts.v + b->first;
    uint32_t n = a->n < b->n ? a->n : b->n, i = 0;

    while (i < n && x[i].exact == y[i].exact)
        i++;
    return i;
}

static bool
same_last(const struct burl__pair *p, const struct burl__block *a, const struct burl__block *b)
{
    if (a->tail || b->tail || !a->n || !b->n)
        return a->tail && b->tail;
    return p->f[BURL__IS]->insts.v[a->first + a->n - 1].exact ==
           p->f[BURL__WAS]->insts.v[b->first + b->n - 1].exact;
}

static void
visit(struct walk *w, struct blocks at)
{
    struct burl__form *f = w->p->f[BURL__IS], *g = w->p->f[BURL__WAS];
    struct burl__block *a = &f->blocks.v[at.is], *b = &g->blocks.v[at.was];
    uint32_t n = common_prefix(w->p, a, b);
    bool equal = a->n == b->n && n == a->n && a->tail == b->tail;

    if (equal && b->other == BURL__NONE) {
        a->other = at.was;
        b->other = at.is;
        for (uint32_t i = 0; i < n; i++)
            join(w->p, a->first + i, b->first + i);
    }
    /* Half of it must be the same, or the walk has lost its way. */
    if (!equal && (!same_last(w->p, a, b) || 2 * n < a->n))
        return;
    for (uint32_t i = 0; i < a->n_edges; i++) {
        const struct burl__edge *e = &f->edges.v[a->edge + i];
        for (uint32_t k = 0; k < b->n_edges; k++) {
            const struct burl__edge *x = &g->edges.v[b->edge + k];
            if (x->label == e->label && !w->seen[e->to]) {
                w->seen[e->to] = true;
                BURL_VEC_PUSH(&w->todo, (struct blocks){ e->to, x->to });
            }
        }
    }
}

static void
walk_graphs(struct burl__pair *p)
{
    struct walk w = { .p = p };

    w.seen = burl_xcalloc(p->f[BURL__IS]->blocks.n, sizeof *w.seen);
    w.seen[0] = true;
    BURL_VEC_PUSH(&w.todo, (struct blocks){ 0, 0 });
    for (size_t i = 0; i < w.todo.n; i++)
        visit(&w, w.todo.v[i]);
    BURL_VEC_FREE(&w.todo);
    free(w.seen);
}

/* ---- sequences ---- */

/* Instructions of both, as tokens; equal tokens may be counterparts. */
struct sequences {
    struct burl__pair *p;
    uint64_t *is, *was;     /* tokens */
    uint32_t *i_is, *i_was; /* instructions */
};

struct range {
    uint32_t a, a_end, b, b_end;
};

static void
pair_up(const struct sequences *s, uint32_t a, uint32_t b)
{
    join(s->p, s->i_is[a], s->i_was[b]);
}

static void
align_table(const struct sequences *s, struct range r)
{
    size_t n = r.a_end - r.a, m = r.b_end - r.b;
    uint32_t *len = burl_xcalloc((n + 1) * (m + 1), sizeof *len);

#define LEN(i, k) len[(i) * (m + 1) + (k)]
    for (size_t i = n; i-- > 0;) {
        for (size_t k = m; k-- > 0;) {
            if (s->is[r.a + i] == s->was[r.b + k])
                LEN(i, k) = LEN(i + 1, k + 1) + 1;
            else
                LEN(i, k) = LEN(i + 1, k) > LEN(i, k + 1) ? LEN(i + 1, k) : LEN(i, k + 1);
        }
    }
    for (size_t i = 0, k = 0; i < n && k < m;) {
        if (s->is[r.a + i] == s->was[r.b + k]) {
            pair_up(s, r.a + (uint32_t)i, r.b + (uint32_t)k);
            i++;
            k++;
        } else if (LEN(i + 1, k) >= LEN(i, k + 1)) {
            i++;
        } else {
            k++;
        }
    }
#undef LEN
    free(len);
}

struct count {
    uint32_t n[2];
    uint32_t at[2];
};

struct counts {
    BURL_VEC_OF(struct count);
    struct burl_map of;
};

static void
count_token(struct counts *c, uint64_t token, int side, uint32_t at)
{
    uint64_t ix = c->n;

    if (!burl_map_get(&c->of, token, &ix)) {
        burl_map_set(&c->of, token, ix);
        (void)BURL_VEC_ADD(c);
    }
    c->v[ix].n[side]++;
    c->v[ix].at[side] = at;
}

/* The longest ascending list of unique tokens that both have, as positions; returns its length. */
static uint32_t
find_anchors(const struct sequences *s, struct range r, uint32_t *at_a, uint32_t *at_b)
{
    struct counts c = { 0 };
    uint32_t n = 0, longest = 0, n_max = r.a_end - r.a;
    uint32_t *top = burl_xcalloc((size_t)n_max + 1, sizeof *top);
    uint32_t *back = burl_xcalloc((size_t)n_max + 1, sizeof *back);
    uint64_t ix;

    for (uint32_t i = r.a; i < r.a_end; i++)
        count_token(&c, s->is[i], BURL__IS, i);
    for (uint32_t i = r.b; i < r.b_end; i++)
        count_token(&c, s->was[i], BURL__WAS, i);
    for (uint32_t i = r.a; i < r.a_end; i++) {
        if (burl_map_get(&c.of, s->is[i], &ix) && c.v[ix].n[0] == 1 && c.v[ix].n[1] == 1) {
            at_a[n] = i;
            at_b[n++] = c.v[ix].at[BURL__WAS];
        }
    }
    /* Patience sorting; top[k] ends the best list of length k + 1. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lo = 0, hi = longest;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (at_b[top[mid]] < at_b[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        back[i] = lo ? top[lo - 1] : BURL__NONE;
        top[lo] = i;
        longest = lo == longest ? longest + 1 : longest;
    }
    uint32_t at = longest ? top[longest - 1] : BURL__NONE;
    for (uint32_t k = longest; k-- > 0; at = back[at]) {
        top[k] = at; /* entries above k were read before */
    }
    for (uint32_t k = 0; k < longest; k++) {
        at_a[k] = at_a[top[k]];
        at_b[k] = at_b[top[k]];
    }
    BURL_VEC_FREE(&c);
    burl_map_deinit(&c.of);
    free(top);
    free(back);
    return longest;
}

static void
align_range(const struct sequences *s, struct range r)
{
    while (r.a < r.a_end && r.b < r.b_end && s->is[r.a] == s->was[r.b])
        pair_up(s, r.a++, r.b++);
    while (r.a < r.a_end && r.b < r.b_end && s->is[r.a_end - 1] == s->was[r.b_end - 1])
        pair_up(s, --r.a_end, --r.b_end);
    size_t n = r.a_end - r.a, m = r.b_end - r.b;
    if (n == 0 || m == 0)
        return;
    if ((n + 1) * (m + 1) <= SMALL_CELLS) {
        align_table(s, r);
        return;
    }
    uint32_t *at_a = burl_xcalloc(n + 1, sizeof *at_a), *at_b = burl_xcalloc(n + 1, sizeof *at_b);
    uint32_t n_anchors = find_anchors(s, r, at_a, at_b);
    if (n_anchors == 0 && (n + 1) * (m + 1) <= MAX_CELLS)
        align_table(s, r);
    struct range gap = r;
    for (uint32_t i = 0; i < n_anchors; i++) {
        gap.a_end = at_a[i];
        gap.b_end = at_b[i];
        align_range(s, gap);
        pair_up(s, at_a[i], at_b[i]);
        gap.a = at_a[i] + 1;
        gap.b = at_b[i] + 1;
    }
    if (n_anchors > 0) {
        gap.a_end = r.a_end;
        gap.b_end = r.b_end;
        align_range(s, gap);
    }
    free(at_a);
    free(at_b);
}

enum level { EXACT, NEAR, LOOSE };

static uint64_t
token_of(const struct burl__inst *x, enum level level)
{
    return level == EXACT ? x->exact : level == NEAR ? x->near : x->loose;
}

/* Allocations of locals have no place in the order. */
static bool
is_free(const struct burl__inst *x)
{
    return LLVMIsAAllocaInst(x->v) != NULL;
}

/* What has a counterpart already is a fixed point: its own token, the same on both sides. */
static void
align_level(struct burl__pair *p, enum level level)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];
    struct sequences s = { .p = p };
    struct range r = { 0 };

    s.is = burl_xcalloc(f->insts.n + 1, sizeof *s.is);
    s.was = burl_xcalloc(g->insts.n + 1, sizeof *s.was);
    s.i_is = burl_xcalloc(f->insts.n + 1, sizeof *s.i_is);
    s.i_was = burl_xcalloc(g->insts.n + 1, sizeof *s.i_was);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct burl__inst *x = &f->insts.v[i];
        if (is_free(x))
            continue;
        s.i_is[r.a_end] = i;
        s.is[r.a_end++] = x->other == BURL__NONE
                              ? token_of(x, level)
                              : burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, 1), i);
    }
    for (uint32_t i = 0; i < g->insts.n; i++) {
        const struct burl__inst *x = &g->insts.v[i];
        if (is_free(x))
            continue;
        s.i_was[r.b_end] = i;
        s.was[r.b_end++] = x->other == BURL__NONE
                               ? token_of(x, level)
                               : burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, 1), x->other);
    }
    align_range(&s, r);
    free(s.is);
    free(s.was);
    free(s.i_is);
    free(s.i_was);
}

/* ---- locals in memory ---- */

/* By name and type, then by type, then by name; in their order. */
static void
pair_locals(struct burl__pair *p)
{
    struct burl__form *f = p->f[BURL__IS], *g = p->f[BURL__WAS];

    for (int level = EXACT; level <= LOOSE; level++) {
        for (uint32_t i = 0; i < f->insts.n; i++) {
            struct burl__inst *x = &f->insts.v[i];
            if (!is_free(x) || x->other != BURL__NONE)
                continue;
            for (uint32_t k = 0; k < g->insts.n; k++) {
                const struct burl__inst *y = &g->insts.v[k];
                if (is_free(y) && y->other == BURL__NONE &&
                    token_of(x, (enum level)level) == token_of(y, (enum level)level)) {
                    join(p, i, k);
                    break;
                }
            }
        }
    }
}

/* ---- blocks ---- */

/* A block without a counterpart gets the one where its first instruction was. */
static void
derive_blocks(struct burl__pair *p)
{
    for (int side = 0; side < 2; side++) {
        struct burl__form *f = p->f[side], *g = p->f[!side];
        for (uint32_t i = 0; i < f->blocks.n; i++) {
            struct burl__block *x = &f->blocks.v[i];
            for (uint32_t k = 0; k < x->n && x->other == BURL__NONE; k++) {
                const struct burl__inst *y = &f->insts.v[x->first + k];
                if (y->other != BURL__NONE && !is_free(y))
                    x->other = g->insts.v[y->other].block;
            }
        }
        if (f->blocks.v[0].other == BURL__NONE)
            f->blocks.v[0].other = 0;
    }
}

void
burl__align(struct burl__pair *p)
{
    burl__key_form(p->f[BURL__IS]);
    burl__key_form(p->f[BURL__WAS]);
    walk_graphs(p);
    pair_locals(p);
    align_level(p, EXACT);
    align_level(p, NEAR);
    align_level(p, LOOSE);
    derive_blocks(p);
}
