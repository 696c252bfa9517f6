/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/mapping.c - memory that the kernel gives the program in free mode.
 *
 * The shadow is found by the low 44 bits of an address, so two addresses that differ in the higher
 * bits alone would share it. Every piece of the low 44 bits therefore belongs to one value of the
 * higher ones: from the start where a Linux process lies as a rule, elsewhere to the first mapping
 * that comes. A wish for an address that cannot be watched is dropped, as the kernel may do; a
 * fixed one is the program's right, and ends the observation.
 *
 * Reserved address space (PROT_NONE) may be larger than the shadow can distinguish: parts of a
 * reservation that cannot be watched as a whole are claimed when they become accessible.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"

#define HIGH_SHIFT 44
#define PIECE_SHIFT 30
#define PIECE_B (1ull << PIECE_SHIFT)
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

/* Our own maps, which the program must not replace: the shadow and others; the last accesses, if
 * they are kept. */
static const struct area own = { BURL_SHADOW_BASE, 0x550000000000 };
static const struct area own_pairs = { BURL_PAIRS_MAP, BURL_PAIRS_MAP + BURL_PAIRS_B + 0x10000 };

static uint8_t owner[N_PIECES]; /* value of the higher bits, plus one; 0: none yet */

static bool
overlaps(const struct area *a, uintptr_t addr, size_t n)
{
    return addr < a->hi && addr + n > a->lo;
}

static bool
is_own(uintptr_t addr, size_t n)
{
    return overlaps(&own, addr, n) || (burl_free.pairs && overlaps(&own_pairs, addr, n));
}

static uint8_t *
owner_of(uintptr_t addr)
{
    return &owner[(addr & BURL_SHADOW_ADDR) >> PIECE_SHIFT];
}

static uint8_t
high_of(uintptr_t addr)
{
    return (uint8_t)((addr >> HIGH_SHIFT) + 1);
}

static bool
is_claimed(uintptr_t addr)
{
    /* relaxed: nothing else is published with it */
    return __atomic_load_n(owner_of(addr), __ATOMIC_RELAXED) == high_of(addr);
}

static bool
is_claimable(uintptr_t addr)
{
    /* relaxed: as above */
    return __atomic_load_n(owner_of(addr), __ATOMIC_RELAXED) == 0 || is_claimed(addr);
}

static bool
claim_piece(uintptr_t addr)
{
    uint8_t high = high_of(addr);
    uint8_t was = 0;

    /* relaxed: as above */
    return is_claimed(addr) ||
           __atomic_compare_exchange_n(owner_of(addr), &was, high, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           was == high;
}

/* In two passes: a refused range must not take pieces from later ones. */
bool
burl__region_claim(uintptr_t addr, size_t n)
{
    uintptr_t end = addr + n;

    if (end < addr || end > 1ull << 47 || is_own(addr, n) || n > BURL_SHADOW_ADDR)
        return false;
    for (uintptr_t at = addr & ~(PIECE_B - 1); at < end; at += PIECE_B) {
        if (!is_claimable(at))
            return false;
    }
    for (uintptr_t at = addr & ~(PIECE_B - 1); at < end; at += PIECE_B) {
        if (!claim_piece(at))
            return false;
    }
    return true;
}

/* Clears the shadow of the claimed pieces of the range: that of others belongs to other memory. */
static void
clear_claimed(uintptr_t addr, size_t n)
{
    uintptr_t end = addr + n;

    for (uintptr_t at = addr; at < end;) {
        uintptr_t from = at;

        while (at < end && is_claimed(at))
            at = (at & ~(PIECE_B - 1)) + PIECE_B;
        if (at > from)
            burl__shadow_clear(from, (at < end ? at : end) - from);
        else
            at = (at & ~(PIECE_B - 1)) + PIECE_B;
    }
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

/* Address space that is not accessible yet. */
static void
reserved(uintptr_t addr, size_t n)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL || n == 0)
        return;
    if (can_watch(addr, n))
        burl_free_mapped(addr, n);
    else
        burl_free_unmapping(addr, n); /* it may have replaced memory */
}

void
burl_free_unmapping(uintptr_t addr, size_t n)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL || n == 0 || !(burl_free.ever || burl_free.metrics))
        return;
    clear_claimed(addr, n);
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
    burl__free_disturbed("the program mapped memory at a fixed address that burl run uses itself");
    errno = ENOMEM;
    return true;
}

#define LARGE_B (1ull << 40) /* smaller ones find room beside the shadow */

/* A mapping failed. Did it fail because the shadow takes the address space? Then whatever the
 * program does about it says nothing about the program. Not if the failure has another cause
 * (overcommit) for which the plain reservation below would not fail, and not if no process has so
 * much address space. */
static void
note_failed(size_t n)
{
    int error = errno;
    struct rlimit limit = { 0 };
    void *p;

    if (burl_free_me == NULL || error != ENOMEM || n >= 1ull << 47)
        return;
    BURL_SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit);
    if (n < LARGE_B && limit.rlim_cur == RLIM_INFINITY)
        return;
    p = BURL_REAL(mmap)(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        BURL_REAL(munmap)(p, n);
    else
        burl__free_disturbed("the program maps more memory than burl run can watch; a mapping "
                             "failed because burl's shadow memory takes the address space, and "
                             "how the program ended is not judged (`burl test` has no such "
                             "limit)");
    errno = error;
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
    if (p == MAP_FAILED)
        note_failed(n);
    else if (prot == PROT_NONE)
        reserved((uintptr_t)p, n);
    else
        burl_free_mapped((uintptr_t)p, n);
    return p;
}

/* Memory of a reservation that was too large to be watched becomes accessible. */
static void
made_accessible(uintptr_t addr, size_t n, int prot)
{
    if (burl_free_me != NULL && n != 0 && prot != PROT_NONE && !can_watch(addr, n))
        burl__free_stop(BURL_COUNTER_SHADOW_FULL,
                        "the program made memory accessible at an address that free mode cannot "
                        "watch");
}

int
burl_free_mprotect(void *addr, size_t n, int prot)
{
    int r = BURL_REAL(mprotect)(addr, n, prot);

    if (r == 0)
        made_accessible((uintptr_t)addr, n, prot);
    return r;
}

int
burl_free_pkey_mprotect(void *addr, size_t n, int prot, int key)
{
    int r = (int)burl__result(BURL_SYS4(SYS_pkey_mprotect, addr, n, prot, key));

    if (r == 0)
        made_accessible((uintptr_t)addr, n, prot);
    return r;
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
    if (p == MAP_FAILED) {
        note_failed(n);
        return p;
    }
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
