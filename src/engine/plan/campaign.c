/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/campaign.c - the plan of `burl test`; contract in campaign.h.
 *
 * Runs in the host. In order: kept schedules (regress.c); the opening (opening.c),
 * which also chooses engine and reset; then rounds of the portfolio, doubling in size,
 * each with the points and the horizon known at its start, and between them directed
 * executions and the search of small tests. Campaigns that cover have a learning batch
 * and rounds of a fixed mix instead.
 *
 * That mix is by experience with public buggy programs (POS and PCT with depth
 * 3 find most, random walk is weak, round-robin finds what needs tight
 * alternation). Doubling keeps the time to a first finding short and the cost of
 * round boundaries small.
 */
#include "engine/plan/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "engine/engine_int.h"

#define LEARN_SEEDS 16u
/* Executions of each share of a round in which everything is predicted that was asked for. What
 * one execution does not show another does, but most show the same. */
#define PREDICT_EXECS 4u
/* One execution in this many is watched for races. Watching one of a program that does little but
 * synchronize doubles its cost, so this is a quarter more in all; a race that is there shows in a
 * good part of the executions, whatever the order. */
#define RACE_SHARE 4u
#define PROGRESS_EVERY_MS 100
/* Executions of the last doubling: a round is also the time until what it learned is used. */
#define ROUND_SCALE_MAX 512u
/* The same where the end is asked for between rounds: it should be seen within some hundreds. */
#define ROUND_SCALE_ASKED 16u
#define JOBS_MAX 64u

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
#define PARTS 3u /* works of one share, see add_work() */
/* Reads-from proposals of one round: what these show is known before the next are made. */
#define ROUND_PROPOSALS 16u

/* ---- helpers of all parts ---------------------------------------------------------- */

union burl_wire_args
burl__replay_args(size_t n_switches)
{
    return (union burl_wire_args){ .replay = { .n_sched_in = (uint32_t)n_switches } };
}

/* Those of the work from its seed `first` on. */
static union burl_wire_args
args_of(const struct burl_campaign *c, const struct burl_work *w, uint64_t first)
{
    union burl_wire_args a = w->args;

    if (w->strategy == BURL_STRATEGY_PCT)
        a.pct.horizon = c->horizon;
    else if (w->strategy == BURL_STRATEGY_BURST)
        a.burst.horizon = c->horizon;
    else if (burl__enumerate_is(w->strategy))
        a.enumeration.index_first += first - w->first_seed;
    return a;
}

struct burl_wire_order
burl__campaign_order(const struct burl_campaign *c, const struct burl_work *w, uint64_t first,
                     uint64_t n)
{
    return (struct burl_wire_order){
        .kind = BURL_ORDER_KIND_BATCH,
        .flags = w->flags | (c->cfg->stop_at_misuse ? BURL_ORDER_F_STOP_AT_MISUSE : 0u),
        .strategy = w->strategy,
        .args = args_of(c, w, first),
        .first_seed = first,
        .n_execs = n,
        .max_steps = c->cfg->max_steps,
        .epoch_ns = BURL_ENGINE_EPOCH_NS,
        .max_wall_ms = c->cfg->exec_timeout_ms,
        .observers = w->observers,
        .watch = w->stop,
        .stop_key = w->stop_key,
        .context = c->cfg->context,
    };
}

bool
burl__campaign_interrupted(const struct burl_campaign *c)
{
    return c->cfg->interrupt && *c->cfg->interrupt;
}

bool
burl__campaign_time_over(const struct burl_campaign *c)
{
    return burl_target_now_ms() >= c->deadline_ms;
}

void
burl__campaign_end(struct burl_campaign *c, enum burl_campaign_end end)
{
    if (!c->stop)
        c->stats->end = end;
    c->stop = true;
}

void
burl__campaign_load_points(const struct burl_campaign *c, struct burl_target *t)
{
    memcpy(burl_target_points(t), c->points, c->n_sites);
    burl__settled_load(c, t);
    burl__profile_load(c, t);
}

/* The program may load libraries while it runs: the number of sites can grow. */
static void
grow_sites(struct burl_campaign *c, uint32_t n)
{
    if (n <= c->n_sites)
        return;
    c->points = burl_xrealloc(c->points, n);
    c->points_next = burl_xrealloc(c->points_next, n);
    c->gates = burl_xrealloc(c->gates, n * sizeof *c->gates);
    memset(c->points + c->n_sites, 0, n - c->n_sites);
    memset(c->points_next + c->n_sites, 0, n - c->n_sites);
    memset(c->gates + c->n_sites, 0, (n - c->n_sites) * sizeof *c->gates);
    c->n_sites = n;
    c->stats->n_sites = n > 0 ? n - 1 : 0; /* number 0 is "unknown" */
}

