/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_search.c - searches with a fitness that is computed instead of run: elites,
 * repeatability, resuming, and that each of them gets better.
 */
#include "unit.h"

#include "tune/tuner.h"

/* The more like (700, 2, 0, 1, 1, 0), the better. */
static struct burl_tune_outcome
play(const struct burl_genes *x)
{
    struct burl_tune_outcome o = { .executions = 5, .cost_ms = 500, .wall_ms = 500 };
    const int32_t off = abs(x->v[0] - 700);

    o.goldi_weight = (uint32_t)(1000 - off) + 300u * (x->v[1] == 2) + 300u * (x->v[2] == 0) +
                     300u * (x->v[3] == 1) + 100u * (x->v[4] == 1);
    if (off < 100 && x->v[1] == 2 && x->v[3] == 1)
        o.errors[BURL_TUNE_ERROR_CRASH] = x->v[4] == 1 ? 4 : 1;
    return o;
}

struct rig {
    struct burl_genome genome;
    struct burl_search_config cfg;
    struct burl_fitness fitness;
    struct burl_tuner tuner;
};

static struct rig *
rig(const char *search, uint64_t seed, uint32_t generations)
{
    struct rig *r = burl_xcalloc(1, sizeof *r);

    burl_genome_init(&r->genome);
    r->cfg = (struct burl_search_config){ BURL_SEARCH_PAPER };
    r->cfg.genome = &r->genome;
    r->cfg.seed = seed;
    r->cfg.generations = generations;
    r->fitness = (struct burl_fitness){ .floor_ms = 100 };
    burl_tuner_init(&r->tuner, burl_search_find(search), &r->cfg, &r->fitness, 1);
    return r;
}

static void
drop(struct rig *r)
{
    burl_tuner_deinit(&r->tuner);
    free(r);
}

static void
run_all(struct rig *r, size_t most)
{
    const struct burl_trial *t;
    size_t n;

    while (r->tuner.done.n < most && (t = burl_tuner_batch(&r->tuner, &n), n > 0)) {
        const struct burl_tune_outcome o = play(&t->genes);

        burl_tuner_learn(&r->tuner, &o);
    }
}

static const char *const searches[] = { "ga", "random", "bandit" };

static void
the_budget_is_population_times_generations(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rig *r = rig(searches[i], 1, 7);

        run_all(r, SIZE_MAX);
        assert_int_equal(r->tuner.done.n, 140);
        assert_true(r->tuner.ops->is_over(r->tuner.search));
        assert_int_equal(r->tuner.done.v[139].trial.generation, 6);
        drop(r);
    }
}

static void
same_seed_same_trials_other_seed_other_trials(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rig *a = rig(searches[i], 5, 10);
        struct rig *b = rig(searches[i], 5, 10);
        struct rig *c = rig(searches[i], 6, 10);
        size_t differ = 0;

        run_all(a, SIZE_MAX);
        run_all(b, SIZE_MAX);
        run_all(c, SIZE_MAX);
        for (size_t k = 0; k < a->tuner.done.n; k++) {
            const struct burl_genes *x = &a->tuner.done.v[k].trial.genes;

            assert_true(burl_genes_equal(&a->genome, x, &b->tuner.done.v[k].trial.genes));
            differ += !burl_genes_equal(&a->genome, x, &c->tuner.done.v[k].trial.genes);
        }
        assert_true(differ > 100);
        drop(a);
        drop(b);
        drop(c);
    }
}

/* The outcomes are all that is kept: a search that is resumed anywhere goes on as if nothing had
 * happened. */
static void
a_search_that_is_resumed_goes_on_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t cut = 0; cut < 100; cut += 33) {
            struct rig *a = rig(searches[i], 9, 5);
            struct rig *b = rig(searches[i], 9, 5);

            run_all(a, SIZE_MAX);
            for (size_t k = 0; k < cut; k++)
                assert_true(burl_tuner_recall(&b->tuner, &a->tuner.done.v[k].trial.genes,
                                              &a->tuner.done.v[k].outcome));
            run_all(b, SIZE_MAX);
            assert_int_equal(a->tuner.done.n, b->tuner.done.n);
            for (size_t k = 0; k < a->tuner.done.n; k++) {
                const struct burl_evaluation *x = &a->tuner.done.v[k];
                const struct burl_evaluation *y = &b->tuner.done.v[k];

                assert_true(burl_genes_equal(&a->genome, &x->trial.genes, &y->trial.genes));
                assert_true(x->fitness == y->fitness);
            }
            drop(a);
            drop(b);
        }
    }
}

