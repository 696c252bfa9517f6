/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/enumerate.h - numbers for schedules with few deviations from a fixed one.
 *
 * A schedule of a bounded enumeration is a set of `bound` places among the first `span` decisions
 * of an execution, with a choice at each. Sets have numbers, so that neither the host nor the
 * runtime keeps a list: the host hands out consecutive numbers, the runtime makes the set of one
 * (combinatorial number system). The host needs the totals, to know when all have been tried.
 *
 * Two properties are relied on. Sets are numbered by their last place first, so all sets within the
 * first `done` decisions come before the others: after a longer execution the enumeration continues
 * with the new sets and repeats none. And numbers are taken in an order that a key
 * decides (a Feistel network over the range, walked until it falls inside), so that a campaign that
 * cannot try all of them has tried places all over the execution, not only early ones.
 *
 * Totals saturate at BURL_ENUM_MANY. Such an enumeration cannot be completed, and the runtime draws
 * sets at random.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_ENUMERATE_H
#define BURL_WIRE_ENUMERATE_H

#include <stdint.h>

#define BURL_ENUM_MAX_BOUND 16u
#define BURL_ENUM_MANY (1ull << 60)

struct burl_enum {
    uint64_t span;   /* decisions, below 2^40 */
    uint64_t done;   /* sets within this many are not part of it */
    uint64_t key;    /* of the order */
    uint32_t bound;  /* places in a set, 1 .. BURL_ENUM_MAX_BOUND */
    uint32_t others; /* choices at each place, at least 1 */
    uint32_t repeats; /* nonzero: a place may be taken more than once (delays) */
};

struct burl_enum_place {
    uint64_t at;    /* decision, from 0; ascending within a set */
    uint32_t other; /* 0 .. others - 1 */
};

static inline uint64_t
burl_enum__times(uint64_t a, uint64_t b)
{
    return a != 0 && b > BURL_ENUM_MANY / a ? BURL_ENUM_MANY : a * b;
}

/* n over k. The product before a division is at most k times the result of it, so what runs over
 * 64 bits is above BURL_ENUM_MANY for every k allowed. */
static inline uint64_t
burl_enum_choose(uint64_t n, uint32_t k)
{
    uint64_t c = 1;

    if (k > n)
        return 0;
    for (uint32_t i = 1; i <= k; i++) {
        const uint64_t f = n - k + i;

        if (c > UINT64_MAX / f)
            return BURL_ENUM_MANY;
        c = c * f / i;
    }
    return c < BURL_ENUM_MANY ? c : BURL_ENUM_MANY;
}

/* Ways to choose at all places of one set. */
static inline uint64_t
burl_enum__choices(const struct burl_enum *e)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < e->bound; i++)
        n = burl_enum__times(n, e->others);
    return n;
}

/* All sets within the first `span` decisions. A set with repetition is one without among bound - 1
 * more places: the j-th moves up by j. */
static inline uint64_t
burl_enum__within(const struct burl_enum *e, uint64_t span)
{
    const uint64_t places = e->repeats && span > 0 ? span + e->bound - 1 : span;

    return burl_enum__times(burl_enum_choose(places, e->bound), burl_enum__choices(e));
}

/* How many schedules it has. */
static inline uint64_t
burl_enum_total(const struct burl_enum *e)
{
    const uint64_t all = burl_enum__within(e, e->span);

    return all < BURL_ENUM_MANY ? all - burl_enum__within(e, e->done) : BURL_ENUM_MANY;
}

static inline uint64_t
burl_enum__mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

/* A bijection of 0 .. n - 1; i < n. */
static inline uint64_t
burl_enum_shuffle(uint64_t i, uint64_t n, uint64_t key)
{
    uint32_t half = 1;
    uint64_t mask;

    while (half < 31 && n > 1ull << 2 * half)
        half++;
    mask = (1ull << half) - 1;
    do {
        uint64_t left = i >> half;
        uint64_t right = i & mask;

        for (uint64_t round = 0; round < 4; round++) {
            const uint64_t f = burl_enum__mix(right ^ burl_enum__mix(key + round)) & mask;
            const uint64_t old = right;

            right = left ^ f;
            left = old;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

/* The greatest p below `top` with p over k at most `rank`. */
static inline uint64_t
burl_enum__place(uint64_t rank, uint32_t k, uint64_t top)
{
    uint64_t lo = k - 1;

    while (top - lo > 1) {
        const uint64_t mid = lo + (top - lo) / 2;

        if (burl_enum_choose(mid, k) <= rank)
            lo = mid;
        else
            top = mid;
    }
    return lo;
}

/* The set with number `index`, below burl_enum_total(), which is below BURL_ENUM_MANY. */
static inline void
burl_enum_get(const struct burl_enum *e, uint64_t index, struct burl_enum_place *places)
{
    const uint64_t choices = burl_enum__choices(e);
    const uint64_t rank = burl_enum__within(e, e->done) +
                          burl_enum_shuffle(index, burl_enum_total(e), e->key);
    uint64_t set = rank / choices;
    uint64_t rest = rank % choices;
    uint64_t top = e->repeats ? e->span + e->bound - 1 : e->span;

    for (uint32_t k = e->bound; k > 0; k--) {
        top = burl_enum__place(set, k, top);
        set -= burl_enum_choose(top, k);
        places[k - 1].at = e->repeats ? top - (k - 1) : top;
        places[k - 1].other = (uint32_t)(rest % e->others);
        rest /= e->others;
    }
}

#endif
