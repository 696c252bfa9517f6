/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/memory.c - the life of the program's memory in free mode, and where it came from.
 *
 * Memory that is allocated has no history: its shadow is cleared. Freeing is a write to the block
 * (to its first kilobyte, and to some cells of the rest) which is checked and stays in the shadow,
 * so that an access before it or after it by a thread that is not ordered with it is found. A block
 * is all that malloc_usable_size() says of it, which the program may use; what was asked for is in
 * reports.
 *
 * Origins: one word for every 16 bytes of the program, of which only those are ever touched where a
 * block begins: size, thread, and the number of the call stack that allocated it. Blocks above
 * LARGE_B are in a table, so that looking backwards for the beginning of a block has an end. The
 * origin of a freed block stays for reports, until another block begins there.
 */
#include <malloc.h>
#include <string.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/module.h"
#include "rt/core/real.h"

extern void *__libc_realloc(void *p, size_t n);

#define ORIGIN_SHIFT 4
#define LARGE_B 65536u
#define REGION_SHIFT 16
#define N_LARGE 4096u
#define DENSE_MAX_B (256u << 10) /* larger blocks are often used in part */
#define CHECKED_B 1024u
#define SAMPLES 32u

/* large 1 bit | size 17 bits | tid 16 bits | freed 1 bit | stack 29 bits */
#define ORIGIN_FREED (1ull << 29)
#define ORIGIN_STACK (ORIGIN_FREED - 1)
static uint64_t *origins;
static uint8_t *regions; /* for every 64 KB: was there ever a block? */

struct large {
    uintptr_t addr;  /* 0 never used, 1 freed */
    uintptr_t freed; /* where the freed block began */
    size_t n;
    uint32_t stack;
    uint16_t tid;
};

static struct large large[N_LARGE];
static size_t (*usable_size)(void *p); /* libc's; NULL: another allocator's is in front of it */
static uint32_t n_gone;                /* blocks freed, for what was remembered of one */

/* ---- stacks --------------------------------------------------------------------------------- */

#define N_STACKS (1u << 18)

struct depot {
    uint64_t hash;
    uint32_t site;
    uint32_t n;
    uint32_t frame[BURL_WIRE_MAX_STACK]; /* innermost first */
};

static struct depot **depot; /* open addressing by hash; place + 1 is the number */
static uint32_t n_depot;

/* Of frame i from the innermost on; the call that the innermost one is in is a record's site. */
static uint32_t
frame_code(const struct burl_free_thread *f, uint32_t depth, uint32_t i)
{
    return i == 0 ? f->stack[depth - 1] : burl__frame_code(f, depth - 1 - i);
}

static uint64_t
hash_stack(const struct burl_free_thread *f, uint32_t depth, uint32_t n)
{
    uint64_t h = (f->call_site + 1) * 0xff51afd7ed558ccdull; /* spread: frames are xored to it */

    for (uint32_t i = 0; i < n; i++)
        h = (h ^ frame_code(f, depth, i)) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return h | 1;
}

static uint32_t
depot_put(const struct burl_free_thread *f, uint64_t hash, uint32_t depth, uint32_t n)
{
    struct depot *mine = NULL;
    uint32_t at = (uint32_t)(hash >> 40) % N_STACKS;

    for (uint32_t tries = 0; tries < 64; tries++, at = (at + 1) % N_STACKS) {
        struct depot *d = __atomic_load_n(&depot[at], __ATOMIC_ACQUIRE);

        if (d == NULL) {
            if (__atomic_load_n(&n_depot, __ATOMIC_RELAXED) > N_STACKS / 2)
                return 0;
            if (mine == NULL) {
                mine = burl__arena_alloc(sizeof *mine - sizeof mine->frame + n * 4);
                mine->hash = hash;
                mine->site = f->call_site;
                mine->n = n;
                for (uint32_t i = 0; i < n; i++)
                    mine->frame[i] = frame_code(f, depth, i);
            }
            /* pairs with the acquire above: publishes the record */
            if (__atomic_compare_exchange_n(&depot[at], &d, mine, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE)) {
                __atomic_fetch_add(&n_depot, 1, __ATOMIC_RELAXED);
                return at + 1;
            }
        }
        if (d->hash == hash)
            return at + 1;
    }
    return 0;
}

