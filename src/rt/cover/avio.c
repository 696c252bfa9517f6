/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/avio.c - AVIO: Avio* (PAPERS 5.6).
 *
 * Runs in the target. (first, remote, second): two consecutive accesses of one thread to a byte and
 * another thread's in between, with the abstract variable and threads. Every such triple counts;
 * the four that no serial order explains are flagged.
 */
#include "history.h"

static void
triple(const struct burl_mark *first, const struct burl_mark *remote, struct burl_watch *w,
       const struct burl_access *a, uintptr_t addr)
{
    bool unserial;
    uint64_t h;

    (void)w;
    if (remote == NULL)
        return;
    unserial = burl__unserializable(first->flags, remote->flags, a->flags);
    h = burl_wire_mix(burl__cover_variable(addr), (uint64_t)first->ctx << 32 | remote->ctx);
    burl__cover_put(BURL_METRIC_AVIO, first->site, remote->site, a->site, (uint32_t)(h ^ h >> 32),
                    unserial ? BURL_COVER_F_UNSERIAL : 0);
}

static struct burl_history history = { .triple = triple };

BURL_HISTORY_LIFE(&history)

static void
avio_access(struct burl_watch *w, const struct burl_access *a)
{
    if (burl__cover_looks(a, forget))
        burl__history_access(&history, w, a, burl__cover_who(w));
}

const struct burl_observer burl_observer_avio = BURL_MEMORY_METRIC("avio", avio_access);
