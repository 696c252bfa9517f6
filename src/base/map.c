/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/map.c - see map.h. Host side.
 *
 * Slots keep the whole hash: growing needs no key, and unequal keys are rarely compared. The hash
 * of an integer is a bijection, so that equal hashes are equal keys.
 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_CAP = 64 };

static uint64_t
hash_integer(uint64_t key)
{
    /* Objects are aligned: fold the high bits down so that the low ones differ. */
    uint64_t h = key * 0x9e3779b97f4a7c15ull;

    return h ^ (h >> 32);
}

/* The slot of a key, or the free one where it belongs. `same` NULL: an integer. */
static struct burl_map_slot *
slot_of(const struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
        const void *key)
{
    size_t i = (size_t)hash & (m->cap - 1);

    while (m->slots[i].value != BURL_MAP_NONE &&
           (m->slots[i].hash != hash || (same && !same(items, m->slots[i].value, key))))
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

static void
grow(struct burl_map *m)
{
    struct burl_map old = *m;

    m->cap = old.cap ? old.cap * 2 : FIRST_CAP;
    m->slots = burl_xreallocarray(NULL, m->cap, sizeof *m->slots);
    memset(m->slots, 0xff, m->cap * sizeof *m->slots);
    for (size_t i = 0; i < old.cap; i++) {
        size_t at = (size_t)old.slots[i].hash & (m->cap - 1);

        if (old.slots[i].value == BURL_MAP_NONE)
            continue;
        while (m->slots[at].value != BURL_MAP_NONE)
            at = (at + 1) & (m->cap - 1);
        m->slots[at] = old.slots[i];
    }
    free(old.slots);
}

bool
burl_map_find(const struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
              const void *key, uint64_t *value)
{
    const struct burl_map_slot *s = m->cap ? slot_of(m, hash, same, items, key) : NULL;

    if (!s || s->value == BURL_MAP_NONE)
        return false;
    *value = s->value;
    return true;
}

static struct burl_map_slot *
find_or_add(struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
            const void *key, uint64_t value)
{
    struct burl_map_slot *s;

    if ((m->n + 1) * 2 > m->cap)
        grow(m);
    s = slot_of(m, hash, same, items, key);
    if (s->value == BURL_MAP_NONE) {
        *s = (struct burl_map_slot){ .hash = hash, .value = value };
        m->n++;
    }
    return s;
}

bool
burl_map_find_or_add(struct burl_map *m, uint64_t hash, burl_map_same *same, const void *items,
                     const void *key, uint64_t *value)
{
    const size_t n = m->n;

    *value = find_or_add(m, hash, same, items, key, *value)->value;
    return m->n == n;
}

bool
burl_map_get(const struct burl_map *m, uint64_t key, uint64_t *value)
{
    return burl_map_find(m, hash_integer(key), NULL, NULL, NULL, value);
}

uint64_t *
burl_map_at(struct burl_map *m, uint64_t key)
{
    return &find_or_add(m, hash_integer(key), NULL, NULL, NULL, 0)->value;
}

void
burl_map_set(struct burl_map *m, uint64_t key, uint64_t value)
{
    *burl_map_at(m, key) = value;
}

void
burl_map_deinit(struct burl_map *m)
{
    free(m->slots);
    *m = (struct burl_map){ 0 };
}
