/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/opening.c - the first schedules of a campaign, one at a time.
 *
 * Runs in the host. Most bugs that people meet need one unlucky order of two or three operations,
 * and one execution that is watched says which orders are possible. So the first schedule has
 * every access as a scheduling point and every observer on, and lets threads into each other's
 * windows (strategy/window.c), which needs no knowledge; what it shows (lock cycles,
 * unserializable triples, races, reads that could have seen another write) is what the next
 * ones try to reach, the most promising first, with fair shares of undirected strategies in
 * between. Each is run alone, so that the next one knows what it showed.
 *
 * Points come into force once, after the first schedule, and stay until the opening is over: races
 * that were seen are confirmed only then, by running their seeds again. Confirming a race costs
 * dozens of executions, and a failure that may be two schedules away is worth more.
 *
 * Coverage campaigns and hunts keep the fixed opening: one nonpreemptive run, then random ones.
 *
 * Trade-off: one process works here, whatever the number of jobs. The opening is short for that.
 */
#include <string.h>

#include "engine/engine_int.h"

/* Schedules of an opening. The tail of suspects and proposals has its turn in the rounds. */
#define OPENING 40u
/* Visible operations after which it ends sooner: executions this long are for all jobs. */
#define OPENING_STEPS 4000000ull
#define FIXED_RANDOM 8u
/* Parameter of POS: with windows kept open. */
#define WINDOWS 1u

enum source {
    SUSPECT = 0, /* what was predicted */
    PROPOSAL,    /* a read that could see another write */
    FLIP,        /* a race that was seen, in the other order */
    SAMPLE       /* the next of `samples` */
};

/* Order in which sources are polled for schedule 2, 3, ...; an empty source is skipped. */
static const enum source turns[] = {
    PROPOSAL, FLIP, SUSPECT, PROPOSAL, SUSPECT, SAMPLE, PROPOSAL, FLIP, SUSPECT, SAMPLE,
};
#define TURNS (sizeof turns / sizeof turns[0])

static const struct {
    uint32_t strategy;
    uint32_t param;
    uint32_t flags;
} samples[] = {
    { BURL_STRATEGY_SURW, 0, 0 },
    { BURL_STRATEGY_POS, 0, BURL_ORDER_F_ALL_POINTS },
    { BURL_STRATEGY_NONPREEMPTIVE, 0, BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_STRICT_TIME },
    { BURL_STRATEGY_SURW, 0, 0 },
    { BURL_STRATEGY_PCT, 3, 0 },
    { BURL_STRATEGY_BURST, 0, 0 },
    { BURL_STRATEGY_RANDOM, 0, BURL_ORDER_F_ALL_POINTS },
    { BURL_STRATEGY_POS, 0, 0 },
};
#define SAMPLES (sizeof samples / sizeof samples[0])

struct opening {
    struct burl_campaign *c;
    struct burl_choice_trial trial;
    size_t n_samples;
    uint32_t turn;   /* the next of `turns` */
    bool was_urgent; /* the last schedule was no turn's */
};

static struct burl_work
work_of(struct burl_campaign *c, uint32_t strategy, uint32_t param, uint32_t flags)
{
    return (struct burl_work){ .strategy = strategy,
                               .args = burl_wire_args_of(strategy, param),
                               .flags = flags | BURL_ORDER_F_LEARN,
                               .first_seed = burl__campaign_seed(c),
                               .n = 1,
                               .observers = c->cfg->observers };
}

static struct burl_work
clean_work(struct burl_campaign *c)
{
    return work_of(c, BURL_STRATEGY_NONPREEMPTIVE, 0,
                   BURL_ORDER_F_STRICT_TIME | BURL_ORDER_F_ALL_POINTS);
}

static bool
is_over(const struct opening *o)
{
    const struct burl_campaign *c = o->c;

    return c->plan.stop || burl__campaign_interrupted(c) ||
           (c->cfg->runs > 0 && c->stats->all.executions >= c->cfg->runs) ||
           (burl__campaign_time_over(c) && o->trial.n_cut < o->trial.n_runs);
}

