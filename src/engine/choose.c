/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/choose.c - which engine and which reset carry this program.
 *
 * Runs in the host, at the start of a campaign. Fibers with snapshot are 30 to
 * 150 times faster than threads with fork, so they are tried first; what they cannot
 * carry shows itself in the first executions:
 *   - a primitive the runtime cannot model on fibers      -> threads (always with fork)
 *   - something the snapshot cannot undo, or no snapshot  -> fork
 *   - the self-check: the same seeds twice in one process and once in a forking
 *     one must agree in trace hash and verdict            -> fork
 * A program that differs from itself even when forked is not deterministic under
 * burl; that is said, and findings are still confirmed one by one.
 *
 * The self-check errs towards trust: eight seeds may all miss the path that is
 * not restored. Confirmation in fresh processes is the net below it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_int.h"

#define CHECK_SEEDS 8u
/* A slow program is checked with fewer seeds rather than keeping the user waiting. */
#define CHECK_MS 3000
/* Executions that must all be cut before a program is said never to stop. */
#define NEVER_STOPS_AFTER 3u

struct outcome {
    uint64_t hash;
    uint8_t kind;
};

enum next_step {
    NEXT_GO_ON = 0,
    NEXT_AGAIN, /* engine or reset was changed: start over */
    NEXT_END    /* the campaign is over */
};

struct trial {
    struct burl_campaign *c;
    struct burl_target *t;
    struct burl_work clean; /* nonpreemptive */
    struct burl_work check; /* random */
    struct burl_batch clean_batch;
    struct burl_batch check_batch;
    struct outcome outcomes[CHECK_SEEDS];
    uint32_t n_outcomes;
    uint32_t n_cut;
    uint32_t n_runs;
};

static bool
may_change_engine(const struct burl_campaign *c)
{
    return c->cfg->engine == BURL_CAMPAIGN_AUTO && c->engine == BURL_ENGINE_FIBERS;
}

static bool
may_change_reset(const struct burl_campaign *c)
{
    return c->cfg->reset == BURL_CAMPAIGN_AUTO && c->reset == BURL_RESET_SNAPSHOT;
}

static enum next_step
use_fork(struct burl_campaign *c, const char *why)
{
    c->reset = BURL_RESET_FORK;
    snprintf(c->stats->why_reset, sizeof c->stats->why_reset, "%s", why);
    return NEXT_AGAIN;
}

static enum next_step
use_threads(struct burl_campaign *c, const char *why)
{
    c->engine = BURL_ENGINE_THREADS;
    c->reset = BURL_RESET_FORK;
    snprintf(c->stats->why_engine, sizeof c->stats->why_engine, "fibers cannot carry: %s", why);
    snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
             "the thread engine always starts executions by fork");
    return NEXT_AGAIN;
}

/* ---- one execution and what it says about the choice ------------------------------- */

/* The process ended or hung inside the first executions. */
static enum next_step
judge_loss(struct trial *tr, struct burl_batch *b, uint64_t seed)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_verdict v = burl__batch_lost_verdict(tr->t);

    if (tr->t->state == BURL_TARGET_INTERRUPTED) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_INTERRUPTED);
        return NEXT_END;
    }
    c->stats->n_restarts++;
    if (may_change_reset(c))
        return use_fork(c, "the process with the snapshot was lost in one of the first executions");
    if (v.kind == BURL_VERDICT_INTERNAL && may_change_engine(c))
        return use_threads(c, v.text);
    burl__batch_add_verdict(b, seed, &v);
    tr->n_runs++;
    tr->n_cut += v.kind == BURL_VERDICT_CUT_TIME;
    burl_target_stop(tr->t);
    tr->t = NULL;
    return NEXT_GO_ON;
}

static enum next_step
judge_result(struct trial *tr, struct burl_batch *b)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_result *r = &tr->t->ctl->result;
    char why[BURL_WIRE_TEXT_B];

    snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1,
             r->last.text[0] ? r->last.text : r->text);
    if (r->last.kind == BURL_VERDICT_UNSUPPORTED || r->last.kind == BURL_VERDICT_INTERNAL) {
        if (may_change_engine(c))
            return use_threads(c, why);
        snprintf(c->stats->why_end, sizeof c->stats->why_end, "%s", why);
        burl__covered_take(b, tr->t, 1);
        burl__batch_add_result(b, tr->t->ctl);
        burl__campaign_end(c, BURL_CAMPAIGN_END_UNSUPPORTED);
        return NEXT_END;
    }
    if (r->irreversible && may_change_reset(c)) {
        snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1, r->text);
        return use_fork(c, why[0] ? why : "an execution did something the snapshot cannot undo");
    }
    burl__covered_take(b, tr->t, 1);
    burl__batch_add_result(b, tr->t->ctl);
    burl__campaign_learn(c, tr->t);
    tr->n_runs++;
    tr->n_cut += r->last.kind == BURL_VERDICT_CUT_STEPS || r->last.kind == BURL_VERDICT_CUT_TIME;
    return NEXT_GO_ON;
}

