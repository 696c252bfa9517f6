/* SPDX-License-Identifier: Apache-2.0 */
/*
 * day.c - see day.h.
 *
 * A day is one number under its own mutex; two days are locked in order of their addresses.
 * Instants are computed with one working calendar for all days, under calendar_lock: charts ask for
 * the first, middle and last instant of the same day again and again, and the calendar keeps
 * the zone it was set up for.
 */
#include "day.h"

#include <stdio.h>
#include <string.h>

#define MIN_SERIAL (-719162) /* 0001-01-01 */
#define MAX_SERIAL 2932896   /* 9999-12-31 */
#define MS_PER_DAY INT64_C(86400000)
/* No zone is further away than this; whatever is asked is cut to it. */
#define MAX_ZONE_MIN (18 * 60)

struct calendar {
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int millisecond;
    int zone_min; /* east of UTC; what was asked for, within what is possible */
};

static pthread_mutex_t calendar_lock = PTHREAD_MUTEX_INITIALIZER;
static struct calendar working;

static bool
is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int
month_length(int year, int month)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return lengths[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to the first of January. */
static int
year_start(int year)
{
    int before = year - 1;

    return before * 365 + before / 4 - before / 100 + before / 400 + MIN_SERIAL;
}

static bool
is_serial(int64_t serial)
{
    return serial >= MIN_SERIAL && serial <= MAX_SERIAL;
}

/* Sets the calendar to the start of a day. */
static void
calendar_set_serial(struct calendar *c, int serial)
{
    int year = 1 + (int)((serial - MIN_SERIAL) / 365.2425);
    int month = 1;
    int rest;

    while (year_start(year) > serial)
        year--;
    while (year_start(year + 1) <= serial)
        year++;
    rest = serial - year_start(year);
    while (rest >= month_length(year, month))
        rest -= month_length(year, month++);
    memset(c, 0, sizeof *c);
    c->year = year;
    c->month = month;
    c->day = rest + 1;
}

static int
calendar_serial(const struct calendar *c)
{
    int serial = year_start(c->year) + c->day - 1;

    for (int month = 1; month < c->month; month++)
        serial += month_length(c->year, month);
    return serial;
}

static void
calendar_set_zone(struct calendar *c, int zone_min)
{
    if (zone_min > MAX_ZONE_MIN)
        zone_min = MAX_ZONE_MIN;
    if (zone_min < -MAX_ZONE_MIN)
        zone_min = -MAX_ZONE_MIN;
    c->zone_min = zone_min;
}

/* The instant the calendar shows. */
static int64_t
calendar_ms(const struct calendar *c)
{
    int64_t minutes = c->hour * 60 + c->minute - c->zone_min;

    return calendar_serial(c) * MS_PER_DAY + (minutes * 60 + c->second) * 1000 + c->millisecond;
}

/* The date of a day. */
static struct calendar
date_of(int serial)
{
    struct calendar date;

    calendar_set_serial(&date, serial);
    return date;
}

static int
move_locked(struct day *d, int64_t serial)
{
    if (!is_serial(serial))
        return DAY_ERANGE;
    d->serial = (int)serial;
    return DAY_OK;
}

static void
lock_pair(struct day *a, struct day *b)
{
    struct day *first = (uintptr_t)a < (uintptr_t)b ? a : b;

    pthread_mutex_lock(&first->lock);
    if (a != b)
        pthread_mutex_lock(first == a ? &b->lock : &a->lock);
}

static void
unlock_pair(struct day *a, struct day *b)
{
    pthread_mutex_unlock(&a->lock);
    if (a != b)
        pthread_mutex_unlock(&b->lock);
}

int
day_init(struct day *d, int serial)
{
    if (!is_serial(serial))
        return DAY_ERANGE;
    pthread_mutex_init(&d->lock, NULL);
    d->serial = serial;
    return DAY_OK;
}

void
day_destroy(struct day *d)
{
    pthread_mutex_destroy(&d->lock);
}

int
day_serial(struct day *d)
{
    int serial;

    pthread_mutex_lock(&d->lock);
    serial = d->serial;
    pthread_mutex_unlock(&d->lock);
    return serial;
}

int
day_year(struct day *d)
{
    return date_of(day_serial(d)).year;
}

int
day_month(struct day *d)
{
    return date_of(day_serial(d)).month;
}

int
day_of_month(struct day *d)
{
    return date_of(day_serial(d)).day;
}

int
day_of_year(struct day *d)
{
    int serial = day_serial(d);

    return serial - year_start(date_of(serial).year) + 1;
}

int
day_quarter(struct day *d)
{
    return (day_month(d) + 2) / 3;
}

/* 1970-01-01 was a Thursday. */
static enum day_weekday
weekday_of(int serial)
{
    return (enum day_weekday)((serial % 7 + 7 + DAY_THURSDAY) % 7);
}

enum day_weekday
day_weekday(struct day *d)
{
    return weekday_of(day_serial(d));
}

bool
day_in_leap_year(struct day *d)
{
    return is_leap(day_year(d));
}

bool
day_is_weekend(struct day *d)
{
    enum day_weekday weekday = day_weekday(d);

    return weekday == DAY_SATURDAY || weekday == DAY_SUNDAY;
}

int
day_get_date(struct day *d, int *year, int *month, int *day)
{
    struct calendar date = date_of(day_serial(d));

    *year = date.year;
    *month = date.month;
    *day = date.day;
    return DAY_OK;
}

int
day_set_serial(struct day *d, int serial)
{
    int result;

    pthread_mutex_lock(&d->lock);
    result = move_locked(d, serial);
    pthread_mutex_unlock(&d->lock);
    return result;
}

int
day_set_date(struct day *d, int year, int month, int day)
{
    struct calendar date = { .year = year, .month = month, .day = day };

    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > month_length(year, month))
        return DAY_ERANGE;
    return day_set_serial(d, calendar_serial(&date));
}

