/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/seed_busy.c - busyWait: the thread spins for s milliseconds of wall time and keeps its
 * processor.
 */
#include "noise_int.h"

#define ROUNDS 64 /* between two looks at the clock */

void
burl__noise_busy_wait(uint32_t ms)
{
    const uint64_t end = burl__noise_now(CLOCK_MONOTONIC) + ms * BURL_NOISE_NS_PER_MS;

    do {
        for (int i = 0; i < ROUNDS; i++)
            __builtin_ia32_pause();
    } while (burl__noise_now(CLOCK_MONOTONIC) < end);
}
