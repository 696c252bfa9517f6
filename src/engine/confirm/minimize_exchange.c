/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/minimize_exchange.c - preemptions at other places than where they were found.
 *
 * Runs in the host. What delta debugging cannot take away may still be more than is needed: two
 * preemptions that need each other can often be replaced by one elsewhere. The places are those
 * of the best execution at which threads meet; the threads tried at each are those that took part
 * in it, then a few others. Within the budget this is a search, not a proof: a schedule
 * with fewer preemptions at places that execution never passed is missed.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/confirm/minimize_int.h"

/* With more preemptions than this the pairs are too many for the budget, and a person will not
 * miss one. */
#define REPLACE_MAX 6u
/* Threads tried as the next one, per place: in programs with many, most are alike. */
#define NEXT_MAX 4u

struct places {
    struct burl_minimize_point *v;
    size_t n;
    uint16_t next[NEXT_MAX]; /* threads worth going to */
    size_t n_next;
};

static void
add_next(struct places *p, uint16_t tid)
{
    for (size_t i = 0; i < p->n_next; i++) {
        if (p->next[i] == tid)
            return;
    }
    if (p->n_next < NEXT_MAX)
        p->next[p->n_next++] = tid;
}

/* NULL: there is none. */
static const struct burl_wire_switch *
last_switch(const struct burl__minimize *s)
{
    for (size_t i = s->n_best; i > 0; i--) {
        if (!burl_switch_is_choice(s->best[i - 1].why))
            return &s->best[i - 1];
    }
    return NULL;
}

/* The thread that ran last, those that preemptions are about, then any. */
static void
find_next(const struct burl__minimize *s, struct places *p)
{
    uint16_t max_tid = 0;

    if (last_switch(s))
        add_next(p, last_switch(s)->next);
    for (size_t i = s->n_best; i > 0; i--) {
        if (s->best[i - 1].why == BURL_SWITCH_PREEMPT) {
            add_next(p, s->best[i - 1].next);
            add_next(p, s->best[i - 1].tid);
        }
    }
    for (size_t i = 0; i < p->n; i++)
        max_tid = p->v[i].tid > max_tid ? p->v[i].tid : max_tid;
    for (uint32_t tid = 0; tid <= max_tid && p->n_next < NEXT_MAX; tid++)
        add_next(p, (uint16_t)tid);
}

static void
find_places(struct burl__minimize *s, struct places *p)
{
    *p = (struct places){ 0 };
    p->n = s->points(s->arg, s->best, s->n_best, &p->v);
    find_next(s, p);
}

static struct burl_wire_switch
preemption_at(const struct burl_minimize_point *at, uint16_t next)
{
    return (struct burl_wire_switch){ .op = at->op,
                                      .site = at->site,
                                      .tid = at->tid,
                                      .next = next,
                                      .why = BURL_SWITCH_PREEMPT,
                                      .kind = at->kind };
}

/* When in time a switch of the list comes: the index of its operation. */
static size_t
time_of(const struct places *p, const struct burl_wire_switch *sw)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i].tid == sw->tid && p->v[i].op == sw->op)
            return i;
    }
    return p->n;
}

/* Fills `scratch` with the list minus preemptions number a and b plus one at place `at`. */
static size_t
exchange_places(struct burl__minimize *s, const struct places *p, uint32_t a, uint32_t b, size_t at,
                uint16_t next)
{
    const struct burl_wire_switch fresh = preemption_at(&p->v[at], next);
    uint32_t seen = 0;
    bool placed = false;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const bool preempt = s->list[i].why == BURL_SWITCH_PREEMPT;
        const bool drop = preempt && (seen == a || seen == b);

        seen += preempt;
        if (drop)
            continue;
        if (!placed && time_of(p, &s->list[i]) > at) {
            s->scratch[n++] = fresh;
            placed = true;
        }
        s->scratch[n++] = s->list[i];
    }
    if (!placed)
        s->scratch[n++] = fresh;
    return n;
}

/* Tries one new place instead of the pair (a, b). */
static bool
exchange_pair(struct burl__minimize *s, const struct places *p, uint32_t a, uint32_t b)
{
    const uint32_t before = s->cost.preemptions;

    for (size_t at = 0; at < p->n && !s->stop; at++) {
        for (size_t k = 0; p->v[at].promising && k < p->n_next && !s->stop; k++) {
            if (p->next[k] == p->v[at].tid)
                continue;
            if (burl__minimize_attempt(s, exchange_places(s, p, a, b, at, p->next[k]), false) &&
                s->cost.preemptions < before)
                return true;
        }
    }
    return false;
}

