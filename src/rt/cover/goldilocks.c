/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/goldilocks.c - data races by the locksets of Goldilocks, with its short circuits.
 *
 * Runs in the target; after Elmas, Qadeer and Tasiran (PLDI 2007, CACM 2010), read/write version.
 * The lockset GLS of a past access holds the threads and sync objects through which it is known: a
 * thread in it that releases into an object adds the object, a thread that acquires from an object
 * in it is added. An access of a thread that is not in the set races with the past one.
 *
 * Lazy: events go into one list, and a set is brought up to date only when somebody asks. Every
 * access is one of four states (ctl->result.goldilocks): SCT same thread or nothing to compare
 * with, SCL a lock held then is held now (short circuit 2) or the two threads alone passed it on
 * (3), LS ordered through others (4), E not ordered (5): a warning (variable, location, location).
 * For several past accesses the worst counts.
 *
 * The coverage metric GOLDISC takes the state of each access from here (cover/goldisc.c); asked for
 * alone, nothing is warned about. Like the other metrics of memory it counts what a thread does
 * while there is no other, so there is a second observer for it, with the same functions.
 *
 * Departures:
 *  - All accesses of one thread between two of its releases have the same GLS, so the set belongs
 *    to such a stretch (struct origin) and not to the variable; each event is applied at most once
 *    to each stretch that some variable still remembers. When the list is full it starts anew: that
 *    is the trimming.
 *  - A stretch with more than REPLAY_MAX events to apply is given up: from then on the clocks say
 *    whether it is ordered (E is the same set), and what is ordered counts as LS, since who had a
 *    part in it is not known. Otherwise a long run takes time quadratic in its length.
 *  - Short circuits 3 and 4 are one replay that marks what only the two threads had a part in.
 *  - Past accesses are kept and dropped as in race.c: atomics do not race with each other, bytes
 *    have their own history, and a past access goes only when a later one that is ordered after it
 *    stands for it. (The paper sets GLS = {t} after a race, which hides further pairs.)
 *  - Release sequences, fences and rwlocks are objects and transfers between objects.
 *
 * Complexity: O(past accesses of the byte) per access plus the replay, in total REPLAY_MAX events
 * for each stretch in the worst case; a 64-bit summary of each set lets most events pass.
 *
 * Direction of the error: none; E is exactly the happens-before races of this execution. Beyond the
 * first RANGE_B bytes of a range nothing is looked at: a miss.
 */
#include <string.h>

#include "bytes.h"
#include "rt/core/core.h"
#include "rt/detect/granules.h"

#define EVENTS 65536u
#define REPLAY_MAX 1024u
#define RANGE_B 4096u
#define NO_LOCK UINT32_MAX
#define GONE UINT32_MAX /* event.from: `to` is taken out of all sets */

enum state { SCT, SCL, LS, E };

struct event {
    uint32_t from;
    uint32_t to;
};

/* A stretch of a thread's run and its lockset. Elements are 2 * id + direct, sorted; ids of threads
 * are even, of objects odd. Direct: no third thread had a part in it. */
struct origin {
    struct origin *next; /* live ones */
    struct origin *prev;
    uint32_t *set;
    uint32_t n;
    uint32_t cap;
    uint64_t summary; /* one bit per element, never taken back */
    uint32_t at;      /* events before this one are applied */
    uint32_t refs;
    uint16_t tid;
    bool old; /* too much has happened since: clocks decide, the set is not kept up */
};

struct past {
    struct past *next;
    struct origin *origin;
    uint32_t site;
    uint32_t lock; /* object held then, NO_LOCK */
    uint32_t life;
    uint32_t lockset;
    uint32_t size_b;
    uint32_t clock; /* when, in the thread's own clock */
    uint16_t slot;
    uint16_t tid;
    uint8_t lock_mode;
    uint8_t mask;
    uint8_t flags;
    uint8_t op;
    const struct burl_wire_side *side; /* kept when the order aims at the site */
};

struct granule {
    struct burl_chain chain;
    struct past *past;
};

struct object {
    struct burl_chain chain; /* key: object_key() */
    uint32_t number;
    uint32_t life;
};

static struct burl_chains granules;
static struct burl_chains objects;
static struct past *free_past;
static struct origin *free_origins;
static struct origin *live;
static struct event *events;
static uint32_t n_events;

static void
goldilocks_begin(void)
{
    burl_chains_clear(&granules);
    burl_chains_clear(&objects);
    free_past = NULL;
    free_origins = NULL;
    live = NULL;
    if (events == NULL)
        events = burl_rt_alloc(EVENTS * sizeof *events);
    n_events = 0;
}

/* ---- sets ----------------------------------------------------------------- */

