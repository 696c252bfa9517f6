/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_objects.c - sync objects as the metrics of free mode see them, and the events that
 * reach them.
 *
 * Each object is the business of its bucket's lock alone, so threads that use different objects do
 * not wait for each other. Events come as they do to observers (free/observers.c): what goes out of
 * a thread before the call that lets others continue, what comes in after it.
 *
 * Goldilocks' short circuits need what passes from thread to thread directly: cover/goldisc.c. Its
 * locks are numbers here; a lock that begins a new life gets a new one.
 */
#include "metrics_quick.h"

#define BUCKETS 4096u
#define LINE_SHIFT 6

struct bucket {
    uint32_t lock;
    struct burl_metric_object *first;
};

static struct bucket *buckets;
static uint32_t n_locks;

bool
burl__objects_map(void)
{
    buckets = burl__free_map(BUCKETS * sizeof *buckets);
    return buckets != NULL;
}

/* All objects of one line of 64 bytes are in one bucket. */
static struct bucket *
bucket_of(uintptr_t addr)
{
    return &buckets[(addr >> LINE_SHIFT) * 0x9e3779b97f4a7c15ull >> 52];
}

struct burl_metric_object *
burl__object_lock(struct burl_metric_thread *m, uintptr_t addr, bool make)
{
    struct bucket *b = bucket_of(addr);
    struct burl_metric_object *o;

    m->busy = true;
    burl__spin_lock(&b->lock);
    for (o = b->first; o != NULL && o->addr != addr; o = o->next)
        ;
    if (o == NULL && make) {
        o = burl__arena_alloc(sizeof *o);
        o->addr = addr;
        o->next = b->first;
        b->first = o;
    }
    return o;
}

void
burl__object_unlock(struct burl_metric_thread *m, uintptr_t addr)
{
    m->busy = false; /* before a handler can run */
    burl__spin_unlock(&bucket_of(addr)->lock);
}

/* ---- lives ---------------------------------------------------------------------------------- */

/* What went into the object is gone. */
static void
object_drop(struct burl_metric_object *o)
{
    o->lock = 0;
    burl_vc_clear(&o->direct);
    burl_vc_clear(&o->readers);
    o->last.number = 0;
    o->reader.number = 0;
    o->holders = 0;
}

static void
object_renew(struct burl_metric_object *o)
{
    object_drop(o);
    o->head = 0;
    o->waiting = 0;
    o->named = false;
}

void
burl__metric_fences_forget(struct burl_metric_thread *m, const struct burl_metric_thread *of)
{
    const char *const fences[2] = { &of->fence_acquire, &of->fence_release };

    for (uint32_t i = 0; i < 2; i++) {
        struct burl_metric_object *o = burl__object_lock(m, (uintptr_t)fences[i], false);

        if (o != NULL)
            object_renew(o);
        burl__object_unlock(m, (uintptr_t)fences[i]);
    }
}

void
burl__metric_objects_forget(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    struct burl_metric_thread *m = burl_metric_of(f);

    if (m == NULL || (addr & 63) + n > 64) /* line by line: burl__sync_forget() */
        return;
    burl__object_lock(m, addr, false);
    for (struct burl_metric_object *o = bucket_of(addr)->first; o != NULL; o = o->next) {
        if (o->addr - addr < n)
            object_renew(o);
    }
    burl__object_unlock(m, addr);
}

/* ---- what passes directly, for GOLDISC ------------------------------------------------------ */

#define MAX_DIRECT 4096u /* as many threads as one controlled execution may have */

void
burl__direct_set(struct burl_vc *v, uint16_t tid, uint32_t clock)
{
    if (tid >= MAX_DIRECT)
        return;
    burl_vc_reserve(v, tid + 1u, burl__arena_alloc);
    for (; v->n <= tid; v->n++)
        v->c[v->n] = 0;
    v->c[tid] = clock;
}

static void
direct_join(struct burl_vc *to, const struct burl_vc *from)
{
    if (from->n == 0)
        return;
    burl_vc_reserve(to, from->n, burl__arena_alloc);
    for (; to->n < from->n; to->n++)
        to->c[to->n] = 0;
    (void)burl_clock_max(to->c, from->c, from->n);
}

static void
source(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t at, bool shared)
{
    if (burl_metrics.goldisc)
        burl__direct_set(shared ? &o->readers : &o->direct, f->tid, burl__own_moment(f));
    if (burl_metrics.hbpairs)
        burl__hbpairs_source(f, o, at, shared);
}