static enum burl_status
run_one(struct trial *tr, const struct burl_work *w, uint64_t seed, struct burl_batch *b,
        enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_order o = burl__campaign_order(c, w, seed, 1);
    const int64_t before = burl_target_now_ms();
    enum burl_status st = BURL_OK;

    *next = NEXT_END;
    if (!tr->t)
        st = burl__campaign_start(c, c->engine, c->reset, true, &tr->t, err);
    if (st == BURL_OK)
        st = burl_target_order(tr->t, &o, NULL, err);
    if (st != BURL_OK)
        return st;
    c->running_strategy = w->strategy;
    *next =
        burl_target_wait(tr->t) == BURL_TARGET_IDLE ? judge_result(tr, b) : judge_loss(tr, b, seed);
    c->ms_per_exec = (double)(burl_target_now_ms() - before) + 0.05;
    burl__campaign_progress(c);
    return BURL_OK;
}

static bool
never_stops(struct trial *tr)
{
    if (tr->n_cut < NEVER_STOPS_AFTER || tr->n_cut != tr->n_runs)
        return false;
    burl__campaign_end(tr->c, BURL_CAMPAIGN_END_NEVER_STOPS);
    return true;
}

/* The clean run, then the first random seeds, each alone so that its hash is known. */
static enum burl_status
first_runs(struct trial *tr, enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    const int64_t until = burl_target_now_ms() + CHECK_MS;
    enum burl_status st;

    st = run_one(tr, &tr->clean, tr->clean.first_seed, &tr->clean_batch, next, err);
    for (uint32_t i = 0; st == BURL_OK && *next == NEXT_GO_ON && i < CHECK_SEEDS; i++) {
        if (never_stops(tr)) {
            *next = NEXT_END;
            break;
        }
        if (i >= 2 && tr->n_cut < tr->n_runs && burl_target_now_ms() > until)
            break;
        if (burl__campaign_time_over(c) && tr->n_cut < tr->n_runs)
            break;
        st = run_one(tr, &tr->check, tr->check.first_seed + i, &tr->check_batch, next, err);
        if (st == BURL_OK && *next == NEXT_GO_ON && tr->t) {
            tr->outcomes[i].hash = tr->t->ctl->result.last_trace_hash;
            tr->outcomes[i].kind = tr->t->ctl->result.last.kind;
            tr->n_outcomes = i + 1;
        } else if (st == BURL_OK && *next == NEXT_GO_ON) {
            break; /* the process was lost: no point in comparing further */
        }
    }
    if (st == BURL_OK && *next == NEXT_GO_ON && never_stops(tr))
        *next = NEXT_END;
    return st;
}

/* ---- the self-check ---------------------------------------------------------------- */

/* The first seed whose outcome in `t` is another; n_outcomes when all agree. */
static enum burl_status
compare(struct trial *tr, struct burl_target *t, uint32_t *first, struct burl_err *err)
{
    for (*first = 0; *first < tr->n_outcomes; ++*first) {
        const struct burl_wire_order o =
            burl__campaign_order(tr->c, &tr->check, tr->check.first_seed + *first, 1);
        enum burl_status st = burl_target_order(t, &o, NULL, err);

        if (st != BURL_OK)
            return st;
        tr->c->stats->extra_executions++;
        if (burl_target_wait(t) != BURL_TARGET_IDLE ||
            t->ctl->result.last_trace_hash != tr->outcomes[*first].hash ||
            t->ctl->result.last.kind != tr->outcomes[*first].kind)
            return BURL_OK;
    }
    return BURL_OK;
}

/* Did a forking process behave differently from the outcomes at hand? */
static enum burl_status
compare_forked(struct trial *tr, uint32_t *first, struct burl_err *err)
{
    struct burl_target *t;
    enum burl_status st =
        burl__campaign_start(tr->c, tr->c->engine, BURL_RESET_FORK, true, &t, err);

    if (st != BURL_OK)
        return st;
    st = compare(tr, t, first, err);
    burl_target_stop(t);
    return st;
}

/* The snapshot failed its check. Is it the snapshot, or the program? Forked outcomes are taken
 * afresh and compared with another process. */
