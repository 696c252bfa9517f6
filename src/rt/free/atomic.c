/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/atomic.c - atomic operations and standalone fences in free mode.
 *
 * A store, update or compare-exchange holds the bucket of its address from the hook before it to
 * the hook after it, so that the order of clocks is the order of operations. Loads take it only
 * afterwards: a load may then learn of a release that came a moment after it, which can hide a race
 * and never invents one, and threads that spin on a flag do not stand in the way of the one that
 * will set it.
 *
 * Nothing that can block happens between the two hooks. The address is touched before the bucket
 * is taken, so that a bad pointer faults outside.
 *
 * Release sequences are those of C11: a relaxed store by the thread that made the release store
 * continues it, one by another thread ends it, updates continue it. Seq_cst is acquire and release;
 * the total order of seq_cst operations orders no plain accesses by itself.
 */
#include <string.h>

#include "free_int.h"

static uint32_t
size_of(const struct burl_wire_site *site)
{
    return site->size_b != 0 ? site->size_b : 8;
}

static void
note_access(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site)
{
    uint32_t n = size_of(site);
    uint64_t kind = site->kind == BURL_SITE_ATOMIC_LOAD ? 0 : BURL_ENTRY_WRITE;

    if (!burl_free.race && !burl_free.pairs)
        return; /* the others are notified afterwards */
    if (n <= 8 && f->pairs)
        burl_free_pairs_access(f, addr, n, site, kind);
    else if (n <= 8)
        burl_free_access(f, addr, n, site, kind);
    else
        burl_free_range(f, addr, n, site, kind);
}

/* Relaxed, with nothing to carry and nothing to end: no object, and none needed. */
static bool
needs_object(const struct burl_free_thread *f, uint64_t key, uint8_t order)
{
    return order != BURL_MO_RELAXED || f->has_fence_release || burl_free.listens ||
           !burl__sync_none_near(key);
}

void
burl_free_atomic_pre(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site)
{
    uint64_t key = burl__sync_key((void *)addr, BURL_SYNC_MEMORY);
    uint32_t n = f->n_atomic;

    note_access(f, addr, site);
    if (site->kind == BURL_SITE_ATOMIC_LOAD)
        return;
    if (n < BURL_FREE_NESTED) {
        f->atomic[n].sync = NULL;
        f->n_atomic = n + 1;
        if (needs_object(f, key, burl_wire_mo(site->order, 0))) {
            (void)*(volatile const char *)addr;
            f->atomic[n].bucket = burl__bucket_lock(f, key);
            f->atomic[n].sync = burl__sync_get(f->atomic[n].bucket, key);
        }
    }
}

static void
collect_for_fence(struct burl_free_thread *f, const struct burl_stamp *s)
{
    if (!burl_free.has_fences)
        return;
    if (f->fence_acquire == NULL)
        f->fence_acquire = burl__arena_alloc(BURL_FREE_CLOCKS * sizeof(uint32_t));
    f->has_fence_acquire = true;
    (void)burl_clock_max(f->fence_acquire, s->vc.c, s->vc.n);
}

static void
atomic_learn(struct burl_free_thread *f, const struct burl_stamp *s, uint8_t order)
{
    if (burl_mo_acquires(order))
        burl__acquire(f, s);
    else
        collect_for_fence(f, s);
}

/* Atomics of different sizes may share bytes: libstdc++ reads both counts of a shared_ptr in one
 * load. */
static void
learn_overlapping(struct burl_free_thread *f, struct burl_bucket *b, uint64_t key, uint32_t n,
                  uint8_t order)
{
    for (struct burl_sync *s = NULL; (s = burl__sync_overlapping(b, key, n, s)) != NULL;)
        atomic_learn(f, &s->a, order);
}

/* A store or update that wrote. True: the thread's clock has to move. */
static bool
atomic_publish(struct burl_free_thread *f, struct burl_sync *s, uint8_t order, bool update)
{
    if (!update && (burl_mo_releases(order) || s->head != f->slot + 1)) {
        burl__stamp_clear(&s->a);
        s->head = burl_mo_releases(order) ? f->slot + 1 : 0;
    }
    if (burl_mo_releases(order)) {
        if (s->a.vc.n == 0 || (update && burl_mo_acquires(order)))
            burl__release_copy(f, &s->a); /* it knows what is there */
        else
            burl__release_join(f, &s->a);
        return true;
    }
    if (f->has_fence_release)
        burl__stamp_join(&s->a, f->fence_release);
    return false;
}

static void
atomic_load_post(struct burl_free_thread *f, uint64_t key, uint32_t n, uint8_t order)
{
    struct burl_bucket *b;
    struct burl_sync *s;

    if ((order == BURL_MO_RELAXED && !burl_free.has_fences) || burl__sync_none_near(key))
        return;
    b = burl__bucket_lock(f, key);
    s = burl__sync_find(b, key);
    if (s != NULL)
        atomic_learn(f, &s->a, order);
    learn_overlapping(f, b, key, n, order);
    burl__bucket_unlock(b);
}