static void
sink(struct burl_free_thread *f, const struct burl_metric_object *o, uint32_t at, uint8_t taking)
{
    if (o == NULL)
        return;
    if (burl_metrics.goldisc) {
        direct_join(&f->metric->direct, &o->direct);
        if (taking == 1 + BURL_LOCK_EXCLUSIVE)
            direct_join(&f->metric->direct, &o->readers);
    }
    if (burl_metrics.hbpairs)
        burl__hbpairs_sink(f, o, at, taking);
}

/* What went into `from` has gone into `to` as well. The two may be in one bucket. */
static void
pass(struct burl_free_thread *f, uintptr_t from, uintptr_t to)
{
    struct burl_vc *passed = &f->metric->passed;
    const struct burl_metric_object *o = burl__object_lock(f->metric, from, false);
    struct burl_metric_object *p;
    struct burl_metric_source last = { 0 };

    burl_vc_clear(passed);
    if (o != NULL) {
        last = o->last;
        direct_join(passed, &o->direct);
    }
    burl__object_unlock(f->metric, from);
    if (last.number == 0 && passed->n == 0)
        return;
    p = burl__object_lock(f->metric, to, true);
    direct_join(&p->direct, passed);
    if (last.number != 0) {
        p->last = last;
        p->last.number = ++p->n_sources;
    }
    burl__object_unlock(f->metric, to);
}

/* ---- events --------------------------------------------------------------------------------- */

static uint32_t
call_site(const struct burl_free_thread *f)
{
    return burl__site_of(f->call_site);
}

void
burl__metric_request(struct burl_free_thread *f, const volatile void *lock, uint8_t mode)
{
    struct burl_metric_thread *m = burl_metric_of(f);

    (void)mode;
    if (m == NULL || !burl_metrics.synchro)
        return;
    burl__synchro_request(f, burl__object_lock(m, (uintptr_t)lock, true));
    burl__object_unlock(m, (uintptr_t)lock);
}

void
burl__metric_acquire(struct burl_free_thread *f, const volatile void *lock, uint8_t mode,
                     bool by_try)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    struct burl_held *h = burl_held_find(&f->held, (uintptr_t)lock);
    struct burl_metric_object *o;
    uint32_t at;

    if (m == NULL)
        return;
    at = call_site(f);
    o = burl__object_lock(m, (uintptr_t)lock, true);
    sink(f, o, at, (uint8_t)(1 + mode));
    if (burl_metrics.synchro)
        burl__synchro_acquire(f, o, at, by_try);
    if (o->lock == 0) /* relaxed: only that they differ matters */
        o->lock = __atomic_add_fetch(&n_locks, 1, __ATOMIC_RELAXED);
    if (h != NULL)
        h->taken = o->lock;
    burl__object_unlock(m, (uintptr_t)lock);
    burl_metric_changed(m);
}

void
burl__metric_release(struct burl_free_thread *f, const volatile void *lock)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    const struct burl_held *h = burl_held_find(&f->held, (uintptr_t)lock);
    struct burl_metric_object *o;
    uint32_t at;

    if (m == NULL)
        return;
    at = call_site(f);
    o = burl__object_lock(m, (uintptr_t)lock, true);
    source(f, o, at, h != NULL && h->mode == BURL_LOCK_SHARED);
    if (h != NULL && burl_metrics.synchro)
        burl__synchro_release(f, o, at);
    burl__object_unlock(m, (uintptr_t)lock);
    burl_metric_changed(m);
}

void
burl__metric_send(struct burl_free_thread *f, const volatile void *object)
{
    struct burl_metric_thread *m = burl_metric_of(f);

    if (m == NULL)
        return;
    source(f, burl__object_lock(m, (uintptr_t)object, true), call_site(f), false);
    burl__object_unlock(m, (uintptr_t)object);
    burl_metric_changed(m);
}

void
burl__metric_receive(struct burl_free_thread *f, const volatile void *object)
{
    struct burl_metric_thread *m = burl_metric_of(f);

    if (m == NULL)
        return;
    sink(f, burl__object_lock(m, (uintptr_t)object, false), call_site(f), 0);
    burl__object_unlock(m, (uintptr_t)object);
    burl_metric_changed(m);
}

void
burl__metric_send_order(struct burl_free_thread *f, const volatile void *object)
{
    burl__metric_send(f, object);
}

void
burl__metric_receive_order(struct burl_free_thread *f, const volatile void *object)
{
    burl__metric_receive(f, object);
}

