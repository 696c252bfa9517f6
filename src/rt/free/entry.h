/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/entry.h - one remembered access, packed into 64 bits.
 *
 *     63      56 55              32 31           11 10   9     8     7        0
 *     clock slot | clock of the slot |    site      |near|plain|write| byte mask
 *
 * Two of these describe the last accesses to 8 bytes of the program (struct burl_cell). An entry is
 * read and written as a whole, so it is always one that some thread meant; 0 is "none" (a real one
 * has a nonempty mask).
 *
 * `plain` and `write` are set for what is stronger: an access whose bits include those of another,
 * on at least its bytes, in the same epoch, races with everything that the other races with. So
 * "nothing new" is one AND and one comparison (burl_entry_says()), which is the hot path of free
 * mode.
 *
 * Slot 255 marks a cell's second word that is no entry but the number of an extension. Pure
 * functions, no state: tests/unit/test_free_shadow.c.
 */
#ifndef BURL_RT_FREE_ENTRY_H
#define BURL_RT_FREE_ENTRY_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/blocked.h"

#define BURL_ENTRY_SLOTS 255u /* 0 .. 254 */
#define BURL_ENTRY_CLOCK_MAX 0xffffffu
#define BURL_ENTRY_SITES BURL_WIRE_CODES /* larger numbers are stored as 0, "unknown" */

#define BURL_ENTRY_MASK 0xffull
#define BURL_ENTRY_WRITE (1ull << 8)
#define BURL_ENTRY_PLAIN (1ull << 9)
#define BURL_ENTRY_NEAR (1ull << 10) /* stands for several sites of one thread within the 8 bytes */
#define BURL_ENTRY_KIND (BURL_ENTRY_WRITE | BURL_ENTRY_PLAIN)
#define BURL_ENTRY_SITE_SHIFT 11
#define BURL_ENTRY_SITE ((uint64_t)(BURL_ENTRY_SITES - 1) << BURL_ENTRY_SITE_SHIFT)
#define BURL_ENTRY_EPOCH_SHIFT 32
#define BURL_ENTRY_EPOCH 0xffffffff00000000ull
#define BURL_ENTRY_SLOT_SHIFT 56
#define BURL_ENTRY_EXTENSION 0xffu

static_assert((BURL_ENTRY_MASK | BURL_ENTRY_KIND | BURL_ENTRY_NEAR | BURL_ENTRY_SITE |
               BURL_ENTRY_EPOCH) == UINT64_MAX,
              "every bit has a meaning");
static_assert((BURL_ENTRY_SITE & (BURL_ENTRY_MASK | BURL_ENTRY_KIND | BURL_ENTRY_NEAR)) == 0,
              "fields do not overlap");

static inline uint32_t
burl_entry_slot(uint64_t e)
{
    return (uint32_t)(e >> BURL_ENTRY_SLOT_SHIFT);
}

static inline uint32_t
burl_entry_clock(uint64_t e)
{
    return (uint32_t)(e >> BURL_ENTRY_EPOCH_SHIFT) & BURL_ENTRY_CLOCK_MAX;
}

static inline uint32_t
burl_entry_site(uint64_t e)
{
    return (uint32_t)((e & BURL_ENTRY_SITE) >> BURL_ENTRY_SITE_SHIFT);
}

static inline uint64_t
burl_entry_epoch(uint32_t slot, uint32_t clock)
{
    return (uint64_t)slot << BURL_ENTRY_SLOT_SHIFT | (uint64_t)clock << BURL_ENTRY_EPOCH_SHIFT;
}

/* The low half of an entry. */
static inline uint64_t
burl_entry_low(uint32_t site, uint64_t kind, uint64_t mask)
{
    uint64_t s = site < BURL_ENTRY_SITES ? site : 0;

    return s << BURL_ENTRY_SITE_SHIFT | kind | mask;
}

/* The bytes of [addr, addr + n) within the 8 bytes that addr lies in; n at least 1. Bits above the
 * eighth are those of the next 8 bytes, for n up to 8. */
static inline uint64_t
burl_entry_bytes(uintptr_t addr, uint32_t n)
{
    return ((1ull << n) - 1) << (addr & 7);
}

/* How many bytes the mask names. By hand: the builtin is a call of libgcc on plain x86-64. */
static inline uint32_t
burl_entry_size(uint64_t e)
{
    uint32_t n = 0;

    for (uint64_t m = e & BURL_ENTRY_MASK; m != 0; m &= m - 1)
        n++;
    return n;
}

/* `wanted`: epoch, kind and mask of an access, `same`: the epoch with all lower bits set. Does `e`
 * already say all of it? */
static inline bool
burl_entry_says(uint64_t e, uint64_t same, uint64_t kind_mask)
{
    return ((e ^ same) & (BURL_ENTRY_EPOCH | kind_mask)) == 0;
}

/* Is every conflict of `weak` one of `strong`, of any threads? Epochs are not compared. */
static inline bool
burl_entry_covers(uint64_t strong, uint64_t weak)
{
    return (weak & ~strong & (BURL_ENTRY_MASK | BURL_ENTRY_KIND)) == 0;
}

/* Would the two conflict if they were concurrent: common bytes, one writes, not both atomic? */
static inline bool
burl_entry_conflicts(uint64_t a, uint64_t b)
{
    uint64_t any = a | b;

    return (a & b & BURL_ENTRY_MASK) != 0 && (any & BURL_ENTRY_KIND) == BURL_ENTRY_KIND;
}

/* Equal but for the bytes (and NEAR): one entry with all bytes says the same as the two. */
static inline bool
burl_entry_mergeable(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~(BURL_ENTRY_MASK | BURL_ENTRY_NEAR)) == 0;
}

/* The same but for bytes and site. */
static inline bool
burl_entry_near(uint64_t a, uint64_t b)
{
    return ((a ^ b) & (BURL_ENTRY_EPOCH | BURL_ENTRY_KIND)) == 0;
}

/* `e` with the bytes of an entry that is near. */
static inline uint64_t
burl_entry_joined(uint64_t e, uint64_t near)
{
    return e | (near & BURL_ENTRY_MASK) | (burl_entry_mergeable(e, near) ? 0 : BURL_ENTRY_NEAR);
}

static inline bool
burl_entry_is_extension(uint64_t e)
{
    return e >> BURL_ENTRY_SLOT_SHIFT == BURL_ENTRY_EXTENSION;
}

#endif
