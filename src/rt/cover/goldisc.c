/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/goldisc.c - GOLDISC: how the Goldilocks rules decide an access (GoldiLockSC*, PAPERS 5.6).
 *
 * Runs in the target; after Elmas, Qadeer and Tasiran (PLDI 2007, CACM 2010), read/write version.
 * Compared with a past access to the same bytes, an access has one of four states: SCT same thread,
 * or nothing to compare with; SCL a lock held then is held now (short circuit 2), or only the two
 * threads took part in passing it on (3); LS ordered through others (4); E not ordered (5). For
 * several past accesses the worst counts. Items are (abstract variable, kind of thread, site,
 * state). An access of an assertion has no state of its own, but its past counts for others', since
 * it can be part of a race.
 *
 * Departures:
 *  - The lockset of a past access holds the threads and sync objects through which it is known. A
 *    thread is in it exactly when the access happens before what the thread does now, and that is
 *    what the clocks of the stream say (w->hb). They do not say whether others took part. So each
 *    object has a clock of what threads released into it themselves, and each thread one of what it
 *    acquired from such clocks, from the thread that created it and from threads that it joined:
 *    the direct half of the lockset transfer.
 *  - Past accesses are kept and dropped as in detect/race.c: atomics do not race with each other,
 *    bytes have their own history, and a past access goes only when a later one that is ordered
 *    after it stands for it. (The paper sets the lockset to {t} after a race, which hides pairs.)
 *  - Release sequences, fences and rwlocks are objects and transfers between objects.
 *
 * Beyond the first RANGE_B bytes of a range nothing is looked at: a miss.
 */
#include "bytes.h"

#define RANGE_B 4096u

enum state { SCT, SCL, LS, E };

struct object {
    struct burl_chain chain; /* key: object_key() */
    struct burl_vc direct;   /* what threads released into it themselves */
    uint32_t life;
};

struct past {
    struct past *next;
    const struct object *lock; /* the innermost held then, NULL none */
    uint32_t life;             /* of the lock */
    uint32_t clock;            /* when, in the thread's own clock */
    uint16_t slot;
    uint16_t tid;
    uint8_t lock_mode;
    uint8_t mask;
    uint8_t flags;
};

struct granule {
    struct burl_chain chain;
    struct past *past;
};

static struct burl_chains granules;
static struct burl_chains objects;
static struct burl_pool pasts;

/* ---- what passes from thread to thread directly -------------------------------- */

/* What readers of a lock leave behind is an object of its own. No bit of an address is free:
 * objects of annotations have the highest. */
static uintptr_t
object_key(uintptr_t addr, bool readers)
{
    return readers ? ~addr : addr;
}

static struct object *
object_find(uintptr_t addr, bool readers)
{
    return (struct object *)burl_chains_find(&objects, object_key(addr, readers));
}

static struct object *
object_get(uintptr_t addr, bool readers)
{
    return burl_chains_get(&objects, object_key(addr, readers), sizeof(struct object));
}

static struct burl_vc *
goldisc_own(struct burl_watch *w)
{
    return burl_ob_own(w, BURL_OBSERVER_GOLDISC, sizeof(struct burl_vc));
}

/* Readers of a lock leave what they did to the next writer only. */
static void
goldisc_source(struct burl_watch *w, uintptr_t addr)
{
    struct object *o = object_get(addr, burl_held_shared(&w->held, addr));

    burl_vc_set(&o->direct, w->slot, w->clock);
}

static void
object_acquire(struct burl_watch *w, uintptr_t addr, bool readers)
{
    const struct object *o = object_find(addr, readers);

    if (o != NULL)
        burl_vc_join(goldisc_own(w), &o->direct);
}

static void
goldisc_sink(struct burl_watch *w, uintptr_t addr)
{
    object_acquire(w, addr, false);
}

static void
goldisc_acquire(struct burl_watch *w, const struct burl_held *lock)
{
    if (lock->mode == BURL_LOCK_EXCLUSIVE)
        object_acquire(w, lock->addr, true);
}

static void
goldisc_drop(uintptr_t addr)
{
    for (int readers = 0; readers < 2; readers++) {
        struct object *o = object_find(addr, readers != 0);

        if (o == NULL)
            continue;
        o->life++;
        burl_vc_clear(&o->direct);
    }
}

