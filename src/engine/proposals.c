/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proposals.c - which read should see which write next.
 */
#include <stdlib.h>

#include "engine/engine_int.h"

size_t
burl__proposals_next(struct burl_campaign *c, struct burl_work *works, size_t max)
{
    (void)c;
    (void)works;
    (void)max;
    return 0;
}

void
burl__proposals_free(struct burl_proposals *p)
{
    free(p);
}

void
burl__proposals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    (void)c;
    (void)m;
}

void
burl__proposals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    (void)c;
    (void)m;
}
