/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic_bin.h - a bin of doubles with statistics, after DynamicBin1D of the Colt library.
 *
 * Every function may be called by any thread at any time and is atomic, including the functions
 * that take several bins. The bins of a call may be the same. dynamic_bin_free is the exception: no
 * other thread may use the bin during or after the call.
 *
 * The bin keeps its elements in the order in which they were added, until dynamic_bin_sort.
 * Statistics of an empty bin are zero.
 */
#ifndef DYNAMIC_BIN_H
#define DYNAMIC_BIN_H

#include <stdbool.h>
#include <stddef.h>

struct dynamic_bin;

enum dynamic_bin_error {
    DYNAMIC_BIN_EINDEX = -1, /* index or range out of bounds */
    DYNAMIC_BIN_ENOMEM = -2, /* out of memory, or too many elements */
    DYNAMIC_BIN_EEMPTY = -3  /* the bin has too few elements to draw from */
};

/* An empty bin; NULL if out of memory. */
struct dynamic_bin *dynamic_bin_new(void);
/* A new bin with the same elements; NULL if out of memory. */
struct dynamic_bin *dynamic_bin_clone(struct dynamic_bin *bin) __attribute__((nonnull));
void dynamic_bin_free(struct dynamic_bin *bin);

/* ---- elements ---- */

/* Functions that return int return the new size, or an error. */
int dynamic_bin_add(struct dynamic_bin *bin, double value) __attribute__((nonnull));
int dynamic_bin_size(struct dynamic_bin *bin) __attribute__((nonnull));
bool dynamic_bin_is_empty(struct dynamic_bin *bin) __attribute__((nonnull));
/* The element, or zero if the index is out of bounds. */
double dynamic_bin_element(struct dynamic_bin *bin, int index) __attribute__((nonnull));
/* Copies at most `max` elements to `out`; returns how many. */
int dynamic_bin_elements(struct dynamic_bin *bin, double *out, size_t max) __attribute__((nonnull));
int dynamic_bin_count_of(struct dynamic_bin *bin, double value) __attribute__((nonnull));
void dynamic_bin_clear(struct dynamic_bin *bin) __attribute__((nonnull));
void dynamic_bin_sort(struct dynamic_bin *bin) __attribute__((nonnull));
/* Removes the n smallest and m largest elements and sorts the rest. */
int dynamic_bin_trim(struct dynamic_bin *bin, int n, int m) __attribute__((nonnull));
int dynamic_bin_trim_to_size(struct dynamic_bin *bin) __attribute__((nonnull));
/* Replaces each element x by (x - mean) / deviation. DYNAMIC_BIN_EINDEX if deviation is zero. */
int dynamic_bin_standardize(struct dynamic_bin *bin, double mean, double deviation)
    __attribute__((nonnull));

/* ---- statistics ---- */

double dynamic_bin_sum(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_sum_of_squares(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_sum_of_powers(struct dynamic_bin *bin, int k) __attribute__((nonnull));
double dynamic_bin_min(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_max(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_mean(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_rms(struct dynamic_bin *bin) __attribute__((nonnull));
/* The sample variance: divided by size - 1. */
double dynamic_bin_variance(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_deviation(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_standard_error(struct dynamic_bin *bin) __attribute__((nonnull));
/* The mean of (x - c) to the power of k, for 0 <= k <= 8. */
double dynamic_bin_moment(struct dynamic_bin *bin, int k, double c) __attribute__((nonnull));
double dynamic_bin_skew(struct dynamic_bin *bin) __attribute__((nonnull));
double dynamic_bin_kurtosis(struct dynamic_bin *bin) __attribute__((nonnull));
/* phi from 0 to 1. */
double dynamic_bin_quantile(struct dynamic_bin *bin, double phi) __attribute__((nonnull));
double dynamic_bin_median(struct dynamic_bin *bin) __attribute__((nonnull));
/* The part of the elements that are less than or equal to x. */
double dynamic_bin_quantile_inverse(struct dynamic_bin *bin, double x) __attribute__((nonnull));

/* ---- several bins ---- */

/* Append elements of `other`: the new size, or an error. */
int dynamic_bin_add_all_of(struct dynamic_bin *bin, struct dynamic_bin *other)
    __attribute__((nonnull));
int dynamic_bin_add_all_of_from_to(struct dynamic_bin *bin, struct dynamic_bin *other, int from,
                                   int to) __attribute__((nonnull));
/* Removes one equal element for each element of `other`; returns how many were removed. */
int dynamic_bin_remove_all_of(struct dynamic_bin *bin, struct dynamic_bin *other)
    __attribute__((nonnull));
bool dynamic_bin_equals(struct dynamic_bin *bin, struct dynamic_bin *other)
    __attribute__((nonnull));
/* Appends each distinct element to `distinct` and its frequency to `counts`; returns how many. */
int dynamic_bin_frequencies(struct dynamic_bin *bin, struct dynamic_bin *distinct,
                            struct dynamic_bin *counts) __attribute__((nonnull));
/* Zero if the bins differ in size. */
double dynamic_bin_covariance(struct dynamic_bin *bin, struct dynamic_bin *other)
    __attribute__((nonnull));
double dynamic_bin_correlation(struct dynamic_bin *bin, struct dynamic_bin *other)
    __attribute__((nonnull));
/*
 * Draws n elements, the same for the same seed, and appends them to `out`. Returns n, or
 * DYNAMIC_BIN_EEMPTY if the bin is empty, or has less than n elements and draws without
 * replacement.
 */
int dynamic_bin_sample(struct dynamic_bin *bin, int n, bool replace, unsigned seed,
                       struct dynamic_bin *out) __attribute__((nonnull));
/*
 * Bootstrap: draws resamples of the size of each bin with replacement, and appends the difference
 * of their means to `out`, for each resample. Returns the number of resamples, or an error.
 */
int dynamic_bin_sample_bootstrap(struct dynamic_bin *bin, struct dynamic_bin *other, int resamples,
                                 unsigned seed, struct dynamic_bin *out) __attribute__((nonnull));

#endif
