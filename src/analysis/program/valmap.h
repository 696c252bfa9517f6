/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/valmap.h - numbers of LLVM's values, types and blocks: base/map.h for 32 bits,
 * which is what all tables of the analysis are indexed by; and sets of them.
 */
#ifndef BURL_ANALYSIS_VALMAP_H
#define BURL_ANALYSIS_VALMAP_H

#include "base/map.h"

/* Zero-initialized is empty. */
struct burl_valmap {
    struct burl_map map;
};

static inline bool
burl_valmap_get(const struct burl_valmap *m, const void *key, uint32_t *value)
{
    uint64_t v;

    if (!burl_map_get_ptr(&m->map, key, &v))
        return false;
    *value = (uint32_t)v;
    return true;
}

static inline void
burl_valmap_set(struct burl_valmap *m, const void *key, uint32_t value)
{
    burl_map_set_ptr(&m->map, key, value);
}

/* True: found, *value is set. False: added with *value. */
static inline bool
burl_valmap_find_or_add(struct burl_valmap *m, const void *key, uint32_t *value)
{
    bool found = burl_valmap_get(m, key, value);

    if (!found)
        burl_valmap_set(m, key, *value);
    return found;
}

/* The map as a set. */
static inline bool
burl_valmap_has(const struct burl_valmap *m, const void *key)
{
    uint64_t unused;

    return burl_map_get_ptr(&m->map, key, &unused);
}

/* False: it was there already. */
static inline bool
burl_valmap_add(struct burl_valmap *m, const void *key)
{
    uint32_t member = 1;

    return !burl_valmap_find_or_add(m, key, &member);
}

static inline void
burl_valmap_deinit(struct burl_valmap *m)
{
    burl_map_deinit(&m->map);
}

#endif
