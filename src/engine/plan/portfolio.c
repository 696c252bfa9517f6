/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/portfolio.c - which strategy gets how much of the next round.
 *
 * Runs in the host. No strategy is best for all programs, and which one is good for this program
 * shows in what it brings: new reads-from edges, location pairs and lock orders,
 * suspects, findings. Each strategy (with a parameter) is an arm of a bandit; a round has a number
 * of slots, each of as many executions as the round's scale says. Every arm gets one slot, so that
 * none starves, and each of the rest goes to the arm with the highest upper confidence bound (UCB1:
 * Auer, Cesa-Bianchi, Fischer: "Finite-time Analysis of the Multiarmed Bandit Problem", 2002).
 *
 * Departures: rewards are rates relative to the best arm's, not in [0, 1] by themselves; what is
 * past counts half with every round, because what is new runs dry. Experience with public buggy
 * programs (`prior`) stands for a few slots of each arm, at the rate at which all arms together
 * bring something now: so an arm that still brings something stands out, however rare that is.
 * The rarer it is the more slots are given by experience alone, since a single result is no reason
 * to move everything. An arm that had nothing to try (all it
 * could aim at was seen) has one slot, in case there is something again.
 *
 * Decided between rounds, from executions and what they showed, never from time (INV-E1). Which arm
 * showed an edge first is a matter of the work list too: a process reports the first of its
 * executions that showed it, and of several the earliest in the list counts (INV-E2).
 *
 * When no arm has brought anything for QUIET executions, what could be aimed at has been, and
 * counts say nothing any more: what is left needs many things at once, which no arm aims at. Then
 * most of a round goes to the arms that sample orders evenly (`deep`), the others have a slot in
 * every second one, and fewer executions are watched. Something new ends that at once.
 *
 * Trade-off: a slot for every arm costs a third of the budget even when one arm is clearly best.
 * Bugs are what no strategy has shown yet, so what was best until now need not be.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

/* Slots of a round. */
#define SLOTS 32u
/* Slots that experience stands for. */
#define PRIOR_SLOTS 4.0
/* Executions that what an earlier campaign brought stands for. */
#define RECALLED_PULLS 16.0
/* What is past counts this much with every round. */
#define FADING 0.5
/* Weight of not knowing; UCB1's own constant with rewards in [0, 1]. */
#define CURIOSITY 0.7
/* Rewards of all arms that are as good a reason as experience. */
#define CONVINCING 2.0
/* What one of them is worth, in edges. A pair is half, since a read directly after a write that it
 * had not seen is both. */
#define PAIR_WORTH 0.5
#define ORDER_WORTH 1.0
#define SUSPECT_WORTH 2.0
#define FINDING_WORTH 8.0
/* Works of the arms that aim at something, per round: each has an aim of its own. */
#define AIMED_WORKS 64u
/* Executions with all observers, per arm and round. What one
 * execution does not show another does, but most show the same. */
#define PREDICT_EXECS 2u
/* One execution in this many is watched for races where nothing new has come for long: races show
 * in a good part of all schedules. */
#define RACE_SHARE_QUIET 16u
/* All of the first executions are watched: they are few. */
#define RACES_FIRST 1024u

/* Executions in which no arm brings anything, after which no arm is expected to. */
#define QUIET 32768u

/* The prior is what an arm brings compared with others; deep is its weight when nothing new
 * comes any more. */
static const struct {
    uint32_t strategy;
    uint32_t param;
    double prior;
    uint32_t deep;
} arms[] = {
    { BURL_STRATEGY_POS, 0, 5, 8 },        { BURL_STRATEGY_SURW, 0, 5, 6 },
    { BURL_STRATEGY_READS_FROM, 0, 6, 0 }, { BURL_STRATEGY_PCT, 3, 4, 0 },
    { BURL_STRATEGY_PCT, 2, 3, 0 },        { BURL_STRATEGY_RANDOM, 0, 3, 1 },
    { BURL_STRATEGY_BURST, 0, 2, 0 },      { BURL_STRATEGY_ROUND_ROBIN, 0, 1, 0 },
    { BURL_STRATEGY_DELAY, 0, 2, 0 },      { BURL_STRATEGY_PREEMPT, 0, 2, 0 },
    { BURL_STRATEGY_DIRECTED, 0, 3, 0 }, /* at location pairs */
};
#define ARMS (sizeof arms / sizeof arms[0])

static_assert(ARMS <= BURL_CAMPAIGN_ARMS_MAX, "stats have room for the arms");

struct burl_portfolio {
    bool idle[ARMS];    /* had nothing to do with its last slots */
    uint64_t brought;   /* by all arms, in this campaign */
    uint64_t last_gain; /* executions at the end of the last round that added to it */
};

