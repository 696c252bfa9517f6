/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chashmap.h - a hash map from strings to ints for many threads at once.
 *
 * The map is divided into segments with a lock each, so that threads that work on different keys
 * seldom meet. All functions but chashmap_free() may be called from any thread at any time; each
 * takes effect at once, those on the whole map too.
 */
#ifndef CHASHMAP_H
#define CHASHMAP_H

#include <stdbool.h>
#include <stddef.h>

struct chashmap;

/* Called for each entry with the map locked: it must not call the map. false ends the walk. */
typedef bool (*chashmap_visit)(void *arg, const char *key, int value);

/* A map with this many segments, 1 to 64; NULL for other numbers and when there is no memory. */
struct chashmap *chashmap_new(int n_segments);

/* As chashmap_new() with a number that is good for most. */
struct chashmap *chashmap_new_default(void);

/* Gives everything back; no other thread may still use the map. NULL is fine. */
void chashmap_free(struct chashmap *m);

/* ---- one entry ---- */

/* Is the key there? Its value goes to *value. */
bool chashmap_get(struct chashmap *m, const char *key, int *value) __attribute__((nonnull));

/* The value of the key, or the given one. */
int chashmap_get_or(struct chashmap *m, const char *key, int otherwise) __attribute__((nonnull));

bool chashmap_contains(struct chashmap *m, const char *key) __attribute__((nonnull));

/* 1: new; 0: the key had a value, which goes to *old (may be NULL); -ENOMEM. */
int chashmap_put(struct chashmap *m, const char *key, int value, int *old)
    __attribute__((nonnull(1, 2)));

/* As chashmap_put(), but a value that is there stays. */
int chashmap_put_if_absent(struct chashmap *m, const char *key, int value, int *old)
    __attribute__((nonnull(1, 2)));

/* Adds delta, wrapping around, to the value of the key, 0 if it is not there yet: 0 or -ENOMEM. */
int chashmap_add(struct chashmap *m, const char *key, int delta, int *sum)
    __attribute__((nonnull));

/* Changes the value of a key that is there; was it? The value before goes to *old (may be NULL). */
bool chashmap_replace(struct chashmap *m, const char *key, int value, int *old)
    __attribute__((nonnull(1, 2)));

/* Changes the value of the key when it is the expected one; was it? */
bool chashmap_compare_replace(struct chashmap *m, const char *key, int expected, int value)
    __attribute__((nonnull));

/* Removes the key; was it there? Its value goes to *old (may be NULL). */
bool chashmap_remove(struct chashmap *m, const char *key, int *old) __attribute__((nonnull(1, 2)));

/* Removes the key when its value is the expected one; was it? */
bool chashmap_compare_remove(struct chashmap *m, const char *key, int expected)
    __attribute__((nonnull));

/* Gives the value of one key to another, which loses its own: 0, -ENOENT, -ENOMEM. */
int chashmap_rename(struct chashmap *m, const char *from, const char *to) __attribute__((nonnull));

/* ---- the whole map ---- */

int chashmap_size(struct chashmap *m) __attribute__((nonnull));
bool chashmap_is_empty(struct chashmap *m) __attribute__((nonnull));

/* Removes everything; how many entries there were. */
int chashmap_clear(struct chashmap *m) __attribute__((nonnull));

bool chashmap_contains_value(struct chashmap *m, int value) __attribute__((nonnull));

/* How many entries have the value; the sum of all values, wrapping around. */
int chashmap_count_value(struct chashmap *m, int value) __attribute__((nonnull));
int chashmap_sum(struct chashmap *m) __attribute__((nonnull));

/* Removes all entries with the value; how many. */
int chashmap_remove_value(struct chashmap *m, int value) __attribute__((nonnull));

/* Copies up to cap values, in no order worth knowing; how many there are in the map. */
int chashmap_values(struct chashmap *m, int *values, size_t cap) __attribute__((nonnull));

/* Calls visit for each entry; how many were visited. */
int chashmap_foreach(struct chashmap *m, chashmap_visit visit, void *arg)
    __attribute__((nonnull(1, 2)));

int chashmap_segments(struct chashmap *m) __attribute__((nonnull));

#endif
