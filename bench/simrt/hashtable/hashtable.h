/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashtable.h - a synchronized hash table from int to int.
 *
 * All functions may be called by several threads at once, except hashtable_free(), which also
 * needs all loaders finished. Each takes effect at once.
 */
#ifndef SIMRT_HASHTABLE_H
#define SIMRT_HASHTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct hashtable;
struct hashtable_loader;

struct hashtable *hashtable_new(size_t capacity);
void hashtable_free(struct hashtable *t);

/* True if the key is new. */
bool hashtable_put(struct hashtable *t, int key, int value);
bool hashtable_remove(struct hashtable *t, int key);
/* Adds 1 to the value of the key, which is 0 if absent. Returns the new value. */
int hashtable_increment(struct hashtable *t, int key);
/* Does nothing if the table is pinned. */
void hashtable_clear(struct hashtable *t);
void hashtable_rehash(struct hashtable *t);

bool hashtable_get(struct hashtable *t, int key, int *value);
/* Blocks until the key is there. */
int hashtable_wait_for(struct hashtable *t, int key);
bool hashtable_contains(struct hashtable *t, int value);
bool hashtable_contains_key(struct hashtable *t, int key);
size_t hashtable_size(struct hashtable *t);
/* Writes up to `max` keys, ascending if the table is ordered; returns how many there are. */
size_t hashtable_keys(struct hashtable *t, int *keys, size_t max);
bool hashtable_equals(struct hashtable *a, struct hashtable *b);

/* Settings. */
void hashtable_pin(struct hashtable *t, bool on);
void hashtable_set_ordered(struct hashtable *t, bool on);

/* Puts the keys, which are also the values, in a thread of its own. */
struct hashtable_loader *hashtable_load(struct hashtable *t, const int *keys, size_t n);
/* Waits for it and frees the loader. Returns how many keys were new. */
size_t hashtable_load_finish(struct hashtable_loader *l);

#endif
