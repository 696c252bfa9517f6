/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/lockorder.c - lock-order cycles that are a deadlock in another schedule.
 *
 * Runs in the target; after Goodlock (Havelund, SPIN 2000) as generalized by Bensalem and Havelund
 * (2005) and Agarwal, Wang and Stoller (2005). An edge says: this thread requested lock `to` while
 * it held lock `from`. A cycle of edges of different threads is a deadlock waiting to happen
 * unless something makes it impossible: a lock that two of its edges hold in common (gate), order
 * between two edges by create, join, signal, barrier or once (w->cj), or modes that do not exclude
 * each other (both readers of a rwlock).
 *
 * Try and timed requests do not block for ever, so they make no edge into what they ask for; what
 * they got is held like anything else. A lock that is requested while it is held makes no edge. A
 * wait on a condition variable releases its mutex and requests it again, with an edge from every
 * other lock that is held.
 *
 * rwlocks are taken as glibc's default has them: a reader waits for a writer that holds the lock,
 * not for one that waits. With the writer-preferring kind, two readers and a writer in between can
 * form a cycle that is not seen here: a miss.
 *
 * A destroyed lock and a new one at its address are two locks; edges of the old one stay.
 *
 * Edges are unique by (thread, locks, places, locks held) with up to ORDERS moments of the thread's
 * order each, so that loops do not grow the graph. The search is over simple cycles of up to
 * MAX_LENGTH threads in the order of the edges, at most MAX_STEPS extensions; a longer one is cut
 * short and counted. Direction of the error: a suspect may be impossible for reasons that only the
 * program's data know, so a directed execution must confirm it.
 */
#include <string.h>

#include "granules.h"
#include "rt/core/core.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"

#define MAX_LENGTH (BURL_WIRE_MAX_SITES / 2)
#define MAX_STEPS 1000000u
#define MAX_CYCLES 64u
#define MAX_EDGES 16384u
#define ORDERS 5u /* the first, and the last four */

struct lock {
    struct burl_chain chain; /* key: granule of the address */
    uintptr_t addr;
    bool ended;         /* a new lock may be at this address */
    struct edge *edges; /* out of it, oldest first */
    struct edge **edges_tail;
};

/* What a thread knew of the others at its request. */
struct order {
    uint32_t clock;
    struct burl_vc known;
};

struct edge {
    struct burl_chain chain; /* key: hash of what makes it unique */
    struct edge *next_out;   /* of the same lock */
    struct edge *next;       /* oldest first */
    struct lock *from;
    struct lock *to;
    uint32_t number;
    uint32_t from_site;
    uint32_t to_site;
    uint32_t from_place;
    uint32_t to_place;
    uint32_t lockset;  /* all that was held */
    uint32_t n_orders; /* ever */
    uint16_t tid;
    uint16_t slot;
    uint8_t from_mode;
    uint8_t to_mode;
    struct order orders[ORDERS];
};

/* A thread's own. */
struct own {
    uintptr_t requested; /* edges of this request are made */
};

static struct burl_chains locks;
static struct burl_chains edges;
static struct edge *first_edge;
static struct edge **last_edge;
static uint32_t n_edges;

static void
lockorder_begin(void)
{
    first_edge = NULL;
    last_edge = &first_edge;
    n_edges = 0;
}

/* ---- locks ------------------------------------------------------------------ */

static struct lock *
lock_find(uintptr_t addr)
{
    struct burl_chain *p = burl_chains_find(&locks, addr / BURL_GRANULE_B);

    for (; p != NULL; p = p->next) {
        struct lock *l = (struct lock *)p;

        if (l->addr == addr && !l->ended)
            return l;
    }
    return NULL;
}

static struct lock *
lock_get(uintptr_t addr)
{
    struct lock *l = lock_find(addr);

    if (l == NULL) {
        l = burl_ob_alloc(sizeof *l);
        l->chain.key = addr / BURL_GRANULE_B;
        l->addr = addr;
        l->edges_tail = &l->edges;
        burl_chains_add(&locks, &l->chain);
    }
    return l;
}

static void
lockorder_drop(uintptr_t object)
{
    struct lock *l = lock_find(object);

    if (l != NULL)
        l->ended = true;
}

static void
lock_end(struct burl_chain *chain)
{
    ((struct lock *)chain)->ended = true;
}

/* ---- edges ------------------------------------------------------------------ */

