/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/map.h - the hash map of the host: from integers, pointers or contents to 64-bit values.
 *
 * Open addressing with linear probing; entries are never removed. Iteration is not offered, because
 * the order of slots depends on addresses and what we print must not: a caller that iterates keeps
 * its items in a vector and maps to their indices, which are in the order of insertion.
 */
#ifndef BURL_BASE_MAP_H
#define BURL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks a free slot: the only value that cannot be stored. */
#define BURL_MAP_NONE UINT64_MAX

struct burl_map_slot {
    uint64_t hash;
    uint64_t value;
};

/* Zero-initialized is empty. */
struct burl_map {
    struct burl_map_slot *slots;
    size_t n;
    size_t cap; /* a power of two, at least twice n */
};

/* Frees the memory and leaves an empty map. */
void burl_map_deinit(struct burl_map *m);

/* ---- integer and pointer keys ------------------------------------------------------ */

bool burl_map_get(const struct burl_map *m, uint64_t key, uint64_t *value);
/* Replaces the value of a key that is present. */
void burl_map_set(struct burl_map *m, uint64_t key, uint64_t value);
/* The value of a key, which is added with value 0 when it is missing. Valid until the next
 * addition; must not be set to BURL_MAP_NONE. */
uint64_t *burl_map_at(struct burl_map *m, uint64_t key);

static inline bool
burl_map_get_ptr(const struct burl_map *m, const void *key, uint64_t *value)
{
    return burl_map_get(m, (uint64_t)(uintptr_t)key, value);
}

static inline void
burl_map_set_ptr(struct burl_map *m, const void *key, uint64_t value)
{
    burl_map_set(m, (uint64_t)(uintptr_t)key, value);
}

/* ---- keys compared by content ------------------------------------------------------ */

/* Is `key` the key of the entry with this value? `items` is what the caller passed. Called only for
 * equal hashes. */
typedef bool burl_map_same(const void *items, uint64_t value, const void *key);

bool burl_map_find(const struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
                   const void *key, uint64_t *value);
/* True: found, *value is set. False: added with *value, usually the index that the caller's next
 * item is going to have. */
bool burl_map_find_or_add(struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
                          const void *key, uint64_t *value);

#endif
