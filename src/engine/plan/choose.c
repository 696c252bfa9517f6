/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/choose.c - which engine and which reset carry this program.
 *
 * Runs in the host, at the start of a campaign, one schedule at a time (opening.c says which).
 * Fibers with snapshot are 30 to 150 times faster than threads with fork, so they are tried
 * first; what they cannot carry shows itself in the first executions:
 *   - a primitive the runtime cannot model on fibers      -> threads (always with fork)
 *   - something the snapshot cannot undo, or no snapshot  -> fork
 *   - the self-check: the same schedule twice in one process and once in a forking
 *     one must agree in trace hash and verdict            -> fork
 * A schedule is taken over only when it passed its check, so that what an inexact snapshot shows is
 * never shown to the user. A program that differs from itself even when forked is not
 * deterministic under burl; that is said, and findings are still confirmed one by one. An execution
 * that the clock cut is not checked: where it was cut is the machine's doing, and each repetition
 * would be as long as the user allows one to be.
 *
 * The self-check errs towards trust: eight schedules may all miss the path that is
 * not restored. Confirmation in fresh processes is the net below it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_int.h"

#define CHECKS 8u
/* Visible operations after which checking ends sooner: a slow program is checked with fewer
 * schedules rather than keeping the user waiting. Not a time: that would be another campaign on a
 * busy machine. */
#define CHECK_STEPS 2000000ull

struct outcome {
    uint64_t hash;
    uint8_t kind;
    struct burl_speed speed;
};

enum next_step {
    NEXT_GO_ON = 0,
    NEXT_AGAIN, /* engine or reset was changed: start over */
    NEXT_END    /* the campaign is over */
};

bool
burl__choose_fork(struct burl_campaign *c, const char *why)
{
    if (c->cfg->reset != BURL_CAMPAIGN_AUTO || c->pool.reset != BURL_RESET_SNAPSHOT)
        return false;
    c->pool.reset = BURL_RESET_FORK;
    snprintf(c->stats->why_reset, sizeof c->stats->why_reset, "%s", why);
    return true;
}

bool
burl__choose_threads(struct burl_campaign *c, const char *why)
{
    if (c->cfg->engine != BURL_CAMPAIGN_AUTO || c->pool.engine != BURL_ENGINE_FIBERS)
        return false;
    c->pool.engine = BURL_ENGINE_THREADS;
    c->pool.reset = BURL_RESET_FORK;
    snprintf(c->stats->why_engine, sizeof c->stats->why_engine, "fibers cannot run: %s", why);
    snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
             "the thread engine always resets by fork");
    return true;
}

/* ---- one execution and what it says about the choice ------------------------------- */

/* The process ended or hung inside the first executions. */
static enum next_step
judge_loss(struct burl_choice_trial *tr, struct burl_batch *b, uint64_t seed)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_verdict v = burl_target_lost_verdict(tr->worker.t);

    if (tr->worker.t->state == BURL_TARGET_INTERRUPTED) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_INTERRUPTED);
        return NEXT_END;
    }
    if (tr->worker.t->state == BURL_TARGET_LATE) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_TIME);
        if (tr->n_runs == tr->n_cut) /* none has ended within the time */
            burl__batch_add_verdict(b, seed, &v);
        return NEXT_END;
    }
    c->stats->n_restarts++;
    if (burl__choose_fork(c, "the snapshot process died in one of the first executions") ||
        (v.kind == BURL_VERDICT_INTERNAL && burl__choose_threads(c, v.text)))
        return NEXT_AGAIN;
    burl__batch_add_verdict(b, seed, &v);
    tr->n_runs++;
    tr->n_cut += v.kind == BURL_VERDICT_CUT_TIME;
    burl__worker_stop(&tr->worker);
    return NEXT_GO_ON;
}

/*
 * The default limit is for programs whose executions are short. One that is cut raises it, unless
 * another one exits within it: then it is a schedule that makes threads wait for each other without
 * end, and running these for longer shows nothing. True: this execution raised it.
 */
