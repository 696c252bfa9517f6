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
 * times. So new edges come at once; edges that cannot be met (other synchronization forbids them,
 * which is not known beforehand) cost a few executions each before the rest has its turn; and
 * everything is tried again later. Among equals reads come first that follow many others in their
 * thread: what was read before them may not go with what they see. Then the campaign's seed
 * decides.
 *
 * Only sites, their order of numbers and the seed decide, never places in the table or counts of
 * single processes: the same campaign proposes the same whatever the number of jobs.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/engine_int.h"

/* Tries that an edge is behind others for having been seen: a read that saw a write in passing may
 * still fail when driven there with different timing around it, but new ground comes first. */
#define SEEN_HANDICAP 3u
/* The same for a read that locks keep from seeing it, as far as sites tell. */
#define SHUT_HANDICAP 6u
/* Executions of one work: the first may do, and the next edge is as promising as a second try;
 * retries get more executions. */
#define EXECS_MAX 3u
/* The runtime does not distinguish more attempts. */
#define TRIES_TOLD 255u
/* Of the seeds: a stream of its own, so that proposals do not change what is explored otherwise. */
#define SEED_STREAM 0x72656164732d6672ull

struct proposal {
    const struct burl_profile_edge *edge;
    uint64_t cost;
    uint64_t tie;
};

struct proposals {
    BURL_VEC_OF(struct proposal);
};

static uint64_t
tries_of(const struct burl_campaign *c, const struct burl_profile_edge *e)
{
    const struct burl_goal_pair_record *g =
        burl__goal_pairs_find(&c->goals.edges, e->write, e->read);

    return g ? g->goal.attempts : 0;
}

static void
note_tries(struct burl_campaign *c, uint32_t write, uint32_t read, uint64_t n)
{
    burl__goal_pairs_at(&c->goals.edges, BURL_GOAL_KIND_READS_FROM, write, read)->goal.attempts +=
        n;
    c->goals.n_proposals += n;
}

static uint32_t
flags_for(const struct burl_campaign *c, const struct burl_wire_goal *goal)
{
    uint32_t flags = burl__campaign_flags(c);
    uint32_t sites[BURL_WIRE_MAX_SITES];
    const uint32_t n = burl_wire_goal_sites(goal, sites);

    for (uint32_t i = 0; i < n; i++) {
        if (sites[i] != 0 && !burl__learned_is_point(&c->learned, sites[i]))
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
edge_handicap(const struct burl_campaign *c, const struct burl_profile_edge *e)
{
    const bool locked = e->write == 0 || burl__learned_gate(&c->learned, e->write) != 0;

    return (e->flags & BURL_EDGE_F_SEEN ? SEEN_HANDICAP : 0u) +
           (e->flags & BURL_EDGE_F_SHUT && locked ? SHUT_HANDICAP : 0u);
}

static void
list_all(const struct burl_campaign *c, struct proposals *list)
{
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &c->learned.profile->edges[i];
        struct proposal p = { .edge = e };

        if (e->read == 0 || !(e->flags & BURL_EDGE_F_CANDIDATE) ||
            !burl__learned_is_next_point(&c->learned, e->read) ||
            (e->write != 0 && !burl__learned_is_next_point(&c->learned, e->write)))
            continue;
        p.cost = tries_of(c, e) + edge_handicap(c, e);
        p.tie = burl_wire_mix(burl_wire_mix(c->cfg->seed, e->write), e->read);
        BURL_VEC_PUSH(list, p);
    }
    if (list->n > 0)
        qsort(list->v, list->n, sizeof *list->v, by_promise);
}

/* The other writes of the read's variable, the most promising first as everywhere. */
static struct burl_wire_goal
goal_of(const struct burl_campaign *c, const struct proposals *list,
        const struct burl_profile_edge *e, uint32_t attempt)
{
    struct burl_wire_goal g = {
        .kind = BURL_GOAL_READS_FROM,
        .reads_from = { .write = e->write,
                        .read = e->read,
                        .write_gate = burl__learned_gate(&c->learned, e->write),
                        .read_gate = burl__learned_gate(&c->learned, e->read),
                        .reader = e->reader,
                        .attempt = attempt },
    };
    struct burl_goal_reads_from *x = &g.reads_from;

    for (size_t i = 0; i < list->n && x->n_others < BURL_GOAL_MAX_WRITES; i++) {
        const struct burl_profile_edge *o = list->v[i].edge;

        if (o->read != e->read || o->write == 0 || o->write == e->write)
            continue;
        x->others[x->n_others].write = o->write;
        x->others[x->n_others++].gate = burl__learned_gate(&c->learned, o->write);
    }
    return g;
}

size_t
burl__proposals_next(struct burl_campaign *c, struct burl_work *works, size_t max)
{
    struct proposals list = { 0 };
    size_t n = 0;

    if (!c->learned.profile)
        return 0;
    list_all(c, &list);
    for (; n < list.n && n < max; n++) {
        const struct burl_profile_edge *e = list.v[n].edge;
        const uint64_t tries = tries_of(c, e);
        const struct burl_wire_goal goal =
            goal_of(c, &list, e, (uint32_t)(tries < TRIES_TOLD ? tries : TRIES_TOLD));

        works[n] = (struct burl_work){
            .strategy = BURL_STRATEGY_READS_FROM,
            .flags = flags_for(c, &goal),
            .first_seed = burl__goal_seed(c->cfg->seed ^ SEED_STREAM, c->goals.n_proposals),
            .n = tries + 1 < EXECS_MAX ? tries + 1 : EXECS_MAX,
            /* The rest of a campaign predicts too; what is new here shows the first time. */
            .observers = tries == 0 ? c->cfg->observers : c->cfg->observers & BURL_ENGINE_COVER_OBS,
            .args.goal = goal,
            .whole = true,
        };
        note_tries(c, e->write, e->read, 1);
    }
    BURL_VEC_FREE(&list);
    return n;
}

/* ---- from campaign to campaign ----------------------------------------------------- */

void
burl__proposals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < c->goals.edges.all.n; i++) {
        const struct burl_goal_pair_record *x = &c->goals.edges.all.v[i];
        const uint32_t sites[] = { x->first, x->second };
        const struct burl_profile_edge *e =
            burl__profile_find(c->learned.profile, x->first, x->second);
        const bool seen = e && e->flags & BURL_EDGE_F_SEEN;
        struct burl_goal g = x->goal;

        g.state = seen ? BURL_GOAL_STATE_CONFIRMED : BURL_GOAL_STATE_UNCONFIRMED;
        g.hits = seen;
        g.first_seed = seen ? e->seed : 0;
        burl__goal_remember(m, &g, sites, 2);
    }
}

/* Works made are the sum of all tries: their seeds are not used again. */
void
burl__proposals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->goals.n; i++) {
        const struct burl_goal_memory *x = &m->goals.v[i];

        if (x->goal.kind == BURL_GOAL_KIND_READS_FROM && x->n_sites == 2 && x->sites[1] != 0 &&
            x->goal.attempts > 0)
            note_tries(c, x->sites[0], x->sites[1], x->goal.attempts);
    }
}
