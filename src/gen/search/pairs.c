/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/pairs.c - which pair of functions to try next, and which pairs have run at the same
 * time.
 *
 * After Choudhary, Lu, Pradel: "Efficient Detection of Thread Safety Violations via Coverage-Guided
 * Generation of Concurrent Tests" (ICSE 2017), Definition 2 and Algorithm 1. Pairs are unordered
 * and include a function with itself. Departures:
 *   - `covcon-code` is the rule of the authors' program, which differs from the paper's (PAPERS
 *     1.3): each pair once, then the best quarter (or 100) of all pairs at a time.
 *   - the counts of a test that ran under many schedules are those of the schedule that gave most,
 *     so that c is per test as in the paper, where a test is run once (search.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gen/search/search.h"

#define POOL_OF_MANY 100u /* `covcon-code`: pairs in the pool when there are many... */
#define MANY_PAIRS 400u   /* ...of them; else a quarter */

uint64_t
burl_gen_score(uint64_t tried, uint64_t covered)
{
    const uint64_t gap = tried > covered ? tried - covered : covered - tried;

    if (tried == 0)
        return 0;
    return (gap > 1 ? gap : 1) * tried;
}

/* ---- the set of pairs -------------------------------------------------------------------- */

void
burl_gen_pairs_init(struct burl_gen_pairs *p, const struct burl_gen_model *m,
                    enum burl_gen_guide guide)
{
    memset(p, 0, sizeof *p);
    p->guide = guide;
    p->methods = burl_xcalloc(m->fns.n + 1, sizeof *p->methods);
    p->number = burl_xcalloc(m->fns.n + 1, sizeof *p->number);
    for (size_t i = 0; i < m->fns.n; i++) {
        p->number[i] = -1;
        if (m->fns.v[i].kind != BURL_GEN_METHOD)
            continue;
        p->number[i] = (int)p->n_methods;
        p->methods[p->n_methods++] = (uint16_t)i;
    }
    for (size_t i = 0; i < p->n_methods; i++) {
        for (size_t j = i; j < p->n_methods; j++)
            BURL_VEC_PUSH(&p->pair,
                          (struct burl_gen_pair){ .a = p->methods[i], .b = p->methods[j] });
    }
}

void
burl_gen_pairs_deinit(struct burl_gen_pairs *p)
{
    BURL_VEC_FREE(&p->pair);
    BURL_VEC_FREE(&p->pool);
    free(p->methods);
    free(p->number);
    memset(p, 0, sizeof *p);
}

/* Pairs are stored row by row: (0,0) (0,1) ... (1,1) (1,2) ... */
struct burl_gen_pair *
burl_gen_pairs_find(struct burl_gen_pairs *p, int a, int b)
{
    size_t i, j;

    if (p->number[a] < 0 || p->number[b] < 0)
        return NULL;
    i = (size_t)(p->number[a] < p->number[b] ? p->number[a] : p->number[b]);
    j = (size_t)(p->number[a] < p->number[b] ? p->number[b] : p->number[a]);
    return &p->pair.v[i * p->n_methods - i * (i + 1) / 2 + j];
}

struct burl_gen_pair_totals
burl_gen_pairs_totals(const struct burl_gen_pairs *p)
{
    struct burl_gen_pair_totals t = { 0 };

    for (size_t i = 0; i < p->pair.n; i++) {
        t.covered += p->pair.v[i].covered > 0;
        t.tried += p->pair.v[i].tried > 0;
    }
    return t;
}

/* ---- the pool ---------------------------------------------------------------------------- */

static uint64_t
rank(const struct burl_gen_pairs *p, const struct burl_gen_pair *x)
{
    if (p->guide == BURL_GEN_GUIDE_LEAST_TRIED)
        return x->tried;
    if (p->guide == BURL_GEN_GUIDE_COVCON_CODE && x->tried == 0)
        return x->covered > 1 ? x->covered : 1;
    return burl_gen_score(x->tried, x->covered);
}

/* All pairs that share the least rank. */
static void
fill_with_ties(struct burl_gen_pairs *p)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < p->pair.n; i++) {
        const uint64_t r = rank(p, &p->pair.v[i]);

        if (r < least) {
            least = r;
            p->pool.n = 0;
        }
        if (r == least)
            BURL_VEC_PUSH(&p->pool, i);
    }
}

