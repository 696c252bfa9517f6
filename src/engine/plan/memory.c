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

uint64_t
burl__memory_points(const struct burl_campaign *c)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (uint32_t i = 1; i < c->n_sites; i++) {
        if (c->points[i])
            h = burl_hash_u64(h, i);
    }
    return burl_hash_end(h);
}

/* ---- export ------------------------------------------------------------------------ */

static void
keep_sites(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    m->points = burl_xcalloc((size_t)c->n_sites + 1, sizeof *m->points);
    m->gates = burl_xcalloc((size_t)c->n_sites + 1, sizeof *m->gates);
    for (uint32_t i = 1; i < c->n_sites; i++) {
        if (c->points_next[i])
            m->points[m->n_points++] = i;
        if (c->gates[i])
            m->gates[m->n_gates++] =
                (struct burl_campaign_memory_gate){ .site = i, .gate = c->gates[i] };
    }
}

static void
keep_edges(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    if (!c->profile_next)
        return;
    m->edges = burl_xcalloc((size_t)c->profile_next->n_edges + 1, sizeof *m->edges);
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES && m->n_edges < c->profile_next->n_edges; i++) {
        if (c->profile_next->edges[i].read != 0)
            m->edges[m->n_edges++] = c->profile_next->edges[i];
    }
}

static void
keep_suspects(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    m->suspects = burl_xcalloc(c->stats->n_suspects + 1, sizeof *m->suspects);
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &c->stats->suspects[i];

        m->suspects[m->n_suspects++] = (struct burl_campaign_memory_suspect){
            .suspect = e->suspect, .state = (uint8_t)e->state, .tries = e->tries, .met = e->met
        };
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
    struct burl_campaign_memory *m = burl_xcalloc(1, sizeof *m);
    const struct burl_campaign_memory *before = c->cfg->recall;

    m->executions = c->stats->all.executions + (before ? before->executions : 0);
    m->schedules = c->stats->schedules + (before ? before->schedules : 0);
    m->n_works = c->n_works;
    m->n_directed = c->n_directed;
    keep_arms(c, m);
    keep_sites(c, m);
    keep_edges(c, m);
    keep_suspects(c, m);
    burl__proposals_keep(c, m);
    burl__enumerate_keep(c, m);
    burl__pairs_keep(c, m);
    burl__frontier_keep(c, m);
    return m;
}

void
burl_campaign_memory_deinit(struct burl_campaign_memory *m)
{
    free(m->points);
    free(m->edges);
    free(m->gates);
    free(m->suspects);
    free(m->proposals);
    free(m->pairs);
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

static bool
has_sites(const struct burl_campaign *c, const struct burl_wire_suspect *s)
{
    if (s->kind >= BURL_SUSPECT__N || s->n_sites == 0 || s->n_sites > BURL_WIRE_MAX_SITES)
        return false;
    for (uint32_t i = 0; i < s->n_sites; i++) {
        if (s->sites[i] == 0 || s->sites[i] >= c->n_sites)
            return false;
    }
    return true;
}

static void
recall_sites(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->n_points; i++) {
        if (m->points[i] < c->n_sites)
            c->points_next[m->points[i]] = 1;
    }
    for (size_t i = 0; i < m->n_gates; i++) {
        if (m->gates[i].site < c->n_sites && m->gates[i].gate < c->n_sites)
            c->gates[m->gates[i].site] = m->gates[i].gate;
    }
}

/* What was confirmed, hidden or covered then is a matter of findings, which this campaign has yet
 * to make; what was tried in vain need not be tried as often again. */
static void
recall_suspects(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    struct burl_campaign_stats *st = c->stats;

    for (size_t i = 0; i < m->n_suspects; i++) {
        const struct burl_campaign_memory_suspect *from = &m->suspects[i];
        struct burl_campaign_suspect *e;

        if (!has_sites(c, &from->suspect) || from->suspect.kind == BURL_SUSPECT_RACE ||
            from->suspect.kind == BURL_SUSPECT_REGION ||
            (from->state != BURL_CAMPAIGN_SUSPECT_UNCONFIRMED &&
             from->state != BURL_CAMPAIGN_SUSPECT_HARMLESS &&
             from->state != BURL_CAMPAIGN_SUSPECT_UNTRIED))
            continue;
        st->suspects = burl_xreallocarray(st->suspects, st->n_suspects + 1, sizeof *st->suspects);
        e = &st->suspects[st->n_suspects++];
        *e = (struct burl_campaign_suspect){ .suspect = from->suspect,
                                             .state = (enum burl_campaign_suspect_state)from->state,
                                             .tries = from->tries,
                                             .met = from->met };
        e->suspect.key =
            burl_wire_suspect_key(e->suspect.kind, e->suspect.sites, e->suspect.n_sites);
        e->suspect.count = 0;
    }
}

void
burl__memory_recall(struct burl_campaign *c)
{
    const struct burl_campaign_memory *m = c->cfg->recall;

    if (!m)
        return;
    c->n_works = m->n_works;
    c->n_directed = m->n_directed;
    recall_sites(c, m);
    for (size_t i = 0; i < m->n_edges; i++) {
        if (m->edges[i].write < c->n_sites && m->edges[i].read < c->n_sites &&
            m->edges[i].read != 0)
            burl__profile_put(c, &m->edges[i]);
    }
    recall_suspects(c, m);
    burl__proposals_recall(c, m);
    burl__pairs_recall(c, m);
    burl__campaign_adopt_points(c);
    burl__enumerate_recall(c, m);
    burl__frontier_recall(c, m);
}