static bool
adapt_steps(struct burl_campaign *c, const struct burl_wire_result *r)
{
    const bool is_cut = r->last.kind == BURL_VERDICT_CUT_STEPS;

    if (!c->cfg->adapt_steps)
        return false;
    if (is_cut && c->plan.max_steps == c->cfg->max_steps && !c->plan.has_short) {
        c->plan.max_steps *= BURL_CAMPAIGN_STEPS_RAISE;
        return true;
    }
    if (!is_cut && r->last_steps < c->cfg->max_steps / 2) {
        c->plan.has_short = true;
        c->plan.max_steps = c->cfg->max_steps;
    }
    return false;
}

static enum next_step
judge_result(struct burl_choice_trial *tr, struct burl_batch *b)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_result *r = &tr->worker.t->ctl->result;
    char why[BURL_WIRE_TEXT_B];

    snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1,
             r->last.text[0] ? r->last.text : r->text);
    if (r->last.kind == BURL_VERDICT_UNSUPPORTED || r->last.kind == BURL_VERDICT_INTERNAL) {
        if (burl__choose_threads(c, why))
            return NEXT_AGAIN;
        if (tr->n_runs <= CHECKS) {
            snprintf(c->stats->why_end, sizeof c->stats->why_end, "%s", why);
            burl__covered_take(b, tr->worker.t, 1);
            burl__batch_add_result(b, tr->worker.t->ctl);
            burl__campaign_end(c, BURL_CAMPAIGN_END_UNSUPPORTED);
            return NEXT_END;
        }
    }
    snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1, r->text);
    if (r->irreversible && burl__choose_fork(c, why[0] ? why : BURL__CHANGED_STATE))
        return NEXT_AGAIN;
    burl__covered_take(b, tr->worker.t, 1);
    burl__batch_add_result(b, tr->worker.t->ctl);
    burl__campaign_learn(c, tr->worker.t);
    if (adapt_steps(c, r))
        return NEXT_GO_ON; /* whether it ends is for others to show */
    tr->n_runs++;
    tr->n_cut += r->last.kind == BURL_VERDICT_CUT_STEPS || r->last.kind == BURL_VERDICT_CUT_TIME;
    return NEXT_GO_ON;
}

static enum burl_status
ensure_target(struct burl_choice_trial *tr, enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    enum burl_status st;

    const bool is_new = tr->worker.t == NULL;
    char why[BURL_WIRE_TEXT_B];

    *next = NEXT_GO_ON;
    st = burl__worker_ready(c, &tr->worker, c->pool.reset, true, err);
    if (st != BURL_OK || !is_new)
        return st;
    c->stats->snapshot_b = tr->worker.t->ctl->snapshot_b;
    if (c->pool.reset != BURL_RESET_SNAPSHOT || c->stats->snapshot_b != 0)
        return BURL_OK;
    snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1, tr->worker.t->ctl->result.text);
    *next = NEXT_AGAIN;
    if (burl__choose_fork(c, why[0] ? why : "no snapshot could be taken"))
        return BURL_OK;
    return burl_err_set(err, BURL_E_TARGET, 0, "no snapshot of %s can be taken%s%s",
                        c->cfg->argv[0], why[0] ? ": " : "", why);
}

static enum burl_status
run_once(struct burl_choice_trial *tr, const struct burl_work *w, struct burl_batch *b,
         enum next_step *next, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    const struct burl_wire_order o = burl__campaign_order(c, w, w->first_seed, 1);
    const int64_t before = burl_target_now_ms();
    enum burl_status st = ensure_target(tr, next, err);

    if (st != BURL_OK || *next != NEXT_GO_ON)
        return st;
    st = burl_target_order(tr->worker.t, &o, NULL, err);
    if (st != BURL_OK)
        return st;
    c->pool.running_strategy = w->strategy;
    c->pool.running_param = burl_wire_args_number(w->strategy, &w->args);
    *next = burl_target_wait(tr->worker.t) == BURL_TARGET_IDLE ? judge_result(tr, b)
                                                               : judge_loss(tr, b, w->first_seed);
    if (*next == NEXT_GO_ON && tr->worker.t && tr->worker.t->state == BURL_TARGET_IDLE) {
        BURL_VEC_PUSH(&c->plan.opening_works, *w);
        burl__firsts_take(c, tr->worker.t, c->plan.opening_works.n - 1);
    }
    c->pool.ms_per_exec = (double)(burl_target_now_ms() - before) + 0.05;
    burl__campaign_progress(c);
    return BURL_OK;
}

