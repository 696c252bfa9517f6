/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeseries.h - a thread-safe series of values, one per time, in order of time.
 *
 * A time is any number the caller counts time with. All functions but timeseries_free() may be
 * called from any thread at any time; each takes effect at once. Old items leave by themselves when
 * there are more than the most allowed, or when they are older than the greatest age allowed.
 * Functions that copy a string to a buffer answer its whole length and cut it to what fits.
 */
#ifndef TIMESERIES_H
#define TIMESERIES_H

#include <stdbool.h>
#include <stddef.h>

/* A longer name or description is cut. */
#define TIMESERIES_MAX_TEXT 31

/* The most items of any series. */
#define TIMESERIES_MAX_ITEMS 4096

struct timeseries;

/* An empty series; name may be NULL. NULL when there is no memory. */
struct timeseries *timeseries_new(const char *name);

/* Gives everything back; no other thread may still use the series. NULL is fine. */
void timeseries_free(struct timeseries *ts);

void timeseries_set_name(struct timeseries *ts, const char *name) __attribute__((nonnull));
int timeseries_get_name(struct timeseries *ts, char *buf, size_t cap) __attribute__((nonnull));

/* ---- changing ---- */

/* A new item: 0, -EEXIST when the time has one, -ENOSPC, -ENOMEM. */
int timeseries_add(struct timeseries *ts, int time, double value) __attribute__((nonnull));

/* A new item, or a new value for the old one: 1, 0 (its value before to *old), -ENOSPC, -ENOMEM. */
int timeseries_add_or_update(struct timeseries *ts, int time, double value, double *old)
    __attribute__((nonnull));

/* A new value for an item that is there: 0 or -ENOENT. */
int timeseries_update(struct timeseries *ts, int time, double value) __attribute__((nonnull));

/* Removes the item of this time: 0 or -ENOENT. */
int timeseries_delete(struct timeseries *ts, int time) __attribute__((nonnull));

/* Removes the items from first to last, both included; how many. */
int timeseries_delete_range(struct timeseries *ts, int first, int last) __attribute__((nonnull));

/* Removes all items; how many there were. */
int timeseries_clear(struct timeseries *ts) __attribute__((nonnull));

/* Multiplies all values. */
void timeseries_scale(struct timeseries *ts, double factor) __attribute__((nonnull));

/* ---- ageing ---- */

/* The most items to keep, 1 to TIMESERIES_MAX_ITEMS: 0 or -EINVAL. */
int timeseries_set_max_items(struct timeseries *ts, int n) __attribute__((nonnull));
int timeseries_get_max_items(struct timeseries *ts) __attribute__((nonnull));

/* The greatest distance to the newest item, 0 or more: 0 or -EINVAL. */
int timeseries_set_max_age(struct timeseries *ts, int age) __attribute__((nonnull));
int timeseries_get_max_age(struct timeseries *ts) __attribute__((nonnull));

/* Removes the items that are too old at the given time; how many. */
int timeseries_remove_aged(struct timeseries *ts, int now) __attribute__((nonnull));

/* ---- asking ---- */

int timeseries_count(struct timeseries *ts) __attribute__((nonnull));
bool timeseries_is_empty(struct timeseries *ts) __attribute__((nonnull));

/* The value of this time: 0 or -ENOENT. */
int timeseries_get_value(struct timeseries *ts, int time, double *value) __attribute__((nonnull));

/* Item i, 0 is the oldest: 0 or -ERANGE. */
int timeseries_get_item(struct timeseries *ts, int i, int *time, double *value)
    __attribute__((nonnull));

/* The index of the item of this time, or -ENOENT. */
int timeseries_index_of(struct timeseries *ts, int time) __attribute__((nonnull));

/* The times of the oldest and the newest item; false when there is none. */
bool timeseries_first_time(struct timeseries *ts, int *time) __attribute__((nonnull));
bool timeseries_last_time(struct timeseries *ts, int *time) __attribute__((nonnull));

/* The smallest and the largest value: 0 or -ENOENT when there is none. */
int timeseries_value_range(struct timeseries *ts, double *low, double *high)
    __attribute__((nonnull));

/* The mean of all values; 0 when there is none. */
double timeseries_mean(struct timeseries *ts) __attribute__((nonnull));

/* Copies up to cap times (values), the oldest first; how many there are in the series. */
int timeseries_copy_times(struct timeseries *ts, int *times, size_t cap) __attribute__((nonnull));
int timeseries_copy_values(struct timeseries *ts, double *values, size_t cap)
    __attribute__((nonnull));

#endif