static uint64_t
summary_bit(uint32_t id)
{
    return 1ull << ((id * 0x9e3779b1u) >> 26);
}

/* Where the id is, or would be. */
static uint32_t
set_at(const struct origin *o, uint32_t id)
{
    uint32_t lo = 0;
    uint32_t hi = o->n;

    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;

        if (o->set[mid] / 2 < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static const uint32_t *
set_find(const struct origin *o, uint32_t id)
{
    uint32_t at;

    if ((o->summary & summary_bit(id)) == 0)
        return NULL;
    at = set_at(o, id);
    return at < o->n && o->set[at] / 2 == id ? &o->set[at] : NULL;
}

static void
set_add(struct origin *o, uint32_t id, uint32_t direct)
{
    uint32_t at = set_at(o, id);

    if (at < o->n && o->set[at] / 2 == id) {
        o->set[at] |= direct;
        return;
    }
    if (o->n == o->cap) {
        uint32_t *old = o->set;

        o->cap = o->cap != 0 ? 2 * o->cap : 8;
        o->set = burl_ob_alloc(o->cap * sizeof *o->set);
        if (o->n != 0)
            memcpy(o->set, old, o->n * sizeof *old);
    }
    memmove(&o->set[at + 1], &o->set[at], (o->n - at) * sizeof *o->set);
    o->set[at] = 2 * id + direct;
    o->n++;
    o->summary |= summary_bit(id);
}

static void
set_remove(struct origin *o, uint32_t id)
{
    const uint32_t *found = set_find(o, id);
    uint32_t at;

    if (found == NULL)
        return;
    at = (uint32_t)(found - o->set);
    memmove(&o->set[at], &o->set[at + 1], (o->n - at - 1) * sizeof *o->set);
    o->n--;
}

static uint32_t
thread_id(uint16_t tid)
{
    return 2u * tid;
}

/* A thread passes on directly only what it did itself; an object what came into it directly. */
static void
apply(struct origin *o, const struct event *e)
{
    const uint32_t *from;
    uint32_t direct;

    if (e->from == GONE) {
        set_remove(o, e->to);
        return;
    }
    from = set_find(o, e->from);
    if (from == NULL)
        return;
    direct = e->from % 2 == 0 ? e->from == thread_id(o->tid) : *from & 1;
    set_add(o, e->to, direct);
}

static void
replay(struct origin *o)
{
    for (; o->at < n_events; o->at++)
        apply(o, &events[o->at]);
}

/* Brings the set up to date, unless that takes too long. */
static void
keep_up(struct origin *o)
{
    o->old = o->old || n_events - o->at > REPLAY_MAX;
    if (!o->old)
        replay(o);
}

static void
event_add(uint32_t from, uint32_t to)
{
    if (n_events == EVENTS) {
        for (struct origin *o = live; o != NULL; o = o->next) {
            keep_up(o);
            o->at = 0;
        }
        n_events = 0;
    }
    events[n_events++] = (struct event){ from, to };
}

/* ---- stretches ------------------------------------------------------------- */

static void
origin_unref(struct origin *o)
{
    if (--o->refs != 0)
        return;
    if (o->prev != NULL)
        o->prev->next = o->next;
    else
        live = o->next;
    if (o->next != NULL)
        o->next->prev = o->prev;
    o->next = free_origins;
    free_origins = o;
}

static struct origin *
origin_of(struct burl_watch *w)
{
    struct origin *o = w->own[BURL_OBSERVER_GOLDILOCKS];

    if (o != NULL)
        return o;
    o = free_origins;
    if (o == NULL)
        o = burl_ob_alloc(sizeof *o);
    else
        free_origins = o->next;
    o->n = 0; /* the room of its set is kept */
    o->old = false;
    o->summary = 0;
    o->at = n_events;
    o->refs = 1;
    o->tid = w->tid;
    o->prev = NULL;
    o->next = live;
    if (live != NULL)
        live->prev = o;
    live = o;
    set_add(o, thread_id(w->tid), 1);
    w->own[BURL_OBSERVER_GOLDILOCKS] = o;
    return o;
}

/* What w did so far becomes known to others; what it does from now on does not. */
static void
passes_on(struct burl_watch *w, uint32_t to)
{
    struct origin *o = w->own[BURL_OBSERVER_GOLDILOCKS];

    event_add(thread_id(w->tid), to);
    if (o != NULL) {
        w->own[BURL_OBSERVER_GOLDILOCKS] = NULL;
        origin_unref(o);
    }
}

/* ---- events ---------------------------------------------------------------- */

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

static uint32_t
object_id(uintptr_t addr, bool readers)
{
    struct object *o = object_find(addr, readers);

    if (o == NULL) {
        o = burl_ob_alloc(sizeof *o);
        o->chain.key = object_key(addr, readers);
        o->number = objects.n;
        burl_chains_add(&objects, &o->chain);
    }
    return 2 * o->number + 1;
}

static const struct burl_held *
held_find(const struct burl_watch *w, uintptr_t addr)
{
    uint32_t n = w->n_held < BURL_MAX_HELD ? w->n_held : BURL_MAX_HELD;

    for (uint32_t i = n; i > 0; i--) {
        if (w->held[i - 1].addr == addr)
            return &w->held[i - 1];
    }
    return NULL;
}

/* Readers of a lock leave what they did to the next writer only. */
static void
goldilocks_source(struct burl_watch *w, uintptr_t object)
{
    const struct burl_held *h = held_find(w, object);

    passes_on(w, object_id(object, h != NULL && h->mode == BURL_LOCK_SHARED));
}

static void
goldilocks_sink(struct burl_watch *w, uintptr_t object)
{
    if (object_find(object, false) != NULL)
        event_add(object_id(object, false), thread_id(w->tid));
}

static void
goldilocks_acquire(struct burl_watch *w, const struct burl_held *lock)
{
    if (lock->mode == BURL_LOCK_EXCLUSIVE && object_find(lock->addr, true) != NULL)
        event_add(object_id(lock->addr, true), thread_id(w->tid));
}

static void
goldilocks_drop(uintptr_t object)
{
    for (int readers = 0; readers < 2; readers++) {
        struct object *o = object_find(object, readers != 0);

        if (o == NULL)
            continue;
        o->life++;
        event_add(GONE, 2 * o->number + 1);
    }
}

static void
goldilocks_pass(uintptr_t from, uintptr_t to)
{
    if (object_find(from, false) != NULL)
        event_add(object_id(from, false), object_id(to, false));
}

static void
goldilocks_create(struct burl_watch *parent, struct burl_watch *child)
{
    passes_on(parent, thread_id(child->tid));
}

static void
goldilocks_join(struct burl_watch *w, struct burl_watch *ended)
{
    event_add(thread_id(ended->tid), thread_id(w->tid));
}

/* ---- accesses --------------------------------------------------------------- */

/* Is the lock of the past access held now, so that its holder must have passed it on? */
static bool
lock_held(const struct past *p, const struct burl_watch *w)
{
    uint32_t n = w->n_held < BURL_MAX_HELD ? w->n_held : BURL_MAX_HELD;

    if (p->lock == NO_LOCK)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_held *h = &w->held[i];
        const struct object *o = object_find(h->addr, false);

        if (o != NULL && o->number == p->lock && o->life == p->life)
            return h->mode == BURL_LOCK_EXCLUSIVE || p->lock_mode == BURL_LOCK_EXCLUSIVE;
    }
    return false;
}

static enum state
state_of(const struct past *p, const struct burl_watch *w)
{
    const uint32_t *found;

    if (p->tid == w->tid)
        return SCT;
    if (lock_held(p, w))
        return SCL;
    keep_up(p->origin);
    if (p->origin->old)
        return burl_hb_before(p->slot, p->clock, w) ? LS : E;
    found = set_find(p->origin, thread_id(w->tid));
    if (found == NULL)
        return E;
    return *found & 1 ? SCL : LS;
}

static void
first_side(struct burl_wire_side *side, const struct past *p, uintptr_t addr)
{
    const struct burl_access a = {
        .addr = addr, .n = p->size_b, .site = p->site, .op = p->op, .flags = p->flags
    };

    if (p->side != NULL)
        *side = *p->side;
    else
        burl__past_side(side, &a, p->tid, p->lockset);
}

static void
warn(struct burl_watch *w, const struct burl_access *a, const struct past *p, uintptr_t addr)
{
    const uint32_t sites[2] = { p->site, a->site };
    const uint8_t ops[2] = { p->op, a->op };
    const uint16_t tids[2] = { p->tid, w->tid };
    struct burl_wire_side sides[2];
    uint64_t key;

    if ((burl_ob_mask & BURL_OB(GOLDILOCKS)) == 0)
        return; /* only its states are wanted */
    key =
        burl_ob_suspect(BURL_SUSPECT_RACE, BURL_OBSERVER_GOLDILOCKS, sites, ops, tids, 2, addr, 0);
    if (key == 0 || (w->thread != NULL && !burl_ob_stops_at(key)))
        return;
    first_side(&sides[0], p, addr);
    burl_ob_fill_side(&sides[1], w, a);
    burl_ob_verdict(BURL_VERDICT_RACE_DATA, w, addr, sides);
}

static void
past_free(struct past **at)
{
    struct past *p = *at;

    *at = p->next;
    origin_unref(p->origin);
    p->next = free_past;
    free_past = p;
}

static void
past_add(struct granule *g, struct burl_watch *w, const struct burl_access *a, uint8_t mask,
         const struct burl_wire_side *side)
{
    struct past *p = free_past;

    if (p == NULL)
        p = burl_ob_alloc(sizeof *p);
    else
        free_past = p->next;
    *p = (struct past){ .next = g->past,
                        .origin = origin_of(w),
                        .site = a->site,
                        .lock = NO_LOCK,
                        .lockset = w->lockset,
                        .size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n,
                        .clock = w->clock,
                        .slot = w->slot,
                        .tid = w->tid,
                        .mask = mask,
                        .flags = a->flags,
                        .op = a->op,
                        .side = side };
    p->origin->refs++;
    if (w->n_held != 0 && w->n_held <= BURL_MAX_HELD) {
        const struct burl_held *h = &w->held[w->n_held - 1]; /* the innermost */

        p->lock = object_id(h->addr, false) / 2;
        p->life = object_find(h->addr, false)->life;
        p->lock_mode = h->mode;
    }
    g->past = p;
}

static enum state
goldilocks_granule_access(struct burl_watch *w, const struct burl_access *a,
                          const struct burl_piece *piece, const struct burl_wire_side *side)
{
    struct granule *g = (struct granule *)burl_chains_find(&granules, piece->key);
    enum state worst = SCT;

    if (g == NULL) {
        g = burl_ob_alloc(sizeof *g);
        g->chain.key = piece->key;
        burl_chains_add(&granules, &g->chain);
        burl__stripe_set(piece->key * BURL_GRANULE_B);
    }
    for (struct past **at = &g->past; *at != NULL;) {
        struct past *p = *at;
        uint8_t common = p->mask & piece->mask;
        bool races = burl_access_races(p->flags, a->flags);
        bool replaces = burl_access_stands_for(a->flags, p->flags);
        enum state s;

        if (common == 0 || (!races && !replaces)) {
            at = &p->next;
            continue;
        }
        s = state_of(p, w);
        if (races && s == E)
            warn(w, a, p, burl_granule_addr(piece->key, common));
        if (races && s > worst)
            worst = s;
        if (replaces && s != E)
            p->mask &= (uint8_t)~common;
        if (p->mask == 0)
            past_free(at);
        else
            at = &p->next;
    }
    past_add(g, w, a, piece->mask, side);
    return worst;
}

static void
goldilocks_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);
    struct burl_wire_side *side = NULL;
    enum state worst = SCT;

    if (burl_rt.ctl->order.stop_key != 0 && burl_ob_aims_at(a->site)) {
        side = burl_ob_alloc(sizeof *side);
        burl_ob_fill_side(side, w, a);
    }
    while (burl_piece_next(&piece)) {
        enum state s = goldilocks_granule_access(w, a, &piece, side);

        if (s > worst)
            worst = s;
    }
    burl_rt.ctl->result.goldilocks[worst]++;
    if ((burl_ob_mask & BURL_OB(GOLDISC)) != 0)
        burl__cover_goldisc(w, a, (uint32_t)worst);
}

