/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/goldisc.c - GOLDISC: how the Goldilocks rules decided an access (GoldiLockSC*, PAPERS 5.6).
 *
 * Runs in the target. The states are found in cover/goldilocks.c, which tells each access here
 * when the metric is asked for: (abstract variable, kind of thread, site, state). An access of an
 * assertion has no state of its own, but its past counts for others', since it can be part of a
 * race. Accesses of a thread that is alone count, as everywhere in cover/.
 */
#include "cover.h"

void
burl__cover_goldisc(struct burl_watch *w, const struct burl_access *a, uint32_t state)
{
    if ((a->flags & BURL_ACCESS_FREE) != 0 || a->site == 0 || burl__cover_is_assert(a->site))
        return;
    burl__cover_put(BURL_METRIC_GOLDISC, a->site, state, burl__cover_variable(a->addr),
                    burl__cover_who(w), 0);
}
