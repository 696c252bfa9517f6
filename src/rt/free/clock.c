/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/clock.c - sync objects of free mode and the clocks that threads leave at them.
 *
 * Objects are found by address in a table of buckets; all objects of one 64-byte line are in one
 * bucket, so that freeing memory finds what lies in it, and a byte per line says whether there is
 * anything at all. Locks are found without the table most of the time: each thread remembers the
 * last ones it met, and a held lock carries its object along.
 *
 * What keeps this cheap:
 *   - A release copies, an acquire takes the maximum, over the slots in use and no more.
 *   - A stamp that is an exact copy of what one thread knew (`moment`) needs no maximum when the
 *     acquirer knows that moment already: the same thread taking its lock again, above all.
 *   - The clock of a thread moves only if an entry with the present epoch exists (dirty) or if
 *     the thread has learned something since (changed). Otherwise the moment published is the one
 *     before the present epoch, which says the same.
 *
 * INV-F1: two stamps with the same moment hold the same components.
 */
#include <string.h>

#include "free_int.h"

#define N_BUCKETS 65536u
#define LINE_SHIFT 6
#define N_LINES ((BURL_SHADOW_ADDR + 1) >> LINE_SHIFT)
#define ADDRESS 0xffffffffffffull

static struct burl_bucket *buckets;
static uint8_t *lines; /* by 64 bytes of the program: an object was made there */
/* Objects to use again: pointer in the low 48 bits, above it a count of changes, so that an object
 * that was taken and came back in between is noticed. No lock: a handler may interrupt. */
static uint64_t unused;

bool
burl__clock_init(void)
{
    buckets = burl__free_map(N_BUCKETS * sizeof *buckets);
    lines = burl__free_map(N_LINES);
    return buckets != NULL && lines != NULL;
}

/* ---- the table ----------------------------------------------------------------------------- */

static uint64_t
line_of(uint64_t key)
{
    return (key & BURL_SHADOW_ADDR) >> LINE_SHIFT;
}

static struct burl_bucket *
bucket_of(uint64_t key)
{
    uint64_t h = line_of(key) * 0x9e3779b97f4a7c15ull;

    return &buckets[h >> 48 & (N_BUCKETS - 1)];
}

struct burl_bucket *
burl__bucket_lock(struct burl_free_thread *f, uint64_t key)
{
    struct burl_bucket *b = bucket_of(key);

    return burl__owned_lock(&b->lock, burl__holder(f)) ? b : NULL;
}

void
burl__bucket_unlock(struct burl_bucket *b)
{
    if (b != NULL)
        burl__owned_unlock(&b->lock);
}

/* Rare, so that which ones they are is not kept but looked for. */
void
burl__buckets_abandon(const struct burl_free_thread *f)
{
    for (uint32_t i = 0; i < N_BUCKETS; i++)
        burl__owned_abandon(&buckets[i].lock, burl__holder(f));
}

bool
burl__sync_none_near(uint64_t key)
{
    /* relaxed: the operation that made the object and was seen by us ordered this too */
    return __atomic_load_n(&lines[line_of(key)], __ATOMIC_RELAXED) == 0;
}

struct burl_sync *
burl__sync_find(struct burl_bucket *b, uint64_t key)
{
    struct burl_sync *s;

    if (b == NULL)
        b = bucket_of(key); /* held by this thread already */
    for (s = b->first; s != NULL && s->key != key; s = s->next)
        ;
    return s;
}

struct burl_sync *
burl__sync_overlapping(struct burl_bucket *b, uint64_t key, uint32_t n, struct burl_sync *after)
{
    const uintptr_t addr = key & ADDRESS;
    struct burl_sync *s;

    if (b == NULL)
        b = bucket_of(key);
    for (s = after != NULL ? after->next : b->first; s != NULL; s = s->next) {
        const uintptr_t at = s->key & ADDRESS;

        if (s->reach != 0 && s->key != key && at < addr + n && addr < at + s->reach)
            break;
    }
    return s;
}

