/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_speed.c - engine/plan/speed.c: the reset chosen by measured times, without a process.
 */
#include "unit.h"

#include "engine/engine_int.h"

static struct burl_campaign_config cfg;
static struct burl_campaign_stats stats;
static struct burl_campaign c;

static int
setup(void **state)
{
    (void)state;
    memset(&stats, 0, sizeof stats);
    cfg = (struct burl_campaign_config){ .reset = BURL_CAMPAIGN_AUTO };
    c = (struct burl_campaign){ .cfg = &cfg, .stats = &stats };
    c.pool.engine = BURL_ENGINE_FIBERS;
    c.pool.reset = BURL_RESET_SNAPSHOT;
    return 0;
}

static void
the_faster_reset_is_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        burl__speed_note(&c, 40, 900);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    assert_string_equal(stats.why_reset, "");
    assert_int_equal(stats.reset_us[BURL_RESET_SNAPSHOT], 40);
    assert_int_equal(stats.reset_us[BURL_RESET_FORK], 900);
    setup(state);
    for (int i = 0; i < 3; i++)
        burl__speed_note(&c, 9000, 3000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_non_null(strstr(stats.why_reset, "3.0 ms"));
    assert_non_null(strstr(stats.why_reset, "9.0 with a snapshot"));
}

/* A busy machine makes some executions long; they are not what a reset costs. */
static void
one_slow_execution_decides_nothing(void **state)
{
    (void)state;
    burl__speed_note(&c, 90000, 900);
    burl__speed_note(&c, 40, 900);
    burl__speed_note(&c, 90000, 900);
    burl__speed_note(&c, 50, 800);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    setup(state);
    burl__speed_note(&c, 90000, 900);
    burl__speed_note(&c, 90000, 900);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
}

/* Where one execution takes seconds, more comparisons cost more than they tell. */
static void
long_executions_are_compared_once(void **state)
{
    (void)state;
    burl__speed_note(&c, 4000000, 170000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    setup(state);
    burl__speed_note(&c, 4000000, 4000000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    setup(state);
    burl__speed_note(&c, 4000000, 6000000);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
}

static void
a_reset_that_was_given_stays(void **state)
{
    (void)state;
    cfg.reset = BURL_RESET_SNAPSHOT;
    for (int i = 0; i < 8; i++)
        burl__speed_note(&c, 4000000, 100);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    /* So does a fork that was chosen because the snapshot is not exact. */
    setup(state);
    assert_true(burl__choose_fork(&c, "self-check"));
    for (int i = 0; i < 8; i++)
        burl__speed_note(&c, 10, 100);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_string_equal(stats.why_reset, "self-check");
    assert_int_equal(burl__speed_nominal(&c), BURL_RESET_FORK);
}

/* The same seed must give the same findings on every machine. */
static void
what_was_measured_changes_no_budget(void **state)
{
    (void)state;
    burl__speed_note(&c, 4000000, 100);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_int_equal(burl__speed_nominal(&c), BURL_RESET_SNAPSHOT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_faster_reset_is_taken, setup),
        cmocka_unit_test_setup(one_slow_execution_decides_nothing, setup),
        cmocka_unit_test_setup(long_executions_are_compared_once, setup),
        cmocka_unit_test_setup(a_reset_that_was_given_stays, setup),
        cmocka_unit_test_setup(what_was_measured_changes_no_budget, setup),
    };

    return cmocka_run_group_tests_name("speed", tests, NULL, NULL);
}
