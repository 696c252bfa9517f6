/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pairs.c - engine/goal/pair.c: what is new, whose it is, and what is aimed at, whatever the
 * order in which processes are asked.
 */
#include "unit.h"

#include "engine/engine_int.h"

static struct burl_campaign c;
static const struct burl_campaign_config cfg;
static struct burl_campaign_stats stats;
static struct burl_wire_profile *a;
static struct burl_wire_profile *b;
static uint32_t gates[64];
static const struct burl_work works[] = { { .first_seed = 500, .n = 10 },
                                          { .first_seed = 100, .n = 10 } };

static int
setup(void **state)
{
    (void)state;
    memset(&c, 0, sizeof c);
    memset(&stats, 0, sizeof stats);
    memset(gates, 0, sizeof gates);
    c.cfg = &cfg;
    c.stats = &stats;
    c.learned.n_sites = 64;
    c.goals.pairs.max = BURL_PROFILE_PAIRS;
    c.learned.gates = gates;
    c.pool.works = works;
    c.pool.n_works = 2;
    a = burl_xcalloc(1, sizeof *a);
    b = burl_xcalloc(1, sizeof *b);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl__goals_deinit(&c.goals);
    free(a);
    free(b);
    return 0;
}

static void
tell(struct burl_wire_profile *p, uint32_t earlier, uint32_t later, uint32_t flags, uint64_t seed)
{
    p->pairs[p->n_pairs++] = (struct burl_profile_pair){
        .earlier = earlier, .later = later, .flags = flags, .seed = seed
    };
}

/* The number of news, and the seed of the first. */
static size_t
news(uint64_t *seed)
{
    struct burl_profile_pair *list;
    const size_t n = burl__pair_new(&c, &list);

    *seed = n > 0 ? list[0].seed : 0;
    free(list);
    return n;
}

/* Pairs that are worth aiming at. */
static size_t
count_open(void)
{
    struct burl_promise p;
    size_t n = 0;

    for (size_t i = 0; i < burl__pair_rules.count(&c); i++)
        n += burl__pair_rules.propose(&c, i, &p);
    return n;
}

/* Up to `max` of them to aim at, to be tried `each` times; the number. */
static size_t
propose(struct burl_wire_goal *goals, size_t max, uint64_t each)
{
    const size_t open = count_open();
    struct burl_work made[8];
    const size_t n =
        burl__goal_propose(&c, BURL_GOAL_KIND_PAIR, max, each * (open < max ? open : max), made);

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(made[i].strategy, BURL_STRATEGY_DIRECTED);
        assert_int_equal(made[i].n, each);
        goals[i] = made[i].args.goal;
    }
    return n;
}

/* Of two processes the one that was earlier in the list of works counts. */
static void
the_first_in_the_list_is_the_first(void **state)
{
    uint64_t seed;

    (void)state;
    tell(a, 1, 2, BURL_PAIR_F_SEEN, 103);
    tell(b, 1, 2, BURL_PAIR_F_SEEN, 507);
    burl__pair_take(&c, a);
    burl__pair_take(&c, b);
    assert_int_equal(news(&seed), 1);
    assert_int_equal(seed, 507);
    burl__pair_take(&c, a);
    assert_int_equal(news(&seed), 1);
    assert_int_equal(seed, 507);
    burl__pair_adopt(&c);
    assert_int_equal(news(&seed), 0);
    assert_int_equal(stats.pairs, 1);
    burl__pair_take(&c, b);
    assert_int_equal(news(&seed), 0);
}

static void
a_candidate_is_no_news_until_it_is_seen(void **state)
{
    uint64_t seed;

    (void)state;
    tell(a, 1, 2, 0, 0);
    tell(a, 3, 4, BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS, 101);
    burl__pair_take(&c, a);
    assert_int_equal(news(&seed), 1);
    assert_int_equal(seed, 101);
    burl__pair_adopt(&c);
    assert_int_equal(stats.pair_candidates, 1);
    assert_int_equal(stats.pairs, 0);
    assert_int_equal(stats.lock_orders, 1);
    a->pairs[0].flags = BURL_PAIR_F_SEEN;
    a->pairs[0].seed = 502;
    burl__pair_take(&c, a);
    assert_int_equal(news(&seed), 1);
    assert_int_equal(seed, 502);
}

