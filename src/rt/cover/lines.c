/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/lines.c - LINES and BLOCKS: what was executed at all.
 *
 * Runs in the target. A line is known by the sites on it (function entries, accesses, calls, and
 * blocks in a program built with --blocks): each site is an item when it is executed first in this
 * process, and the host folds them by file and line. A line without a site is not counted. The map
 * that makes this cheap is shared with the children of a fork server.
 *
 * A block is covered by a kind of thread (names.c).
 */
#include <sys/mman.h>

#include "cover.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"

#define MEMO 128u

uint8_t *burl__cover_lines;
uint32_t burl__cover_n_lines;

void
burl__cover_lines_prepare(void)
{
    uint32_t n = burl_rt.ctl->n_sites;
    long p;

    if (n <= burl__cover_n_lines)
        return;
    p = BURL_SYS6(SYS_mmap, 0, n, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p < 0 && p > -4096)
        return; /* every site is then looked up in the set */
    burl__cover_lines = (uint8_t *)p;
    __atomic_store_n(&burl__cover_n_lines, n, __ATOMIC_RELEASE); /* pairs with burl__cover_line() */
}

/* Free mode begins before the modules are known. */
static void
prepare_once(void)
{
    static bool done;

    if (burl__cover_n_lines == 0 && burl_rt.ctl->n_sites != 0 &&
        !__atomic_exchange_n(&done, true, __ATOMIC_RELAXED)) /* the first thread does it */
        burl__cover_lines_prepare();
}

void
burl__cover_line_slow(uint32_t site)
{
    if (site == 0)
        return;
    burl__cover_put(BURL_METRIC_LINES, site, 0, 0, 0, 0);
    prepare_once();
    if (site < burl__cover_n_lines)
        __atomic_store_n(&burl__cover_lines[site], 1, __ATOMIC_RELAXED); /* a hint */
}

const struct burl_observer burl_observer_lines = {
    .wants = BURL_WANT_LINES,
};

/* ---- blocks ---------------------------------------------------------------------------------- */

struct own {
    uint32_t seen[MEMO]; /* sites it has just been at */
};

static void
blocks_block(struct burl_watch *w, uint32_t site)
{
    struct own *own = burl_ob_own(w, BURL_OBSERVER_BLOCKS, sizeof *own);

    if (own->seen[site % MEMO] == site)
        return;
    own->seen[site % MEMO] = site;
    burl__cover_put(BURL_METRIC_BLOCKS, site, 0, 0, burl__cover_thread(w), 0);
}

const struct burl_observer burl_observer_blocks = {
    .wants = BURL_WANT_BLOCKS | BURL_WANT_CALLS,
    .block = blocks_block,
};
