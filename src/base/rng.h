/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/rng.h - seeded random numbers for the host.
 *
 * splitmix64 spreads a seed, xoshiro256** makes the stream (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021). The stream of a seed
 * is part of the promise "same seed, same schedules": changing the generator is
 * a change of format. The host takes no randomness from elsewhere.
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

#endif
