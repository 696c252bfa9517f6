/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/campaign.c - the phases of a campaign; contract in campaign.h.
 *
 * Runs in the host. In order: kept schedules (regress.c); the opening (opening.c), which also
 * chooses engine and reset; a learning batch, where the plan has one; then rounds (portfolio.c,
 * rounds.c), doubling in size, each with the points and the horizon known at its start, and between
 * them directed executions and the search of small tests. A hunt has rounds of its own (hunt.c),
 * --strategy=exhaustive one search (search.c). Doubling keeps the time to a first finding short and
 * the cost of round boundaries small.
 */
#include "engine/plan/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "engine/engine_int.h"

#define LEARN_SEEDS 16u
#define PROGRESS_EVERY_MS 100
/* Executions of the last doubling: a round is also the time until what it learned is used. */
#define ROUND_SCALE_MAX 512u
/* The same with a hook `enough`: saturation should be noticed within some hundreds. */
#define ROUND_SCALE_ENOUGH 16u
#define JOBS_MAX 64u

/* ---- helpers of all parts ---------------------------------------------------------- */

union burl_wire_args
burl__replay_args(size_t n_switches)
{
    return (union burl_wire_args){ .replay = { .n_sched_in = (uint32_t)n_switches } };
}

/* Flags of every order. What a search or coverage counts must not be left out. */
static uint32_t
common_flags(const struct burl_campaign *c)
{
    return (c->cfg->volatile_atomic ? BURL_ORDER_F_VOLATILE : 0u) |
           (c->plan.uses_portfolio ? BURL_ORDER_F_THIN : 0u);
}

/* Those of the work from its seed `first` on. */
static union burl_wire_args
args_of(const struct burl_campaign *c, const struct burl_work *w, uint64_t first)
{
    union burl_wire_args a = w->args;

    if (w->strategy == BURL_STRATEGY_PCT)
        a.pct.horizon = c->learned.horizon;
    else if (w->strategy == BURL_STRATEGY_BURST)
        a.burst.horizon = c->learned.horizon;
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
        .flags = w->flags | (c->cfg->stop_at_misuse ? BURL_ORDER_F_STOP_AT_MISUSE : 0u) |
                 common_flags(c),
        .strategy = w->strategy,
        .args = args_of(c, w, first),
        .first_seed = first,
        .n_execs = n,
        .max_steps = c->plan.max_steps,
        .epoch_ns = BURL_ENGINE_EPOCH_NS,
        .max_wall_ms = c->cfg->exec_timeout_ms,
        .observers = w->observers,
        .watch = w->stop,
        .stop_key = w->stop_key,
        .context = c->cfg->context,
    };
}

uint32_t
burl__campaign_kept_flags(const struct burl_campaign *c, const struct burl_work *w)
{
    return (w->flags | common_flags(c)) & BURL_ORDER_F_KEPT;
}

