/* SPDX-License-Identifier: Apache-2.0 */
/*
 * periodaxis.h - the axis of a chart that shows periods of time; thread-safe.
 *
 * An axis shows the periods from first to last, both included, numbered from the beginning of 1970
 * in its unit. Below it are bands of labels: a band of width n has one label for n periods (days
 * and weeks, for example). All functions but periodaxis_free() may be called from any thread at
 * any time; each takes effect at once. Periods are within +-PERIODAXIS_LIMIT; functions that can
 * fail answer 0, or -EINVAL and change nothing, unless they say something else.
 */
#ifndef PERIODAXIS_H
#define PERIODAXIS_H

#include <stdbool.h>
#include <stddef.h>

#define PERIODAXIS_LIMIT 1000000
#define PERIODAXIS_MAX_BANDS 16

/* A longer title is cut. */
#define PERIODAXIS_MAX_TITLE 31

enum periodaxis_unit { PERIODAXIS_MINUTE, PERIODAXIS_HOUR, PERIODAXIS_DAY, PERIODAXIS_WEEK };

struct periodaxis;

/* An axis of the days 0 to 1 with bands of 1 and 7; title may be NULL. NULL: no memory. */
struct periodaxis *periodaxis_new(const char *title);

/* Gives everything back; no other thread may still use the axis. NULL is fine. */
void periodaxis_free(struct periodaxis *ax);

/* ---- the range ---- */

int periodaxis_get_first(struct periodaxis *ax) __attribute__((nonnull));
int periodaxis_get_last(struct periodaxis *ax) __attribute__((nonnull));
void periodaxis_get_range(struct periodaxis *ax, int *first, int *last) __attribute__((nonnull));

/* Moves one end; the other one comes along when it is in the way. */
int periodaxis_set_first(struct periodaxis *ax, int period) __attribute__((nonnull));
int periodaxis_set_last(struct periodaxis *ax, int period) __attribute__((nonnull));

/* first must not be behind last. */
int periodaxis_set_range(struct periodaxis *ax, int first, int last) __attribute__((nonnull));

/* How many periods are shown; is this one of them? */
int periodaxis_count(struct periodaxis *ax) __attribute__((nonnull));
bool periodaxis_contains(struct periodaxis *ax, int period) __attribute__((nonnull));

/* Moves both ends by n periods. */
int periodaxis_pan(struct periodaxis *ax, int n) __attribute__((nonnull));

/* Takes n periods away (n below 0: adds them) at both ends; one always stays. */
int periodaxis_zoom(struct periodaxis *ax, int n) __attribute__((nonnull));

/* ---- the automatic range ---- */

void periodaxis_set_auto_range(struct periodaxis *ax, bool on) __attribute__((nonnull));
bool periodaxis_is_auto_range(struct periodaxis *ax) __attribute__((nonnull));

/* If the range is automatic: from the first to the last of these periods. */
int periodaxis_fit(struct periodaxis *ax, const int *periods, size_t n) __attribute__((nonnull));

/* ---- time ---- */

int periodaxis_set_unit(struct periodaxis *ax, enum periodaxis_unit unit) __attribute__((nonnull));
enum periodaxis_unit periodaxis_get_unit(struct periodaxis *ax) __attribute__((nonnull));

/* Minutes east of Greenwich, within a day. */
int periodaxis_set_offset(struct periodaxis *ax, int minutes) __attribute__((nonnull));
int periodaxis_get_offset(struct periodaxis *ax) __attribute__((nonnull));

/* The period of a minute since the beginning of 1970; the first minute of a period. */
long periodaxis_period_of(struct periodaxis *ax, int minute) __attribute__((nonnull));
long periodaxis_start_of(struct periodaxis *ax, int period) __attribute__((nonnull));

/* ---- bands ---- */

/* Replaces all bands by n new ones; a width below 1 counts as 1. 0, -E2BIG, -ENOMEM. */
int periodaxis_set_bands(struct periodaxis *ax, const int *widths, size_t n)
    __attribute__((nonnull));

/* One more band below: 0, -E2BIG, -ENOMEM. */
int periodaxis_add_band(struct periodaxis *ax, int width) __attribute__((nonnull));

/* Removes the lowest band; false when there is none. */
bool periodaxis_remove_band(struct periodaxis *ax) __attribute__((nonnull));
int periodaxis_band_count(struct periodaxis *ax) __attribute__((nonnull));

/* The width of band i, or -ERANGE; of the widest one, or 0 when there is none. */
int periodaxis_band_width(struct periodaxis *ax, int i) __attribute__((nonnull));
int periodaxis_widest_band(struct periodaxis *ax) __attribute__((nonnull));

/* How many labels band i has for the range, or -ERANGE. */
int periodaxis_label_count(struct periodaxis *ax, int i) __attribute__((nonnull));

/* The label of a period in band i, as snprintf() would print it; -ERANGE. */
int periodaxis_format(struct periodaxis *ax, int i, int period, char *buf, size_t cap)
    __attribute__((nonnull));

/* ---- title ---- */

/* NULL: no title. The copy is cut to what fits; the answer is the whole length. */
void periodaxis_set_title(struct periodaxis *ax, const char *title) __attribute__((nonnull(1)));
int periodaxis_get_title(struct periodaxis *ax, char *buf, size_t cap) __attribute__((nonnull));

#endif
