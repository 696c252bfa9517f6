/* SPDX-License-Identifier: Apache-2.0 */
/*
 * day.h - a day of the Gregorian calendar, as time axes of charts need it.
 *
 * A day may be shared by threads; each function is atomic. It lives in storage of the caller, its
 * members are private. Days are counted from 1970-01-01, day 0; months from 1. Instants are
 * milliseconds since the start of day 0 in UTC; a zone is given as minutes east of it.
 */
#ifndef DAY_H
#define DAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum day_error {
    DAY_OK = 0,
    DAY_ERANGE = -1, /* not a day between the years 1 and 9999 */
    DAY_ETEXT = -2   /* not a day in words */
};

enum day_weekday {
    DAY_SUNDAY,
    DAY_MONDAY,
    DAY_TUESDAY,
    DAY_WEDNESDAY,
    DAY_THURSDAY,
    DAY_FRIDAY,
    DAY_SATURDAY
};

struct day {
    pthread_mutex_t lock;
    int serial;
};

/* A day so many days after 1970-01-01. */
int day_init(struct day *d, int serial) __attribute__((nonnull(1)));
void day_destroy(struct day *d) __attribute__((nonnull(1)));

int day_serial(struct day *d) __attribute__((nonnull(1)));
int day_year(struct day *d) __attribute__((nonnull(1)));
int day_month(struct day *d) __attribute__((nonnull(1)));
int day_of_month(struct day *d) __attribute__((nonnull(1)));
/* From 1. */
int day_of_year(struct day *d) __attribute__((nonnull(1)));
int day_quarter(struct day *d) __attribute__((nonnull(1)));
enum day_weekday day_weekday(struct day *d) __attribute__((nonnull(1)));
bool day_in_leap_year(struct day *d) __attribute__((nonnull(1)));
bool day_is_weekend(struct day *d) __attribute__((nonnull(1)));
int day_get_date(struct day *d, int *year, int *month, int *day) __attribute__((nonnull));

/* These change the day; on an error they leave it alone. */
int day_set_serial(struct day *d, int serial) __attribute__((nonnull(1)));
int day_set_date(struct day *d, int year, int month, int day) __attribute__((nonnull(1)));
int day_set_time(struct day *d, int64_t ms, int zone_min) __attribute__((nonnull(1)));
int day_next(struct day *d) __attribute__((nonnull(1)));
int day_previous(struct day *d) __attribute__((nonnull(1)));
int day_add_days(struct day *d, int n) __attribute__((nonnull(1)));
/* The same day of another month, or that month's last day. */
int day_add_months(struct day *d, int n) __attribute__((nonnull(1)));
/* Goes to the next such weekday, at least a day and at most a week away. */
int day_following(struct day *d, enum day_weekday weekday) __attribute__((nonnull(1)));
int day_assign(struct day *d, struct day *src) __attribute__((nonnull));

/* Its first, its last and its middle instant. */
int64_t day_first_ms(struct day *d, int zone_min) __attribute__((nonnull(1)));
int64_t day_last_ms(struct day *d, int zone_min) __attribute__((nonnull(1)));
int64_t day_middle_ms(struct day *d, int zone_min) __attribute__((nonnull(1)));

/* As 2024-02-29, cut to fit `size` bytes with the closing zero; the length before the cut. */
int day_format(struct day *d, char *buf, size_t size) __attribute__((nonnull));
/* Takes the day from such a text. */
int day_parse(struct day *d, const char *text) __attribute__((nonnull));

/* Less than, equal to or greater than zero. */
int day_compare(struct day *d, struct day *other) __attribute__((nonnull));
bool day_equals(struct day *d, struct day *other) __attribute__((nonnull));
unsigned day_hash(struct day *d) __attribute__((nonnull(1)));

#endif
