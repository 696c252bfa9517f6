/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/pinv.c - PINV: pair interleavings (Lu, Jiang and Zhou, ESEC/FSE 2007).
 *
 * Runs in the target. Two consecutive accesses of one thread to a byte, and an access of another
 * thread that came in between, or none: both are tasks. The four triples that no serial order
 * explains are flagged.
 */
#include "history.h"

static void
triple(const struct burl_mark *first, const struct burl_mark *remote, struct burl_watch *w,
       const struct burl_access *a, uintptr_t addr)
{
    bool unserial = remote != NULL && burl__unserializable(first->flags, remote->flags, a->flags);

    (void)w;
    (void)addr;
    burl__cover_put(BURL_METRIC_PINV, first->site, remote != NULL ? remote->site : 0, a->site, 0,
                    unserial ? BURL_COVER_F_UNSERIAL : 0);
}

static struct burl_history history = { .triple = triple };

BURL_HISTORY_LIFE(&history)

static void
pinv_access(struct burl_watch *w, const struct burl_access *a)
{
    if (burl__cover_looks(a, forget))
        burl__history_access(&history, w, a, 0);
}

const struct burl_observer burl_observer_pinv = BURL_MEMORY_METRIC("pinv", pinv_access);
