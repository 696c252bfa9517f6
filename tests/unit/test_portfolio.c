/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_portfolio.c - engine/plan/portfolio.c: which source is credited, and which has how much of a
 * round.
 */
#include "unit.h"

#include "engine/engine_int.h"

static struct burl_campaign c;
static struct burl_campaign_config cfg;
static struct burl_campaign_hooks hooks;
static struct burl_campaign_stats stats;
static struct burl_wire_profile *shown;
static uint32_t gates[64];
static const struct burl_work *works;
static size_t n_works;

static int
setup(void **state)
{
    (void)state;
    memset(&c, 0, sizeof c);
    memset(&cfg, 0, sizeof cfg);
    memset(&stats, 0, sizeof stats);
    cfg.pct_depth = 3;
    cfg.observers = BURL_OB(RACE) | BURL_OB(LOCKORDER);
    c.cfg = &cfg;
    c.hooks = &hooks;
    c.stats = &stats;
    c.learned.n_sites = 64;
    c.goals.pairs.max = BURL_PROFILE_PAIRS;
    c.learned.gates = gates;
    c.learned.max_points = 50;
    stats.max_threads = 3;
    c.plan.portfolio = burl__portfolio_new(&c);
    shown = burl_xcalloc(1, sizeof *shown);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl__portfolio_free(c.plan.portfolio);
    BURL_VEC_FREE(&c.plan.round_works);
    burl__goals_deinit(&c.goals);
    free(shown);
    return 0;
}

static size_t
arm_of(uint32_t strategy)
{
    for (size_t i = 0; i < stats.n_arms; i++) {
        if (stats.arms[i].strategy == strategy)
            return i;
    }
    fail();
    return 0;
}

static void
deal(uint32_t scale)
{
    c.plan.round_works.n = 0;
    burl__portfolio_round(&c, scale, UINT64_MAX, &c.plan.round_works);
    works = c.plan.round_works.v;
    n_works = c.plan.round_works.n;
    c.pool.works = works;
    c.pool.n_works = n_works;
}

/* Executions of a strategy in the round, with these observers or (UINT32_MAX) any. */
static uint64_t
share(uint32_t strategy, uint32_t observers)
{
    uint64_t n = 0;

    for (size_t i = 0; i < n_works; i++) {
        if (works[i].strategy == strategy &&
            (observers == UINT32_MAX || works[i].observers == observers))
            n += works[i].n;
    }
    return n;
}

static void
run(void)
{
    for (size_t i = 0; i < n_works; i++) {
        burl__portfolio_count(&c, &works[i], works[i].n);
        stats.all.executions += works[i].n;
    }
    stats.n_rounds++;
}

/* A seed of a strategy's in the round. */
static uint64_t
seed_of(uint32_t strategy)
{
    for (size_t i = 0; i < n_works; i++) {
        if (works[i].strategy == strategy)
            return works[i].first_seed;
    }
    fail();
    return 0;
}

static void
tell(uint32_t earlier, uint32_t later, uint32_t flags, uint64_t seed)
{
    shown->pairs[shown->n_pairs++] = (struct burl_profile_pair){
        .earlier = earlier, .later = later, .flags = flags, .seed = seed
    };
    burl__pair_take(&c, shown);
}

static void
pairs_and_orders_are_paid_once(void **state)
{
    const size_t pct = arm_of(BURL_STRATEGY_PCT);
    const size_t burst = arm_of(BURL_STRATEGY_BURST);

    (void)state;
    deal(1);
    tell(1, 2, BURL_PAIR_F_SEEN, seed_of(BURL_STRATEGY_BURST));
    tell(2, 1, 0, 0);
    tell(3, 4, BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS, seed_of(BURL_STRATEGY_PCT));
    tell(5, 6, BURL_PAIR_F_SEEN, 12345); /* of no arm: a directed execution */
    run();
    burl__portfolio_reward(&c);
    burl__pair_adopt(&c);
    assert_int_equal(stats.arms[burst].pairs, 1);
    assert_int_equal(stats.arms[burst].orders, 0);
    assert_int_equal(stats.arms[pct].orders, 1);
    assert_int_equal(stats.arms[pct].pairs, 0);
    assert_int_equal(stats.arms[pct].edges, 0);
    deal(1);
    burl__pair_take(&c, shown);
    run();
    burl__portfolio_reward(&c);
    assert_int_equal(stats.arms[burst].pairs, 1);
    assert_int_equal(stats.arms[pct].orders, 1);
}

/* More for the one that brings something, and something for every arm. */
static void
who_brings_something_gets_more(void **state)
{
    uint64_t before;

    (void)state;
    deal(1);
    before = share(BURL_STRATEGY_BURST, UINT32_MAX);
    assert_true(before > 0);
    for (uint32_t i = 0; i < 40; i++)
        tell(1 + i, 2 + i, BURL_PAIR_F_SEEN, seed_of(BURL_STRATEGY_BURST));
    run();
    burl__portfolio_reward(&c);
    burl__pair_adopt(&c);
    deal(1);
    assert_true(share(BURL_STRATEGY_BURST, UINT32_MAX) > before);
    assert_true(share(BURL_STRATEGY_POS, UINT32_MAX) > 0);
    assert_true(share(BURL_STRATEGY_ROUND_ROBIN, UINT32_MAX) > 0);
}

