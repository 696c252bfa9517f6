/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/seed_sleep.c - sleep: the thread sleeps s milliseconds. A signal ends it early, so that its
 * handler's effect is not delayed further.
 */
#include "noise_int.h"

void
burl__noise_sleep(uint32_t ms)
{
    burl__noise_pause(ms * BURL_NOISE_NS_PER_MS);
}