struct ranked {
    uint64_t rank;
    size_t index;
};

static int
by_rank(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : 1; /* qsort is not stable, the search must be */
}

static void
fill_with_best(struct burl_gen_pairs *p)
{
    struct ranked *all = burl_xcalloc(p->pair.n + 1, sizeof *all);
    size_t n = p->pair.n >= MANY_PAIRS ? POOL_OF_MANY : p->pair.n / 4;
    size_t untried = 0;

    for (size_t i = 0; i < p->pair.n; i++) {
        all[i] = (struct ranked){ .rank = rank(p, &p->pair.v[i]), .index = i };
        if (p->pair.v[i].tried == 0 && p->pair.v[i].covered == 0)
            untried++;
    }
    if (untried == p->pair.n) /* the first pool: every pair once */
        n = p->pair.n;
    qsort(all, p->pair.n, sizeof *all, by_rank);
    for (size_t i = 0; i < (n > 0 ? n : 1) && i < p->pair.n; i++)
        BURL_VEC_PUSH(&p->pool, all[i].index);
    free(all);
}

struct burl_gen_pair *
burl_gen_pairs_next(struct burl_gen_pairs *p, struct burl_rng *rng)
{
    size_t at;
    size_t chosen;

    if (p->pair.n == 0)
        return NULL;
    if (p->pool.n == 0) {
        if (p->guide == BURL_GEN_GUIDE_COVCON_CODE)
            fill_with_best(p);
        else
            fill_with_ties(p);
    }
    at = (size_t)burl_rng_below(rng, p->pool.n);
    chosen = p->pool.v[at];
    p->pool.v[at] = p->pool.v[--p->pool.n];
    p->pair.v[chosen].tried++;
    return &p->pair.v[chosen];
}

/* ---- Algorithm 1 ------------------------------------------------------------------------- */

#define MAX_DEPTH 64u

struct running {
    uint16_t fn[MAX_DEPTH];
    unsigned n;
};

/* After the last event of the thread that ends second to last nothing can overlap. */
static size_t
last_of_interest(const struct burl_gen_event *events, size_t n, unsigned n_threads)
{
    size_t latest = 0;
    size_t second = 0;

    for (unsigned t = 0; t < n_threads; t++) {
        size_t end = 0;

        for (size_t i = 0; i < n; i++) {
            if (events[i].thread == t)
                end = i + 1;
        }
        if (end >= latest) {
            second = latest;
            latest = end;
        } else if (end > second) {
            second = end;
        }
    }
    return second;
}

static void
enter(struct burl_gen_pairs *p, struct running *cur, unsigned n_threads,
      const struct burl_gen_event *e)
{
    struct running *mine = &cur[e->thread];

    for (unsigned t = 0; t < n_threads; t++) {
        for (unsigned d = 0; t != e->thread && d < cur[t].n; d++) {
            struct burl_gen_pair *x = burl_gen_pairs_find(p, e->fn, cur[t].fn[d]);

            if (x != NULL)
                x->covered++;
        }
    }
    if (mine->n < MAX_DEPTH)
        mine->fn[mine->n++] = e->fn;
}

/* The innermost one of that name: an exit may have been lost. */
static void
leave(struct running *mine, uint16_t fn)
{
    for (unsigned d = mine->n; d > 0; d--) {
        if (mine->fn[d - 1] == fn) {
            mine->n = d - 1;
            return;
        }
    }
}

void
burl_gen_pairs_count(struct burl_gen_pairs *p, const struct burl_gen_event *events, size_t n,
                     unsigned n_threads)
{
    struct running cur[BURL_GEN_MAX_THREADS] = { 0 };

    n = last_of_interest(events, n, n_threads);
    for (size_t i = 0; i < n; i++) {
        if (events[i].thread >= n_threads)
            continue;
        if (events[i].leave)
            leave(&cur[events[i].thread], events[i].fn);
        else
            enter(p, cur, n_threads, &events[i]);
    }
}
