/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/observe.c - the event stream: clocks, locks held, and on to the observers.
 *
 * Runs in the target; contract in observe.h. Happens-before is that of C11 as far as
 * interleavings show it: program order, create/join, everything POSIX synchronizes with, atomics by
 * their order with release sequences and standalone fences. Where a primitive leaves a choice we
 * take the edge (a semaphore's wait is after every post so far), so that the error is a missed race
 * and not a false one.
 *
 * INV-O1: w->hb[w->slot] == w->clock, and no other clock knows a higher value of that slot.
 * INV-O2: w->clock moves after each release, so what a thread does later is not covered by it.
 */
#include <string.h>

#include "granules.h"
#include "rt/core/core.h"
#include "rt/core/op.h"
#include "rt/core/shadow.h"
#include "rt/core/upcalls.h"

/* A frame above this is taken for a hole: another stack, a signal's. */
#define FRAME_B (1u << 20)

const char burl_ob_channel_io;
const char burl_ob_channel_signal;

/* What is known of a sync object or atomic variable. */
struct sync {
    struct burl_chain chain;
    struct burl_vc hb;      /* last release, or all of them where they add up */
    uint32_t head;          /* atomics: slot + 1 that began the release sequence, 0 none */
    uint32_t reach;         /* atomics: bytes of the largest one that wrote here */
    struct burl_vc readers; /* releases of readers since the last writer */
    struct burl_vc cj;
};

static const struct burl_observer *const all[BURL_OBSERVER__N] = {
    [BURL_OBSERVER_RACE] = &burl_observer_race,
    [BURL_OBSERVER_LOCKSET] = &burl_observer_lockset,
    [BURL_OBSERVER_TRIPLE] = &burl_observer_triple,
    [BURL_OBSERVER_LOCKORDER] = &burl_observer_lockorder,
    [BURL_OBSERVER_SIGNALS] = &burl_observer_signals,
    [BURL_OBSERVER_RECORD] = &burl_observer_record,
    [BURL_OBSERVER_LOCPAIRS] = &burl_observer_locpairs,
    [BURL_OBSERVER_DEFUSE] = &burl_observer_defuse,
    [BURL_OBSERVER_ACCESSPAIRS] = &burl_observer_accesspairs,
    [BURL_OBSERVER_METHODPAIRS] = &burl_observer_methodpairs,
    [BURL_OBSERVER_CONCMETHODS] = &burl_observer_concmethods,
    [BURL_OBSERVER_SYNCHRO] = &burl_observer_synchro,
    [BURL_OBSERVER_HBPAIRS] = &burl_observer_hbpairs,
    [BURL_OBSERVER_AVIO] = &burl_observer_avio,
    [BURL_OBSERVER_GOLDISC] = &burl_observer_goldisc,
    [BURL_OBSERVER_PINV] = &burl_observer_pinv,
    [BURL_OBSERVER_BLOCKS] = &burl_observer_blocks,
    [BURL_OBSERVER_LINES] = &burl_observer_lines,
};

uint64_t burl__stripes[BURL_STRIPES / 64];

static const struct burl_observer *active[BURL_OBSERVER__N];
static uint32_t n_active;
static struct burl_chains syncs;
static uint32_t n_unjoined; /* threads that others need not be ordered with */
static uint64_t n_events;

#define NOTIFY(event, ...)                           \
    do {                                             \
        for (uint32_t i_ = 0; i_ < n_active; i_++) { \
            if (active[i_]->event != NULL)           \
                active[i_]->event(__VA_ARGS__);      \
        }                                            \
    } while (0)

static void
notify_action(struct burl_watch *w)
{
    if (BURL_WANTS(BURL_WANT_ACTIONS))
        NOTIFY(action, w);
}

/* ---- begin and end ------------------------------------------------------- */

void
burl_ob_begin(uint32_t mask)
{
    burl_ob_mask = mask;
    burl_ob_wants = 0;
    n_active = 0;
    n_unjoined = 0;
    n_events = 0;
    if (mask == 0)
        return;
    burl__ob_memory_reset();
    burl__chains_reset();
    burl__locksets_reset();
    burl__suspects_reset();
    for (uint32_t i = 0; i < BURL_OBSERVER__N; i++) {
        if ((mask & (1u << i)) != 0)
            active[n_active++] = all[i];
    }
    burl__cover_begin(mask);
    for (uint32_t i = 0; i < n_active; i++)
        burl_ob_wants |= active[i]->wants;
    NOTIFY(begin);
}

void
burl_ob_end(void)
{
    if (burl_ob_mask == 0)
        return;
    NOTIFY(end);
    burl_ob_mask = 0;
    burl_ob_wants = burl_ob_keeps;
}

uint64_t
burl_ob_now(void)
{
    return burl_rt.in_execution ? burl_rt.exec.steps : n_events;
}

/* ---- clocks -------------------------------------------------------------- */

static void
tick(struct burl_watch *w)
{
    burl_vc_set(&w->hb, w->slot, ++w->clock);
}

static void
tick_order(struct burl_watch *w)
{
    burl_vc_set(&w->cj, w->slot, ++w->cj_clock);
}

static struct sync *
sync_find(uintptr_t addr)
{
    return (struct sync *)burl_chains_find(&syncs, addr);
}

static struct sync *
sync_get(uintptr_t addr)
{
    return burl_chains_get(&syncs, addr, sizeof(struct sync));
}

void
burl_ob_forget_object(const volatile void *object)
{
    struct sync *s = sync_find((uintptr_t)object);

    NOTIFY(drop, (uintptr_t)object);
    if (s == NULL)
        return;
    burl_vc_clear(&s->hb);
    s->head = 0;
    s->reach = 0;
    burl_vc_clear(&s->readers);
    burl_vc_clear(&s->cj);
}

/* In controlled mode the interposed call is known; in free mode the caller has set it. */
static void
set_call_site(struct burl_watch *w)
{
    if (w->thread != NULL)
        w->at = w->thread->call_site;
}

/* ---- threads ------------------------------------------------------------- */

struct burl_watch *
burl_ob_thread_new(uint16_t tid, struct burl_watch *parent)
{
    struct burl_watch *w;

    if (burl_ob_mask == 0)
        return NULL;
    w = burl_ob_alloc(sizeof *w);
    w->tid = tid;
    w->slot = tid;
    if (parent != NULL) {
        n_unjoined++;
        set_call_site(parent);
        if ((burl_ob_wants & BURL_WANT_CALLS) != 0)
            w->birth = burl__cover_birth(parent);
        burl_vc_copy(&w->hb, &parent->hb);
        burl_vc_copy(&w->cj, &parent->cj);
    }
    tick(w);
    tick_order(w);
    if (parent != NULL) {
        NOTIFY(create, parent, w);
        notify_action(parent);
        tick(parent);
        tick_order(parent);
    }
    return w;
}

void
burl_ob_thread_end(struct burl_watch *w)
{
    w->ended_at = ++n_events; /* its clocks stay as they are, for the thread that joins it */
    if (w->depth != 0)
        burl_ob_leave(w, 0);
}

void
burl_ob_join_begin(struct burl_watch *w)
{
    w->join_began_at = ++n_events;
}

void
burl_ob_join(struct burl_watch *w, struct burl_watch *ended)
{
    set_call_site(w);
    NOTIFY(join, w, ended);
    notify_action(w);
    n_unjoined--;
    burl_vc_join(&w->hb, &ended->hb);
    burl_vc_join(&w->cj, &ended->cj);
    tick_order(w);
}

/* ---- locks --------------------------------------------------------------- */

static void
lockset_changed(struct burl_watch *w)
{
    w->lockset = burl_lockset_of(w->held.v, burl_held_known(&w->held));
}

/* For suspects of lock orders only. */
static uint32_t
user_place(const struct burl_watch *w)
{
    return w->thread != NULL && (burl_ob_mask & BURL_OB(LOCKORDER)) != 0
               ? burl__shadow_user(w->thread)
               : 0;
}

void
burl_ob_request(struct burl_watch *w, const volatile void *lock, uint32_t site, uint8_t mode)
{
    const struct burl_held h = {
        .addr = (uintptr_t)lock, .site = site, .place = user_place(w), .mode = mode
    };

    NOTIFY(request, w, &h);
}

void
burl_ob_acquire(struct burl_watch *w, const volatile void *lock, uint32_t site, uint8_t mode,
                bool by_try)
{
    const struct burl_held h = {
        .addr = (uintptr_t)lock,
        .site = site,
        .place = user_place(w),
        .taken = ++w->n_taken,
        .mode = mode,
        .by_try = by_try,
    };
    struct sync *s = sync_find(h.addr);

    n_events++;
    w->at = site;
    w->taking = (uint8_t)(1 + mode);
    NOTIFY(sink, w, h.addr);
    w->taking = 0;
    if (s != NULL) {
        burl_vc_join(&w->hb, &s->hb);
        if (mode == BURL_LOCK_EXCLUSIVE)
            burl_vc_join(&w->hb, &s->readers);
    }
    burl_held_add(&w->held, &h);
    lockset_changed(w);
    NOTIFY(acquire, w, &h);
    notify_action(w);
}

void
burl_ob_release(struct burl_watch *w, const volatile void *lock)
{
    const uintptr_t addr = (uintptr_t)lock;
    struct burl_held *h = burl_held_find(&w->held, addr);
    struct sync *s = sync_get(addr);

    n_events++;
    set_call_site(w);
    NOTIFY(source, w, addr);
    if (h != NULL) {
        NOTIFY(release, w, h);
        notify_action(w);
    }
    if (h != NULL && h->mode == BURL_LOCK_SHARED) {
        burl_vc_join(&s->readers, &w->hb);
    } else {
        burl_vc_copy(&s->hb, &w->hb);
        burl_vc_clear(&s->readers); /* its writer knew them */
    }
    tick(w);
    if (h == NULL)
        return;
    burl_held_remove(&w->held, h);
    lockset_changed(w);
}

/* Another thread has unlocked it: that thread's clock is the one the next owner receives. */
void
burl_ob_lost(struct burl_watch *owner, const volatile void *lock)
{
    struct burl_held *h = burl_held_find(&owner->held, (uintptr_t)lock);

    n_events++;
    if (h == NULL)
        return;
    NOTIFY(release, owner, h);
    notify_action(owner);
    burl_held_remove(&owner->held, h);
    lockset_changed(owner);
}

/* ---- other edges --------------------------------------------------------- */

void
burl_ob_send(struct burl_watch *w, const volatile void *object)
{
    n_events++;
    set_call_site(w);
    NOTIFY(source, w, (uintptr_t)object);
    burl_vc_join(&sync_get((uintptr_t)object)->hb, &w->hb);
    tick(w);
}

void
burl_ob_receive(struct burl_watch *w, const volatile void *object)
{
    struct sync *s = sync_find((uintptr_t)object);

    n_events++;
    set_call_site(w);
    NOTIFY(sink, w, (uintptr_t)object);
    if (s != NULL)
        burl_vc_join(&w->hb, &s->hb);
}

void
burl_ob_send_order(struct burl_watch *w, const volatile void *object)
{
    burl_vc_join(&sync_get((uintptr_t)object)->cj, &w->cj);
    tick_order(w);
    burl_ob_send(w, object);
}

void
burl_ob_receive_order(struct burl_watch *w, const volatile void *object)
{
    struct sync *s = sync_find((uintptr_t)object);

    if (s != NULL) {
        burl_vc_join(&w->cj, &s->cj);
        tick_order(w);
    }
    burl_ob_receive(w, object);
}

/* The woken thread stands still until its turn comes, so its clocks may move now. The object of the
 * edge is its watch. */
void
burl_ob_wake(struct burl_watch *w, struct burl_watch *woken)
{
    n_events++;
    set_call_site(w);
    set_call_site(woken);
    NOTIFY(source, w, (uintptr_t)woken);
    NOTIFY(sink, woken, (uintptr_t)woken);
    burl_vc_join(&woken->hb, &w->hb);
    burl_vc_join(&woken->cj, &w->cj);
    tick(w);
    tick_order(w);
    tick_order(woken);
}

void
burl_ob_cond(struct burl_watch *w, const volatile void *cond, bool is_wait, uint32_t woken,
             uint32_t site)
{
    w->at = site;
    NOTIFY(cond, w, (uintptr_t)cond, is_wait, woken, site);
    notify_action(w);
}

void
burl_ob_outcome(struct burl_watch *w, const volatile void *object, enum burl_wire_synchro what,
                uint32_t site)
{
    NOTIFY(outcome, w, (uintptr_t)object, (uint8_t)what, site);
}

/* ---- functions and blocks ------------------------------------------------ */

/* [lo, hi) of the stack begins a new life: the frame of a function that was just entered. What
 * other threads did to the variables of earlier calls is nothing to those of this one. */
static void
frame_begins(uintptr_t lo, uintptr_t hi)
{
    for (uint32_t i = 0; i < n_active; i++) {
        const struct burl_observer *o = active[i];

        if ((o->wants & BURL_WANT_CALLS) != 0 && o->granules != NULL &&
            burl_granules_near(o->granules, lo, hi))
            burl_granules_forget(o->granules, lo, hi - lo, o->granule_empty);
    }
}

void
burl_ob_enter(struct burl_watch *w, uint32_t depth, uint32_t site, uintptr_t sp)
{
    uintptr_t above = 0;

    if (w->frames == NULL)
        w->frames = burl_ob_alloc(sizeof *w->frames);
    if (depth < BURL_FRAMES) {
        above = depth != 0 ? w->frames->floor[depth - 1] : 0;
        w->frames->site[depth] = site;
        w->frames->call[depth] = w->call_from;
        w->frames->floor[depth] = sp;
    }
    w->call_from = 0;
    w->depth = depth + 1;
    if (sp != 0 && above > sp && above - sp < FRAME_B)
        frame_begins(sp, above);
    NOTIFY(enter, w, site);
}

void
burl_ob_leave(struct burl_watch *w, uint32_t depth)
{
    w->depth = depth;
    NOTIFY(leave, w);
}

void
burl_ob_block(struct burl_watch *w, uint32_t site)
{
    NOTIFY(block, w, site);
    notify_action(w);
}

/* ---- memory -------------------------------------------------------------- */

/* It races with nothing, but another thread's access may come next. */
static void
access_alone(struct burl_watch *w, const struct burl_access *a)
{
    if ((burl_ob_wants & BURL_WANT_ALONE) == 0)
        return;
    for (uint32_t i = 0; i < n_active; i++) {
        if ((active[i]->wants & BURL_WANT_ALONE) != 0)
            active[i]->access(w, a);
    }
}

void
burl_ob_access(struct burl_watch *w, const struct burl_access *a)
{
    bool write = (a->flags & BURL_ACCESS_WRITE) != 0;

    if ((write ? w->ignore_writes : w->ignore_reads) != 0)
        return;
    /* While every other thread has been joined, all that this one does is ordered with all that was
     * and all that will be. */
    if (n_unjoined == 0) {
        access_alone(w, a);
        return;
    }
    n_events++;
    w->last_site = a->site;
    w->last_op = a->op;
    NOTIFY(access, w, a);
    notify_action(w);
}

void
burl__observe_access(struct burl_thread *t, const struct burl_op *op)
{
    const struct burl_access a = {
        .addr = op->addr,
        .n = op->aux,
        .site = op->site,
        .op = op->kind,
        .flags = op->kind == BURL_OP_WRITE ? BURL_ACCESS_WRITE : 0,
    };

    /* Atomic ones are reported when they have happened: burl_ob_atomic_post(). */
    if (t->watch != NULL && op->kind <= BURL_OP_WRITE)
        burl_ob_access(t->watch, &a);
}

/* What passes through the kernel orders the threads. All pipes and sockets are one channel, in both
 * directions: telling them apart is not worth the cost. */
void
burl__observe_channel(struct burl_thread *t, const struct burl_op *op)
{
    if (t->watch == NULL)
        return;
    if (op->kind == BURL_OP_IO) {
        burl_ob_receive(t->watch, &burl_ob_channel_io);
        burl_ob_send(t->watch, &burl_ob_channel_io);
    } else if (op->kind == BURL_OP_SIGNAL) {
        burl_ob_send_order(t->watch, &burl_ob_channel_signal);
    }
}

void
burl_ob_forget(uintptr_t addr, uint64_t n)
{
    NOTIFY(forget, addr, n);
    for (uint32_t i = 0; i < n_active; i++) {
        if (active[i]->granules != NULL)
            burl_granules_forget(active[i]->granules, addr, n, active[i]->granule_empty);
    }
    burl__cover_names_forget();
}

void
burl_ob_memory(struct burl_watch *w, uintptr_t addr, uint64_t n, bool is_live)
{
    NOTIFY(memory, w, addr, n, is_live);
}

/* ---- atomics ------------------------------------------------------------- */

#define MAX_ATOMIC_B 16u

/* Bit addr % MAX_ATOMIC_B: an atomic has released at such an address. Kept for good: it only says
 * where it is worth looking. */
static uint32_t atomic_places;

/* Atomics of different sizes may share bytes: libstdc++ reads both counts of a shared_ptr in one
 * load. */
static void
acquire_overlapping(struct burl_vc *into, uintptr_t addr, uint64_t n)
{
    const uintptr_t first = addr & ~(uintptr_t)(MAX_ATOMIC_B - 1);

    if ((atomic_places & ~(1u << addr % MAX_ATOMIC_B)) == 0)
        return;
    for (uintptr_t at = first; at < addr + n; at++) {
        const struct sync *s;

        if (at == addr || (atomic_places >> at % MAX_ATOMIC_B & 1) == 0)
            continue;
        s = sync_find(at);
        if (s != NULL && s->reach != 0 && at + s->reach > addr)
            burl_vc_join(into, &s->hb);
    }
}

static void
atomic_acquire(struct burl_watch *w, uintptr_t addr, uint64_t n, uint8_t order)
{
    struct burl_vc *into = burl_mo_acquires(order) ? &w->hb : &w->fence_acquire;
    const struct sync *s = sync_find(addr);

    if (burl_mo_acquires(order))
        NOTIFY(sink, w, addr);
    else
        NOTIFY(pass, addr, (uintptr_t)&w->fence_acquire);
    if (s != NULL)
        burl_vc_join(into, &s->hb);
    acquire_overlapping(into, addr, n);
}

/* An update goes on with the release sequence that is there, and so does a store of the thread that
 * began it (C11; C++20 has given that up, but correct C code may rely on it). Any other store
 * begins a new one. A relaxed operation carries what the thread's last release fence covers. */
static void
atomic_release(struct burl_watch *w, uintptr_t addr, uint64_t n, uint8_t order, bool update)
{
    const struct burl_vc *what = burl_mo_releases(order) ? &w->hb : &w->fence_release;
    struct sync *s = sync_find(addr);
    bool goes_on = update || (s != NULL && s->head == w->slot + 1u);

    if (!goes_on)
        NOTIFY(drop, addr);
    if (burl_mo_releases(order))
        NOTIFY(source, w, addr);
    else
        NOTIFY(pass, (uintptr_t)&w->fence_release, addr);
    if (s == NULL && what->n == 0)
        return;
    if (s == NULL)
        s = sync_get(addr);
    if (s->reach < n)
        s->reach = (uint32_t)n;
    atomic_places |= 1u << addr % MAX_ATOMIC_B;
    if (goes_on)
        burl_vc_join(&s->hb, what);
    else
        burl_vc_copy(&s->hb, what);
    if (!goes_on)
        s->head = what->n != 0 ? w->slot + 1u : 0;
    if (burl_mo_releases(order))
        tick(w);
}

void
burl_ob_atomic_post(struct burl_watch *w, uintptr_t addr, const struct burl_wire_site *site,
                    bool stored)
{
    bool update = site->kind == BURL_SITE_ATOMIC_RMW || site->kind == BURL_SITE_ATOMIC_CAS;
    bool writes = stored || site->kind == BURL_SITE_ATOMIC_RMW;
    uint8_t order = burl_wire_mo(site->order, site->kind == BURL_SITE_ATOMIC_CAS && !stored);
    const struct burl_access a = {
        .addr = addr,
        .n = site->size_b != 0 ? site->size_b : 8,
        .site = site->id,
        .op = burl_op_of_atomic(site->kind),
        .flags = (uint8_t)(BURL_ACCESS_ATOMIC | (writes ? BURL_ACCESS_WRITE : 0) |
                           (update && writes ? BURL_ACCESS_RMW : 0)),
    };

    w->at = site->id;
    if (site->kind == BURL_SITE_ATOMIC_CAS)
        NOTIFY(outcome, w, addr, stored ? BURL_SYNCHRO_CAS_OK : BURL_SYNCHRO_CAS_FAILED, site->id);
    /* The access comes between the two halves: it happens after what it acquires, and what it
     * releases includes it. */
    if (site->kind != BURL_SITE_ATOMIC_STORE)
        atomic_acquire(w, addr, a.n, order);
    burl_ob_access(w, &a);
    if (site->kind != BURL_SITE_ATOMIC_STORE && burl_mo_acquires(order))
        burl__assumed_acquire(w, addr);
    if (writes)
        burl__assumed_follow(w, addr, order, update);
    if (writes)
        atomic_release(w, addr, a.n, order, update);
}

void
burl_ob_volatile(struct burl_watch *w, uintptr_t addr, bool write)
{
    if (!write) {
        burl__assumed_acquire(w, addr);
        return;
    }
    burl__assumed_release(w, addr);
    tick(w);
}

void
burl_ob_fence(struct burl_watch *w, uint8_t order)
{
    if (burl_mo_acquires(order)) {
        NOTIFY(sink, w, (uintptr_t)&w->fence_acquire);
        burl_vc_join(&w->hb, &w->fence_acquire);
    }
    if (burl_mo_releases(order)) {
        NOTIFY(drop, (uintptr_t)&w->fence_release);
        NOTIFY(source, w, (uintptr_t)&w->fence_release);
        burl_vc_copy(&w->fence_release, &w->hb);
        tick(w);
    }
}

/* ---- regions of the user's ------------------------------------------------ */

void
burl_ob_region_begin(struct burl_watch *w)
{
    if (w->region_depth++ == 0)
        NOTIFY(region_begin, w);
}

void
burl_ob_region_end(struct burl_watch *w)
{
    if (w->region_depth != 0 && --w->region_depth == 0)
        NOTIFY(region_end, w);
}
