/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector2.h - a list of ints in an array, for use by many threads.
 *
 * All functions may be called by any thread at any time, and each is atomic, those on two vectors
 * included. Both vectors of a call may be the same one.
 */
#ifndef VECTOR2_H
#define VECTOR2_H

#include <stdbool.h>
#include <stddef.h>

struct vector2;

enum vector2_error {
    VECTOR2_EINDEX = -1, /* no element there */
    VECTOR2_EMPTY = -2,  /* the vector has no element */
    VECTOR2_ENOMEM = -3  /* out of memory, or longer than a vector may be */
};

/* An empty vector with room for this many elements, a hint; NULL when out of memory. */
struct vector2 *vector2_new(int capacity);
/* A vector with the elements of another; NULL when out of memory. */
struct vector2 *vector2_copy(struct vector2 *src) __attribute__((nonnull));
void vector2_free(struct vector2 *v);

int vector2_size(struct vector2 *v) __attribute__((nonnull));
bool vector2_is_empty(struct vector2 *v) __attribute__((nonnull));
int vector2_reserve(struct vector2 *v, int capacity) __attribute__((nonnull));
/* Forgets the elements from `size` on; how many there were. */
int vector2_truncate(struct vector2 *v, int size) __attribute__((nonnull));
void vector2_clear(struct vector2 *v) __attribute__((nonnull));

/* As a stack: push answers the new size; pop and peek VECTOR2_EMPTY when there is nothing. */
int vector2_push(struct vector2 *v, int value) __attribute__((nonnull));
int vector2_pop(struct vector2 *v, int *value) __attribute__((nonnull));
int vector2_peek(struct vector2 *v, int *value) __attribute__((nonnull));

/* Zero, or VECTOR2_EINDEX. */
int vector2_get(struct vector2 *v, int index, int *value) __attribute__((nonnull));
int vector2_set(struct vector2 *v, int index, int value) __attribute__((nonnull));
int vector2_swap(struct vector2 *v, int i, int j) __attribute__((nonnull));
int vector2_remove_at(struct vector2 *v, int index) __attribute__((nonnull));
/* The new size, or an error. */
int vector2_insert(struct vector2 *v, int index, int value) __attribute__((nonnull));
int vector2_push_array(struct vector2 *v, const int *values, size_t n_values)
    __attribute__((nonnull));
/* Appends all elements of src; the new size, or an error. */
int vector2_add_all(struct vector2 *v, struct vector2 *src) __attribute__((nonnull));

/* The index of the first equal element, or VECTOR2_EINDEX. */
int vector2_index_of(struct vector2 *v, int value) __attribute__((nonnull));
bool vector2_contains(struct vector2 *v, int value) __attribute__((nonnull));
int vector2_count_of(struct vector2 *v, int value) __attribute__((nonnull));
/* Replaces every `from` by `to`, or removes every `value`; how many there were. */
int vector2_replace(struct vector2 *v, int from, int to) __attribute__((nonnull));
int vector2_remove_value(struct vector2 *v, int value) __attribute__((nonnull));
int vector2_min(struct vector2 *v, int *value) __attribute__((nonnull));
int vector2_max(struct vector2 *v, int *value) __attribute__((nonnull));

void vector2_sort(struct vector2 *v) __attribute__((nonnull));
void vector2_reverse(struct vector2 *v) __attribute__((nonnull));

/* Copies up to `max` elements; how many. */
int vector2_to_array(struct vector2 *v, int *out, size_t max) __attribute__((nonnull));
bool vector2_equals(struct vector2 *v, struct vector2 *other) __attribute__((nonnull));
/* Less than, equal to or greater than zero, in the order of dictionaries. */
int vector2_compare(struct vector2 *v, struct vector2 *other) __attribute__((nonnull));

#endif