enum burl_status
burl__campaign_loaded(struct burl_campaign *c, const struct burl_campaign_image *image,
                      struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (image->n_modules == 0 || !c->hooks->loaded || burl_image_covers(&c->told, image))
        return BURL_OK;
    st = c->hooks->loaded(c->hooks->arg, image, err);
    if (st == BURL_OK)
        burl_image_copy(&c->told, image);
    return st;
}

enum burl_status
burl__campaign_see(struct burl_campaign *c, const struct burl_target *t, struct burl_err *err)
{
    struct burl_campaign_image image = { 0 };
    enum burl_status st;

    if (!c->hooks->loaded || !burl_image_has_late(t->ctl))
        return BURL_OK;
    burl_image_take(&image, t->ctl);
    st = burl__campaign_loaded(c, &image, err);
    burl_image_deinit(&image);
    return st;
}

static enum burl_status
look_ahead(struct burl_campaign *c, const struct burl_target_opts *opts, struct burl_err *err)
{
    enum burl_status st;

    if (c->told_ready || !c->cfg->look_ahead)
        return BURL_OK;
    st = burl_image_look(&c->image, opts, c->cfg->max_steps, c->cfg->exec_timeout_ms, err);
    c->stats->extra_executions += c->image.n_modules > 0;
    burl_image_copy(&c->told, &c->image);
    return st;
}

enum burl_status
burl__campaign_start(struct burl_campaign *c, enum burl_wire_engine engine,
                     enum burl_wire_reset reset, bool interruptible, struct burl_target **out,
                     struct burl_err *err)
{
    struct burl_target_opts opts = {
        .argv = c->cfg->argv,
        .engine = engine,
        .reset = reset,
        .interrupt = interruptible ? c->cfg->interrupt : NULL,
        .cover = c->covered != NULL,
    };
    enum burl_status st = look_ahead(c, &opts, err);

    *out = NULL;
    opts.image = &c->image;
    if (st == BURL_OK)
        st = burl_target_start(out, &opts, err);
    if (st != BURL_OK)
        return st;
    grow_sites(c, (*out)->ctl->n_sites);
    burl__campaign_load_points(c, *out);
    if (c->told_ready)
        return BURL_OK;
    c->told_ready = true;
    st = c->hooks->ready(c->hooks->arg, (*out)->ctl, err);
    if (st != BURL_OK) {
        burl_target_stop(*out);
        *out = NULL;
        return st;
    }
    if (c->cfg->recall) {
        burl__memory_recall(c); /* `ready` has filled it: it knows the build */
        if (c->searched.any)
            burl__frontier_identify(c, (*out)->ctl);
        burl__campaign_load_points(c, *out);
    }
    return BURL_OK;
}

void
burl__campaign_learn(struct burl_campaign *c, struct burl_target *t)
{
    const uint8_t *from = burl_target_points_new(t);
    const uint64_t max = t->ctl->points_n;
    uint32_t n = t->ctl->n_sites;

    if (n > max)
        n = (uint32_t)max;
    grow_sites(c, n);
    for (uint32_t i = 0; i < n; i++) {
        c->n_learned += from[i] != 0 && c->points_next[i] == 0;
        c->points_next[i] |= from[i] != 0;
    }
    burl__profile_take(c, t);
}

void
burl__campaign_adopt_points(struct burl_campaign *c)
{
    uint32_t n = 0;

    if (memcmp(c->points, c->points_next, c->n_sites) != 0) {
        memcpy(c->points, c->points_next, c->n_sites);
        c->points_version++;
        c->learned_version++;
    }
    for (uint32_t i = 0; i < c->n_sites; i++)
        n += c->points[i];
    c->stats->n_points = n;
    if (c->n_completed > 0)
        c->horizon = c->sum_completed_points / c->n_completed;
    c->stats->horizon = c->horizon;
    burl__settled_adopt(c);
    burl__profile_adopt(c);
}

