/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/proposals.c - which read should see which write next.
 *
 * Runs in the host, between rounds. The profile in force lists edges: what reads have seen, and
 * what they might see because the same memory was touched at both sites (wire/profile.h). Each
 * work made here drives a few executions towards one of them (rt/goal/reads_from.c; Wolff et
 * al., ASPLOS 2024: that unseen edges are proposed matters most, what guides the choice among
 * them little).
 *
 * Order: what was tried least comes first, and an edge that was seen already counts as tried some
 * times. So new edges come at once, edges that cannot be met (other synchronization forbids
 * them; nobody knows that beforehand) cost a few executions each before the rest has its turn, and
 * everything comes round again. Among equals reads come first that follow many others in their
 * thread: what was read before them may not go with what they see. Then the campaign's seed
 * decides.
 *
 * Only sites, their order of numbers and the seed decide, never places in the table or counts of
 * single processes: the same campaign proposes the same whatever the number of jobs.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "engine/engine_int.h"

/* Tries that an edge is behind others for having been seen: a read that saw a write in passing may
 * still fail when driven there with different timing around it, but new ground comes first. */
#define SEEN_HANDICAP 3u
/* The same for a read that locks keep from seeing it, as far as sites tell. */
#define SHUT_HANDICAP 6u
/* Executions of one work: the first may do, and the next edge is as promising as a second try;
 * who comes back was not met at once and gets more. */
#define EXECS_MAX 3u
/* Tries beyond this are the same to the runtime. */
#define TRIES_TOLD 255u
/* Other writes of the variable that are told to the runtime. */

struct tried {
    uint32_t write;
    uint32_t read;
    uint32_t tries;
};

struct burl_proposals {
    struct {
        BURL_VEC_OF(struct tried);
    } tried; /* ascending by read, then write */
    uint64_t n_made;
};

struct proposal {
    const struct burl_profile_edge *edge;
    uint64_t cost;
    uint64_t tie;
};

struct proposals {
    BURL_VEC_OF(struct proposal);
};

/* ---- what was tried ---------------------------------------------------------------- */

static size_t
tried_place(const struct burl_proposals *p, uint32_t write, uint32_t read)
{
    size_t lo = 0;
    size_t hi = p->tried.n;

    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        const struct tried *t = &p->tried.v[mid];

        if (t->read < read || (t->read == read && t->write < write))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint32_t
tries_of(const struct burl_proposals *p, const struct burl_profile_edge *e)
{
    const size_t at = tried_place(p, e->write, e->read);

    if (at < p->tried.n && p->tried.v[at].write == e->write && p->tried.v[at].read == e->read)
        return p->tried.v[at].tries;
    return 0;
}

static void
note_try(struct burl_proposals *p, const struct burl_profile_edge *e)
{
    const struct tried new = { .write = e->write, .read = e->read, .tries = 1 };
    const size_t at = tried_place(p, e->write, e->read);

    if (at < p->tried.n && p->tried.v[at].write == e->write && p->tried.v[at].read == e->read) {
        p->tried.v[at].tries++;
        return;
    }
    BURL_VEC_PUSH(&p->tried, new);
    for (size_t i = p->tried.n - 1; i > at; i--)
        p->tried.v[i] = p->tried.v[i - 1];
    p->tried.v[at] = new;
}

/* ---- what to try ------------------------------------------------------------------- */

/* Is it a scheduling point, now or as soon as what was learned comes into force? */
static bool
is_learned(const struct burl_campaign *c, uint32_t site)
{
    return site < c->n_sites && c->points_next[site];
}

static uint32_t
flags_for(const struct burl_campaign *c, const struct burl_wire_goal *goal)
{
    uint32_t flags = burl__campaign_flags(c);
    uint32_t sites[BURL_WIRE_MAX_SITES];
    const uint32_t n = burl_wire_goal_sites(goal, sites);

    for (uint32_t i = 0; i < n; i++) {
        if (sites[i] != 0 && (sites[i] >= c->n_sites || !c->points[sites[i]]))
            flags |= BURL_ORDER_F_ALL_POINTS;
    }
    return flags;
}

static int
by_promise(const void *a, const void *b)
{
    const struct proposal *x = a;
    const struct proposal *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->edge->after != y->edge->after)
        return x->edge->after > y->edge->after ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    if (x->edge->read != y->edge->read)
        return x->edge->read < y->edge->read ? -1 : 1;
    return x->edge->write < y->edge->write ? -1 : x->edge->write > y->edge->write;
}

/* Tries that an edge is behind others: for having been seen, or because locks seem to forbid it. */
static uint64_t
handicap(const struct burl_campaign *c, const struct burl_profile_edge *e)
{
    const bool locked = e->write == 0 || (e->write < c->n_sites && c->gates[e->write] != 0);

    return (e->flags & BURL_EDGE_F_SEEN ? SEEN_HANDICAP : 0u) +
           (e->flags & BURL_EDGE_F_SHUT && locked ? SHUT_HANDICAP : 0u);
}

