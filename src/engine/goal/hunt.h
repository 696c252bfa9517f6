/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/hunt.h - a campaign that goes after given location pairs instead of exploring.
 *
 * With burl_campaign_config.hunt: after the choice of engine and reset and the learning of
 * shared sites, the rounds consist of directed executions (BURL_STRATEGY_DIRECTED, goal PAIR), some
 * for every pair that is still open, more in each round. The promise of campaign.h holds: same
 * seed and pairs, same executions and outcomes, whatever the number of jobs. Failures of the
 * program are counted and reported through `failed`, not confirmed.
 */
#ifndef BURL_ENGINE_HUNT_H
#define BURL_ENGINE_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/run.h"
#include "engine/plan/campaign.h"

struct burl_campaign_pair {
    /* The caller's, at the latest when `ready` returns: process-wide numbers, 0: no such site. */
    uint32_t a, b;
    bool prove_only; /* no directed executions */
    /* The engine's. */
    struct burl_goal goal;
    uint64_t visits[2]; /* in directed executions for it, accesses at a and at b */
    uint32_t gates[2][BURL_GOAL_MAX_GATES];
    bool kept; /* its schedule was handed over */
};

struct burl_campaign_hunt {
    struct burl_campaign_pair *pairs;
    size_t n;
    uint32_t tries;           /* per pair */
    uint64_t exhaustive_runs; /* of a complete search at the end, 0: none */
    void *arg;
    /* The pair was covered, and following run->switches in a fresh process, with run's seed and
     * where->order_flags, covered it again. where: the execution it was made from. May be NULL. */
    enum burl_status (*schedule)(void *arg, size_t pair, const struct burl_run *run,
                                 const struct burl_campaign_covered *where, struct burl_err *err);
    /* The pair has its final state. May be NULL. */
    enum burl_status (*settled)(void *arg, size_t pair, struct burl_err *err);
    /* An execution failed: first of each kind in an order. May be NULL. */
    void (*failed)(void *arg, const struct burl_wire_verdict *v,
                   const struct burl_campaign_covered *where);
    struct burl_map index; /* the engine's: from sites to places in `pairs`, */
    size_t n_indexed;      /* of so many */
    /* Filled at the end. */
    bool exhaustive_complete;
    uint64_t exhaustive_executions;
    char exhaustive_why[160]; /* it is not complete, "" nothing was searched */
};

#endif