/* ---- arms -------------------------------------------------------------------------- */

static void
recall_arm(struct burl_campaign_arm *a, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; m && i < m->n_arms && i < BURL_CAMPAIGN_ARMS_MAX; i++) {
        const struct burl_campaign_arm *old = &m->arms[i];

        if (old->strategy != a->strategy || old->param != a->param || !(old->pulls >= 0) ||
            !(old->reward >= 0) || old->pulls > 1e12 || old->reward > 1e12)
            continue;
        a->pulls = old->pulls < RECALLED_PULLS ? old->pulls : RECALLED_PULLS;
        a->reward = old->pulls > 0 ? old->reward * (a->pulls / old->pulls) : 0;
    }
}

struct burl_portfolio *
burl__portfolio_new(struct burl_campaign *c)
{
    struct burl_campaign_stats *s = c->stats;

    s->n_arms = ARMS;
    for (size_t i = 0; i < ARMS; i++) {
        s->arms[i] = (struct burl_campaign_arm){
            .strategy = arms[i].strategy,
            /* --pct-depth deepens the deeper of the two. */
            .param = arms[i].param == 3 ? c->cfg->pct_depth : arms[i].param,
        };
        recall_arm(&s->arms[i], c->cfg->recall);
    }
    return burl_xcalloc(1, sizeof(struct burl_portfolio));
}

void
burl__portfolio_free(struct burl_portfolio *p)
{
    free(p);
}

/* What each arm brings in an execution, compared with all of them together; returns how much that
 * is to be trusted, in [0, 1). */
static double
estimate_rates(const struct burl_campaign *c, uint32_t scale, double rates[ARMS])
{
    const struct burl_campaign_arm *a = c->stats->arms;
    const double prior_pulls = PRIOR_SLOTS * scale;
    double pulls = 0;
    double reward = 0;
    double priors = 0;

    for (size_t i = 0; i < ARMS; i++) {
        pulls += a[i].pulls;
        reward += a[i].reward;
        priors += arms[i].prior;
    }
    for (size_t i = 0; i < ARMS; i++) {
        const double expected = arms[i].prior * ARMS / priors;
        const double brought = reward > 0 ? a[i].reward * pulls / reward : 0;

        rates[i] = (brought + prior_pulls * expected) / (a[i].pulls + prior_pulls);
    }
    return reward / (reward + CONVINCING);
}

/* Gives n slots by weights, as seats in a parliament (D'Hondt); weight 0: none. */
static void
give_by_weight(const double weights[ARMS], uint32_t n, uint32_t slots[ARMS])
{
    for (; n > 0; n--) {
        size_t to = 0;

        for (size_t i = 1; i < ARMS; i++) {
            if (weights[i] * (slots[to] + 1) > weights[to] * (slots[i] + 1))
                to = i;
        }
        if (!(weights[to] > 0))
            return;
        slots[to]++;
    }
}

/* Gives n slots, each to the arm with the highest upper confidence bound; rate 0: none. */
static void
give_by_bound(const struct burl_campaign *c, const double rates[ARMS], uint32_t scale, uint32_t n,
              uint32_t slots[ARMS])
{
    double best = 0;
    double total = 0;

    for (size_t i = 0; i < ARMS; i++) {
        total += c->stats->arms[i].pulls / scale + slots[i];
        best = rates[i] > best ? rates[i] : best;
    }
    for (; n > 0; n--) {
        size_t to = ARMS;
        double highest = -1;

        for (size_t i = 0; i < ARMS; i++) {
            const double tried = c->stats->arms[i].pulls / scale + slots[i];
            const double bound = rates[i] / best + CURIOSITY * sqrt(log(1 + total) / (1 + tried));

            if (rates[i] > 0 && bound > highest) {
                highest = bound;
                to = i;
            }
        }
        if (to == ARMS)
            return;
        slots[to]++;
        total++;
    }
}

/* Has no arm brought anything for long? */
static bool
is_quiet(const struct burl_campaign *c)
{
    return c->stats->all.executions - c->plan.portfolio->last_gain >= QUIET;
}

/* Slots of each arm when it is quiet. */
static void
deal_deep(const struct burl_campaign *c, uint32_t slots[ARMS])
{
    double weights[ARMS];
    uint32_t given = 0;

    for (size_t i = 0; i < ARMS; i++) {
        weights[i] = arms[i].deep;
        slots[i] =
            !c->stats->arms[i].exhausted && arms[i].deep == 0 && (i + c->stats->n_rounds) % 2 == 0;
        given += slots[i];
    }
    give_by_weight(weights, SLOTS - given, slots);
}

/* Slots of each arm: one; of the rest as many by what they bring as that is to be trusted, and the
 * others by experience. */
