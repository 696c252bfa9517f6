/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashmap.h - a hash map from int to int behind a read-write lock.
 *
 * All functions may be called by several threads at once, except hashmap_free(). Functions that
 * are given two maps lock them one after the other, never both.
 */
#ifndef SIMRT_HASHMAP_H
#define SIMRT_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>

struct hashmap;

struct hashmap_stats {
    unsigned long walks; /* over all entries, ever */
    unsigned long grown; /* times the table was replaced */
};

struct hashmap *hashmap_new(size_t capacity);
void hashmap_free(struct hashmap *m);

/* True if the key is new. */
bool hashmap_put(struct hashmap *m, int key, int value);
/* True if the key was absent and is there now. */
bool hashmap_put_if_absent(struct hashmap *m, int key, int value);
/* Adds to the value of the key, or puts `delta`. Returns the new value. */
int hashmap_merge(struct hashmap *m, int key, int delta);
/* Puts the value if the key is there with the value `old`. */
bool hashmap_replace(struct hashmap *m, int key, int old, int value);
bool hashmap_remove(struct hashmap *m, int key);
/* Removes the key if it has this value. */
bool hashmap_remove_value(struct hashmap *m, int key, int value);
/* How many of the keys were there. */
size_t hashmap_remove_all(struct hashmap *m, const int *keys, size_t n);
void hashmap_clear(struct hashmap *m);
void hashmap_put_all(struct hashmap *m, struct hashmap *from);

bool hashmap_get(struct hashmap *m, int key, int *value);
int hashmap_get_or(struct hashmap *m, int key, int other);
bool hashmap_contains_key(struct hashmap *m, int key);
bool hashmap_contains_value(struct hashmap *m, int value);
size_t hashmap_size(struct hashmap *m);
/* Writes up to `max` keys, returns how many there are. */
size_t hashmap_keys(struct hashmap *m, int *keys, size_t max);
long hashmap_sum(struct hashmap *m);
struct hashmap_stats hashmap_stats(struct hashmap *m);

#endif
