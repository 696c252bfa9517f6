/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asmap.h - a multimap of ints, seen as a map from each key to its list of values.
 *
 * Threads may share it; every function is atomic. A key is in the map as long as it has a value.
 * Keys keep the order in which they came into the map, values the order in which they were put.
 */
#ifndef ASMAP_H
#define ASMAP_H

#include <stdbool.h>
#include <stddef.h>

struct asmap;

enum asmap_error {
    ASMAP_ENOENT = -1, /* no such key, value or index */
    ASMAP_ENOMEM = -2
};

/* Called with a key and how many values it has; false ends the walk. */
typedef bool (*asmap_visit)(int key, int n_values, void *arg);

/* NULL when out of memory. */
struct asmap *asmap_new(void);
void asmap_free(struct asmap *m);

/* How many values the key has then, or ASMAP_ENOMEM. */
int asmap_put(struct asmap *m, int key, int value) __attribute__((nonnull(1)));
int asmap_put_all(struct asmap *m, int key, const int *values, size_t n_values)
    __attribute__((nonnull(1, 3)));
/* Gives the key these values instead of those it has; how many it had, or ASMAP_ENOMEM. */
int asmap_replace(struct asmap *m, int key, const int *values, size_t n_values)
    __attribute__((nonnull(1, 3)));
/* Removes one value of a key, the first that is equal; whether there was one. */
bool asmap_remove(struct asmap *m, int key, int value) __attribute__((nonnull(1)));
/* Removes a key; how many values it had. */
int asmap_remove_key(struct asmap *m, int key) __attribute__((nonnull(1)));
/* Removes a value from all keys; how many times it was there. */
int asmap_remove_value(struct asmap *m, int value) __attribute__((nonnull(1)));
void asmap_clear(struct asmap *m) __attribute__((nonnull(1)));

/* Keys, values of all keys, values of one. */
int asmap_size(struct asmap *m) __attribute__((nonnull(1)));
int asmap_total(struct asmap *m) __attribute__((nonnull(1)));
int asmap_count(struct asmap *m, int key) __attribute__((nonnull(1)));
bool asmap_is_empty(struct asmap *m) __attribute__((nonnull(1)));
bool asmap_contains_key(struct asmap *m, int key) __attribute__((nonnull(1)));
bool asmap_contains_value(struct asmap *m, int value) __attribute__((nonnull(1)));
bool asmap_contains_entry(struct asmap *m, int key, int value) __attribute__((nonnull(1)));

/* The first value of a key into *value. */
int asmap_first(struct asmap *m, int key, int *value) __attribute__((nonnull(1, 3)));
/* The key at an index, from 0, into *key; the index of a key. */
int asmap_key_at(struct asmap *m, int index, int *key) __attribute__((nonnull(1, 3)));
int asmap_index_of(struct asmap *m, int key) __attribute__((nonnull(1)));
/* Copy up to `max` values of a key, or keys; how many. */
int asmap_get(struct asmap *m, int key, int *out, size_t max) __attribute__((nonnull(1, 3)));
int asmap_keys(struct asmap *m, int *out, size_t max) __attribute__((nonnull(1, 2)));

/* Calls `visit` for each key, which may use the map; how many times. */
int asmap_each(struct asmap *m, asmap_visit visit, void *arg) __attribute__((nonnull(1, 2)));
/* Of keys and numbers of values, in any order of the keys. */
unsigned asmap_hash(struct asmap *m) __attribute__((nonnull(1)));
/* Whether both have the same keys with the same values; false when `other` is NULL. */
bool asmap_equals(struct asmap *m, struct asmap *other) __attribute__((nonnull(1)));

#endif