/* What is not seen is aimed at, what was tried least first, with its gates; in the same order
 * whichever came first. Locks and what was tried long enough are no aims. */
static void
aims_do_not_depend_on_arrival(void **state)
{
    struct burl_wire_goal first[8];
    struct burl_wire_goal again[8];
    size_t n;

    (void)state;
    tell(a, 1, 2, 0, 0);
    tell(a, 2, 1, BURL_PAIR_F_SEEN, 101);
    tell(a, 3, 4, BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS, 101);
    tell(b, 5, 6, 0, 0);
    tell(b, 6, 5, 0, 0);
    gates[6] = 33;
    burl__pair_take(&c, a);
    burl__pair_take(&c, b);
    assert_int_equal(count_open(), 0); /* not in force yet */
    assert_int_equal(propose(first, 8, 1), 0);
    burl__pair_adopt(&c);
    assert_int_equal(count_open(), 3);
    n = propose(first, 8, 100);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        const struct burl_goal_pair *p = &first[i].pair;

        assert_int_equal(first[i].kind, BURL_GOAL_PAIR);
        assert_int_equal(p->first_gates[0], p->first == 6 ? 33 : 0);
        assert_int_equal(p->second_gates[0], p->second == 6 ? 33 : 0);
    }
    burl__goals_deinit(&c.goals);
    memset(&c.goals, 0, sizeof c.goals);
    c.goals.pairs.max = BURL_PROFILE_PAIRS;
    burl__pair_take(&c, b);
    burl__pair_take(&c, a);
    burl__pair_adopt(&c);
    assert_int_equal(propose(again, 8, 100), n);
    assert_memory_equal(first, again, n * sizeof first[0]);
    /* One more try of one of them: the others come first. */
    assert_int_equal(propose(again, 1, 1), 1);
    assert_int_equal(propose(again + 1, 3, 100), 3);
    assert_memory_equal(&again[0], &again[3], sizeof again[0]);
    /* Enough of each. */
    assert_int_equal(propose(again, 8, 1000), 3);
    assert_int_equal(propose(again, 8, 1), 0);
}

/* Too many: what is in force stays, the rest is not there. */
static void
a_full_list_stays_as_it_was(void **state)
{
    struct burl_wire_goal aims[8];
    uint64_t seed;

    (void)state;
    tell(a, 1, 2, 0, 0);
    burl__pair_take(&c, a);
    burl__pair_adopt(&c);
    tell(a, 3, 4, BURL_PAIR_F_SEEN, 101);
    a->pairs_lost = 1;
    burl__pair_take(&c, a);
    assert_int_equal(news(&seed), 0);
    burl__pair_adopt(&c);
    assert_int_equal(stats.pair_candidates, 1);
    assert_int_equal(propose(aims, 8, 1), 1);
    /* Bytes from outside. */
    a->n_pairs = UINT32_MAX;
    a->pairs[5] = (struct burl_profile_pair){ .earlier = 7777, .later = 1 };
    burl__pair_take(&c, a);
}

static void
the_next_campaign_knows_them(void **state)
{
    struct burl_campaign_memory m = { 0 };
    struct burl_wire_goal aims[8];
    uint64_t seed;

    (void)state;
    tell(a, 9, 2, 0, 0);
    tell(a, 1, 2, BURL_PAIR_F_SEEN, 101);
    burl__pair_take(&c, a);
    burl__pair_adopt(&c);
    assert_int_equal(propose(aims, 8, 255), 1);
    burl__pair_keep(&c, &m);
    assert_int_equal(m.goals.n, 2);
    assert_int_equal(m.goals.v[0].sites[0], 1);
    burl__goals_deinit(&c.goals);
    memset(&c.goals, 0, sizeof c.goals);
    c.goals.pairs.max = BURL_PROFILE_PAIRS;
    burl__goals_recall(&c, &m);
    assert_int_equal(stats.pairs, 1);
    burl__pair_take(&c, a);
    assert_int_equal(news(&seed), 0);
    assert_int_equal(propose(aims, 8, 1), 1); /* the last of its tries */
    assert_int_equal(propose(aims, 8, 1), 0);
    burl_campaign_memory_deinit(&m);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_in_the_list_is_the_first), TEST(a_candidate_is_no_news_until_it_is_seen),
        TEST(aims_do_not_depend_on_arrival),      TEST(a_full_list_stays_as_it_was),
        TEST(the_next_campaign_knows_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