void
burl__metric_cond(struct burl_free_thread *f, const volatile void *cond, bool is_wait,
                  uint32_t woken)
{
    struct burl_metric_thread *m = burl_metric_of(f);

    if (m == NULL || !burl_metrics.synchro)
        return;
    burl__synchro_cond(f, burl__object_lock(m, (uintptr_t)cond, true), is_wait, woken,
                       call_site(f));
    burl__object_unlock(m, (uintptr_t)cond);
}

void
burl__metric_outcome(struct burl_free_thread *f, const volatile void *object,
                     enum burl_wire_synchro what)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    uint32_t at;

    if (m == NULL || !burl_metrics.synchro)
        return;
    at = call_site(f);
    if (object != NULL && m->wait_cond == (uintptr_t)object &&
        (what == BURL_SYNCHRO_TIMED_OUT || what == BURL_SYNCHRO_WAITED ||
         what == BURL_SYNCHRO__N)) {
        burl__synchro_wait_ends(f, burl__object_lock(m, (uintptr_t)object, true), at,
                                (uint8_t)what);
        burl__object_unlock(m, (uintptr_t)object);
        return;
    }
    if (what != BURL_SYNCHRO_CAS_OK && what != BURL_SYNCHRO_CAS_FAILED)
        burl__synchro_put(f, at, BURL_SYNCHRO_VISITED);
    if (what < BURL_SYNCHRO__N)
        burl__synchro_put(f, at, what);
}

/* ---- atomics: as burl_ob_atomic_post() ------------------------------------------------------ */

static void
atomic_acquire(struct burl_free_thread *f, uintptr_t addr, uint8_t order, uint32_t site)
{
    struct burl_metric_thread *m = f->metric;

    if (burl_mo_acquires(order)) {
        sink(f, burl__object_lock(m, addr, false), site, 0);
        burl__object_unlock(m, addr);
        burl_metric_changed(m);
    } else if (burl_free.has_fences) {
        pass(f, addr, (uintptr_t)&m->fence_acquire);
    }
}

static void
atomic_release(struct burl_free_thread *f, uintptr_t addr, uint8_t order, bool update,
               uint32_t site)
{
    struct burl_metric_thread *m = f->metric;
    bool releases = burl_mo_releases(order);
    bool publishes = releases || f->has_fence_release;
    struct burl_metric_object *o = burl__object_lock(m, addr, publishes);

    if (o != NULL && !update && o->head != f->tid + 1u) { /* a new release sequence */
        object_drop(o);
        o->head = publishes ? f->tid + 1u : 0;
    }
    if (o != NULL && releases)
        source(f, o, site, false);
    burl__object_unlock(m, addr);
    if (!releases && f->has_fence_release)
        pass(f, (uintptr_t)&m->fence_release, addr);
    if (releases)
        burl_metric_changed(m);
}

void
burl__metric_atomic(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                    bool stored)
{
    bool update = site->kind == BURL_SITE_ATOMIC_RMW || site->kind == BURL_SITE_ATOMIC_CAS;
    bool writes = stored || site->kind == BURL_SITE_ATOMIC_RMW;
    uint8_t order = burl_wire_mo(site->order, site->kind == BURL_SITE_ATOMIC_CAS && !stored);
    uint8_t flags = (uint8_t)(BURL_ACCESS_ATOMIC | (writes ? BURL_ACCESS_WRITE : 0) |
                              (update && writes ? BURL_ACCESS_RMW : 0));

    if (burl_metric_of(f) == NULL)
        return;
    if (site->kind == BURL_SITE_ATOMIC_CAS && burl_metrics.synchro)
        burl__synchro_put(f, site->id, stored ? BURL_SYNCHRO_CAS_OK : BURL_SYNCHRO_CAS_FAILED);
    if (site->kind != BURL_SITE_ATOMIC_STORE)
        atomic_acquire(f, addr, order, site->id);
    if ((writes ? f->ignore_writes : f->ignore_reads) == 0)
        burl_metric_memory(f, addr, site->size_b != 0 ? site->size_b : 8, site, flags);
    if (writes)
        atomic_release(f, addr, order, update, site->id);
}

void
burl__metric_fence(struct burl_free_thread *f, uint8_t order, uint32_t site)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    uintptr_t at;

    if (m == NULL)
        return;
    if (burl_mo_acquires(order)) {
        at = (uintptr_t)&m->fence_acquire;
        sink(f, burl__object_lock(m, at, false), site, 0);
        burl__object_unlock(m, at);
    }
    if (burl_mo_releases(order)) {
        struct burl_metric_object *o;

        at = (uintptr_t)&m->fence_release;
        o = burl__object_lock(m, at, true);
        object_drop(o);
        source(f, o, site, false);
        burl__object_unlock(m, at);
    }
    burl_metric_changed(m);
}
