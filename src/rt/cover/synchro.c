/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/synchro.c - SYNCHRO: how each synchronization of the program went (PAPERS 5.6).
 *
 * Runs in the target. Most of it follows from the events that all observers get:
 *   - a lock was held by another when it was requested, or taken by another before it was got: it
 *     had to wait, and where the last of these holders took it made another wait;
 *   - a thread that waits again at the same place, on the same condition variable, and has given
 *     back no lock since but by waiting, waits again in the same loop;
 *   - a signal finds the threads waiting that began to and were not signaled, nor gave up.
 * What cannot be known so (try operations that failed, time-outs, semaphores, barriers,
 * compare-exchange) is reported as an outcome.
 *
 * In free mode the moment of the report differs from that of the operation by a few instructions,
 * so a lock that is given back just then may count as waited for.
 */
#include "cover.h"
#include "rt/detect/detect.h"

struct lock {
    struct burl_chain chain; /* key: address */
    uint32_t holders;
    uint32_t n_taken;
    uint32_t site;    /* where it was taken last */
    uint16_t tid;     /* by which thread */
    uint32_t waiting; /* condition variable: threads that began to and were not woken */
    uint32_t signals;
};

struct own {
    uintptr_t requested; /* lock, 0 none */
    uint32_t requested_taken;
    bool requested_held;
    bool waits; /* on a condition variable */
    uint32_t wait_site;
    uintptr_t wait_cond;
    uint32_t wait_gave; /* n_gave then, the wait's own included */
    uint32_t wait_signals;
    uint32_t n_gave;
};

static struct burl_chains locks;

static struct lock *
lock_get(uintptr_t addr)
{
    return burl_chains_get(&locks, addr, sizeof(struct lock));
}

static struct own *
synchro_own(struct burl_watch *w)
{
    return burl_ob_own(w, BURL_OBSERVER_SYNCHRO, sizeof(struct own));
}

static void
synchro_cover(uint32_t site, enum burl_wire_synchro what)
{
    if (site != 0)
        burl__cover_put(BURL_METRIC_SYNCHRO, site, (uint32_t)what, 0, 0, 0);
}

/* ---- locks ---------------------------------------------------------------------------------- */

static void
synchro_request(struct burl_watch *w, const struct burl_held *lock)
{
    struct own *own = synchro_own(w);
    const struct lock *l = lock_get(lock->addr);

    own->requested = lock->addr;
    own->requested_taken = l->n_taken;
    own->requested_held = l->holders != 0 && l->tid != w->tid;
    if (own->requested_held)
        synchro_cover(l->site, BURL_SYNCHRO_BLOCKING);
}

static void
synchro_acquire(struct burl_watch *w, const struct burl_held *lock)
{
    struct own *own = synchro_own(w);
    struct lock *l = lock_get(lock->addr);

    if (lock->by_try)
        synchro_cover(lock->site, BURL_SYNCHRO_TRY_OK);
    else if (!own->waits)
        synchro_cover(lock->site, BURL_SYNCHRO_VISITED);
    if (own->requested == lock->addr) {
        bool overtaken = l->n_taken != own->requested_taken;

        if (overtaken && l->tid != w->tid)
            synchro_cover(l->site, BURL_SYNCHRO_BLOCKING);
        if (overtaken || own->requested_held)
            synchro_cover(lock->site, BURL_SYNCHRO_BLOCKED);
    }
    own->requested = 0;
    own->waits = false;
    l->holders++;
    l->n_taken++;
    l->site = lock->site;
    l->tid = w->tid;
}

static void
synchro_release(struct burl_watch *w, const struct burl_held *lock)
{
    struct lock *l = lock_get(lock->addr);

    if (!synchro_own(w)->waits)
        synchro_cover(w->at, BURL_SYNCHRO_VISITED);
    synchro_own(w)->n_gave++;
    l->holders -= l->holders != 0;
}

static void
synchro_drop(uintptr_t object)
{
    struct lock *l = (struct lock *)burl_chains_find(&locks, object);

    if (l != NULL)
        l->holders = 0;
}

