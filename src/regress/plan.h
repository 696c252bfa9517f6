/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/plan.h - from a suite and a recorded version to the tests to run: all steps of `burl
 * regress select`, in one call, for `run` and `experiment` as well.
 *
 * Runs in the host. Loads the base version, finds the programs of the new build, analyzes those
 * that differ, and selects.
 */
#ifndef BURL_REGRESS_PLAN_H
#define BURL_REGRESS_PLAN_H

#include "regress/select.h"
#include "regress/version.h"
#include "store/store.h"
#include "suite/suite.h"

struct burl_regress_plan_opts {
    struct burl_store *store;
    struct burl_suite *suite; /* tests that `only` does not match are removed from it */
    const char *base;         /* name of the version; NULL: the one recorded last */
    const char *only;         /* shell pattern; NULL: all tests */
    struct burl_regress_rules rules;
    /* Called before each analysis, i from 0; may be NULL. */
    void (*analyzing)(void *arg, const char *program, size_t i, size_t n);
    void *arg;
};

struct burl_regress_plan {
    /* Its tests are those of the suite, in the same order: test i of the version is test i of
     * suite->tests. Those that are new in the suite are there as PENDING. */
    struct burl_regress_version base;
    struct burl_regress_selection selection; /* selection.base is `base` */
    size_t n_programs;  /* that the tests run */
    size_t n_unchanged; /* of these, modules are equal to those of the base version */
    BURL_VEC(char *) notes; /* what limits the result, for people */
};

/*
 * BURL_E_USAGE: nothing was recorded; a program that a recorded test runs is not there or has no
 * instrumented code (the test and the path are named); BURL_E_FORMAT: the base was recorded by
 * another version of burl. A change that cannot be analyzed is no failure: the tests of its program
 * are selected as unknown. The plan must not be moved: the selection points into it.
 */
BURL_MUST_CHECK enum burl_status burl_regress_plan(struct burl_regress_plan *p,
                                                   const struct burl_regress_plan_opts *opts,
                                                   struct burl_err *err);
void burl_regress_plan_deinit(struct burl_regress_plan *p);

#endif
