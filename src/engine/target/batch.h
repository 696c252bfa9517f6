/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/batch.h - results of executions, added up and checked: the bytes come from another
 * process. A batch can be built without a campaign.
 */
#ifndef BURL_ENGINE_BATCH_H
#define BURL_ENGINE_BATCH_H

#include "base/vec.h"
#include "base/verdict.h"
#include "engine/target/image.h"
#include "engine/target/target.h"

struct burl_campaign_totals {
    uint64_t executions;
    uint64_t steps;
    uint64_t points;
    uint64_t switches;
    uint64_t preemptions;
    uint64_t failures; /* executions whose verdict was a finding */
    uint64_t cut;
};

struct burl_failures {
    BURL_VEC_OF(struct burl_wire_failure);
};

struct burl_suspects {
    BURL_VEC_OF(struct burl_wire_suspect);
};

/* An item that a process put into its area, and the execution of the batch that did it. */
struct burl_batch_item {
    struct burl_wire_cover_item item;
    uint64_t execution; /* of the batch, from 0 */
};

/* The result of a number of executions. Zero is empty. */
struct burl_batch {
    uint64_t first_seed; /* of its executions, which have ascending ones */
    struct burl_campaign_totals totals;
    uint64_t by_verdict[BURL_VERDICT__N];
    uint64_t counters[BURL_COUNTER__N];
    uint64_t sum_completed_points;
    uint64_t n_completed;
    uint64_t max_points;
    uint32_t max_threads;
    bool unstable; /* CHECK_TWICE found a difference: the three below */
    uint64_t unstable_seed;
    uint32_t unstable_step;
    uint32_t unstable_site;
    char unsupported[BURL_WIRE_TEXT_B];
    struct burl_failures failures; /* one per key, first seed first */
    struct burl_suspects suspects; /* the same */
    uint64_t goal_hits;            /* DIRECTED: executions whose sites met */
    uint64_t goal_seed;            /* of the first of these */
    uint64_t pair_visits[2];
    uint32_t pair_gates[2][BURL_GOAL_MAX_GATES];
    BURL_VEC(struct burl_batch_item) items; /* ascending by execution */
    uint64_t items_lost;
    struct burl_campaign_image loaded; /* modules loaded since the start; n_modules 0: none */
};

/* Executions that completed, passing or failing: of n with these verdicts, and of a batch. */
uint64_t burl__engine_completed(uint64_t n, const uint64_t by_verdict[BURL_VERDICT__N]);
uint64_t burl__batch_completed(const struct burl_batch *b);

/* Adds a result the target left; numbers out of range are taken as zero. */
void burl__batch_add_result(struct burl_batch *b, const struct burl_wire_ctl *ctl);
/* Notes what the process has loaded since its start. */
void burl__batch_take_loaded(struct burl_batch *b, const struct burl_wire_ctl *ctl);
/* Merges two occurrences of a suspect; s: the later one. */
void burl__batch_merge_suspect(struct burl_wire_suspect *old, const struct burl_wire_suspect *s);
/* Adds the gates of a pair (0 ends) to those that are known, BURL_GOAL_MAX_GATES in all. */
void burl__batch_merge_gates(uint32_t *to, const uint32_t *from);
/* Does it contain what an order with these flags stops at? */
bool burl__batch_is_over(const struct burl_batch *b, uint32_t flags);
/* Adds one execution that the runtime could not report itself. */
void burl__batch_add_verdict(struct burl_batch *b, uint64_t seed,
                             const struct burl_wire_verdict *v);
/* Drops executions that were cut by a bound of the engine's own, not of the user's. */
void burl__batch_forget_cuts(struct burl_batch *b);
void burl__batch_deinit(struct burl_batch *b);

#endif
