/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_regress_score.c - regress/score.c: executions, time and APFD of orders of tests.
 */
#include "unit.h"

#include "regress/score.h"

#define SUSPECTS 3
#define BUGS 2

/*
 * Three tests. Test 0 reports suspect 0 (10 runs, not confirmed). Test 1 reports 0 (2 runs,
 * confirmed: bug 0) and 1 (10 runs). Test 2 reports 0 (1 run, confirmed: bug 0) and 2 (4 runs,
 * confirmed: bug 1).
 */
static struct burl_regress_outcome tests[3];

static void
report(size_t test, uint32_t suspect, uint32_t runs, bool confirmed)
{
    BURL_VEC_PUSH(
        &tests[test].reports,
        (struct burl_regress_report){ .suspect = suspect, .runs = runs, .confirmed = confirmed });
}

static int
setup(void **state)
{
    (void)state;
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < 3; i++) {
        tests[i].ran = true;
        tests[i].wall_ms = 120;
        tests[i].n_observed = 2;
    }
    report(0, 0, 10, false);
    report(1, 0, 2, true);
    report(1, 1, 10, false);
    report(2, 0, 1, true);
    report(2, 2, 4, true);
    BURL_VEC_PUSH(&tests[1].bugs, 0u);
    BURL_VEC_PUSH(&tests[2].bugs, 0u);
    BURL_VEC_PUSH(&tests[2].bugs, 1u);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        BURL_VEC_FREE(&tests[i].reports);
        BURL_VEC_FREE(&tests[i].bugs);
    }
    return 0;
}

static struct burl_regress_score
score(const uint32_t *order, size_t n)
{
    struct burl_regress_score s;

    burl_regress_score(&s, tests, order, n, BUGS, SUSPECTS);
    return s;
}

/* TR = |T| + n_1 + ...: test 2 does not verify suspect 0 again. */
static void
a_confirmed_suspect_is_not_verified_again(void **state)
{
    const uint32_t order[] = { 0, 1, 2 };
    const struct burl_regress_score s = score(order, 3);

    (void)state;
    assert_int_equal(s.n_tests, 3);
    assert_int_equal(s.n_bugs, 2);
    assert_int_equal(s.n_suspects, 3);
    assert_int_equal(s.runs, 10 + 2 + 10 + 4);
}

static void
the_best_test_first_saves_runs(void **state)
{
    const uint32_t order[] = { 2, 1, 0 };
    const struct burl_regress_score s = score(order, 3);

    (void)state;
    assert_int_equal(s.runs, 1 + 4 + 10);
    assert_true(s.has_apfd);
    /* Both bugs at position 1 of 3: 1 - 2/6 + 1/6. */
    assert_true(s.apfd > 0.833 && s.apfd < 0.834);
}

static void
a_skipped_verification_saves_time(void **state)
{
    const uint32_t order[] = { 1, 2 };
    const struct burl_regress_score s = score(order, 2);

    (void)state;
    /* Test 2 made 2 + 5 executions and would have needed 2 + 4. */
    assert_int_equal(s.wall_ms, 120 + 120 * 6 / 7);
}

static void
a_bug_that_the_order_misses_counts_as_after_its_end(void **state)
{
    const uint32_t order[] = { 1 };
    const struct burl_regress_score s = score(order, 1);

    (void)state;
    assert_int_equal(s.n_bugs, 1);
    /* Positions 1 and 2 of 1: 1 - 3/2 + 1/2. */
    assert_true(s.has_apfd && s.apfd > -0.001 && s.apfd < 0.001);
}

static void
a_test_that_did_not_run_shows_nothing(void **state)
{
    const uint32_t order[] = { 0, 1, 2 };
    struct burl_regress_score s;

    (void)state;
    tests[2].ran = false;
    s = score(order, 3);
    assert_int_equal(s.n_bugs, 1);
    assert_int_equal(s.n_tests, 3);
    assert_int_equal(s.runs, 22);
}

static void
without_bugs_there_is_no_apfd(void **state)
{
    const uint32_t order[] = { 0 };
    struct burl_regress_score s;

    (void)state;
    burl_regress_score(&s, tests, order, 1, 0, SUSPECTS);
    assert_false(s.has_apfd);
    assert_true(s.has_potential);
}

int
main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test_setup_teardown(a_confirmed_suspect_is_not_verified_again, setup, teardown),
        cmocka_unit_test_setup_teardown(the_best_test_first_saves_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_skipped_verification_saves_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bug_that_the_order_misses_counts_as_after_its_end, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_test_that_did_not_run_shows_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(without_bugs_there_is_no_apfd, setup, teardown),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
