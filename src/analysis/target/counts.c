/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/counts.c - may a function run more than once in an execution of the program?
 *
 * Runs in burl-analyze, for functions that start threads. For each function, how often one call of
 * it can lead to the function in question: along the path with the highest count through its
 * blocks, where a call counts for what it leads to, and in a loop for many. Two calls on mutually
 * exclusive paths count as one (a vector that has room for a new thread, and one that must grow
 * first).
 *
 * Counts saturate at MANY, so the fixed point over all functions is reached soon. Mutual recursion
 * needs no special case: the count of a cycle grows.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

enum { MANY = 2 };

struct count {
    const struct burl__sp *sp;
    uint32_t of;
    uint8_t *n; /* per function: times that `of` runs within one call */
};

static uint8_t
saturated_sum(unsigned a, unsigned b)
{
    return a + b < MANY ? (uint8_t)(a + b) : MANY;
}

/* The count of one call; its edges begin at *i, which is advanced past them. */
static uint8_t
weigh_call(const struct count *c, const struct burl__fn *f, size_t *i)
{
    LLVMValueRef call = c->sp->edges.v[f->out.v[*i]].call;
    uint8_t most = 0;

    for (; *i < f->out.n && c->sp->edges.v[f->out.v[*i]].call == call; ++*i) {
        const struct burl__edge *e = &c->sp->edges.v[f->out.v[*i]];
        uint8_t n = c->n[e->callee];
        if (n > 0 && e->later)
            n = MANY;
        if (n > most)
            most = n;
    }
    return most;
}

/* Per block: its own count, and the highest count on a path to its start. */
struct way {
    struct burl_valmap ix;
    uint8_t *weight, *before;
    uint32_t n;
};

static bool
weigh_blocks(const struct count *c, const struct burl__fn *f, struct way *w)
{
    bool any = false;
    uint32_t ix;

    for (size_t i = 0; i < f->out.n;) {
        LLVMBasicBlockRef b = LLVMGetInstructionParent(c->sp->edges.v[f->out.v[i]].call);
        uint8_t n = weigh_call(c, f, &i);
        if (n == 0 || !burl_valmap_get(&w->ix, b, &ix))
            continue;
        w->weight[ix] = burl__in_cycle(b) ? MANY : saturated_sum(w->weight[ix], n);
        any = true;
    }
    return any;
}

static uint8_t
worst_way(const struct burl__fn *f, struct way *w)
{
    uint8_t most = 0;
    bool changed = true;

    while (changed) {
        uint32_t k = 0;
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b;
             b = LLVMGetNextBasicBlock(b), k++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
            uint8_t n = saturated_sum(w->before[k], w->weight[k]);
            most = n > most ? n : most;
            for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++) {
                uint32_t to;
                if (burl_valmap_get(&w->ix, LLVMGetSuccessor(end, i), &to) && w->before[to] < n) {
                    w->before[to] = n;
                    changed = true;
                }
            }
        }
    }
    return most;
}

static uint8_t
count_in(const struct count *c, uint32_t fn)
{
    const struct burl__fn *f = &c->sp->fns.v[fn];
    struct way w = { 0 };
    uint8_t most = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b; b = LLVMGetNextBasicBlock(b))
        burl_valmap_set(&w.ix, b, w.n++);
    w.weight = burl_xcalloc(w.n + 1, sizeof *w.weight);
    w.before = burl_xcalloc(w.n + 1, sizeof *w.before);
    if (weigh_blocks(c, f, &w))
        most = worst_way(f, &w);
    burl_valmap_deinit(&w.ix);
    free(w.weight);
    free(w.before);
    return saturated_sum(most, fn == c->of);
}

/* How often a thread of this root may come to be; those that are joined one by one count too. */
static uint8_t
times_started(const struct burl__sp *sp, uint32_t root)
{
    if (root == 0 || sp->t->roots.v[root].many)
        return sp->t->roots.v[root].many ? MANY : 1;
    for (size_t i = 0; i < sp->spawns.n; i++)
        for (size_t k = 0; k < sp->spawns.v[i].roots.n; k++)
            if (sp->spawns.v[i].roots.v[k] == root)
                return sp->spawns.v[i].in_loop || sp->fns.v[sp->spawns.v[i].fn].repeats ? MANY : 1;
    return MANY;
}

bool
burl__sp_repeats(const struct burl__sp *sp, uint32_t fn)
{
    struct count c = { .sp = sp, .of = fn, .n = burl_xcalloc(sp->fns.n + 1, 1) };
    bool grew = true;
    uint8_t all = 0;

    c.n[fn] = 1;
    while (grew) {
        grew = false;
        for (uint32_t i = 0; i < sp->fns.n; i++) {
            if (!sp->fns.v[i].spawns || sp->fns.v[i].roots.n == 0 || c.n[i] == MANY)
                continue;
            uint8_t n = count_in(&c, i);
            grew |= n > c.n[i];
            c.n[i] = n > c.n[i] ? n : c.n[i];
        }
    }
    for (uint32_t r = 0; r < sp->entries.n; r++) {
        uint8_t times = times_started(sp, r);
        for (size_t i = 0; i < sp->entries.v[r].n; i++) {
            uint8_t n = c.n[sp->entries.v[r].v[i]];
            all = saturated_sum(all, n > 0 && times == MANY ? MANY : n);
        }
    }
    free(c.n);
    return all >= MANY;
}
