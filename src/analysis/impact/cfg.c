/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/cfg.c - dominators, and which branch decides about which blocks.
 *
 * Runs in burl-analyze. LLVM's C API has neither. Only a return is an end: what a failed assertion
 * or an exception skips is not decided by the assertion or the call that may throw, else a line of
 * logging in C++ would decide about the rest of its function.
 */
#include <stdlib.h>

#include "analysis/impact/impact_int.h"

static void
add_edges(struct burl__cfg *g)
{
    for (uint32_t b = 0; b < g->n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        unsigned n = end ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned i = 0; i < n; i++) {
            uint32_t to;
            if (burl_valmap_get(&g->ix, LLVMGetSuccessor(end, i), &to) &&
                burl_u32s_add(&g->succ[b], to))
                BURL_VEC_PUSH(&g->pred[to], b);
        }
    }
}

struct order {
    uint32_t *at; /* node -> position, UINT32_MAX not reached */
    struct burl_u32s list;
};

/* A node and which of its neighbors is next. */
struct step {
    uint32_t node, i;
};

/* Reverse post-order over `next` from the nodes of `start`. */
static void
sort_nodes(const struct burl__cfg *g, const struct burl_u32s *next, const struct burl_u32s *start,
           struct order *o)
{
    BURL_VEC(struct step) stack = { 0 };
    bool *seen = burl_xcalloc(g->n + 1, sizeof *seen);

    o->at = burl_xcalloc(g->n + 1, sizeof *o->at);
    for (size_t s = 0; s < start->n; s++) {
        if (seen[start->v[s]])
            continue;
        seen[start->v[s]] = true;
        BURL_VEC_PUSH(&stack, (struct step){ start->v[s], 0 });
        while (stack.n > 0) {
            uint32_t b = stack.v[stack.n - 1].node;
            if (stack.v[stack.n - 1].i == next[b].n) {
                BURL_VEC_PUSH(&o->list, b);
                stack.n--;
                continue;
            }
            uint32_t to = next[b].v[stack.v[stack.n - 1].i++];
            if (seen[to])
                continue;
            seen[to] = true;
            BURL_VEC_PUSH(&stack, (struct step){ to, 0 });
        }
    }
    for (uint32_t b = 0; b <= g->n; b++)
        o->at[b] = UINT32_MAX;
    for (size_t i = 0; i < o->list.n; i++)
        o->at[o->list.v[i]] = (uint32_t)(o->list.n - 1 - i);
    BURL_VEC_FREE(&stack);
    free(seen);
}

