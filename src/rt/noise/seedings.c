/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/seedings.c - what a thread does at an injection: one of the basic seedings, or (mixed) one
 * of the five chosen anew each time.
 */
#include "noise_int.h"

void
burl__noise_seed(uint32_t seeding, uint32_t strength, uint64_t draw)
{
    if (seeding == BURL_NOISE_MIXED)
        seeding = burl__noise_below((uint32_t)draw, BURL_NOISE_MIXED);
    switch (seeding) {
    case BURL_NOISE_SLEEP:
        burl__noise_sleep(strength);
        break;
    case BURL_NOISE_WAIT:
        burl__noise_wait(strength);
        break;
    case BURL_NOISE_BUSY_WAIT:
        burl__noise_busy_wait(strength);
        break;
    case BURL_NOISE_SYNCH_YIELD:
        burl__noise_synch_yield(strength);
        break;
    default:
        burl__noise_yield(strength);
    }
}
