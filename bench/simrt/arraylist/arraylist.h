/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arraylist.h - a growing array of int, with a blocking end for consumers.
 *
 * All functions may be called by several threads at once, except arraylist_free(). Each takes
 * effect at once, those on two lists on both.
 */
#ifndef SIMRT_ARRAYLIST_H
#define SIMRT_ARRAYLIST_H

#include <stdbool.h>
#include <stddef.h>

struct arraylist;

struct arraylist *arraylist_new(void);
void arraylist_free(struct arraylist *l);

void arraylist_add(struct arraylist *l, int value);
/* Before the element at `at`; false if there are fewer. */
bool arraylist_add_at(struct arraylist *l, size_t at, int value);
/* False if the value is there already. */
bool arraylist_add_if_absent(struct arraylist *l, int value);
void arraylist_add_all(struct arraylist *l, const int *values, size_t n);
bool arraylist_set(struct arraylist *l, size_t at, int value);
bool arraylist_remove_at(struct arraylist *l, size_t at, int *value);
bool arraylist_remove_value(struct arraylist *l, int value);
void arraylist_clear(struct arraylist *l);
void arraylist_sort(struct arraylist *l);
void arraylist_reverse(struct arraylist *l);

bool arraylist_get(struct arraylist *l, size_t at, int *value);
/* The first index, or -1. */
long arraylist_index_of(struct arraylist *l, int value);
bool arraylist_contains(struct arraylist *l, int value);
size_t arraylist_size(struct arraylist *l);
/* The most values that one call of arraylist_add_all() had. Takes no lock. */
size_t arraylist_largest_batch(struct arraylist *l);
/* The sum of all elements; threads of its own add up parts. */
long arraylist_sum(struct arraylist *l);

/* Removes the last element; blocks while there is none. False if closed and empty. */
bool arraylist_take(struct arraylist *l, int *value);
void arraylist_close(struct arraylist *l);

/* Appends all elements of `from`. */
void arraylist_append(struct arraylist *l, struct arraylist *from);
void arraylist_swap(struct arraylist *a, struct arraylist *b);

#endif