struct burl_campaign_covered
burl__campaign_where(const struct burl_campaign *c, const struct burl_work *w, uint64_t seed,
                     uint64_t execution)
{
    return (struct burl_campaign_covered){
        .strategy = w->strategy,
        .param = burl_wire_args_number(w->strategy, &w->args),
        .seed = seed,
        .execution = execution,
        .order_flags = burl__campaign_kept_flags(c, w),
        .engine = (uint32_t)c->pool.engine,
        .reset = (uint32_t)c->pool.reset,
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
    return burl_deadline_left_ms(&c->plan.deadline) <= burl__pace_reserve_ms(c);
}

void
burl__campaign_end(struct burl_campaign *c, enum burl_campaign_end end)
{
    if (!c->plan.stop)
        c->stats->end = end;
    c->plan.stop = true;
}

void
burl__campaign_load_points(const struct burl_campaign *c, struct burl_target *t)
{
    burl_target_put(t, BURL_TARGET_POINTS, c->learned.points, c->learned.n_sites);
    burl__settled_load(&c->learned, t);
    burl__profile_load(&c->learned, t);
}

void
burl__campaign_learn(struct burl_campaign *c, struct burl_target *t)
{
    const uint32_t n = t->ctl->n_sites;

    burl__learned_grow(&c->learned, n);
    burl__learned_merge_points(&c->learned, burl_door_points_new(&t->block), n);
    burl__profile_take(c, t);
}

void
burl__campaign_adopt_profile(struct burl_campaign *c)
{
    burl__profile_adopt(&c->learned);
    burl__profile_count(&c->learned, &c->stats->edge_candidates, &c->stats->edges);
    burl__pair_adopt(c);
}

static bool
is_atomic(const void *arg, uint32_t site)
{
    const struct burl_sites *sites = arg;
    const uint8_t kind = sites ? burl_sites_get(sites, site)->kind : (uint8_t)BURL_SITE_READ;

    return kind >= BURL_SITE_ATOMIC_LOAD && kind <= BURL_SITE_ATOMIC_CAS;
}

/*
 * A program in which races are watched for and not seen needs no switch at plain accesses: what its
 * threads can see of each other is decided at synchronization and atomic accesses. In short
 * executions points at protected memory cost little and show more in the first schedules; in long
 * ones they are most of the cost. A search of all schedules does not rely on observers and has all
 * points, and coverage is counted by what every campaign does alike.
 */
static void
reduce_points(struct burl_campaign *c)
{
    const uint32_t needed = BURL_OB(RACE) | BURL_OB(LOCKSET);

    if (c->learned.reduced || c->plan.searches_all || c->covered || c->cfg->hunt ||
        (c->cfg->observers & needed) != needed)
        return;
    c->learned.reduced = burl__learned_is_long(&c->learned);
}

void
burl__campaign_adopt_points(struct burl_campaign *c)
{
    struct burl_campaign_stats *s = c->stats;

    reduce_points(c);
    s->n_points = burl__learned_adopt(&c->learned, is_atomic, c->findings.sites, &s->n_shared);
    s->n_sites = c->learned.n_sites - 1; /* number 0 is "unknown" */
    s->horizon = c->learned.horizon;
    burl__settled_adopt(c);
    burl__campaign_adopt_profile(c);
}

void
burl__campaign_progress(struct burl_campaign *c)
{
    const int64_t now = burl_target_now_ms();
    struct burl_campaign_progress p = { .stats = c->stats,
                                        .executions =
                                            c->stats->all.executions + c->pool.running_execs,
                                        .elapsed_ms = now - c->plan.started_ms,
                                        .strategy = c->pool.running_strategy,
                                        .param = c->pool.running_param };

    if (!c->hooks->progress || now - c->plan.last_progress_ms < PROGRESS_EVERY_MS)
        return;
    c->plan.last_progress_ms = now;
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

/* One execution may show several: in the order in which it did. */
#define BY_SEED(f) (f)->seed, (f)->steps

static int
by_seed(const void *a, const void *b)
{
    const struct burl_wire_failure *x = a;
    const struct burl_wire_failure *y = b;

    return BURL_COMPARE(x, y, BY_SEED);
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
    c->plan.explored_ns +=
        burl__nominal_explored(c->pool.engine, burl__speed_nominal(c), &b->totals);
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
    c->learned.sum_completed_points += b->sum_completed_points;
    c->learned.n_completed += b->n_completed;
    /* With every access a scheduling point there are many more than a search would have. */
    if (b->max_points > c->learned.max_points && (w->flags & BURL_ORDER_F_ALL_POINTS) == 0)
        c->learned.max_points = b->max_points;
    if (b->max_points > c->learned.max_all_points && (w->flags & BURL_ORDER_F_ALL_POINTS) != 0)
        c->learned.max_all_points = b->max_points;
    if (c->plan.uses_portfolio && w->n == 1 && b->totals.steps > BURL_THIN_STEPS)
        c->learned.is_thinned = true;
    burl__enumerate_commit(&c->proof, w, b);
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

        if (c->plan.stop && s->end == BURL_CAMPAIGN_END_FIRST)
            break;
        st = burl__confirm(c, w, &b->failures.v[i], &found, err);
    }
    if (st == BURL_OK && (!c->plan.stop || s->end != BURL_CAMPAIGN_END_FIRST))
        st = burl__suspects_commit(c, w, b, first_schedule, err);
    return st;
}

/* ---- works ------------------------------------------------------------------------- */

/* Seeds of different works lie far apart; 48 bits are readable and never run into each other in
 * practice. */
uint64_t
burl__campaign_seed(struct burl_campaign *c)
{
    return burl__goal_seed(c->cfg->seed, c->plan.n_works++);
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
run_learning_batch(struct burl_campaign *c, struct burl_err *err)
{
    const uint64_t left = burl__campaign_runs_left(c);
    struct burl_work w[2] = { { .strategy = BURL_STRATEGY_RANDOM,
                                .flags = burl__campaign_flags(c) | BURL_ORDER_F_ALL_POINTS,
                                .first_seed = burl__campaign_seed(c),
                                .n = left < LEARN_SEEDS ? left : LEARN_SEEDS,
                                .observers = c->cfg->observers } };

    if (w[0].n < 2)
        return w[0].n > 0 ? burl__pool_run(c, w, 1, err) : BURL_OK;
    /* The last one counts what threads do. */
    w[1] = w[0];
    w[1].n = 1;
    w[1].first_seed += --w[0].n;
    w[1].flags |= BURL_ORDER_F_PROFILE;
    return burl__pool_run(c, w, 2, err);
}

/* Fibers met something they cannot carry too often to go on with them. */
static void
reconsider_engine(struct burl_campaign *c)
{
    const struct burl_campaign_stats *s = c->stats;
    const uint64_t bad =
        s->by_verdict[BURL_VERDICT_UNSUPPORTED] + s->by_verdict[BURL_VERDICT_INTERNAL];

    if (bad * 4 >= s->all.executions)
        (void)burl__choose_threads(c, s->unsupported);
}

/* What was learned comes into force first: the sites to aim at must be scheduling points. */
static enum burl_status
drive_suspects(struct burl_campaign *c, struct burl_err *err)
{
    if (c->plan.stop || c->plan.searches_all || (c->cfg->observers & ~BURL_ENGINE_COVER_OBS) == 0)
        return BURL_OK;
    burl__campaign_adopt_points(c);
    return burl__suspects_drive(c, err);
}

static enum burl_status
run_rounds(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_works *works = &c->plan.round_works;
    /* A round of long executions may take the rest of the time. */
    enum burl_status st = c->learned.is_thinned ? burl__confirm_waiting(c, true, err) : BURL_OK;
    uint32_t scale = 1;

    if (st == BURL_OK && !c->plan.stop)
        st = burl__prove_small(c, err);

    while (st == BURL_OK && !c->plan.stop) {
        burl__stop_if_none_completes(c, TOO_LONG_AFTER);
        if (c->plan.stop)
            break;
        burl__campaign_adopt_points(c);
        reconsider_engine(c);
        if (c->hooks->enough && c->hooks->enough(c->hooks->arg, c->stats)) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_SATURATED);
            break;
        }
        works->n = 0;
        if (c->plan.portfolio)
            burl__portfolio_round(c, scale, burl__campaign_runs_left(c), works);
        else
            burl__rounds_make(c, scale, works);
        if (works->n == 0) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_RUNS);
            break;
        }
        st = burl__pool_run(c, works->v, works->n, err);
        c->stats->n_rounds++;
        if (c->plan.portfolio)
            burl__portfolio_reward(c);
        if (scale < (c->hooks->enough ? ROUND_SCALE_ENOUGH : ROUND_SCALE_MAX))
            scale *= 2;
        if (st == BURL_OK)
            st = drive_suspects(c, err);
        if (st == BURL_OK && !c->plan.stop)
            st = burl__prove_small(c, err);
        if (st == BURL_OK && !c->plan.stop)
            st = burl__confirm_waiting(c, false, err);
        if (st == BURL_OK)
            st = burl__speed_revise(c, err);
    }
    return st;
}

