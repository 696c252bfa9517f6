/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/seed_yield.c - yield: the thread gives up the processor, s times.
 */
#include "noise_int.h"

void
burl__noise_yield(uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        BURL_SYS0(SYS_sched_yield);
}
