/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/seeds.h - with which seed does the best setting make the program fail most often?
 *
 * A setting with a seed makes the same draws in every run, and for a small program the draws decide
 * almost everything: a setting under which 40 of 100 executions fail is often one under which 40 of
 * 100 seeds fail always. A search uses another seed for each execution. The file that it writes has
 * one, and which one that is must not be left to chance.
 *
 * So after the finals the best setting is executed with BURL_SEEDS seeds: once with each, and again
 * with the better half, the better quarter and so on, twice as often each time. As in the finals
 * the order is decided anew after each execution, and there is no state but the executions.
 */
#ifndef BURL_TUNE_SEEDS_H
#define BURL_TUNE_SEEDS_H

#include "tune/tuner.h"

/* Numbers of these trials begin here, above those of the finals. */
#define BURL_SEEDS_BASE (2ull << 32)
/* The seeds are 1 to this. */
#define BURL_SEEDS 16u

/* The trials to execute now, once each, at most t->jobs and with different seeds; none when the
 * seeds of the best setting are tried often enough, or when no execution under it failed. The same
 * until they are learned. */
const struct burl_trial *burl_seeds_batch(struct burl_tuner *t, size_t *n);
/* The outcome of the first of them. */
const struct burl_evaluation *burl_seeds_learn(struct burl_tuner *t,
                                               const struct burl_tune_outcome *o);
/* Repeats one of an earlier process. False: there is no such setting or seed. */
bool burl_seeds_recall(struct burl_tuner *t, const struct burl_genes *genes, uint64_t seed,
                       const struct burl_tune_outcome *o);
/* Those that are not learned will not be. */
void burl_seeds_drop(struct burl_tuner *t);
/* The best seed of a setting; NULL: none was tried. Of equals the smallest. */
const struct burl_seed *burl_seeds_best(const struct burl_tuner *t, const struct burl_genes *genes);

#endif
