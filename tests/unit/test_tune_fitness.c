/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_fitness.c - the fitness functions on results made by hand.
 */
#include "unit.h"

#include <math.h>

#include "base/rng.h"
#include "tune/fitness.h"

static void
expect_near(double got, double want)
{
    if (fabs(got - want) > 1e-9 * (1 + fabs(want)))
        fail_msg("%g, expected %g", got, want);
}

static double
value(struct burl_fitness *f, const struct burl_tune_outcome *o)
{
    burl_fitness_see(f, o);
    return burl_fitness_value(f, o);
}

static void
f1_is_the_mean_of_three_shares(void **state)
{
    struct burl_fitness f = {
        .kind = BURL_FITNESS_F1, .fixed = true, .avio_max = 100, .hbpair_max = 40, .synchro_max = 10
    };
    const struct burl_tune_outcome o = { .executions = 5, .avio = 50, .hbpair = 10, .synchro = 9 };

    (void)state;
    expect_near(value(&f, &o), (0.5 + 0.25 + 0.9) / 3);
    assert_int_equal(f.avio_max, 100);
}

static void
f1_takes_the_most_seen_where_no_maximum_is_given(void **state)
{
    struct burl_fitness f = { .kind = BURL_FITNESS_F1 };
    const struct burl_tune_outcome first = { .avio = 50, .hbpair = 10, .synchro = 9 };
    const struct burl_tune_outcome second = { .avio = 100, .hbpair = 5 };

    (void)state;
    expect_near(value(&f, &first), 1);
    expect_near(value(&f, &second), (1 + 0.5) / 3);
    expect_near(value(&f, &first), (0.5 + 1 + 1) / 3);
}

static void
f2_weighs_warnings_and_errors_and_divides_by_milliseconds(void **state)
{
    struct burl_fitness f = { .kind = BURL_FITNESS_F2 };
    struct burl_tune_outcome o = {
        .executions = 5,
        .goldi_weight = 321,
        .warnings = 2,
        .errors = { [BURL_TUNE_ERROR_CRASH] = 2, [BURL_TUNE_ERROR_HANG] = 1 },
        .wall_ms = 400
    };

    (void)state;
    expect_near(value(&f, &o), (321 + 2000 + 30000) / 400.0);
    o.wall_ms = 0;
    expect_near(value(&f, &o), 32321);
}

/* Crawler: settings that are fast and cover little have a larger F2 than the setting that finds the
 * error; ours ranks the one with the error first. */
static void
a_fast_and_useless_setting_wins_by_f2_and_not_by_ours(void **state)
{
    struct burl_fitness theirs = { .kind = BURL_FITNESS_F2 };
    struct burl_fitness ours = { .kind = BURL_FITNESS_BURL, .floor_ms = 20 };
    const struct burl_tune_outcome fast = {
        .executions = 5, .goldi_weight = 400, .wall_ms = 50, .cost_ms = 60
    };
    const struct burl_tune_outcome finds = { .executions = 5,
                                             .goldi_weight = 600,
                                             .fresh = 5,
                                             .errors = { [BURL_TUNE_ERROR_CRASH] = 1 },
                                             .wall_ms = 4000,
                                             .cost_ms = 5000 };

    (void)state;
    assert_true(value(&theirs, &fast) > value(&theirs, &finds));
    assert_true(value(&ours, &fast) < value(&ours, &finds));
}

/* Rover: the best individual of the paper was more than 30 times faster and found no error. */
static void
thirty_times_faster_without_error_loses(void **state)
{
    struct burl_fitness theirs = { .kind = BURL_FITNESS_F2 };
    struct burl_fitness ours = { .kind = BURL_FITNESS_BURL, .floor_ms = 100 };
    const struct burl_tune_outcome rushed = {
        .executions = 5, .goldi_weight = 3000, .fresh = 40, .wall_ms = 500, .cost_ms = 500
    };
    const struct burl_tune_outcome finds = { .executions = 5,
                                             .goldi_weight = 3100,
                                             .errors = { [BURL_TUNE_ERROR_DEADLOCK] = 1 },
                                             .wall_ms = 17000,
                                             .cost_ms = 17000 };

    (void)state;
    assert_true(value(&theirs, &rushed) > value(&theirs, &finds));
    assert_true(value(&ours, &rushed) < value(&ours, &finds));
}

static struct burl_tune_outcome
any(struct burl_rng *rng)
{
    struct burl_tune_outcome o = { .executions = 1 + (uint32_t)burl_rng_below(rng, 10) };

    o.avio = (uint32_t)burl_rng_below(rng, 1000);
    o.goldi_weight = (uint32_t)burl_rng_below(rng, 100000);
    o.fresh = (uint32_t)burl_rng_below(rng, 100000);
    o.warnings = burl_rng_below(rng, 2) ? (uint32_t)burl_rng_below(rng, 1000) : 0;
    o.errors[burl_rng_below(rng, BURL_TUNE_ERROR__N)] =
        (uint32_t)burl_rng_below(rng, o.executions + 1);
    o.cost_ms = 1ll << burl_rng_below(rng, 40);
    o.wall_ms = o.cost_ms;
    return o;
}

