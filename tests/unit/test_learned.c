/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_learned.c - engine/plan/learned.c: what is learned comes into force between rounds only.
 */
#include "unit.h"

#include "engine/plan/learned.h"

static struct burl_learned l;

static int
setup(void **state)
{
    (void)state;
    memset(&l, 0, sizeof l);
    burl__learned_grow(&l, 4);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl__learned_deinit(&l);
    return 0;
}

static bool
is_atomic(const void *arg, uint32_t site)
{
    (void)arg;
    return site == 3;
}

static uint32_t n_shared;

static uint32_t
adopt(void)
{
    return burl__learned_adopt(&l, is_atomic, NULL, &n_shared);
}

static void
points_wait_for_the_end_of_a_round(void **state)
{
    const uint8_t shown[4] = { 0, 1, 0, 1 };
    const uint64_t none = burl__learned_hash_points(&l);

    (void)state;
    burl__learned_merge_points(&l, shown, 4);
    assert_int_equal(l.n_new_points, 2);
    assert_false(burl__learned_is_point(&l, 1));
    assert_true(burl__learned_is_next_point(&l, 1));
    assert_true(burl__learned_hash_points(&l) == none);
    assert_int_equal(adopt(), 2);
    assert_true(burl__learned_is_point(&l, 1));
    assert_true(burl__learned_hash_points(&l) != none);
    assert_int_equal(l.points_version, 1);
    burl__learned_merge_points(&l, shown, 4);
    assert_int_equal(adopt(), 2);
    assert_int_equal(l.points_version, 1); /* nothing new */
    assert_int_equal(l.n_new_points, 2);
}

static void
sites_out_of_range_are_no_points(void **state)
{
    const uint32_t sites[] = { 2, 4, 400 };

    (void)state;
    burl__learned_mark_points(&l, sites, 3);
    assert_int_equal(adopt(), 1);
    assert_true(burl__learned_is_point(&l, 2));
    assert_false(burl__learned_is_point(&l, 4));
    assert_int_equal(burl__learned_gate(&l, 400), 0);
}

static void
growing_keeps_what_was_learned(void **state)
{
    const uint32_t site = 3;

    (void)state;
    burl__learned_mark_points(&l, &site, 1);
    l.gates[2] = 7;
    (void)adopt();
    burl__learned_grow(&l, 100);
    burl__learned_grow(&l, 50); /* it never shrinks */
    assert_int_equal(l.n_sites, 100);
    assert_true(burl__learned_is_point(&l, 3));
    assert_false(burl__learned_is_next_point(&l, 99));
    assert_int_equal(burl__learned_gate(&l, 2), 7);
    assert_int_equal(burl__learned_gate(&l, 99), 0);
}

static void
the_horizon_is_the_mean_of_completed_executions(void **state)
{
    (void)state;
    l.sum_completed_points = 30;
    l.n_completed = 4;
    assert_int_equal(l.horizon, 0);
    (void)adopt();
    assert_int_equal(l.horizon, 7);
}

static void
of_long_executions_only_conflicts_and_atomics_are_points(void **state)
{
    const uint8_t shown[4] = { 0, 1, 0, 1 };
    const uint32_t suspected = 2;

    (void)state;
    burl__learned_merge_points(&l, shown, 4);
    burl__learned_mark_points(&l, &suspected, 1);
    assert_int_equal(adopt(), 3);
    assert_false(burl__learned_is_long(&l));
    l.max_points = 1000000;
    assert_true(burl__learned_is_long(&l));
    l.reduced = true;
    assert_int_equal(adopt(), 2);
    assert_int_equal(n_shared, 3);
    assert_false(burl__learned_is_point(&l, 1)); /* shared, and protected */
    assert_true(burl__learned_is_point(&l, 2));
    assert_true(burl__learned_is_point(&l, 3));
    assert_true(burl__learned_is_next_point(&l, 1)); /* for campaigns to come */
    assert_int_equal(l.points_version, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_wait_for_the_end_of_a_round, setup, teardown),
        cmocka_unit_test_setup_teardown(sites_out_of_range_are_no_points, setup, teardown),
        cmocka_unit_test_setup_teardown(growing_keeps_what_was_learned, setup, teardown),
        cmocka_unit_test_setup_teardown(of_long_executions_only_conflicts_and_atomics_are_points,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_horizon_is_the_mean_of_completed_executions, setup,
                                        teardown),
    };

    return cmocka_run_group_tests_name("learned", tests, NULL, NULL);
}