static uint32_t
stack_number(struct burl_free_thread *f)
{
    uint32_t depth = f->depth < BURL_FREE_DEPTH ? f->depth : BURL_FREE_DEPTH;
    uint32_t n = depth < BURL_WIRE_MAX_STACK ? depth : BURL_WIRE_MAX_STACK;
    uint64_t hash = hash_stack(f, depth, n);
    uint32_t at = (uint32_t)(hash >> 32) % 64;

    if (f->stack_cache[at].hash != hash) {
        f->stack_cache[at].id = depot_put(f, hash, depth, n);
        f->stack_cache[at].hash = hash;
    }
    return f->stack_cache[at].id;
}

/* ---- origins -------------------------------------------------------------------------------- */

bool
burl__memory_init(void)
{
    origins = burl__free_map(((BURL_SHADOW_ADDR + 1) >> ORIGIN_SHIFT) * sizeof *origins);
    depot = burl__free_map(N_STACKS * sizeof *depot);
    regions = burl__free_map((BURL_SHADOW_ADDR + 1) >> REGION_SHIFT);
    usable_size = BURL_REAL(malloc_usable_size);
    if (!burl__module_is_libc((uintptr_t)usable_size))
        usable_size = NULL;
    return origins != NULL && depot != NULL && regions != NULL;
}

static uint64_t *
origin_word(uintptr_t addr)
{
    return &origins[(addr & BURL_SHADOW_ADDR) >> ORIGIN_SHIFT];
}

static uint8_t *
region_word(uintptr_t addr)
{
    return &regions[(addr & BURL_SHADOW_ADDR) >> REGION_SHIFT];
}

static struct large *
large_slot(uintptr_t addr, uint32_t i)
{
    return &large[(addr / 4096 + i) % N_LARGE];
}

static void
large_put(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    uint64_t mask;

    burl__free_lock(&mask);
    for (uint32_t i = 0; i < N_LARGE; i++) {
        struct large *l = large_slot(addr, i);

        if (l->addr > 1 && l->addr != addr)
            continue;
        *l = (struct large){ .addr = addr, .n = n, .stack = stack_number(f), .tid = f->tid };
        break;
    }
    burl__free_unlock(mask);
}

/* The size of a large block, which is forgotten; 0 when it is none. */
static size_t
large_take(uintptr_t addr)
{
    uint64_t mask;
    size_t n = 0;

    burl__free_lock(&mask);
    for (uint32_t i = 0; i < N_LARGE && large_slot(addr, i)->addr != 0; i++) {
        struct large *l = large_slot(addr, i);

        if (l->addr != addr)
            continue;
        n = l->n;
        l->freed = addr;
        l->addr = 1; /* was in use: the search goes on behind it */
        break;
    }
    burl__free_unlock(mask);
    return n;
}

static void
set_origin(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    /* relaxed: as below */
    for (uintptr_t at = addr; burl_free.listens && at < addr + n + (1u << REGION_SHIFT);
         at += 1u << REGION_SHIFT) {
        if (__atomic_load_n(region_word(at), __ATOMIC_RELAXED) == 0)
            __atomic_store_n(region_word(at), 1, __ATOMIC_RELAXED);
    }
    if (n > LARGE_B) {
        __atomic_store_n(origin_word(addr), 1ull << 63, __ATOMIC_RELAXED);
        large_put(f, addr, n);
        return;
    }
    /* relaxed: a thread that gets the address from the program has synchronized with this one, or
     * races */
    __atomic_store_n(origin_word(addr),
                     (uint64_t)n << 46 | (uint64_t)f->tid << 30 | (stack_number(f) & ORIGIN_STACK),
                     __ATOMIC_RELAXED);
}

/* Bytes of a live block that the program may use, of which it asked for n. */
static size_t
whole_size(void *p, size_t n)
{
    size_t usable = usable_size != NULL ? usable_size(p) : n;

    return usable > n ? usable : n;
}

/* Of the block that begins there; 0: none that lives. */
static inline uint64_t
live_origin(uintptr_t addr)
{
    uint64_t o = __atomic_load_n(origin_word(addr), __ATOMIC_RELAXED);

    return (o & ORIGIN_FREED) == 0 ? o : 0;
}