static void
no_setting_without_errors_is_above_one_with_errors(void **state)
{
    struct burl_fitness f = { .floor_ms = 50 };
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int i = 0; i < 100000; i++) {
        const struct burl_tune_outcome a = any(&rng);
        const struct burl_tune_outcome b = any(&rng);
        const double x = value(&f, &a);
        const double y = value(&f, &b);

        assert_true(x >= 0 && y >= 0 && isfinite(x) && isfinite(y));
        if (burl_tune_errors(&a) > 0 && burl_tune_errors(&b) == 0)
            assert_true(x > y);
        if (burl_tune_errors(&a) == 0 && burl_tune_errors(&b) == 0 && a.warnings > 0 &&
            b.warnings == 0)
            assert_true(x > y);
    }
}

static void
more_errors_in_the_same_time_are_better(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    struct burl_tune_outcome one = { .executions = 5, .errors = { 1 }, .cost_ms = 1000 };
    struct burl_tune_outcome three = { .executions = 5, .errors = { 1, 1, 1 }, .cost_ms = 1000 };
    struct burl_tune_outcome slow = { .executions = 5, .errors = { 1, 1, 1 }, .cost_ms = 9000 };

    (void)state;
    assert_true(value(&f, &three) > value(&f, &one));
    assert_true(value(&f, &three) > value(&f, &slow));
    assert_true(value(&f, &one) > value(&f, &slow));
}

/* Parents are chosen in proportion to fitness: the rank may not hide the difference. */
static void
failing_twice_as_often_is_nearly_twice_as_good(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    struct burl_tune_outcome one = { .executions = 30, .errors = { 6 }, .cost_ms = 3000 };
    struct burl_tune_outcome two = { .executions = 30, .errors = { 12 }, .cost_ms = 3000 };

    (void)state;
    assert_true(value(&f, &two) / value(&f, &one) > 1.7);
    assert_true(value(&f, &two) / value(&f, &one) < 2.0);
}

/* Time-outs that are shortened make a program faster than it is: that is no merit. */
static void
time_below_that_of_a_plain_run_counts_nothing(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    struct burl_tune_outcome plain = { .executions = 5, .avio = 10, .fresh = 3, .cost_ms = 500 };
    struct burl_tune_outcome faster = plain;

    (void)state;
    faster.cost_ms = 5;
    expect_near(value(&f, &plain), value(&f, &faster));
}

static void
new_coverage_is_better_than_old_and_cheap_better_than_dear(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    struct burl_tune_outcome old = { .executions = 5, .avio = 10, .cost_ms = 500 };
    struct burl_tune_outcome fresh = old;
    struct burl_tune_outcome dear = old;

    (void)state;
    fresh.fresh = 4;
    dear.cost_ms = 5000;
    assert_true(value(&f, &fresh) > value(&f, &old));
    assert_true(value(&f, &dear) < value(&f, &old));
    /* Ten times the cost halves what all coverage counts. */
    expect_near(value(&f, &dear), value(&f, &old) / 2);
}

/* An evaluation of nothing is worth nothing, and nothing is divided by 0. */
static void
an_empty_outcome_is_worth_nothing(void **state)
{
    const struct burl_tune_outcome o = { 0 };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct burl_fitness f = { .kind = (enum burl_fitness_kind)k };

        expect_near(value(&f, &o), 0);
    }
}

/* A lucky evaluation is put into proportion by the next of the same setting. */
static void
evaluations_of_a_setting_are_added(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    struct burl_tune_outcome sum = { .executions = 5, .errors = { 1 }, .avio = 3, .cost_ms = 500 };
    const struct burl_tune_outcome next = { .executions = 5, .avio = 7, .cost_ms = 500 };
    const double lucky = value(&f, &sum);

    (void)state;
    burl_tune_outcome_add(&sum, &next);
    assert_int_equal(sum.executions, 10);
    assert_int_equal(burl_tune_errors(&sum), 1);
    assert_int_equal(sum.avio, 7);
    assert_true(value(&f, &sum) < lucky);
    assert_true(value(&f, &sum) > value(&f, &next));
}

/* Three of five once may be luck; twelve of twenty are not. */
static void
of_equal_shares_the_one_with_more_executions_is_better(void **state)
{
    struct burl_fitness f = { .floor_ms = 100 };
    const struct burl_tune_outcome few = { .executions = 5, .errors = { 3 }, .cost_ms = 500 };
    const struct burl_tune_outcome many = { .executions = 20, .errors = { 12 }, .cost_ms = 2000 };

    (void)state;
    assert_true(value(&f, &many) > value(&f, &few));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f1_is_the_mean_of_three_shares),
        cmocka_unit_test(f1_takes_the_most_seen_where_no_maximum_is_given),
        cmocka_unit_test(f2_weighs_warnings_and_errors_and_divides_by_milliseconds),
        cmocka_unit_test(a_fast_and_useless_setting_wins_by_f2_and_not_by_ours),
        cmocka_unit_test(thirty_times_faster_without_error_loses),
        cmocka_unit_test(no_setting_without_errors_is_above_one_with_errors),
        cmocka_unit_test(more_errors_in_the_same_time_are_better),
        cmocka_unit_test(failing_twice_as_often_is_nearly_twice_as_good),
        cmocka_unit_test(time_below_that_of_a_plain_run_counts_nothing),
        cmocka_unit_test(new_coverage_is_better_than_old_and_cheap_better_than_dear),
        cmocka_unit_test(an_empty_outcome_is_worth_nothing),
        cmocka_unit_test(evaluations_of_a_setting_are_added),
        cmocka_unit_test(of_equal_shares_the_one_with_more_executions_is_better),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
