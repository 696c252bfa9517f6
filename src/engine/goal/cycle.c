/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/cycle.c - goals of kind CYCLE: threads that each hold a lock and request the next.
 *
 * Runs in the host. A lock cycle is a deadlock or nothing, there are few, and one execution mostly
 * shows which: it comes first.
 */
#include "engine/engine_int.h"

/* Is it a deadlock in which every thread waits at a request of the cycle? */
static enum burl_status
cycle_judge(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_failure *f,
            bool *shown, struct burl_err *err)
{
    const struct burl_wire_suspect *s = &c->stats->suspects[w->suspect - 1].suspect;
    const struct burl_wire_verdict *v = &f->verdict;

    (void)err;
    *shown = v->kind == BURL_VERDICT_DEADLOCK_CYCLE;
    for (uint32_t i = 0; i < v->n_waits && *shown; i++) {
        *shown = false;
        for (uint32_t k = 1; k < s->n_sites; k += 2)
            *shown |= s->sites[k] == v->waits[i].site;
    }
    return BURL_OK;
}

static bool
cycle_is_urgent(const struct burl_campaign *c, const struct burl_campaign_suspect *e)
{
    (void)c;
    return e->goal.attempts == 0;
}

const struct burl_goal_rules burl__cycle_rules = { .class = 0,
                                                   .judge = cycle_judge,
                                                   .is_urgent = cycle_is_urgent };
