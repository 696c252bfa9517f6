/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/mapping.c - memory that the kernel gives the program in free mode.
 *
 * The shadow is found by the low 44 bits of an address, so two addresses that differ in the higher
 * bits alone would share it. Every piece of the low 44 bits therefore belongs to one value of the
 * higher ones: from the start where a Linux process lies as a rule, elsewhere to the first mapping
 * that comes. A wish for an address that cannot be watched is dropped, as the kernel may do; a
 * fixed one is the program's right, and ends the observation.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"

#define HIGH_SHIFT 44
#define PIECE_SHIFT 30
#define N_PIECES ((BURL_SHADOW_ADDR + 1) >> PIECE_SHIFT)

struct area {
    uintptr_t lo;
    uintptr_t hi;
};

/* Where memory appears without a call that we see: they differ in the low 44 bits. */
static const struct area usual[] = {
    { 0x000000000000, 0x000400000000 }, /* executables that are not position-independent, brk */
    { 0x550000000000, 0x570000000000 }, /* those that are */
    { 0x7d0000000000, 0x800000000000 }, /* mappings and stacks */
};

/* Our own maps, which the program must not replace. */
static const struct area own[] = {
    { BURL_SHADOW_BASE, 0x550000000000 },
    { BURL_PAIRS_MAP, BURL_PAIRS_MAP + BURL_PAIRS_B + 0x10000 },
};

static uint8_t owner[N_PIECES]; /* value of the higher bits, plus one; 0: none yet */

static bool
is_own(uintptr_t addr, size_t n)
{
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (addr < own[i].hi && addr + n > own[i].lo)
            return true;
    }
    return false;
}

static bool
claim_piece(uintptr_t addr)
{
    uint8_t high = (uint8_t)((addr >> HIGH_SHIFT) + 1);
    uint8_t was = 0;

    /* relaxed: nothing else is published with it */
    return __atomic_compare_exchange_n(&owner[(addr & BURL_SHADOW_ADDR) >> PIECE_SHIFT], &was, high,
                                       false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
           was == high;
}

bool
burl__region_claim(uintptr_t addr, size_t n)
{
    uintptr_t end = addr + n;

    if (end < addr || end > 1ull << 47 || is_own(addr, n) || n > BURL_SHADOW_ADDR)
        return false;
    for (uintptr_t at = addr & ~((1ull << PIECE_SHIFT) - 1); at < end; at += 1ull << PIECE_SHIFT) {
        if (!claim_piece(at))
            return false;
    }
    return true;
}

static bool
can_watch(uintptr_t addr, size_t n)
{
    return burl__region_claim(addr, n) && (!burl_free.metrics || burl__metrics_can_watch(addr, n));
}

bool
burl__regions_fit(void)
{
    static int in_data;

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (!burl__region_claim(usual[i].lo, usual[i].hi - usual[i].lo))
            return false;
    }
    return burl__region_claim((uintptr_t)__builtin_frame_address(0), 1) &&
           burl__region_claim((uintptr_t)&in_data, 1) &&
           burl__region_claim((uintptr_t)BURL_SYS1(SYS_brk, 0), 1);
}

/* ---- what happens to memory ----------------------------------------------------------------- */

void
burl_free_mapped(uintptr_t addr, size_t n)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL || n == 0)
        return;
    if (!can_watch(addr, n)) {
        burl__free_stop(BURL_COUNTER_SHADOW_FULL,
                        "the program mapped memory at an address that free mode cannot watch");
        return;
    }
    if (burl_free.ever)
        burl__shadow_clear(addr, n);
    if (burl_free.ever || burl_free.metrics)
        burl__free_notify_forget(f, addr, n);
}

void
burl_free_unmapping(uintptr_t addr, size_t n)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL || n == 0 || !(burl_free.ever || burl_free.metrics))
        return;
    burl__shadow_clear(addr, n);
    if (burl_free.metrics)
        burl__free_notify_forget(f, addr, n);
    burl__sync_forget(f, addr, n < BURL_FORGET_B ? n : BURL_FORGET_B);
}

/* ---- the calls ------------------------------------------------------------------------------ */

/* The program may map over its own memory, and must not over ours: the next access would end it. */
static bool
replaces_own(uintptr_t addr, size_t n, bool fixed)
{
    if (burl_free_me == NULL || !fixed || !is_own(addr, n))
        return false;
    burl__free_stop(BURL_COUNTER_SHADOW_FULL,
                    "the program mapped memory at a fixed address that burl run uses itself");
    errno = ENOMEM;
    return true;
}

void *
burl_free_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
    bool fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
    void *p;

    if (replaces_own((uintptr_t)addr, n, (flags & MAP_FIXED) != 0))
        return MAP_FAILED;
    if (addr != NULL && !fixed && burl_free_me != NULL && !can_watch((uintptr_t)addr, n))
        addr = NULL;
    p = BURL_REAL(mmap)(addr, n, prot, flags, fd, off);
    if (p != MAP_FAILED)
        burl_free_mapped((uintptr_t)p, n);
    return p;
}

int
burl_free_munmap(void *addr, size_t n)
{
    burl_free_unmapping((uintptr_t)addr, n);
    return BURL_REAL(munmap)(addr, n);
}

/* What stays where it is keeps its history, and its locks their clocks. */
void *
burl_free_mremap(void *addr, size_t old_n, size_t n, int flags, void *wanted)
{
    uintptr_t old = (uintptr_t)addr;
    void *p;

    if (replaces_own((uintptr_t)wanted, n, (flags & MREMAP_FIXED) != 0))
        return MAP_FAILED;
    if (n < old_n)
        burl_free_unmapping(old + n, old_n - n);
    p = BURL_REAL(mremap)(addr, old_n, n, flags, wanted);
    if (p == MAP_FAILED)
        return p;
    if (p == addr) {
        if (n > old_n)
            burl_free_mapped(old + old_n, n - old_n);
        return p;
    }
    if ((flags & MREMAP_DONTUNMAP) == 0)
        burl_free_unmapping(old, old_n);
    burl_free_mapped((uintptr_t)p, n);
    return p;
}

/* The end of the data segment moves. */
void
burl_free_brk_moved(uintptr_t from, uintptr_t to)
{
    if (to > from)
        burl_free_mapped(from, to - from);
    else
        burl_free_unmapping(to, from - to);
}