static uint64_t
edge_hash(const struct edge *e)
{
    uint64_t h = e->tid;

    h = burl_wire_mix(h, (uintptr_t)e->from);
    h = burl_wire_mix(h, (uintptr_t)e->to);
    h = burl_wire_mix(h, (uint64_t)e->from_site << 32 | e->to_site);
    h = burl_wire_mix(h, (uint64_t)e->lockset << 16 | (uint64_t)e->from_mode << 8 | e->to_mode);
    return h;
}

static struct edge *
edge_find(const struct edge *like)
{
    struct burl_chain *p = burl_chains_find(&edges, like->chain.key);

    for (; p != NULL; p = p->next) {
        struct edge *e = (struct edge *)p;

        if (e->from == like->from && e->to == like->to && e->tid == like->tid &&
            e->from_site == like->from_site && e->to_site == like->to_site &&
            e->lockset == like->lockset && e->from_mode == like->from_mode &&
            e->to_mode == like->to_mode)
            return e;
    }
    return NULL;
}

static struct edge *
edge_add(const struct edge *like)
{
    struct edge *e;

    if (n_edges >= MAX_EDGES) {
        burl_rt_count(BURL_COUNTER_CYCLES_CUT);
        return NULL;
    }
    e = burl_ob_alloc(sizeof *e);
    *e = *like;
    e->number = n_edges++;
    burl_chains_add(&edges, &e->chain);
    *last_edge = e;
    last_edge = &e->next;
    *e->from->edges_tail = e;
    e->from->edges_tail = &e->next_out;
    burl__pairs_tell(e->from_site, e->to_site, BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS);
    return e;
}

/* Where the i-th moment of the edge is kept. */
static struct order *
order_at(struct edge *e, uint32_t i)
{
    return &e->orders[i < ORDERS ? i : 1 + (i - 1) % (ORDERS - 1)];
}

static void
order_add(struct edge *e, const struct burl_watch *w)
{
    struct order *o = order_at(e, e->n_orders);

    if (e->n_orders > 0 && order_at(e, e->n_orders - 1)->clock == w->cj_clock)
        return;
    o->clock = w->cj_clock;
    burl_vc_copy(&o->known, &w->cj);
    e->n_orders++;
}

static bool
is_held(const struct burl_watch *w, uintptr_t addr, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (w->held.v[i].addr == addr)
            return true;
    }
    return false;
}

/* Edges from the first n locks held. A lock that is held twice counts from where it was first
 * taken. */
static void
edges_to(const struct burl_watch *w, const struct burl_held *request, uint32_t n, uint32_t lockset)
{
    if (n == 0 || is_held(w, request->addr, n))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_held *h = &w->held.v[i];
        struct edge like = {
            .from_site = h->site,
            .to_site = request->site,
            .from_place = h->place,
            .to_place = request->place,
            .lockset = lockset,
            .tid = w->tid,
            .slot = w->slot,
            .from_mode = h->mode,
            .to_mode = request->mode,
        };
        struct edge *e;

        if (is_held(w, h->addr, i))
            continue;
        like.from = lock_get(h->addr);
        like.to = lock_get(request->addr);
        like.chain.key = edge_hash(&like);
        e = edge_find(&like);
        if (e == NULL)
            e = edge_add(&like);
        if (e != NULL)
            order_add(e, w);
    }
}

static struct own *
lockorder_own(struct burl_watch *w)
{
    return burl_ob_own(w, BURL_OBSERVER_LOCKORDER, sizeof(struct own));
}

static void
lockorder_request(struct burl_watch *w, const struct burl_held *lock)
{
    lockorder_own(w)->requested = lock->addr;
    edges_to(w, lock, burl_held_known(&w->held), w->lockset);
}

/* The lock is the last of w->held, unless there were too many. */
static void
lockorder_acquire(struct burl_watch *w, const struct burl_held *lock)
{
    struct own *own = lockorder_own(w);
    bool known = own->requested == lock->addr;
    uint32_t n;

    own->requested = 0;
    if (known || lock->by_try || w->held.n == 0 || w->held.n > BURL_MAX_HELD)
        return;
    n = w->held.n - 1;
    edges_to(w, lock, n, burl_lockset_of(w->held.v, n));
}

/* ---- cycles ------------------------------------------------------------------ */

struct search {
    const struct edge *path[MAX_LENGTH];
    uint32_t n;
    uint32_t steps;
    uint64_t keys[MAX_CYCLES];
    uint32_t n_keys;
};

static bool
waits_for(uint8_t request, uint8_t held)
{
    return request == BURL_LOCK_EXCLUSIVE || held == BURL_LOCK_EXCLUSIVE;
}

