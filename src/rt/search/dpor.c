/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/dpor.c - the races of an execution, and what must be explored because of them.
 *
 * P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas: "Optimal dynamic partial order reduction", POPL
 * 2014, the algorithm with source sets; sleep sets are kept by search/exhaustive.c. Each event
 * carries the clock of what happens before it. Two events of different threads race when they
 * depend on one another and nothing lies between; then there must be an execution in which the
 * second comes first. Where the first was chosen, one of the threads that could begin such an
 * execution (an initial of what happens there without the first, and then the second) must be
 * chosen as well.
 *
 * Departures:
 *   - An operation that blocked did not race with the one that unblocked it: the race is with the
 *     operation that took the lock, not with the one that released it (C. Flanagan, P. Godefroid,
 *     POPL 2005: may be co-enabled). An operation that was pending and not enabled shows it.
 *   - Threads that are still blocked at the end race with what blocks them. The operation that ends
 *     the process races with all others.
 *   - When none of the initials could be chosen, all that could are: more than must be, never less.
 *   - An operation that is no scheduling point of its own and touches what others do is taken
 *     together with the one before it.
 *
 * Events are found by the bytes they touch: chains through buckets of granules, and one chain of
 * those that touch more than two. A walk ends at an event that all earlier ones happen before.
 */
#include <string.h>

#include "dpor.h"
#include "rt/core/core.h"
#include "rt/core/op.h"

#define BUCKETS 4096u

struct event {
    struct burl_dpor_touch touch;
    uint32_t number;    /* of its thread's, from 1 */
    uint32_t frame;     /* where it was chosen */
    uint32_t head;      /* event it goes together with, mostly itself */
    uint32_t clock;     /* offset in the pool */
    uint32_t prev[2];   /* event + 1 before it in the buckets */
    uint32_t prev_wide; /* and of the wide ones */
    uint16_t bucket[2];
    uint8_t n_buckets;
    uint16_t tid;
    uint16_t n_clock; /* threads the clock knows of */
};

static struct {
    struct event *events;
    uint32_t *pool;
    uint32_t n_events;
    uint32_t max_events;
    uint64_t n_pool;
    uint64_t max_pool;
    uint32_t last_wide; /* event + 1 */
    uint32_t n_tids;
    uint32_t clocks[BURL_DPOR_TIDS][BURL_DPOR_TIDS];
    uint32_t last[BURL_DPOR_TIDS];   /* event + 1 */
    uint32_t asked[BURL_DPOR_TIDS];  /* events when its next operation became what it is */
    uint32_t waker[BURL_DPOR_TIDS];  /* event + 1 that must come before its next operation */
    uint32_t second[BURL_DPOR_TIDS]; /* event + 1: its second, the first that others can observe */
    uint32_t bucket[BUCKETS];        /* event + 1 */
    uint32_t bucket_of[BUCKETS];     /* the execution that is of */
    uint32_t execution;
} d;

void
burl__dpor_begin(void *area, uint64_t size_b)
{
    const uint64_t half = size_b / 2 / 64 * 64;

    d.events = area;
    d.max_events = (uint32_t)(half / sizeof *d.events);
    d.pool = (uint32_t *)(void *)((char *)area + half);
    d.max_pool = half / sizeof *d.pool;
    d.n_events = 0;
    d.n_pool = 0;
    d.last_wide = 0;
    d.n_tids = 1;
    d.execution++;
    memset(d.clocks[0], 0, sizeof d.clocks[0]);
    memset(d.last, 0, sizeof d.last);
    memset(d.asked, 0, sizeof d.asked);
    memset(d.waker, 0, sizeof d.waker);
    memset(d.second, 0, sizeof d.second);
}

void
burl__dpor_thread_new(struct burl_thread *t)
{
    const uint16_t tid = t->tid;

    if (tid >= BURL_DPOR_TIDS)
        return;
    if (t->parent < BURL_DPOR_TIDS)
        memcpy(d.clocks[tid], d.clocks[t->parent], sizeof d.clocks[tid]);
    else
        memset(d.clocks[tid], 0, sizeof d.clocks[tid]);
    d.asked[tid] = d.n_events;
    if (tid >= d.n_tids)
        d.n_tids = tid + 1u;
}

