/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/valmap.h - a hash map from pointers (LLVM's values, types, modules) to numbers.
 *
 * Open-addressed, never deletes, allocates nothing per entry. Iteration is not offered: the order
 * of pointers differs from run to run and the analysis must not.
 */
#ifndef BURL_ANALYSIS_VALMAP_H
#define BURL_ANALYSIS_VALMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct burl_valmap {
    const void **keys; /* NULL marks a free slot */
    uint32_t *values;
    size_t n;
    size_t cap; /* a power of two, at least twice n */
};

bool burl_valmap_get(const struct burl_valmap *m, const void *key, uint32_t *value);
/* Replaces the value of a key that is there. `key` is not NULL. */
void burl_valmap_set(struct burl_valmap *m, const void *key, uint32_t value);
void burl_valmap_deinit(struct burl_valmap *m);

#endif