static void
outcomes_of_another_search_are_refused(void **state)
{
    struct rig *a = rig("ga", 1, 5);
    struct rig *b = rig("ga", 2, 5);

    (void)state;
    run_all(a, 3);
    assert_false(
        burl_tuner_recall(&b->tuner, &a->tuner.done.v[0].trial.genes, &a->tuner.done.v[0].outcome));
    assert_int_equal(b->tuner.done.n, 0);
    drop(a);
    drop(b);
}

/* The two best of a generation are the first of the next, unchanged, and evaluated again. */
static void
elites_are_copied_and_evaluated_again(void **state)
{
    struct rig *r = rig("ga", 3, 10);
    const struct burl_evaluation *v;

    (void)state;
    run_all(r, SIZE_MAX);
    v = r->tuner.done.v;
    for (uint32_t g = 1; g < 10; g++) {
        size_t best = 0;

        for (size_t i = 1; i < 20; i++) {
            if (v[(g - 1) * 20 + i].fitness > v[(g - 1) * 20 + best].fitness)
                best = i;
        }
        assert_true(v[g * 20].trial.elite && v[g * 20 + 1].trial.elite);
        assert_false(v[g * 20 + 2].trial.elite);
        assert_true(burl_genes_equal(&r->genome, &v[g * 20].trial.genes,
                                     &v[(g - 1) * 20 + best].trial.genes));
    }
    assert_false(v[0].trial.elite);
    drop(r);
}

static void
no_generation_begins_before_the_last_is_learned(void **state)
{
    struct rig *r = rig("ga", 3, 10);
    const struct burl_trial *t;
    size_t n;

    (void)state;
    r->tuner.jobs = 50;
    burl_tuner_batch(&r->tuner, &n);
    assert_int_equal(n, 20);
    run_all(r, 20);
    t = burl_tuner_batch(&r->tuner, &n);
    assert_int_equal(n, 20);
    assert_int_equal(t->generation, 1);
    drop(r);
}

/* With several trials at once a search may be cut in the middle of a batch. */
static void
a_search_with_batches_is_resumed_within_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rig *a = rig(searches[i], 9, 3);
        struct rig *b = rig(searches[i], 9, 3);

        a->tuner.jobs = b->tuner.jobs = 3;
        run_all(a, SIZE_MAX);
        for (size_t k = 0; k < 31; k++)
            assert_true(burl_tuner_recall(&b->tuner, &a->tuner.done.v[k].trial.genes,
                                          &a->tuner.done.v[k].outcome));
        run_all(b, SIZE_MAX);
        assert_int_equal(b->tuner.done.n, 60);
        for (size_t k = 0; k < 60; k++)
            assert_true(burl_genes_equal(&a->genome, &a->tuner.done.v[k].trial.genes,
                                         &b->tuner.done.v[k].trial.genes));
        drop(a);
        drop(b);
    }
}

static void
the_first_trials_are_those_given(void **state)
{
    static const char *const with_start[] = { "ga", "bandit" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rig *r = rig(with_start[i], 3, 2);
        const struct burl_genes start[2] = { { { 10, 0, 1, 2, 0, 1 } }, { { 20, 3, 0, 4, 1, 0 } } };

        burl_tuner_deinit(&r->tuner);
        r->cfg.start = start;
        r->cfg.n_start = 2;
        burl_tuner_init(&r->tuner, burl_search_find(with_start[i]), &r->cfg, &r->fitness, 1);
        run_all(r, 2);
        for (size_t k = 0; k < 2; k++)
            assert_true(burl_genes_equal(&r->genome, &r->tuner.done.v[k].trial.genes, &start[k]));
        drop(r);
    }
}

static uint32_t
errors_of(const char *search, uint64_t seed)
{
    struct rig *r = rig(search, seed, 25);
    uint32_t n;

    run_all(r, SIZE_MAX);
    n = burl_tune_errors(&r->tuner.total);
    drop(r);
    return n;
}

