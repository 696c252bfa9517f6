/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_operators.c - the operators of the genetic algorithm have the distributions
 * they should have: chi-square tests with fixed seeds.
 */
#include "unit.h"

#include <math.h>

#include "tune/operators.h"

#define DRAWS 100000

/* The value that chi-square with `df` degrees of freedom exceeds with probability 0.001 (Wilson and
 * Hilferty). */
static double
critical(int df)
{
    const double x = 1.0 - 2.0 / (9.0 * df) + 3.0902 * sqrt(2.0 / (9.0 * df));

    return df * x * x * x;
}

/* -1: something happened that must not. */
static double
chi_square(const uint64_t *count, const double *share, int n, uint64_t draws, int *df)
{
    double chi = 0;

    *df = -1;
    for (int i = 0; i < n; i++) {
        const double want = share[i] * (double)draws;

        if (want == 0) {
            if (count[i] != 0)
                return -1;
            continue;
        }
        chi += ((double)count[i] - want) * ((double)count[i] - want) / want;
        ++*df;
    }
    return chi;
}

static void
expect_shares(const uint64_t *count, const double *share, int n, uint64_t draws, const char *what)
{
    int df;
    const double chi = chi_square(count, share, n, draws, &df);

    if (chi < 0)
        fail_msg("%s: an outcome that must not happen", what);
    if (chi > critical(df))
        fail_msg("%s: chi-square %.1f, at most %.1f", what, chi, critical(df));
}

/* A share that is 5 % off is noticed, an exact one is not. */
static void
the_test_can_fail(void **state)
{
    const double share[3] = { 0.25, 0.75, 0 };
    const uint64_t right[3] = { 25000, 75000, 0 };
    const uint64_t off[3] = { 26250, 73750, 0 };
    const uint64_t impossible[3] = { 25000, 74999, 1 };
    int df;

    (void)state;
    assert_true(chi_square(right, share, 3, DRAWS, &df) < critical(1));
    assert_int_equal(df, 1);
    assert_true(chi_square(off, share, 3, DRAWS, &df) > critical(1));
    assert_true(chi_square(impossible, share, 3, DRAWS, &df) < 0);
}

static void
crossover_swaps_each_entry_alone(void **state)
{
    const double swapped[2] = { 0.75, 0.25 };
    const double pairs[4] = { 0.5625, 0.1875, 0.1875, 0.0625 };
    uint64_t count[BURL_GENE_PAPER][2] = { { 0 } };
    uint64_t both[4] = { 0 };
    struct burl_genome g;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    burl_rng_init(&rng, 11);
    for (int i = 0; i < DRAWS; i++) {
        struct burl_genes a = { { 1, 1, 1, 1, 1, 1 } };
        struct burl_genes b = { { 0 } };

        burl_crossover(&g, &a, &b, 0.25, &rng);
        for (size_t k = 0; k < g.n; k++) {
            assert_int_equal(a.v[k] + b.v[k], 1);
            count[k][b.v[k]]++;
        }
        both[b.v[0] * 2 + b.v[1]]++;
    }
    for (size_t k = 0; k < g.n; k++)
        expect_shares(count[k], swapped, 2, DRAWS, "crossover");
    expect_shares(both, pairs, 4, DRAWS, "two entries");
}

static void
mutation_of_codes_is_uniform_with_the_present_value(void **state)
{
    struct burl_genome g;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    burl_rng_init(&rng, 12);
    for (size_t k = BURL_GENE_SHARED; k < BURL_GENE_PAPER; k++) {
        const int n = g.v[k].max + 1;
        uint64_t count[8] = { 0 };
        double share[8];

        for (int i = 0; i < n; i++)
            share[i] = 1.0 / n;
        for (int i = 0; i < DRAWS; i++)
            count[burl_mutate_gene(&g.v[k], g.v[k].max, &rng)]++;
        expect_shares(count, share, n, DRAWS, g.v[k].name);
    }
}

static double
normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Buckets of half a deviation around the present value, far from the bounds. */
static void
mutation_of_the_frequency_is_gaussian_with_a_tenth_of_the_range(void **state)
{
    uint64_t count[16] = { 0 };
    double share[16];
    struct burl_genome g;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    burl_rng_init(&rng, 13);
    /* Rounded: bucket b has the values from 500 + 50 (b - 8) on. */
    for (int b = 0; b < 16; b++) {
        const double low = (50.0 * (b - 8) - 0.5) / 100.0;
        const double high = (50.0 * (b - 7) - 0.5) / 100.0;

        share[b] = (b == 15 ? 1.0 : normal_below(high)) - (b == 0 ? 0.0 : normal_below(low));
    }
    for (int i = 0; i < DRAWS; i++) {
        const int32_t x = burl_mutate_gene(&g.v[BURL_GENE_FREQ], 500, &rng);
        int b = (int)floor((x - 500) / 50.0) + 8;

        assert_in_range(x, 0, 1000);
        b = b < 0 ? 0 : b > 15 ? 15 : b;
        count[b]++;
    }
    expect_shares(count, share, 16, DRAWS, "frequency");
}

