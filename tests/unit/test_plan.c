/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan.c - engine/plan: what executions cost (nominal.c), and the parts of a share of a round
 * (rounds.c), without a campaign.
 */
#include "unit.h"

#include "engine/plan/plan.h"

static void
cost_depends_on_counts_alone(void **state)
{
    const struct burl_run run = { .steps = 1000, .n_switches = 10 };
    const struct burl_campaign_totals t = { .executions = 5, .steps = 1000, .switches = 10 };
    const uint64_t cheap = burl__nominal_cost(BURL_ENGINE_FIBERS, BURL_RESET_SNAPSHOT, &run);
    const uint64_t forked = burl__nominal_cost(BURL_ENGINE_FIBERS, BURL_RESET_FORK, &run);

    (void)state;
    assert_true(cheap > 0 &&
                cheap == burl__nominal_cost(BURL_ENGINE_FIBERS, BURL_RESET_SNAPSHOT, &run));
    assert_true(forked > cheap);
    assert_true(burl__nominal_cost(BURL_ENGINE_THREADS, BURL_RESET_FORK, &run) > forked);
    assert_int_equal(burl__nominal_explored(BURL_ENGINE_FIBERS, BURL_RESET_FORK, &t) -
                         burl__nominal_explored(BURL_ENGINE_FIBERS, BURL_RESET_SNAPSHOT, &t),
                     5 * (forked - cheap)); /* a fork each */
}

static void
minimizing_has_a_part_of_the_time(void **state)
{
    const uint64_t unlimited = burl__nominal_minimize_ns(0);

    (void)state;
    assert_int_equal(burl__nominal_minimize_ns(8000), 1000000000u);
    assert_int_equal(burl__nominal_minimize_ns(3600000), unlimited);
    assert_true(burl__nominal_minimize_ns(1) > 0);
    assert_true(burl__nominal_minimize_ns(1) < burl__nominal_minimize_ns(8000));
}

static void
a_share_is_cut_by_observers(void **state)
{
    const uint32_t all = BURL_OB(RACE) | BURL_OB(TRIPLE) | BURL_OB(LOCPAIRS);
    const struct burl_work w = { .strategy = BURL_STRATEGY_POS, .first_seed = 100, .n = 20 };
    struct burl_works works = { 0 };

    (void)state;
    burl__rounds_add(&works, w, all, 4, 6);
    assert_int_equal(works.n, 3);
    assert_true(works.v[0].first_seed == 100 && works.v[0].n == 4 && works.v[0].observers == all);
    assert_true(works.v[1].first_seed == 104 && works.v[1].n == 6);
    assert_int_equal(works.v[1].observers, BURL_OB(RACE) | BURL_OB(LOCPAIRS));
    assert_true(works.v[2].first_seed == 110 && works.v[2].n == 10);
    assert_int_equal(works.v[2].observers, BURL_OB(LOCPAIRS)); /* metrics hold in every execution */
    works.n = 0;
    burl__rounds_add(&works, w, all, 20, 0);
    assert_int_equal(works.n, 1);
    BURL_VEC_FREE(&works);
}

/* Parts of an enumeration go on in its numbers. */
static void
parts_of_an_enumeration_have_their_own_index(void **state)
{
    const struct burl_work w = { .strategy = BURL_STRATEGY_DELAY,
                                 .first_seed = 7,
                                 .n = 10,
                                 .args.enumeration.index_first = 500 };
    struct burl_works works = { 0 };

    (void)state;
    burl__rounds_add(&works, w, BURL_OB(RACE), 2, 3);
    assert_int_equal(works.n, 3);
    assert_int_equal(works.v[0].args.enumeration.index_first, 500);
    assert_int_equal(works.v[1].args.enumeration.index_first, 502);
    assert_int_equal(works.v[2].args.enumeration.index_first, 505);
    BURL_VEC_FREE(&works);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_depends_on_counts_alone),
        cmocka_unit_test(minimizing_has_a_part_of_the_time),
        cmocka_unit_test(a_share_is_cut_by_observers),
        cmocka_unit_test(parts_of_an_enumeration_have_their_own_index),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