/* With the same number of evaluations, over ten seeds: each is a matter of chance. */
static void
guided_searches_find_more_errors_than_random(void **state)
{
    uint32_t sum[3] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        for (size_t i = 0; i < 3; i++)
            sum[i] += errors_of(searches[i], seed);
    }
    if (sum[0] <= 3 * sum[1])
        fail_msg("ga %u, random %u", sum[0], sum[1]);
    if (sum[2] <= 3 * sum[1])
        fail_msg("bandit %u, random %u", sum[2], sum[1]);
}

/* Errors that an evaluation showed once are not forgotten for a later one without. */
static void
the_best_has_errors_if_one_had(void **state)
{
    struct rig *r = rig("random", 4, 5);
    size_t n;

    (void)state;
    for (int i = 0; i < 50 && (burl_tuner_batch(&r->tuner, &n), n > 0); i++) {
        struct burl_tune_outcome o = {
            .executions = 5, .cost_ms = 500, .goldi_weight = 1000, .fresh = 100
        };

        if (i == 7) {
            o = (struct burl_tune_outcome){ .executions = 5, .cost_ms = 900000 };
            o.errors[BURL_TUNE_ERROR_HANG] = 1;
        }
        burl_tuner_learn(&r->tuner, &o);
    }
    assert_int_equal(burl_tuner_best(&r->tuner)->first, 7);
    drop(r);
}

/* Only elites are tried twice. Without it most children are copies. */
static void
distinct_children_are_new(void **state)
{
    uint32_t repeated[2] = { 0 };

    (void)state;
    for (int distinct = 0; distinct < 2; distinct++) {
        struct rig *r = rig("ga", 6, 10);

        burl_tuner_deinit(&r->tuner);
        r->cfg.distinct = distinct;
        burl_tuner_init(&r->tuner, burl_search_find("ga"), &r->cfg, &r->fitness, 1);
        run_all(r, SIZE_MAX);
        for (size_t i = 0; i < r->tuner.done.n; i++) {
            const struct burl_trial *x = &r->tuner.done.v[i].trial;
            bool seen = false;

            for (size_t k = 0; k < i && !x->elite; k++)
                seen |= burl_genes_equal(&r->genome, &x->genes, &r->tuner.done.v[k].trial.genes);
            repeated[distinct] += seen;
        }
        drop(r);
    }
    assert_true(repeated[0] > 20);
    assert_int_equal(repeated[1], 0);
}

/* A genome in which there is nothing new: the search goes on all the same. */
static void
distinct_ends_where_all_was_tried(void **state)
{
    struct rig *r = rig("ga", 6, 4);

    (void)state;
    for (size_t i = 0; i < r->genome.n; i++)
        r->genome.v[i].max = r->genome.v[i].min;
    burl_tuner_deinit(&r->tuner);
    r->cfg.distinct = true;
    burl_tuner_init(&r->tuner, burl_search_find("ga"), &r->cfg, &r->fitness, 1);
    run_all(r, SIZE_MAX);
    assert_int_equal(r->tuner.done.n, 80);
    drop(r);
}

static void
the_mean_of_a_generation_is_its_own(void **state)
{
    struct rig *r = rig("ga", 4, 5);
    struct burl_tuner_generation g = burl_tuner_generation(&r->tuner);

    (void)state;
    assert_int_equal(g.n, 0);
    run_all(r, 45);
    g = burl_tuner_generation(&r->tuner);
    assert_int_equal(g.generation, 2);
    assert_int_equal(g.n, 5);
    assert_true(g.best >= g.mean && g.mean > 0);
    drop(r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_population_times_generations),
        cmocka_unit_test(same_seed_same_trials_other_seed_other_trials),
        cmocka_unit_test(a_search_that_is_resumed_goes_on_alike),
        cmocka_unit_test(outcomes_of_another_search_are_refused),
        cmocka_unit_test(elites_are_copied_and_evaluated_again),
        cmocka_unit_test(no_generation_begins_before_the_last_is_learned),
        cmocka_unit_test(a_search_with_batches_is_resumed_within_one),
        cmocka_unit_test(the_first_trials_are_those_given),
        cmocka_unit_test(guided_searches_find_more_errors_than_random),
        cmocka_unit_test(the_best_has_errors_if_one_had),
        cmocka_unit_test(distinct_children_are_new),
        cmocka_unit_test(distinct_ends_where_all_was_tried),
        cmocka_unit_test(the_mean_of_a_generation_is_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
