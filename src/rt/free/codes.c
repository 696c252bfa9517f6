/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/codes.c - the names of sites in entries and rings, and back to numbers.
 *
 * Direct: the code of a site is the low bits of its record's place (free.h). Two modules may fall
 * together in these bits, when an instrumented shared object is loaded far from the executable;
 * then codes are numbers. The choice is made when all modules of the start are known, before the
 * second thread; a module loaded later that falls together with another one changes it, and the
 * shadow is emptied because the old names mean nothing any more (races that began before are
 * missed).
 */
#include <sys/mman.h>

#include "free_int.h"

bool burl_free_direct = true;

static uint32_t
first_code(const struct burl_wire_module *m)
{
    return (uint32_t)((uintptr_t)m->sites / sizeof *m->sites) & (BURL_ENTRY_SITES - 1);
}

static bool
overlap(const struct burl_wire_module *a, const struct burl_wire_module *b)
{
    uint32_t ab = (first_code(b) - first_code(a)) & (BURL_ENTRY_SITES - 1);
    uint32_t ba = (first_code(a) - first_code(b)) & (BURL_ENTRY_SITES - 1);

    return ab < a->n_sites || ba < b->n_sites;
}

static bool
any_overlap(void)
{
    const struct burl_wire_module *a;
    const struct burl_wire_module *b;

    for (uint32_t i = 0; (a = burl__module_at(i)) != NULL; i++) {
        for (uint32_t k = i + 1; (b = burl__module_at(k)) != NULL; k++) {
            if (overlap(a, b))
                return true;
        }
    }
    return false;
}

void
burl__codes_changed(void)
{
    if (!burl_free_direct || !any_overlap())
        return;
    /* relaxed: who still uses the old name for a moment is taken for an unknown site */
    __atomic_store_n(&burl_free_direct, false, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < burl_free.n_slots; i++) {
        if (burl_free.slots[i].owner != NULL)
            __atomic_store_n(&burl_free.slots[i].owner->direct, false, __ATOMIC_RELAXED);
    }
    BURL_SYS3(SYS_madvise, BURL_SHADOW_BASE, BURL_SHADOW_B, MADV_DONTNEED);
}

uint32_t
burl__site_of(uint32_t code)
{
    const struct burl_wire_module *m;

    if (!burl_free_direct)
        return burl__module_site(code) != NULL ? code : 0;
    for (uint32_t i = 0; (m = burl__module_at(i)) != NULL; i++) {
        uint32_t at = (code - first_code(m)) & (BURL_ENTRY_SITES - 1);

        if (at < m->n_sites)
            return m->base + at;
    }
    return 0;
}
