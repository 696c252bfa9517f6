/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/rng.c - splitmix64 and xoshiro256**; see rng.h for the promise they carry.
 *
 * Runs in the host. Not for secrets.
 */
#include "base/rng.h"

#include "base/err.h"

uint64_t
burl_rng_splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

void
burl_rng_init(struct burl_rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = burl_rng_splitmix(&seed);
}

static uint64_t
rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t
burl_rng_next(struct burl_rng *r)
{
    uint64_t *s = r->s;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t
burl_rng_below(struct burl_rng *r, uint64_t n)
{
    uint64_t reject;
    uint64_t x;

    BURL_ASSERT(n != 0);
    /* The lowest 2^64 mod n values are refused: what is left divides evenly by n. */
    reject = -n % n;
    do {
        x = burl_rng_next(r);
    } while (x < reject);
    return x % n;
}