void
burl__campaign_progress(struct burl_campaign *c)
{
    const int64_t now = burl_target_now_ms();
    struct burl_campaign_progress p = { .stats = c->stats,
                                        .executions = c->stats->all.executions + c->running_execs,
                                        .elapsed_ms = now - c->started_ms,
                                        .strategy = c->running_strategy,
                                        .param = c->running_param };

    if (!c->hooks->progress || now - c->progress_ms < PROGRESS_EVERY_MS)
        return;
    c->progress_ms = now;
    c->hooks->progress(c->hooks->arg, &p);
}

static void
add_totals(struct burl_campaign_totals *to, const struct burl_campaign_totals *from)
{
    to->executions += from->executions;
    to->steps += from->steps;
    to->points += from->points;
    to->switches += from->switches;
    to->preemptions += from->preemptions;
    to->failures += from->failures;
    to->cut += from->cut;
}

static int
by_seed(const void *a, const void *b)
{
    const struct burl_wire_failure *x = a;
    const struct burl_wire_failure *y = b;

    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    /* One execution showed both: in the order in which it did. */
    return x->steps < y->steps ? -1 : x->steps > y->steps;
}

struct burl_found
burl__campaign_found(const struct burl_campaign *c, const struct burl_work *w,
                     const struct burl_batch *b, uint64_t first, uint64_t seed)
{
    const uint64_t before = seed > b->first_seed ? seed - b->first_seed : 0;
    const uint64_t each = w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;
    const uint64_t in_batch = before * each + 1;
    const uint64_t n = b->totals.executions;

    return (struct burl_found){ .after = first + before + 1,
                                .execution =
                                    c->stats->all.executions - n + (in_batch < n ? in_batch : n),
                                .ms = burl_target_now_ms() - c->started_ms };
}

bool
burl__campaign_ends_at(const struct burl_campaign *c, uint8_t verdict)
{
    return c->cfg->stop_at_first || (c->cfg->stop_at_failure && verdict != BURL_VERDICT_RACE_DATA);
}

enum burl_status
burl__campaign_commit(struct burl_campaign *c, const struct burl_work *w,
                      const struct burl_batch *b, struct burl_err *err)
{
    struct burl_campaign_stats *s = c->stats;
    const uint64_t first = s->all.executions;
    const uint64_t first_schedule = s->schedules;
    enum burl_status st = BURL_OK;

    s->schedules += b->totals.executions / (w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1);

    burl__portfolio_count(c, w, b->totals.executions);
    burl__nominal_explored(c, &b->totals);
    add_totals(&s->all, &b->totals);
    add_totals(&s->by_strategy[w->strategy], &b->totals);
    for (uint32_t k = 0; k < BURL_VERDICT__N; k++)
        s->by_verdict[k] += b->by_verdict[k];
    for (uint32_t k = 0; k < BURL_COUNTER__N; k++)
        s->counters[k] += b->counters[k];
    if (b->max_threads > s->max_threads)
        s->max_threads = b->max_threads;
    if (b->unstable && (!s->nondeterministic || s->unstable_site == 0)) {
        s->nondeterministic = true;
        s->unstable_seed = b->unstable_seed;
        s->unstable_step = b->unstable_step;
        s->unstable_site = b->unstable_site;
    }
    if (b->unsupported[0] && !s->unsupported[0])
        memcpy(s->unsupported, b->unsupported, sizeof s->unsupported);
    c->sum_completed_points += b->sum_completed_points;
    c->n_completed += b->n_completed;
    /* With every access a scheduling point there are many more than a search would have. */
    if (b->max_points > c->max_points && (w->flags & BURL_ORDER_F_ALL_POINTS) == 0)
        c->max_points = b->max_points;
    burl__enumerate_commit(c, w, b);
    if (c->covered)
        st = burl__covered_commit(c, w, b, first, err);
    else
        st = burl__campaign_loaded(c, &b->loaded, err);
    if (b->failures.n > 0)
        qsort(b->failures.v, b->failures.n, sizeof *b->failures.v, by_seed);
    if (c->cfg->hunt)
        return st == BURL_OK ? burl__hunt_commit(c, w, b, first, err) : st;
    for (size_t i = 0; i < b->failures.n && st == BURL_OK; i++) {
        const struct burl_found found =
            burl__campaign_found(c, w, b, first_schedule, b->failures.v[i].seed);

        if (c->stop && s->end == BURL_CAMPAIGN_END_FIRST)
            break;
        st = burl__confirm(c, w, &b->failures.v[i], &found, err);
    }
    if (st == BURL_OK && (!c->stop || s->end != BURL_CAMPAIGN_END_FIRST))
        st = burl__suspects_commit(c, w, b, first_schedule, err);
    return st;
}