/* ---- condition variables -------------------------------------------------------------------- */

static void
synchro_wait_begins(struct burl_watch *w, uintptr_t cond, uint32_t site)
{
    struct own *own = synchro_own(w);
    struct lock *c = lock_get(cond);

    synchro_cover(site, BURL_SYNCHRO_VISITED);
    synchro_cover(site, BURL_SYNCHRO_WAITED);
    if (own->wait_site == site && own->wait_cond == cond && own->wait_gave == own->n_gave)
        synchro_cover(site, BURL_SYNCHRO_REWAITED);
    own->wait_site = site;
    own->wait_cond = cond;
    own->wait_gave = own->n_gave + 1; /* it is about to give back the mutex */
    own->wait_signals = c->signals;
    own->waits = true;
    c->waiting++;
}

static void
synchro_cond(struct burl_watch *w, uintptr_t cond, bool is_wait, uint32_t woken, uint32_t site)
{
    struct lock *c;

    if (is_wait) {
        synchro_wait_begins(w, cond, site);
        return;
    }
    c = lock_get(cond);
    synchro_cover(site, BURL_SYNCHRO_VISITED);
    synchro_cover(site, c->waiting == 0   ? BURL_SYNCHRO_NO_WAITER
                        : c->waiting == 1 ? BURL_SYNCHRO_ONE_WAITER
                                          : BURL_SYNCHRO_MANY_WAITERS);
    c->signals++;
    if (woken > 1) /* a broadcast; 1 and BURL_WOKEN_ONE: a signal */
        c->waiting = woken == BURL_WOKEN_ONE ? c->waiting - (c->waiting != 0) : 0;
    else
        c->waiting -= c->waiting != 0;
}

/* A wait on a condition variable ended: by a signal or nothing (WAITED), with its time, or it was
 * given up (__N). */
static void
synchro_wait_ends(struct burl_watch *w, uintptr_t cond, uint32_t site, uint8_t what)
{
    const struct own *own = synchro_own(w);
    struct lock *c = lock_get(cond);

    if (what == BURL_SYNCHRO_WAITED && own->wait_signals != c->signals)
        return;
    if (what != BURL_SYNCHRO__N)
        synchro_cover(site,
                      what == BURL_SYNCHRO_WAITED ? BURL_SYNCHRO_SPURIOUS : BURL_SYNCHRO_TIMED_OUT);
    c->waiting -= c->waiting != 0;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void
synchro_outcome(struct burl_watch *w, uintptr_t object, uint8_t what, uint32_t site)
{
    const struct own *own = synchro_own(w);

    if (object != 0 && own->wait_cond == object &&
        (what == BURL_SYNCHRO_TIMED_OUT || what == BURL_SYNCHRO_WAITED ||
         what == BURL_SYNCHRO__N)) {
        synchro_wait_ends(w, object, site, what);
        return;
    }
    if (what != BURL_SYNCHRO_CAS_OK && what != BURL_SYNCHRO_CAS_FAILED)
        synchro_cover(site, BURL_SYNCHRO_VISITED);
    if (what < BURL_SYNCHRO__N)
        synchro_cover(site, (enum burl_wire_synchro)what);
}

static void
synchro_create(struct burl_watch *parent, struct burl_watch *child)
{
    (void)child;
    synchro_cover(parent->at, BURL_SYNCHRO_VISITED);
}

static void
synchro_join(struct burl_watch *w, struct burl_watch *ended)
{
    synchro_cover(w->at, BURL_SYNCHRO_VISITED);
    synchro_cover(w->at, ended->ended_at != 0 && ended->ended_at < w->join_began_at
                             ? BURL_SYNCHRO_FINISHED
                             : BURL_SYNCHRO_RUNNING);
}

const struct burl_observer burl_observer_synchro = {
    .wants = BURL_WANT_SYNC,
    .request = synchro_request,
    .acquire = synchro_acquire,
    .release = synchro_release,
    .drop = synchro_drop,
    .cond = synchro_cond,
    .create = synchro_create,
    .join = synchro_join,
    .outcome = synchro_outcome,
};
