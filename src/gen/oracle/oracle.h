/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/oracle.h - is an outcome of a concurrent run possible when calls are atomic?
 *
 * The paper's oracle (PAPERS 1.8) with its two weaknesses mended: a failure is cleared by a
 * linearization that fails the same way (kind of failure and public function that was running),
 * each failure by itself; a blocked run by an order of the calls that returned after which every
 * call that is blocked blocks as well. Beyond the paper, results: when all calls returned, the
 * vector of their values and of the dumps must be that of some linearization.
 *
 * A linearization is an order-preserving merge of the threads' calls. They are run when first
 * needed and remembered for the test. What depends on addresses or time is found by running one
 * order under other addresses and another time, and is left out of the comparison.
 */
#ifndef BURL_GEN_ORACLE_H
#define BURL_GEN_ORACLE_H

#include "gen/exec/exec.h"

#define BURL_GEN_MAX_LINEAR 2000u /* linearizations of one test that are run */

enum burl_gen_judgement {
    BURL_GEN_FINE = 0,   /* some linearization does the same */
    BURL_GEN_VIOLATION,  /* none does */
    BURL_GEN_NOT_DECIDED /* too many linearizations, an execution was cut, or no order completes:
                               `why` */
};

struct burl_gen_oracle; /* for one test */

/* Borrows executor and test, which must stay as they are. Once the executor has failed every run is
 * NOT_DECIDED and every table empty. */
struct burl_gen_oracle *burl_gen_oracle_new(struct burl_gen_exec *x, const struct burl_gen_test *t,
                                            uint32_t max_linear);
void burl_gen_oracle_free(struct burl_gen_oracle *o);

struct burl_gen_verdict {
    enum burl_gen_judgement judgement;
    bool by_results;   /* VIOLATION: nothing failed, the results are impossible */
    uint32_t n_linear; /* linearizations compared with */
    char why[200];     /* NOT_DECIDED; VIOLATION: one sentence */
};

struct burl_gen_verdict burl_gen_oracle_judge(struct burl_gen_oracle *o,
                                              const struct burl_gen_outcome *run,
                                              bool compare_results);

/* The verdicts on all outcomes of a test. */
struct burl_gen_judged {
    const struct burl_gen_outcome *violation; /* the first; NULL none, and all were judged */
    struct burl_gen_verdict verdict;          /* of `violation` */
    uint64_t explained;                       /* failing runs that a linearization explains */
    uint64_t not_decided;
    char why_not_decided[200]; /* the last one */
};
/* Judges the outcomes in order up to the first violation. */
struct burl_gen_judged burl_gen_oracle_judge_all(struct burl_gen_oracle *o,
                                                 const struct burl_gen_outcomes *outcomes,
                                                 bool compare_results);

/* Distinct outcomes of the linearizations that complete, with their orders, for the emitted test:
 * valid until the oracle is freed. Runs them when that was not done. */
struct burl_gen_linear {
    const struct burl_gen_order *order;
    const struct burl_gen_outcome *outcome;
};
void burl_gen_oracle_all(struct burl_gen_oracle *o, const struct burl_gen_linear **all, size_t *n);
/* Is the value left out of comparisons because it differs between like runs? */
bool burl_gen_oracle_is_masked(const struct burl_gen_oracle *o, const struct burl_gen_value *v);

/* ---- linear.c: merges ---------------------------------------------------------------------- */

/* Number of order-preserving merges of lists of these lengths; UINT64_MAX when it is more. */
uint64_t burl_gen_merges(const unsigned *lengths, unsigned n);
/* First and next merge in lexicographic order; false: there is none (left). */
bool burl_gen_merge_first(struct burl_gen_order *o, const unsigned *lengths, unsigned n);
bool burl_gen_merge_next(struct burl_gen_order *o);

/* ---- clean.c ------------------------------------------------------------------------------ */

/* True if no order of the calls fails or blocks forever, so that any failure of the test is a
 * violation. */
bool burl_gen_is_clean(struct burl_gen_exec *x, const struct burl_gen_test *t);
/* Leaves out dumps that fail on the object before the threads have started: functions that are for
 * objects of another kind. */
void burl_gen_leave_out_dumps(struct burl_gen_exec *x, struct burl_gen_test *t);

#endif
