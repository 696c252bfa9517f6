/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.h - a growable array of ints for use by many threads, after java.util.Vector.
 *
 * Every function may be called by any thread at any time and is atomic, including the functions
 * that take two vectors. Both vectors of a call may be the same. vector_free is the exception: no
 * other thread may use the vector during or after the call.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct vector;

#define VECTOR_NONE INT_MIN /* "no such element"; do not store it */

enum vector_error {
    VECTOR_EINDEX = -1, /* index out of range */
    VECTOR_ENOMEM = -2  /* out of memory, or too many elements */
};

/*
 * An empty vector; NULL if out of memory. A full vector grows by `increment` elements, or to twice
 * its size if `increment` is not positive.
 */
struct vector *vector_new(int capacity, int increment);
/* A new vector with the elements of another; NULL if out of memory. */
struct vector *vector_new_from(struct vector *other) __attribute__((nonnull));
struct vector *vector_clone(struct vector *v) __attribute__((nonnull));
/* A new vector with the elements [from, to); NULL if the range is invalid or out of memory. */
struct vector *vector_sub_list(struct vector *v, int from, int to) __attribute__((nonnull));
void vector_free(struct vector *v);

/* ---- size ---- */

int vector_size(struct vector *v) __attribute__((nonnull));
int vector_capacity(struct vector *v) __attribute__((nonnull));
bool vector_is_empty(struct vector *v) __attribute__((nonnull));
/* Zero or VECTOR_ENOMEM. */
int vector_ensure_capacity(struct vector *v, int capacity) __attribute__((nonnull));
int vector_trim_to_size(struct vector *v) __attribute__((nonnull));
/* Truncates the vector or extends it with zeros. Zero, VECTOR_EINDEX or VECTOR_ENOMEM. */
int vector_set_size(struct vector *v, int size) __attribute__((nonnull));

/* ---- one element ---- */

/* The element, or VECTOR_NONE. */
int vector_get(struct vector *v, int index) __attribute__((nonnull));
int vector_element_at(struct vector *v, int index) __attribute__((nonnull));
int vector_first_element(struct vector *v) __attribute__((nonnull));
int vector_last_element(struct vector *v) __attribute__((nonnull));
/* The previous element, or VECTOR_NONE. */
int vector_set(struct vector *v, int index, int value) __attribute__((nonnull));
int vector_remove_at(struct vector *v, int index) __attribute__((nonnull));
/* Zero or an error. */
int vector_set_element_at(struct vector *v, int value, int index) __attribute__((nonnull));
int vector_remove_element_at(struct vector *v, int index) __attribute__((nonnull));
int vector_insert_element_at(struct vector *v, int value, int index) __attribute__((nonnull));
int vector_add_at(struct vector *v, int index, int value) __attribute__((nonnull));
int vector_swap(struct vector *v, int i, int j) __attribute__((nonnull));
/* The new size, or VECTOR_ENOMEM. */
int vector_add(struct vector *v, int value) __attribute__((nonnull));
int vector_add_element(struct vector *v, int value) __attribute__((nonnull));
/* Appends the value if the vector lacks it. True if it was appended. */
bool vector_add_if_absent(struct vector *v, int value) __attribute__((nonnull));
/* Removes the first equal element. True if there was one. */
bool vector_remove(struct vector *v, int value) __attribute__((nonnull));
bool vector_remove_element(struct vector *v, int value) __attribute__((nonnull));

/* ---- searching ---- */

bool vector_contains(struct vector *v, int value) __attribute__((nonnull));
/* The index of the first or last equal element, or VECTOR_EINDEX. */
int vector_index_of(struct vector *v, int value) __attribute__((nonnull));
int vector_index_of_from(struct vector *v, int value, int from) __attribute__((nonnull));
int vector_last_index_of(struct vector *v, int value) __attribute__((nonnull));
/* Searches backwards from `from`, which must be less than the size. */
int vector_last_index_of_from(struct vector *v, int value, int from) __attribute__((nonnull));
int vector_count_of(struct vector *v, int value) __attribute__((nonnull));

/* ---- all elements ---- */

void vector_clear(struct vector *v) __attribute__((nonnull));
void vector_remove_all_elements(struct vector *v) __attribute__((nonnull));
/* Removes [from, to). Zero or VECTOR_EINDEX. */
int vector_remove_range(struct vector *v, int from, int to) __attribute__((nonnull));
/* Replaces every `from` by `to`; returns how many. */
int vector_replace_all(struct vector *v, int from, int to) __attribute__((nonnull));
void vector_sort(struct vector *v) __attribute__((nonnull));
void vector_reverse(struct vector *v) __attribute__((nonnull));
long long vector_sum(struct vector *v) __attribute__((nonnull));
unsigned vector_hash_code(struct vector *v) __attribute__((nonnull));
/* Copies at most `max` elements to `out`; returns how many. */
int vector_copy_into(struct vector *v, int *out, size_t max) __attribute__((nonnull));

/* ---- two vectors ---- */

/* The number of elements added, or an error. */
int vector_add_all(struct vector *v, struct vector *other) __attribute__((nonnull));
int vector_add_all_at(struct vector *v, int index, struct vector *other) __attribute__((nonnull));
/* Removes the elements that `other` contains, or lacks; returns how many. */
int vector_remove_all(struct vector *v, struct vector *other) __attribute__((nonnull));
int vector_retain_all(struct vector *v, struct vector *other) __attribute__((nonnull));
bool vector_contains_all(struct vector *v, struct vector *other) __attribute__((nonnull));
bool vector_equals(struct vector *v, struct vector *other) __attribute__((nonnull));

#endif
