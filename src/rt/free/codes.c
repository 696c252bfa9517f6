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
#include "rt/core/module.h"

bool burl_free_direct = true;
static bool pair_direct = true; /* the same for the shorter codes of location pairs */

static uint32_t
first_code(const struct burl_wire_module *m, uint32_t n_codes)
{
    return (uint32_t)((uintptr_t)m->sites / sizeof *m->sites) & (n_codes - 1);
}

static bool
overlap(const struct burl_wire_module *a, const struct burl_wire_module *b, uint32_t n_codes)
{
    uint32_t ab = (first_code(b, n_codes) - first_code(a, n_codes)) & (n_codes - 1);
    uint32_t ba = (first_code(a, n_codes) - first_code(b, n_codes)) & (n_codes - 1);

    if (burl__module_is_gone(a) || burl__module_is_gone(b))
        return false; /* such records have no place any more */
    return ab < a->n_sites || ba < b->n_sites;
}

static bool
any_overlap(uint32_t n_codes)
{
    const struct burl_wire_module *a;
    const struct burl_wire_module *b;

    for (uint32_t i = 0; (a = burl__module_at(i)) != NULL; i++) {
        for (uint32_t k = i + 1; (b = burl__module_at(k)) != NULL; k++) {
            if (overlap(a, b, n_codes))
                return true;
        }
    }
    return false;
}

static void
pair_codes_changed(void)
{
    if (!burl_free.pairs || !pair_direct || !any_overlap(BURL_PAIR_SITES))
        return;
    pair_direct = false;
    for (uint32_t i = 0; i < burl_free.n_slots; i++) {
        struct burl_free_thread *f = burl_free.slots[i].owner;

        if (f != NULL)
            __atomic_store_n(&f->pair_slot, burl__pair_slot(f), __ATOMIC_RELAXED);
    }
    BURL_SYS3(SYS_madvise, BURL_PAIRS_MAP, BURL_PAIRS_B, MADV_DONTNEED);
}

void
burl__codes_changed(void)
{
    pair_codes_changed();
    if (!burl_free_direct || !any_overlap(BURL_ENTRY_SITES))
        return;
    /* relaxed: an old name that is still used for a moment is taken for an unknown site */
    __atomic_store_n(&burl_free_direct, false, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < burl_free.n_slots; i++) {
        if (burl_free.slots[i].owner != NULL)
            __atomic_store_n(&burl_free.slots[i].owner->direct, false, __ATOMIC_RELAXED);
    }
    BURL_SYS3(SYS_madvise, BURL_SHADOW_BASE, BURL_SHADOW_B, MADV_DONTNEED);
}

static uint32_t
site_at(uint32_t code, uint32_t n_codes)
{
    const struct burl_wire_module *m;

    for (uint32_t i = 0; (m = burl__module_at(i)) != NULL; i++) {
        uint32_t at = (code - first_code(m, n_codes)) & (n_codes - 1);

        if (at < m->n_sites && !burl__module_is_gone(m))
            return m->base + at;
    }
    return 0;
}

uint32_t
burl__site_of(uint32_t code)
{
    if (!burl_free_direct)
        return burl__module_site(code) != NULL ? code : 0;
    return site_at(code, BURL_ENTRY_SITES);
}

uint32_t
burl__pair_slot(const struct burl_free_thread *f)
{
    return (pair_direct ? f->slot : BURL_ENTRY_EXTENSION) << BURL_PAIR_SLOT_SHIFT;
}

uint32_t
burl__pair_code(uint32_t code)
{
    uint32_t site;

    if (pair_direct && burl_free_direct)
        return code & (BURL_PAIR_SITES - 1);
    site = burl__site_of(code);
    return site < BURL_PAIR_SITES ? site : 0;
}

uint32_t
burl__pair_site(uint32_t code)
{
    return pair_direct ? site_at(code, BURL_PAIR_SITES) : code;
}