static void
goldisc_pass(uintptr_t from, uintptr_t to)
{
    const struct object *o = object_find(from, false);

    if (o != NULL)
        burl_vc_join(&object_get(to, false)->direct, &o->direct);
}

static void
goldisc_create(struct burl_watch *parent, struct burl_watch *child)
{
    burl_vc_set(goldisc_own(child), parent->slot, parent->clock);
}

static void
goldisc_join(struct burl_watch *w, struct burl_watch *ended)
{
    burl_vc_set(goldisc_own(w), ended->slot, ended->clock);
}

/* ---- accesses --------------------------------------------------------------- */

/* Is the lock of the past access held now, so that its holder must have passed it on? */
static bool
lock_is_held(const struct past *p, const struct burl_watch *w)
{
    if (p->lock == NULL || p->lock->life != p->life)
        return false;
    for (uint32_t i = 0; i < burl_held_known(&w->held); i++) {
        const struct burl_held *h = &w->held.v[i];

        if (h->addr == p->lock->chain.key)
            return h->mode == BURL_LOCK_EXCLUSIVE || p->lock_mode == BURL_LOCK_EXCLUSIVE;
    }
    return false;
}

static enum state
state_of(const struct past *p, struct burl_watch *w)
{
    if (p->tid == w->tid)
        return SCT;
    if (lock_is_held(p, w) || p->clock <= burl_vc_get(goldisc_own(w), p->slot))
        return SCL;
    return burl_hb_before(p->slot, p->clock, w) ? LS : E;
}

static void
past_add(struct granule *g, const struct burl_watch *w, const struct burl_access *a, uint8_t mask)
{
    struct past *p = burl_pool_take(&pasts, sizeof *p);

    *p = (struct past){ .next = g->past,
                        .clock = w->clock,
                        .slot = w->slot,
                        .tid = w->tid,
                        .mask = mask,
                        .flags = a->flags };
    if (w->held.n != 0 && w->held.n <= BURL_MAX_HELD) {
        const struct burl_held *h = &w->held.v[w->held.n - 1];

        p->lock = object_get(h->addr, false);
        p->life = p->lock->life;
        p->lock_mode = h->mode;
    }
    g->past = p;
}

static enum state
goldisc_granule_access(struct burl_watch *w, const struct burl_access *a,
                       const struct burl_piece *piece)
{
    struct granule *g = burl_granule_get(&granules, piece->key, sizeof *g);
    enum state worst = SCT;

    for (struct past **at = &g->past; *at != NULL;) {
        struct past *p = *at;
        uint8_t common = p->mask & piece->mask;
        bool races = burl_access_races(p->flags, a->flags);
        bool replaces = burl_access_stands_for(a->flags, p->flags);

        if (common != 0 && (races || replaces)) {
            enum state s = state_of(p, w);

            if (races && s > worst)
                worst = s;
            if (replaces && s != E)
                p->mask &= (uint8_t)~common;
        }
        if (p->mask == 0)
            BURL_POOL_GIVE_AT(&pasts, at);
        else
            at = &p->next;
    }
    past_add(g, w, a, piece->mask);
    return worst;
}

static void
goldisc_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);
    enum state worst = SCT;

    while (burl_piece_next(&piece)) {
        enum state s = goldisc_granule_access(w, a, &piece);

        if (s > worst)
            worst = s;
    }
    if ((a->flags & BURL_ACCESS_FREE) == 0 && a->site != 0 && !burl__cover_is_assert(a->site))
        burl__cover_put(BURL_METRIC_GOLDISC, a->site, (uint32_t)worst,
                        burl__cover_variable(a->addr), burl__cover_thread(w), 0);
}

static void
goldisc_granule_empty(struct burl_chain *chain)
{
    BURL_POOL_GIVE_ALL(&pasts, &((struct granule *)chain)->past);
}

const struct burl_observer burl_observer_goldisc = {
    .wants = BURL_WANT_CALLS | BURL_WANT_ALONE,
    .granules = &granules,
    .granule_empty = goldisc_granule_empty,
    .access = goldisc_access,
    .acquire = goldisc_acquire,
    .source = goldisc_source,
    .sink = goldisc_sink,
    .drop = goldisc_drop,
    .pass = goldisc_pass,
    .create = goldisc_create,
    .join = goldisc_join,
};
