/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/goal.c - what goals of all kinds have in common: records with state, attempts, hits
 * and first seed; which goal is the most promising; what one campaign leaves to the next. Contract
 * in goal.h.
 *
 * Runs in the host.
 */
#include "engine/goal/goal.h"

#include "base/compare.h"
#include "base/rng.h"
#include "engine/engine_int.h"

const struct burl_goal_rules *const burl__goal_rules[BURL_GOAL_KIND__N] = {
    [BURL_GOAL_KIND_RACE] = &burl__race_rules,
    [BURL_GOAL_KIND_POTENTIAL_RACE] = &burl__race_rules,
    [BURL_GOAL_KIND_TRIPLE] = &burl__triple_rules,
    [BURL_GOAL_KIND_CYCLE] = &burl__cycle_rules,
    [BURL_GOAL_KIND_WAKEUP] = &burl__wakeup_rules,
    [BURL_GOAL_KIND_PAIR] = &burl__pair_rules,
    [BURL_GOAL_KIND_READS_FROM] = &burl__reads_from_rules,
};

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

/* ---- which goal is next ------------------------------------------------------------ */

int
burl__goal_by_promise(const void *a, const void *b)
{
    const struct burl_promise *x = a;
    const struct burl_promise *y = b;

    return burl_compare_keys(x->keys, y->keys, BURL_PROMISE_KEYS);
}

size_t
burl__goal_propose(struct burl_campaign *c, enum burl_goal_kind kind, size_t max, uint64_t n,
                   struct burl_work *works)
{
    const struct burl_goal_rules *rules = burl__goal_rules[kind];
    struct burl_promises *list = &c->goals.promises;
    const size_t n_goals = rules->count(c);
    size_t made;

    list->n = 0;
    for (size_t i = 0; i < n_goals; i++) {
        struct burl_promise p = { .at = i };

        if (rules->propose(c, i, &p))
            BURL_VEC_PUSH(list, p);
    }
    if (list->n > 0)
        qsort(list->v, list->n, sizeof *list->v, burl__goal_by_promise);
    made = list->n < max ? list->n : max;
    for (size_t i = 0; i < made; i++) {
        works[i] = (struct burl_work){ .n = n / made, .whole = true };
        rules->order(c, list->v[i].at, &works[i]);
    }
    return made;
}

uint32_t
burl__goal_points_flag(const struct burl_campaign *c, const struct burl_wire_goal *g)
{
    uint32_t sites[BURL_WIRE_MAX_SITES];
    const uint32_t n = burl_wire_goal_sites(g, sites);

    if (g->kind == BURL_GOAL_WAKEUP)
        return 0; /* synchronization always is a point */
    for (uint32_t i = 0; i < n; i++) {
        const bool initial = g->kind == BURL_GOAL_READS_FROM && sites[i] == 0;

        if (!initial && !burl__learned_is_point(&c->learned, sites[i]))
            return BURL_ORDER_F_ALL_POINTS;
    }
    return 0;
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
burl__goals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    burl__suspects_keep(c, m);
    burl__reads_from_keep(c, m);
    burl__pair_keep(c, m);
}

/* Are all sites those of this program? */
static bool
has_sites(const struct burl_campaign *c, const struct burl_goal_memory *x)
{
    for (uint32_t i = 0; i < x->n_sites; i++) {
        if (x->sites[i] == 0 || x->sites[i] >= c->learned.n_sites)
            return false;
    }
    return true;
}

void
burl__goals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->goals.n; i++) {
        const struct burl_goal_memory *x = &m->goals.v[i];

        if (x->n_sites == 0 || x->n_sites > BURL_WIRE_MAX_SITES)
            continue;
        if (x->goal.kind == BURL_GOAL_KIND_READS_FROM)
            burl__reads_from_recall(c, x);
        else if (!has_sites(c, x))
            continue;
        else if (x->goal.kind == BURL_GOAL_KIND_PAIR || x->goal.kind == BURL_GOAL_KIND_LOCK_ORDER)
            burl__pair_recall(c, x);
        else
            burl__suspects_recall(c, x);
    }
    burl__pair_adopt(c);
}

void
burl__goals_deinit(struct burl_goals *g)
{
    burl_map_deinit(&g->suspect_at);
    burl__goal_pairs_deinit(&g->edges);
    burl__goal_pairs_deinit(&g->pairs);
    BURL_VEC_FREE(&g->firsts);
    BURL_VEC_FREE(&g->promises);
}
