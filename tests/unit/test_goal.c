/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_goal.c - engine/goal/goal.c: records of goals, without a campaign.
 */
#include "unit.h"

#include "engine/goal/goal.h"

static void
the_first_hit_is_remembered(void **state)
{
    struct burl_goal g = { .kind = BURL_GOAL_KIND_TRIPLE };

    (void)state;
    burl__goal_count(&g, 3, 0, 77);
    assert_int_equal(g.first_seed, 0);
    burl__goal_count(&g, 2, 1, 78);
    burl__goal_count(&g, 2, 2, 79);
    assert_int_equal(g.attempts, 7);
    assert_int_equal(g.hits, 3);
    assert_int_equal(g.first_seed, 78);
}

/* A goal that was reached and did no harm is worth another attempt. */
static void
an_open_goal_has_attempts_left(void **state)
{
    static const bool open[BURL_GOAL_STATE__N] = {
        [BURL_GOAL_STATE_UNTRIED] = true,
        [BURL_GOAL_STATE_UNCONFIRMED] = true,
        [BURL_GOAL_STATE_HARMLESS] = true,
    };

    (void)state;
    for (int s = 0; s < BURL_GOAL_STATE__N; s++) {
        const struct burl_goal g = { .state = (enum burl_goal_state)s, .attempts = 4 };

        assert_int_equal(burl__goal_is_open(&g, 5), open[s]);
        assert_false(burl__goal_is_open(&g, 4));
    }
}

static void
seeds_of_streams_differ(void **state)
{
    (void)state;
    assert_true(burl__goal_seed(1, 0) == burl__goal_seed(1, 0));
    assert_true(burl__goal_seed(1, 0) != burl__goal_seed(1, 1));
    assert_true(burl__goal_seed(1, 0) != burl__goal_seed(2, 0));
    assert_true(burl__goal_seed(1, 0) < 1ull << 48);
}

static void
pairs_are_found_by_their_sites(void **state)
{
    struct burl_goal_pairs p = { 0 };

    (void)state;
    assert_null(burl__goal_pairs_find(&p, 1, 2));
    for (uint32_t i = 1; i <= 100; i++)
        burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, i, i + 1)->goal.attempts = i;
    assert_int_equal(p.all.n, 100);
    assert_int_equal(burl__goal_pairs_find(&p, 40, 41)->goal.attempts, 40);
    assert_null(burl__goal_pairs_find(&p, 41, 40)); /* in order */
    burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, 40, 41)->flags = 1;
    assert_int_equal(p.all.n, 100);
    assert_int_equal(burl__goal_pairs_at(&p, BURL_GOAL_KIND_READS_FROM, 0, 7)->second, 7);
    burl__goal_pairs_deinit(&p);
}

static void
a_full_table_takes_no_more(void **state)
{
    struct burl_goal_pairs p = { .max = 2 };

    (void)state;
    assert_non_null(burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, 1, 1));
    assert_non_null(burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, 1, 2));
    assert_false(p.full);
    assert_null(burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, 1, 3));
    assert_true(p.full);
    assert_non_null(burl__goal_pairs_at(&p, BURL_GOAL_KIND_PAIR, 1, 2));
    burl__goal_pairs_deinit(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_hit_is_remembered),
        cmocka_unit_test(an_open_goal_has_attempts_left),
        cmocka_unit_test(seeds_of_streams_differ),
        cmocka_unit_test(pairs_are_found_by_their_sites),
        cmocka_unit_test(a_full_table_takes_no_more),
    };

    return cmocka_run_group_tests_name("goal", tests, NULL, NULL);
}