static void
deal_slots(const struct burl_campaign *c, uint32_t scale, uint32_t slots[ARMS])
{
    double rates[ARMS];
    double weights[ARMS];
    const double trust = estimate_rates(c, scale, rates);
    uint32_t rest = SLOTS;
    uint32_t by_bound;

    for (size_t i = 0; i < ARMS; i++) {
        const bool over = c->stats->arms[i].exhausted;
        const bool closed = over || c->plan.portfolio->idle[i];

        slots[i] = over ? 0 : 1;
        rest -= slots[i];
        weights[i] = closed ? 0 : arms[i].prior;
        rates[i] = closed ? 0 : rates[i];
    }
    by_bound = (uint32_t)(trust * rest);
    give_by_weight(weights, rest - by_bound, slots);
    give_by_bound(c, rates, scale, by_bound, slots);
}

/* ---- works ------------------------------------------------------------------------- */

/* In long executions what is watched costs many times as much: of the arms in turn, one has its
 * first execution watched for all, another for races. */
#define LONG_TURNS 8u

static void
add_long(struct burl_campaign *c, struct burl_works *works, struct burl_work w)
{
    const uint64_t turn = c->plan.n_works % LONG_TURNS;

    burl__rounds_add(works, w, c->cfg->observers, turn == 0, turn == LONG_TURNS / 2);
}

/* One arm's share of a round: some executions with all observers, some watched for races, the rest
 * at full speed. */
static void
add_watched(struct burl_campaign *c, struct burl_works *works, struct burl_work w)
{
    const uint64_t n = w.n;
    const uint64_t all = c->cfg->observers == 0 ? 0 : n < PREDICT_EXECS ? n : PREDICT_EXECS;
    const uint64_t share = is_quiet(c) ? RACE_SHARE_QUIET : BURL__RACE_SHARE;
    const uint64_t watched = c->stats->all.executions < RACES_FIRST ? n : n / share;
    const uint64_t races = watched > all ? watched - all : 0;

    if (c->learned.reduced) {
        add_long(c, works, w);
        return;
    }
    burl__rounds_add(works, w, c->cfg->observers, all, races);
}

/* Towards goals of a kind that were not reached. */
static uint64_t
add_aimed(struct burl_campaign *c, struct burl_works *works, enum burl_goal_kind kind, size_t arm,
          uint64_t n)
{
    struct burl_work list[AIMED_WORKS];
    const size_t made =
        burl__goal_propose(c, kind, n < AIMED_WORKS ? (size_t)n : AIMED_WORKS, n, list);
    uint64_t used = 0;

    for (size_t i = 0; i < made && used < n; i++) {
        /* Many executions and few goals: more tries each. */
        const uint64_t each = n / made > list[i].n ? n / made : list[i].n;

        list[i].n = each < n - used ? each : n - used;
        list[i].flags |= burl__campaign_flags(c) | burl__campaign_inject(c, list[i].strategy);
        list[i].arm = arm + 1;
        used += list[i].n;
        BURL_VEC_PUSH(works, list[i]);
    }
    return used;
}

/* An arm that has nothing to aim at leaves its executions to the next. */
static uint64_t
add_arm(struct burl_campaign *c, struct burl_works *works, size_t i, uint64_t n)
{
    const struct burl_enumeration_facts facts = burl__enumerate_facts(c);
    const struct burl_campaign_arm *a = &c->stats->arms[i];
    struct burl_work w = { .strategy = a->strategy,
                           .args = burl_wire_args_of(a->strategy, a->param),
                           .flags = burl__campaign_flags(c) | burl__campaign_inject(c, a->strategy),
                           .n = n,
                           .arm = i + 1 };

    switch (a->strategy) {
    case BURL_STRATEGY_READS_FROM:
        return add_aimed(c, works, BURL_GOAL_KIND_READS_FROM, i, n);
    case BURL_STRATEGY_DIRECTED:
        return add_aimed(c, works, BURL_GOAL_KIND_PAIR, i, n);
    case BURL_STRATEGY_DELAY:
    case BURL_STRATEGY_PREEMPT:
        w.n = burl__enumerate_next(&c->proof, &facts, &w, n);
        break;
    default:
        break;
    }
    w.first_seed = burl__campaign_seed(c);
    if (burl__enumerate_is(a->strategy))
        w.flags |= BURL_ORDER_F_PATIENT; /* it says to have tried all */
    if (w.n > 0)
        add_watched(c, works, w);
    return w.n;
}

/* Does it go for something that may run out? Samplers never do. */
static bool
is_aimed(uint32_t strategy)
{
    return strategy == BURL_STRATEGY_READS_FROM || strategy == BURL_STRATEGY_DIRECTED ||
           burl__enumerate_is(strategy);
}

