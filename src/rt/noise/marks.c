/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/marks.c - marks and variables of sites, which lie in the control block.
 *
 * The host puts in what it knows, and reads what a run has added (wire/noise.h). A mark is only
 * ever set, so two threads that set different ones need no lock.
 */
#include "noise_int.h"

static uint8_t *marks;
static const uint32_t *variables;
static uint32_t n_sites;

void
burl__noise_marks_start(void)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    marks = (uint8_t *)ctl + ctl->points_off;
    variables = (const uint32_t *)(const void *)((const char *)ctl + ctl->gates_new_off);
    n_sites = (uint32_t)ctl->points_n;
}

uint32_t
burl__noise_n_sites(void)
{
    return n_sites;
}

uint32_t
burl__noise_marks(uint32_t site)
{
    /* relaxed: a mark that is seen a moment later is noise a moment later */
    return site < n_sites ? __atomic_load_n(&marks[site], __ATOMIC_RELAXED) : 0;
}

bool
burl__noise_mark(uint32_t site, uint32_t mark)
{
    if (site == 0 || site >= n_sites || (burl__noise_marks(site) & mark) != 0)
        return false;
    __atomic_fetch_or(&marks[site], (uint8_t)mark, __ATOMIC_RELAXED);
    return true;
}

uint32_t
burl__noise_variable(uint32_t site)
{
    return site < n_sites ? variables[site] : 0;
}

void
burl_noise_switched(uint32_t earlier)
{
    (void)burl__noise_mark(earlier, BURL_NOISE_MARK_SWITCHED);
}