static enum burl_status
blame(struct trial *tr, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    struct burl_target *t;
    enum burl_status st = burl__campaign_start(c, c->engine, BURL_RESET_FORK, true, &t, err);
    uint32_t first;

    if (st != BURL_OK)
        return st;
    for (uint32_t i = 0; i < tr->n_outcomes && st == BURL_OK; i++) {
        const struct burl_wire_order o =
            burl__campaign_order(c, &tr->check, tr->check.first_seed + i, 1);

        st = burl_target_order(t, &o, NULL, err);
        if (st == BURL_OK && burl_target_wait(t) != BURL_TARGET_IDLE) {
            tr->n_outcomes = i;
            break;
        }
        tr->outcomes[i].hash = t->ctl->result.last_trace_hash;
        tr->outcomes[i].kind = t->ctl->result.last.kind;
    }
    burl_target_stop(t);
    if (st == BURL_OK)
        st = compare_forked(tr, &first, err);
    if (st == BURL_OK && first < tr->n_outcomes) {
        c->stats->nondeterministic = true;
        c->stats->unstable_seed = tr->check.first_seed + first;
    }
    return st;
}

static enum burl_status
self_check(struct trial *tr, enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    const char *why = NULL;
    char text[200];
    uint32_t first;
    enum burl_status st;

    *next = NEXT_GO_ON;
    if (c->reset != BURL_RESET_SNAPSHOT || tr->n_outcomes == 0 || !tr->t)
        return BURL_OK;
    st = compare(tr, tr->t, &first, err);
    if (st == BURL_OK && first < tr->n_outcomes) {
        why = "the same seed gave another run the second time in one process";
    } else if (st == BURL_OK) {
        st = compare_forked(tr, &first, err);
        if (st == BURL_OK && first < tr->n_outcomes)
            why = "the same seed gave another run in a forked process";
    }
    if (st != BURL_OK || !why || burl__campaign_interrupted(c))
        return st;
    snprintf(text, sizeof text, "self-check: %s (seed %llu)", why,
             (unsigned long long)(tr->check.first_seed + first));
    st = blame(tr, err);
    if (st != BURL_OK)
        return st;
    if (may_change_reset(c))
        *next = use_fork(c, text);
    else
        snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
                 "asked for, although it failed its %s", text);
    return BURL_OK;
}

/* ---- the choice -------------------------------------------------------------------- */

static void
restart_trial(struct trial *tr)
{
    burl_target_stop(tr->t);
    tr->t = NULL;
    burl__batch_deinit(&tr->clean_batch);
    burl__batch_deinit(&tr->check_batch);
    tr->clean_batch.first_seed = tr->clean.first_seed;
    tr->check_batch.first_seed = tr->check.first_seed;
    tr->n_outcomes = 0;
    tr->n_cut = 0;
    tr->n_runs = 0;
}

static enum burl_status
try_choice(struct trial *tr, enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    enum burl_status st;

    restart_trial(tr);
    st = burl__campaign_start(c, c->engine, c->reset, true, &tr->t, err);
    if (st != BURL_OK)
        return st;
    if (c->reset == BURL_RESET_SNAPSHOT && tr->t->ctl->snapshot_b == 0) {
        char why[BURL_WIRE_TEXT_B];

        snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1, tr->t->ctl->result.text);
        if (!may_change_reset(c))
            return burl_err_set(err, BURL_E_TARGET, 0, "no snapshot of %s can be taken%s%s",
                                c->cfg->argv[0], why[0] ? ": " : "", why);
        *next = use_fork(c, why[0] ? why : "no snapshot could be taken");
        return BURL_OK;
    }
    c->stats->snapshot_b = tr->t->ctl->snapshot_b;
    st = first_runs(tr, next, err);
    if (st == BURL_OK && *next == NEXT_GO_ON)
        st = self_check(tr, next, err);
    return st;
}

enum burl_status
burl__choose(struct burl_campaign *c, struct burl_err *err)
{
    struct trial tr = { .c = c };
    enum next_step next = NEXT_AGAIN;
    enum burl_status st = BURL_OK;

    tr.clean = (struct burl_work){ .strategy = BURL_STRATEGY_NONPREEMPTIVE,
                                   .flags = BURL_ORDER_F_STRICT_TIME | BURL_ORDER_F_ALL_POINTS |
                                            BURL_ORDER_F_LEARN,
                                   .first_seed = burl__campaign_seed(c),
                                   .n = 1,
                                   .observers = c->cfg->observers };
    tr.check = (struct burl_work){ .strategy = BURL_STRATEGY_RANDOM,
                                   .flags = BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_LEARN,
                                   .first_seed = burl__campaign_seed(c),
                                   .n = CHECK_SEEDS,
                                   .observers = c->cfg->observers };
    /* Each turn gives up one thing (snapshot, fibers), so it ends. */
    while (st == BURL_OK && next == NEXT_AGAIN)
        st = try_choice(&tr, &next, err);
    burl_target_stop(tr.t);
    tr.t = NULL;
    if (st == BURL_OK)
        st = burl__campaign_commit(c, &tr.clean, &tr.clean_batch, err);
    if (st == BURL_OK)
        st = burl__campaign_commit(c, &tr.check, &tr.check_batch, err);
    if (st == BURL_OK)
        st = burl__suspects_confirm(c, err); /* of both, so that a race knows more of its places */
    restart_trial(&tr);
    return st;
}
