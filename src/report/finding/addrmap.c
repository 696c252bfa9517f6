/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addrmap.c - a hash table from addresses of the program to small numbers.
 *
 * Runs in the host. Open addressing with linear probing; a value of 0 marks a free slot, so callers
 * store index + 1. Nothing is ever removed. Traces have up to millions of events, so a list would
 * be too slow.
 */
#include "report/report_int.h"

static size_t
slot_of(const struct burl__report_addrmap *m, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (m->cap - 1);

    while (m->values[i] != 0 && m->keys[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void
grow(struct burl__report_addrmap *m)
{
    struct burl__report_addrmap old = *m;

    m->cap = old.cap > 0 ? old.cap * 2 : 256;
    m->keys = burl_xcalloc(m->cap, sizeof *m->keys);
    m->values = burl_xcalloc(m->cap, sizeof *m->values);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.values[i] != 0) {
            size_t k = slot_of(m, old.keys[i]);

            m->keys[k] = old.keys[i];
            m->values[k] = old.values[i];
        }
    }
    free(old.keys);
    free(old.values);
}

uint32_t *
burl__report_addrmap_at(struct burl__report_addrmap *m, uint64_t key)
{
    size_t i;

    /* The caller fills the slot later, so count it as used now. */
    if ((m->n + 1) * 2 > m->cap)
        grow(m);
    i = slot_of(m, key);
    if (m->values[i] == 0) {
        m->keys[i] = key;
        m->n++;
    }
    return &m->values[i];
}

uint32_t
burl__report_addrmap_get(const struct burl__report_addrmap *m, uint64_t key)
{
    return m->cap == 0 ? 0 : m->values[slot_of(m, key)];
}

void
burl__report_addrmap_deinit(struct burl__report_addrmap *m)
{
    free(m->keys);
    free(m->values);
    *m = (struct burl__report_addrmap){ 0 };
}