/* Each round tries what has not been tried often enough; the first rounds may show more. */
static enum burl_status
verify_all(struct burl_campaign *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    uint64_t before;

    do {
        before = c->plan.directed_execs;
        st = drive_suspects(c, err);
    } while (st == BURL_OK && !c->plan.stop && c->plan.directed_execs > before);
    burl__campaign_end(c, BURL_CAMPAIGN_END_VERIFIED);
    return st;
}

/* --strategy=exhaustive. What observers only predict is not driven at: it would be met. */
static enum burl_status
search_all(struct burl_campaign *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    burl__stop_if_none_completes(c, TOO_LONG_AFTER);
    if (c->plan.stop)
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
    snprintf(x->why, sizeof x->why, "the search did not start; raise %s",
             end == BURL_CAMPAIGN_END_TIME ? "--time" : "--runs");
}

/* ---- the whole --------------------------------------------------------------------- */

static enum burl_status
check_config(const struct burl_campaign_config *cfg, struct burl_err *err)
{
    if (cfg->engine == BURL_ENGINE_THREADS && cfg->reset == BURL_RESET_SNAPSHOT)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--engine=threads cannot be combined with --reset=snapshot: OS threads "
                            "cannot be restored in place; omit one of them");
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

/* Is there nothing to explore, or was everything explored before? Ends the campaign then. */
static void
end_if_needless(struct burl_campaign *c)
{
    if (c->stats->max_threads == 0 && c->stats->all.failures == 0) {
        /* Executions without even a main thread: no later result could be trusted. */
        snprintf(c->stats->why_end, sizeof c->stats->why_end,
                 "the runtime controlled no thread of the program");
        burl__campaign_end(c, BURL_CAMPAIGN_END_UNSUPPORTED);
    } else if (c->stats->max_threads == 1 && (c->cfg->inject & BURL_ORDER_F_FAULTS) == 0) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_ONE_THREAD);
    } else if (burl__search_proven(c)) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_EXPLORED);
    }
}