/* ---- works ------------------------------------------------------------------------- */

/* Seeds of different works lie far apart; 48 bits are readable and never run into each other in
 * practice. */
uint64_t
burl__campaign_seed(struct burl_campaign *c)
{
    uint64_t state = c->cfg->seed + c->n_works++ * 0x9e3779b97f4a7c15ull;

    return burl_rng_splitmix(&state) >> 16;
}

#define STOP_AT_FIRST (BURL_ORDER_F_STOP_AT_FINDING | BURL_ORDER_F_STOP_AT_SUSPECT)

uint32_t
burl__campaign_flags(const struct burl_campaign *c)
{
    const uint32_t stop = c->cfg->stop_at_first     ? STOP_AT_FIRST
                          : c->cfg->stop_at_failure ? BURL_ORDER_F_STOP_AT_FINDING
                                                    : 0u;

    /* What is hidden must not end a batch. */
    return (c->hooks->hidden ? 0u : stop) |
           (c->cfg->check_determinism ? BURL_ORDER_F_CHECK_TWICE : 0u) | BURL_ORDER_F_LEARN;
}

/* Enumerations number their schedules, in which nothing is injected. */
uint32_t
burl__campaign_inject(const struct burl_campaign *c, uint32_t strategy)
{
    return burl__enumerate_is(strategy) ? 0u : c->cfg->inject;
}

/* In seeds: with the determinism check each is two executions. */
uint64_t
burl__campaign_runs_left(const struct burl_campaign *c)
{
    const uint64_t done = c->stats->all.executions;
    const uint64_t left = c->cfg->runs > done ? c->cfg->runs - done : 0;

    if (c->cfg->runs == 0)
        return UINT64_MAX;
    return c->cfg->check_determinism ? left / 2 : left;
}

static enum burl_status
learn(struct burl_campaign *c, struct burl_pool *pool, struct burl_err *err)
{
    const uint64_t left = burl__campaign_runs_left(c);
    struct burl_work w[2] = { { .strategy = BURL_STRATEGY_RANDOM,
                                .flags = burl__campaign_flags(c) | BURL_ORDER_F_ALL_POINTS,
                                .first_seed = burl__campaign_seed(c),
                                .n = left < LEARN_SEEDS ? left : LEARN_SEEDS,
                                .observers = c->cfg->observers } };

    if (w[0].n < 2)
        return w[0].n > 0 ? burl__pool_run(pool, w, 1, err) : BURL_OK;
    /* The last one counts what threads do. */
    w[1] = w[0];
    w[1].n = 1;
    w[1].first_seed += --w[0].n;
    w[1].flags |= BURL_ORDER_F_PROFILE;
    return burl__pool_run(pool, w, 2, err);
}

static void
add_part(struct burl_work *works, size_t *n, struct burl_work *w, uint64_t n_execs,
         uint32_t observers)
{
    w->n = n_execs;
    w->observers = observers;
    if (n_execs > 0)
        works[(*n)++] = *w;
    w->first_seed += n_execs;
    if (burl__enumerate_is(w->strategy))
        w->args.enumeration.index_first += n_execs;
}

/* One strategy's share of a round: some executions with all observers, some watched for races, the
 * rest at full speed. */
static void
add_work(struct burl_campaign *c, struct burl_work *works, size_t *n, uint32_t strategy,
         uint32_t param, uint64_t n_execs, uint64_t *left)
{
    const uint32_t cover = c->cfg->observers & BURL_ENGINE_COVER_OBS;
    struct burl_work w = { .strategy = strategy,
                           .args = burl_wire_args_of(strategy, param),
                           .flags = burl__campaign_flags(c) | burl__campaign_inject(c, strategy),
                           .first_seed = burl__campaign_seed(c) };
    uint64_t all, races;

    if (n_execs > *left)
        n_execs = *left;
    if (burl__enumerate_is(strategy) && n_execs > 0)
        n_execs = burl__enumerate_next(c, &w, n_execs);
    if (burl__enumerate_is(strategy))
        w.flags |= BURL_ORDER_F_PATIENT; /* it says to have tried all */
    *left -= n_execs;
    if (c->cfg->observers == cover) {
        add_part(works, n, &w, n_execs, cover);
        return;
    }
    all = n_execs < PREDICT_EXECS ? n_execs : PREDICT_EXECS;
    races = n_execs / RACE_SHARE > all ? n_execs / RACE_SHARE - all : 0;
    add_part(works, n, &w, all, c->cfg->observers);
    add_part(works, n, &w, races, (c->cfg->observers & BURL_OB(RACE)) | cover);
    add_part(works, n, &w, n_execs - all - races, cover);
}

