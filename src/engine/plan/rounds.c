/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/rounds.c - the works of a round: parts of a share with different observers, and
 * rounds without a portfolio.
 *
 * Runs in the host. A campaign with one strategy has rounds of that strategy; a coverage campaign
 * has a fixed mix of strategies. The mix is by experience with public buggy programs: POS and PCT
 * with depth 3 find most, a random walk is weak, round-robin finds what needs tight alternation.
 */
#include "engine/engine_int.h"

/* Shares of a round. */
static const struct {
    uint32_t strategy;
    uint32_t param;
    uint32_t share;
} mix[] = {
    { BURL_STRATEGY_RANDOM, 0, 3 },      { BURL_STRATEGY_PCT, 2, 3 },
    { BURL_STRATEGY_PCT, 3, 4 },         { BURL_STRATEGY_POS, 0, 5 },
    { BURL_STRATEGY_ROUND_ROBIN, 0, 1 },
};
#define MIX_N (sizeof mix / sizeof mix[0])
#define MIX_SHARES 16u
/* Reads-from proposals of one round: what these show is known before the next are made. */
#define ROUND_PROPOSALS 16u
/* Executions of each share of a round with all observers. What one execution does not show another
 * does, but most show the same. */
#define PREDICT_EXECS 4u

static void
add_part(struct burl_works *works, struct burl_work *w, uint64_t n, uint32_t observers)
{
    w->n = n;
    w->observers = observers;
    if (n > 0)
        BURL_VEC_PUSH(works, *w);
    w->first_seed += n;
    if (burl__enumerate_is(w->strategy))
        w->args.enumeration.index_first += n;
}

void
burl__rounds_add(struct burl_works *works, struct burl_work w, uint32_t observers, uint64_t n_all,
                 uint64_t n_races)
{
    const uint32_t cover = observers & BURL_ENGINE_COVER_OBS;
    const uint64_t n = w.n;

    add_part(works, &w, n_all, observers);
    add_part(works, &w, n_races, (observers & BURL_OB(RACE)) | cover);
    add_part(works, &w, n - n_all - n_races, cover);
}

/* One strategy's share of a round, within `left` executions. */
static void
add_share(struct burl_campaign *c, struct burl_works *works, uint32_t strategy, uint32_t param,
          uint64_t n, uint64_t *left)
{
    const uint32_t observers = c->cfg->observers;
    const struct burl_enumeration_facts facts = burl__enumerate_facts(c);
    const bool detects = (observers & ~BURL_ENGINE_COVER_OBS) != 0;
    struct burl_work w = { .strategy = strategy,
                           .args = burl_wire_args_of(strategy, param),
                           .flags = burl__campaign_flags(c) | burl__campaign_inject(c, strategy),
                           .first_seed = burl__campaign_seed(c),
                           .n = n < *left ? n : *left };
    uint64_t all, races;

    if (burl__enumerate_is(strategy) && w.n > 0)
        w.n = burl__enumerate_next(&c->proof, &facts, &w, w.n);
    if (burl__enumerate_is(strategy))
        w.flags |= BURL_ORDER_F_PATIENT; /* it claims to have tried all */
    *left -= w.n;
    all = !detects ? 0 : w.n < PREDICT_EXECS ? w.n : PREDICT_EXECS;
    races = detects && w.n / BURL__RACE_SHARE > all ? w.n / BURL__RACE_SHARE - all : 0;
    burl__rounds_add(works, w, observers, all, races);
}

/* Works towards reads-from edges, at most `max` and within `left` executions. */
static void
add_proposals(struct burl_campaign *c, struct burl_works *works, size_t max, uint64_t *left)
{
    struct burl_work made[ROUND_PROPOSALS];
    const size_t n = burl__goal_propose(c, BURL_GOAL_KIND_READS_FROM,
                                        *left < max ? (size_t)*left : max, *left, made);

    for (size_t i = 0; i < n && *left > 0; i++) {
        if (made[i].n > *left)
            made[i].n = *left;
        *left -= made[i].n;
        BURL_VEC_PUSH(works, made[i]);
    }
}

void
burl__rounds_make(struct burl_campaign *c, uint32_t scale, struct burl_works *works)
{
    const int strategy = c->cfg->strategy;
    uint64_t left = burl__campaign_runs_left(c);

    if (strategy == BURL_STRATEGY_READS_FROM)
        add_proposals(c, works, scale * 4 < ROUND_PROPOSALS ? scale * 4 : ROUND_PROPOSALS, &left);
    if (works->n > 0)
        return;
    if (strategy != BURL_CAMPAIGN_AUTO) {
        add_share(c, works, (uint32_t)strategy,
                  strategy == BURL_STRATEGY_PCT ? c->cfg->pct_depth : 0, scale * MIX_SHARES, &left);
        return;
    }
    for (size_t i = 0; i < MIX_N; i++) {
        /* --pct-depth deepens the deeper of the two. */
        const uint32_t param = mix[i].param == 3 ? c->cfg->pct_depth : mix[i].param;

        add_share(c, works, mix[i].strategy, param, (uint64_t)scale * mix[i].share, &left);
    }
    add_proposals(c, works, ROUND_PROPOSALS, &left);
}
