/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeseries_fixed.c - a thread-safe series of values, one per time, in order of time.
 *
 * A sorted array behind one mutex: most items arrive in order of time, so that adding is mostly
 * appending. The array grows as needed and is kept when items leave.
 */
#include "timeseries.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct item {
    int time;
    double value;
};

struct timeseries {
    pthread_mutex_t lock; /* of everything below */
    char name[TIMESERIES_MAX_TEXT + 1];
    struct item *items; /* in ascending order of time, no two of the same */
    int count;
    int capacity;
    int max_items;
    int max_age;
};

/* ---- with the lock held -------------------------------------------------------------------- */

/* The index of the first item that is not older. */
static int
lower_bound_locked(const struct timeseries *ts, int time)
{
    int low = 0;
    int high = ts->count;

    while (low < high) {
        const int mid = low + (high - low) / 2;

        if (ts->items[mid].time < time)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The index of the item of this time; if there is none, minus the index it would have, minus 1. */
static int
search_locked(const struct timeseries *ts, int time)
{
    const int i = lower_bound_locked(ts, time);

    return i < ts->count && ts->items[i].time == time ? i : -i - 1;
}

/* Closes the gap of n items at index i. */
static void
cut_locked(struct timeseries *ts, int i, int n)
{
    memmove(&ts->items[i], &ts->items[i + n], (size_t)(ts->count - i - n) * sizeof *ts->items);
    ts->count -= n;
}

/* Removes items from the front until the series is as short and as young as it has to be. */
static int
age_locked(struct timeseries *ts, int now)
{
    int n = ts->count > ts->max_items ? ts->count - ts->max_items : 0;

    while (n < ts->count && (long)now - ts->items[n].time > ts->max_age)
        n++;
    if (n > 0)
        cut_locked(ts, 0, n);
    return n;
}

static int
reserve_locked(struct timeseries *ts, int n)
{
    struct item *items;
    const int capacity = ts->capacity > 0 ? ts->capacity * 2 : 2;

    if (n > TIMESERIES_MAX_ITEMS)
        return -ENOSPC;
    if (n <= ts->capacity)
        return 0;
    items = realloc(ts->items, (size_t)capacity * sizeof *items);
    if (items == NULL)
        return -ENOMEM;
    ts->items = items;
    ts->capacity = capacity;
    return 0;
}

/* A new item at index i: 1, -ENOSPC, -ENOMEM. */
static int
insert_locked(struct timeseries *ts, int i, int time, double value)
{
    const int rc = reserve_locked(ts, ts->count + 1);

    if (rc != 0)
        return rc;
    memmove(&ts->items[i + 1], &ts->items[i], (size_t)(ts->count - i) * sizeof *ts->items);
    ts->items[i] = (struct item){ .time = time, .value = value };
    ts->count++;
    age_locked(ts, ts->items[ts->count - 1].time);
    return 1;
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

/* ---- making and freeing -------------------------------------------------------------------- */

struct timeseries *
timeseries_new(const char *name)
{
    struct timeseries *ts = calloc(1, sizeof *ts);

    if (ts == NULL)
        return NULL;
    put_text(ts->name, sizeof ts->name, name != NULL ? name : "");
    ts->max_items = TIMESERIES_MAX_ITEMS;
    ts->max_age = INT_MAX;
    pthread_mutex_init(&ts->lock, NULL);
    return ts;
}

void
timeseries_free(struct timeseries *ts)
{
    if (ts == NULL)
        return;
    pthread_mutex_destroy(&ts->lock);
    free(ts->items);
    free(ts);
}

void
timeseries_set_name(struct timeseries *ts, const char *name)
{
    pthread_mutex_lock(&ts->lock);
    put_text(ts->name, sizeof ts->name, name);
    pthread_mutex_unlock(&ts->lock);
}

int
timeseries_get_name(struct timeseries *ts, char *buf, size_t cap)
{
    int len;

    pthread_mutex_lock(&ts->lock);
    put_text(buf, cap, ts->name);
    len = (int)strlen(ts->name);
    pthread_mutex_unlock(&ts->lock);
    return len;
}

/* ---- changing ------------------------------------------------------------------------------ */

int
timeseries_add(struct timeseries *ts, int time, double value)
{
    int i;
    int rc = -EEXIST;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    if (i < 0)
        rc = insert_locked(ts, -i - 1, time, value);
    pthread_mutex_unlock(&ts->lock);
    return rc < 0 ? rc : 0;
}

int
timeseries_add_or_update(struct timeseries *ts, int time, double value, double *old)
{
    int i;
    int rc = 0;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    if (i < 0) {
        rc = insert_locked(ts, -i - 1, time, value);
    } else {
        *old = ts->items[i].value;
        ts->items[i].value = value;
    }
    pthread_mutex_unlock(&ts->lock);
    return rc;
}

int
timeseries_update(struct timeseries *ts, int time, double value)
{
    int i;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    if (i >= 0)
        ts->items[i].value = value;
    pthread_mutex_unlock(&ts->lock);
    return i >= 0 ? 0 : -ENOENT;
}

int
timeseries_delete(struct timeseries *ts, int time)
{
    int i;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    if (i >= 0)
        cut_locked(ts, i, 1);
    pthread_mutex_unlock(&ts->lock);
    return i >= 0 ? 0 : -ENOENT;
}

int
timeseries_delete_range(struct timeseries *ts, int first, int last)
{
    int n = 0;
    int i;

    pthread_mutex_lock(&ts->lock);
    i = lower_bound_locked(ts, first);
    while (i + n < ts->count && ts->items[i + n].time <= last)
        n++;
    if (n > 0)
        cut_locked(ts, i, n);
    pthread_mutex_unlock(&ts->lock);
    return n;
}

int
timeseries_clear(struct timeseries *ts)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    ts->count = 0;
    pthread_mutex_unlock(&ts->lock);
    return n;
}

void
timeseries_scale(struct timeseries *ts, double factor)
{
    pthread_mutex_lock(&ts->lock);
    for (int i = 0; i < ts->count; i++)
        ts->items[i].value *= factor;
    pthread_mutex_unlock(&ts->lock);
}

/* ---- ageing -------------------------------------------------------------------------------- */

int
timeseries_set_max_items(struct timeseries *ts, int n)
{
    if (n < 1 || n > TIMESERIES_MAX_ITEMS)
        return -EINVAL;
    pthread_mutex_lock(&ts->lock);
    ts->max_items = n;
    if (ts->count > 0)
        age_locked(ts, ts->items[ts->count - 1].time);
    pthread_mutex_unlock(&ts->lock);
    return 0;
}

int
timeseries_get_max_items(struct timeseries *ts)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->max_items;
    pthread_mutex_unlock(&ts->lock);
    return n;
}

int
timeseries_set_max_age(struct timeseries *ts, int age)
{
    if (age < 0)
        return -EINVAL;
    pthread_mutex_lock(&ts->lock);
    ts->max_age = age;
    if (ts->count > 0)
        age_locked(ts, ts->items[ts->count - 1].time);
    pthread_mutex_unlock(&ts->lock);
    return 0;
}

int
timeseries_get_max_age(struct timeseries *ts)
{
    int age;

    pthread_mutex_lock(&ts->lock);
    age = ts->max_age;
    pthread_mutex_unlock(&ts->lock);
    return age;
}

int
timeseries_remove_aged(struct timeseries *ts, int now)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = age_locked(ts, now);
    pthread_mutex_unlock(&ts->lock);
    return n;
}

