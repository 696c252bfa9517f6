/* SPDX-License-Identifier: Apache-2.0 */
/*
 * treemap.h - a map from int to int in order of the keys.
 *
 * All functions may be called by several threads at once, except treemap_free(). Each takes effect
 * at once, those on two maps on both.
 */
#ifndef SIMRT_TREEMAP_H
#define SIMRT_TREEMAP_H

#include <stdbool.h>
#include <stddef.h>

struct treemap;

struct treemap *treemap_new(void);
void treemap_free(struct treemap *m);

/* True if the key is new. */
bool treemap_put(struct treemap *m, int key, int value);
bool treemap_replace(struct treemap *m, int key, int value);
bool treemap_remove(struct treemap *m, int key);
/* Removes the least key and stores it. False if the map is empty. */
bool treemap_pop_first(struct treemap *m, int *key);
bool treemap_pop_last(struct treemap *m, int *key);
void treemap_clear(struct treemap *m);

bool treemap_get(struct treemap *m, int key, int *value);
bool treemap_first(struct treemap *m, int *key);
bool treemap_last(struct treemap *m, int *key);
/* The greatest key that is not greater, the least that is not less. */
bool treemap_floor(struct treemap *m, int key, int *found);
bool treemap_ceiling(struct treemap *m, int key, int *found);
size_t treemap_size(struct treemap *m);
/* Keys in from ... to. */
size_t treemap_count(struct treemap *m, int from, int to);
/* How often the map was searched for a key. */
unsigned long treemap_searches(struct treemap *m);

/* Puts all entries of `from`. */
void treemap_put_all(struct treemap *m, struct treemap *from);
/* Moves the keys lo ... hi. Returns how many. */
size_t treemap_move(struct treemap *m, struct treemap *from, int lo, int hi);

#endif
