/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/assumed.c - what volatile accesses would order if they were atomic: detect/assumed.c, for
 * threads that run freely.
 *
 * A store releases in the hook before it, without holding the bucket until it has happened: of two
 * stores at a time the other one may count, and then a race is reported for itself that need not.
 */
#include <string.h>

#include "free_int.h"

struct burl_free_assumed {
    uint32_t c[BURL_FREE_CLOCKS];
    uintptr_t by[BURL_FREE_CLOCKS];
};

static uint64_t
flag_key(uintptr_t addr)
{
    return burl__sync_key((void *)addr, BURL_SYNC_VOLATILE);
}

static void
add_known(struct burl_free_thread *f, struct burl_stamp *s, bool first)
{
    if (first)
        burl__stamp_clear(s);
    burl__release_join(f, s);
    if (f->has_assumed)
        burl__stamp_join(s, f->assumed->c);
}

static void
learn(struct burl_free_thread *f, const struct burl_stamp *s, uintptr_t addr)
{
    if (f->assumed == NULL)
        f->assumed = burl__arena_alloc(sizeof *f->assumed);
    if (!f->has_assumed)
        memset(f->assumed, 0, sizeof *f->assumed);
    f->has_assumed = true;
    for (uint32_t i = 0; i < s->vc.n; i++) {
        if (s->vc.c[i] > f->assumed->c[i] && s->vc.c[i] > f->hb[i]) {
            f->assumed->c[i] = s->vc.c[i];
            f->assumed->by[i] = addr;
        }
    }
}

void
burl_free_volatile_store(struct burl_free_thread *f, uintptr_t addr)
{
    uint64_t key = flag_key(addr);
    struct burl_bucket *b;

    if (!burl_free.race)
        return;
    /* relaxed: a thread that has not noticed it reports a race for itself that need not be */
    if (!__atomic_load_n(&burl_free.has_flags, __ATOMIC_RELAXED))
        __atomic_store_n(&burl_free.has_flags, true, __ATOMIC_RELAXED);
    b = burl__bucket_lock(f, key);
    add_known(f, &burl__sync_get(b, key)->a, true);
    burl__bucket_unlock(b);
    burl__tick(f);
}

void
burl_free_volatile_load(struct burl_free_thread *f, uintptr_t addr)
{
    uint64_t key = flag_key(addr);
    struct burl_bucket *b;
    struct burl_sync *s;

    if (!burl_free.race || burl__sync_none_near(key))
        return;
    b = burl__bucket_lock(f, key);
    s = burl__sync_find(b, key);
    if (s != NULL)
        learn(f, &s->a, addr);
    burl__bucket_unlock(b);
}

/* Of any site: compilers drop volatile from the __sync functions. */
void
burl__assumed_atomic(struct burl_free_thread *f, uintptr_t addr, uint8_t order, bool update,
                     bool wrote)
{
    uint64_t key = flag_key(addr);
    struct burl_bucket *b;
    struct burl_sync *s;

    if (burl__sync_none_near(key))
        return;
    b = burl__bucket_lock(f, key);
    s = burl__sync_find(b, key);
    if (s != NULL && (update || !wrote) && burl_mo_acquires(order))
        learn(f, &s->a, addr);
    if (s != NULL && wrote && burl_mo_releases(order))
        add_known(f, &s->a, !update);
    else if (s != NULL && wrote && !update)
        burl__stamp_clear(&s->a);
    burl__bucket_unlock(b);
}

uintptr_t
burl__assumed_behind(const struct burl_free_thread *f, uint64_t e)
{
    uint32_t slot = burl_entry_slot(e);

    return f->has_assumed && burl_entry_clock(e) <= f->assumed->c[slot] ? f->assumed->by[slot] : 0;
}
