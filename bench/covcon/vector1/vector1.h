/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector1.h - a growable array of ints that threads may share.
 *
 * Every function is atomic: it takes effect at one moment between its call and its return. The
 * vector lives in storage of the caller; its members are private.
 */
#ifndef VECTOR1_H
#define VECTOR1_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum vector1_error {
    VECTOR1_OK = 0,
    VECTOR1_NONE = -1,   /* no such element */
    VECTOR1_ERANGE = -2, /* an index outside the vector */
    VECTOR1_ENOMEM = -3  /* out of memory, or longer than a vector may be */
};

struct vector1 {
    pthread_mutex_t lock;
    int *data;
    int count;
    int capacity;
    int increment;
};

/* Called with each element; false ends the walk. */
typedef bool (*vector1_visit)(int value, void *arg);

/*
 * Makes an empty vector. Capacity is a hint. The array grows by `increment` elements at a time, or
 * doubles when that is not positive.
 */
int vector1_init(struct vector1 *v, int capacity, int increment) __attribute__((nonnull(1)));
void vector1_destroy(struct vector1 *v) __attribute__((nonnull(1)));

int vector1_size(struct vector1 *v) __attribute__((nonnull(1)));
bool vector1_is_empty(struct vector1 *v) __attribute__((nonnull(1)));
int vector1_capacity(struct vector1 *v) __attribute__((nonnull(1)));
int vector1_ensure_capacity(struct vector1 *v, int capacity) __attribute__((nonnull(1)));
/* Gives back what the array does not use. */
int vector1_trim_to_size(struct vector1 *v) __attribute__((nonnull(1)));
/* Cuts off the end, or appends zeros. */
int vector1_set_size(struct vector1 *v, int size) __attribute__((nonnull(1)));

int vector1_add(struct vector1 *v, int value) __attribute__((nonnull(1)));
int vector1_add_all(struct vector1 *v, const int *values, size_t n_values)
    __attribute__((nonnull(1, 2)));
int vector1_insert_at(struct vector1 *v, int index, int value) __attribute__((nonnull(1)));
/* The element into *value; VECTOR1_ERANGE leaves it alone. */
int vector1_get(struct vector1 *v, int index, int *value) __attribute__((nonnull(1, 3)));
int vector1_first(struct vector1 *v, int *value) __attribute__((nonnull(1, 2)));
int vector1_last(struct vector1 *v, int *value) __attribute__((nonnull(1, 2)));
/* The element that was there goes into *old, unless that is NULL. */
int vector1_set(struct vector1 *v, int index, int value, int *old) __attribute__((nonnull(1)));
int vector1_remove_at(struct vector1 *v, int index, int *old) __attribute__((nonnull(1)));
/* Removes the first element that is equal; whether there was one. */
bool vector1_remove(struct vector1 *v, int value) __attribute__((nonnull(1)));
/* Removes elements from (with) `from` to (without) `to`. */
int vector1_remove_range(struct vector1 *v, int from, int to) __attribute__((nonnull(1)));
/* Removes all that occur in `values`, or all that do not; how many went. */
int vector1_remove_all(struct vector1 *v, const int *values, size_t n_values)
    __attribute__((nonnull(1, 2)));
int vector1_retain_all(struct vector1 *v, const int *values, size_t n_values)
    __attribute__((nonnull(1, 2)));
void vector1_clear(struct vector1 *v) __attribute__((nonnull(1)));

bool vector1_contains(struct vector1 *v, int value) __attribute__((nonnull(1)));
bool vector1_contains_all(struct vector1 *v, const int *values, size_t n_values)
    __attribute__((nonnull(1, 2)));
/* The first index of an equal element, or VECTOR1_NONE. */
int vector1_index_of(struct vector1 *v, int value) __attribute__((nonnull(1)));
/* The same, looking from `index` on; VECTOR1_ERANGE when that is negative. */
int vector1_index_of_from(struct vector1 *v, int value, int index) __attribute__((nonnull(1)));
/* The last index of an equal element, or VECTOR1_NONE. */
int vector1_last_index_of(struct vector1 *v, int value) __attribute__((nonnull(1)));
/* The same, looking backwards from `index`; VECTOR1_ERANGE when that is beyond the end. */
int vector1_last_index_of_from(struct vector1 *v, int value, int index) __attribute__((nonnull(1)));

/* Copies up to `max` elements; how many. */
int vector1_to_array(struct vector1 *v, int *out, size_t max) __attribute__((nonnull(1, 2)));
/* Calls `visit` for each element of a copy; how many times. */
int vector1_each(struct vector1 *v, vector1_visit visit, void *arg) __attribute__((nonnull(1, 2)));
/* Writes "[1, 2]", cut to fit `size` bytes with the closing zero; the length before the cut. */
int vector1_to_string(struct vector1 *v, char *buf, size_t size) __attribute__((nonnull(1, 2)));
/* False when `other` is NULL. */
bool vector1_equals(struct vector1 *v, struct vector1 *other) __attribute__((nonnull(1)));
unsigned vector1_hash(struct vector1 *v) __attribute__((nonnull(1)));

#endif
