/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/fitness.h - what an evaluation came to, and how good that is.
 *
 * A number that is not negative; larger is better. F1 and F2 are the paper's. The default is ours
 * (src/tune/README.md says why): settings that made executions fail always come before settings
 * with warnings only, and these before all others; among equals errors and new coverage per second
 * count, where a second saved below the time of a plain run counts nothing.
 */
#ifndef BURL_TUNE_FITNESS_H
#define BURL_TUNE_FITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/noise.h"

/* How an execution failed. X(NAME, "in words") */
#define BURL_TUNE_ERRORS(X)                                \
    X(CRASH, "crashed")                                    \
    X(EXIT, "exited with a nonzero code")                  \
    X(DEADLOCK, "deadlocked")                              \
    X(HANG, "did not end, even without noise")  \
    X(CHECK, "failed the check")

enum burl_tune_error {
#define BURL_X(name, words) BURL_TUNE_ERROR_##name,
    BURL_TUNE_ERRORS(BURL_X)
#undef BURL_X
        BURL_TUNE_ERROR__N
};

/* What the executions of one evaluation came to together. */
struct burl_tune_outcome {
    uint32_t executions;
    uint32_t cut;                         /* executions that lost their noise at their time limit */
    uint32_t errors[BURL_TUNE_ERROR__N];  /* executions that failed, by the first reason */
    uint32_t warnings;                    /* of detectors, distinct */
    uint32_t avio, hbpair, synchro;       /* tasks covered, distinct */
    uint32_t goldi;                       /* the same of GoldiLockSC*; */
    uint32_t goldi_weight;                /* sum over (place, state): SCT 1, SCL 5, LS 5, E 10 */
    uint32_t fresh;                       /* weight of tasks and warnings that no earlier evaluation
                                             of the search had */
    int64_t wall_ms;                      /* of all executions; a hang costs its time-out */
    int64_t cost_ms;                      /* processor time, at least the wall time: see README */
    struct burl_wire_noise_counts noise;
};

/* Executions that failed. */
uint32_t burl_tune_errors(const struct burl_tune_outcome *o);
/* All tasks covered, with the weights of GoldiLockSC. */
uint32_t burl_tune_coverage(const struct burl_tune_outcome *o);
/* Adds another evaluation of the same setting. Coverage becomes the larger one: the tasks of both
 * are not known any more. */
void burl_tune_outcome_add(struct burl_tune_outcome *sum, const struct burl_tune_outcome *o);

enum burl_fitness_kind { BURL_FITNESS_BURL = 0, BURL_FITNESS_F1, BURL_FITNESS_F2 };

struct burl_fitness {
    enum burl_fitness_kind kind;
    int64_t floor_ms; /* BURL: cost of one plain execution, at least 1 */
    /* F1: the most that is possible. Given, or the most that was seen so far. */
    bool fixed;
    uint32_t avio_max, hbpair_max, synchro_max;
    uint32_t coverage_max; /* BURL: the most that was seen so far */
};

/* Learns the maxima. Call it for each evaluation before its value. */
void burl_fitness_see(struct burl_fitness *f, const struct burl_tune_outcome *o);
double burl_fitness_value(const struct burl_fitness *f, const struct burl_tune_outcome *o);

#endif
