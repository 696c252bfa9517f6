/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/rng.h - seeded random numbers for the host.
 *
 * splitmix64 spreads a seed, xoshiro256** makes the stream (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021). The stream of a seed
 * is part of the promise "same seed, same schedules": changing the generator is
 * a change of format. Nothing in the host may take randomness from elsewhere,
 * except a first seed the user did not give: burl_rng_entropy().
 */
#ifndef BURL_BASE_RNG_H
#define BURL_BASE_RNG_H

#include <stdint.h>

struct burl_rng {
    uint64_t s[4];
};

/* Advances *state and returns the next value; also a good mixer of one number. */
uint64_t burl_rng_splitmix(uint64_t *state);
void burl_rng_init(struct burl_rng *r, uint64_t seed);
uint64_t burl_rng_next(struct burl_rng *r);
/* Uniform in [0, n), without bias; n must not be 0. */
uint64_t burl_rng_below(struct burl_rng *r, uint64_t n);
/* Uniform in [0, 1). */
double burl_rng_unit(struct burl_rng *r);
/* From the system, for a seed nobody gave; not reproducible by nature. */
uint64_t burl_rng_entropy(void);

#endif
