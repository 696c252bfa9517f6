/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/seeds.c - the seed of the best setting; contract in seeds.h.
 *
 * Runs in the host.
 */
#include "tune/seeds.h"

#include <stdlib.h>
#include <string.h>

/* One execution without failure in advance: eight failures of eight are more than one of one. */
static double
share_failed(const struct burl_seed *s)
{
    return burl_tune_errors(&s->outcome) / (s->outcome.executions + 1.0);
}

static int
by_share(const void *a, const void *b)
{
    const struct burl_seed *x = a;
    const struct burl_seed *y = b;
    const double diff = share_failed(x) - share_failed(y);

    if (diff != 0)
        return diff > 0 ? -1 : 1;
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static struct burl_seed *
find(const struct burl_tuner *t, const struct burl_genes *genes, uint64_t seed)
{
    for (size_t i = 0; i < t->seeds.n; i++) {
        if (t->seeds.v[i].seed == seed && burl_genes_equal(t->genome, &t->seeds.v[i].genes, genes))
            return &t->seeds.v[i];
    }
    return NULL;
}

/* All seeds of a setting, the best first. */
static void
rank(const struct burl_tuner *t, const struct burl_genes *genes, struct burl_seed v[BURL_SEEDS])
{
    for (uint32_t i = 0; i < BURL_SEEDS; i++) {
        const struct burl_seed *s = find(t, genes, i + 1);

        v[i] = s ? *s : (struct burl_seed){ .genes = *genes, .seed = i + 1 };
    }
    qsort(v, BURL_SEEDS, sizeof *v, by_share);
}

static void
add_trial(struct burl_tuner *t, const struct burl_seed *s)
{
    const struct burl_trial trial = { .n = BURL_SEEDS_BASE + t->n_seed_trials + t->seed_batch.n,
                                      .final = true,
                                      .seed = s->seed,
                                      .genes = s->genes };

    BURL_VEC_PUSH(&t->seed_batch, trial);
}

const struct burl_trial *
burl_seeds_batch(struct burl_tuner *t, size_t *n)
{
    const struct burl_setting *best = burl_tuner_best(t);
    struct burl_seed v[BURL_SEEDS];
    uint32_t wanted = 1;

    *n = t->seed_batch.n;
    if (*n > 0 || !best || burl_tune_errors(&best->outcome) + burl_tune_errors(&best->final) == 0)
        return t->seed_batch.v;
    rank(t, &best->genes, v);
    for (uint32_t field = BURL_SEEDS; field > 1 && t->seed_batch.n == 0; field /= 2) {
        for (uint32_t i = 0; i < field && t->seed_batch.n < t->jobs; i++) {
            if (v[i].outcome.executions < wanted)
                add_trial(t, &v[i]);
        }
        wanted *= 2;
    }
    *n = t->seed_batch.n;
    return t->seed_batch.v;
}

static const struct burl_evaluation *
add(struct burl_tuner *t, const struct burl_trial *trial, const struct burl_tune_outcome *o)
{
    struct burl_seed *s = find(t, &trial->genes, trial->seed);

    if (!s) {
        s = BURL_VEC_ADD(&t->seeds);
        *s = (struct burl_seed){ .genes = trial->genes, .seed = trial->seed };
    }
    burl_tune_outcome_add(&s->outcome, o);
    burl_tune_outcome_add(&t->total, o);
    t->n_seed_trials++;
    t->last_seed = (struct burl_evaluation){ .trial = *trial,
                                             .outcome = *o,
                                             .fitness = burl_fitness_value(&t->fitness, o) };
    return &t->last_seed;
}

const struct burl_evaluation *
burl_seeds_learn(struct burl_tuner *t, const struct burl_tune_outcome *o)
{
    const struct burl_trial trial = t->seed_batch.v[0];

    BURL_ASSERT(t->seed_batch.n > 0);
    memmove(t->seed_batch.v, t->seed_batch.v + 1, --t->seed_batch.n * sizeof trial);
    return add(t, &trial, o);
}

bool
burl_seeds_recall(struct burl_tuner *t, const struct burl_genes *genes, uint64_t seed,
                  const struct burl_tune_outcome *o)
{
    const struct burl_trial trial = {
        .n = BURL_SEEDS_BASE + t->n_seed_trials, .final = true, .seed = seed, .genes = *genes
    };

    if (seed < 1 || seed > BURL_SEEDS || !burl_tuner_find(t, genes))
        return false;
    add(t, &trial, o);
    return true;
}

void
burl_seeds_drop(struct burl_tuner *t)
{
    t->seed_batch.n = 0;
}

const struct burl_seed *
burl_seeds_best(const struct burl_tuner *t, const struct burl_genes *genes)
{
    struct burl_seed v[BURL_SEEDS];

    rank(t, genes, v);
    return v[0].outcome.executions > 0 ? find(t, genes, v[0].seed) : NULL;
}