void
burl__dpor_woken(uint16_t woken, uint16_t by)
{
    if (woken >= BURL_DPOR_TIDS || by >= BURL_DPOR_TIDS)
        return;
    d.waker[woken] = d.last[by];
    d.asked[woken] = d.n_events;
}

void
burl__dpor_in_turn(uint16_t later, uint16_t earlier)
{
    if (later < BURL_DPOR_TIDS && earlier < BURL_DPOR_TIDS)
        d.waker[later] = d.second[earlier];
}

uint32_t
burl__dpor_count(uint16_t tid)
{
    const uint32_t at = tid < BURL_DPOR_TIDS ? d.last[tid] : 0;
    const uint32_t n = at != 0 ? d.events[at - 1].number : 0;

    return n < 2 ? n : 2;
}

/* ---- clocks ------------------------------------------------------------------------------- */

/* Operations of thread `tid` that happen before e, or are e. */
static uint32_t
known_to(const struct event *e, uint32_t tid)
{
    return tid < e->n_clock ? d.pool[e->clock + tid] : 0;
}

static void
join(uint32_t *clock, const struct event *e)
{
    for (uint32_t i = 0; i < e->n_clock; i++) {
        if (d.pool[e->clock + i] > clock[i])
            clock[i] = d.pool[e->clock + i];
    }
}

static bool
is_before(const struct event *e, const uint32_t *clock)
{
    return clock[e->tid] >= e->number;
}

/* ---- chains ------------------------------------------------------------------------------- */

static uint16_t
bucket_at(uint64_t addr)
{
    return (uint16_t)(burl_mix64(addr >> 3) % BUCKETS);
}

/* The buckets of what touches one or two granules; 0: it is wide. */
static uint8_t
buckets_of(const struct burl_dpor_touch *t, uint16_t *out)
{
    const struct burl_dpor_foot *f = &t->feet[0];

    if (t->all || t->n_feet != 1 || (f->hi - 1) >> 3 > (f->lo >> 3) + 1)
        return 0;
    out[0] = bucket_at(f->lo);
    out[1] = bucket_at(f->hi - 1);
    return out[0] == out[1] ? 1 : 2;
}

static bool
is_wide(const struct burl_dpor_touch *t, uint8_t n_buckets)
{
    return n_buckets == 0 && (t->all || t->n_feet > 0);
}

static uint32_t
first_in(uint16_t bucket)
{
    return d.bucket_of[bucket] == d.execution ? d.bucket[bucket] : 0;
}

struct walk {
    uint32_t at[3]; /* event + 1 */
    uint16_t bucket[2];
    uint8_t n_buckets;
    bool all; /* every event */
};

static struct walk
walk_from(const struct burl_dpor_touch *t)
{
    struct walk w = { .n_buckets = 0 };

    w.n_buckets = buckets_of(t, w.bucket);
    w.all = is_wide(t, w.n_buckets);
    w.at[2] = w.all ? d.n_events : d.last_wide;
    for (uint32_t i = 0; i < w.n_buckets; i++)
        w.at[i] = first_in(w.bucket[i]);
    return w;
}

static uint32_t
previous_in(const struct event *e, uint16_t bucket)
{
    return e->prev[e->n_buckets > 0 && e->bucket[0] == bucket ? 0 : 1];
}

/* The latest event not visited yet, + 1; 0: there is none. */
static uint32_t
step(struct walk *w)
{
    uint32_t latest = w->at[2];

    for (uint32_t i = 0; i < w->n_buckets; i++)
        latest = w->at[i] > latest ? w->at[i] : latest;
    if (latest == 0)
        return 0;
    for (uint32_t i = 0; i < w->n_buckets; i++) {
        if (w->at[i] == latest)
            w->at[i] = previous_in(&d.events[latest - 1], w->bucket[i]);
    }
    if (w->at[2] == latest)
        w->at[2] = w->all ? latest - 1 : d.events[latest - 1].prev_wide;
    return latest;
}

static void
put_into_chains(struct event *e, uint32_t number)
{
    e->n_buckets = buckets_of(&e->touch, e->bucket);
    for (uint32_t i = 0; i < e->n_buckets; i++) {
        e->prev[i] = first_in(e->bucket[i]);
        d.bucket[e->bucket[i]] = number;
        d.bucket_of[e->bucket[i]] = d.execution;
    }
    if (is_wide(&e->touch, e->n_buckets)) {
        e->prev_wide = d.last_wide;
        d.last_wide = number;
    }
}

