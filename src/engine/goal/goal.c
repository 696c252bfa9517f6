/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/goal.c - records of goals: state, attempts, hits, first seed. Contract in goal.h.
 *
 * Runs in the host. Needs no process and no campaign. Each kind has a file of its own, which says
 * what to propose, in which order, with which orders, and what came of it.
 */
#include "engine/goal/goal.h"

#include "base/rng.h"

void
burl__goal_count(struct burl_goal *g, uint64_t attempts, uint64_t hits, uint64_t first_seed)
{
    if (hits > 0 && g->hits == 0 && g->first_seed == 0)
        g->first_seed = first_seed;
    g->attempts += attempts;
    g->hits += hits;
}

bool
burl__goal_is_open(const struct burl_goal *g, uint64_t max_attempts)
{
    return g->state <= BURL_GOAL_STATE_HARMLESS && g->attempts < max_attempts;
}

uint64_t
burl__goal_seed(uint64_t stream, uint64_t n)
{
    uint64_t state = stream + n * 0x9e3779b97f4a7c15ull;

    return burl_rng_splitmix(&state) >> 16;
}

/* ---- tables of goals with two sites ------------------------------------------------ */

static uint64_t
pair_key(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

struct burl_goal_pair_record *
burl__goal_pairs_find(const struct burl_goal_pairs *p, uint32_t first, uint32_t second)
{
    uint64_t at;

    return burl_map_get(&p->index, pair_key(first, second), &at) ? &p->all.v[at] : NULL;
}

struct burl_goal_pair_record *
burl__goal_pairs_at(struct burl_goal_pairs *p, enum burl_goal_kind kind, uint32_t first,
                    uint32_t second)
{
    struct burl_goal_pair_record *x = burl__goal_pairs_find(p, first, second);

    if (x)
        return x;
    if (p->full || (p->max > 0 && p->all.n >= p->max)) {
        p->full = true;
        return NULL;
    }
    burl_map_set(&p->index, pair_key(first, second), p->all.n);
    x = BURL_VEC_ADD(&p->all);
    *x = (struct burl_goal_pair_record){ .goal.kind = kind, .first = first, .second = second };
    return x;
}

void
burl__goal_pairs_deinit(struct burl_goal_pairs *p)
{
    BURL_VEC_FREE(&p->all);
    burl_map_deinit(&p->index);
}

/* ---- from campaign to campaign ----------------------------------------------------- */

struct burl_goal_memory *
burl__goal_remember(struct burl_campaign_memory *m, const struct burl_goal *g,
                    const uint32_t *sites, uint32_t n_sites)
{
    struct burl_goal_memory *x = BURL_VEC_ADD(&m->goals);

    *x = (struct burl_goal_memory){ .goal = *g, .n_sites = n_sites };
    for (uint32_t i = 0; i < n_sites && i < BURL_WIRE_MAX_SITES; i++)
        x->sites[i] = sites[i];
    return x;
}

void
burl__goals_deinit(struct burl_goals *g)
{
    burl_map_deinit(&g->suspect_at);
    burl__goal_pairs_deinit(&g->edges);
    burl__goal_pairs_deinit(&g->pairs);
    BURL_VEC_FREE(&g->firsts);
}
