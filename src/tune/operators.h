/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/operators.h - the operators of the genetic algorithm, each on its own.
 *
 * All randomness comes from the generator that is given.
 */
#ifndef BURL_TUNE_OPERATORS_H
#define BURL_TUNE_OPERATORS_H

#include "tune/genes.h"

/* True with this probability. */
bool burl_chance(struct burl_rng *rng, double probability);
/* Normal distribution with mean 0 and standard deviation 1. */
double burl_gauss(struct burl_rng *rng);

/* Any-point crossover: each entry of the two is swapped with this probability. */
void burl_crossover(const struct burl_genome *g, struct burl_genes *a, struct burl_genes *b,
                    double probability, struct burl_rng *rng);

/* One entry: ordinal ones move by a Gaussian with standard deviation max(10 % of the range, 2),
 * rounded and clamped; others become any value of the range, the present one included. */
int32_t burl_mutate_gene(const struct burl_gene *gene, int32_t value, struct burl_rng *rng);
/* Each entry with this probability. */
void burl_mutate(const struct burl_genome *g, struct burl_genes *x, double probability,
                 struct burl_rng *rng);
/* One entry, each equally likely. */
void burl_mutate_one(const struct burl_genome *g, struct burl_genes *x, struct burl_rng *rng);

/* The index of the fittest of `size` drawn with replacement; the first drawn wins a tie. */
size_t burl_select_tournament(const double *fitness, size_t n, size_t size, struct burl_rng *rng);
/* An index with the probability of its share in the sum; uniform when the sum is 0. Fitness is not
 * negative. */
size_t burl_select_proportional(const double *fitness, size_t n, struct burl_rng *rng);
/* The indices of the `n_best` fittest, best first; of equals the lower index comes first. */
void burl_select_best(const double *fitness, size_t n, size_t *out, size_t n_best);

#endif
