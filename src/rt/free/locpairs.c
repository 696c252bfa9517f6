/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/locpairs.c - free mode: location pairs covered (PAPERS 2.2). Controlled mode has
 * cover/pairs.c.
 *
 * A pair is (earlier site, later site) of two accesses to the same bytes by different threads, one
 * of which writes, with no other access between. Which access is the last one is known from the
 * shadow (free/shadow.c). Each thread remembers the pairs it has just seen, so that a pair in a
 * loop does not reach the set that all share (cover/cover.c).
 *
 * Departures from the paper: when the set is full further pairs are not counted; accesses to parts
 * of the same 4 bytes take each other's place, and a thread that follows an ended one in its clock
 * slot is taken for the same (a pair may be missed, none is made up); an access of an assertion is
 * no pair, but stands between others.
 */
#include "free_int.h"
#include "rt/cover/cover.h"

void
burl__locpairs_add(struct burl_free_thread *f, uint32_t earlier, uint32_t later)
{
    uint64_t pair = (uint64_t)earlier << 32 | later;
    uint64_t *cached = &f->pair_cache[pair * 0x9e3779b97f4a7c15ull >> 56];

    if (*cached == pair || earlier == 0 || later == 0)
        return;
    *cached = pair;
    earlier = burl__pair_site(earlier);
    later = burl__pair_site(later);
    if (burl_noise_on)
        burl_noise_switched(earlier);
    if (burl_free.locpairs && !burl__cover_is_assert(earlier) && !burl__cover_is_assert(later) &&
        burl__cover_put(BURL_METRIC_LOCPAIRS, earlier, later, 0, 0, 0))
        __atomic_fetch_add(&burl_rt.ctl->result.n_pairs, 1, __ATOMIC_RELAXED);
}
