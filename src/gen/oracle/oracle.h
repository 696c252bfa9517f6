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

/* Borrows executor and test, which must stay as they are. */
struct burl_gen_oracle *burl_gen_oracle_new(struct burl_gen_exec *x, const struct burl_gen_model *m,
                                            const struct burl_gen_test *t, uint32_t max_linear);
void burl_gen_oracle_free(struct burl_gen_oracle *o);

struct burl_gen_verdict {
    enum burl_gen_judgement judgement;
    bool by_results;   /* VIOLATION: nothing failed, the results are impossible */
    uint32_t n_linear; /* linearizations compared with */
    char why[200];     /* NOT_DECIDED; VIOLATION: one sentence */
};

BURL_MUST_CHECK enum burl_status burl_gen_oracle_judge(struct burl_gen_oracle *o,
                                                       const struct burl_gen_outcome *run,
                                                       bool compare_results,
                                                       struct burl_gen_verdict *out,
                                                       struct burl_err *err);

/* Distinct outcomes of the linearizations that complete, with their orders, for the emitted test:
 * valid until the oracle is freed. Runs them when that was not done. */
struct burl_gen_linear {
    const struct burl_gen_order *order;
    const struct burl_gen_outcome *outcome;
};
BURL_MUST_CHECK enum burl_status burl_gen_oracle_all(struct burl_gen_oracle *o,
                                                     const struct burl_gen_linear **all, size_t *n,
                                                     struct burl_err *err);
/* Is the value left out of comparisons because it differs between like runs? */
bool burl_gen_oracle_is_masked(const struct burl_gen_oracle *o, const struct burl_gen_value *v);

/* ---- linear.c: merges ---------------------------------------------------------------------- */

/* Number of order-preserving merges of lists of these lengths; UINT64_MAX when it is more. */
uint64_t burl_gen_merges(const unsigned *lengths, unsigned n);
/* First and next merge in lexicographic order; false: there is none (left). */
bool burl_gen_merge_first(struct burl_gen_order *o, const unsigned *lengths, unsigned n);
bool burl_gen_merge_next(struct burl_gen_order *o);

/* ---- shrink.c: the smallest test that still shows it ---------------------------------------- */

struct burl_gen_violation {
    struct burl_gen_test test;   /* owned; minimized after burl_gen_shrink() */
    struct burl_gen_outcome run; /* owned; one execution that shows it */
    struct burl_gen_verdict verdict;
    bool is_race; /* a race inside the API; `race` */
    struct burl_wire_suspect race;
    uint64_t executions; /* spent on shrinking */
    unsigned confirmed;  /* fresh processes that showed it again */
    bool clean;          /* after burl_gen_shrink(): burl_gen_is_clean() */
};

void burl_gen_violation_deinit(struct burl_gen_violation *v);
/* clean.c: true when no order of the calls fails or waits for ever, so that whatever the test does
 * wrong is a violation. */
BURL_MUST_CHECK enum burl_status burl_gen_is_clean(struct burl_gen_exec *x,
                                                   const struct burl_gen_test *t, bool *clean,
                                                   struct burl_err *err);
/* unblock.c: for violations that are not clean, because calls may wait for ever. The first looks
 * for shorter lists of calls, the second adds a thread that lets calls go on; each only when the
 * test then is clean and still shows it. */
BURL_MUST_CHECK enum burl_status burl_gen_shorten(struct burl_gen_exec *x,
                                                  const struct burl_gen_model *m,
                                                  struct burl_gen_violation *v, uint32_t schedules,
                                                  struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_gen_unblock(struct burl_gen_exec *x,
                                                  const struct burl_gen_model *m,
                                                  struct burl_gen_violation *v, uint32_t schedules,
                                                  struct burl_err *err);
/* Does the test show a violation of the same kind within `schedules` controlled executions? *out
 * then holds the run and the verdict. */
BURL_MUST_CHECK enum burl_status burl_gen_retry(
    struct burl_gen_exec *x, const struct burl_gen_model *m, const struct burl_gen_test *t,
    const struct burl_gen_violation *like, uint32_t schedules, bool *shown,
    struct burl_gen_violation *out, struct burl_err *err);
/*
 * Fewest calls (whole threads, calls of threads, calls of the prefix), then the simplest arguments,
 * each step kept only when the violation shows again; then again in `fresh` new processes.
 * confirmed counts those that showed it.
 */
BURL_MUST_CHECK enum burl_status burl_gen_shrink(struct burl_gen_exec *x,
                                                 const struct burl_gen_model *m,
                                                 struct burl_gen_violation *v, uint32_t schedules,
                                                 unsigned fresh, struct burl_err *err);

#endif