/* Works towards reads-from edges, at most `max` and within `left` executions. */
static size_t
propose(struct burl_campaign *c, struct burl_work *works, size_t max, uint64_t *left)
{
    const size_t n = burl__proposals_next(c, works, *left < max ? (size_t)*left : max);

    for (size_t i = 0; i < n; i++) {
        if (works[i].n > *left)
            works[i].n = *left;
        *left -= works[i].n;
        if (*left == 0)
            return i + 1;
    }
    return n;
}

static size_t
make_round(struct burl_campaign *c, uint32_t scale, struct burl_work *works)
{
    const int strategy = c->cfg->strategy;
    uint64_t left = burl__campaign_runs_left(c);
    size_t n = 0;

    if (strategy == BURL_STRATEGY_READS_FROM)
        n = propose(c, works, scale * 4 < ROUND_PROPOSALS ? scale * 4 : ROUND_PROPOSALS, &left);
    if (n > 0)
        return n;
    if (strategy != BURL_CAMPAIGN_AUTO) {
        add_work(c, works, &n, (uint32_t)strategy,
                 strategy == BURL_STRATEGY_PCT ? c->cfg->pct_depth : 0, scale * MIX_SHARES, &left);
        return n;
    }
    for (size_t i = 0; i < MIX_N; i++) {
        /* --pct-depth deepens the deeper of the two. */
        const uint32_t param = mix[i].param == 3 ? c->cfg->pct_depth : mix[i].param;

        add_work(c, works, &n, mix[i].strategy, param, (uint64_t)scale * mix[i].share, &left);
    }
    return n + propose(c, works + n, ROUND_PROPOSALS, &left);
}

/* Fibers met something they cannot carry too often to go on with them. */
static void
reconsider_engine(struct burl_campaign *c)
{
    struct burl_campaign_stats *s = c->stats;
    const uint64_t bad =
        s->by_verdict[BURL_VERDICT_UNSUPPORTED] + s->by_verdict[BURL_VERDICT_INTERNAL];

    if (c->engine != BURL_ENGINE_FIBERS || c->cfg->engine != BURL_CAMPAIGN_AUTO ||
        bad * 4 < s->all.executions)
        return;
    c->engine = BURL_ENGINE_THREADS;
    c->reset = BURL_RESET_FORK;
    snprintf(s->why_engine, sizeof s->why_engine, "fibers cannot carry: %s", s->unsupported);
    snprintf(s->why_reset, sizeof s->why_reset,
             "the thread engine always starts executions by fork");
}

/* What was learned comes into force first: the sites to aim at must be scheduling points. */
static enum burl_status
drive(struct burl_campaign *c, struct burl_pool *pool, struct burl_err *err)
{
    if (c->stop || (c->cfg->observers & ~BURL_ENGINE_COVER_OBS) == 0)
        return BURL_OK;
    burl__campaign_adopt_points(c);
    return burl__suspects_drive(c, pool, err);
}

static enum burl_status
rounds(struct burl_campaign *c, struct burl_pool *pool, struct burl_err *err)
{
    struct burl_work mixed[PARTS * MIX_N + ROUND_PROPOSALS];
    enum burl_status st = BURL_OK;
    uint32_t scale = 1;

    if (c->portfolio)
        st = burl__prove_small(c, err);
    while (st == BURL_OK && !c->stop) {
        const struct burl_work *works = mixed;
        size_t n;

        burl__stop_if_none_completes(c, NEVER_STOPS_AFTER);
        if (c->stop)
            break;
        burl__campaign_adopt_points(c);
        reconsider_engine(c);
        if (c->hooks->enough && c->hooks->enough(c->hooks->arg, c->stats)) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_SATURATED);
            break;
        }
        n = c->portfolio ? burl__portfolio_round(c, scale, burl__campaign_runs_left(c), &works)
                         : make_round(c, scale, mixed);
        if (n == 0) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_RUNS);
            break;
        }
        st = burl__pool_run(pool, works, n, err);
        c->stats->n_rounds++;
        if (c->portfolio)
            burl__portfolio_reward(c);
        if (scale < (c->hooks->enough ? ROUND_SCALE_ASKED : ROUND_SCALE_MAX))
            scale *= 2;
        if (st == BURL_OK)
            st = drive(c, pool, err);
        if (st == BURL_OK && !c->stop)
            st = burl__prove_small(c, err);
        if (st == BURL_OK && !c->stop)
            st = burl__confirm_waiting(c, false, err);
    }
    return st;
}

