/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/profile.c - what executions show of the program, handed to those that come after.
 *
 * Runs in the host. Each process accumulates edges in its block (wire/profile.h); after an order
 * they are merged into what the campaign knows, and come into force between rounds only, so that
 * the order in which processes finish changes nothing (INV-E1, INV-E2: pool.c calls take in any
 * order, and merging is the same in any).
 *
 * How often threads use what is the mean of the executions that counted it. One alone may be far
 * off: where threads retry, each has its own number of turns in every schedule. These executions
 * are the opening's, which one process runs one after another.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "engine/engine_int.h"

static struct burl_wire_profile *
profile_next(struct burl_learned *l)
{
    if (!l->profile_next)
        l->profile_next = burl_xcalloc(1, sizeof *l->profile_next);
    return l->profile_next;
}

/* ---- variables --------------------------------------------------------------------- */

#define SUMS_MAX 1024u

struct burl_profile_sum {
    uint64_t addr;
    uint32_t kind;
    uint64_t total;
    uint64_t count[BURL_PROFILE_TIDS];
};

static struct burl_profile_sum *
sum_place(struct burl_learned *l, const struct burl_profile_var *v)
{
    struct burl_profile_sum *s;

    for (size_t i = 0; i < l->sums.n; i++) {
        if (l->sums.v[i].addr == v->addr && l->sums.v[i].kind == v->kind)
            return &l->sums.v[i];
    }
    if (l->sums.n >= SUMS_MAX)
        return NULL;
    s = BURL_VEC_ADD(&l->sums);
    *s = (struct burl_profile_sum){ .addr = v->addr, .kind = v->kind };
    return s;
}

/* Most used first. */
#define BY_TOTAL(s) UINT64_MAX - (s)->total, (s)->addr, (s)->kind

static int
by_total(const void *a, const void *b)
{
    const struct burl_profile_sum *x = a;
    const struct burl_profile_sum *y = b;

    return BURL_COMPARE(x, y, BY_TOTAL);
}

/* Rounded, but what was there at all is not nothing. */
static uint16_t
rounded_mean(uint64_t sum, uint64_t n)
{
    const uint64_t m = (sum + n / 2) / n;

    if (m > UINT16_MAX)
        return UINT16_MAX;
    return m == 0 && sum > 0 ? 1 : (uint16_t)m;
}

static void
put_means(struct burl_learned *l, struct burl_wire_profile *to)
{
    if (l->sums.n > 0)
        qsort(l->sums.v, l->sums.n, sizeof *l->sums.v, by_total);
    to->n_vars = l->sums.n < BURL_PROFILE_VARS ? (uint32_t)l->sums.n : BURL_PROFILE_VARS;
    memset(to->ops, 0, sizeof to->ops);
    for (size_t i = 0; i < l->sums.n; i++) {
        const struct burl_profile_sum *s = &l->sums.v[i];
        struct burl_profile_var *v = i < BURL_PROFILE_VARS ? &to->vars[i] : NULL;

        if (v)
            *v = (struct burl_profile_var){ .addr = s->addr, .kind = s->kind };
        for (uint32_t k = 0; k < BURL_PROFILE_TIDS; k++) {
            const uint16_t m = rounded_mean(s->count[k], l->n_profiled);

            to->ops[k] += m;
            if (v) {
                v->count[k] = m;
                v->total += m;
            }
        }
    }
}

void
burl__profile_uses(struct burl_learned *l, const struct burl_wire_profile *from, bool whole)
{
    struct burl_wire_profile *to = profile_next(l);
    const uint32_t n = from->n_vars < BURL_PROFILE_VARS ? from->n_vars : BURL_PROFILE_VARS;

    if (l->n_profiled > 0 && (!whole || from->n_threads < 2))
        return; /* half of an execution would be half of the numbers */
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_profile_var *v = &from->vars[i];
        struct burl_profile_sum *s = sum_place(l, v);

        for (uint32_t k = 0; s && k < BURL_PROFILE_TIDS; k++) {
            s->count[k] += v->count[k];
            s->total += v->count[k];
        }
    }
    l->n_profiled++;
    if (from->n_threads >= to->n_threads) {
        to->n_threads = from->n_threads;
        memcpy(to->parent, from->parent, sizeof to->parent);
    }
    put_means(l, to);
}

/* ---- edges ------------------------------------------------------------------------- */

static struct burl_profile_edge *
edge_place(struct burl_wire_profile *p, uint32_t write, uint32_t read)
{
    uint32_t at = burl_profile_slot(write, read, BURL_PROFILE_EDGES);

    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        struct burl_profile_edge *e = &p->edges[(at + i) & (BURL_PROFILE_EDGES - 1)];

        if (e->write == write && e->read == read)
            return e;
        if (e->read == 0)
            return p->n_edges < BURL_PROFILE_EDGES_MAX ? e : NULL;
    }
    return NULL;
}

