/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic_bin.c - see dynamic_bin.h.
 *
 * One recursive mutex per bin, as a Java object has one monitor. Functions named *_locked expect
 * the caller to hold it. The sums are kept up to date by all functions that change elements.
 */
#define _GNU_SOURCE
#include "dynamic_bin.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 8, MAX_ELEMENTS = 1 << 16, MAX_POWER = 8, MAX_RESAMPLES = 1000 };

struct dynamic_bin {
    pthread_mutex_t lock;
    double *data;
    int count;
    int capacity;
    double sum;
    double sum_of_squares;
};

static void
lock(struct dynamic_bin *bin)
{
    pthread_mutex_lock(&bin->lock);
}

static void
unlock(struct dynamic_bin *bin)
{
    pthread_mutex_unlock(&bin->lock);
}

static int
resize_locked(struct dynamic_bin *bin, int capacity)
{
    double *data = realloc(bin->data, (size_t)capacity * sizeof *data);

    if (data == NULL)
        return DYNAMIC_BIN_ENOMEM;
    bin->data = data;
    bin->capacity = capacity;
    return 0;
}

static int
reserve_locked(struct dynamic_bin *bin, int n)
{
    int needed = bin->count + n;

    if (needed <= bin->capacity)
        return 0;
    if (needed > MAX_ELEMENTS)
        return DYNAMIC_BIN_ENOMEM;
    return resize_locked(bin, needed < 2 * bin->capacity ? 2 * bin->capacity : needed);
}

static void
update_sums_locked(struct dynamic_bin *bin)
{
    bin->sum = 0;
    bin->sum_of_squares = 0;
    for (int i = 0; i < bin->count; i++) {
        bin->sum += bin->data[i];
        bin->sum_of_squares += bin->data[i] * bin->data[i];
    }
}

static int
add_locked(struct dynamic_bin *bin, const double *values, int n)
{
    int error;

    if (n < 0 || n > MAX_ELEMENTS)
        return DYNAMIC_BIN_ENOMEM;
    error = reserve_locked(bin, n);
    if (error != 0)
        return error;
    for (int i = 0; i < n; i++) {
        bin->data[bin->count++] = values[i];
        bin->sum += values[i];
        bin->sum_of_squares += values[i] * values[i];
    }
    return bin->count;
}

static int
find_locked(const struct dynamic_bin *bin, double value)
{
    for (int i = 0; i < bin->count; i++)
        if (bin->data[i] == value)
            return i;
    return DYNAMIC_BIN_EINDEX;
}

static double
power(double x, int k)
{
    double result = 1;

    for (int i = 0; i < k; i++)
        result *= x;
    return result;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *
sorted_copy_locked(const struct dynamic_bin *bin)
{
    double *copy = malloc((size_t)(bin->count + 1) * sizeof *copy);

    if (copy == NULL)
        return NULL;
    memcpy(copy, bin->data, (size_t)bin->count * sizeof *copy);
    qsort(copy, (size_t)bin->count, sizeof *copy, compare_doubles);
    return copy;
}

static double
mean_locked(const struct dynamic_bin *bin)
{
    return bin->count > 0 ? bin->sum / bin->count : 0;
}

static double
moment_locked(const struct dynamic_bin *bin, int k, double c)
{
    double sum = 0;

    for (int i = 0; i < bin->count; i++)
        sum += power(bin->data[i] - c, k);
    return bin->count > 0 ? sum / bin->count : 0;
}

static double
variance_locked(const struct dynamic_bin *bin)
{
    if (bin->count < 2)
        return 0;
    return moment_locked(bin, 2, mean_locked(bin)) * bin->count / (bin->count - 1);
}

/* A small generator: the same seed draws the same indexes everywhere. */
static int
draw(unsigned *state, int n)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)n);
}

struct dynamic_bin *
dynamic_bin_new(void)
{
    struct dynamic_bin *bin = calloc(1, sizeof *bin);
    pthread_mutexattr_t attr;

    if (bin == NULL)
        return NULL;
    if (resize_locked(bin, MIN_CAPACITY) != 0) {
        free(bin);
        return NULL;
    }
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&bin->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return bin;
}

struct dynamic_bin *
dynamic_bin_clone(struct dynamic_bin *bin)
{
    struct dynamic_bin *copy = dynamic_bin_new();
    int result;

    if (copy == NULL)
        return NULL;
    lock(bin);
    result = add_locked(copy, bin->data, bin->count);
    unlock(bin);
    if (result < 0) {
        dynamic_bin_free(copy);
        return NULL;
    }
    return copy;
}

void
dynamic_bin_free(struct dynamic_bin *bin)
{
    if (bin == NULL)
        return;
    pthread_mutex_destroy(&bin->lock);
    free(bin->data);
    free(bin);
}