/* The phases of every campaign; struct burl_plan says which of them it has. */
static enum burl_status
run_phases(struct burl_campaign *c, struct burl_err *err)
{
    const struct burl_plan *p = &c->plan;
    enum burl_status st = burl__regress(c, err);
    bool has_points;

    if (st == BURL_OK && !p->stop)
        st = burl__open(c, err);
    if (st == BURL_OK && !p->stop)
        end_if_needless(c);
    if (st != BURL_OK || p->stop)
        return st;
    burl__pool_open(&c->pool, n_jobs(c->cfg));
    burl__campaign_adopt_points(c);
    if (p->uses_portfolio)
        c->plan.portfolio = burl__portfolio_new(c);
    if (c->cfg->verify_only) {
        st = verify_all(c, err);
        burl__pool_close(&c->pool);
        return st;
    }
    st = drive_suspects(c, err);
    has_points = p->searches_all && c->cfg->recall && c->cfg->recall->n_points > 0;
    if (st == BURL_OK && !p->stop && p->learns_first && (!has_points || p->fixed_opening))
        st = run_learning_batch(c, err);
    if (st == BURL_OK)
        st = drive_suspects(c, err);
    if (st == BURL_OK && !p->stop)
        st = p->searches_all ? search_all(c, err)
             : c->cfg->hunt  ? burl__hunt(c, err)
                             : run_rounds(c, err);
    burl__pool_close(&c->pool);
    return st;
}

/* Coverage campaigns and hunts keep the fixed opening and learning batch: their user asked for
 * those executions. A search of all schedules finds missing points by itself, but takes longer to
 * begin with few. */
static void
choose_phases(struct burl_campaign *c)
{
    const struct burl_campaign_config *cfg = c->cfg;
    struct burl_plan *p = &c->plan;

    p->fixed_opening = cfg->hunt || c->covered || c->hooks->enough;
    p->uses_portfolio =
        cfg->strategy == BURL_CAMPAIGN_AUTO && !p->fixed_opening && !cfg->verify_only;
    p->searches_all = cfg->strategy == BURL_STRATEGY_EXHAUSTIVE && !cfg->hunt;
    p->learns_first = p->fixed_opening || p->searches_all;
}

