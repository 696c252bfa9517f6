/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/regress.c - schedules of earlier campaigns, run again before anything else.
 *
 * Runs in the host. Each schedule is followed in a process of its own, so that what it covers is
 * known by itself. After a rebuild its switches are found again by place (schedfile.h), and
 * followed in up to three ways: by count of operations, as recorded; and, when that did not show
 * its failure, by place, at the first arrival at or after the count and at the first of all
 * (strategy/replay.c). Which of the three fits depends on what was changed before the place; trying
 * costs an execution.
 *
 * A failure is confirmed, minimized and handed over like any other. "Nothing failed" is no
 * proof that a bug is gone: the words for people must not say so.
 *
 * Forking processes are used whatever the campaign will choose later: this comes before the
 * self-check, and a fork needs none. These executions are no part of the campaign's sums or its
 * budget of executions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"
#include "engine/schedule/schedfile.h"

struct regress {
    struct burl_campaign *c;
    struct burl_sites *sites; /* of this build */
    char build_id[17];
};

/* One way of following one schedule. */
struct attempt {
    struct burl_work work;
    struct burl_target *t; /* its process, for what it covered */
    struct burl_run run;
    struct burl_batch batch; /* the failure with its key */
    enum burl_campaign_rerun_end end;
    uint64_t fingerprint;
};

static struct burl_work
make_work(const struct burl_schedfile *f, size_t index, uint32_t how)
{
    struct burl_wire_order o = { 0 };
    struct burl_work w = {
        .strategy = BURL_STRATEGY_REPLAY,
        .args.replay = { .n_sched_in = (uint32_t)f->n_switches, .how = how },
        .flags = f->order_flags & BURL_ORDER_F_KEPT,
        .first_seed = f->seed,
        .n = 1,
        .sched = f->switches,
        .rerun = index + 1,
    };

    burl_schedfile_stop(f, &o);
    w.flags |= o.flags;
    w.observers = o.observers;
    w.stop_key = o.stop_key;
    w.stop = o.watch;
    memcpy(w.stop_ops, f->stop_ops, sizeof w.stop_ops);
    return w;
}

static void
attempt_deinit(struct attempt *a)
{
    burl_target_stop(a->t);
    burl_run_deinit(&a->run);
    burl__batch_deinit(&a->batch);
    memset(a, 0, sizeof *a);
}

static enum burl_campaign_rerun_end
judge_attempt(const struct burl_campaign *c, const struct burl_schedfile *f, struct attempt *a)
{
    const struct burl_wire_verdict *v = &a->run.verdict;

    if (burl_verdict_is_finding(v->kind)) {
        a->fingerprint = burl__findings_fingerprint(&c->findings, v);
        return a->fingerprint == f->fingerprint ? BURL_CAMPAIGN_RERUN_SAME
                                                : BURL_CAMPAIGN_RERUN_OTHER;
    }
    if (v->kind != BURL_VERDICT_PASS && v->kind != BURL_VERDICT_DIVERGED)
        return BURL_CAMPAIGN_RERUN_CUT;
    return v->kind == BURL_VERDICT_DIVERGED || a->run.diverged_at != UINT32_MAX
               ? BURL_CAMPAIGN_RERUN_LEFT
               : BURL_CAMPAIGN_RERUN_PASSED;
}

/* Puts the failure first that the execution ended with; misuses may have come before it. */
static void
put_last_first(struct burl_failures *f, const struct burl_wire_verdict *last)
{
    for (size_t i = 1; i < f->n; i++) {
        if (f->v[i].verdict.kind == last->kind && f->v[i].verdict.site == last->site) {
            const struct burl_wire_failure first = f->v[0];

            f->v[0] = f->v[i];
            f->v[i] = first;
            return;
        }
    }
}

