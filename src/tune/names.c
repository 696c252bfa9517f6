/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/names.c - names of sites and of covered tasks; contract in names.h.
 *
 * Runs in the host. A name is a hash of 64 bits: a search has some thousands of tasks, and two of
 * them with the same name would cost a count of one.
 */
#include "tune/names.h"

#include "base/hash.h"

const struct burl_wire_module_entry *
burl_tune_module(const struct burl_wire_module_entry *modules, size_t n, uint32_t site)
{
    for (size_t i = 0; i < n; i++) {
        if (site >= modules[i].base && site - modules[i].base < modules[i].n_sites)
            return &modules[i];
    }
    return NULL;
}

uint64_t
burl_tune_site_name(const struct burl_wire_module_entry *modules, size_t n, uint32_t site)
{
    const struct burl_wire_module_entry *m = burl_tune_module(modules, n, site);

    if (!m)
        return 0;
    return burl_hash_end(burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, m->hash), site - m->base));
}

uint64_t
burl_tune_item_name(const struct burl_wire_module_entry *modules, size_t n,
                    const struct burl_wire_cover_item *item)
{
    const uint32_t field[3] = { item->a, item->b, item->c };
    const uint8_t sites = burl_wire_metric_sites(item->metric);
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, item->metric);

    for (size_t i = 0; i < 3; i++)
        h = burl_hash_u64(h,
                          sites & 1u << i ? burl_tune_site_name(modules, n, field[i]) : field[i]);
    return burl_hash_end(burl_hash_u64(h, item->d));
}