static void
list_all(const struct burl_campaign *c, struct proposals *list)
{
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &c->profile->edges[i];
        struct proposal p = { .edge = e };

        if (e->read == 0 || !(e->flags & BURL_EDGE_F_CANDIDATE) || !is_learned(c, e->read) ||
            (e->write != 0 && !is_learned(c, e->write)))
            continue;
        p.cost = tries_of(c->proposals, e) + handicap(c, e);
        p.tie = burl_wire_mix(burl_wire_mix(c->cfg->seed, e->write), e->read);
        BURL_VEC_PUSH(list, p);
    }
    if (list->n > 0)
        qsort(list->v, list->n, sizeof *list->v, by_promise);
}

static uint32_t
gate_of(const struct burl_campaign *c, uint32_t site)
{
    return site < c->n_sites ? c->gates[site] : 0;
}

/* The other writes of the read's variable, the most promising first as everywhere. */
static struct burl_wire_goal
goal_of(const struct burl_campaign *c, const struct proposals *list,
        const struct burl_profile_edge *e, uint32_t tries)
{
    struct burl_wire_goal g = {
        .kind = BURL_GOAL_READS_FROM,
        .reads_from = { .write = e->write,
                        .read = e->read,
                        .write_gate = gate_of(c, e->write),
                        .read_gate = gate_of(c, e->read),
                        .reader = e->reader,
                        .attempt = tries < TRIES_TOLD ? tries : TRIES_TOLD },
    };
    struct burl_goal_reads_from *x = &g.reads_from;

    for (size_t i = 0; i < list->n && x->n_others < BURL_GOAL_MAX_WRITES; i++) {
        const struct burl_profile_edge *o = list->v[i].edge;

        if (o->read != e->read || o->write == 0 || o->write == e->write)
            continue;
        x->others[x->n_others].write = o->write;
        x->others[x->n_others++].gate = gate_of(c, o->write);
    }
    return g;
}

/* A stream of its own, so that proposals do not change what is explored otherwise. */
static uint64_t
next_seed(struct burl_campaign *c)
{
    uint64_t state =
        (c->cfg->seed ^ 0x72656164732d6672ull) + c->proposals->n_made++ * 0x9e3779b97f4a7c15ull;

    return burl_rng_splitmix(&state) >> 16;
}

size_t
burl__proposals_next(struct burl_campaign *c, struct burl_work *works, size_t max)
{
    struct proposals list = { 0 };
    size_t n = 0;

    if (!c->profile)
        return 0;
    if (!c->proposals)
        c->proposals = burl_xcalloc(1, sizeof *c->proposals);
    list_all(c, &list);
    for (; n < list.n && n < max; n++) {
        const struct burl_profile_edge *e = list.v[n].edge;
        const uint32_t tries = tries_of(c->proposals, e);
        const struct burl_wire_goal goal = goal_of(c, &list, e, tries);

        works[n] = (struct burl_work){
            .strategy = BURL_STRATEGY_READS_FROM,
            .flags = flags_for(c, &goal),
            .first_seed = next_seed(c),
            .n = tries + 1 < EXECS_MAX ? tries + 1 : EXECS_MAX,
            /* The rest of a campaign predicts too; what is new here shows the first time. */
            .observers = tries == 0 ? c->cfg->observers : c->cfg->observers & BURL_ENGINE_COVER_OBS,
            .args.goal = goal,
            .whole = true,
        };
        note_try(c->proposals, e);
    }
    BURL_VEC_FREE(&list);
    return n;
}

void
burl__proposals_free(struct burl_proposals *p)
{
    if (p)
        BURL_VEC_FREE(&p->tried);
    free(p);
}

/* ---- from campaign to campaign ----------------------------------------------------- */

static bool
is_seen(const struct burl_campaign *c, const struct tried *t)
{
    uint32_t at = burl_profile_edge_slot(t->write, t->read);

    for (uint32_t i = 0; c->profile && i < BURL_PROFILE_EDGES; i++, at++) {
        const struct burl_profile_edge *e = &c->profile->edges[at & (BURL_PROFILE_EDGES - 1)];

        if (e->read == 0)
            break;
        if (e->write == t->write && e->read == t->read)
            return e->flags & BURL_EDGE_F_SEEN;
    }
    return false;
}

void
burl__proposals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    const struct burl_proposals *p = c->proposals;

    if (!p || p->tried.n == 0)
        return;
    m->proposals = burl_xcalloc(p->tried.n, sizeof *m->proposals);
    for (size_t i = 0; i < p->tried.n; i++) {
        const struct tried *t = &p->tried.v[i];

        m->proposals[m->n_proposals++] = (struct burl_campaign_memory_proposal){
            .write = t->write, .read = t->read, .tries = t->tries, .hits = is_seen(c, t)
        };
    }
}

/* Works made are the sum of all tries: their seeds are not used again. */
void
burl__proposals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    if (!c->proposals)
        c->proposals = burl_xcalloc(1, sizeof *c->proposals);
    for (size_t i = 0; i < m->n_proposals; i++) {
        const struct burl_campaign_memory_proposal *x = &m->proposals[i];
        const struct burl_profile_edge e = { .write = x->write, .read = x->read };

        if (x->tries == 0)
            continue;
        note_try(c->proposals, &e);
        c->proposals->tried.v[tried_place(c->proposals, x->write, x->read)].tries += x->tries - 1;
        c->proposals->n_made += x->tries;
    }
}
