/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_run_int.h - running the tests of a suite for `burl regress run` and `experiment`.
 *
 *   regress_setup.c       before and after the tests: suite, plan, base version
 *   regress_tests.c       one test: controlled, or watched; what it reported and found
 *   regress_found.c       findings over all tests, and what each says about the change
 *   regress_run.c         the command `run`
 *   regress_run_report.c  what it prints, as text and as JSON
 *   regress_experiment.c  the command `experiment`
 */
#ifndef BURL_CLI_REGRESS_RUN_INT_H
#define BURL_CLI_REGRESS_RUN_INT_H

#include "cli/regress_int.h"
#include "cli/test_int.h"
#include "regress/plan.h"
#include "regress/score.h"
#include "regress/verify.h"

/* How a test ended. */
enum burl_tested_end {
    BURL_TESTED_PASSED = 0,
    BURL_TESTED_FAILED,    /* without preemption, or in the run that was watched */
    BURL_TESTED_HUNG,      /* no execution ended in time */
    BURL_TESTED_SKIPPED,   /* it says so by its exit code */
    BURL_TESTED_UNWATCHED, /* no program of it could be observed; `why` */
    BURL_TESTED_UNSTARTED, /* its command is not there; `why` */
    BURL_TESTED_CUT,       /* by --time or Ctrl-C */
    BURL_TESTED__N
};

/* One test that was run. */
struct burl_tested {
    uint32_t test; /* into suite.tests */
    bool selected; /* false: of the tail */
    bool watched;  /* a free run: no schedule was controlled, nothing verified */
    enum burl_tested_end end;
    char *why; /* for people; NULL nothing to say */
    int64_t wall_ms;
    uint32_t n_observed; /* executions of phase 1 */
    uint64_t runs;       /* executions of phase 2 */
    uint64_t extra;      /* stored schedules, confirmation, minimizing */
    uint32_t n_reruns;   /* stored schedules that were run first */
    BURL_VEC(struct burl_regress_report) reports; /* suspects: places in the ledger */
    BURL_VEC(size_t) found; /* places in runner.found */
};

/* A finding of this command. */
struct burl_tested_found {
    int64_t id;
    uint64_t fingerprint;
    const char *kind;
    char *title;
    char *text; /* the report */
    char *line; /* the same in one line */
    char *json; /* the whole finding */
    bool consequence; /* a failure that follows a race which is a finding itself */
    bool watched; /* only free runs have shown it: there is no schedule */
    struct burl_regress_evidence evidence; /* of the test that says most */
    enum burl_regress_class class;
    uint32_t test;  /* that showed it first */
    uint32_t n_tests; /* that showed it */
};

/* Over all tests of a command. */
struct burl_regress_runner {
    const struct burl_options *opts;
    struct burl_options quiet; /* the same, for campaigns: they print nothing */
    const struct burl_suite *suite;
    const struct burl_regress_plan *plan;
    struct burl_regress_rules rules_select; /* of the plan */
    uint32_t observers;
    uint64_t seed;
    int64_t base_ms;     /* when the base version was recorded */
    int64_t started_ms;
    struct burl_deadline deadline;
    bool each_alone;     /* every test verifies all that it reports (experiment) */
    bool fresh;          /* no stored schedules */
    struct burl_suppress *rules;
    struct burl_progress progress;
    size_t n_planned;
    BURL_VEC(char *) base_builds; /* ids of the programs of the base version */
    struct burl_regress_ledger ledger;
    BURL_VEC(struct burl_tested) tested;
    BURL_VEC(struct burl_tested_found) found;
};

/* regress_setup.c */
/* --for as BURL_REGRESS_* bits. */
BURL_MUST_CHECK enum burl_status burl__regress_parse_for(const char *list, uint32_t *wanted,
                                                         struct burl_err *err);
/* Loads the suite, plans, and prepares the runner. `plan` must not be moved after. */
BURL_MUST_CHECK enum burl_status burl__regress_runner_open(struct burl_regress_runner *r,
                                                           const struct burl_options *opts,
                                                           struct burl_suite *suite,
                                                           struct burl_regress_plan *plan,
                                                           bool with_tail, struct burl_err *err);
void burl__regress_runner_close(struct burl_regress_runner *r);

/* regress_tests.c */
/* Runs a test: stored schedules, the observed executions, verification. Adds to tested, found and
 * the ledger. A test that cannot be run is no failure. */
BURL_MUST_CHECK enum burl_status burl__regress_test(struct burl_regress_runner *r, uint32_t test,
                                                    bool selected, struct burl_err *err);
/* Is --time over, or was the command interrupted? */
bool burl__regress_is_over(const struct burl_regress_runner *r);

/* regress_found.c */
/* The subject of the selection that is this program, UINT32_MAX none, or not analyzed. */
uint32_t burl__regress_subject(const struct burl_regress_runner *r, const char *path);
/* Is a site of the suspect (verdict) impacted? subject UINT32_MAX: no. */
bool burl__regress_suspect_impacted(const struct burl_regress_runner *r, uint32_t subject,
                                    const struct burl_wire_suspect *s,
                                    const struct burl_sites *sites);
bool burl__regress_verdict_impacted(const struct burl_regress_runner *r, uint32_t subject,
                                    const struct burl_wire_verdict *v,
                                    const struct burl_sites *sites);
/* Adds a finding of a test, or an occurrence of a known one. Valid until the next call. */
struct burl_tested_found *burl__regress_add_found(struct burl_regress_runner *r,
                                                  struct burl_tested *t, const struct burl_kept *k,
                                                  struct burl_store *store, bool watched,
                                                  const struct burl_regress_evidence *e);
size_t burl__regress_count(const struct burl_regress_runner *r, enum burl_regress_class c);

/* regress_run_report.c */
const char *burl__tested_end_name(enum burl_tested_end end);
/* What is about to be run; nothing with --quiet or --json. */
void burl__regress_print_start(const struct burl_regress_runner *r);
/* The findings of the test that was run last. */
void burl__regress_print_test(const struct burl_regress_runner *r);
/* `left`: tests that were not begun. */
void burl__regress_print_summary(const struct burl_regress_runner *r, const uint32_t *left,
                                 size_t n_left);
void burl__regress_print_json(const struct burl_regress_runner *r, const uint32_t *left,
                              size_t n_left, int exit_code, const struct burl_err *err);

#endif
