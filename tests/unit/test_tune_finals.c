/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_finals.c - final evaluations: which settings they run, how often, and that
 * they pick a good setting where a few executions pick a lucky one.
 */
#include "unit.h"

#include "tune/finals.h"

#define EXECUTIONS 3u

struct rig {
    struct burl_genome genome;
    struct burl_search_config cfg;
    struct burl_fitness fitness;
    struct burl_tuner tuner;
    struct burl_rng rng;
};

static struct rig *
rig(uint64_t seed, uint32_t jobs)
{
    struct rig *r = burl_xcalloc(1, sizeof *r);

    burl_genome_init(&r->genome);
    r->cfg = (struct burl_search_config){ BURL_SEARCH_PAPER };
    r->cfg.genome = &r->genome;
    r->cfg.seed = seed;
    r->fitness = (struct burl_fitness){ .floor_ms = 100 };
    burl_rng_init(&r->rng, seed + 1000);
    burl_tuner_init(&r->tuner, burl_search_find("random"), &r->cfg, &r->fitness, jobs);
    return r;
}

static void
drop(struct rig *r)
{
    burl_tuner_deinit(&r->tuner);
    free(r);
}

/* How likely an execution fails under a setting, in thousandths. */
static uint32_t
chance(const struct burl_genes *x)
{
    return x->v[BURL_GENE_SEEDING] == 1 ? 500 : 100;
}

static struct burl_tune_outcome
play(struct rig *r, const struct burl_genes *x)
{
    struct burl_tune_outcome o = { .executions = EXECUTIONS, .cost_ms = 300, .wall_ms = 300 };

    for (uint32_t i = 0; i < EXECUTIONS; i++)
        o.errors[BURL_TUNE_ERROR_CRASH] += burl_rng_below(&r->rng, 1000) < chance(x);
    return o;
}

static void
search(struct rig *r, size_t most)
{
    const struct burl_trial *t;
    size_t n;

    while (r->tuner.done.n < most && (t = burl_tuner_batch(&r->tuner, &n), n > 0)) {
        const struct burl_tune_outcome o = play(r, &t->genes);

        burl_tuner_learn(&r->tuner, &o);
    }
}

static void
finals(struct rig *r, uint32_t n_finalists)
{
    const struct burl_trial *t;
    size_t n;

    while (t = burl_finals_batch(&r->tuner, n_finalists, &n), n > 0) {
        const struct burl_tune_outcome o = play(r, &t->genes);

        assert_true(r->tuner.finals.n < 1000);
        burl_finals_learn(&r->tuner, &o);
    }
}

/* Over 40 searches each. With three executions per setting the best of 60 is one of the many bad
 * ones often enough. */
static void
they_tell_good_settings_from_lucky_ones(void **state)
{
    uint32_t before = 0;
    uint32_t after = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rig *r = rig(seed, 1);

        search(r, 60);
        before += burl_tuner_best(&r->tuner)->genes.v[BURL_GENE_SEEDING] == 1;
        finals(r, 8);
        after += burl_tuner_best(&r->tuner)->genes.v[BURL_GENE_SEEDING] == 1;
        drop(r);
    }
    if (after < 39 || after < before)
        fail_msg("a good setting was picked %u times before the finals, %u times after", before,
                 after);
}

/* Of 8: the best 8 at least once, the best 4 three times, the best 2 seven times. */
static void
the_better_ones_are_evaluated_more_often(void **state)
{
    static const uint32_t least[] = { 7, 7, 3, 3, 1, 1, 1, 1 };
    struct rig *r = rig(3, 1);

    (void)state;
    search(r, 80);
    finals(r, 8);
    for (size_t rank = 0; rank < 8; rank++) {
        const struct burl_setting *found = NULL;

        for (size_t i = 0; i < r->tuner.settings.n; i++) {
            const struct burl_setting *s = &r->tuner.settings.v[i];
            size_t above = 0;

            for (size_t k = 0; k < r->tuner.settings.n; k++) {
                const double x = burl_tuner_value(&r->tuner, &r->tuner.settings.v[k]);
                const double y = burl_tuner_value(&r->tuner, s);

                above += x > y || (x == y && k < i);
            }
            found = above == rank ? s : found;
        }
        assert_non_null(found);
        assert_true(found->n_final >= least[rank]);
    }
    drop(r);
}

/* Metrics slow the program down. The first setting made it fail often with them, in many
 * evaluations, and seldom without them; the second fails without them. */
