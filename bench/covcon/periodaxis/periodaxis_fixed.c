/* SPDX-License-Identifier: Apache-2.0 */
/*
 * periodaxis_fixed.c - the axis of a chart that shows periods of time; thread-safe.
 *
 * One mutex per axis. The bands are an array of their widths, replaced as a whole or changed at
 * its end. All periods are small enough that sums of a few of them fit an int.
 */
#include "periodaxis.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTES_PER_DAY 1440

struct periodaxis {
    pthread_mutex_t lock; /* of everything below */
    int first;
    int last; /* never below first */
    bool auto_range;
    enum periodaxis_unit unit;
    int offset;  /* minutes */
    int *widths; /* of the bands; each 1 or more */
    int n_bands; /* <= PERIODAXIS_MAX_BANDS */
    char title[PERIODAXIS_MAX_TITLE + 1];
};

/* ---- helpers ------------------------------------------------------------------------------- */

static bool
is_period(int period)
{
    return period >= -PERIODAXIS_LIMIT && period <= PERIODAXIS_LIMIT;
}

/* Rounds down, also below 0; b above 0. */
static long
floor_div(long a, long b)
{
    return a / b - (a % b < 0);
}

static long
minutes_of(enum periodaxis_unit unit)
{
    switch (unit) {
    case PERIODAXIS_MINUTE:
        return 1;
    case PERIODAXIS_HOUR:
        return 60;
    case PERIODAXIS_DAY:
        return MINUTES_PER_DAY;
    default:
        return 7 * MINUTES_PER_DAY;
    }
}