/* Is there a moment of a and one of b that nothing orders? */
static bool
may_overlap(const struct edge *a, const struct edge *b)
{
    uint32_t n_a = a->n_orders < ORDERS ? a->n_orders : ORDERS;
    uint32_t n_b = b->n_orders < ORDERS ? b->n_orders : ORDERS;

    for (uint32_t i = 0; i < n_a; i++) {
        for (uint32_t k = 0; k < n_b; k++) {
            const struct order *x = &a->orders[i];
            const struct order *y = &b->orders[k];

            if (x->clock > burl_vc_get(&y->known, a->slot) &&
                y->clock > burl_vc_get(&x->known, b->slot))
                return true;
        }
    }
    return false;
}

/* Can e continue the path, whose last edge requests what e holds? */
static bool
extends(const struct search *s, const struct edge *e)
{
    const struct edge *last = s->path[s->n - 1];

    if (e->number <= s->path[0]->number || !waits_for(last->to_mode, e->from_mode))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct edge *x = s->path[i];

        if (x->tid == e->tid || x->from == e->from ||
            burl_lockset_excludes(x->lockset, e->lockset) || !may_overlap(x, e))
            return false;
    }
    return true;
}

static void
lockorder_report(struct search *s)
{
    uint32_t sites[BURL_WIRE_MAX_SITES];
    uint32_t places[BURL_WIRE_MAX_SITES];
    uint8_t ops[BURL_WIRE_MAX_SITES];
    uint16_t tids[BURL_WIRE_MAX_SITES];
    uint64_t key;

    for (uint32_t i = 0; i < s->n; i++) {
        const struct edge *e = s->path[i];

        sites[2 * i] = e->from_site;
        sites[2 * i + 1] = e->to_site;
        places[2 * i] = e->from_place;
        places[2 * i + 1] = e->to_place;
        ops[2 * i] = e->from_mode == BURL_LOCK_SHARED ? BURL_OP_RDLOCK : BURL_OP_LOCK;
        ops[2 * i + 1] = e->to_mode == BURL_LOCK_SHARED ? BURL_OP_RDLOCK : BURL_OP_LOCK;
        tids[2 * i] = e->tid;
        tids[2 * i + 1] = e->tid;
    }
    key = burl_wire_suspect_key(BURL_SUSPECT_CYCLE, sites, 2 * s->n);
    for (uint32_t i = 0; i < s->n_keys; i++) {
        if (s->keys[i] == key)
            return;
    }
    s->keys[s->n_keys++] = key;
    burl_ob_suspect(BURL_SUSPECT_CYCLE, BURL_OBSERVER_LOCKORDER, sites, ops, tids, 2 * s->n,
                    s->path[0]->from->addr, s->n);
    burl_ob_places(key, places, 2 * s->n);
}

static void
report_if_closed(struct search *s)
{
    const struct edge *last = s->path[s->n - 1];

    if (s->n >= 2 && last->to == s->path[0]->from &&
        waits_for(last->to_mode, s->path[0]->from_mode))
        lockorder_report(s);
}

/* Depth first, without recursion: next[i] is what to try as the edge after path[i]. A cycle is
 * found from its oldest edge only. */
static void
search_from(struct search *s, const struct edge *start)
{
    const struct edge *next[MAX_LENGTH];

    s->path[0] = start;
    s->n = 1;
    next[0] = start->to->edges;
    while (s->n > 0 && s->n_keys < MAX_CYCLES && s->steps < MAX_STEPS) {
        const struct edge *e = next[s->n - 1];

        if (e == NULL) {
            s->n--;
            continue;
        }
        next[s->n - 1] = e->next_out;
        s->steps++;
        if (!extends(s, e))
            continue;
        s->path[s->n++] = e;
        report_if_closed(s);
        if (s->n == MAX_LENGTH)
            s->n--;
        else
            next[s->n - 1] = e->to->edges;
    }
}

static void
lockorder_end(void)
{
    struct search s;

    s.steps = 0;
    s.n_keys = 0;
    for (const struct edge *e = first_edge; e != NULL; e = e->next)
        search_from(&s, e);
    if (s.n_keys == MAX_CYCLES || s.steps == MAX_STEPS)
        burl_rt_count(BURL_COUNTER_CYCLES_CUT);
    first_edge = NULL;
    last_edge = &first_edge;
}

const struct burl_observer burl_observer_lockorder = {
    .granules = &locks,
    .granule_empty = lock_end,
    .begin = lockorder_begin,
    .end = lockorder_end,
    .acquire = lockorder_acquire,
    .request = lockorder_request,
    .drop = lockorder_drop,
};
