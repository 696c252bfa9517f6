/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/hunt.h - directed executions that try to make two sites adjacent.
 *
 * For each pair, in the order given: directed executions (BURL_STRATEGY_DIRECTED, goal PAIR)
 * until the pair is covered or `tries` are used up; then, when `exhaustive` allows it and the
 * program is small enough, a complete search whose silence is a proof. Deterministic for the same
 * configuration, pairs and program. Executions observe location pairs, so pairs that are covered on
 * the way are told too and need no hunt of their own.
 *
 * Prints nothing and knows no store: the hooks do.
 */
#ifndef BURL_COVER_HUNT_H
#define BURL_COVER_HUNT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/run.h"
#include "wire/control.h"

struct burl_hunt_pair {
    uint64_t module_a, module_b; /* hashes */
    uint32_t index_a, index_b;   /* sites in them: earlier, later */
    uint32_t late_a, late_b;     /* their numbers in an earlier process, for code that is loaded
                                  * while the program runs; 0 not known */
    uint32_t ref;                /* for the caller */
    bool prove_only;             /* no directed executions: it looks infeasible */
};

enum burl_hunt_outcome {
    BURL_HUNT_UNTRIED = 0, /* out of time, or interrupted; prove_only: there is no proof */
    BURL_HUNT_COVERED,
    BURL_HUNT_NOT_COVERED, /* in `tries` executions */
    BURL_HUNT_IMPOSSIBLE,  /* the exhaustive search was complete without it */
    BURL_HUNT_GONE         /* the program has no such site */
};

struct burl_hunt_config {
    const char *const *argv;
    int engine;               /* enum burl_wire_engine or BURL_CAMPAIGN_AUTO */
    int reset;                /* enum burl_wire_reset or BURL_CAMPAIGN_AUTO */
    uint32_t jobs;            /* 0: one per CPU */
    uint32_t tries;           /* per pair */
    bool exhaustive;          /* try to prove what was not covered */
    uint64_t exhaustive_runs; /* give that up after so many executions in all */
    uint64_t seed;
    uint64_t time_ms; /* of the whole hunt; 0 no limit */
    uint64_t max_steps;
    uint32_t exec_timeout_ms;
    const volatile sig_atomic_t *interrupt;
};

/* How an execution was made, for schedule files and the store. */
struct burl_hunt_exec {
    uint32_t strategy; /* enum burl_wire_strategy */
    uint32_t param;
    uint64_t seed;
    uint64_t ordinal;     /* executions of this hunt before it */
    uint32_t order_flags; /* BURL_ORDER_F_* a replay must repeat */
    uint32_t engine;
    uint32_t reset;
};

struct burl_campaign_image;

struct burl_hunt_hooks {
    void *arg;
    /* Once, when the first target process is up. */
    enum burl_status (*ready)(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err);
    /* As burl_campaign_hooks.loaded. May be NULL. */
    enum burl_status (*loaded)(void *arg, const struct burl_campaign_image *image,
                               struct burl_err *err);
    /* Every new item of the cover areas, in order; with the site numbers of the process given to
     * `ready`. *keep (set to false before): the schedule is wanted although the pair may not be
     * hunted. */
    enum burl_status (*covered)(void *arg, const struct burl_wire_cover_item *item,
                                const struct burl_hunt_exec *x, bool *keep, struct burl_err *err);
    /* The schedule of the item that was wanted last; not called if its replay did not cover the
     * item, nor for a hunted pair, which has `schedule`. May be NULL. */
    enum burl_status (*kept)(void *arg, const struct burl_run *run, const struct burl_hunt_exec *x,
                             struct burl_err *err);
    /* The pair was covered, and replaying run->switches in a fresh process covered it again. */
    enum burl_status (*schedule)(void *arg, const struct burl_hunt_pair *p,
                                 const struct burl_run *run, const struct burl_hunt_exec *x,
                                 struct burl_err *err);
    /* Once per pair. `tries`: executions spent on it. `why`: a sentence, "" nothing to add. */
    enum burl_status (*outcome)(void *arg, const struct burl_hunt_pair *p,
                                enum burl_hunt_outcome outcome, uint64_t tries, const char *why,
                                struct burl_err *err);
    /* An execution failed (a finding of its own); may be NULL. */
    void (*failed)(void *arg, const struct burl_wire_verdict *v, const struct burl_hunt_exec *x);
    /* A few times per second; may be NULL. */
    void (*progress)(void *arg, size_t pair, size_t n_pairs, uint64_t executions);
};

struct burl_hunt_stats {
    uint64_t executions;
    uint64_t covered, not_covered, impossible, untried, gone; /* pairs */
    uint64_t failures; /* executions whose verdict was a finding */
    uint64_t searched; /* schedules of the exhaustive search; 0 there was none */
    bool search_complete;
    char search_why[160]; /* why it is inconclusive */
    uint32_t engine, reset;
    int64_t wall_ms;
    bool interrupted;
};

/* `stats` is filled in any case. Failures: as burl_campaign_run(). */
BURL_MUST_CHECK enum burl_status burl_cover_hunt(const struct burl_hunt_config *cfg,
                                                 const struct burl_hunt_pair *pairs, size_t n,
                                                 const struct burl_hunt_hooks *hooks,
                                                 struct burl_hunt_stats *stats,
                                                 struct burl_err *err);

#endif
