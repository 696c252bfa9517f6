/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/finals.c - final evaluations; contract in finals.h.
 *
 * Runs in the host. This is successive halving with a field that may change: what is to be done
 * next depends on the evaluations alone, so there is no state that a store would have to keep.
 */
#include "tune/finals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Final evaluations that a short search gets as well: those of four finalists. */
#define FINALS_LEAST 8u

struct ranked {
    size_t setting;
    double value;
};

static int
by_value(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->setting < y->setting ? -1 : x->setting > y->setting;
}

/* Settings under which an execution failed, the best first. */
static struct ranked *
rank(const struct burl_tuner *t, size_t *n)
{
    struct ranked *v = burl_xcalloc(t->settings.n + 1, sizeof *v);

    *n = 0;
    for (size_t i = 0; i < t->settings.n; i++) {
        const struct burl_setting *s = &t->settings.v[i];

        if (burl_tune_errors(&s->outcome) > 0)
            v[(*n)++] = (struct ranked){ i, burl_tuner_value(t, s) };
    }
    if (*n > 1)
        qsort(v, *n, sizeof *v, by_value);
    return v;
}

/* All evaluations of finals with this many finalists. */
static size_t
evaluations_of(uint32_t field)
{
    size_t sum = 0;
    size_t more = 1;

    for (; field > 1; field /= 2, more *= 2)
        sum += field * more;
    return sum;
}

/* Finals are shorter than half of the search. With too many finalists the time would be over after
 * the first round, in which each has no more executions than the search gave it. */
static uint32_t
field_of(const struct burl_tuner *t, uint32_t n_finalists)
{
    const size_t most = t->done.n / 2 > FINALS_LEAST ? t->done.n / 2 : FINALS_LEAST;

    while (n_finalists > 2 && evaluations_of(n_finalists) > most)
        n_finalists /= 2;
    return n_finalists;
}

const struct burl_trial *
burl_finals_batch(struct burl_tuner *t, uint32_t n_finalists, size_t *n)
{
    size_t n_ranked;
    struct ranked *v;
    uint32_t wanted = 1;

    *n = t->final_batch.n;
    if (*n > 0)
        return t->final_batch.v;
    v = rank(t, &n_ranked);
    /* One finalist alone has nothing to be compared with. */
    for (uint32_t field = field_of(t, n_finalists); field > 1 && n_ranked > 1 && *n == 0;
         field /= 2) {
        for (size_t i = 0; i < field && i < n_ranked && *n < t->jobs; i++) {
            const struct burl_setting *s = &t->settings.v[v[i].setting];

            if (s->n_final >= wanted)
                continue;
            BURL_VEC_PUSH(&t->final_batch,
                          (struct burl_trial){ .n = BURL_FINALS_BASE + t->finals.n + *n,
                                               .final = true,
                                               .genes = s->genes });
            (*n)++;
        }
        wanted = 2 * wanted + 1;
    }
    free(v);
    return t->final_batch.v;
}

static const struct burl_evaluation *
add(struct burl_tuner *t, const struct burl_trial *trial, struct burl_setting *s,
    const struct burl_tune_outcome *o)
{
    const double value = burl_fitness_value(&t->fitness, o);

    burl_tune_outcome_add(&t->total, o);
    burl_tune_outcome_add(&s->final, o);
    s->n_final++;
    s->sum_final += value;
    BURL_VEC_PUSH(&t->finals,
                  (struct burl_evaluation){ .trial = *trial, .outcome = *o, .fitness = value });
    return &t->finals.v[t->finals.n - 1];
}

const struct burl_evaluation *
burl_finals_learn(struct burl_tuner *t, const struct burl_tune_outcome *o)
{
    const struct burl_trial trial = t->final_batch.v[0];

    BURL_ASSERT(t->final_batch.n > 0);
    memmove(t->final_batch.v, t->final_batch.v + 1, --t->final_batch.n * sizeof trial);
    return add(t, &trial, burl_tuner_find(t, &trial.genes), o);
}

bool
burl_finals_recall(struct burl_tuner *t, const struct burl_genes *genes,
                   const struct burl_tune_outcome *o)
{
    const struct burl_trial trial = { .n = BURL_FINALS_BASE + t->finals.n,
                                      .final = true,
                                      .genes = *genes };
    struct burl_setting *s = burl_tuner_find(t, genes);

    if (!s)
        return false;
    add(t, &trial, s, o);
    return true;
}

void
burl_finals_drop(struct burl_tuner *t)
{
    t->final_batch.n = 0;
}
