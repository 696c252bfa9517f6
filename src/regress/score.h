/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/score.h - what an order of tests is worth: bugs found, executions, time, APFD.
 *
 * Runs in the host, for `burl regress experiment`. Pure. Every test was run once and verified
 * everything that it reported, whatever earlier tests had confirmed; the score of an order is then
 * computed: what a test of the order would have skipped is left out (PAPERS 4.7 and 4.8).
 */
#ifndef BURL_REGRESS_SCORE_H
#define BURL_REGRESS_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A suspect that a test reported. */
struct burl_regress_report {
    uint32_t suspect; /* the same number in all tests */
    uint32_t runs;    /* executions that were to show it */
    bool confirmed;
};

/* One test, run and verified alone. */
struct burl_regress_outcome {
    bool ran;
    int64_t wall_ms;
    uint32_t n_observed; /* executions before verification */
    BURL_VEC(struct burl_regress_report) reports;
    BURL_VEC(uint32_t) bugs; /* new findings that it showed, the same number in all tests */
};

struct burl_regress_score {
    size_t n_tests;
    size_t n_bugs;      /* of the ground truth, that a test of the order shows */
    size_t n_suspects;  /* distinct ones that the tests report: potential races */
    uint64_t runs;      /* verification; tr is n_tests + runs */
    int64_t wall_ms;    /* without what a test would have skipped */
    bool has_apfd;      /* false: there is nothing to find */
    double apfd;        /* over the bugs of the ground truth */
    bool has_potential;
    double apfd_potential; /* the same over all suspects that any test reports */
};

/*
 * outcomes[test]; order[0..n) are tests. Bugs of the ground truth are those below n_truth, suspects
 * those below n_suspects.
 */
void burl_regress_score(struct burl_regress_score *out, const struct burl_regress_outcome *outcomes,
                        const uint32_t *order, size_t n, size_t n_truth, size_t n_suspects);

#endif
