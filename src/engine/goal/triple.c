/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/triple.c - goals of kind TRIPLE: another thread's access between two of one thread.
 *
 * Runs in the host. An interrupted triple often breaks what the thread assumed. One that was
 * reached and did no harm is tried again when nothing else is left: other executions through it may
 * fail. A triple inside a marked region is a broken region: that has happened and is a finding.
 */
#include "engine/engine_int.h"

static void
triple_order(struct burl_campaign *c, size_t at, struct burl_work *w)
{
    (void)at;
    w->observers |= c->cfg->observers & BURL_OB(TRIPLE); /* it may break a marked region */
}

const struct burl_goal_rules burl__triple_rules = {
    .class = 1,
    .may_be_harmless = true,
    .order = triple_order,
    .judge = burl__suspects_judge_by_hit,
};

/* ---- regions ----------------------------------------------------------------------- */

bool
burl__region_is_known(const struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    for (size_t i = 0; e->suspect.kind == BURL_SUSPECT_REGION && i < c->stats->n_suspects; i++) {
        const struct burl_campaign_suspect *o = &c->stats->suspects[i];

        if (o->suspect.kind == BURL_SUSPECT_REGION && o->goal.state == BURL_GOAL_STATE_CONFIRMED &&
            o->suspect.sites[0] == e->suspect.sites[0] &&
            o->suspect.sites[2] == e->suspect.sites[2] &&
            burl__suspects_has_finding(c, o->fingerprint)) {
            e->fingerprint = o->fingerprint;
            return true;
        }
    }
    return false;
}

void
burl__region_settle_triple(struct burl_campaign *c, const struct burl_wire_suspect *region,
                           uint64_t fingerprint)
{
    const uint64_t key = burl_wire_suspect_key(BURL_SUSPECT_TRIPLE, region->sites, region->n_sites);
    uint64_t at;

    if (!burl__suspects_find(c, key, &at))
        return;
    c->stats->suspects[at].goal.state = BURL_GOAL_STATE_CONFIRMED;
    c->stats->suspects[at].fingerprint = fingerprint;
}