/* Watched executions in which every access is a point are many times as long as those of rounds. */
static bool
is_long(const struct opening *o)
{
    return o->trial.n_runs > o->trial.n_cut + 1 && burl__learned_is_long(&o->c->learned);
}

/* ---- the fixed opening -------------------------------------------------------------- */

static enum burl_status
open_fixed(struct opening *o, struct burl_err *err)
{
    struct burl_campaign *c = o->c;
    struct burl_work w = clean_work(c);
    enum burl_status st = burl__choose_run(&o->trial, &w, err);

    w = work_of(c, BURL_STRATEGY_RANDOM, 0, BURL_ORDER_F_ALL_POINTS);
    for (uint32_t i = 0; i < FIXED_RANDOM && st == BURL_OK && !is_over(o); i++) {
        if (i >= 2 && c->stats->all.steps > OPENING_STEPS)
            break;
        st = burl__choose_run(&o->trial, &w, err);
        w.first_seed++;
    }
    return st;
}

/* ---- one strategy ------------------------------------------------------------------ */

/* Those that number their schedules need to know how long one is. */
static bool
is_numbered(int strategy)
{
    return strategy == BURL_STRATEGY_DELAY || strategy == BURL_STRATEGY_PREEMPT ||
           strategy == BURL_STRATEGY_EXHAUSTIVE;
}

#define ALONE 4u

static bool
take_proposal(struct burl_campaign *c, struct burl_work *w)
{
    if (burl__goal_propose(c, BURL_GOAL_KIND_READS_FROM, 1, 1, w) == 0)
        return false;
    w->n = 1;
    return true;
}

/* What the first execution shows is driven at one by one, each knowing what the last has shown. */
static enum burl_status
open_proposals(struct opening *o, struct burl_err *err)
{
    struct burl_campaign *c = o->c;
    enum burl_status st = BURL_OK;
    struct burl_work w;

    burl__campaign_adopt_points(c);
    for (uint32_t i = 0; i + 1 < OPENING && st == BURL_OK && !is_over(o); i++) {
        if (c->stats->all.steps > OPENING_STEPS || !take_proposal(c, &w))
            break;
        st = burl__choose_run(&o->trial, &w, err);
        burl__campaign_adopt_profile(c);
    }
    return st;
}

static enum burl_status
open_alone(struct opening *o, struct burl_err *err)
{
    struct burl_campaign *c = o->c;
    const int s = c->cfg->strategy;
    const uint32_t param = s == BURL_STRATEGY_PCT ? c->cfg->pct_depth : 0;
    struct burl_work w = is_numbered(s) ? clean_work(c)
                         : s == BURL_STRATEGY_READS_FROM
                             ? work_of(c, BURL_STRATEGY_POS, 0, BURL_ORDER_F_ALL_POINTS)
                             : work_of(c, (uint32_t)s, param, BURL_ORDER_F_ALL_POINTS);
    enum burl_status st;

    w.flags |= BURL_ORDER_F_PROFILE;
    st = burl__choose_run(&o->trial, &w, err);
    for (uint32_t i = 1; i < ALONE && st == BURL_OK && !is_over(o) && !is_numbered(s); i++) {
        if (s == BURL_STRATEGY_READS_FROM || c->stats->all.steps > OPENING_STEPS)
            break;
        w.first_seed++;
        st = burl__choose_run(&o->trial, &w, err);
    }
    return st == BURL_OK && s == BURL_STRATEGY_READS_FROM ? open_proposals(o, err) : st;
}

/* ---- the portfolio ----------------------------------------------------------------- */

static bool
take_sample(struct opening *o, struct burl_work *w)
{
    const size_t i = o->n_samples++ % SAMPLES;
    const uint32_t param = samples[i].param == 3 ? o->c->cfg->pct_depth : samples[i].param;

    *w = work_of(o->c, samples[i].strategy, param, samples[i].flags | BURL_ORDER_F_PROFILE);
    return true;
}

