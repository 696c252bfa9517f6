/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ptrmap.c - see ptrmap.h. Host side.
 */
#include "base/ptrmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_CAP = 64 };

static size_t
slot_of(const struct burl_ptrmap *m, const void *key)
{
    /* LLVM's objects are aligned: fold the high bits down so that the low ones differ. */
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h >> 32) & (m->cap - 1);

    while (m->keys[i] && m->keys[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void
grow(struct burl_ptrmap *m)
{
    struct burl_ptrmap old = *m;

    m->cap = old.cap ? old.cap * 2 : FIRST_CAP;
    m->keys = burl_xcalloc(m->cap, sizeof *m->keys);
    m->values = burl_xcalloc(m->cap, sizeof *m->values);
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.keys[i])
            continue;
        size_t j = slot_of(m, old.keys[i]);
        m->keys[j] = old.keys[i];
        m->values[j] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

bool
burl_ptrmap_get(const struct burl_ptrmap *m, const void *key, uint64_t *value)
{
    if (!m->cap)
        return false;
    size_t i = slot_of(m, key);
    if (!m->keys[i])
        return false;
    *value = m->values[i];
    return true;
}

void
burl_ptrmap_set(struct burl_ptrmap *m, const void *key, uint64_t value)
{
    if ((m->n + 1) * 2 > m->cap)
        grow(m);
    size_t i = slot_of(m, key);
    if (!m->keys[i]) {
        m->keys[i] = key;
        m->n++;
    }
    m->values[i] = value;
}

void
burl_ptrmap_deinit(struct burl_ptrmap *m)
{
    free(m->keys);
    free(m->values);
    memset(m, 0, sizeof *m);
}