int
day_set_time(struct day *d, int64_t ms, int zone_min)
{
    int64_t serial;

    if (ms < (MIN_SERIAL - 1) * MS_PER_DAY || ms > (MAX_SERIAL + 1) * MS_PER_DAY)
        return DAY_ERANGE;
    if (zone_min > MAX_ZONE_MIN || zone_min < -MAX_ZONE_MIN)
        return DAY_ERANGE;
    ms += zone_min * INT64_C(60000);
    serial = ms / MS_PER_DAY - (ms % MS_PER_DAY < 0);
    return is_serial(serial) ? day_set_serial(d, (int)serial) : DAY_ERANGE;
}

int
day_next(struct day *d)
{
    return day_add_days(d, 1);
}

int
day_previous(struct day *d)
{
    return day_add_days(d, -1);
}

int
day_add_days(struct day *d, int n)
{
    int result;

    pthread_mutex_lock(&d->lock);
    result = move_locked(d, (int64_t)d->serial + n);
    pthread_mutex_unlock(&d->lock);
    return result;
}

int
day_add_months(struct day *d, int n)
{
    int result = DAY_ERANGE;
    struct calendar date;
    int64_t months;

    pthread_mutex_lock(&d->lock);
    date = date_of(d->serial);
    months = date.year * INT64_C(12) + date.month - 1 + n;
    if (months >= 12 && months < 10000 * 12) {
        int last;

        date.year = (int)(months / 12);
        date.month = (int)(months % 12) + 1;
        last = month_length(date.year, date.month);
        if (date.day > last)
            date.day = last;
        result = move_locked(d, calendar_serial(&date));
    }
    pthread_mutex_unlock(&d->lock);
    return result;
}

int
day_following(struct day *d, enum day_weekday weekday)
{
    int result;

    if ((int)weekday < DAY_SUNDAY || (int)weekday > DAY_SATURDAY)
        return DAY_ERANGE;
    pthread_mutex_lock(&d->lock);
    result = move_locked(d, d->serial + 7 - ((int)weekday_of(d->serial) - (int)weekday + 7) % 7);
    pthread_mutex_unlock(&d->lock);
    return result;
}

int
day_assign(struct day *d, struct day *src)
{
    lock_pair(d, src);
    d->serial = src->serial;
    unlock_pair(d, src);
    return DAY_OK;
}

int64_t
day_first_ms(struct day *d, int zone_min)
{
    int serial = day_serial(d);
    int64_t ms;

    pthread_mutex_lock(&calendar_lock);
    calendar_set_serial(&working, serial);
    calendar_set_zone(&working, zone_min);
    ms = calendar_ms(&working);
    pthread_mutex_unlock(&calendar_lock);
    return ms;
}

int64_t
day_last_ms(struct day *d, int zone_min)
{
    int serial = day_serial(d);
    int64_t ms;

    pthread_mutex_lock(&calendar_lock);
    calendar_set_serial(&working, serial);
    working.hour = 23;
    working.minute = 59;
    working.second = 59;
    working.millisecond = 999;
    calendar_set_zone(&working, zone_min);
    ms = calendar_ms(&working);
    pthread_mutex_unlock(&calendar_lock);
    return ms;
}

int64_t
day_middle_ms(struct day *d, int zone_min)
{
    calendar_set_serial(&working, day_serial(d));
    working.hour = 12;
    calendar_set_zone(&working, zone_min);
    return calendar_ms(&working);
}

int
day_format(struct day *d, char *buf, size_t size)
{
    struct calendar date = date_of(day_serial(d));

    return snprintf(buf, size, "%04d-%02d-%02d", date.year, date.month, date.day);
}

/* A number of exactly so many digits, or -1. */
static int
parse_number(const char *text, int digits)
{
    int number = 0;

    for (int i = 0; i < digits; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + text[i] - '0';
    }
    return number;
}

int
day_parse(struct day *d, const char *text)
{
    int year;
    int month;
    int day;

    if (strlen(text) != strlen("2024-02-29") || text[4] != '-' || text[7] != '-')
        return DAY_ETEXT;
    year = parse_number(text, 4);
    month = parse_number(text + 5, 2);
    day = parse_number(text + 8, 2);
    if (year < 0 || month < 0 || day < 0)
        return DAY_ETEXT;
    return day_set_date(d, year, month, day);
}

int
day_compare(struct day *d, struct day *other)
{
    int order;

    lock_pair(d, other);
    order = (d->serial > other->serial) - (d->serial < other->serial);
    unlock_pair(d, other);
    return order;
}

bool
day_equals(struct day *d, struct day *other)
{
    return day_compare(d, other) == 0;
}

unsigned
day_hash(struct day *d)
{
    struct calendar date = date_of(day_serial(d));

    return ((unsigned)date.year * 37 + (unsigned)date.month) * 37 + (unsigned)date.day;
}