static void
what_fails_only_with_metrics_is_not_picked(void **state)
{
    const struct burl_setting first = {
        .outcome = { .executions = 45, .errors = { 27 }, .cost_ms = 4500 },
        .n = 15,
        .final = { .executions = 9, .errors = { 1 }, .cost_ms = 900 },
        .n_final = 3,
    };
    const struct burl_setting second = {
        .outcome = { .executions = 3, .errors = { 2 }, .cost_ms = 300 },
        .n = 1,
        .final = { .executions = 9, .errors = { 4 }, .cost_ms = 900 },
        .n_final = 3,
    };
    struct rig *r = rig(7, 1);

    (void)state;
    assert_true(burl_tuner_value(&r->tuner, &second) > burl_tuner_value(&r->tuner, &first));
    drop(r);
}

static void
a_search_goes_on_as_if_there_were_none(void **state)
{
    struct rig *a = rig(5, 1);
    struct rig *b = rig(5, 1);

    (void)state;
    search(a, 40);
    for (size_t i = 0; i < 20; i++)
        assert_true(burl_tuner_recall(&b->tuner, &a->tuner.done.v[i].trial.genes,
                                      &a->tuner.done.v[i].outcome));
    finals(b, 8);
    assert_true(b->tuner.finals.n > 0);
    for (size_t i = 20; i < 40; i++)
        assert_true(burl_tuner_recall(&b->tuner, &a->tuner.done.v[i].trial.genes,
                                      &a->tuner.done.v[i].outcome));
    for (size_t i = 0; i < 40; i++)
        assert_true(a->tuner.done.v[i].fitness == b->tuner.done.v[i].fitness);
    drop(a);
    drop(b);
}

/* What an earlier process did is not done again. */
static void
they_are_recalled(void **state)
{
    struct rig *a = rig(6, 1);
    struct rig *b = rig(6, 1);
    size_t n;

    (void)state;
    search(a, 40);
    finals(a, 8);
    for (size_t i = 0; i < a->tuner.done.n; i++)
        assert_true(burl_tuner_recall(&b->tuner, &a->tuner.done.v[i].trial.genes,
                                      &a->tuner.done.v[i].outcome));
    for (size_t i = 0; i < a->tuner.finals.n; i++)
        assert_true(burl_finals_recall(&b->tuner, &a->tuner.finals.v[i].trial.genes,
                                       &a->tuner.finals.v[i].outcome));
    burl_finals_batch(&b->tuner, 8, &n);
    assert_int_equal(n, 0);
    assert_int_equal(burl_tuner_best(&a->tuner)->first, burl_tuner_best(&b->tuner)->first);
    assert_int_equal(b->tuner.total.executions, a->tuner.total.executions);
    drop(a);
    drop(b);
}

static void
several_at_a_time_are_different_settings(void **state)
{
    struct rig *r = rig(7, 4);
    const struct burl_trial *t;
    size_t n;

    (void)state;
    search(r, 40);
    t = burl_finals_batch(&r->tuner, 8, &n);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_true(t[i].final && t[i].n == BURL_FINALS_BASE + i);
        for (size_t k = 0; k < i; k++)
            assert_false(burl_genes_equal(&r->genome, &t[i].genes, &t[k].genes));
    }
    drop(r);
}

/* With 16 finalists each would be run once more, and the time would be over. */
static void
after_a_short_search_there_are_fewer_finalists(void **state)
{
    struct rig *r = rig(9, 1);
    const struct burl_setting *best;

    (void)state;
    search(r, 30);
    finals(r, 16);
    best = burl_tuner_best(&r->tuner);
    if (r->tuner.finals.n < 6 || r->tuner.finals.n > 20)
        fail_msg("%zu finals after 30 evaluations", r->tuner.finals.n);
    assert_true(best->n_final >= 3);
    drop(r);
}

/* Nothing failed, or one setting only: there is nothing to decide. */
static void
there_are_none_without_two_settings_that_failed(void **state)
{
    struct rig *r = rig(8, 1);
    size_t n;

    (void)state;
    burl_finals_batch(&r->tuner, 8, &n);
    assert_int_equal(n, 0);
    for (int i = 0; i < 10; i++) {
        struct burl_tune_outcome o = { .executions = EXECUTIONS, .cost_ms = 300, .warnings = 1 };

        burl_tuner_batch(&r->tuner, &n);
        o.errors[BURL_TUNE_ERROR_HANG] = i == 4;
        burl_tuner_learn(&r->tuner, &o);
    }
    burl_finals_batch(&r->tuner, 8, &n);
    assert_int_equal(n, 0);
    assert_int_equal(burl_tuner_best(&r->tuner)->first, 4);
    drop(r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_tell_good_settings_from_lucky_ones),
        cmocka_unit_test(the_better_ones_are_evaluated_more_often),
        cmocka_unit_test(what_fails_only_with_metrics_is_not_picked),
        cmocka_unit_test(a_search_goes_on_as_if_there_were_none),
        cmocka_unit_test(they_are_recalled),
        cmocka_unit_test(several_at_a_time_are_different_settings),
        cmocka_unit_test(after_a_short_search_there_are_fewer_finalists),
        cmocka_unit_test(there_are_none_without_two_settings_that_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
