/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syncmap.h - a thread-safe map from int to int, in order of its keys.
 *
 * All functions but syncmap_free() may be called from any thread at any time; each takes effect at
 * once, those that work on two maps on both at once. The two maps may be the same one.
 */
#ifndef SYNCMAP_H
#define SYNCMAP_H

#include <stdbool.h>
#include <stddef.h>

/* A map that has this many entries is full. */
#define SYNCMAP_MAX_ENTRIES 4096

struct syncmap;

/* An empty map; NULL when there is no memory. */
struct syncmap *syncmap_new(void);

/* A new map with the entries of m; NULL when there is no memory. */
struct syncmap *syncmap_copy(struct syncmap *m) __attribute__((nonnull));

/* Gives everything back; no other thread may still use the map. NULL is fine. */
void syncmap_free(struct syncmap *m);

/* ---- one entry ---- */

/* 1: new; 0: the key had a value, which goes to *old (may be NULL); -ENOSPC, -ENOMEM. */
int syncmap_put(struct syncmap *m, int key, int value, int *old) __attribute__((nonnull(1)));

/* As syncmap_put(), but a value that is there stays. */
int syncmap_put_if_absent(struct syncmap *m, int key, int value) __attribute__((nonnull));

/* Changes the value of a key that is there; was it? */
bool syncmap_replace(struct syncmap *m, int key, int value) __attribute__((nonnull));

/* Adds delta, wrapping around, to the value of a key that is there; -ENOENT when it is not. */
int syncmap_add(struct syncmap *m, int key, int delta, int *sum) __attribute__((nonnull));

/* Is the key there? Its value goes to *value. */
bool syncmap_get(struct syncmap *m, int key, int *value) __attribute__((nonnull));

/* The value of the key, or the given one. */
int syncmap_get_or(struct syncmap *m, int key, int otherwise) __attribute__((nonnull));

/* Removes the key; was it there? Its value goes to *old (may be NULL). */
bool syncmap_remove(struct syncmap *m, int key, int *old) __attribute__((nonnull(1)));

/* ---- the whole map ---- */

int syncmap_size(struct syncmap *m) __attribute__((nonnull));
bool syncmap_is_empty(struct syncmap *m) __attribute__((nonnull));

/* Removes everything; how many entries there were. */
int syncmap_clear(struct syncmap *m) __attribute__((nonnull));

bool syncmap_contains_key(struct syncmap *m, int key) __attribute__((nonnull));
bool syncmap_contains_value(struct syncmap *m, int value) __attribute__((nonnull));

/* The smallest key; false when the map is empty. */
bool syncmap_first_key(struct syncmap *m, int *key) __attribute__((nonnull));

/* Copies up to cap keys (values) in order of the keys; how many there are in the map. */
int syncmap_keys(struct syncmap *m, int *keys, size_t cap) __attribute__((nonnull));
int syncmap_values(struct syncmap *m, int *values, size_t cap) __attribute__((nonnull));

/* A number made of all entries; equal maps have equal numbers. */
unsigned syncmap_hash(struct syncmap *m) __attribute__((nonnull));

/* "{1=2, 3=4}" as snprintf() would print it. */
int syncmap_to_string(struct syncmap *m, char *buf, size_t cap) __attribute__((nonnull));

/* ---- two maps ---- */

/* Do both have the same entries? */
bool syncmap_equals(struct syncmap *m, struct syncmap *other) __attribute__((nonnull));

/* Does m have all keys of the other one? */
bool syncmap_contains_all(struct syncmap *m, struct syncmap *other) __attribute__((nonnull));

/* Puts all entries of the other one into m; how many are new, -ENOSPC, -ENOMEM. */
int syncmap_put_all(struct syncmap *m, struct syncmap *other) __attribute__((nonnull));

/* Puts all entries of m into dest; as syncmap_put_all(). */
int syncmap_copy_to(struct syncmap *m, struct syncmap *dest) __attribute__((nonnull));

/* Removes (keeps) the keys of the other one; how many entries went. */
int syncmap_remove_all(struct syncmap *m, struct syncmap *other) __attribute__((nonnull));
int syncmap_retain_all(struct syncmap *m, struct syncmap *other) __attribute__((nonnull));

#endif