/* Also late, when rounds are large, news rare, and an arm without aims would be the best by
 * experience; a single piece of news moves little. */
static void
late_news_count(void **state)
{
    static const uint32_t n_news[] = { 1, 8 };
    uint64_t before[2];
    uint64_t after[2];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        teardown(NULL);
        setup(NULL);
        stats.all.executions = 5000;
        for (uint32_t i = 0; i < 2; i++) {
            deal(128);
            run();
            burl__portfolio_reward(&c);
        }
        deal(128);
        before[k] = share(BURL_STRATEGY_BURST, UINT32_MAX);
        for (uint32_t i = 0; i < n_news[k]; i++)
            tell(1 + i, 2 + i, BURL_PAIR_F_SEEN, seed_of(BURL_STRATEGY_BURST));
        run();
        burl__portfolio_reward(&c);
        burl__pair_adopt(&c);
        deal(128);
        after[k] = share(BURL_STRATEGY_BURST, UINT32_MAX);
        assert_int_equal(share(BURL_STRATEGY_READS_FROM, UINT32_MAX), 0);
    }
    assert_true(after[0] <= before[0] + 4 * 128);
    assert_true(after[1] > before[1] + 6 * 128);
}

/* Without news the shares are those of experience, however long it has been. */
static void
experience_decides_without_news(void **state)
{
    uint64_t pos;
    uint64_t burst;

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        deal(64);
        pos = share(BURL_STRATEGY_POS, UINT32_MAX);
        burst = share(BURL_STRATEGY_BURST, UINT32_MAX);
        assert_true(burst > 0 && pos >= 2 * burst);
        run();
        burl__portfolio_reward(&c);
    }
}

/* The arm of location pairs aims at those that were not seen, and at no others. */
static void
unseen_pairs_are_aimed_at(void **state)
{
    uint64_t aimed = 0;

    (void)state;
    tell(1, 2, 0, 0);
    tell(2, 1, BURL_PAIR_F_SEEN, 7);
    burl__pair_adopt(&c);
    deal(4);
    for (size_t i = 0; i < n_works; i++) {
        if (works[i].strategy != BURL_STRATEGY_DIRECTED)
            continue;
        assert_int_equal(works[i].args.goal.kind, BURL_GOAL_PAIR);
        assert_int_equal(works[i].args.goal.pair.first, 1);
        assert_int_equal(works[i].args.goal.pair.second, 2);
        aimed += works[i].n;
    }
    assert_true(aimed > 0);
    shown->pairs[0].flags = BURL_PAIR_F_SEEN;
    burl__pair_take(&c, shown);
    burl__pair_adopt(&c);
    deal(4);
    assert_int_equal(share(BURL_STRATEGY_DIRECTED, UINT32_MAX), 0);
}

/* When nothing new comes for long: mostly samples, no arm is forgotten, less is watched; until
 * something new comes. */
static void
when_it_is_quiet_samplers_have_most(void **state)
{
    uint64_t watched;
    uint64_t total = 0;
    uint64_t pct = 0;

    (void)state;
    stats.all.executions = 20000;
    deal(512);
    watched = share(BURL_STRATEGY_POS, BURL_OB(RACE)) * 100 / share(BURL_STRATEGY_POS, UINT32_MAX);
    tell(1, 2, BURL_PAIR_F_SEEN, seed_of(BURL_STRATEGY_BURST));
    run();
    burl__portfolio_reward(&c);
    burl__pair_adopt(&c);
    for (uint32_t i = 0; i < 4; i++) {
        deal(512);
        run();
        burl__portfolio_reward(&c);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t samples;

        deal(512);
        samples = share(BURL_STRATEGY_POS, UINT32_MAX) + share(BURL_STRATEGY_SURW, UINT32_MAX);
        pct += share(BURL_STRATEGY_PCT, UINT32_MAX);
        total = 0;
        for (size_t k = 0; k < n_works; k++)
            total += works[k].n;
        assert_true(total <= 32 * 512 && total + stats.n_arms > 32 * 512);
        assert_true(samples * 10 > total * 7);
        assert_true(share(BURL_STRATEGY_POS, BURL_OB(RACE)) * 200 <
                    share(BURL_STRATEGY_POS, UINT32_MAX) * watched);
        run();
        burl__portfolio_reward(&c);
    }
    assert_true(pct > 0);
    deal(512);
    tell(3, 2, BURL_PAIR_F_SEEN, seed_of(BURL_STRATEGY_POS));
    run();
    burl__portfolio_reward(&c);
    burl__pair_adopt(&c);
    deal(512);
    assert_true((share(BURL_STRATEGY_POS, UINT32_MAX) + share(BURL_STRATEGY_SURW, UINT32_MAX)) *
                    10 <
                total * 7);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_and_orders_are_paid_once),
        TEST(who_brings_something_gets_more),
        TEST(late_news_count),
        TEST(experience_decides_without_news),
        TEST(unseen_pairs_are_aimed_at),
        TEST(when_it_is_quiet_samplers_have_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