static struct burl_sync *
sync_new(void)
{
    uint64_t head = __atomic_load_n(&unused, __ATOMIC_ACQUIRE);
    struct burl_sync *s;
    uint64_t rest;

    do {
        s = (struct burl_sync *)(head & ADDRESS);
        if (s == NULL)
            return burl__arena_alloc(sizeof *s);
        rest = (uintptr_t)__atomic_load_n(&s->next, __ATOMIC_RELAXED) | (head & ~ADDRESS);
        /* pairs with the release in sync_give_back(): what it left in the object */
    } while (!__atomic_compare_exchange_n(&unused, &head, rest, true, __ATOMIC_ACQUIRE,
                                          __ATOMIC_ACQUIRE));
    return s;
}

static void
sync_give_back(struct burl_sync *s)
{
    uint64_t head = __atomic_load_n(&unused, __ATOMIC_RELAXED);
    uint64_t next;

    do {
        __atomic_store_n(&s->next, (struct burl_sync *)(head & ADDRESS), __ATOMIC_RELAXED);
        next = (uintptr_t)s | ((head & ~ADDRESS) + (1ull << 48));
        /* pairs with the acquire in sync_new() */
    } while (!__atomic_compare_exchange_n(&unused, &head, next, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

struct burl_sync *
burl__sync_get(struct burl_bucket *b, uint64_t key)
{
    struct burl_sync *s = burl__sync_find(b, key);

    if (s != NULL)
        return s;
    if (b == NULL)
        b = bucket_of(key);
    s = sync_new();
    s->next = b->first;
    __atomic_store_n(&s->key, key, __ATOMIC_RELAXED);
    b->first = s;
    __atomic_store_n(&lines[line_of(key)], 1, __ATOMIC_RELAXED);
    return s;
}

struct burl_sync *
burl__sync_of_lock(struct burl_free_thread *f, const volatile void *addr)
{
    uint64_t key = burl__sync_key(addr, BURL_SYNC_MEMORY);
    struct burl_sync **at = &f->cache[(uintptr_t)addr / 8 % 16];
    struct burl_bucket *b;

    /* Objects are never given back to the system, and one with this key is the right one: it is
     * renamed only when the lock is destroyed or freed, which its holder excludes. */
    if (*at != NULL && __atomic_load_n(&(*at)->key, __ATOMIC_RELAXED) == key)
        return *at;
    b = burl__bucket_lock(f, key);
    *at = burl__sync_get(b, key);
    burl__bucket_unlock(b);
    return *at;
}

static void
sync_drop(struct burl_sync *s)
{
    __atomic_store_n(&s->key, 0, __ATOMIC_RELAXED);
    burl__stamp_clear(&s->a);
    burl__stamp_clear(&s->b);
    s->count = 0;
    s->limit = 0;
    s->head = 0;
    s->reach = 0;
    sync_give_back(s);
}

static void
line_forget(struct burl_free_thread *f, uintptr_t line, uintptr_t lo, uintptr_t hi)
{
    uint64_t key = burl__sync_key((void *)line, BURL_SYNC_MEMORY);
    struct burl_bucket *b = burl__bucket_lock(f, key);
    bool left = false;

    if (b == NULL)
        return; /* a handler in the middle of things: the object stays, which costs an edge */
    for (struct burl_sync **p = &b->first; *p != NULL;) {
        struct burl_sync *s = *p;
        uintptr_t at = s->key & ADDRESS;

        if (line_of(s->key) == line_of(key) && at - lo < hi - lo &&
            (s->key >> 56 & 0x7f) <= BURL_SYNC_USER) {
            *p = s->next;
            sync_drop(s);
        } else {
            left = left || line_of(s->key) == line_of(key);
            p = &s->next;
        }
    }
    if (!left)
        __atomic_store_n(&lines[line_of(key)], 0, __ATOMIC_RELAXED);
    burl__bucket_unlock(b);
    lo = lo > line ? lo : line;
    burl__free_notify_renewed(f, lo, (hi < line + 64 ? hi : line + 64) - lo);
}

void
burl__sync_forget(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    uintptr_t line = addr & ~(uintptr_t)63;

    for (; line < addr + n; line += 64) {
        if (!burl__sync_none_near(line))
            line_forget(f, line, addr, addr + n);
    }
}

/* ---- stamps --------------------------------------------------------------------------------- */

void
burl__stamp_clear(struct burl_stamp *s)
{
    burl_vc_clear(&s->vc);
    s->moment = 0;
}

void
burl__acquire(struct burl_free_thread *f, const struct burl_stamp *s)
{
    if (s->moment != 0 && f->hb[s->moment >> 24] >= (s->moment & BURL_ENTRY_CLOCK_MAX))
        return;
    if (burl_clock_max(f->hb, s->vc.c, s->vc.n))
        f->changed = true;
}

/* The last moment of f that has entries, or at which f learned something. */
uint32_t
burl__own_moment(const struct burl_free_thread *f)
{
    return f->dirty || f->changed ? f->clock : f->clock - 1;
}

void
burl__stamp_join(struct burl_stamp *s, const uint32_t *c)
{
    uint32_t n = __atomic_load_n(&burl_free.n_slots, __ATOMIC_RELAXED);

    burl_vc_reserve(&s->vc, n, burl__arena_alloc);
    for (; s->vc.n < n; s->vc.n++)
        s->vc.c[s->vc.n] = 0;
    (void)burl_clock_max(s->vc.c, c, n);
    s->moment = 0;
}

void
burl__release_join(struct burl_free_thread *f, struct burl_stamp *s)
{
    uint32_t keep = f->hb[f->slot];

    f->hb[f->slot] = burl__own_moment(f);
    burl__stamp_join(s, f->hb);
    f->hb[f->slot] = keep;
}

void
burl__release_copy(struct burl_free_thread *f, struct burl_stamp *s)
{
    uint32_t n = __atomic_load_n(&burl_free.n_slots, __ATOMIC_RELAXED);
    uint32_t own = burl__own_moment(f);

    if (s->moment == (f->slot << 24 | own))
        return; /* INV-F1 */
    burl_vc_reserve(&s->vc, n, burl__arena_alloc);
    for (uint32_t i = 0; i < n; i++)
        s->vc.c[i] = f->hb[i];
    s->vc.c[f->slot] = own;
    s->vc.n = n;
    s->moment = f->slot << 24 | own;
}

static void
clock_set(struct burl_free_thread *f, uint32_t clock)
{
    f->clock = clock;
    f->hb[f->slot] = clock;
    f->epoch = burl_entry_epoch(f->slot, clock);
    f->dirty = false;
    if (!f->special)
        f->same = f->epoch | 0xffffffffull;
}

static void
next_epoch(struct burl_free_thread *f)
{
    if (f->clock == BURL_ENTRY_CLOCK_MAX) {
        if (!burl__slot_renew(f))
            return;
    } else {
        clock_set(f, f->clock + 1);
    }
    burl__ring_mark(f);
}

void
burl__tick(struct burl_free_thread *f)
{
    if (!f->dirty && !f->changed)
        return;
    next_epoch(f);
    f->changed = false;
}

void
burl__locks_changed(struct burl_free_thread *f)
{
    if (f->dirty)
        next_epoch(f);
    else
        burl__ring_mark(f);
}

void
burl__edge_out(struct burl_free_thread *f, uint64_t key)
{
    struct burl_bucket *b = burl__bucket_lock(f, key);

    burl__release_join(f, &burl__sync_get(b, key)->a);
    burl__bucket_unlock(b);
    burl__tick(f);
}

void
burl__edge_in(struct burl_free_thread *f, uint64_t key)
{
    struct burl_bucket *b;
    struct burl_sync *s;

    if (burl__sync_none_near(key))
        return;
    b = burl__bucket_lock(f, key);
    s = burl__sync_find(b, key);
    if (s != NULL)
        burl__acquire(f, &s->a);
    burl__bucket_unlock(b);
}
