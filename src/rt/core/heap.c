/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/heap.c - the program's heap in controlled mode: deterministic, guarded, per execution.
 *
 * Deterministic: a fixed address range, first-come-first-served, so the same schedule gives the
 * same addresses in every process. Guarded: every block has a red zone before (its header) and
 * after it, and a freed block stays in quarantine until a megabyte of others has been freed after
 * it; a shadow byte for every 16 bytes says how many of them may be touched, and instrumented
 * accesses are checked against it exactly. Per execution: nothing survives it. Blocks that
 * constructors allocate before main come from libc and are not ours.
 *
 *   block:   | header 16 | user bytes, rounded up to 16 | red zone 16 |
 *   shadow:  0 never to be touched; 1..16 the first so many bytes are live; FREED
 *
 * The end that glibc's rounding adds to a block is red zone until malloc_usable_size() is called
 * for the block; 8 bytes of red zone are left then.
 *
 * Fresh memory reads as zero. Uninstrumented code (libc) is not checked at the access; what it
 * writes behind a block is noticed when the block is freed.
 */
#include <string.h>
#include <sys/mman.h>

#include "core.h"
#include "heap.h"
#include "sys.h"
#include "upcalls.h"
#include "verdict.h"

#define UNIT 16u
#define SHADOW_FREED 0x80u
#define MAGIC_LIVE 0x4c495645u
#define MAGIC_FREED 0x46524545u
#define RED_BYTE 0xfa
#define QUARANTINE_B (1u << 20)
#define SMALL_CLASSES 128u      /* blocks of up to so many units are recycled by exact size */
#define LARGE_CLASSES 40u       /* larger ones by power of two */
#define DONTNEED_B (512u << 10) /* clearing more than this is left to the kernel */
#define LOAD_B 64u              /* the largest vector that one instruction loads */

struct header {
    uint32_t magic;
    uint32_t units;     /* whole block with header and red zone, in units */
    uint64_t size : 38; /* as asked for */
    uint64_t whole : 1; /* its usable size was asked for: all of that is live */
    uint64_t late : 1;  /* there were several threads when it was allocated */
    uint64_t site : 24; /* of the allocating call, for reports of races; 0 unknown */
};

static_assert(sizeof(struct header) == UNIT, "a header is one unit");

static uint8_t *shadow;
static uintptr_t top = BURL_HEAP_BASE; /* first byte never handed out in this execution */
static uintptr_t free_small[SMALL_CLASSES];
static uintptr_t free_large[LARGE_CLASSES];
static uintptr_t quarantine_first;
static uintptr_t quarantine_last;
static size_t quarantine_b;

/* Freed blocks are chained through their first user bytes, */
static uintptr_t *
link_of(uintptr_t block)
{
    return (uintptr_t *)(block + UNIT);
}

/* and the next ones have the call that freed them. A block has a unit of user bytes at least. */
static uint32_t *
freed_site_of(uintptr_t block)
{
    return (uint32_t *)(block + UNIT + sizeof(uintptr_t));
}

static struct header *
header_of(uintptr_t user)
{
    return (struct header *)(user - UNIT);
}

/* As glibc: chunks are multiples of 16 with 8 bytes of their own, and at least 32. */
static size_t
usable_size(size_t size)
{
    const size_t usable = ((size + 8 + UNIT - 1) & ~(size_t)(UNIT - 1)) - 8;

    return usable > 24 ? usable : 24;
}

static size_t
live_size(const struct header *h)
{
    return h->whole ? usable_size(h->size) : h->size;
}