/* The failures as a batch has them: with the key of the runtime. */
static void
take_failures(struct attempt *a)
{
    if (!burl_verdict_is_finding(a->run.verdict.kind))
        return;
    if (a->t->state == BURL_TARGET_IDLE)
        burl__batch_add_result(&a->batch, a->t->ctl);
    if (a->batch.failures.n == 0)
        burl__batch_add_verdict(&a->batch, a->work.first_seed, &a->run.verdict);
    put_last_first(&a->batch.failures, &a->run.verdict);
    a->batch.failures.v[0].verdict = a->run.verdict;
    if (a->work.stop_key != 0 && (a->run.verdict.kind == BURL_VERDICT_RACE_DATA ||
                                  a->run.verdict.kind == BURL_VERDICT_ATOMICITY_REGION))
        a->batch.failures.v[0].key = a->work.stop_key;
}

static enum burl_status
attempt_run(struct regress *r, const struct burl_schedfile *f, size_t index, uint32_t how,
            struct attempt *a, struct burl_err *err)
{
    struct burl_campaign *c = r->c;
    struct burl_wire_order o;
    enum burl_status st;

    memset(a, 0, sizeof *a);
    a->work = make_work(f, index, how);
    st = burl__campaign_start(c, c->pool.reset, true, &a->t, err);
    if (st != BURL_OK)
        return st;
    o = burl__campaign_order(c, &a->work, a->work.first_seed, 1);
    o.flags |= BURL_ORDER_F_RECORD | BURL_ORDER_F_LEARN;
    c->stats->extra_executions++;
    c->stats->schedules++;
    st = burl__run_in(a->t, &o, a->work.sched, &a->run, err);
    if (st != BURL_OK)
        return st;
    if (a->t->state == BURL_TARGET_IDLE)
        burl__campaign_learn(c, a->t);
    st = burl__campaign_see(c, a->t, err);
    if (st != BURL_OK)
        return st;
    a->end = judge_attempt(c, f, a);
    take_failures(a);
    return BURL_OK;
}

/* The first attempt that shows the failure of the schedule; else one that shows another, else one
 * that was followed to its end, else the first. */
static enum burl_status
attempt_best(struct regress *r, const struct burl_schedfile *f, size_t index, struct attempt *best,
             struct burl_err *err)
{
    const bool wants_failure = burl_verdict_is_finding(f->verdict);
    enum burl_status st = attempt_run(r, f, index, BURL_REPLAY_BY_COUNT, best, err);

    for (uint32_t how = BURL_REPLAY_BY_COUNT + 1; how < BURL_REPLAY__N && st == BURL_OK; how++) {
        struct attempt a;

        if (f->same_build || best->end == BURL_CAMPAIGN_RERUN_SAME ||
            (best->end <= BURL_CAMPAIGN_RERUN_PASSED && !wants_failure))
            break;
        st = attempt_run(r, f, index, how, &a, err);
        if (st == BURL_OK && a.end < best->end) {
            const struct attempt worse = *best;

            *best = a;
            a = worse;
        }
        attempt_deinit(&a);
    }
    return st;
}

static enum burl_status
report_rerun(struct regress *r, const struct burl_campaign_reran *result, struct burl_err *err)
{
    r->c->stats->reruns[result->end]++;
    return r->c->hooks->reran ? r->c->hooks->reran(r->c->hooks->arg, result, err) : BURL_OK;
}

static enum burl_status
rerun_read(struct regress *r, const struct burl_schedfile *f, size_t index, struct burl_err *err)
{
    struct burl_campaign *c = r->c;
    struct burl_campaign_reran result = { .index = index, .file = f, .same_build = f->same_build };
    struct burl_found found;
    struct attempt a;
    enum burl_status st;

    c->pool.engine = c->cfg->engine == BURL_CAMPAIGN_AUTO ? (enum burl_wire_engine)f->engine
                                                          : (enum burl_wire_engine)c->cfg->engine;
    c->pool.reset = BURL_RESET_FORK;
    st = attempt_best(r, f, index, &a, err);
    found = (struct burl_found){ .after = c->stats->schedules,
                                 .execution = c->stats->all.executions,
                                 .ms = burl_target_now_ms() - c->plan.started_ms };
    for (size_t i = 0; i < a.batch.failures.n && st == BURL_OK && !c->plan.stop; i++)
        st = burl__confirm(c, &a.work, &a.batch.failures.v[i], &found, err);
    if (st == BURL_OK && !burl__campaign_interrupted(c)) {
        result.end = a.end;
        result.fingerprint = a.fingerprint;
        result.engine = (uint32_t)c->pool.engine;
        result.run = &a.run;
        result.profile = a.t->state == BURL_TARGET_IDLE ? burl_door_profile_new(&a.t->block) : NULL;
        result.finding =
            a.fingerprint != 0 &&
            burl__findings_is_finding(burl__findings_find(&c->findings, a.fingerprint));
        st = report_rerun(r, &result, err);
    }
    attempt_deinit(&a);
    return st;
}