/* Steps of an execution beside which a fork costs nothing and the self-check of a snapshot much. */
#define LONG_STEPS 500000u

/* ---- the self-check ---------------------------------------------------------------- */

static enum burl_status
repeat_schedule(struct burl_choice_trial *tr, struct burl_target *t, const struct burl_work *w,
                struct outcome *out, bool *ok, struct burl_err *err)
{
    const struct burl_wire_order o = burl__campaign_order(tr->c, w, w->first_seed, 1);
    const struct burl_speed before = burl__speed_now(t);
    enum burl_status st = burl_target_order(t, &o, NULL, err);

    *ok = false;
    if (st != BURL_OK)
        return st;
    tr->c->stats->extra_executions++;
    *ok = burl_target_wait(t) == BURL_TARGET_IDLE;
    out->hash = t->ctl->result.last_trace_hash;
    out->kind = t->ctl->result.last.kind;
    out->speed = burl__speed_since(&before, t, 1);
    return BURL_OK;
}

static bool
same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->hash == b->hash && a->kind == b->kind;
}

/* The schedule once more in the process that forks, for comparing. */
static enum burl_status
repeat_forked(struct burl_choice_trial *tr, const struct burl_work *w, struct outcome *out,
              bool *ok, struct burl_err *err)
{
    const enum burl_status st = burl__worker_ready(tr->c, &tr->twin, BURL_RESET_FORK, true, err);

    *ok = false;
    return st == BURL_OK ? repeat_schedule(tr, tr->twin.t, w, out, ok, err) : st;
}

/* The snapshot failed its check. Is it the snapshot, or the program? Two forked outcomes are
 * compared with each other. */
static enum burl_status
find_cause(struct burl_choice_trial *tr, const struct burl_work *w, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    struct outcome first, second;
    bool ok[2] = { false, false };
    enum burl_status st = repeat_forked(tr, w, &first, &ok[0], err);

    burl__worker_stop(&tr->twin);
    if (st == BURL_OK)
        st = repeat_forked(tr, w, &second, &ok[1], err);
    if (st == BURL_OK && ok[0] && ok[1] && !same_outcome(&first, &second)) {
        c->stats->nondeterministic = true;
        c->stats->unstable_seed = w->first_seed;
    }
    return st;
}

/* Why the schedule that was just run cannot be relied on; NULL it can. */
static enum burl_status
find_fault(struct burl_choice_trial *tr, const struct burl_work *w, const char **why,
           struct burl_err *err)
{
    const struct outcome was = { .hash = tr->worker.t->ctl->result.last_trace_hash,
                                 .kind = tr->worker.t->ctl->result.last.kind };
    struct outcome now;
    struct outcome forked;
    bool ok;
    enum burl_status st = repeat_schedule(tr, tr->worker.t, w, &now, &ok, err);

    *why = NULL;
    if (st != BURL_OK)
        return st;
    if (!ok || !same_outcome(&was, &now)) {
        *why = "the same seed gave a different run the second time in one process";
        return BURL_OK;
    }
    st = repeat_forked(tr, w, &forked, &ok, err);
    if (st == BURL_OK && (!ok || !same_outcome(&was, &forked)))
        *why = "the same seed gave a different run in a forked process";
    if (st == BURL_OK && !*why)
        burl__speed_note(tr->c, &now.speed, &forked.speed);
    return st;
}