/* ---- asking -------------------------------------------------------------------------------- */

int
timeseries_count(struct timeseries *ts)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    pthread_mutex_unlock(&ts->lock);
    return n;
}

bool
timeseries_is_empty(struct timeseries *ts)
{
    return timeseries_count(ts) == 0;
}

int
timeseries_get_value(struct timeseries *ts, int time, double *value)
{
    int i;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    if (i >= 0)
        *value = ts->items[i].value;
    pthread_mutex_unlock(&ts->lock);
    return i >= 0 ? 0 : -ENOENT;
}

int
timeseries_get_item(struct timeseries *ts, int i, int *time, double *value)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&ts->lock);
    if (i >= 0 && i < ts->count) {
        *time = ts->items[i].time;
        *value = ts->items[i].value;
        rc = 0;
    }
    pthread_mutex_unlock(&ts->lock);
    return rc;
}

int
timeseries_index_of(struct timeseries *ts, int time)
{
    int i;

    pthread_mutex_lock(&ts->lock);
    i = search_locked(ts, time);
    pthread_mutex_unlock(&ts->lock);
    return i >= 0 ? i : -ENOENT;
}

bool
timeseries_first_time(struct timeseries *ts, int *time)
{
    bool any;

    pthread_mutex_lock(&ts->lock);
    any = ts->count > 0;
    if (any)
        *time = ts->items[0].time;
    pthread_mutex_unlock(&ts->lock);
    return any;
}

bool
timeseries_last_time(struct timeseries *ts, int *time)
{
    bool any;

    pthread_mutex_lock(&ts->lock);
    any = ts->count > 0;
    if (any)
        *time = ts->items[ts->count - 1].time;
    pthread_mutex_unlock(&ts->lock);
    return any;
}

int
timeseries_value_range(struct timeseries *ts, double *low, double *high)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    for (int i = 0; i < n; i++) {
        const double value = ts->items[i].value;

        *low = i == 0 || value < *low ? value : *low;
        *high = i == 0 || value > *high ? value : *high;
    }
    pthread_mutex_unlock(&ts->lock);
    return n > 0 ? 0 : -ENOENT;
}

double
timeseries_mean(struct timeseries *ts)
{
    double sum = 0;
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    for (int i = 0; i < n; i++)
        sum += ts->items[i].value;
    pthread_mutex_unlock(&ts->lock);
    return n > 0 ? sum / n : 0;
}

int
timeseries_copy_times(struct timeseries *ts, int *times, size_t cap)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    for (int i = 0; i < n && (size_t)i < cap; i++)
        times[i] = ts->items[i].time;
    pthread_mutex_unlock(&ts->lock);
    return n;
}

int
timeseries_copy_values(struct timeseries *ts, double *values, size_t cap)
{
    int n;

    pthread_mutex_lock(&ts->lock);
    n = ts->count;
    for (int i = 0; i < n && (size_t)i < cap; i++)
        values[i] = ts->items[i].value;
    pthread_mutex_unlock(&ts->lock);
    return n;
}
