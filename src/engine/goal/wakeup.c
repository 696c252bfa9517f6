/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/wakeup.c - goals of kind WAKEUP: a signal comes before the wait that needs it.
 *
 * Runs in the host. A wait that misses its signal is a deadlock, but most waits check a condition
 * first, and correct programs have many such pairs. So the first attempts at a few pairs come out
 * of turn, and the rest when nothing else is left.
 */
#include "engine/engine_int.h"

/* Different ways to aim at a signal before a wait. */
#define WAYS 4u
/* Attempts that come before everything else, at one pair of signal and wait and at all of them. */
#define URGENT_TRIES 3u
#define URGENT_TRIES_ALL 6u

/* At the wait and at its lock, with the waiting thread ahead of the others and without. */
static void
wakeup_order(struct burl_campaign *c, size_t at, struct burl_work *w)
{
    const struct burl_campaign_suspect *e = &c->stats->suspects[at];
    const uint64_t tries = e->goal.attempts;

    if (tries < WAYS)
        w->args.goal.wakeup.hold = tries == 1 || tries == 2 ? BURL_HOLD_AT_LOCK : BURL_HOLD_AT_WAIT;
    if (tries % WAYS < 2)
        w->args.goal.wakeup.runs_first = e->suspect.tids[1];
}

static bool
wakeup_is_urgent(const struct burl_campaign *c, const struct burl_campaign_suspect *e)
{
    uint64_t tries = 0;

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        if (c->stats->suspects[i].suspect.kind == BURL_SUSPECT_WAKEUP)
            tries += c->stats->suspects[i].goal.attempts;
    }
    return e->goal.attempts < URGENT_TRIES && tries < URGENT_TRIES_ALL;
}

const struct burl_goal_rules burl__wakeup_rules = {
    .class = BURL_GOAL_CLASS_LAST,
    .may_be_harmless = true,
    .order = wakeup_order,
    .judge = burl__suspects_judge_by_hit,
    .is_urgent = wakeup_is_urgent,
};
