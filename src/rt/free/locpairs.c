/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/locpairs.c - free mode: the set of location pairs covered (PAPERS 2.2). Controlled mode has
 * pairs.c.
 *
 * A pair is (earlier site, later site) of two accesses to the same bytes by different threads, one
 * of which writes, with no other access between. Which access is the last one is known from the
 * shadow (free/shadow.c); here is the set: open addressing, one 64-bit word for each pair, inserted
 * by compare-and-swap. Each thread remembers the pairs it has just seen, so that a pair in a loop
 * does not reach the shared table.
 *
 * Departures from the paper: when the table is full further pairs are not counted; accesses to
 * parts of the same 4 bytes take each other's place, and a thread that follows an ended one in its
 * clock slot is taken for the same (a pair may be missed, none is made up); an access of an
 * assertion is no pair, but stands between others.
 */
#include "free_int.h"
#include "rt/cover/cover.h"

#define N_PAIRS (1u << 22) /* a pair of sites each; pages come when touched */
#define MAX_PROBES 256u

static uint64_t *pairs;

void
burl__locpairs_init(void)
{
    pairs = burl__free_map(N_PAIRS * sizeof *pairs);
    if (pairs == NULL || !burl__shadow_map_pairs())
        burl_free.pairs = false;
}

static void
pair_report(uint32_t earlier, uint32_t later)
{
    if (burl__cover_is_assert(earlier) || burl__cover_is_assert(later))
        return;
    __atomic_fetch_add(&burl_rt.ctl->result.n_pairs, 1, __ATOMIC_RELAXED);
    burl__cover_put(BURL_METRIC_LOCPAIRS, earlier, later, 0, 0, 0);
}

void
burl__locpairs_add(struct burl_free_thread *f, uint32_t earlier, uint32_t later)
{
    uint64_t pair = (uint64_t)earlier << 32 | later;
    uint64_t h = pair * 0x9e3779b97f4a7c15ull;
    uint64_t *cached = &f->pair_cache[h >> 56];
    uint32_t at = (uint32_t)(h >> 32) % N_PAIRS;

    if (*cached == pair || earlier == 0 || later == 0)
        return;
    *cached = pair;
    for (uint32_t i = 0; i < MAX_PROBES; i++, at = (at + 1) % N_PAIRS) {
        uint64_t old = 0;

        /* relaxed: the word is the whole of it */
        if (__atomic_load_n(&pairs[at], __ATOMIC_RELAXED) == pair)
            return;
        if (__atomic_load_n(&pairs[at], __ATOMIC_RELAXED) != 0)
            continue;
        if (__atomic_compare_exchange_n(&pairs[at], &old, pair, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            pair_report(burl__pair_site(earlier), burl__pair_site(later));
            return;
        }
        if (old == pair)
            return;
    }
}