/* Marks a block as freed; *n: the size that was asked for. False: it is not known. */
static bool
take_origin(uintptr_t addr, size_t *n)
{
    uint64_t o = live_origin(addr);

    if (o == 0)
        return false;
    __atomic_store_n(origin_word(addr), o | ORIGIN_FREED, __ATOMIC_RELAXED);
    if (burl_free
            .metrics) /* release: pairs with burl__memory_gone(), before it is given out again */
        __atomic_fetch_add(&n_gone, 1, __ATOMIC_RELEASE);
    *n = o >> 63 != 0 ? large_take(addr) : (size_t)(o >> 46);
    return true;
}

uint32_t
burl__memory_gone(void)
{
    return __atomic_load_n(&n_gone, __ATOMIC_ACQUIRE); /* pairs with take_origin() */
}

/* Of a block that begins there. */
size_t
burl__memory_size(uintptr_t addr)
{
    uint64_t o = live_origin(addr);

    for (uint32_t i = 0; o >> 63 != 0 && i < N_LARGE; i++) {
        if (large_slot(addr, i)->addr == addr)
            return large_slot(addr, i)->n;
    }
    return o >> 63 != 0 ? 0 : (size_t)(o >> 46);
}

/* ---- allocation and freeing ----------------------------------------------------------------- */

void
burl_free_allocated(void *p, size_t n)
{
    struct burl_free_thread *f = burl_free_me;
    size_t whole;

    if (BURL_LIKELY(f == NULL) || p == NULL)
        return;
    whole = whole_size(p, n);
    if (burl_free.ever)
        burl__shadow_clear((uintptr_t)p, whole);
    if (burl_free.ever || burl_free.metrics)
        burl__free_notify_forget(f, (uintptr_t)p, whole);
    set_origin(f, (uintptr_t)p, n);
    if (n < DENSE_MAX_B)
        burl__shadow_dense((uintptr_t)p, n);
}

static void
check_freeing(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    size_t head = n < CHECKED_B ? n : CHECKED_B;

    burl__shadow_free(f, addr, head, f->call_site);
    for (uint32_t i = 1; n > 2 * CHECKED_B && i < SAMPLES; i++)
        burl__shadow_free(f, (addr + n / SAMPLES * i) & ~(uintptr_t)7, 8, f->call_site);
}

void
burl_free_freeing(void *p)
{
    struct burl_free_thread *f = burl_free_me;
    size_t n;

    if (BURL_LIKELY(f == NULL) || p == NULL)
        return;
    if (!take_origin((uintptr_t)p, &n) || !(burl_free.ever || burl_free.metrics))
        return;
    n = whole_size(p, n);
    if (f == burl_free_self && burl_free.metrics)
        burl__metric_freed(f, (uintptr_t)p, n);
    if (f == burl_free_self && burl_free.ever)
        check_freeing(f, (uintptr_t)p, n);
    burl__sync_forget(f, (uintptr_t)p, n < BURL_FORGET_B ? n : BURL_FORGET_B);
}

/* As freeing the old block and allocating the new one, for all that observe memory. */
void *
burl_free_realloc(void *old, size_t n)
{
    void *p;

    if (burl_free_me == NULL || n > PTRDIFF_MAX) /* which fails, and leaves the block as it is */
        return __libc_realloc(old, n);
    if (old != NULL)
        burl_free_freeing(old);
    p = __libc_realloc(old, n);
    burl_free_allocated(p, n);
    return p;
}

/* ---- for reports ---------------------------------------------------------------------------- */

static void
fill_stack(struct burl_wire_origin *out, uint32_t number)
{
    const struct depot *d = number != 0 ? depot[number - 1] : NULL;

    if (d == NULL)
        return;
    out->site = burl__site_of(d->site);
    for (uint32_t i = 0; i < d->n; i++)
        out->stack[i] = burl__site_of(d->frame[i]);
}

/* Bytes from the beginning of a block of n to the next one: glibc's sizes are 8 below multiples of
 * 16, at least 24. The allocator cannot be asked: the block may be freed meanwhile. */
static size_t
stride(size_t n)
{
    return n <= 24 ? 32 : (n + 23) & ~(size_t)15;
}

/* The end of a block: it has 16 bytes more where less than a block would be left. */
static size_t
reach(size_t n)
{
    return stride(n) + 8;
}

