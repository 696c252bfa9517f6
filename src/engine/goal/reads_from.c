/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/reads_from.c - goals of kind READS_FROM: which read should see which write next.
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
#define ATTEMPTS_MAX 255u
/* Of the seeds: a stream of its own, so that proposals do not change what is explored otherwise. */
#define SEED_STREAM 0x72656164732d6672ull

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

/* Tries that an edge is behind others: for having been seen, or because locks seem to forbid it. */
static uint64_t
edge_handicap(const struct burl_campaign *c, const struct burl_profile_edge *e)
{
    const bool locked = e->write == 0 || burl__learned_gate(&c->learned, e->write) != 0;

    return (e->flags & BURL_EDGE_F_SEEN ? SEEN_HANDICAP : 0u) +
           (e->flags & BURL_EDGE_F_SHUT && locked ? SHUT_HANDICAP : 0u);
}

static size_t
edge_count(const struct burl_campaign *c)
{
    return c->learned.profile ? BURL_PROFILE_EDGES : 0;
}

static bool
edge_propose(struct burl_campaign *c, size_t at, struct burl_promise *p)
{
    const struct burl_profile_edge *e = &c->learned.profile->edges[at];

    if (e->read == 0 || !(e->flags & BURL_EDGE_F_CANDIDATE) ||
        !burl__learned_is_next_point(&c->learned, e->read) ||
        (e->write != 0 && !burl__learned_is_next_point(&c->learned, e->write)))
        return false;
    p->keys[0] = tries_of(c, e) + edge_handicap(c, e);
    p->keys[1] = UINT32_MAX - e->after;
    p->keys[2] = burl_wire_mix(burl_wire_mix(c->cfg->seed, e->write), e->read);
    p->keys[3] = (uint64_t)e->read << 32 | e->write;
    return true;
}

/* Adds the other writes of the read's variable, the most promising first. */
static void
add_others(const struct burl_campaign *c, struct burl_goal_reads_from *x)
{
    const struct burl_promises *list = &c->goals.promises;

    for (size_t i = 0; i < list->n && x->n_others < BURL_GOAL_MAX_WRITES; i++) {
        const struct burl_profile_edge *o = &c->learned.profile->edges[list->v[i].at];

        if (o->read != x->read || o->write == 0 || o->write == x->write)
            continue;
        x->others[x->n_others].write = o->write;
        x->others[x->n_others++].gate = burl__learned_gate(&c->learned, o->write);
    }
}

static void
edge_order(struct burl_campaign *c, size_t at, struct burl_work *w)
{
    const struct burl_profile_edge *e = &c->learned.profile->edges[at];
    const uint64_t tries = tries_of(c, e);
    struct burl_wire_goal *g = &w->args.goal;

    *g = (struct burl_wire_goal){
        .kind = BURL_GOAL_READS_FROM,
        .reads_from = { .write = e->write,
                        .read = e->read,
                        .write_gate = burl__learned_gate(&c->learned, e->write),
                        .read_gate = burl__learned_gate(&c->learned, e->read),
                        .reader = e->reader,
                        .attempt = (uint32_t)(tries < ATTEMPTS_MAX ? tries : ATTEMPTS_MAX) },
    };
    add_others(c, &g->reads_from);
    w->strategy = BURL_STRATEGY_READS_FROM;
    w->flags = burl__campaign_flags(c) | burl__goal_points_flag(c, g);
    w->first_seed = burl__goal_seed(c->cfg->seed ^ SEED_STREAM, c->goals.n_proposals);
    w->n = tries + 1 < EXECS_MAX ? tries + 1 : EXECS_MAX;
    /* The rest of a campaign predicts too; what is new here shows the first time. */
    w->observers = tries == 0 ? c->cfg->observers : c->cfg->observers & BURL_ENGINE_COVER_OBS;
    note_tries(c, e->write, e->read, 1);
}

/* Whether it was reached is in the profile: there is nothing to judge. */
const struct burl_goal_rules burl__reads_from_rules = { .count = edge_count,
                                                        .propose = edge_propose,
                                                        .order = edge_order };

/* ---- from campaign to campaign ----------------------------------------------------- */

void
burl__reads_from_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
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
burl__reads_from_recall(struct burl_campaign *c, const struct burl_goal_memory *x)
{
    if (x->n_sites == 2 && x->sites[1] != 0 && x->goal.attempts > 0)
        note_tries(c, x->sites[0], x->sites[1], x->goal.attempts);
}