bool
burl__minimize_exchange_two(struct burl__minimize *s)
{
    const uint32_t k = burl_minimize_count_preemptions(s->list, s->n);
    struct places p;
    bool done = false;

    if (!s->points || k < 2 || k > REPLACE_MAX || s->stop)
        return false;
    find_places(s, &p);
    for (uint32_t a = 0; a < k && !done; a++) {
        for (uint32_t b = a + 1; b < k && !done; b++)
            done = exchange_pair(s, &p, a, b);
    }
    free(p.v);
    return done;
}

/* The switch at which the best execution first went from one thread to others because it had to:
 * the initial thread choice costs no preemption. NULL: there is none. */
static const struct burl_wire_switch *
first_way(const struct burl__minimize *s)
{
    for (size_t i = 0; i < s->n_best; i++) {
        if (s->best[i].why == BURL_SWITCH_BLOCKED)
            return &s->best[i];
        if (s->best[i].why == BURL_SWITCH_PREEMPT)
            break;
    }
    return NULL;
}

/* One preemption at each place; `way`: the thread that is to be preempted goes first, by this
 * switch, where it did not before. */
static bool
single_preemption(struct burl__minimize *s, const struct places *p,
                  const struct burl_wire_switch *way)
{
    for (size_t at = 0; at < p->n; at++) {
        const uint16_t tid = p->v[at].tid;
        const bool other = way && (tid == way->next || tid == way->tid);

        for (size_t k = 0; p->v[at].promising && !other && k < p->n_next && !s->stop; k++) {
            size_t n = 0;

            if (p->next[k] == tid)
                continue;
            if (way) {
                s->scratch[n] = *way;
                s->scratch[n++].next = tid;
            }
            s->scratch[n++] = preemption_at(&p->v[at], p->next[k]);
            if (burl__minimize_attempt(s, burl__minimize_add_choices(s, n), true))
                return true;
        }
    }
    return false;
}

/* Tries one preemption and nothing else. A schedule that was forced together has preemptions that
 * need each other in threes, and no exchange of two gets it out of that; or it spends one to let
 * the thread that comes second begin. */
bool
burl__minimize_exchange_all(struct burl__minimize *s)
{
    struct burl_wire_switch way;
    struct places p;
    bool may_go = false;
    bool done;

    if (!s->points || s->cost.preemptions < 2 || s->stop)
        return false;
    find_places(s, &p);
    if (first_way(s)) {
        way = *first_way(s); /* attempts may change what is best */
        may_go = true;
    }
    done = single_preemption(s, &p, NULL);
    if (!done && may_go && !s->stop)
        done = single_preemption(s, &p, &way);
    free(p.v);
    return done;
}

/* ---- the same thing earlier -------------------------------------------------------- */

/* The first time that the thread of `sw` came to the place of its preemption. */
static const struct burl_minimize_point *
first_visit(const struct places *p, const struct burl_wire_switch *sw)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct burl_minimize_point *x = &p->v[i];

        if (x->tid == sw->tid && x->op >= sw->op)
            return NULL;
        if (x->tid == sw->tid && x->site == sw->site && x->kind == sw->kind && x->site != 0)
            return x;
    }
    return NULL;
}

bool
burl__minimize_move_earlier(struct burl__minimize *s)
{
    struct places p;
    bool changed = false;

    if (!s->points || s->cost.preemptions == 0 || s->stop)
        return false;
    find_places(s, &p);
    for (size_t i = 0; i < s->n_best && !s->stop; i++) {
        const struct burl_minimize_point *to;
        size_t n = 0;

        if (s->best[i].why != BURL_SWITCH_PREEMPT)
            continue;
        to = first_visit(&p, &s->best[i]);
        if (!to)
            continue;
        /* Whatever its thread did in between happens after it now. */
        for (size_t k = 0; k < s->n_best; k++) {
            if (k == i)
                s->scratch[n++] = preemption_at(to, s->best[i].next);
            else if (k > i || s->best[k].tid != to->tid || s->best[k].op < to->op ||
                     burl_switch_is_choice(s->best[k].why))
                s->scratch[n++] = s->best[k];
        }
        changed = burl__minimize_attempt(s, n, true) || changed;
    }
    free(p.v);
    return changed;
}
