/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/tuner.h - a search with its results: what was evaluated, how good it was, what is best.
 *
 * Pure: outcomes come in, trials and a best setting come out. Giving a new tuner the outcomes of an
 * earlier one brings it to the same state, so the outcomes are all that a store has to keep.
 */
#ifndef BURL_TUNE_TUNER_H
#define BURL_TUNE_TUNER_H

#include "base/vec.h"
#include "tune/fitness.h"
#include "tune/search.h"

struct burl_evaluation {
    struct burl_trial trial;
    struct burl_tune_outcome outcome;
    double fitness; /* as the search learned it */
};

/* One setting with everything that its evaluations showed. */
struct burl_setting {
    struct burl_genes genes;
    struct burl_tune_outcome outcome; /* of all its evaluations by the search */
    uint32_t n; /* evaluations */
    uint64_t first; /* number of the first */
    double sum; /* of their fitness */
    /* The same of the final evaluations, which the search does not learn. */
    struct burl_tune_outcome final;
    uint32_t n_final;
    double sum_final;
};

/* One setting with one seed, tune/seeds.h. */
struct burl_seed {
    struct burl_genes genes;
    uint64_t seed;
    struct burl_tune_outcome outcome;
};

struct burl_tuner {
    const struct burl_genome *genome;
    const struct burl_search_ops *ops;
    struct burl_search *search;
    struct burl_fitness fitness;
    uint32_t jobs; /* trials that are given at once, at most */
    BURL_VEC(struct burl_trial) batch; /* given and not learned */
    BURL_VEC(struct burl_evaluation) done;
    BURL_VEC(struct burl_setting) settings;
    BURL_VEC(struct burl_trial) final_batch; /* as batch and done, of tune/finals.h */
    BURL_VEC(struct burl_evaluation) finals;
    BURL_VEC(struct burl_trial) seed_batch; /* as batch, of tune/seeds.h */
    BURL_VEC(struct burl_seed) seeds;
    uint64_t n_seed_trials;
    struct burl_evaluation last_seed;
    struct burl_tune_outcome total; /* warnings and coverage: the most of one evaluation */
};

void burl_tuner_init(struct burl_tuner *t, const struct burl_search_ops *ops,
                     const struct burl_search_config *cfg, const struct burl_fitness *fitness,
                     uint32_t jobs);
void burl_tuner_deinit(struct burl_tuner *t);
/* The trials to evaluate now, in this order; none when the search is over. The same until they are
 * learned. */
const struct burl_trial *burl_tuner_batch(struct burl_tuner *t, size_t *n);
/* The outcome of the first of them. */
const struct burl_evaluation *burl_tuner_learn(struct burl_tuner *t,
                                               const struct burl_tune_outcome *o);
/* Repeats an evaluation of an earlier process. False: this search would not have tried the
 * setting; nothing is learned. */
bool burl_tuner_recall(struct burl_tuner *t, const struct burl_genes *genes,
                       const struct burl_tune_outcome *o);
/* The best setting by all its evaluations together, final ones as well; NULL before the first. One
 * with errors where there is one. Of equals the one found first. */
const struct burl_setting *burl_tuner_best(const struct burl_tuner *t);
/* The setting, if it was evaluated; else NULL. */
struct burl_setting *burl_tuner_find(struct burl_tuner *t, const struct burl_genes *genes);
/* What all its evaluations showed. */
struct burl_tune_outcome burl_tuner_outcome(const struct burl_setting *s);
/* How good it is, by all its evaluations. */
double burl_tuner_value(const struct burl_tuner *t, const struct burl_setting *s);

/* Of the last generation that has evaluations. */
struct burl_tuner_generation {
    uint32_t generation;
    uint32_t n; /* evaluations */
    double best, mean;
};
struct burl_tuner_generation burl_tuner_generation(const struct burl_tuner *t);

#endif