/* Of a block: where it begins, and the number of the stack that allocated it. Looking backwards
 * comes to the beginning of the block or of one before it. */
bool
burl__memory_block(uintptr_t addr, uint64_t *start, uint32_t *site)
{
    uintptr_t at = addr & ~(uintptr_t)15;
    uint32_t stack = 0;

    *start = 0;
    if (__atomic_load_n(region_word(addr), __ATOMIC_RELAXED) == 0)
        return false;
    for (uint32_t i = 0; i <= LARGE_B / 16 && *start == 0; i++, at -= 16) {
        uint64_t o = live_origin(at);

        if (o != 0 && (o >> 63 != 0 || addr - at >= reach(o >> 46)))
            break;
        if (o != 0) {
            *start = at;
            stack = (uint32_t)(o & ORIGIN_STACK);
        }
    }
    for (uint32_t i = 0; i < N_LARGE && *start == 0; i++) {
        const struct large *l = &large[i];

        if (l->addr > 1 && addr - l->addr < l->n) {
            *start = l->addr;
            stack = l->stack;
        }
    }
    *site = stack != 0 && depot[stack - 1] != NULL ? burl__site_of(depot[stack - 1]->site) : 0;
    return *start != 0;
}

static bool
large_origin(uintptr_t addr, bool freed, struct burl_wire_origin *out)
{
    for (uint32_t i = 0; i < N_LARGE; i++) {
        const struct large *l = &large[i];
        const uintptr_t start = freed && l->addr == 1 ? l->freed : l->addr;

        if (start > 1 && addr - start < l->n) {
            *out = (struct burl_wire_origin){
                .addr = start, .size_b = l->n, .tid = l->tid, .kind = BURL_ORIGIN_HEAP
            };
            fill_stack(out, l->stack);
            return true;
        }
    }
    return false;
}

/* Of the live block there; freed: of the block there that was freed last. What is left of freed
 * blocks inside of a live one does not count. */
static bool
heap_origin(uintptr_t addr, bool freed, struct burl_wire_origin *out)
{
    uintptr_t at = addr & ~(uintptr_t)15;
    uintptr_t gone = 0; /* begin of the nearest freed block */

    if (large_origin(addr, freed, out))
        return true;
    for (uint32_t i = 0; i <= LARGE_B / 16; i++, at -= 16) {
        uint64_t o = __atomic_load_n(origin_word(at), __ATOMIC_RELAXED);

        if (o == 0 || o >> 63 != 0)
            continue;
        if (!freed && (o & ORIGIN_FREED) != 0) {
            gone = gone == 0 ? at : gone;
            continue;
        }
        if (addr - at >= reach(o >> 46) || (gone != 0 && gone - at >= stride(o >> 46)))
            return false;
        *out = (struct burl_wire_origin){
            .addr = at, .size_b = o >> 46, .tid = (uint16_t)(o >> 30), .kind = BURL_ORIGIN_HEAP
        };
        fill_stack(out, (uint32_t)(o & ORIGIN_STACK));
        return true;
    }
    return false;
}

/* The stack or TLS of a thread that lives. */
static bool
thread_origin(uintptr_t addr, struct burl_wire_origin *out)
{
    for (uint32_t i = 0; i < burl_free.n_slots; i++) {
        const struct burl_slot *s = &burl_free.slots[i];
        const struct burl_free_thread *f = s->owner;

        if (f == NULL)
            continue;
        if (addr - f->tls_lo < f->tls_hi - f->tls_lo) {
            out->kind = BURL_ORIGIN_TLS;
            out->tid = f->tid;
            return true;
        }
        if (addr - f->stack_lo < f->stack_hi - f->stack_lo) {
            out->kind = BURL_ORIGIN_STACK;
            out->tid = f->tid;
            return true;
        }
    }
    return false;
}

void
burl__memory_origin(uintptr_t addr, struct burl_wire_origin *out)
{
    memset(out, 0, sizeof *out);
    out->tid = BURL_TID_NONE;
    if (burl__module_is_data(addr))
        out->kind = BURL_ORIGIN_GLOBAL;
    else if (!heap_origin(addr, false, out) && !thread_origin(addr, out))
        (void)heap_origin(addr, true, out);
}
