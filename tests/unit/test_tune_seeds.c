/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_seeds.c - the seed of the best setting: which seeds are tried, how often,
 * and that the one with which the program fails is picked.
 */
#include "unit.h"

#include "tune/finals.h"
#include "tune/seeds.h"

#define GOOD_SEED 5u

struct rig {
    struct burl_genome genome;
    struct burl_search_config cfg;
    struct burl_fitness fitness;
    struct burl_tuner tuner;
    struct burl_rng rng;
};

/* One setting was evaluated, and `errors` of its 5 executions failed. */
static struct rig *
rig(uint64_t seed, uint32_t jobs, uint32_t errors)
{
    const struct burl_tune_outcome o = { .executions = 5, .errors = { errors }, .cost_ms = 50 };
    struct rig *r = burl_xcalloc(1, sizeof *r);
    size_t n;

    burl_genome_init(&r->genome);
    r->cfg = (struct burl_search_config){ BURL_SEARCH_PAPER };
    r->cfg.genome = &r->genome;
    r->cfg.seed = 1;
    r->fitness = (struct burl_fitness){ .floor_ms = 10 };
    burl_rng_init(&r->rng, seed);
    burl_tuner_init(&r->tuner, burl_search_find("random"), &r->cfg, &r->fitness, jobs);
    burl_tuner_batch(&r->tuner, &n);
    burl_tuner_learn(&r->tuner, &o);
    return r;
}

static void
drop(struct rig *r)
{
    burl_tuner_deinit(&r->tuner);
    free(r);
}

/* An execution with the good seed fails 9 times of 10, and with any other twice. */
static struct burl_tune_outcome
play(struct rig *r, uint64_t seed)
{
    const uint32_t chance = seed == GOOD_SEED ? 900 : 200;

    return (struct burl_tune_outcome){ .executions = 1,
                                       .errors = { burl_rng_below(&r->rng, 1000) < chance },
                                       .cost_ms = 10 };
}

static void
seeds(struct rig *r)
{
    const struct burl_trial *t;
    size_t n;

    while (t = burl_seeds_batch(&r->tuner, &n), n > 0) {
        const struct burl_tune_outcome o = play(r, t->seed);

        assert_true(r->tuner.n_seed_trials < 1000);
        assert_int_equal(t->n, BURL_SEEDS_BASE + r->tuner.n_seed_trials);
        burl_seeds_learn(&r->tuner, &o);
    }
}

static const struct burl_genes *
genes(const struct rig *r)
{
    return &r->tuner.settings.v[0].genes;
}

static void
they_find_the_seed_that_fails(void **state)
{
    uint32_t found = 0;

    (void)state;
    for (uint64_t i = 1; i <= 40; i++) {
        struct rig *r = rig(i, 1, 2);

        seeds(r);
        found += burl_seeds_best(&r->tuner, genes(r))->seed == GOOD_SEED;
        drop(r);
    }
    /* The first execution with it passes in 1 of 10 searches. */
    if (found < 32)
        fail_msg("the good seed was picked in %u of 40 searches", found);
}

/* All 16 once; at least 8 twice, 4 four times and 2 eight times. */
static void
the_better_ones_are_executed_more_often(void **state)
{
    struct rig *r = rig(3, 1, 2);
    uint32_t at_least[9] = { 0 };

    (void)state;
    seeds(r);
    assert_int_equal(r->tuner.seeds.n, BURL_SEEDS);
    for (size_t i = 0; i < r->tuner.seeds.n; i++) {
        for (uint32_t k = 1; k <= 8 && k <= r->tuner.seeds.v[i].outcome.executions; k++)
            at_least[k]++;
    }
    assert_int_equal(at_least[1], 16);
    assert_true(at_least[2] >= 8);
    assert_true(at_least[4] >= 4);
    assert_true(at_least[8] >= 2);
    assert_true(burl_seeds_best(&r->tuner, genes(r))->outcome.executions >= 8);
    drop(r);
}

/* They say nothing about settings, which other seeds compare. */
static void
they_do_not_change_the_value_of_the_setting(void **state)
{
    struct rig *r = rig(4, 1, 2);
    const double before = burl_tuner_value(&r->tuner, &r->tuner.settings.v[0]);

    (void)state;
    seeds(r);
    assert_true(burl_tuner_value(&r->tuner, &r->tuner.settings.v[0]) == before);
    assert_int_equal(r->tuner.done.n, 1);
    assert_int_equal(r->tuner.finals.n, 0);
    assert_int_equal(r->tuner.total.executions, 5 + r->tuner.n_seed_trials);
    drop(r);
}

static void
they_are_recalled(void **state)
{
    const struct burl_tune_outcome o = { .executions = 1 };
    struct rig *a = rig(6, 1, 1);
    struct rig *b = rig(6, 1, 1);
    struct burl_genes other = *genes(a);
    size_t n;

    (void)state;
    seeds(a);
    for (size_t i = 0; i < a->tuner.seeds.n; i++)
        assert_true(burl_seeds_recall(&b->tuner, genes(b), a->tuner.seeds.v[i].seed,
                                      &a->tuner.seeds.v[i].outcome));
    burl_seeds_batch(&b->tuner, &n);
    assert_int_equal(n, 0);
    assert_int_equal(burl_seeds_best(&a->tuner, genes(a))->seed,
                     burl_seeds_best(&b->tuner, genes(b))->seed);
    assert_false(burl_seeds_recall(&b->tuner, genes(b), 0, &o));
    assert_false(burl_seeds_recall(&b->tuner, genes(b), BURL_SEEDS + 1, &o));
    other.v[0] = other.v[0] == 0 ? 1 : 0;
    assert_false(burl_seeds_recall(&b->tuner, &other, 1, &o));
    drop(a);
    drop(b);
}

static void
several_at_a_time_have_different_seeds(void **state)
{
    struct rig *r = rig(7, 4, 1);
    const struct burl_trial *t = NULL;
    size_t n = 0;

    (void)state;
    /* The other three trials of the first batch. */
    while (r->tuner.batch.n > 0) {
        const struct burl_tune_outcome o = { .executions = 5 };

        burl_tuner_learn(&r->tuner, &o);
    }
    t = burl_seeds_batch(&r->tuner, &n);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_true(t[i].final && t[i].n == BURL_SEEDS_BASE + i);
        for (size_t k = 0; k < i; k++)
            assert_true(t[i].seed != t[k].seed);
    }
    burl_seeds_drop(&r->tuner);
    assert_null(burl_seeds_best(&r->tuner, genes(r)));
    drop(r);
}

static void
there_are_none_without_a_failure(void **state)
{
    struct rig *r = rig(8, 1, 0);
    size_t n;

    (void)state;
    burl_seeds_batch(&r->tuner, &n);
    assert_int_equal(n, 0);
    assert_null(burl_seeds_best(&r->tuner, genes(r)));
    drop(r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_find_the_seed_that_fails),
        cmocka_unit_test(the_better_ones_are_executed_more_often),
        cmocka_unit_test(they_do_not_change_the_value_of_the_setting),
        cmocka_unit_test(they_are_recalled),
        cmocka_unit_test(several_at_a_time_have_different_seeds),
        cmocka_unit_test(there_are_none_without_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
