/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_profile.c - engine/plan/profile.c: how often threads use what is the mean of what was
 * counted.
 */
#include "unit.h"

#include "engine/plan/learned.h"

static struct burl_learned learned;
static struct burl_wire_profile *one;

static int
setup(void **state)
{
    (void)state;
    memset(&learned, 0, sizeof learned);
    one = burl_xcalloc(1, sizeof *one);
    one->n_threads = 3;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl__learned_deinit(&learned);
    free(one);
    return 0;
}

static void
count(uint32_t i, uint64_t addr, uint16_t first, uint16_t second)
{
    one->vars[i] = (struct burl_profile_var){ .addr = addr, .count = { 0, first, second } };
    one->n_vars = i + 1;
}

static void
the_mean_of_several_executions(void **state)
{
    const struct burl_wire_profile *p;

    (void)state;
    count(0, 0x10, 2, 2);
    count(1, 0x20, 30, 3);
    burl__profile_uses(&learned, one, true);
    count(0, 0x20, 3, 12);
    burl__profile_uses(&learned, one, true);
    count(0, 0x20, 3, 3);
    one->n_threads = 2;
    burl__profile_uses(&learned, one, true);
    p = learned.profile_next;
    assert_int_equal(p->n_vars, 2);
    assert_int_equal(p->n_threads, 3);
    assert_int_equal(p->vars[0].addr, 0x20); /* the most used first */
    assert_int_equal(p->vars[0].count[1], 12);
    assert_int_equal(p->vars[0].count[2], 6);
    assert_int_equal(p->vars[0].total, 18);
    /* In one of three only: little, but not nothing. */
    assert_int_equal(p->vars[1].addr, 0x10);
    assert_int_equal(p->vars[1].count[1], 1);
    assert_int_equal(p->ops[1], 13);
}

/* One that failed half-way has half of the numbers; the first is better than nothing. */
static void
half_an_execution_does_not_count(void **state)
{
    (void)state;
    count(0, 0x10, 1, 0);
    burl__profile_uses(&learned, one, false);
    assert_int_equal(learned.profile_next->vars[0].count[1], 1);
    count(0, 0x10, 9, 9);
    burl__profile_uses(&learned, one, false);
    assert_int_equal(learned.profile_next->vars[0].count[1], 1);
    burl__profile_uses(&learned, one, true);
    assert_int_equal(learned.profile_next->vars[0].count[1], 5);
}

/* Bytes from outside, and more variables than there is room for. */
static void
too_many_variables(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 40; k++) {
        for (uint32_t i = 0; i < BURL_PROFILE_VARS; i++)
            count(i, 0x1000 + (k * BURL_PROFILE_VARS + i) * 8, 1, 1);
        one->n_vars = UINT32_MAX;
        burl__profile_uses(&learned, one, true);
    }
    assert_int_equal(learned.profile_next->n_vars, BURL_PROFILE_VARS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_mean_of_several_executions),
        TEST(half_an_execution_does_not_count),
        TEST(too_many_variables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
