/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of dynamic_bin.h once or more, in one thread. */
#include "dynamic_bin.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>

/* Builds 4 1 3 2. */
static struct dynamic_bin *
four(void)
{
    struct dynamic_bin *bin = dynamic_bin_new();

    assert(bin != NULL);
    assert(dynamic_bin_add(bin, 4) == 1);
    assert(dynamic_bin_add(bin, 1) == 2);
    assert(dynamic_bin_add(bin, 3) == 3);
    assert(dynamic_bin_add(bin, 2) == 4);
    return bin;
}

static bool
near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void
seed_elements(void)
{
    struct dynamic_bin *bin = four();
    struct dynamic_bin *clone = dynamic_bin_clone(bin);
    double out[2];

    assert(dynamic_bin_size(bin) == 4);
    assert(!dynamic_bin_is_empty(bin));
    assert(dynamic_bin_element(bin, 2) == 3);
    assert(dynamic_bin_elements(bin, out, 2) == 2);
    assert(out[0] == 4 && out[1] == 1);
    assert(dynamic_bin_count_of(bin, 3) == 1);
    assert(dynamic_bin_equals(bin, clone));
    dynamic_bin_sort(bin);
    assert(dynamic_bin_element(bin, 0) == 1);
    assert(dynamic_bin_trim(bin, 1, 1) == 2);
    assert(dynamic_bin_trim_to_size(bin) == 2);
    assert(dynamic_bin_standardize(bin, 2.5, 0.5) == 0);
    assert(near(dynamic_bin_sum(bin), 0));
    dynamic_bin_clear(bin);
    assert(dynamic_bin_is_empty(bin));
    dynamic_bin_free(clone);
    dynamic_bin_free(bin);
}

static void
seed_statistics(void)
{
    struct dynamic_bin *bin = four();

    assert(near(dynamic_bin_sum(bin), 10));
    assert(near(dynamic_bin_sum_of_squares(bin), 30));
    assert(near(dynamic_bin_sum_of_powers(bin, 3), 100));
    assert(near(dynamic_bin_min(bin), 1));
    assert(near(dynamic_bin_max(bin), 4));
    assert(near(dynamic_bin_mean(bin), 2.5));
    assert(near(dynamic_bin_rms(bin) * dynamic_bin_rms(bin), 7.5));
    assert(near(dynamic_bin_variance(bin), 5.0 / 3));
    assert(near(dynamic_bin_deviation(bin), 2 * dynamic_bin_standard_error(bin)));
    assert(near(dynamic_bin_moment(bin, 2, 2.5), 1.25));
    assert(near(dynamic_bin_skew(bin), 0));
    assert(dynamic_bin_kurtosis(bin) > 0);
    assert(near(dynamic_bin_quantile(bin, 0.5), 2.5));
    assert(near(dynamic_bin_median(bin), 2.5));
    assert(near(dynamic_bin_quantile_inverse(bin, 3), 0.75));
    dynamic_bin_free(bin);
}

static void
seed_several_bins(void)
{
    struct dynamic_bin *bin = four();
    struct dynamic_bin *other = four();
    struct dynamic_bin *distinct = dynamic_bin_new();
    struct dynamic_bin *counts = dynamic_bin_new();

    assert(near(dynamic_bin_covariance(bin, other), 5.0 / 3));
    assert(near(dynamic_bin_correlation(bin, other), 1));
    assert(dynamic_bin_add_all_of(bin, other) == 8);
    assert(dynamic_bin_add_all_of_from_to(bin, other, 1, 3) == 10);
    assert(dynamic_bin_frequencies(bin, distinct, counts) == 4);
    assert(near(dynamic_bin_sum(counts), 10));
    assert(dynamic_bin_remove_all_of(bin, other) == 4);
    assert(dynamic_bin_size(bin) == 6);
    dynamic_bin_free(counts);
    dynamic_bin_free(distinct);
    dynamic_bin_free(other);
    dynamic_bin_free(bin);
}

static void
seed_samples(void)
{
    struct dynamic_bin *bin = four();
    struct dynamic_bin *other = four();
    struct dynamic_bin *out = dynamic_bin_new();

    assert(dynamic_bin_sample(bin, 3, true, 7, out) == 3);
    assert(dynamic_bin_sample(bin, 4, false, 7, out) == 4);
    assert(dynamic_bin_sample(bin, 5, false, 7, out) == DYNAMIC_BIN_EEMPTY);
    assert(dynamic_bin_size(out) == 7);
    assert(dynamic_bin_sample_bootstrap(bin, other, 2, 7, out) == 2);
    assert(dynamic_bin_size(out) == 9);
    dynamic_bin_free(out);
    dynamic_bin_free(other);
    dynamic_bin_free(bin);
}

int
main(void)
{
    seed_elements();
    seed_statistics();
    seed_several_bins();
    seed_samples();
    return 0;
}
