/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/order.c - additional greedy with reset (PAPERS 4.6).
 *
 * Runs in the host. What a test adds never grows between two resets, so an old figure is an upper
 * bound: only the test at the top of a heap is counted anew, and it is taken if it stays at the
 * top. The result is that of counting all of them each time. Counting skips words that are covered
 * already, and counts bits of one weight together: callers sort elements by weight.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "regress/select_int.h"

struct entry {
    uint64_t gain; /* an upper bound unless round is current */
    uint64_t all;
    uint32_t rank; /* breaks ties: the higher one goes first */
    uint32_t test;
    size_t round; /* picks when gain was counted */
};

struct greedy {
    const struct burl__table *t;
    struct entry *heap;
    size_t n;
    uint64_t *covered;
    size_t round;
    bool has_popcnt;
    uint64_t *any;    /* union of all candidates */
    uint64_t *weight; /* per word: of its elements; 0: they differ */
    uint32_t *live;   /* words that are not covered, of one weight */
    size_t n_live;
    uint32_t *mixed; /* the others */
    size_t n_mixed;
};

void
burl__shuffle(uint32_t *v, size_t n, uint64_t seed)
{
    struct burl_rng rng;

    burl_rng_init(&rng, seed);
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)burl_rng_below(&rng, i);
        const uint32_t x = v[i - 1];

        v[i - 1] = v[k];
        v[k] = x;
    }
}

/* The same by the instruction for it, and without. */
__attribute__((target("popcnt"))) static uint64_t
count_fast(const struct greedy *g, const uint64_t *row)
{
    uint64_t n = 0;

    for (size_t k = 0; k < g->n_live; k++) {
        const uint32_t i = g->live[k];

        n += g->weight[i] * (uint64_t)__builtin_popcountll(row[i] & ~g->covered[i]);
    }
    return n;
}

static uint64_t
count_portably(const struct greedy *g, const uint64_t *row)
{
    uint64_t n = 0;

    for (size_t k = 0; k < g->n_live; k++) {
        const uint32_t i = g->live[k];

        n += g->weight[i] * (uint64_t)__builtin_popcountll(row[i] & ~g->covered[i]);
    }
    return n;
}

/* What a test adds to what is covered. */
static uint64_t
count_gain(const struct greedy *g, uint32_t test)
{
    const uint64_t *row = g->t->rows + test * g->t->words;
    uint64_t n = g->has_popcnt ? count_fast(g, row) : count_portably(g, row);

    for (size_t k = 0; k < g->n_mixed; k++) {
        const uint32_t i = g->mixed[k];

        for (uint64_t x = row[i] & ~g->covered[i]; x; x &= x - 1)
            n += g->t->weights[i * 64 + (size_t)__builtin_ctzll(x)];
    }
    return n;
}

/* The one weight of all elements of a word; 0: there are several. */
static uint64_t
weight_of(const struct burl__table *t, size_t word)
{
    if (!t->weights)
        return 1;
    for (size_t i = word * 64 + 1; i < word * 64 + 64 && i < t->n_elements; i++)
        if (t->weights[i] != t->weights[word * 64])
            return 0;
    return t->weights[word * 64];
}

/* Lists the words that are not covered. */
static void
find_live(struct greedy *g)
{
    g->n_live = g->n_mixed = 0;
    for (size_t i = 0; i < g->t->words; i++) {
        if ((g->any[i] & ~g->covered[i]) == 0)
            continue;
        if (g->weight[i])
            g->live[g->n_live++] = (uint32_t)i;
        else
            g->mixed[g->n_mixed++] = (uint32_t)i;
    }
}

static bool
is_above(const struct entry *a, const struct entry *b)
{
    return a->gain != b->gain ? a->gain > b->gain : a->rank > b->rank;
}

static void
sift_down(struct greedy *g, size_t i)
{
    for (;;) {
        size_t top = i;

        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < g->n; k++)
            if (is_above(&g->heap[k], &g->heap[top]))
                top = k;
        if (top == i)
            return;
        const struct entry x = g->heap[i];
        g->heap[i] = g->heap[top];
        g->heap[top] = x;
        i = top;
    }
}

static void
heapify(struct greedy *g)
{
    for (size_t i = g->n / 2; i-- > 0;)
        sift_down(g, i);
}

/* Nothing is covered: every test adds all that it covers. */
static void
reset(struct greedy *g)
{
    memset(g->covered, 0, (g->t->words + 1) * sizeof *g->covered);
    find_live(g);
    g->round++;
    for (size_t i = 0; i < g->n; i++) {
        g->heap[i].gain = g->heap[i].all;
        g->heap[i].round = g->round;
    }
    heapify(g);
}

/* Takes the test that adds most. */
static struct entry
pick(struct greedy *g)
{
    for (;;) {
        struct entry *top = &g->heap[0];

        if (top->round == g->round && top->gain == 0) {
            reset(g);
            continue;
        }
        if (top->round == g->round)
            break;
        top->gain = count_gain(g, top->test);
        top->round = g->round;
        sift_down(g, 0);
    }
    const struct entry taken = g->heap[0];
    g->heap[0] = g->heap[--g->n];
    sift_down(g, 0);
    return taken;
}

static void
fill_heap(struct greedy *g, const uint32_t *candidates, size_t n, uint64_t seed)
{
    uint32_t *ranks = burl_xcalloc(n + 1, sizeof *ranks);

    for (size_t i = 0; i < n; i++)
        ranks[i] = (uint32_t)i;
    burl__shuffle(ranks, n, seed);
    for (size_t i = 0; i < n; i++) {
        const uint64_t all = count_gain(g, candidates[i]);

        if (all)
            g->heap[g->n++] = (struct entry){ all, all, ranks[i], candidates[i], 0 };
    }
    free(ranks);
    heapify(g);
}

static void
open_greedy(struct greedy *g, const struct burl__table *t, const uint32_t *candidates, size_t n)
{
    *g = (struct greedy){ .t = t, .has_popcnt = __builtin_cpu_supports("popcnt") };
    g->heap = burl_xcalloc(n + 1, sizeof *g->heap);
    g->covered = burl_xcalloc(t->words + 1, sizeof *g->covered);
    g->any = burl_xcalloc(t->words + 1, sizeof *g->any);
    g->weight = burl_xcalloc(t->words + 1, sizeof *g->weight);
    g->live = burl_xcalloc(t->words + 1, sizeof *g->live);
    g->mixed = burl_xcalloc(t->words + 1, sizeof *g->mixed);
    for (size_t i = 0; i < t->words; i++)
        g->weight[i] = weight_of(t, i);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < t->words; k++)
            g->any[k] |= t->rows[candidates[i] * t->words + k];
    find_live(g);
}

static void
close_greedy(struct greedy *g)
{
    free(g->heap);
    free(g->covered);
    free(g->any);
    free(g->weight);
    free(g->live);
    free(g->mixed);
}

size_t
burl__order(const struct burl__table *t, const uint32_t *candidates, size_t n, uint64_t seed,
            burl__order_each *each, void *arg)
{
    struct greedy g;
    size_t ordered = 0;

    open_greedy(&g, t, candidates, n);
    fill_heap(&g, candidates, n, seed);
    while (g.n > 0) {
        const struct entry e = pick(&g);
        const uint64_t *row = t->rows + e.test * t->words;

        each(arg, e.test, e.all, e.gain, g.covered);
        for (size_t i = 0; i < t->words; i++)
            g.covered[i] |= row[i];
        find_live(&g);
        g.round++;
        ordered++;
    }
    close_greedy(&g);
    return ordered;
}