/* What a sampler has of executions that others have no use for. */
static double
weight_of(size_t arm, bool quiet)
{
    if (is_aimed(arms[arm].strategy))
        return 0;
    return quiet ? arms[arm].deep : arms[arm].prior;
}

void
burl__portfolio_round(struct burl_campaign *c, uint32_t scale, uint64_t left,
                      struct burl_works *works)
{
    struct burl_portfolio *p = c->plan.portfolio;
    uint32_t slots[ARMS];
    const bool quiet = is_quiet(c);
    double weights = 0;
    uint64_t spare = 0;

    if (quiet)
        deal_deep(c, slots);
    else
        deal_slots(c, scale, slots);
    for (size_t i = 0; i < ARMS; i++) {
        const uint64_t n = (uint64_t)slots[i] * scale;

        weights += weight_of(i, quiet);
        if (is_aimed(arms[i].strategy) && n > 0 && left > 0) {
            const uint64_t used = add_arm(c, works, i, n < left ? n : left);

            p->idle[i] = used < n / 2 + 1 && used < left;
            left -= used;
            spare += n - used;
        }
    }
    /* What the others had no use for goes to those that always have one. */
    for (size_t i = 0; i < ARMS; i++) {
        const uint64_t n =
            (uint64_t)slots[i] * scale + (uint64_t)((double)spare * weight_of(i, quiet) / weights);

        if (!is_aimed(arms[i].strategy) && n > 0 && left > 0)
            left -= add_arm(c, works, i, n < left ? n : left);
    }
}

/* ---- rewards ----------------------------------------------------------------------- */

void
burl__portfolio_suspect(struct burl_campaign *c, const struct burl_work *w)
{
    if (w->arm == 0 || w->arm > c->stats->n_arms)
        return;
    c->stats->arms[w->arm - 1].suspects++;
    c->stats->arms[w->arm - 1].reward += SUSPECT_WORTH;
}

void
burl__portfolio_finding(struct burl_campaign *c, const struct burl_work *w)
{
    if (w->arm == 0 || w->arm > c->stats->n_arms)
        return;
    c->stats->arms[w->arm - 1].findings++;
    c->stats->arms[w->arm - 1].reward += FINDING_WORTH;
}

void
burl__portfolio_count(struct burl_campaign *c, const struct burl_work *w, uint64_t executions)
{
    if (w->arm == 0 || w->arm > c->stats->n_arms)
        return;
    c->stats->arms[w->arm - 1].executions += executions;
    c->stats->arms[w->arm - 1].pulls += (double)executions;
}

/* The arm that made the execution with this seed, NULL none. */
static struct burl_campaign_arm *
arm_of(struct burl_campaign *c, uint64_t seed)
{
    for (size_t i = 0; i < c->plan.round_works.n; i++) {
        const struct burl_work *w = &c->plan.round_works.v[i];

        if (w->arm != 0 && seed >= w->first_seed && seed - w->first_seed < w->n)
            return &c->stats->arms[w->arm - 1];
    }
    return NULL;
}

static void
reward_edges(struct burl_campaign *c)
{
    for (uint32_t k = 0; c->learned.profile_next && k < BURL_PROFILE_EDGES; k++) {
        const struct burl_profile_edge *e = &c->learned.profile_next->edges[k];
        struct burl_campaign_arm *a;

        if (e->read == 0 || !(e->flags & BURL_EDGE_F_SEEN) ||
            burl__profile_has_seen(c->learned.profile, e->write, e->read))
            continue;
        a = arm_of(c, e->seed);
        if (a) {
            a->edges++;
            a->reward += 1;
        }
    }
}

static void
reward_pairs(struct burl_campaign *c)
{
    struct burl_profile_pair *new;
    const size_t n = burl__pair_new(c, &new);

    for (size_t i = 0; i < n; i++) {
        struct burl_campaign_arm *a = arm_of(c, new[i].seed);
        const bool locks = (new[i].flags &BURL_PAIR_F_LOCKS) != 0;

        if (!a)
            continue;
        a->pairs += !locks;
        a->orders += locks;
        a->reward += locks ? ORDER_WORTH : PAIR_WORTH;
    }
    free(new);
}

/* Before what the round showed comes into force. */
void
burl__portfolio_reward(struct burl_campaign *c)
{
    struct burl_portfolio *p = c->plan.portfolio;
    uint64_t brought = 0;

    reward_edges(c);
    reward_pairs(c);
    for (size_t i = 0; i < c->stats->n_arms; i++) {
        struct burl_campaign_arm *a = &c->stats->arms[i];

        brought += a->edges + a->pairs + a->orders + a->suspects + a->findings;
        a->pulls *= FADING;
        a->reward *= FADING;
    }
    if (brought > p->brought)
        p->last_gain = c->stats->all.executions;
    p->brought = brought;
}
