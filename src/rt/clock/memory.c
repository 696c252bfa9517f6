/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/memory.c - the observers' memory: a bump region that starts anew with each execution.
 *
 * Runs in the target. Observing must never end the program (R6): when an execution has used more
 * than a program of that size can reasonably need, observation ends for the rest of it, with a
 * counter, and what was asked for is still given.
 */
#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "rt/core/core.h"
#include "rt/core/event.h"
#include "rt/core/sys.h"
#include "rt/core/verdict.h"

#define REGION_B (16ull << 30) /* address space only */
#define ENOUGH_B (1ull << 30)
#define CLEAR_B (4ull << 20) /* above this the kernel gives fresh pages cheaper than we clear old */

static char *base;
static size_t used;

void *
burl_ob_alloc(size_t n)
{
    void *p;

    n = (n + 15) & ~(size_t)15;
    if (base == NULL)
        base = burl__mem_map(REGION_B);
    if (used > ENOUGH_B && burl_ob_mask != 0) {
        burl_ob_mask = 0;
        burl_ob_wants = burl_ob_keeps;
        burl_rt_count(BURL_COUNTER_SHADOW_FULL);
    }
    p = base + used;
    used += n;
    return p;
}

void
burl__ob_memory_reset(void)
{
    if (used > CLEAR_B)
        BURL_SYS3(SYS_madvise, base, (used + 4095) & ~(size_t)4095, MADV_DONTNEED);
    else if (used != 0)
        memset(base, 0, used);
    used = 0;
}