static enum burl_status
self_check(struct burl_choice_trial *tr, const struct burl_work *w, enum next_step *next,
           struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    const char *why;
    char text[200];
    enum burl_status st;

    if (c->pool.reset != BURL_RESET_SNAPSHOT || !tr->worker.t || tr->n_checks >= CHECKS ||
        (tr->n_checks >= 2 && c->stats->all.steps > CHECK_STEPS))
        return BURL_OK;
    if (tr->worker.t->ctl->result.last.kind == BURL_VERDICT_CUT_TIME)
        return BURL_OK;
    /* The first execution of a process needs no reset, so what it showed stands. */
    if (tr->n_checks == 0 && tr->worker.t->ctl->result.last_steps > LONG_STEPS &&
        burl__choose_fork(c, "executions are long, so that a fork costs little"))
        return BURL_OK;
    tr->n_checks++;
    st = find_fault(tr, w, &why, err);
    if (st != BURL_OK || !why || burl__campaign_interrupted(c))
        return st;
    snprintf(text, sizeof text, "self-check: %s (seed %llu)", why,
             (unsigned long long)w->first_seed);
    st = find_cause(tr, w, err);
    if (st != BURL_OK)
        return st;
    if (burl__choose_fork(c, text)) {
        *next = NEXT_AGAIN;
        return BURL_OK;
    }
    snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
             "requested, although it failed its %s", text);
    tr->n_checks = CHECKS;
    if (tr->worker.t->state != BURL_TARGET_IDLE)
        burl__worker_stop(&tr->worker);
    return BURL_OK;
}

/* ---- the choice -------------------------------------------------------------------- */

void
burl__choose_note_clean(struct burl_campaign *c, const struct burl_batch *b)
{
    c->findings.clean_done = true;
    for (size_t i = 0; i < b->failures.n; i++)
        BURL_VEC_PUSH(&c->findings.clean_failures,
                      burl__findings_fingerprint(&c->findings, &b->failures.v[i].verdict));
}

enum burl_status
burl__choose_run(struct burl_choice_trial *tr, const struct burl_work *w, struct burl_err *err)
{
    struct burl_campaign *c = tr->c;
    struct burl_batch b = { .first_seed = w->first_seed };
    enum next_step next = NEXT_AGAIN;
    enum burl_status st = BURL_OK;

    /* Each turn gives up one thing (snapshot, fibers), so it ends. */
    while (st == BURL_OK && next == NEXT_AGAIN) {
        const uint32_t runs = tr->n_runs;
        const uint32_t cut = tr->n_cut;

        burl__batch_deinit(&b);
        b.first_seed = w->first_seed;
        st = run_once(tr, w, &b, &next, err);
        if (st == BURL_OK && next == NEXT_GO_ON)
            st = self_check(tr, w, &next, err);
        if (next == NEXT_AGAIN) {
            burl__choose_stop(tr);
            tr->n_runs = runs;
            tr->n_cut = cut;
        }
    }
    if (st == BURL_OK && w->strategy == BURL_STRATEGY_NONPREEMPTIVE)
        burl__choose_note_clean(c, &b);
    if (st == BURL_OK)
        st = burl__campaign_commit(c, w, &b, err);
    if (st == BURL_OK && !c->plan.stop && tr->n_cut >= TOO_LONG_AFTER && tr->n_cut == tr->n_runs)
        burl__campaign_end(c, BURL_CAMPAIGN_END_TOO_LONG);
    burl__batch_deinit(&b);
    return st;
}

void
burl__choose_stop(struct burl_choice_trial *tr)
{
    burl__worker_stop(&tr->worker);
    burl__worker_stop(&tr->twin);
}

void
burl__stop_if_none_completes(struct burl_campaign *c, uint64_t least)
{
    struct burl_campaign_stats *s = c->stats;
    const uint64_t n = s->all.executions;

    if (n < least || n == 0 || burl__engine_completed(n, s->by_verdict) > 0)
        return;
    if (s->end == BURL_CAMPAIGN_END_RUNS || s->end == BURL_CAMPAIGN_END_TIME ||
        s->end == BURL_CAMPAIGN_END_EXPLORED || s->end == BURL_CAMPAIGN_END_ONE_THREAD)
        c->plan.stop = false; /* that none ends says more */
    if (s->all.cut > 0) {
        burl__campaign_end(c, BURL_CAMPAIGN_END_TOO_LONG);
        return;
    }
    snprintf(s->why_end, sizeof s->why_end, "%s", s->unsupported);
    burl__campaign_end(c, BURL_CAMPAIGN_END_UNSUPPORTED);
}
