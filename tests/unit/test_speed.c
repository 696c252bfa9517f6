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

/* An execution took so much processor time with both; on a busy machine that is a small part of
 * what passed meanwhile. */
static void
note(uint64_t snapshot_us, uint64_t fork_us)
{
    const struct burl_speed s = { .wall_us = 700000, .processor_us = snapshot_us, .n = 1 };
    const struct burl_speed f = { .wall_us = 500000, .processor_us = fork_us, .n = 1 };

    burl__speed_note(&c, &s, &f);
}

static void
the_faster_reset_is_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        note(30000, 90000);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    assert_string_equal(stats.why_reset, "");
    assert_int_equal(stats.reset_us[BURL_RESET_SNAPSHOT], 700000);
    assert_int_equal(stats.reset_us[BURL_RESET_FORK], 500000);
    setup(state);
    for (int i = 0; i < 4; i++)
        note(90000, 30000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_non_null(strstr(stats.why_reset, "30.0 ms"));
    assert_non_null(strstr(stats.why_reset, "90.0 with a snapshot"));
}

/* Whatever the machine does beside it. */
static void
short_executions_decide_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        note(10000, 0);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    for (int i = 0; i < 8; i++)
        note(0, 10000);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
}

/* Where one execution takes seconds, more comparisons cost more than they tell. */
static void
long_executions_are_compared_once(void **state)
{
    (void)state;
    note(4000000, 170000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    setup(state);
    note(4000000, 4000000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    setup(state);
    note(4000000, 6000000);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
}

static void
a_reset_that_was_given_stays(void **state)
{
    (void)state;
    cfg.reset = BURL_RESET_SNAPSHOT;
    for (int i = 0; i < 8; i++)
        note(4000000, 10000);
    assert_int_equal(c.pool.reset, BURL_RESET_SNAPSHOT);
    /* So does a fork that was chosen because the snapshot is not exact. */
    setup(state);
    assert_true(burl__choose_fork(&c, "self-check"));
    for (int i = 0; i < 8; i++)
        note(10, 4000000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_string_equal(stats.why_reset, "self-check");
    assert_int_equal(burl__speed_nominal(&c), BURL_RESET_FORK);
}

/* The same seed must give the same findings on every machine. */
static void
what_was_measured_changes_no_budget(void **state)
{
    (void)state;
    note(4000000, 10000);
    assert_int_equal(c.pool.reset, BURL_RESET_FORK);
    assert_int_equal(burl__speed_nominal(&c), BURL_RESET_SNAPSHOT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_faster_reset_is_taken, setup),
        cmocka_unit_test_setup(short_executions_decide_nothing, setup),
        cmocka_unit_test_setup(long_executions_are_compared_once, setup),
        cmocka_unit_test_setup(a_reset_that_was_given_stays, setup),
        cmocka_unit_test_setup(what_was_measured_changes_no_budget, setup),
    };

    return cmocka_run_group_tests_name("speed", tests, NULL, NULL);
}