int
dynamic_bin_add(struct dynamic_bin *bin, double value)
{
    int result;

    lock(bin);
    result = add_locked(bin, &value, 1);
    unlock(bin);
    return result;
}

int
dynamic_bin_size(struct dynamic_bin *bin)
{
    int size;

    lock(bin);
    size = bin->count;
    unlock(bin);
    return size;
}

bool
dynamic_bin_is_empty(struct dynamic_bin *bin)
{
    return dynamic_bin_size(bin) == 0;
}

double
dynamic_bin_element(struct dynamic_bin *bin, int index)
{
    double value = 0;

    lock(bin);
    if (index >= 0 && index < bin->count)
        value = bin->data[index];
    unlock(bin);
    return value;
}

int
dynamic_bin_elements(struct dynamic_bin *bin, double *out, size_t max)
{
    int n;

    lock(bin);
    n = max < (size_t)bin->count ? (int)max : bin->count;
    memcpy(out, bin->data, (size_t)n * sizeof *out);
    unlock(bin);
    return n;
}

int
dynamic_bin_count_of(struct dynamic_bin *bin, double value)
{
    int n = 0;

    lock(bin);
    for (int i = 0; i < bin->count; i++)
        n += bin->data[i] == value;
    unlock(bin);
    return n;
}

void
dynamic_bin_clear(struct dynamic_bin *bin)
{
    lock(bin);
    bin->count = 0;
    update_sums_locked(bin);
    unlock(bin);
}

void
dynamic_bin_sort(struct dynamic_bin *bin)
{
    lock(bin);
    qsort(bin->data, (size_t)bin->count, sizeof *bin->data, compare_doubles);
    update_sums_locked(bin);
    unlock(bin);
}

int
dynamic_bin_trim(struct dynamic_bin *bin, int n, int m)
{
    int result = DYNAMIC_BIN_EINDEX;

    lock(bin);
    if (n >= 0 && m >= 0 && n <= bin->count && m <= bin->count - n) {
        dynamic_bin_sort(bin);
        bin->count -= n + m;
        memmove(bin->data, bin->data + n, (size_t)bin->count * sizeof *bin->data);
        update_sums_locked(bin);
        result = bin->count;
    }
    unlock(bin);
    return result;
}

int
dynamic_bin_trim_to_size(struct dynamic_bin *bin)
{
    int result;

    lock(bin);
    result = resize_locked(bin, bin->count < MIN_CAPACITY ? MIN_CAPACITY : bin->count);
    if (result == 0)
        result = bin->count;
    unlock(bin);
    return result;
}

int
dynamic_bin_standardize(struct dynamic_bin *bin, double mean, double deviation)
{
    if (deviation == 0)
        return DYNAMIC_BIN_EINDEX;
    lock(bin);
    for (int i = 0; i < bin->count; i++)
        bin->data[i] = (bin->data[i] - mean) / deviation;
    update_sums_locked(bin);
    unlock(bin);
    return 0;
}

double
dynamic_bin_sum(struct dynamic_bin *bin)
{
    double sum;

    lock(bin);
    sum = bin->sum;
    unlock(bin);
    return sum;
}

double
dynamic_bin_sum_of_squares(struct dynamic_bin *bin)
{
    double sum;

    lock(bin);
    sum = bin->sum_of_squares;
    unlock(bin);
    return sum;
}

double
dynamic_bin_sum_of_powers(struct dynamic_bin *bin, int k)
{
    double sum = 0;

    if (k < 0 || k > MAX_POWER)
        return 0;
    lock(bin);
    for (int i = 0; i < bin->count; i++)
        sum += power(bin->data[i], k);
    unlock(bin);
    return sum;
}

double
dynamic_bin_min(struct dynamic_bin *bin)
{
    double min;

    lock(bin);
    min = bin->count > 0 ? bin->data[0] : 0;
    for (int i = 1; i < bin->count; i++)
        if (bin->data[i] < min)
            min = bin->data[i];
    unlock(bin);
    return min;
}

double
dynamic_bin_max(struct dynamic_bin *bin)
{
    double max;

    lock(bin);
    max = bin->count > 0 ? bin->data[0] : 0;
    for (int i = 1; i < bin->count; i++)
        if (bin->data[i] > max)
            max = bin->data[i];
    unlock(bin);
    return max;
}

double
dynamic_bin_mean(struct dynamic_bin *bin)
{
    double mean;

    lock(bin);
    mean = mean_locked(bin);
    unlock(bin);
    return mean;
}

double
dynamic_bin_rms(struct dynamic_bin *bin)
{
    double rms;

    lock(bin);
    rms = bin->count > 0 ? sqrt(bin->sum_of_squares / bin->count) : 0;
    unlock(bin);
    return rms;
}