void
burl_free_atomic_post(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                      bool stored)
{
    bool update = site->kind == BURL_SITE_ATOMIC_RMW || site->kind == BURL_SITE_ATOMIC_CAS;
    bool wrote = stored || site->kind == BURL_SITE_ATOMIC_RMW;
    uint8_t order = burl_wire_mo(site->order, site->kind == BURL_SITE_ATOMIC_CAS && !stored);
    uint64_t key = burl__sync_key((void *)addr, BURL_SYNC_MEMORY);
    bool notified = false;
    bool tick = false;

    if (site->kind == BURL_SITE_ATOMIC_LOAD) {
        atomic_load_post(f, key, size_of(site), order);
    } else if (f->n_atomic > 0) {
        uint32_t n = f->n_atomic - 1;
        struct burl_bucket *b = f->atomic[n].bucket;
        struct burl_sync *s = f->atomic[n].sync;

        if (s != NULL) {
            if (update) {
                atomic_learn(f, &s->a, order);
                learn_overlapping(f, f->atomic[n].bucket, key, size_of(site), order);
            }
            if (wrote && s->reach < size_of(site))
                s->reach = size_of(site);
            if (wrote)
                tick = atomic_publish(f, s, order, update);
            /* Further observers too learn of writes in the order in which they happen. */
            if (BURL_UNLIKELY(burl_free.listens)) {
                burl__free_notify_atomic(f, addr, site, stored);
                notified = true;
            }
        }
        f->n_atomic = n; /* before a handler can run */
        if (s != NULL)
            burl__bucket_unlock(b);
    }
    if (BURL_UNLIKELY(burl_free.has_flags))
        burl__assumed_atomic(f, addr, order, update, wrote);
    if (tick)
        burl__tick(f);
    if (BURL_UNLIKELY(burl_free.listens) && !notified)
        burl__free_notify_atomic(f, addr, site, stored);
}

/* A fault of the program's own instruction: it did not happen, and does so when the handler
 * returns. The handler may need any lock. */
void
burl__atomics_suspend(struct burl_free_thread *f, struct burl_atomics *a)
{
    a->n = f->n_atomic;
    for (uint32_t i = 0; i < a->n; i++) {
        struct burl_sync *s = f->atomic[i].sync;

        a->key[i] = s != NULL ? s->key : 0;
        f->atomic[i].sync = NULL;
        if (s != NULL)
            burl__bucket_unlock(f->atomic[i].bucket);
    }
}

void
burl__atomics_resume(struct burl_free_thread *f, const struct burl_atomics *a)
{
    f->n_atomic = a->n;
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->key[i] == 0)
            continue;
        f->atomic[i].bucket = burl__bucket_lock(f, a->key[i]);
        f->atomic[i].sync = burl__sync_get(f->atomic[i].bucket, a->key[i]);
    }
}

/* Operations that were interrupted between their hooks may have happened or not: the edge of one
 * that did not can hide a race, and a missing edge would invent one. */
void
burl_free_handler_left(struct burl_free_thread *f)
{
    const bool any = f->n_atomic != 0;

    f->handler_floor = 0;
    while (f->n_atomic != 0) {
        uint32_t n = f->n_atomic - 1;
        struct burl_bucket *b = f->atomic[n].bucket;
        struct burl_sync *s = f->atomic[n].sync;

        if (s != NULL)
            burl__release_join(f, &s->a);
        f->n_atomic = n; /* before a handler can run */
        if (s != NULL)
            burl__bucket_unlock(b);
    }
    if (burl_critical.depth != 0) {
        burl__buckets_abandon(f);
        burl__report_abandon(f);
        burl_critical.depth = 1;
        burl__critical_end();
    }
    if (any)
        burl__tick(f);
}

void
burl_free_has_fences(void)
{
    __atomic_store_n(&burl_free.has_fences, true, __ATOMIC_RELAXED);
}

void
burl_free_fence(struct burl_free_thread *f, const struct burl_wire_site *site)
{
    uint8_t order = burl_wire_mo(site->order, 0);

    if ((site->flags & BURL_SITE_F_SINGLE_THREAD) != 0)
        return;
    if (burl_mo_acquires(order) && f->has_fence_acquire) {
        (void)burl_clock_max(f->hb, f->fence_acquire, BURL_FREE_CLOCKS);
        f->hb[f->slot] = f->clock;
        f->changed = true;
    }
    if (burl_mo_releases(order)) {
        if (f->fence_release == NULL)
            f->fence_release = burl__arena_alloc(BURL_FREE_CLOCKS * sizeof(uint32_t));
        memcpy(f->fence_release, f->hb, sizeof f->hb);
        f->has_fence_release = true;
        f->changed = true;
        burl__tick(f);
    }
    if (BURL_UNLIKELY(burl_free.listens))
        burl__free_notify_fence(f, order, site->id);
}
