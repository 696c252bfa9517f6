/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/tuner.c - a search with its results; contract in tuner.h.
 *
 * Runs in the host. With our fitness a setting that is evaluated again is judged by all its
 * executions together: five are few, and one lucky failure, or one unlucky round without, decides
 * too much. F1 and F2 judge each evaluation alone, as in the paper.
 */
#include "tune/tuner.h"

#include <string.h>

void
burl_tuner_init(struct burl_tuner *t, const struct burl_search_ops *ops,
                const struct burl_search_config *cfg, const struct burl_fitness *fitness,
                uint32_t jobs)
{
    *t = (struct burl_tuner){
        .genome = cfg->genome, .ops = ops, .fitness = *fitness, .jobs = jobs > 0 ? jobs : 1
    };
    t->search = ops->create(cfg);
}

void
burl_tuner_deinit(struct burl_tuner *t)
{
    if (t->search)
        t->ops->destroy(t->search);
    BURL_VEC_FREE(&t->batch);
    BURL_VEC_FREE(&t->done);
    BURL_VEC_FREE(&t->settings);
    BURL_VEC_FREE(&t->final_batch);
    BURL_VEC_FREE(&t->finals);
    BURL_VEC_FREE(&t->seed_batch);
    BURL_VEC_FREE(&t->seeds);
    memset(t, 0, sizeof *t);
}

const struct burl_trial *
burl_tuner_batch(struct burl_tuner *t, size_t *n)
{
    struct burl_trial trial;

    if (t->batch.n == 0) {
        while (t->batch.n < t->jobs && t->ops->next(t->search, &trial))
            BURL_VEC_PUSH(&t->batch, trial);
    }
    *n = t->batch.n;
    return t->batch.v;
}

struct burl_setting *
burl_tuner_find(struct burl_tuner *t, const struct burl_genes *genes)
{
    for (size_t i = 0; i < t->settings.n; i++) {
        if (burl_genes_equal(t->genome, &t->settings.v[i].genes, genes))
            return &t->settings.v[i];
    }
    return NULL;
}

static struct burl_setting *
setting_of(struct burl_tuner *t, const struct burl_trial *trial)
{
    struct burl_setting *s = burl_tuner_find(t, &trial->genes);

    if (s)
        return s;
    s = BURL_VEC_ADD(&t->settings);
    s->genes = trial->genes;
    s->first = trial->n;
    return s;
}

const struct burl_evaluation *
burl_tuner_learn(struct burl_tuner *t, const struct burl_tune_outcome *o)
{
    const struct burl_trial trial = t->batch.v[0];
    struct burl_setting *s = setting_of(t, &trial);
    double value;

    BURL_ASSERT(t->batch.n > 0);
    memmove(t->batch.v, t->batch.v + 1, --t->batch.n * sizeof *t->batch.v);
    burl_fitness_see(&t->fitness, o);
    burl_tune_outcome_add(&t->total, o);
    burl_tune_outcome_add(&s->outcome, o);
    s->n++;
    value = burl_fitness_value(&t->fitness, t->fitness.kind == BURL_FITNESS_BURL ? &s->outcome : o);
    s->sum += value;
    t->ops->learn(t->search, &trial, value);
    BURL_VEC_PUSH(&t->done,
                  (struct burl_evaluation){ .trial = trial, .outcome = *o, .fitness = value });
    return &t->done.v[t->done.n - 1];
}

bool
burl_tuner_recall(struct burl_tuner *t, const struct burl_genes *genes,
                  const struct burl_tune_outcome *o)
{
    size_t n;
    const struct burl_trial *trial = burl_tuner_batch(t, &n);

    if (n == 0 || !burl_genes_equal(t->genome, &trial->genes, genes))
        return false;
    burl_tuner_learn(t, o);
    return true;
}

struct burl_tune_outcome
burl_tuner_outcome(const struct burl_setting *s)
{
    struct burl_tune_outcome o = s->outcome;

    burl_tune_outcome_add(&o, &s->final);
    return o;
}

/* Final evaluations of a setting after which those of the search say nothing more about it:
 * metrics disturb the timing, and a setting that makes a slowed program fail may leave the
 * program alone. */
#define FINALS_ENOUGH 3u

double
burl_tuner_value(const struct burl_tuner *t, const struct burl_setting *s)
{
    const struct burl_tune_outcome all = burl_tuner_outcome(s);
    const bool is_decided = s->n_final >= FINALS_ENOUGH && burl_tune_errors(&s->final) > 0;

    if (t->fitness.kind == BURL_FITNESS_BURL)
        return burl_fitness_value(&t->fitness, is_decided ? &s->final : &all);
    return s->n > 0 ? (s->sum + s->sum_final) / (s->n + s->n_final) : 0;
}

const struct burl_setting *
burl_tuner_best(const struct burl_tuner *t)
{
    const struct burl_setting *best = NULL;

    for (size_t i = 0; i < t->settings.n; i++) {
        const struct burl_setting *s = &t->settings.v[i];

        if (!best || burl_tuner_value(t, s) > burl_tuner_value(t, best))
            best = s;
    }
    return best;
}

struct burl_tuner_generation
burl_tuner_generation(const struct burl_tuner *t)
{
    struct burl_tuner_generation g = { 0 };

    if (t->done.n == 0)
        return g;
    g.generation = t->done.v[t->done.n - 1].trial.generation;
    for (size_t i = t->done.n; i-- > 0 && t->done.v[i].trial.generation == g.generation;) {
        const double x = t->done.v[i].fitness;

        g.best = g.n == 0 || x > g.best ? x : g.best;
        g.mean += x;
        g.n++;
    }
    g.mean /= g.n;
    return g;
}