/* ---- races -------------------------------------------------------------------------------- */

struct later {
    const struct burl_dpor_touch *touch;
    uint32_t clock[BURL_DPOR_TIDS]; /* of what happens before it */
    uint32_t races[BURL_DPOR_TIDS]; /* events */
    uint32_t n_races;
    uint32_t asked; /* events when it became what its thread does next; NONE: it is never asked */
    uint16_t tid;
};

/* Is everything earlier that depends on `t` sure to happen before e? */
static bool
hides_earlier(const struct event *e, const struct burl_dpor_touch *t)
{
    const struct burl_dpor_foot *f = &e->touch.feet[0];

    return e->touch.all || (t->n_feet == 1 && !t->all && e->touch.n_feet == 1 && f->write &&
                            f->lo <= t->feet[0].lo && f->hi >= t->feet[0].hi);
}

/* Did it have to wait for this event? */
static bool
waited_for(const struct event *e, const struct later *l)
{
    const struct event *head = &d.events[e->head];
    uint64_t enabled;

    if (burl__dpor_enables(&e->touch, l->touch))
        return true;
    if (l->asked > e->head)
        return false;
    enabled = head->frame == BURL_DPOR_NONE ? burl__dpor_bit(head->tid)
                                            : burl__search_enabled(head->frame);
    return (enabled & burl__dpor_bit(l->tid)) == 0;
}

/* Accesses are taken to happen at once. Where nothing races with a copy of a struct that makes no
 * difference; where something does, the executions in which it falls into the middle are missing.
 * Freeing is no such case: the use after it is found at either end. */
static void
look_for_torn(const struct burl_dpor_touch *a, const struct burl_dpor_touch *b)
{
    const bool a_accesses = burl_kind_in(a->kind, BURL_KINDS_ACCESS);
    const bool b_accesses = burl_kind_in(b->kind, BURL_KINDS_ACCESS);

    if ((a->tears || b->tears) && a_accesses && b_accesses)
        burl__search_doubt(BURL_SEARCH_UNSURE_TORN);
    if (a->object != b->object && (a->object ? b_accesses : a_accesses))
        burl__search_doubt(BURL_SEARCH_UNSURE_OBJECT);
}

/* Finds what happens before it and what it races with, one event per thread at most. */
static void
look_back(struct later *l)
{
    struct walk w = walk_from(l->touch);
    uint32_t seen[BURL_DPOR_TIDS]; /* what it knows of when the races with later ones stand */
    uint32_t at;

    if (d.waker[l->tid] != 0)
        join(l->clock, &d.events[d.waker[l->tid] - 1]);
    memcpy(seen, l->clock, sizeof seen);
    while ((at = step(&w)) != 0) {
        const struct event *e = &d.events[at - 1];
        bool known;

        if (e->tid == l->tid || !burl__dpor_depend(&e->touch, l->touch))
            continue;
        join(l->clock, e);
        known = is_before(e, seen);
        if (!known && !waited_for(e, l)) {
            l->races[l->n_races++] = at - 1;
            look_for_torn(&e->touch, l->touch);
            join(seen, e);
            known = true;
        }
        if (known && hides_earlier(e, l->touch))
            break;
    }
}

/* Threads that can begin an execution in which `l` comes before the event `head`. */
static uint64_t
initials(uint32_t head, const struct later *l)
{
    const struct event *h = &d.events[head];
    uint32_t first[BURL_DPOR_TIDS];
    uint64_t seen = 0;
    uint64_t out = 0;

    for (uint32_t i = head + 1; i <= d.n_events; i++) {
        const struct event *e = i < d.n_events ? &d.events[i] : NULL; /* NULL: l itself */
        const uint16_t tid = e != NULL ? e->tid : l->tid;
        bool free = true;

        if ((e != NULL && known_to(e, h->tid) >= h->number) || (seen & burl__dpor_bit(tid)) != 0)
            continue;
        for (uint64_t rest = seen; rest != 0 && free; rest &= rest - 1) {
            const uint32_t u = (uint32_t)__builtin_ctzll(rest);

            free = (e != NULL ? known_to(e, u) : l->clock[u]) < d.events[first[u]].number;
        }
        seen |= burl__dpor_bit(tid);
        first[tid] = i < d.n_events ? i : head;
        if (free)
            out |= burl__dpor_bit(tid);
    }
    return out;
}