/* A tenth of 1..16 would be 1.5: the deviation is 2 there. At a bound the rest gathers on it. */
static void
mutation_of_small_ranges_has_deviation_2_and_is_clamped(void **state)
{
    uint64_t count[16] = { 0 };
    double share[16];
    struct burl_genome g;
    struct burl_err err;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    EXPECT_OK(burl_genome_add_param(&g, "threads", 0, true, 1, 16, &err), &err);
    burl_rng_init(&rng, 14);
    for (int i = 0; i < 16; i++) {
        const double low = (i + 1 - 2 - 0.5) / 2.0;

        share[i] = normal_below(low + 0.5) - (i == 0 ? 0.0 : normal_below(low));
    }
    share[15] += 1.0 - normal_below((16 - 2 + 0.5) / 2.0);
    /* Shares below one draw in the tail are put together. */
    for (int i = 15; i > 9; i--) {
        share[i - 1] += share[i];
        share[i] = 0;
    }
    for (int i = 0; i < DRAWS; i++) {
        const int32_t x = burl_mutate_gene(&g.v[BURL_GENE_PAPER], 2, &rng);

        assert_in_range(x, 1, 16);
        count[x > 10 ? 9 : x - 1]++;
    }
    expect_shares(count, share, 16, DRAWS, "threads");
}

static void
mutation_takes_each_entry_with_its_probability(void **state)
{
    const double share[2] = { 0.99, 0.01 };
    uint64_t count[2] = { 0 };
    struct burl_genome g;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    /* A range in which a Gaussian of deviation 10^8 never rounds back to the present value. */
    g.v[0].max = 1000000000;
    burl_rng_init(&rng, 15);
    for (int i = 0; i < DRAWS; i++) {
        struct burl_genes x = { { 500000000, 0, 0, 0, 0, 0 } };

        burl_mutate(&g, &x, 0.01, &rng);
        count[x.v[0] != 500000000]++;
    }
    expect_shares(count, share, 2, DRAWS, "mutation");
}

/* With replacement: the best of n wins unless none of 4 draws is it. */
static void
tournament_draws_four_with_replacement(void **state)
{
    const double fitness[5] = { 3, 1, 5, 2, 4 };
    uint64_t count[5] = { 0 };
    double share[5];
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, 16);
    for (int i = 0; i < 5; i++) {
        const double rank = fitness[i];

        share[i] = pow(rank / 5, 4) - pow((rank - 1) / 5, 4);
    }
    for (int i = 0; i < DRAWS; i++)
        count[burl_select_tournament(fitness, 5, 4, &rng)]++;
    expect_shares(count, share, 5, DRAWS, "tournament");
}

static void
proportional_selection_follows_fitness(void **state)
{
    const double fitness[4] = { 1, 0, 2, 5 };
    const double share[4] = { 0.125, 0, 0.25, 0.625 };
    uint64_t count[4] = { 0 };
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, 17);
    for (int i = 0; i < DRAWS; i++)
        count[burl_select_proportional(fitness, 4, &rng)]++;
    expect_shares(count, share, 4, DRAWS, "proportion");
}

static void
proportional_selection_of_zeros_is_uniform(void **state)
{
    const double fitness[4] = { 0 };
    const double share[4] = { 0.25, 0.25, 0.25, 0.25 };
    uint64_t count[4] = { 0 };
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, 18);
    for (int i = 0; i < DRAWS; i++)
        count[burl_select_proportional(fitness, 4, &rng)]++;
    expect_shares(count, share, 4, DRAWS, "zeros");
}

static void
random_vectors_are_uniform(void **state)
{
    uint64_t count[10] = { 0 };
    double share[10];
    struct burl_genome g;
    struct burl_rng rng;

    (void)state;
    burl_genome_init(&g);
    burl_rng_init(&rng, 19);
    for (int i = 0; i < 10; i++)
        share[i] = i < 9 ? 100.0 / 1001 : 101.0 / 1001;
    for (int i = 0; i < DRAWS; i++) {
        struct burl_genes x;

        burl_genes_random(&g, &x, &rng);
        count[x.v[0] == 1000 ? 9 : x.v[0] / 100]++;
    }
    expect_shares(count, share, 10, DRAWS, "random");
}

static void
the_best_come_in_order_and_ties_by_index(void **state)
{
    const double fitness[5] = { 2, 7, 7, 1, 3 };
    size_t best[3];

    (void)state;
    burl_select_best(fitness, 5, best, 3);
    assert_int_equal(best[0], 1);
    assert_int_equal(best[1], 2);
    assert_int_equal(best[2], 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_can_fail),
        cmocka_unit_test(crossover_swaps_each_entry_alone),
        cmocka_unit_test(mutation_of_codes_is_uniform_with_the_present_value),
        cmocka_unit_test(mutation_of_the_frequency_is_gaussian_with_a_tenth_of_the_range),
        cmocka_unit_test(mutation_of_small_ranges_has_deviation_2_and_is_clamped),
        cmocka_unit_test(mutation_takes_each_entry_with_its_probability),
        cmocka_unit_test(tournament_draws_four_with_replacement),
        cmocka_unit_test(proportional_selection_follows_fitness),
        cmocka_unit_test(proportional_selection_of_zeros_is_uniform),
        cmocka_unit_test(random_vectors_are_uniform),
        cmocka_unit_test(the_best_come_in_order_and_ties_by_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
