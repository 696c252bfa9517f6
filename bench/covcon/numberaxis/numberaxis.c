/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numberaxis.c - the axis of a chart that shows numbers; thread-safe.
 *
 * One mutex per axis. The one thing everything else relies on is lower < upper: divisions by the
 * length of the range are everywhere. apply_range() is the place that sets the two and checks it.
 */
#include "numberaxis.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bool
is_fine(double value)
{
    return isfinite(value) && fabs(value) <= NUMBERAXIS_LIMIT;
}

static void
put_text(char *dst, size_t cap, const char *text)
{
    const size_t len = strlen(text);
    const size_t n = len < cap ? len : cap - 1;

    if (cap > 0) {
        memcpy(dst, text, n);
        dst[n] = '\0';
    }
}

/* The caller has made sure that the range is one. */
static void
apply_range_locked(struct numberaxis *a, double lower, double upper)
{
    assert(lower < upper);
    a->lower = lower;
    a->upper = upper;
    a->auto_range = false;
}

static void
apply_range(struct numberaxis *a, double lower, double upper)
{
    pthread_mutex_lock(&a->lock);
    apply_range_locked(a, lower, upper);
    pthread_mutex_unlock(&a->lock);
}

/* As apply_range_locked(), for a range that may be none: 0 or -EINVAL. */
static int
try_range_locked(struct numberaxis *a, double lower, double upper)
{
    if (!is_fine(lower) || !is_fine(upper) || !(lower < upper))
        return -EINVAL;
    apply_range_locked(a, lower, upper);
    return 0;
}

/* ---- making and destroying ----------------------------------------------------------------- */

int
numberaxis_init(struct numberaxis *a, enum numberaxis_kind kind, const char *label)
{
    if (kind != NUMBERAXIS_HORIZONTAL && kind != NUMBERAXIS_VERTICAL)
        return -EINVAL;
    memset(a, 0, sizeof *a);
    a->lower = 0;
    a->upper = 1;
    a->lower_margin = 0.05;
    a->upper_margin = 0.05;
    a->tick_unit = 1;
    a->auto_range = true;
    a->kind = kind;
    put_text(a->label, sizeof a->label, label != NULL ? label : "");
    pthread_mutex_init(&a->lock, NULL);
    return 0;
}

void
numberaxis_destroy(struct numberaxis *a)
{
    pthread_mutex_destroy(&a->lock);
}

/* ---- the range ----------------------------------------------------------------------------- */

double
numberaxis_get_lower(struct numberaxis *a)
{
    double lower;

    pthread_mutex_lock(&a->lock);
    lower = a->lower;
    pthread_mutex_unlock(&a->lock);
    return lower;
}

double
numberaxis_get_upper(struct numberaxis *a)
{
    double upper;

    pthread_mutex_lock(&a->lock);
    upper = a->upper;
    pthread_mutex_unlock(&a->lock);
    return upper;
}

double
numberaxis_length(struct numberaxis *a)
{
    double length;

    pthread_mutex_lock(&a->lock);
    length = a->upper - a->lower;
    pthread_mutex_unlock(&a->lock);
    return length;
}

void
numberaxis_get_range(struct numberaxis *a, double *lower, double *upper)
{
    pthread_mutex_lock(&a->lock);
    *lower = a->lower;
    *upper = a->upper;
    pthread_mutex_unlock(&a->lock);
}

int
numberaxis_set_lower(struct numberaxis *a, double value)
{
    if (!is_fine(value))
        return -EINVAL;
    if (numberaxis_get_upper(a) > value)
        apply_range(a, value, numberaxis_get_upper(a));
    else
        apply_range(a, value, value + 1);
    return 0;
}

