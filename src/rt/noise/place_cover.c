/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/place_cover.c - coverage-based placement: before accesses that were directly followed, in
 * this run or an earlier one, by a conflicting access of another thread. Noise there may turn the
 * order around.
 *
 * Adapted: at the n-th execution of its site in this run, n from 0, the chance is
 * freq * H / (H + n), H = BURL_NOISE_HALF. A place that is executed often does not use up all the
 * time, and one that is rare keeps the full frequency.
 */
#include <sys/mman.h>

#include "noise_int.h"

static uint32_t *executions; /* by site; NULL: not counted */

void
burl__noise_cover_start(void)
{
    const size_t n = burl__noise_n_sites() * sizeof *executions;
    long p;

    if (burl__noise.cover != BURL_NOISE_COVER_ADAPTED)
        return;
    p = BURL_SYS6(SYS_mmap, NULL, n, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p > 0 || p < -4095)
        executions = (uint32_t *)p;
}

bool
burl__noise_place_cover(const struct burl_noise_point *p)
{
    return p->n != 0 && burl__noise.cover != BURL_NOISE_COVER_OFF &&
           (burl__noise_marks(p->site) & BURL_NOISE_MARK_SWITCHED) != 0;
}

/* How often the site was executed before. Counts that two threads lose to each other do not
 * matter. */
static uint32_t
count_execution(uint32_t site)
{
    uint32_t n;

    if (executions == NULL || site >= burl__noise_n_sites())
        return 0;
    n = __atomic_load_n(&executions[site], __ATOMIC_RELAXED);
    if (n < UINT32_MAX - BURL_NOISE_HALF)
        __atomic_store_n(&executions[site], n + 1, __ATOMIC_RELAXED);
    return n;
}

bool
burl__noise_cover_injects(const struct burl_noise_point *p, uint64_t draw)
{
    const bool below = burl__noise_below((uint32_t)draw, BURL_NOISE_MAX_FREQ) < burl__noise.freq;

    if (burl__noise.cover != BURL_NOISE_COVER_ADAPTED)
        return below;
    return burl__noise_below((uint32_t)(draw >> 32), BURL_NOISE_HALF + count_execution(p->site)) <
               BURL_NOISE_HALF &&
           below;
}
