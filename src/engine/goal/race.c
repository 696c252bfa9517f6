/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/race.c - goals of kind RACE: two threads at two sites, on the same memory.
 *
 * Runs in the host. A potential race is only predicted: the attempt ends where it happens. One that
 * was seen is a finding already; in an opening it is tried in the other order, which may fail.
 */
#include <string.h>

#include "engine/engine_int.h"

/* Attempts at the orders of one race in an opening. */
#define OPENING_FLIPS 2u

uint64_t
burl__race_of(const struct burl_campaign *c, const struct burl_wire_suspect *s)
{
    /* In a coverage campaign the names of sites change with what each execution loads. */
    if (s->kind > BURL_SUSPECT_POTENTIAL || c->covered)
        return 0;
    /* It may lie in a library, which other executions load elsewhere. */
    if (s->origin == BURL_ORIGIN_UNKNOWN && c->pool.notified_image.n_modules > 0)
        return 0;
    return burl_fingerprint_suspect(s, c->findings.sites);
}

bool
burl__race_is_known(const struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    if (e->race == 0 || !burl__suspects_has_finding(c, e->race))
        return false;
    e->fingerprint = e->race;
    return true;
}

/* A potential race on a variable that has a finding is one more pair of sites, not one more bug. */
static bool
race_propose(struct burl_campaign *c, size_t at, struct burl_promise *p)
{
    struct burl_campaign_suspect *e = &c->stats->suspects[at];

    (void)p;
    if (e->suspect.kind != BURL_SUSPECT_POTENTIAL)
        return false;
    if (!burl__race_is_known(c, e))
        return true;
    e->goal.state = BURL_GOAL_STATE_COVERED;
    return false;
}

static void
race_order(struct burl_campaign *c, size_t at, struct burl_work *w)
{
    burl__suspects_stop_at(w, &c->stats->suspects[at].suspect);
}

static enum burl_status
race_judge(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_failure *f,
           bool *shown, struct burl_err *err)
{
    (void)c;
    (void)w;
    (void)err;
    *shown = f->verdict.kind == BURL_VERDICT_RACE_DATA;
    return BURL_OK;
}

const struct burl_goal_rules burl__race_rules = {
    .class = 2, .propose = race_propose, .order = race_order, .judge = race_judge
};

bool
burl__race_flip(struct burl_campaign *c, struct burl_work *w)
{
    struct burl_campaign_suspect *best = NULL;

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];

        if (e->suspect.kind == BURL_SUSPECT_RACE && e->flips < OPENING_FLIPS &&
            e->goal.state != BURL_GOAL_STATE_HIDDEN && (!best || e->flips < best->flips))
            best = e;
    }
    if (!best)
        return false;
    *w = (struct burl_work){ .strategy = BURL_STRATEGY_DIRECTED,
                             .flags = BURL_ORDER_F_LEARN,
                             .first_seed = burl__suspects_seed(c),
                             .n = 1,
                             .observers = c->cfg->observers,
                             .args.goal = burl_wire_goal_of(&best->suspect) };
    w->args.goal.race.calm = 1;
    w->args.goal.race.goes_first = /* not as it was seen, first */
        best->flips % 2 == 0 ? BURL_RACE_SECOND_SITE : BURL_RACE_FIRST_SITE;
    w->flags |= burl__goal_points_flag(c, &w->args.goal);
    best->flips++;
    return true;
}