/* Does the schedule inject only what this campaign may? */
static bool
is_allowed(const struct burl_schedfile *f, uint32_t inject)
{
    static const uint32_t flags[BURL_SWITCH_WHY__N] = {
        [BURL_CHOICE_SPURIOUS] = BURL_ORDER_F_SPURIOUS,
        [BURL_CHOICE_CREATE] = BURL_ORDER_F_FAIL_CREATE,
        [BURL_CHOICE_MALLOC] = BURL_ORDER_F_FAIL_MALLOC,
    };

    for (size_t i = 0; i < f->n_switches; i++) {
        if ((flags[f->switches[i].why] & ~inject) != 0)
            return false;
    }
    return true;
}

static enum burl_status
rerun_file(struct regress *r, size_t index, struct burl_err *err)
{
    const char *path = r->c->cfg->reruns->paths[index];
    const struct burl_schedfile_options so = { .sites = r->sites,
                                               .build_id = r->build_id,
                                               .name = path };
    struct burl_schedfile f;
    struct burl_err why = { 0 };
    enum burl_status st;

    burl_schedfile_init(&f);
    if (burl_schedfile_read(&f, path, &so, NULL, &why) != BURL_OK) {
        const struct burl_campaign_reran result = { .index = index,
                                                    .end = BURL_CAMPAIGN_RERUN_UNREADABLE,
                                                    .why = why.msg };

        return report_rerun(r, &result, err);
    }
    st = is_allowed(&f, r->c->cfg->inject) ? rerun_read(r, &f, index, err) : BURL_OK;
    burl_schedfile_deinit(&f);
    return st;
}

/* The first process: its start calls `ready`, which fills cfg.reruns. */
static enum burl_status
start_first(struct regress *r, struct burl_err *err)
{
    struct burl_target *t;
    enum burl_status st = burl__campaign_start(r->c, r->c->pool.reset, true, &t, err);

    if (st != BURL_OK)
        return st;
    burl_target_build_id(t->ctl, r->build_id);
    if (r->c->cfg->reruns->n > 0)
        st = burl_sites_new(&r->sites, t->ctl->objects, t->ctl->n_objects, t->ctl->modules,
                            t->ctl->n_modules, err);
    burl_target_stop(t);
    return st;
}

enum burl_status
burl__regress(struct burl_campaign *c, struct burl_err *err)
{
    const enum burl_wire_engine engine = c->pool.engine;
    const enum burl_wire_reset reset = c->pool.reset;
    struct regress r = { .c = c };
    enum burl_status st;

    if (!c->cfg->reruns)
        return BURL_OK;
    st = start_first(&r, err);
    for (size_t i = 0; i < c->cfg->reruns->n && st == BURL_OK && !c->plan.stop; i++) {
        if (burl__campaign_interrupted(c)) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_INTERRUPTED);
        } else if (burl__campaign_time_over(c)) {
            burl__campaign_end(c, BURL_CAMPAIGN_END_TIME);
        } else {
            c->pool.running_strategy = BURL_STRATEGY_REPLAY;
            burl__campaign_progress(c);
            st = rerun_file(&r, i, err);
        }
    }
    if (c->cfg->reruns->n > 0)
        burl__campaign_adopt_points(c); /* what these show is not new to what follows */
    c->pool.engine = engine;
    c->pool.reset = reset;
    burl_sites_free(r.sites);
    return st;
}