/* --strategy=exhaustive. What observers only predict is not driven at: it would be met. */
static enum burl_status
search_all(struct burl_campaign *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    burl__stop_if_none_completes(c, NEVER_STOPS_AFTER);
    if (c->stop)
        return st;
    st = burl__search_whole(c, burl__campaign_runs_left(c), 0, err);
    if (burl__campaign_interrupted(c))
        burl__campaign_end(c, BURL_CAMPAIGN_END_INTERRUPTED);
    else if (burl__campaign_time_over(c))
        burl__campaign_end(c, BURL_CAMPAIGN_END_TIME);
    else if (c->cfg->runs > 0 && burl__campaign_runs_left(c) == 0 && !c->stats->search.complete)
        burl__campaign_end(c, BURL_CAMPAIGN_END_RUNS);
    else
        burl__campaign_end(c, BURL_CAMPAIGN_END_EXPLORED);
    return st;
}

/* --strategy=exhaustive, and the campaign ended before the search began. */
static void
say_unsearched(struct burl_campaign *c)
{
    struct burl_campaign_search *x = &c->stats->search;
    const enum burl_campaign_end end = c->stats->end;

    if (c->cfg->strategy != BURL_STRATEGY_EXHAUSTIVE || x->campaigns > 0 || x->why[0] != '\0' ||
        (end != BURL_CAMPAIGN_END_RUNS && end != BURL_CAMPAIGN_END_TIME))
        return;
    snprintf(x->why, sizeof x->why, "the search did not begin; raise %s",
             end == BURL_CAMPAIGN_END_TIME ? "--time" : "--runs");
}

/* ---- the whole --------------------------------------------------------------------- */

static enum burl_status
check_config(const struct burl_campaign_config *cfg, struct burl_err *err)
{
    if (cfg->engine == BURL_ENGINE_THREADS && cfg->reset == BURL_RESET_SNAPSHOT)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--engine=threads and --reset=snapshot do not go together: real "
                            "threads cannot be restored in place; leave out one of them");
    return BURL_OK;
}

static uint32_t
n_jobs(const struct burl_campaign_config *cfg)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = cfg->jobs;

    if (n == 0)
        n = cpus > 0 ? (uint32_t)cpus : 1;
    return n < JOBS_MAX ? n : JOBS_MAX;
}

static enum burl_status
explore(struct burl_campaign *c, struct burl_err *err)
{
    const bool exhaustive = c->cfg->strategy == BURL_STRATEGY_EXHAUSTIVE && !c->cfg->hunt;
    struct burl_pool *pool;
    enum burl_status st = burl__regress(c, err);

    if (st == BURL_OK && !c->stop)
        st = burl__open(c, err);
    if (st != BURL_OK || c->stop)
        return st;
    if (c->stats->max_threads == 0) {
        /* Executions without even a main thread: nothing said after this could be trusted. */
        snprintf(c->stats->why_end, sizeof c->stats->why_end,
                 "the runtime ran no thread of the program");
        burl__campaign_end(c, BURL_CAMPAIGN_END_UNSUPPORTED);
        return BURL_OK;
    }
    if (c->stats->max_threads == 1 && (c->cfg->inject & BURL_ORDER_F_FAULTS) == 0) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_ONE_THREAD);
        return BURL_OK;
    }
    if (burl__search_proven(c)) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_EXPLORED);
        return BURL_OK;
    }
    pool = burl__pool_new(c, n_jobs(c->cfg));
    burl__campaign_adopt_points(c);
    if (c->cfg->strategy == BURL_CAMPAIGN_AUTO && !burl__open_is_classic(c))
        c->portfolio = burl__portfolio_new(c);
    if (!exhaustive)
        st = drive(c, pool, err);
    /* A search finds the points that are missing; it only takes longer to begin with few. */
    if (st == BURL_OK && !c->stop &&
        ((exhaustive && !(c->cfg->recall && c->cfg->recall->n_points > 0)) ||
         burl__open_is_classic(c)))
        st = learn(c, pool, err);
    if (st == BURL_OK && !exhaustive)
        st = drive(c, pool, err);
    if (st == BURL_OK && !c->stop && exhaustive)
        st = search_all(c, err);
    else if (st == BURL_OK && !c->stop)
        st = c->cfg->hunt ? burl__hunt(c, pool, err) : rounds(c, pool, err);
    burl__pool_free(pool);
    return st;
}

