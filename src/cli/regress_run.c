/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_run.c - `burl regress run`: runs the selected tests in order, detects, verifies.
 *
 * Runs in the host. Each finding is stored and printed when its test has ended; Ctrl-C and --time
 * end the command between tests or within one, and lose nothing that was found.
 *
 * Exit code: 1 for findings that the base version is not known to have, and for tests that fail
 * without preemption and did not before; findings of the base version, and races on accesses that
 * the change does not impact, are listed apart. Then 3 if a test could not be started, 4 if the
 * command was interrupted, or a selected test was not run to its end.
 */
#include <stdlib.h>

#include "cli/interrupt.h"
#include "cli/regress_run_int.h"

/* A test of which nothing can be said although it ran before. */
static bool
is_lost(const struct burl_regress_runner *r, const struct burl_tested *t)
{
    const enum burl_store_test_state base = r->plan->base.tests.v[t->test].state;

    return t->end == BURL_TESTED_CUT || (t->end == BURL_TESTED_HUNG && base != BURL_TEST_HUNG);
}

static int
exit_code_of(const struct burl_regress_runner *r, size_t n_left)
{
    bool unstarted = false;
    bool lost = n_left > 0 || burl_cli_interrupts != 0;

    if (burl__regress_count(r, BURL_REGRESS_NEW) + burl__regress_count(r, BURL_REGRESS_FAILS) > 0)
        return BURL_EXIT_FINDINGS;
    for (size_t i = 0; i < r->tested.n; i++) {
        unstarted |= r->tested.v[i].end == BURL_TESTED_UNSTARTED;
        lost |= is_lost(r, &r->tested.v[i]);
    }
    return lost ? BURL_EXIT_PROMISE : unstarted ? BURL_EXIT_FAILURE : BURL_EXIT_CLEAN;
}

/* Runs tests until all are done or the time is over; *done were begun. */
static enum burl_status
run_tests(struct burl_regress_runner *r, size_t *done, struct burl_err *err)
{
    const struct burl_regress_selection *s = &r->plan->selection;
    enum burl_status st = BURL_OK;

    for (*done = 0; *done < r->n_planned && st == BURL_OK && !burl__regress_is_over(r); ++*done) {
        st = burl__regress_test(r, s->chosen.v[*done].test, *done < s->n_selected, err);
        burl_progress_clear(&r->progress);
        if (!r->opts->json)
            burl__regress_print_test(r);
    }
    /* A target that was starting when Ctrl-C came is not an error. */
    return burl_cli_interrupts != 0 ? BURL_OK : st;
}

int
burl__regress_run(const struct burl_options *opts)
{
    struct burl_regress_runner r = { 0 };
    struct burl_regress_plan plan = { 0 };
    struct burl_suite suite = { 0 };
    struct burl_err err = { 0 };
    BURL_VEC(uint32_t) left = { 0 };
    size_t done = 0;
    enum burl_status st;
    int code;

    /* Before the first test nothing is lost: until then a signal ends us, and the analysis. */
    burl__regress_quit_on_signals(opts, "regress run");
    st = burl__regress_runner_open(&r, opts, &suite, &plan, opts->all_tests, &err);
    if (st == BURL_OK) {
        r.n_planned = opts->all_tests ? plan.selection.chosen.n : plan.selection.n_selected;
        burl__regress_print_start(&r);
        st = run_tests(&r, &done, &err);
    }
    for (size_t i = done; i < r.n_planned; i++)
        BURL_VEC_PUSH(&left, plan.selection.chosen.v[i].test);
    code = st == BURL_OK ? exit_code_of(&r, left.n) : burl_err_exit_code(st);
    if (opts->json)
        burl__regress_print_json(&r, left.v, left.n, code, st == BURL_OK ? NULL : &err);
    else if (st == BURL_OK)
        burl__regress_print_summary(&r, left.v, left.n);
    if (st != BURL_OK)
        burl_cli_fail(&err);
    BURL_VEC_FREE(&left);
    burl__regress_runner_close(&r);
    burl_regress_plan_deinit(&plan);
    burl_suite_deinit(&suite);
    return code;
}
