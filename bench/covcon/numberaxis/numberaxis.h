/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numberaxis.h - the axis of a chart that shows numbers; thread-safe.
 *
 * An axis shows a range of values, lower below upper always, on a stretch of the drawing area, with
 * ticks at multiples of its unit. The caller owns the struct and looks at it through the functions
 * only. Between numberaxis_init() and numberaxis_destroy() all of them may be called from any
 * thread at any time; each takes effect at once. Numbers must be finite and not beyond
 * +-NUMBERAXIS_LIMIT: functions that can fail answer 0, or -EINVAL and change nothing.
 */
#ifndef NUMBERAXIS_H
#define NUMBERAXIS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Far from where a difference of 1 is lost in a double. */
#define NUMBERAXIS_LIMIT 1e12

/* A longer label is cut. */
#define NUMBERAXIS_MAX_LABEL 31

/* An axis draws no more ticks than this. */
#define NUMBERAXIS_MAX_TICKS 1000

enum numberaxis_kind { NUMBERAXIS_HORIZONTAL, NUMBERAXIS_VERTICAL };

struct numberaxis {
    pthread_mutex_t lock; /* of everything below */
    double lower;         /* always < upper */
    double upper;
    double lower_margin; /* parts of the range that numberaxis_fit() leaves free, 0 to 1 */
    double upper_margin;
    double tick_unit; /* > 0 */
    bool auto_range;  /* numberaxis_fit() may change the range */
    bool include_zero;
    bool inverted;
    enum numberaxis_kind kind;
    char label[NUMBERAXIS_MAX_LABEL + 1];
};

/* An axis from 0 to 1; label may be NULL. -EINVAL when there is no such kind. */
int numberaxis_init(struct numberaxis *a, enum numberaxis_kind kind, const char *label)
    __attribute__((nonnull(1)));

/* No other thread may still use the axis. */
void numberaxis_destroy(struct numberaxis *a) __attribute__((nonnull));

/* ---- the range; functions that set it end the automatic one ---- */

double numberaxis_get_lower(struct numberaxis *a) __attribute__((nonnull));
double numberaxis_get_upper(struct numberaxis *a) __attribute__((nonnull));
double numberaxis_length(struct numberaxis *a) __attribute__((nonnull));
void numberaxis_get_range(struct numberaxis *a, double *lower, double *upper)
    __attribute__((nonnull));

/* Moves one end; the other one gives way when it is in the way, to a range of length 1. */
int numberaxis_set_lower(struct numberaxis *a, double value) __attribute__((nonnull));
int numberaxis_set_upper(struct numberaxis *a, double value) __attribute__((nonnull));

/* lower must be below upper. */
int numberaxis_set_range(struct numberaxis *a, double lower, double upper)
    __attribute__((nonnull));

/* Around the value, with this length, or with the length it has. */
int numberaxis_set_range_about(struct numberaxis *a, double value, double length)
    __attribute__((nonnull));
int numberaxis_center(struct numberaxis *a, double value) __attribute__((nonnull));

/* Moves the range by a part of its length. */
int numberaxis_pan(struct numberaxis *a, double part) __attribute__((nonnull));

/* Makes it so many times as long, around its middle; factor above 0. */
int numberaxis_resize(struct numberaxis *a, double factor) __attribute__((nonnull));

/* Is the value in the range? */
bool numberaxis_contains(struct numberaxis *a, double value) __attribute__((nonnull));

/* ---- the automatic range ---- */

void numberaxis_set_auto_range(struct numberaxis *a, bool on) __attribute__((nonnull));
bool numberaxis_is_auto_range(struct numberaxis *a) __attribute__((nonnull));
void numberaxis_set_include_zero(struct numberaxis *a, bool on) __attribute__((nonnull));
bool numberaxis_get_include_zero(struct numberaxis *a) __attribute__((nonnull));

/* Each from 0 to 1. */
int numberaxis_set_margins(struct numberaxis *a, double lower, double upper)
    __attribute__((nonnull));
void numberaxis_get_margins(struct numberaxis *a, double *lower, double *upper)
    __attribute__((nonnull));

/* If the range is automatic: the one of these values and the margins. Was it? */
bool numberaxis_fit(struct numberaxis *a, const double *values, size_t n) __attribute__((nonnull));

/* ---- ticks ---- */

/* unit above 0. */
int numberaxis_set_tick_unit(struct numberaxis *a, double unit) __attribute__((nonnull));
double numberaxis_get_tick_unit(struct numberaxis *a) __attribute__((nonnull));

/* The power of ten that gives at most ten ticks. */
double numberaxis_choose_tick_unit(struct numberaxis *a) __attribute__((nonnull));

/* How many ticks are in the range, at most NUMBERAXIS_MAX_TICKS; the value of tick i. */
int numberaxis_tick_count(struct numberaxis *a) __attribute__((nonnull));
int numberaxis_tick_at(struct numberaxis *a, int i, double *value) __attribute__((nonnull));

/* ---- drawing ---- */

void numberaxis_set_inverted(struct numberaxis *a, bool on) __attribute__((nonnull));
bool numberaxis_is_inverted(struct numberaxis *a) __attribute__((nonnull));
enum numberaxis_kind numberaxis_get_kind(struct numberaxis *a) __attribute__((nonnull));

/* From a value to the place between start and end of the drawing area, and back. */
double numberaxis_to_place(struct numberaxis *a, double value, double start, double end)
    __attribute__((nonnull));
int numberaxis_from_place(struct numberaxis *a, double place, double start, double end,
                          double *value) __attribute__((nonnull));

/* NULL: no label. The copy is cut to what fits; the answer is the whole length. */
void numberaxis_set_label(struct numberaxis *a, const char *label) __attribute__((nonnull(1)));
int numberaxis_get_label(struct numberaxis *a, char *buf, size_t cap) __attribute__((nonnull));

#endif