static bool
take_from(struct opening *o, enum source from, struct burl_work *w)
{
    const bool detects = (o->c->cfg->observers & ~BURL_ENGINE_COVER_OBS) != 0;

    switch (from) {
    case SUSPECT:
        return detects && burl__suspects_next(o->c, 0, w);
    case PROPOSAL:
        return take_proposal(o->c, w);
    case FLIP:
        return detects && burl__race_flip(o->c, w);
    default:
        return take_sample(o, w);
    }
}

static void
next_work(struct opening *o, struct burl_work *w)
{
    uint32_t from = turns[o->turn % TURNS];
    uint32_t urgent = 1u << BURL_SUSPECT_CYCLE;

    /* A lock cycle is a deadlock or nothing, and one execution mostly shows which. A wait that
     * misses its signal is one too, but correct programs have many that cannot. */
    if (o->turn > 0 && !o->was_urgent)
        urgent |= 1u << BURL_SUSPECT_WAKEUP;
    if ((o->c->cfg->observers & (BURL_OB(LOCKORDER) | BURL_OB(SIGNALS))) &&
        burl__suspects_next(o->c, urgent, w)) {
        o->was_urgent = true;
        return;
    }
    o->was_urgent = false;
    o->turn++;
    while (!take_from(o, (enum source)from, w))
        from = from == SAMPLE ? SUSPECT : from + 1; /* a sample is always there */
}

static enum burl_status
open_portfolio(struct opening *o, struct burl_err *err)
{
    struct burl_campaign *c = o->c;
    struct burl_work w =
        work_of(c, BURL_STRATEGY_POS, WINDOWS, BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_PROFILE);
    enum burl_status st = burl__choose_run(&o->trial, &w, err);

    if (st == BURL_OK && !is_over(o))
        burl__campaign_adopt_points(c);
    for (uint32_t i = 0; i + 1 < OPENING && st == BURL_OK && !is_over(o); i++) {
        if (c->stats->all.steps > OPENING_STEPS || (i > 0 && c->stats->max_threads <= 1) ||
            is_long(o))
            break;
        if (o->trial.n_cut == o->trial.n_runs || c->stats->max_threads <= 1)
            w = clean_work(c); /* does it end at all, is there nothing to interleave? */
        else
            next_work(o, &w);
        st = burl__choose_run(&o->trial, &w, err);
        /* For proposals; what strategies see of it is that of the first schedule. */
        burl__campaign_adopt_profile(c);
    }
    return st;
}

/* ---- verification ------------------------------------------------------------------ */

/* The execution without preemption says whether the test passes at all; that with windows executes
 * code that only another order reaches. Both are observed. */
static enum burl_status
open_verify(struct opening *o, struct burl_err *err)
{
    struct burl_campaign *c = o->c;
    struct burl_work w = clean_work(c);
    enum burl_status st = burl__choose_run(&o->trial, &w, err);

    if (st != BURL_OK || is_over(o))
        return st;
    if (c->stats->max_threads > 1) {
        burl__campaign_adopt_points(c);
        w = work_of(c, BURL_STRATEGY_POS, WINDOWS, BURL_ORDER_F_ALL_POINTS);
        st = burl__choose_run(&o->trial, &w, err);
    }
    if (o->trial.n_cut == o->trial.n_runs)
        burl__campaign_end(c, BURL_CAMPAIGN_END_TOO_LONG);
    return st;
}

enum burl_status
burl__open(struct burl_campaign *c, struct burl_err *err)
{
    struct opening o = { .c = c, .trial = { .c = c } };
    enum burl_status st;

    if (c->cfg->verify_only)
        st = open_verify(&o, err);
    else if (c->plan.fixed_opening)
        st = open_fixed(&o, err);
    else if (c->cfg->strategy != BURL_CAMPAIGN_AUTO)
        st = open_alone(&o, err);
    else
        st = open_portfolio(&o, err);
    burl__choose_stop(&o.trial);
    if (st == BURL_OK)
        st = burl__firsts_record(c, c->plan.opening_works.v, err);
    if (st == BURL_OK && !c->cfg->hunt)
        st = burl__suspects_confirm(c, err);
    return st;
}