static enum burl_status
report_counts(struct burl_campaign *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < c->findings.known.n && st == BURL_OK && c->hooks->final_count; i++) {
        const struct burl_known *k = &c->findings.known.v[i];

        if (!k->unstable)
            st = c->hooks->final_count(c->hooks->arg, k->facts.fingerprint, k->facts.count, err);
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
    c.plan.started_ms = burl_target_now_ms();
    c.plan.max_steps = cfg->max_steps;
    c.plan.deadline =
        burl_deadline_first(burl_deadline_in(c.plan.started_ms, cfg->time_ms), cfg->deadline);
    c.pool.engine = cfg->engine == BURL_ENGINE_THREADS ? BURL_ENGINE_THREADS : BURL_ENGINE_FIBERS;
    c.pool.reset = cfg->reset == BURL_RESET_FORK || c.pool.engine == BURL_ENGINE_THREADS
                       ? BURL_RESET_FORK
                       : BURL_RESET_SNAPSHOT;
    if (cfg->observers & BURL_ENGINE_COVER_OBS)
        c.covered = burl__covered_new();
    burl__learned_grow(&c.learned, 1);
    c.goals.pairs.max = BURL_PROFILE_PAIRS;
    choose_phases(&c);
    st = run_phases(&c, err);
    if (st == BURL_OK)
        st = burl__confirm_waiting(&c, true, err);
    if (st == BURL_E_TIME && c.pool.ready_notified) {
        burl__campaign_end(&c, BURL_CAMPAIGN_END_TIME);
        st = BURL_OK;
    }
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
        st = report_counts(&c, err);
    burl__campaign_adopt_points(&c);
    if (st == BURL_OK && cfg->remember && c.pool.ready_notified)
        stats->memory = burl__memory_new(&c);
    /* "All" is of all points. */
    stats->delays_complete = c.learned.reduced ? 0 : c.proof.delays.at.complete;
    stats->preemptions_complete = c.learned.reduced ? 0 : c.proof.preemptions.at.complete;
    stats->is_thinned = c.learned.is_thinned;
    stats->max_steps = c.plan.max_steps;
    stats->engine = (uint32_t)c.pool.engine;
    stats->reset = (uint32_t)c.pool.reset;
    stats->wall_ms = burl_target_now_ms() - c.plan.started_ms;
    burl__worker_stop(&c.pool.scout);
    burl_image_deinit(&c.pool.image);
    burl_image_deinit(&c.pool.notified_image);
    burl__learned_deinit(&c.learned);
    burl__goals_deinit(&c.goals);
    burl__portfolio_free(c.plan.portfolio);
    BURL_VEC_FREE(&c.plan.opening_works);
    BURL_VEC_FREE(&c.plan.round_works);
    burl__findings_deinit(&c.findings);
    burl__covered_free(c.covered);
    burl__frontier_forget(&c.proof.searched);
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

const char *
burl_campaign_end_name(enum burl_campaign_end end)
{
    static const char *const names[] = {
        [BURL_CAMPAIGN_END_RUNS] = "runs",
        [BURL_CAMPAIGN_END_TIME] = "time",
        [BURL_CAMPAIGN_END_FIRST] = "first finding",
        [BURL_CAMPAIGN_END_INTERRUPTED] = "interrupted",
        [BURL_CAMPAIGN_END_ONE_THREAD] = "one thread",
        [BURL_CAMPAIGN_END_TOO_LONG] = "too long",
        [BURL_CAMPAIGN_END_SATURATED] = "saturated",
        [BURL_CAMPAIGN_END_EXPLORED] = "explored",
        [BURL_CAMPAIGN_END_UNSUPPORTED] = "unsupported",
        [BURL_CAMPAIGN_END_VERIFIED] = "verified",
    };

    return (unsigned)end < BURL_CAMPAIGN_END__N ? names[end] : "unknown";
}