/* NULL: no memory. Of no widths, too, there is a copy; extra: room for so many more. */
static int *
copy_widths(const int *widths, size_t n, size_t extra)
{
    const size_t size = (n + extra) * sizeof *widths;
    int *copy = malloc(size > 0 ? size : 1);

    for (size_t i = 0; copy != NULL && i < n; i++)
        copy[i] = widths[i] < 1 ? 1 : widths[i];
    return copy;
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

/* 0, or -EINVAL when it is no range. */
static int
set_range_locked(struct periodaxis *ax, long first, long last)
{
    if (first > last || first < -PERIODAXIS_LIMIT || last > PERIODAXIS_LIMIT)
        return -EINVAL;
    ax->first = (int)first;
    ax->last = (int)last;
    ax->auto_range = false;
    return 0;
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct periodaxis *
periodaxis_new(const char *title)
{
    static const int days_and_weeks[] = { 1, 7 };
    struct periodaxis *ax = calloc(1, sizeof *ax);

    if (ax == NULL)
        return NULL;
    ax->widths = copy_widths(days_and_weeks, 2, 0);
    if (ax->widths == NULL) {
        free(ax);
        return NULL;
    }
    ax->n_bands = 2;
    ax->last = 1;
    ax->auto_range = true;
    ax->unit = PERIODAXIS_DAY;
    put_text(ax->title, sizeof ax->title, title != NULL ? title : "");
    pthread_mutex_init(&ax->lock, NULL);
    return ax;
}

void
periodaxis_free(struct periodaxis *ax)
{
    if (ax == NULL)
        return;
    pthread_mutex_destroy(&ax->lock);
    free(ax->widths);
    free(ax);
}

/* ---- the range ----------------------------------------------------------------------------- */

int
periodaxis_get_first(struct periodaxis *ax)
{
    int first;

    pthread_mutex_lock(&ax->lock);
    first = ax->first;
    pthread_mutex_unlock(&ax->lock);
    return first;
}

int
periodaxis_get_last(struct periodaxis *ax)
{
    int last;

    pthread_mutex_lock(&ax->lock);
    last = ax->last;
    pthread_mutex_unlock(&ax->lock);
    return last;
}

void
periodaxis_get_range(struct periodaxis *ax, int *first, int *last)
{
    pthread_mutex_lock(&ax->lock);
    *first = ax->first;
    *last = ax->last;
    pthread_mutex_unlock(&ax->lock);
}

int
periodaxis_set_first(struct periodaxis *ax, int period)
{
    int rc;

    pthread_mutex_lock(&ax->lock);
    rc = set_range_locked(ax, period, period > ax->last ? period : ax->last);
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

int
periodaxis_set_last(struct periodaxis *ax, int period)
{
    int rc;

    pthread_mutex_lock(&ax->lock);
    rc = set_range_locked(ax, period < ax->first ? period : ax->first, period);
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

int
periodaxis_set_range(struct periodaxis *ax, int first, int last)
{
    int rc;

    pthread_mutex_lock(&ax->lock);
    rc = set_range_locked(ax, first, last);
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

int
periodaxis_count(struct periodaxis *ax)
{
    int n;

    pthread_mutex_lock(&ax->lock);
    n = ax->last - ax->first + 1;
    pthread_mutex_unlock(&ax->lock);
    return n;
}

bool
periodaxis_contains(struct periodaxis *ax, int period)
{
    bool shown;

    pthread_mutex_lock(&ax->lock);
    shown = ax->first <= period && period <= ax->last;
    pthread_mutex_unlock(&ax->lock);
    return shown;
}

int
periodaxis_pan(struct periodaxis *ax, int n)
{
    int rc;

    pthread_mutex_lock(&ax->lock);
    rc = set_range_locked(ax, (long)ax->first + n, (long)ax->last + n);
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

int
periodaxis_zoom(struct periodaxis *ax, int n)
{
    long first;
    long last;
    int rc;

    pthread_mutex_lock(&ax->lock);
    first = (long)ax->first + n;
    last = (long)ax->last - n;
    if (first > last) {
        first = ax->first + (ax->last - ax->first) / 2;
        last = first;
    }
    rc = set_range_locked(ax, first, last);
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

/* ---- the automatic range ------------------------------------------------------------------- */

void
periodaxis_set_auto_range(struct periodaxis *ax, bool on)
{
    pthread_mutex_lock(&ax->lock);
    ax->auto_range = on;
    pthread_mutex_unlock(&ax->lock);
}

bool
periodaxis_is_auto_range(struct periodaxis *ax)
{
    bool on;

    pthread_mutex_lock(&ax->lock);
    on = ax->auto_range;
    pthread_mutex_unlock(&ax->lock);
    return on;
}

int
periodaxis_fit(struct periodaxis *ax, const int *periods, size_t n)
{
    int first = PERIODAXIS_LIMIT;
    int last = -PERIODAXIS_LIMIT;
    int rc = -EINVAL;

    for (size_t i = 0; i < n; i++) {
        if (!is_period(periods[i]))
            return -EINVAL;
        first = periods[i] < first ? periods[i] : first;
        last = periods[i] > last ? periods[i] : last;
    }
    pthread_mutex_lock(&ax->lock);
    if (ax->auto_range && n > 0) {
        ax->first = first;
        ax->last = last;
        rc = 0;
    }
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

/* ---- time ---------------------------------------------------------------------------------- */

int
periodaxis_set_unit(struct periodaxis *ax, enum periodaxis_unit unit)
{
    if ((int)unit < PERIODAXIS_MINUTE || unit > PERIODAXIS_WEEK)
        return -EINVAL;
    pthread_mutex_lock(&ax->lock);
    ax->unit = unit;
    pthread_mutex_unlock(&ax->lock);
    return 0;
}

enum periodaxis_unit
periodaxis_get_unit(struct periodaxis *ax)
{
    enum periodaxis_unit unit;

    pthread_mutex_lock(&ax->lock);
    unit = ax->unit;
    pthread_mutex_unlock(&ax->lock);
    return unit;
}

int
periodaxis_set_offset(struct periodaxis *ax, int minutes)
{
    if (minutes <= -MINUTES_PER_DAY || minutes >= MINUTES_PER_DAY)
        return -EINVAL;
    pthread_mutex_lock(&ax->lock);
    ax->offset = minutes;
    pthread_mutex_unlock(&ax->lock);
    return 0;
}

int
periodaxis_get_offset(struct periodaxis *ax)
{
    int minutes;

    pthread_mutex_lock(&ax->lock);
    minutes = ax->offset;
    pthread_mutex_unlock(&ax->lock);
    return minutes;
}

long
periodaxis_period_of(struct periodaxis *ax, int minute)
{
    long period;

    pthread_mutex_lock(&ax->lock);
    period = floor_div((long)minute + ax->offset, minutes_of(ax->unit));
    pthread_mutex_unlock(&ax->lock);
    return period;
}

long
periodaxis_start_of(struct periodaxis *ax, int period)
{
    long minute;

    pthread_mutex_lock(&ax->lock);
    minute = period * minutes_of(ax->unit) - ax->offset;
    pthread_mutex_unlock(&ax->lock);
    return minute;
}

/* ---- bands --------------------------------------------------------------------------------- */

int
periodaxis_set_bands(struct periodaxis *ax, const int *widths, size_t n)
{
    int *copy;

    if (n > PERIODAXIS_MAX_BANDS)
        return -E2BIG;
    copy = copy_widths(widths, n, 0);
    if (copy == NULL)
        return -ENOMEM;
    pthread_mutex_lock(&ax->lock);
    free(ax->widths);
    ax->widths = copy;
    ax->n_bands = (int)n;
    pthread_mutex_unlock(&ax->lock);
    return 0;
}

int
periodaxis_add_band(struct periodaxis *ax, int width)
{
    int *copy;
    int rc = -E2BIG;

    pthread_mutex_lock(&ax->lock);
    if (ax->n_bands < PERIODAXIS_MAX_BANDS) {
        rc = -ENOMEM;
        copy = copy_widths(ax->widths, (size_t)ax->n_bands, 1);
        if (copy != NULL) {
            copy[ax->n_bands++] = width < 1 ? 1 : width;
            free(ax->widths);
            ax->widths = copy;
            rc = 0;
        }
    }
    pthread_mutex_unlock(&ax->lock);
    return rc;
}

bool
periodaxis_remove_band(struct periodaxis *ax)
{
    bool removed;

    pthread_mutex_lock(&ax->lock);
    removed = ax->n_bands > 0;
    if (removed)
        ax->n_bands--;
    pthread_mutex_unlock(&ax->lock);
    return removed;
}

int
periodaxis_band_count(struct periodaxis *ax)
{
    int n;

    pthread_mutex_lock(&ax->lock);
    n = ax->n_bands;
    pthread_mutex_unlock(&ax->lock);
    return n;
}

int
periodaxis_band_width(struct periodaxis *ax, int i)
{
    int width = -ERANGE;

    pthread_mutex_lock(&ax->lock);
    if (i >= 0 && i < ax->n_bands)
        width = ax->widths[i];
    pthread_mutex_unlock(&ax->lock);
    return width;
}

int
periodaxis_widest_band(struct periodaxis *ax)
{
    int widest = 0;

    pthread_mutex_lock(&ax->lock);
    for (int i = 0; i < ax->n_bands; i++)
        widest = ax->widths[i] > widest ? ax->widths[i] : widest;
    pthread_mutex_unlock(&ax->lock);
    return widest;
}

int
periodaxis_label_count(struct periodaxis *ax, int i)
{
    int n = -ERANGE;

    pthread_mutex_lock(&ax->lock);
    if (i >= 0 && i < ax->n_bands) {
        const int width = ax->widths[i];

        n = (int)(floor_div(ax->last, width) - floor_div(ax->first, width)) + 1;
    }
    pthread_mutex_unlock(&ax->lock);
    return n;
}

int
periodaxis_format(struct periodaxis *ax, int i, int period, char *buf, size_t cap)
{
    static const char letters[] = "mhdw";
    int len = -ERANGE;

    pthread_mutex_lock(&ax->lock);
    if (i >= 0 && i < ax->n_bands)
        len = snprintf(buf, cap, "%c%ld", letters[ax->unit], floor_div(period, ax->widths[i]));
    pthread_mutex_unlock(&ax->lock);
    return len;
}

/* ---- title --------------------------------------------------------------------------------- */

void
periodaxis_set_title(struct periodaxis *ax, const char *title)
{
    pthread_mutex_lock(&ax->lock);
    put_text(ax->title, sizeof ax->title, title != NULL ? title : "");
    pthread_mutex_unlock(&ax->lock);
}

int
periodaxis_get_title(struct periodaxis *ax, char *buf, size_t cap)
{
    int len;

    pthread_mutex_lock(&ax->lock);
    put_text(buf, cap, ax->title);
    len = (int)strlen(ax->title);
    pthread_mutex_unlock(&ax->lock);
    return len;
}