const struct burl_profile_edge *
burl__profile_find(const struct burl_wire_profile *p, uint32_t write, uint32_t read)
{
    uint32_t at = burl_profile_slot(write, read, BURL_PROFILE_EDGES);

    for (uint32_t i = 0; p && i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &p->edges[(at + i) & (BURL_PROFILE_EDGES - 1)];

        if (e->read == 0)
            return NULL;
        if (e->write == write && e->read == read)
            return e;
    }
    return NULL;
}

bool
burl__profile_has_seen(const struct burl_wire_profile *p, uint32_t write, uint32_t read)
{
    const struct burl_profile_edge *e = burl__profile_find(p, write, read);

    return e && e->flags & BURL_EDGE_F_SEEN;
}

/* Two processes saw it in this round: which was first in the list, not on the clock? */
static bool
is_earlier(const struct burl_campaign *c, const struct burl_profile_edge *from,
           const struct burl_profile_edge *e)
{
    if (!(from->flags & e->flags & BURL_EDGE_F_SEEN) || from->seed == e->seed)
        return false;
    return !burl__profile_has_seen(c->learned.profile, e->write, e->read) &&
           burl__pool_is_earlier(&c->pool, from->seed, e->seed);
}

static void
merge_edge(const struct burl_campaign *c, struct burl_wire_profile *p,
           const struct burl_profile_edge *from)
{
    struct burl_profile_edge *e = edge_place(p, from->write, from->read);

    if (!e) {
        p->edges_lost++;
        return;
    }
    if (e->read == 0) {
        *e = *from;
        p->n_edges++;
        return;
    }
    if (from->flags & ~e->flags & BURL_EDGE_F_SEEN || is_earlier(c, from, e))
        e->seed = from->seed;
    e->flags |= from->flags;
    e->after = e->after > from->after ? e->after : from->after;
    e->writer = e->writer < from->writer ? e->writer : from->writer;
    e->reader = e->reader < from->reader ? e->reader : from->reader;
}

void
burl__profile_put(struct burl_campaign *c, const struct burl_profile_edge *e)
{
    merge_edge(c, profile_next(&c->learned), e);
}

static void
merge_gates(struct burl_campaign *c, struct burl_target *t)
{
    const uint32_t *from = burl_door_gates_new(&t->block);

    /* The least of several, so that the order of processes does not matter. */
    for (uint32_t i = 0; i < c->learned.n_sites && i < t->ctl->n_sites; i++) {
        if (from[i] != 0 && (c->learned.gates[i] == 0 || from[i] < c->learned.gates[i]))
            c->learned.gates[i] = from[i];
    }
}

void
burl__profile_take(struct burl_campaign *c, struct burl_target *t)
{
    const struct burl_wire_profile *from = burl_door_profile_new(&t->block);
    struct burl_wire_profile *to = profile_next(&c->learned);

    burl__pair_take(c, from);
    if (from->edges_lost > 0)
        to->edges_lost = 1;
    if (from->n_edges > 0) {
        for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
            if (from->edges[i].read != 0)
                merge_edge(c, to, &from->edges[i]);
        }
        merge_gates(c, t);
    }
    if (t->ctl->order.flags & BURL_ORDER_F_PROFILE)
        burl__profile_uses(&c->learned, from, t->ctl->result.last.kind == BURL_VERDICT_PASS);
}

void
burl__profile_load(const struct burl_learned *l, struct burl_target *t)
{
    if (l->profile)
        burl_target_put(t, BURL_TARGET_PROFILE, l->profile, BURL_PROFILE_IN_FORCE_B);
}

/* Which of too many edges found room in `next` depends on the order of arrival: the edges that were
 * in force stay in force, with what is known of them now. That some found none does not depend on
 * it, since every table takes the same number. */
static void
keep_edges(const struct burl_wire_profile *old, struct burl_wire_profile *next)
{
    struct burl_profile_edge *kept = burl_xmemdup(old->edges, sizeof old->edges);

    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        if (kept[i].read != 0)
            kept[i] = *edge_place(next, kept[i].write, kept[i].read);
    }
    memcpy(next->edges, kept, sizeof next->edges);
    next->n_edges = old->n_edges;
    next->edges_lost = 1;
    free(kept);
}

void
burl__profile_adopt(struct burl_learned *l)
{
    struct burl_wire_profile *next = profile_next(l);

    if (!l->profile)
        l->profile = burl_xcalloc(1, sizeof *l->profile);
    if (next->edges_lost > 0)
        keep_edges(l->profile, next);
    if (memcmp(l->profile, next, BURL_PROFILE_IN_FORCE_B) != 0) {
        memcpy(l->profile, next, BURL_PROFILE_IN_FORCE_B);
        l->version++;
    }
}

void
burl__profile_count(const struct burl_learned *l, uint64_t *candidates, uint64_t *seen)
{
    *candidates = 0;
    *seen = 0;
    for (uint32_t i = 0; l->profile && i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &l->profile->edges[i];

        *candidates += e->read != 0 && e->flags & BURL_EDGE_F_CANDIDATE;
        *seen += e->read != 0 && e->flags & BURL_EDGE_F_SEEN;
    }
}