/* The nearest node above both; `root` is above all. */
static uint32_t
common(const uint32_t *dom, const struct order *o, uint32_t a, uint32_t b, uint32_t root)
{
    while (a != b) {
        if (a == root || b == root)
            return root;
        if (o->at[a] > o->at[b])
            a = dom[a];
        else
            b = dom[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy's iteration. `start` are the nodes below `root`. */
static uint32_t *
find_dominators(const struct burl__cfg *g, const struct burl_u32s *next,
                const struct burl_u32s *prev, const struct burl_u32s *start, uint32_t root)
{
    uint32_t *dom = burl_xcalloc(g->n + 1, sizeof *dom);
    struct order o = { 0 };
    bool changed = true;

    sort_nodes(g, next, start, &o);
    for (uint32_t b = 0; b <= g->n; b++)
        dom[b] = UINT32_MAX;
    for (size_t i = 0; i < start->n; i++)
        dom[start->v[i]] = root;
    while (changed) {
        changed = false;
        for (size_t i = o.list.n; i-- > 0;) {
            uint32_t b = o.list.v[i], to = UINT32_MAX;
            if (burl_u32s_has(start, b))
                continue;
            for (size_t k = 0; k < prev[b].n; k++) {
                uint32_t p = prev[b].v[k];
                if (dom[p] != UINT32_MAX)
                    to = to == UINT32_MAX ? p : common(dom, &o, to, p, root);
            }
            if (to != dom[b]) {
                dom[b] = to;
                changed = true;
            }
        }
    }
    free(o.at);
    BURL_VEC_FREE(&o.list);
    return dom;
}

/* Kosaraju's components: what reaches a block, taken in order, and is reached from it. */
static bool *
find_repeats(const struct burl__cfg *g, const struct burl_u32s *start)
{
    bool *repeats = burl_xcalloc(g->n + 1, sizeof *repeats);
    bool *seen = burl_xcalloc(g->n + 1, sizeof *seen);
    struct burl_u32s todo = { 0 };
    struct order o = { 0 };

    sort_nodes(g, g->succ, start, &o);
    for (size_t i = o.list.n; i-- > 0;) {
        const uint32_t first = o.list.v[i];
        if (seen[first])
            continue;
        seen[first] = true;
        repeats[first] = burl_u32s_has(&g->succ[first], first);
        BURL_VEC_PUSH(&todo, first);
        while (todo.n > 0) {
            const struct burl_u32s *prev = &g->pred[todo.v[--todo.n]];
            for (size_t k = 0; k < prev->n; k++) {
                if (o.at[prev->v[k]] == UINT32_MAX || seen[prev->v[k]])
                    continue;
                seen[prev->v[k]] = repeats[prev->v[k]] = repeats[first] = true;
                BURL_VEC_PUSH(&todo, prev->v[k]);
            }
        }
    }
    BURL_VEC_FREE(&todo);
    BURL_VEC_FREE(&o.list);
    free(o.at);
    free(seen);
    return repeats;
}

struct burl__cfg *
burl__cfg_of(struct burl__side *s, uint32_t fn)
{
    struct burl__body *f = &s->fns.v[fn];
    struct burl_u32s start = { 0 };

    if (f->cfg)
        return f->cfg;
    struct burl__cfg *g = f->cfg = burl_xcalloc(1, sizeof *g);
    g->n = LLVMCountBasicBlocks(f->fn);
    g->blocks = burl_xcalloc(g->n + 1, sizeof *g->blocks);
    g->succ = burl_xcalloc(g->n + 1, sizeof *g->succ);
    g->pred = burl_xcalloc(g->n + 1, sizeof *g->pred);
    LLVMGetBasicBlocks(f->fn, g->blocks);
    for (uint32_t b = 0; b < g->n; b++)
        burl_valmap_set(&g->ix, g->blocks[b], b);
    add_edges(g);
    if (g->n > 0)
        BURL_VEC_PUSH(&start, 0);
    g->dom = find_dominators(g, g->succ, g->pred, &start, 0);
    g->repeats = find_repeats(g, &start);
    start.n = 0;
    for (uint32_t b = 0; b < g->n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        if (end && LLVMIsAReturnInst(end))
            BURL_VEC_PUSH(&start, b);
    }
    g->postdom = find_dominators(g, g->pred, g->succ, &start, g->n);
    BURL_VEC_FREE(&start);
    return g;
}

bool
burl__dominates(const struct burl__cfg *g, uint32_t a, uint32_t b)
{
    while (b != a && b != 0 && g->dom[b] != UINT32_MAX)
        b = g->dom[b];
    return a == b;
}

/* From `at` on, blocks from which no return is reached. */
static void
add_lost(const struct burl__cfg *g, uint32_t at, struct burl_u32s *out)
{
    struct burl_u32s todo = { 0 };

    BURL_VEC_PUSH(&todo, at);
    while (todo.n > 0) {
        uint32_t b = todo.v[--todo.n];
        if (g->postdom[b] != UINT32_MAX || !burl_u32s_add(out, b))
            continue;
        for (size_t i = 0; i < g->succ[b].n; i++)
            BURL_VEC_PUSH(&todo, g->succ[b].v[i]);
    }
    BURL_VEC_FREE(&todo);
}

void
burl__controlled(const struct burl__cfg *g, uint32_t block, struct burl_u32s *out)
{
    uint32_t stop = g->postdom[block];

    if (g->succ[block].n < 2)
        return;
    for (size_t i = 0; i < g->succ[block].n; i++) {
        uint32_t b = g->succ[block].v[i];
        if (g->postdom[b] == UINT32_MAX) {
            add_lost(g, b, out);
            continue;
        }
        for (; b != stop && b != g->n; b = g->postdom[b])
            burl_u32s_add(out, b);
    }
}