double
dynamic_bin_variance(struct dynamic_bin *bin)
{
    double variance;

    lock(bin);
    variance = variance_locked(bin);
    unlock(bin);
    return variance;
}

double
dynamic_bin_deviation(struct dynamic_bin *bin)
{
    return sqrt(dynamic_bin_variance(bin));
}

double
dynamic_bin_standard_error(struct dynamic_bin *bin)
{
    double error;

    lock(bin);
    error = bin->count > 0 ? sqrt(variance_locked(bin) / bin->count) : 0;
    unlock(bin);
    return error;
}

double
dynamic_bin_moment(struct dynamic_bin *bin, int k, double c)
{
    double moment;

    if (k < 0 || k > MAX_POWER)
        return 0;
    lock(bin);
    moment = moment_locked(bin, k, c);
    unlock(bin);
    return moment;
}

/* The k-th central moment in units of the deviation. */
static double
standardized_moment(struct dynamic_bin *bin, int k)
{
    double deviation;
    double moment = 0;

    lock(bin);
    deviation = sqrt(variance_locked(bin));
    if (deviation > 0)
        moment = moment_locked(bin, k, mean_locked(bin)) / power(deviation, k);
    unlock(bin);
    return moment;
}

double
dynamic_bin_skew(struct dynamic_bin *bin)
{
    return standardized_moment(bin, 3);
}

double
dynamic_bin_kurtosis(struct dynamic_bin *bin)
{
    return standardized_moment(bin, 4);
}

double
dynamic_bin_quantile(struct dynamic_bin *bin, double phi)
{
    double result = 0;
    double *copy;

    if (!(phi >= 0 && phi <= 1))
        return 0;
    lock(bin);
    copy = sorted_copy_locked(bin);
    if (copy != NULL && bin->count > 0) {
        double position = phi * (bin->count - 1);
        int low = (int)position;
        int high = low + 1 < bin->count ? low + 1 : low;

        result = copy[low] + (position - low) * (copy[high] - copy[low]);
    }
    unlock(bin);
    free(copy);
    return result;
}

double
dynamic_bin_median(struct dynamic_bin *bin)
{
    return dynamic_bin_quantile(bin, 0.5);
}

double
dynamic_bin_quantile_inverse(struct dynamic_bin *bin, double x)
{
    double part;
    int n = 0;

    lock(bin);
    for (int i = 0; i < bin->count; i++)
        n += bin->data[i] <= x;
    part = bin->count > 0 ? (double)n / bin->count : 0;
    unlock(bin);
    return part;
}

int
dynamic_bin_add_all_of(struct dynamic_bin *bin, struct dynamic_bin *other)
{
    return dynamic_bin_add_all_of_from_to(bin, other, 0, dynamic_bin_size(other));
}

int
dynamic_bin_add_all_of_from_to(struct dynamic_bin *bin, struct dynamic_bin *other, int from, int to)
{
    int result;

    lock(bin);
    if (from < 0 || from > to || to > dynamic_bin_size(other))
        result = DYNAMIC_BIN_EINDEX;
    else
        result = reserve_locked(bin, to - from) == 0 ? bin->count : DYNAMIC_BIN_ENOMEM;
    for (int i = from; i < to && result >= 0; i++) {
        double value = dynamic_bin_element(other, i);

        result = add_locked(bin, &value, 1);
    }
    unlock(bin);
    return result;
}

int
dynamic_bin_remove_all_of(struct dynamic_bin *bin, struct dynamic_bin *other)
{
    int removed = 0;
    int n;

    lock(bin);
    n = dynamic_bin_size(other);
    /* Backwards: if both bins are the same, the elements before i have not moved yet. */
    for (int i = n - 1; i >= 0; i--) {
        int index = find_locked(bin, dynamic_bin_element(other, i));

        if (index < 0)
            continue;
        bin->count--;
        memmove(bin->data + index, bin->data + index + 1,
                (size_t)(bin->count - index) * sizeof *bin->data);
        removed++;
    }
    update_sums_locked(bin);
    unlock(bin);
    return removed;
}

bool
dynamic_bin_equals(struct dynamic_bin *bin, struct dynamic_bin *other)
{
    bool equal;

    lock(bin);
    equal = bin->count == dynamic_bin_size(other);
    for (int i = 0; i < bin->count && equal; i++)
        equal = bin->data[i] == dynamic_bin_element(other, i);
    unlock(bin);
    return equal;
}

int
dynamic_bin_frequencies(struct dynamic_bin *bin, struct dynamic_bin *distinct,
                        struct dynamic_bin *counts)
{
    struct dynamic_bin *copy = dynamic_bin_clone(bin);
    int n = 0;
    int result = 0;

