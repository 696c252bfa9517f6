/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/violations.h - from the outcomes of a test to what a front end is told: each kind of
 * violation once, minimized, and confirmed in fresh processes.
 */
#ifndef BURL_GEN_VIOLATIONS_H
#define BURL_GEN_VIOLATIONS_H

#include "gen/shrink/shrink.h"

/* A violation, minimized and confirmed; the oracle is of its test. */
typedef enum burl_status burl_gen_violation_fn(void *arg, const struct burl_gen_violation *v,
                                               struct burl_gen_oracle *oracle,
                                               enum burl_gen_fate *fate, struct burl_err *err);

/* A kind of violation: the failure, and the functions involved. */
struct burl_gen_violation_kind {
    uint64_t signature;
    bool settled; /* reported, or given up */
    unsigned tries;
    unsigned unclean;
};

struct burl_gen_violations {
    struct burl_gen_exec *x;
    uint32_t max_linear;
    bool compare_results;
    burl_gen_violation_fn *report;
    void *arg;
    enum burl_status st; /* of `report`; err describes a failure */
    struct burl_err *err;
    struct {
        BURL_VEC_OF(struct burl_gen_violation_kind);
    } kinds;
    /* counts */
    uint64_t n_new;       /* that the front end took as findings of their own */
    uint64_t unconfirmed;
    uint64_t cut;         /* seen, and not confirmed for want of time */
    bool was_late;        /* one was reported after the time, see violations.c */
    uint64_t not_built;   /* confirmed, without a C test that compiles */
    uint64_t unclean;     /* in tests that are not clean: not reported */
    uint64_t explained;   /* failing runs that a linearization explains */
    uint64_t not_decided;
    char why_not_decided[200]; /* the last one */
};

/* What judging a test found. */
enum burl_gen_judged_test {
    BURL_GEN_TEST_FINE = 0,
    BURL_GEN_TEST_HARMFUL,    /* reported now, or of a kind that was */
    BURL_GEN_TEST_NOT_DECIDED
};

void burl_gen_violations_deinit(struct burl_gen_violations *s);
/* The front end or the executor has failed. */
bool burl_gen_violations_failed(const struct burl_gen_violations *s);
/* Judges the outcomes of a test and reports the first violation among them. `names`: NULL
 * when nothing is known of the bug. */
enum burl_gen_judged_test burl_gen_violations_judge(struct burl_gen_violations *s,
                                                    const struct burl_gen_test *t,
                                                    const struct burl_gen_outcomes *outcomes,
                                                    const struct burl_gen_bug_names *names);
/* A bug of this name is reported or given up. */
bool burl_gen_violations_is_settled(const struct burl_gen_violations *s, uint64_t name);
/* A race that happened, of a kind that is neither reported nor given up. */
bool burl_gen_violations_is_new_race(struct burl_gen_violations *s,
                                     const struct burl_wire_suspect *race);
/* Reports a race that an execution of the test has shown; `run`: one of its outcomes, or NULL.
 * True: it stands, now or from before. */
bool burl_gen_violations_race(struct burl_gen_violations *s, const struct burl_gen_test *t,
                              const struct burl_wire_suspect *race,
                              const struct burl_gen_outcome *run);

#endif
