/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/tally.h - the executions of an evaluation, put together.
 *
 * Errors are added, covered tasks and warnings united. Tasks that no evaluation before had are new;
 * the set of all is kept by name (names.h), since it outlives a process.
 */
#ifndef BURL_TUNE_TALLY_H
#define BURL_TUNE_TALLY_H

#include "base/map.h"
#include "base/vec.h"
#include "tune/execute.h"

/* Everything that the search has covered. */
struct burl_tune_seen {
    struct burl_map names;
    uint32_t n_items;
    uint32_t n_warnings;
};

/* One name, as a store keeps it. */
struct burl_tune_name {
    uint64_t name;
    uint8_t weight;
    bool warning;
};

struct burl_tally {
    struct burl_tune_outcome outcome;
    struct burl_map names;                    /* of this evaluation */
    BURL_VEC(struct burl_tune_name) in_order; /* the same */
};

void burl_tally_deinit(struct burl_tally *t);
/* Adds an execution, and says why it failed (ERROR__N: it did not). */
enum burl_tune_error burl_tally_add(struct burl_tally *t, const struct burl_execution *x);
/* Puts what is new into `seen` and into t->outcome.fresh; t->in_order then has only that. */
void burl_tally_end(struct burl_tally *t, struct burl_tune_seen *seen);

/* False: it was there. */
bool burl_tune_seen_add(struct burl_tune_seen *s, const struct burl_tune_name *n);
void burl_tune_seen_deinit(struct burl_tune_seen *s);

/* What an execution costs: see README. */
int64_t burl_tune_cost_ms(int64_t cpu_us, int64_t wall_ms);

#endif