    if (copy == NULL)
        return DYNAMIC_BIN_ENOMEM;
    dynamic_bin_sort(copy);
    for (int i = 0; i < copy->count && result >= 0; i++) {
        if (i > 0 && copy->data[i] == copy->data[i - 1])
            continue;
        result = dynamic_bin_add(distinct, copy->data[i]);
        if (result >= 0)
            result = dynamic_bin_add(counts, dynamic_bin_count_of(copy, copy->data[i]));
        n++;
    }
    dynamic_bin_free(copy);
    return result < 0 ? result : n;
}

double
dynamic_bin_covariance(struct dynamic_bin *bin, struct dynamic_bin *other)
{
    double sum = 0;
    int n;

    lock(bin);
    lock(other);
    n = bin->count == other->count ? bin->count : 0;
    for (int i = 0; i < n; i++)
        sum += (bin->data[i] - mean_locked(bin)) * (other->data[i] - mean_locked(other));
    unlock(other);
    unlock(bin);
    return n > 1 ? sum / (n - 1) : 0;
}

double
dynamic_bin_correlation(struct dynamic_bin *bin, struct dynamic_bin *other)
{
    double scale;
    double correlation;

    lock(bin);
    lock(other);
    scale = sqrt(variance_locked(bin) * variance_locked(other));
    correlation = scale > 0 ? dynamic_bin_covariance(bin, other) / scale : 0;
    unlock(other);
    unlock(bin);
    return correlation;
}

static int
sample_locked(struct dynamic_bin *bin, int n, bool replace, unsigned *state, double *out)
{
    int *unused;

    if (n > 0 && (bin->count == 0 || (!replace && n > bin->count)))
        return DYNAMIC_BIN_EEMPTY;
    if (replace) {
        for (int i = 0; i < n; i++)
            out[i] = bin->data[draw(state, bin->count)];
        return n;
    }
    unused = malloc((size_t)(bin->count + 1) * sizeof *unused);
    if (unused == NULL)
        return DYNAMIC_BIN_ENOMEM;
    for (int i = 0; i < bin->count; i++)
        unused[i] = i;
    for (int i = 0, left = bin->count; i < n; i++, left--) {
        int k = draw(state, left);

        out[i] = bin->data[unused[k]];
        unused[k] = unused[left - 1];
    }
    free(unused);
    return n;
}

static int
sample(struct dynamic_bin *bin, int n, bool replace, unsigned *state, double *out)
{
    int result;

    lock(bin);
    result = sample_locked(bin, n, replace, state, out);
    unlock(bin);
    return result;
}

int
dynamic_bin_sample(struct dynamic_bin *bin, int n, bool replace, unsigned seed,
                   struct dynamic_bin *out)
{
    double *drawn;
    int result;

    if (n < 0 || n > MAX_ELEMENTS)
        return DYNAMIC_BIN_EINDEX;
    drawn = malloc((size_t)(n + 1) * sizeof *drawn);
    if (drawn == NULL)
        return DYNAMIC_BIN_ENOMEM;
    result = sample(bin, n, replace, &seed, drawn);
    if (result >= 0) {
        lock(out);
        result = add_locked(out, drawn, n) < 0 ? DYNAMIC_BIN_ENOMEM : n;
        unlock(out);
    }
    free(drawn);
    return result;
}

static double
mean_of(const double *values, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += values[i];
    return n > 0 ? sum / n : 0;
}

int
dynamic_bin_sample_bootstrap(struct dynamic_bin *bin, struct dynamic_bin *other, int resamples,
                             unsigned seed, struct dynamic_bin *out)
{
    int s1;
    int s2;
    int result = 0;
    double *sample1;
    double *sample2;

    if (resamples < 0 || resamples > MAX_RESAMPLES)
        return DYNAMIC_BIN_EINDEX;
    lock(bin);
    s1 = bin->count;
    s2 = dynamic_bin_size(other);
    sample1 = calloc((size_t)s1 + 1, sizeof *sample1);
    sample2 = calloc((size_t)s2 + 1, sizeof *sample2);
    if (sample1 == NULL || sample2 == NULL)
        result = DYNAMIC_BIN_ENOMEM;
    for (int i = 0; i < resamples && result >= 0; i++) {
        result = sample(bin, s1, true, &seed, sample1);
        if (result >= 0)
            result = sample(other, s2, true, &seed, sample2);
        if (result >= 0)
            result = dynamic_bin_add(out, mean_of(sample1, s1) - mean_of(sample2, s2));
    }
    unlock(bin);
    free(sample1);
    free(sample2);
    return result < 0 ? result : resamples;
}