static enum burl_status
tell_counts(struct burl_campaign *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < c->known.n && st == BURL_OK && c->hooks->final_count; i++) {
        const struct burl_known *k = &c->known.v[i];

        if (!k->unstable)
            st = c->hooks->final_count(c->hooks->arg, k->fingerprint, k->count, err);
    }
    return st;
}

enum burl_status
burl_campaign_run(const struct burl_campaign_config *cfg, const struct burl_campaign_hooks *hooks,
                  struct burl_campaign_stats *stats, struct burl_err *err)
{
    struct burl_campaign c = { .cfg = cfg, .hooks = hooks, .stats = stats };
    enum burl_status st;

    memset(stats, 0, sizeof *stats);
    st = check_config(cfg, err);
    if (st != BURL_OK)
        return st;
    c.started_ms = burl_target_now_ms();
    c.deadline_ms = cfg->time_ms > 0 ? c.started_ms + (int64_t)cfg->time_ms : INT64_MAX;
    c.engine = cfg->engine == BURL_ENGINE_THREADS ? BURL_ENGINE_THREADS : BURL_ENGINE_FIBERS;
    c.reset = cfg->reset == BURL_RESET_FORK || c.engine == BURL_ENGINE_THREADS
                  ? BURL_RESET_FORK
                  : BURL_RESET_SNAPSHOT;
    if (cfg->observers & BURL_ENGINE_COVER_OBS)
        c.covered = burl__covered_new();
    grow_sites(&c, 1);
    st = explore(&c, err);
    if (st == BURL_OK)
        st = burl__confirm_waiting(&c, true, err);
    if (st == BURL_OK && !burl__campaign_interrupted(&c))
        burl__stop_if_none_completes(&c, 1);
    say_unsearched(&c);
    if (burl__campaign_interrupted(&c)) {
        /* A target that was starting when Ctrl-C came is not an error. */
        burl__campaign_end(&c, BURL_CAMPAIGN_END_INTERRUPTED);
        if (st == BURL_E_TARGET)
            st = BURL_OK;
    }
    if (st == BURL_OK)
        st = tell_counts(&c, err);
    burl__campaign_adopt_points(&c);
    if (st == BURL_OK && cfg->remember && c.told_ready)
        stats->memory = burl__memory_new(&c);
    stats->engine = (uint32_t)c.engine;
    stats->reset = (uint32_t)c.reset;
    stats->wall_ms = burl_target_now_ms() - c.started_ms;
    burl_target_stop(c.scout);
    free(c.points);
    free(c.points_next);
    burl__profile_free(&c);
    burl__proposals_free(c.proposals);
    burl__pairs_free(&c);
    burl__portfolio_free(c.portfolio);
    burl_image_deinit(&c.image);
    burl_image_deinit(&c.told);
    burl__confirm_free(&c);
    free(c.settled);
    burl_ptrmap_deinit(&c.suspect_at);
    BURL_VEC_FREE(&c.known);
    BURL_VEC_FREE(&c.clean_failures);
    BURL_VEC_FREE(&c.keys);
    BURL_VEC_FREE(&c.news);
    BURL_VEC_FREE(&c.hidden);
    burl__covered_free(c.covered);
    BURL_VEC_FREE(&c.recorded);
    BURL_VEC_FREE(&c.firsts);
    BURL_VEC_FREE(&c.opened);
    burl__frontier_forget(&c.searched);
    burl__hunt_deinit(cfg->hunt);
    return st;
}

void
burl_campaign_stats_deinit(struct burl_campaign_stats *stats)
{
    free(stats->unstable);
    free(stats->suspects);
    burl_campaign_memory_free(stats->memory);
    stats->memory = NULL;
    stats->unstable = NULL;
    stats->n_unstable = 0;
    stats->suspects = NULL;
    stats->n_suspects = 0;
}