void
burl__heap_init(void)
{
    long p = BURL_SYS6(SYS_mmap, BURL_HEAP_BASE, BURL_HEAP_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (p != (long)BURL_HEAP_BASE)
        burl_rt_unsupported(
            "this address space: the heap's fixed range is taken or limited (ulimit -v)");
    burl__snapshot_exclude(BURL_HEAP_BASE, BURL_HEAP_BASE + BURL_HEAP_B);
    shadow = burl__mem_map(BURL_HEAP_B / UNIT);
}

static void
wipe(void *start, size_t n)
{
    if (n < DONTNEED_B)
        memset(start, 0, n);
    else
        BURL_SYS3(SYS_madvise, start, (n + 4095) & ~(size_t)4095, MADV_DONTNEED);
}

void
burl__heap_reset(void)
{
    size_t n = top - BURL_HEAP_BASE;

    if (n == 0)
        return;
    wipe((void *)BURL_HEAP_BASE, n);
    wipe(shadow, n / UNIT);
    memset(free_small, 0, sizeof free_small);
    memset(free_large, 0, sizeof free_large);
    quarantine_first = 0;
    quarantine_last = 0;
    quarantine_b = 0;
    top = BURL_HEAP_BASE;
}

/* ---- the shadow ---------------------------------------------------------- */

static uint8_t *
shadow_at(uintptr_t addr)
{
    return &shadow[(addr - BURL_HEAP_BASE) / UNIT];
}

static void
shadow_live(uintptr_t user, size_t size)
{
    uint8_t *s = shadow_at(user);

    memset(s, UNIT, size / UNIT);
    if (size % UNIT != 0)
        s[size / UNIT] = (uint8_t)(size % UNIT);
}

/* The first byte of [addr, end) that is not live; 0: all are. */
static uintptr_t
first_dead(uintptr_t addr, uintptr_t end)
{
    uintptr_t at = addr;

    while (at < end) {
        uint8_t s = *shadow_at(at);
        uintptr_t unit_end = (at | (UNIT - 1)) + 1;
        uintptr_t part_end = end < unit_end ? end : unit_end;

        if (BURL_UNLIKELY(s == SHADOW_FREED || part_end - (at & ~(uintptr_t)(UNIT - 1)) > s))
            return at;
        at = part_end;
    }
    return 0;
}

/* Is some of [addr, addr+n) live and none of it freed? */
static bool
is_partly_live(uintptr_t addr, size_t n)
{
    bool live = false;

    for (uintptr_t at = addr; at < addr + n; at = (at | (UNIT - 1)) + 1) {
        uint8_t s = *shadow_at(at);

        if (s == SHADOW_FREED)
            return false;
        live |= at % UNIT < s;
    }
    return live;
}

BURL_NORETURN static void
report_dead(uintptr_t at)
{
    const bool freed = *shadow_at(at) == SHADOW_FREED;
    uint64_t start;
    uint64_t size_b;

    if (freed && burl__heap_block(at, &start, &size_b))
        burl_rt.exec.verdict.other_site = *freed_site_of((uintptr_t)start - UNIT);
    burl_rt_finding(freed ? BURL_VERDICT_USE_AFTER_FREE : BURL_VERDICT_OVERFLOW, at, NULL);
}

void
burl__heap_check_slow(uintptr_t addr, size_t n)
{
    uintptr_t at = first_dead(addr, addr + n);

    if (BURL_UNLIKELY(at != 0))
        report_dead(at);
}

/*
 * Hash functions and checksums read the last bytes of a buffer as a whole word or vector and mask
 * out the rest. Such a load cannot fault when it is naturally aligned, and the bytes behind the
 * block do not change its result. Valgrind permits these loads too (--partial-loads-ok).
 */
void
burl__heap_check_load(uintptr_t addr, size_t n)
{
    uintptr_t at = first_dead(addr, addr + n);

    if (BURL_LIKELY(at == 0))
        return;
    if (n > LOAD_B || (n & (n - 1)) != 0 || addr % n != 0 || !is_partly_live(addr, n))
        report_dead(at);
}

/* ---- blocks -------------------------------------------------------------- */

static uintptr_t *
list_for(uint32_t units)
{
    return units < SMALL_CLASSES ? &free_small[units] : &free_large[31 - __builtin_clz(units)];
}

/* Large blocks of one class differ in size: the first that is large enough is taken whole. */
static uintptr_t
take_recycled(uint32_t units)
{
    for (uintptr_t *p = list_for(units); *p != 0; p = link_of(*p)) {
        uintptr_t block = *p;

        if (((struct header *)block)->units >= units) {
            *p = *link_of(block);
            return block;
        }
    }
    return 0;
}

static uintptr_t
take_fresh(uint32_t units)
{
    uintptr_t block = top;

    if ((uint64_t)units * UNIT > BURL_HEAP_BASE + BURL_HEAP_B - top)
        return 0;
    top += (uint64_t)units * UNIT;
    ((struct header *)block)->units = units;
    return block;
}

/* Alignments above 16 are met by fresh memory: the gap before the block is left unused. */
static uintptr_t
take_aligned(uint32_t units, size_t align)
{
    uintptr_t user = (top + UNIT + align - 1) & ~(align - 1);
    uintptr_t block = user - UNIT;

    if (block + (uint64_t)units * UNIT > BURL_HEAP_BASE + BURL_HEAP_B)
        return 0;
    top = block;
    return take_fresh(units);
}

void *
burl__heap_alloc(size_t size, size_t align, bool zero, bool *recycled)
{
    uint32_t units;
    uintptr_t block = 0;
    struct header *h;

    if (size > BURL_HEAP_B / 2)
        return NULL;
    *recycled = false;
    units = (uint32_t)((size + UNIT - 1) / UNIT) + 2;
    if (units < 3)
        units = 3;
    if (align <= UNIT) {
        block = take_recycled(units);
        *recycled = block != 0;
        if (!*recycled)
            block = take_fresh(units);
    } else {
        block = take_aligned(units, align);
    }
    if (block == 0)
        return NULL;
    h = (struct header *)block;
    h->magic = MAGIC_LIVE;
    h->size = size;
    h->whole = 0;
    h->site = 0;
    if (*recycled && zero)
        memset((void *)(block + UNIT), 0, size);
    memset((void *)(block + UNIT + size), RED_BYTE, UNIT + (-size & (UNIT - 1)));
    if (*recycled) /* what lay behind a smaller user is red zone now, not freed memory */
        memset(shadow_at(block), 0, h->units);
    shadow_live(block + UNIT, size);
    return (void *)(block + UNIT);
}

static bool
red_zone_intact(const struct header *h, uintptr_t user)
{
    const uint8_t *end = (const uint8_t *)user + h->size + UNIT + (-h->size & (UNIT - 1));

    for (const uint8_t *p = (const uint8_t *)user + live_size(h); p < end; p++) {
        if (*p != RED_BYTE)
            return false;
    }
    return true;
}

static struct header *
live_header(uintptr_t user)
{
    struct header *h = header_of(user);

    if (user % UNIT != 0 || user < BURL_HEAP_BASE + UNIT || user >= top)
        burl_rt_finding(BURL_VERDICT_BAD_FREE, user, "the pointer was not given by malloc");
    if (h->magic == MAGIC_FREED)
        burl_rt_finding(BURL_VERDICT_DOUBLE_FREE, user, NULL);
    if (h->magic != MAGIC_LIVE)
        burl_rt_finding(BURL_VERDICT_BAD_FREE, user,
                        "the pointer was not given by malloc, or the bytes "
                        "before the block were overwritten");
    return h;
}

size_t
burl__heap_size(uintptr_t addr)
{
    return live_size(live_header(addr));
}

size_t
burl__heap_open_end(uintptr_t addr)
{
    struct header *h = live_header(addr);
    const size_t end = usable_size(h->size) - h->size;

    if (h->whole)
        return 0;
    h->whole = 1;
    shadow_live(addr, live_size(h));
    return end;
}

void
burl__heap_set_site(uintptr_t addr, uint32_t site)
{
    header_of(addr)->site = site < 1u << 24 ? site : 0;
    header_of(addr)->late = burl_rt.exec.n_alive > 1;
}

bool
burl__heap_is_late(uintptr_t addr)
{
    static uint64_t start, size_b; /* of the last one: accesses come in rows */

    if (!burl__heap_owns(addr))
        return false;
    if (addr < start || addr - start >= size_b || start >= top ||
        header_of((uintptr_t)start)->magic != MAGIC_LIVE ||
        live_size(header_of((uintptr_t)start)) != size_b) {
        if (!burl__heap_block(addr, &start, &size_b))
            return false;
    }
    return header_of((uintptr_t)start)->late;
}

uint32_t
burl__heap_site(uintptr_t addr)
{
    return header_of(addr)->site;
}

/* Goes back over the units that are not red zone to the header before them. */
bool
burl__heap_block(uintptr_t addr, uint64_t *start, uint64_t *size_b)
{
    uintptr_t unit = addr & ~(uintptr_t)(UNIT - 1);
    const struct header *h;

    *start = 0;
    *size_b = 0;
    while (unit > BURL_HEAP_BASE && unit < top && *shadow_at(unit) != 0)
        unit -= UNIT;
    h = (const struct header *)unit;
    if (unit < BURL_HEAP_BASE || unit >= top || (h->magic != MAGIC_LIVE && h->magic != MAGIC_FREED))
        return false;
    *start = unit + UNIT;
    *size_b = live_size(h);
    return true;
}

static void
recycle_oldest(void)
{
    uintptr_t block = quarantine_first;
    struct header *h = (struct header *)block;
    uintptr_t *list = list_for(h->units);

    quarantine_first = *link_of(block);
    if (quarantine_first == 0)
        quarantine_last = 0;
    quarantine_b -= (size_t)h->units * UNIT;
    *link_of(block) = *list;
    *list = block;
}

static void
enter_quarantine(uintptr_t block)
{
    *link_of(block) = 0;
    if (quarantine_last != 0)
        *link_of(quarantine_last) = block;
    else
        quarantine_first = block;
    quarantine_last = block;
    quarantine_b += (size_t)((struct header *)block)->units * UNIT;
    while (quarantine_b > QUARANTINE_B && quarantine_first != block)
        recycle_oldest();
}

size_t
burl__heap_check_free(uintptr_t addr)
{
    const struct header *h = live_header(addr);

    if (!red_zone_intact(h, addr))
        burl_rt_finding(BURL_VERDICT_OVERFLOW, addr,
                        "bytes behind the block were overwritten before it was freed");
    return live_size(h);
}

void
burl__heap_free(uintptr_t addr)
{
    struct header *h = header_of(addr);
    const struct burl_thread *t = burl_rt.current;

    h->magic = MAGIC_FREED;
    memset(shadow_at(addr), SHADOW_FREED, (live_size(h) + UNIT - 1) / UNIT);
    enter_quarantine(addr - UNIT);
    *freed_site_of(addr - UNIT) = t != NULL ? burl_rt_site(t) : 0;
}
