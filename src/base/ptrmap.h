/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ptrmap.h - a hash map from pointers to 64-bit values.
 *
 * For "what did we find out about this LLVM value", asked for every value of a program: open
 * addressing, never deletes, allocates nothing per entry. Iteration is not offered: the order of
 * pointers differs from run to run, and what we print must not.
 */
#ifndef BURL_BASE_PTRMAP_H
#define BURL_BASE_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialized is empty. */
struct burl_ptrmap {
    const void **keys; /* NULL marks a free slot */
    uint64_t *values;
    size_t n;
    size_t cap; /* a power of two, at least twice n */
};

bool burl_ptrmap_get(const struct burl_ptrmap *m, const void *key, uint64_t *value);
/* Replaces the value of a key that is there. `key` is not NULL. */
void burl_ptrmap_set(struct burl_ptrmap *m, const void *key, uint64_t value);
void burl_ptrmap_deinit(struct burl_ptrmap *m);

#endif
