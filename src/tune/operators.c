/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/operators.c - crossover, mutation, selection; contract in operators.h.
 *
 * Runs in the host. As ECJ, which the paper used, has them: tournaments draw with replacement,
 * proportional selection takes the raw fitness, probabilities are per entry.
 */
#include "tune/operators.h"

#include <math.h>

/* Uniform in [0, 1) with 53 bits. */
static double
unit(struct burl_rng *rng)
{
    return (double)(burl_rng_next(rng) >> 11) * 0x1p-53;
}

bool
burl_chance(struct burl_rng *rng, double probability)
{
    return unit(rng) < probability;
}

/* Box and Muller. The second number of a pair is not kept: a draw depends on nothing else. */
double
burl_gauss(struct burl_rng *rng)
{
    const double u = 1.0 - unit(rng);
    const double v = unit(rng);

    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

void
burl_crossover(const struct burl_genome *g, struct burl_genes *a, struct burl_genes *b,
               double probability, struct burl_rng *rng)
{
    for (size_t i = 0; i < g->n; i++) {
        if (burl_chance(rng, probability)) {
            const int32_t keep = a->v[i];

            a->v[i] = b->v[i];
            b->v[i] = keep;
        }
    }
}

int32_t
burl_mutate_gene(const struct burl_gene *gene, int32_t value, struct burl_rng *rng)
{
    const double range = (double)gene->max - gene->min;
    const double deviation = range * 0.1 > 2.0 ? range * 0.1 : 2.0;
    double x;

    if (!gene->ordinal)
        return gene->min + (int32_t)burl_rng_below(rng, (uint64_t)range + 1);
    x = round(value + deviation * burl_gauss(rng));
    if (x < gene->min)
        return gene->min;
    return x > gene->max ? gene->max : (int32_t)x;
}

void
burl_mutate(const struct burl_genome *g, struct burl_genes *x, double probability,
            struct burl_rng *rng)
{
    for (size_t i = 0; i < g->n; i++) {
        if (burl_chance(rng, probability))
            x->v[i] = burl_mutate_gene(&g->v[i], x->v[i], rng);
    }
}

void
burl_mutate_one(const struct burl_genome *g, struct burl_genes *x, struct burl_rng *rng)
{
    const size_t i = burl_rng_below(rng, g->n);

    x->v[i] = burl_mutate_gene(&g->v[i], x->v[i], rng);
}

size_t
burl_select_tournament(const double *fitness, size_t n, size_t size, struct burl_rng *rng)
{
    size_t best = burl_rng_below(rng, n);

    for (size_t i = 1; i < size; i++) {
        const size_t other = burl_rng_below(rng, n);

        if (fitness[other] > fitness[best])
            best = other;
    }
    return best;
}

size_t
burl_select_proportional(const double *fitness, size_t n, struct burl_rng *rng)
{
    double sum = 0;
    double at;

    for (size_t i = 0; i < n; i++)
        sum += fitness[i];
    if (!(sum > 0))
        return burl_rng_below(rng, n);
    at = unit(rng) * sum;
    for (size_t i = 0; i < n; i++) {
        at -= fitness[i];
        if (at < 0)
            return i;
    }
    /* Rounding: the last that has a share. */
    while (n > 1 && !(fitness[n - 1] > 0))
        n--;
    return n - 1;
}

void
burl_select_best(const double *fitness, size_t n, size_t *out, size_t n_best)
{
    for (size_t k = 0; k < n_best; k++) {
        size_t best = n;

        for (size_t i = 0; i < n; i++) {
            bool taken = false;

            for (size_t j = 0; j < k; j++)
                taken |= out[j] == i;
            if (!taken && (best == n || fitness[i] > fitness[best]))
                best = i;
        }
        out[k] = best;
    }
}
