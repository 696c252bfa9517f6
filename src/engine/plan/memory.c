/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/memory.c - what one campaign leaves for the next.
 *
 * Runs in the host. A campaign with cfg.recall begins with the points, edges, suspects and arms of
 * the one before, its seeds go on where those ended, so that no schedule is drawn twice, and so do
 * enumerations and the search of all interleavings. What depends on more than that (totals,
 * findings, the choice of engine) begins anew: findings are the store's.
 *
 * Nothing here is trusted: a site that this program does not have is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "engine/engine_int.h"

/* ---- export ------------------------------------------------------------------------ */

static void
keep_sites(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    m->points = burl_xcalloc((size_t)c->learned.n_sites + 1, sizeof *m->points);
    m->gates = burl_xcalloc((size_t)c->learned.n_sites + 1, sizeof *m->gates);
    for (uint32_t i = 1; i < c->learned.n_sites; i++) {
        if (c->learned.points_next[i])
            m->points[m->n_points++] = i;
        if (c->learned.gates[i])
            m->gates[m->n_gates++] =
                (struct burl_campaign_memory_gate){ .site = i, .gate = c->learned.gates[i] };
    }
}

static void
keep_edges(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    if (!c->learned.profile_next)
        return;
    m->edges = burl_xcalloc((size_t)c->learned.profile_next->n_edges + 1, sizeof *m->edges);
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES && m->n_edges < c->learned.profile_next->n_edges;
         i++) {
        if (c->learned.profile_next->edges[i].read != 0)
            m->edges[m->n_edges++] = c->learned.profile_next->edges[i];
    }
}

/* A campaign of one strategy has none of its own. */
static void
keep_arms(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    const struct burl_campaign_memory *before = c->cfg->recall;
    const bool own = c->stats->n_arms > 0 || !before;

    memcpy(m->arms, own ? c->stats->arms : before->arms, sizeof m->arms);
    m->n_arms = own ? c->stats->n_arms : before->n_arms;
}

struct burl_campaign_memory *
burl__memory_new(const struct burl_campaign *c)
{
    const struct burl_enumeration_facts facts = burl__enumerate_facts(c);
    struct burl_campaign_memory *m = burl_xcalloc(1, sizeof *m);
    const struct burl_campaign_memory *before = c->cfg->recall;

    m->executions = c->stats->all.executions + (before ? before->executions : 0);
    m->schedules = c->stats->schedules + (before ? before->schedules : 0);
    m->n_works = c->plan.n_works;
    m->n_directed = c->plan.n_directed;
    keep_arms(c, m);
    keep_sites(c, m);
    keep_edges(c, m);
    burl__goals_keep(c, m);
    burl__enumerate_keep(&c->proof, &facts, m);
    burl__frontier_keep(&c->proof, &c->learned, &m->search);
    return m;
}

void
burl_campaign_memory_deinit(struct burl_campaign_memory *m)
{
    free(m->points);
    free(m->edges);
    free(m->gates);
    BURL_VEC_FREE(&m->goals);
    burl__frontier_forget(&m->search);
    memset(m, 0, sizeof *m);
}

void
burl_campaign_memory_free(struct burl_campaign_memory *m)
{
    if (!m)
        return;
    burl_campaign_memory_deinit(m);
    free(m);
}

/* ---- import ------------------------------------------------------------------------ */

static void
recall_sites(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->n_points; i++) {
        if (m->points[i] < c->learned.n_sites)
            c->learned.points_next[m->points[i]] = 1;
    }
    for (size_t i = 0; i < m->n_gates; i++) {
        if (m->gates[i].site < c->learned.n_sites && m->gates[i].gate < c->learned.n_sites)
            c->learned.gates[m->gates[i].site] = m->gates[i].gate;
    }
}

void
burl__memory_recall(struct burl_campaign *c)
{
    const struct burl_campaign_memory *m = c->cfg->recall;
    struct burl_enumeration_facts facts;

    if (!m)
        return;
    c->plan.n_works = m->n_works;
    c->plan.n_directed = m->n_directed;
    recall_sites(c, m);
    for (size_t i = 0; i < m->n_edges; i++) {
        if (m->edges[i].write < c->learned.n_sites && m->edges[i].read < c->learned.n_sites &&
            m->edges[i].read != 0)
            burl__profile_put(c, &m->edges[i]);
    }
    burl__goals_recall(c, m);
    burl__campaign_adopt_points(c);
    facts = burl__enumerate_facts(c);
    burl__enumerate_recall(&c->proof, &facts, m);
    burl__frontier_recall(&c->proof, &c->learned, m, c->stats->search.anew);
}