int
numberaxis_set_upper(struct numberaxis *a, double value)
{
    if (!is_fine(value))
        return -EINVAL;
    pthread_mutex_lock(&a->lock);
    if (a->lower < value)
        apply_range_locked(a, a->lower, value);
    else
        apply_range_locked(a, value - 1, value);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

int
numberaxis_set_range(struct numberaxis *a, double lower, double upper)
{
    int rc;

    pthread_mutex_lock(&a->lock);
    rc = try_range_locked(a, lower, upper);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

int
numberaxis_set_range_about(struct numberaxis *a, double value, double length)
{
    return numberaxis_set_range(a, value - length / 2, value + length / 2);
}

int
numberaxis_center(struct numberaxis *a, double value)
{
    double half;
    int rc;

    pthread_mutex_lock(&a->lock);
    half = (a->upper - a->lower) / 2;
    rc = try_range_locked(a, value - half, value + half);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

int
numberaxis_pan(struct numberaxis *a, double part)
{
    double distance;
    int rc;

    pthread_mutex_lock(&a->lock);
    distance = (a->upper - a->lower) * part;
    rc = try_range_locked(a, a->lower + distance, a->upper + distance);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

int
numberaxis_resize(struct numberaxis *a, double factor)
{
    double middle;
    double half;
    int rc;

    pthread_mutex_lock(&a->lock);
    middle = a->lower + (a->upper - a->lower) / 2;
    half = (a->upper - a->lower) / 2 * factor;
    rc = try_range_locked(a, middle - half, middle + half);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

bool
numberaxis_contains(struct numberaxis *a, double value)
{
    bool inside;

    pthread_mutex_lock(&a->lock);
    inside = a->lower <= value && value <= a->upper;
    pthread_mutex_unlock(&a->lock);
    return inside;
}

/* ---- the automatic range ------------------------------------------------------------------- */

void
numberaxis_set_auto_range(struct numberaxis *a, bool on)
{
    pthread_mutex_lock(&a->lock);
    a->auto_range = on;
    pthread_mutex_unlock(&a->lock);
}

bool
numberaxis_is_auto_range(struct numberaxis *a)
{
    bool on;

    pthread_mutex_lock(&a->lock);
    on = a->auto_range;
    pthread_mutex_unlock(&a->lock);
    return on;
}

void
numberaxis_set_include_zero(struct numberaxis *a, bool on)
{
    pthread_mutex_lock(&a->lock);
    a->include_zero = on;
    pthread_mutex_unlock(&a->lock);
}

bool
numberaxis_get_include_zero(struct numberaxis *a)
{
    bool on;

    pthread_mutex_lock(&a->lock);
    on = a->include_zero;
    pthread_mutex_unlock(&a->lock);
    return on;
}

int
numberaxis_set_margins(struct numberaxis *a, double lower, double upper)
{
    if (!(lower >= 0 && lower <= 1 && upper >= 0 && upper <= 1))
        return -EINVAL;
    pthread_mutex_lock(&a->lock);
    a->lower_margin = lower;
    a->upper_margin = upper;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

void
numberaxis_get_margins(struct numberaxis *a, double *lower, double *upper)
{
    pthread_mutex_lock(&a->lock);
    *lower = a->lower_margin;
    *upper = a->upper_margin;
    pthread_mutex_unlock(&a->lock);
}

/* The range from lower to upper, which may be the same, with the margins around it. */
static void
fit_locked(struct numberaxis *a, double lower, double upper)
{
    double length;

    if (a->include_zero) {
        lower = lower > 0 ? 0 : lower;
        upper = upper < 0 ? 0 : upper;
    }
    if (lower == upper)
        upper = lower + 1;
    length = upper - lower;
    a->lower = lower - length * a->lower_margin;
    a->upper = upper + length * a->upper_margin;
}

bool
numberaxis_fit(struct numberaxis *a, const double *values, size_t n)
{
    double lower = INFINITY;
    double upper = -INFINITY;
    bool fitted;

    for (size_t i = 0; i < n; i++) {
        lower = values[i] < lower ? values[i] : lower;
        upper = values[i] > upper ? values[i] : upper;
    }
    pthread_mutex_lock(&a->lock);
    fitted = a->auto_range && is_fine(lower) && is_fine(upper);
    if (fitted)
        fit_locked(a, lower, upper);
    pthread_mutex_unlock(&a->lock);
    return fitted;
}

/* ---- ticks --------------------------------------------------------------------------------- */

int
numberaxis_set_tick_unit(struct numberaxis *a, double unit)
{
    if (!is_fine(unit) || unit <= 0)
        return -EINVAL;
    pthread_mutex_lock(&a->lock);
    a->tick_unit = unit;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

double
numberaxis_get_tick_unit(struct numberaxis *a)
{
    double unit;

    pthread_mutex_lock(&a->lock);
    unit = a->tick_unit;
    pthread_mutex_unlock(&a->lock);
    return unit;
}

double
numberaxis_choose_tick_unit(struct numberaxis *a)
{
    double unit;

    pthread_mutex_lock(&a->lock);
    unit = fmax(pow(10, ceil(log10((a->upper - a->lower) / 10))), DBL_MIN);
    a->tick_unit = unit;
    pthread_mutex_unlock(&a->lock);
    return unit;
}

static int
tick_count_locked(const struct numberaxis *a)
{
    const double n = floor(a->upper / a->tick_unit) - ceil(a->lower / a->tick_unit) + 1;

    /* The unit may be so small that n is no number. */
    if (!(n > 0))
        return 0;
    return n < NUMBERAXIS_MAX_TICKS ? (int)n : NUMBERAXIS_MAX_TICKS;
}

int
numberaxis_tick_count(struct numberaxis *a)
{
    int n;

    pthread_mutex_lock(&a->lock);
    n = tick_count_locked(a);
    pthread_mutex_unlock(&a->lock);
    return n;
}

int
numberaxis_tick_at(struct numberaxis *a, int i, double *value)
{
    int rc = -EINVAL;

    pthread_mutex_lock(&a->lock);
    if (i >= 0 && i < tick_count_locked(a)) {
        *value = (ceil(a->lower / a->tick_unit) + i) * a->tick_unit;
        rc = 0;
    }
    pthread_mutex_unlock(&a->lock);
    return rc;
}

/* ---- drawing ------------------------------------------------------------------------------- */

void
numberaxis_set_inverted(struct numberaxis *a, bool on)
{
    pthread_mutex_lock(&a->lock);
    a->inverted = on;
    pthread_mutex_unlock(&a->lock);
}

bool
numberaxis_is_inverted(struct numberaxis *a)
{
    bool on;

    pthread_mutex_lock(&a->lock);
    on = a->inverted;
    pthread_mutex_unlock(&a->lock);
    return on;
}

/* Set once, before any other thread knows the axis. */
enum numberaxis_kind
numberaxis_get_kind(struct numberaxis *a)
{
    return a->kind;
}

double
numberaxis_to_place(struct numberaxis *a, double value, double start, double end)
{
    double part;

    pthread_mutex_lock(&a->lock);
    part = (value - a->lower) / (a->upper - a->lower);
    if (a->inverted)
        part = 1 - part;
    pthread_mutex_unlock(&a->lock);
    return start + part * (end - start);
}

int
numberaxis_from_place(struct numberaxis *a, double place, double start, double end, double *value)
{
    double part = (place - start) / (end - start);

    if (!isfinite(part))
        return -EINVAL;
    pthread_mutex_lock(&a->lock);
    if (a->inverted)
        part = 1 - part;
    *value = a->lower + part * (a->upper - a->lower);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

void
numberaxis_set_label(struct numberaxis *a, const char *label)
{
    pthread_mutex_lock(&a->lock);
    put_text(a->label, sizeof a->label, label != NULL ? label : "");
    pthread_mutex_unlock(&a->lock);
}

int
numberaxis_get_label(struct numberaxis *a, char *buf, size_t cap)
{
    int len;

    pthread_mutex_lock(&a->lock);
    put_text(buf, cap, a->label);
    len = (int)strlen(a->label);
    pthread_mutex_unlock(&a->lock);
    return len;
}
