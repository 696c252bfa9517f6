/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/profile.c - what executions show of the program, handed to those that come after.
 *
 * Runs in the host. Each process accumulates edges in its block (wire/profile.h); after an order
 * they are merged into what the campaign knows, and come into force between rounds only, so that
 * the order in which processes finish changes nothing (INV-E1, INV-E2: pool.c calls take in any
 * order, and merging is the same in any).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

static struct burl_wire_profile *
profile_next(struct burl_campaign *c)
{
    if (!c->profile_next)
        c->profile_next = burl_xcalloc(1, sizeof *c->profile_next);
    return c->profile_next;
}

static struct burl_profile_edge *
edge_place(struct burl_wire_profile *p, uint32_t write, uint32_t read)
{
    uint32_t at = burl_profile_edge_slot(write, read);

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
    uint32_t at = burl_profile_edge_slot(write, read);

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
burl__works_order(const struct burl_campaign *c, uint64_t a, uint64_t b)
{
    for (size_t i = 0; i < c->n_works_given; i++) {
        const struct burl_work *w = &c->works[i];
        const bool has_a = a >= w->first_seed && a - w->first_seed < w->n;
        const bool has_b = b >= w->first_seed && b - w->first_seed < w->n;

        if (has_a || has_b)
            return has_a && (!has_b || a < b);
    }
    return false;
}

/* Two processes saw it in this round: which was first in the list, not on the clock? */
static bool
is_earlier(const struct burl_campaign *c, const struct burl_profile_edge *from,
           const struct burl_profile_edge *e)
{
    const struct burl_profile_edge *old;

    if (!(from->flags & e->flags & BURL_EDGE_F_SEEN) || from->seed == e->seed)
        return false;
    old = burl__profile_find(c->profile, e->write, e->read);
    return (!old || !(old->flags & BURL_EDGE_F_SEEN)) && burl__works_order(c, from->seed, e->seed);
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
    merge_edge(c, profile_next(c), e);
}

static void
merge_gates(struct burl_campaign *c, struct burl_target *t)
{
    const uint32_t *from = burl_target_gates_new(t);

    /* The least of several: which process is asked first must not matter. */
    for (uint32_t i = 0; i < c->n_sites; i++) {
        if (from[i] != 0 && (c->gates[i] == 0 || from[i] < c->gates[i]))
            c->gates[i] = from[i];
    }
}

void
burl__profile_take(struct burl_campaign *c, struct burl_target *t)
{
    const struct burl_wire_profile *from = burl_target_profile_new(t);
    struct burl_wire_profile *to = profile_next(c);

    burl__pairs_take(c, from);
    if (from->edges_lost > 0)
        to->edges_lost = 1;
    if (from->n_edges > 0) {
        for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
            if (from->edges[i].read != 0)
                merge_edge(c, to, &from->edges[i]);
        }
        merge_gates(c, t);
    }
    if (t->ctl->order.flags & BURL_ORDER_F_PROFILE) {
        to->n_vars = from->n_vars < BURL_PROFILE_VARS ? from->n_vars : BURL_PROFILE_VARS;
        to->n_threads = from->n_threads;
        memcpy(to->ops, from->ops, sizeof to->ops);
        memcpy(to->parent, from->parent, sizeof to->parent);
        memcpy(to->vars, from->vars, sizeof to->vars);
    }
}

void
burl__profile_load(const struct burl_campaign *c, struct burl_target *t)
{
    if (c->profile)
        memcpy(burl_target_profile(t), c->profile, BURL_PROFILE_IN_FORCE_B);
}

/* Which of too many edges found room in `next` depends on who came first: the edges that were in
 * force stay in force, with what is known of them now. That some found none does not depend on it,
 * since every table takes the same number. */
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
burl__profile_adopt(struct burl_campaign *c)
{
    struct burl_wire_profile *next = profile_next(c);

    if (!c->profile)
        c->profile = burl_xcalloc(1, sizeof *c->profile);
    if (next->edges_lost > 0)
        keep_edges(c->profile, next);
    if (memcmp(c->profile, next, BURL_PROFILE_IN_FORCE_B) != 0) {
        memcpy(c->profile, next, BURL_PROFILE_IN_FORCE_B);
        c->learned_version++;
    }
    burl__profile_count(c, &c->stats->edge_candidates, &c->stats->edges);
    burl__pairs_adopt(c);
}

void
burl__profile_count(const struct burl_campaign *c, uint64_t *candidates, uint64_t *seen)
{
    *candidates = 0;
    *seen = 0;
    for (uint32_t i = 0; c->profile && i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &c->profile->edges[i];

        *candidates += e->read != 0 && e->flags & BURL_EDGE_F_CANDIDATE;
        *seen += e->read != 0 && e->flags & BURL_EDGE_F_SEEN;
    }
}

void
burl__profile_free(struct burl_campaign *c)
{
    free(c->profile);
    free(c->profile_next);
    free(c->gates);
}
