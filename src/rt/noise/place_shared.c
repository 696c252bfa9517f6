/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/place_shared.c - placement at accesses to shared variables, all or one.
 *
 * Memory is shared once a second thread touches it. That is known from the last accesses which
 * location pairs keep (free/shadow.c): an access that follows another thread's marks the sites of
 * both as shared, for this run and, by way of the host, for later ones. All: a place is an access
 * at such a site, or to memory that another thread touched last.
 *
 * One: the variable whose number the setting has. Without a number the runtime chooses among the
 * variables seen shared so far, the one for which a hash of (seed, variable) is smallest: so the
 * choice depends on the seed and on the set, not on the order in which threads touch them. A
 * variable is its number where the host gave the site one, else the 8 bytes that were touched.
 */
#include "noise_int.h"

#define WORD_B 8u
#define NONE UINT64_MAX

/* ---- one variable --------------------------------------------------------------------------- */

/* Numbers of variables have 32 bits and addresses 47: they do not meet. */
#define NUMBERED (1ull << 63)

static uint64_t chosen = NONE; /* NUMBERED and a number, or an address / WORD_B */
static uint64_t chosen_hash = UINT64_MAX;
static uint32_t choose_lock;

static void
consider(uint64_t variable)
{
    const uint64_t hash = burl_wire_mix(burl_wire_mix(7, burl__noise.seed), variable);
    uint64_t mask;

    if (hash >= __atomic_load_n(&chosen_hash, __ATOMIC_RELAXED))
        return;
    burl__signal_lock(&choose_lock, &mask);
    if (hash < chosen_hash) {
        __atomic_store_n(&chosen_hash, hash, __ATOMIC_RELAXED);
        __atomic_store_n(&chosen, variable, __ATOMIC_RELAXED);
    }
    burl__signal_unlock(&choose_lock, mask);
}

static bool
is_one(void)
{
    return burl__noise.shared == BURL_NOISE_SHARED_ONE ||
           burl__noise.shared == BURL_NOISE_SHARED_ONE_RANDOM;
}

static bool
is_chosen(const struct burl_noise_point *p)
{
    const uint64_t which = __atomic_load_n(&chosen, __ATOMIC_RELAXED);

    if (which == NONE)
        return false;
    if ((which & NUMBERED) != 0)
        return burl__noise_variable(p->site) == (uint32_t)which;
    return p->addr / WORD_B <= which && which <= (p->addr + p->n - 1) / WORD_B;
}

static void
consider_site(uint32_t site)
{
    const uint32_t number = burl__noise_variable(site);

    if (number != 0)
        consider(NUMBERED | number);
}

/* ---- what is shared -------------------------------------------------------------------------- */

void
burl__noise_shared_start(void)
{
    if (!is_one())
        return;
    if (burl__noise.variable != 0) {
        chosen = NUMBERED | burl__noise.variable;
        chosen_hash = 0;
        return;
    }
    for (uint32_t i = 1; i < burl__noise_n_sites(); i++) {
        if ((burl__noise_marks(i) & BURL_NOISE_MARK_SHARED) != 0)
            consider_site(i);
    }
}

void
burl_noise_shared(uint32_t earlier, uint32_t later, uintptr_t addr)
{
    (void)burl__noise_mark(earlier, BURL_NOISE_MARK_SHARED);
    (void)burl__noise_mark(later, BURL_NOISE_MARK_SHARED);
    if (!is_one() || burl__noise.variable != 0)
        return;
    consider_site(earlier);
    consider_site(later);
    if (burl__noise_variable(earlier) == 0 && burl__noise_variable(later) == 0)
        consider(addr / WORD_B);
}

bool
burl__noise_place_shared(const struct burl_noise_point *p)
{
    if (p->n == 0 || burl__noise.shared == BURL_NOISE_SHARED_OFF ||
        burl__noise.shared == BURL_NOISE_SHARED_NONE)
        return false;
    if (is_one())
        return is_chosen(p);
    return (burl__noise_marks(p->site) & BURL_NOISE_MARK_SHARED) != 0 ||
           burl_free_is_foreign(p->f, p->addr, p->n);
}
