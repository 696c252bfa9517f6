/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intrange.h - the ints from a smallest to a largest one, both included.
 *
 * A range never changes after it was made, so threads may share it freely. Functions that take a
 * second range answer false (or NULL) when that is NULL.
 */
#ifndef INTRANGE_H
#define INTRANGE_H

#include <stdbool.h>
#include <stddef.h>

struct intrange;

enum intrange_error {
    INTRANGE_EINDEX = -1, /* not so many ints in the range */
    INTRANGE_EVALUE = -2, /* an argument that makes no sense */
    INTRANGE_ENOMEM = -3
};

/* Where an int lies. */
enum intrange_side { INTRANGE_BELOW, INTRANGE_INSIDE, INTRANGE_ABOVE };

/* Called with an int of the range; false ends the walk. */
typedef bool (*intrange_visit)(int value, void *arg);

/* The range between two ints, in any order; of one int. NULL when out of memory. */
struct intrange *intrange_new(int a, int b);
struct intrange *intrange_new_single(int value);
void intrange_free(struct intrange *r);

int intrange_min(struct intrange *r) __attribute__((nonnull(1)));
int intrange_max(struct intrange *r) __attribute__((nonnull(1)));
bool intrange_is_single(struct intrange *r) __attribute__((nonnull(1)));
/* How many ints. */
long long intrange_length(struct intrange *r) __attribute__((nonnull(1)));

bool intrange_contains(struct intrange *r, int value) __attribute__((nonnull(1)));
enum intrange_side intrange_side(struct intrange *r, int value) __attribute__((nonnull(1)));
/* The int of the range nearest to this one. */
int intrange_clamp(struct intrange *r, int value) __attribute__((nonnull(1)));
/* The int at an index, from 0, into *value. */
int intrange_at(struct intrange *r, int index, int *value) __attribute__((nonnull(1, 3)));
/* Copies up to `max` ints, the smallest first; how many. */
int intrange_to_array(struct intrange *r, int *out, size_t max) __attribute__((nonnull(1, 2)));
/* How many of these ints are in the range. */
int intrange_count(struct intrange *r, const int *values, size_t n_values)
    __attribute__((nonnull(1, 2)));
/* Visits the smallest int and then every `step`-th, 100 at most; how many, or INTRANGE_EVALUE. */
int intrange_each(struct intrange *r, int step, intrange_visit visit, void *arg)
    __attribute__((nonnull(1, 3)));

bool intrange_contains_range(struct intrange *r, struct intrange *other)
    __attribute__((nonnull(1)));
bool intrange_overlaps(struct intrange *r, struct intrange *other) __attribute__((nonnull(1)));
/* New ranges: what both have (NULL if nothing); the least that holds both. */
struct intrange *intrange_intersect(struct intrange *r, struct intrange *other)
    __attribute__((nonnull(1)));
struct intrange *intrange_span(struct intrange *r, struct intrange *other)
    __attribute__((nonnull(1)));

bool intrange_equals(struct intrange *r, struct intrange *other) __attribute__((nonnull(1)));
/* Equal ranges have equal hashes. */
unsigned intrange_hash(struct intrange *r) __attribute__((nonnull(1)));
/* Writes "Range[1,3]", cut to fit `size` bytes with the closing zero; the length before the cut. */
int intrange_to_string(struct intrange *r, char *buf, size_t size) __attribute__((nonnull(1, 2)));

#endif