static void
goldilocks_granule_is_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    while (g->past != NULL)
        past_free(&g->past);
}

static void
goldilocks_forget(uintptr_t addr, uint64_t n)
{
    burl_granules_forget(&granules, addr, n, goldilocks_granule_is_empty);
}

/* A call has returned: what other threads did to its variables is nothing to the next one's. */
static void
frame(uintptr_t lo, uintptr_t hi)
{
    if (granules.n != 0 && burl__stripe_any(lo, hi))
        goldilocks_forget(lo, hi - lo);
}

const struct burl_observer burl_observer_goldisc = {
    .name = "goldisc",
    .wants = BURL_WANT_CALLS | BURL_WANT_ALONE,
    .begin = goldilocks_begin,
    .access = goldilocks_access,
    .acquire = goldilocks_acquire,
    .source = goldilocks_source,
    .sink = goldilocks_sink,
    .drop = goldilocks_drop,
    .pass = goldilocks_pass,
    .create = goldilocks_create,
    .join = goldilocks_join,
    .forget = goldilocks_forget,
    .frame = frame,
};

const struct burl_observer burl_observer_goldilocks = {
    .name = "goldilocks",
    .begin = goldilocks_begin,
    .access = goldilocks_access,
    .acquire = goldilocks_acquire,
    .source = goldilocks_source,
    .sink = goldilocks_sink,
    .drop = goldilocks_drop,
    .pass = goldilocks_pass,
    .create = goldilocks_create,
    .join = goldilocks_join,
    .forget = goldilocks_forget,
};