static void
reverse(uint32_t event, const struct later *l, const uint32_t *before)
{
    const uint32_t head = d.events[event].head;
    const struct event *h = &d.events[head];

    if (h->frame == BURL_DPOR_NONE || is_before(h, before))
        return;
    burl__search_want(h->frame, initials(head, l));
}

static void
reverse_all(const struct later *l, const uint32_t *before)
{
    for (uint32_t i = 0; i < l->n_races; i++)
        reverse(l->races[i], l, before);
}

/* ---- events -------------------------------------------------------------------------------- */

static bool
add_event(uint16_t tid, const struct burl_dpor_touch *touch, uint32_t frame, uint32_t head,
          bool quiet)
{
    struct event *e = &d.events[d.n_events];
    uint32_t *clock;
    struct later l = { .touch = touch,
                       .tid = tid,
                       .asked = head == d.n_events ? d.asked[tid] : BURL_DPOR_NONE };

    if (d.n_events >= d.max_events || d.n_pool + d.n_tids > d.max_pool)
        return false;
    clock = d.clocks[tid];
    memcpy(l.clock, clock, sizeof l.clock);
    look_back(&l);
    if (!quiet)
        reverse_all(&l, clock);
    memcpy(clock, l.clock, sizeof l.clock);
    clock[tid]++;
    *e = (struct event){ .touch = *touch,
                         .number = clock[tid],
                         .frame = frame,
                         .head = head,
                         .clock = (uint32_t)d.n_pool,
                         .tid = tid,
                         .n_clock = (uint16_t)d.n_tids };
    memcpy(d.pool + d.n_pool, clock, d.n_tids * sizeof *clock);
    d.n_pool += d.n_tids;
    d.n_events++;
    put_into_chains(e, d.n_events);
    d.last[tid] = d.n_events;
    if (e->number == 2)
        d.second[tid] = d.n_events;
    d.asked[tid] = d.n_events;
    d.waker[tid] = 0;
    return true;
}

bool
burl__dpor_event(uint16_t tid, const struct burl_dpor_touch *touch, uint32_t frame, bool quiet)
{
    return tid < BURL_DPOR_TIDS && add_event(tid, touch, frame, d.n_events, quiet);
}

bool
burl__dpor_glued(uint16_t tid, const struct burl_dpor_touch *touch, bool quiet)
{
    const struct event *before;

    if (tid >= BURL_DPOR_TIDS || d.last[tid] == 0)
        return false;
    before = &d.events[d.last[tid] - 1];
    return add_event(tid, touch, before->frame, before->head, quiet);
}

bool
burl__dpor_ends_with_change(uint16_t tid)
{
    const struct burl_dpor_touch *last;

    if (tid >= BURL_DPOR_TIDS || d.last[tid] == 0)
        return false;
    last = &d.events[d.last[tid] - 1].touch;
    if (burl_kind_in(last->kind, BURL_KINDS_ONLY_READ | BURL_KIND(JOIN)))
        return false;
    for (uint32_t i = 0; i < last->n_feet; i++) {
        if (last->feet[i].write)
            return true;
    }
    return last->all;
}

bool
burl__dpor_pending(uint16_t tid, const struct burl_dpor_touch *touch, uint16_t ended_by)
{
    struct later l = { .touch = touch, .tid = tid };
    const uint32_t end = ended_by < BURL_DPOR_TIDS ? d.last[ended_by] : 0;

    if (tid >= BURL_DPOR_TIDS)
        return true;
    l.asked = d.asked[tid];
    memcpy(l.clock, d.clocks[tid], sizeof l.clock);
    look_back(&l);
    reverse_all(&l, d.clocks[tid]);
    if (end == 0 || tid == ended_by)
        return true;
    if (is_before(&d.events[end - 1], l.clock))
        return false;
    reverse(end - 1, &l, d.clocks[tid]);
    return true;
}
