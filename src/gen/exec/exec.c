/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec.c - runs tests in a process of the driver; contract in exec.h.
 *
 * Runs in the host. Fibers with snapshot are tried first, as a campaign does
 * (engine/plan/choose.c); what they cannot carry shows in what comes back, and then the order is
 * given again to a process with fork, or with real threads. An execution in which a process with a
 * snapshot was lost is done again in a forking one: there it ends by itself and its record says
 * where.
 *
 * Which sites are scheduling points is learned from the first executions of every test and kept for
 * all that follow, so the same calls give the same outcomes when what came before was the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/engine.h"
#include "gen/exec/exec_int.h"

/* After so many lost processes executions fork instead of using the snapshot. */
#define MAX_LOST 3u
/* Records of one order fill at most this much of the area. */
#define ORDER_B (BURL_MAIL_OUT_B / 2)

/* ---- processes --------------------------------------------------------------------- */

static enum burl_status
start_process(struct burl_gen_exec *x, enum burl_wire_engine engine, enum burl_wire_reset reset,
              struct burl_target **out, struct burl_err *err)
{
    const char *const argv[] = { x->program, NULL };
    const struct burl_target_opts o = {
        .argv = argv,
        .engine = engine,
        .reset = reset,
        .interrupt = x->opts.interrupt,
    };

    return burl_target_start(out, &o, err);
}

static void
stop_process(struct burl_gen_exec *x)
{
    burl_target_stop(x->t);
    x->t = NULL;
}

/* Starts a process if there is none that is ready for an order. */
static enum burl_status
ensure_idle_process(struct burl_gen_exec *x, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (x->t && x->t->state != BURL_TARGET_IDLE)
        stop_process(x);
    if (!x->t)
        st = start_process(x, x->engine, x->reset, &x->t, err);
    if (st == BURL_OK && x->reset == BURL_RESET_SNAPSHOT && x->t->ctl->snapshot_b == 0) {
        stop_process(x);
        x->reset = BURL_RESET_FORK;
        st = start_process(x, x->engine, x->reset, &x->t, err);
    }
    return st;
}

enum burl_status
burl_gen_exec_fresh(struct burl_gen_exec *x, struct burl_err *err)
{
    stop_process(x);
    return ensure_idle_process(x, err);
}

/* ---- one order --------------------------------------------------------------------- */

static void
empty_mail(struct burl_wire_ctl *ctl)
{
    struct burl_mail_out *out = burl_target_mail_out(ctl);

    memset(out, 0, sizeof *out);
}

static enum burl_status
give_order(struct burl_gen_exec *x, const struct burl__gen_sink *sink, struct burl_target *t,
           const struct burl_wire_order *o, struct burl_err *err)
{
    memcpy(burl_target_mail_in(t->ctl), sink->mail.p, sink->mail.n);
    empty_mail(t->ctl);
    memcpy(burl_target_points(t), x->points, x->n_points);
    return burl_target_order(t, o, NULL, err);
}

static const struct burl_mail_test *
test_of(const struct burl__gen_sink *sink)
{
    return (const struct burl_mail_test *)(const void *)sink->mail.p;
}

/* Completes the verdict by the entry of result.failures. Executions that fail alike share one
 * entry; thread and address are the execution's own. */
static void
complete_verdict(struct burl_gen_outcome *o, const struct burl_wire_result *r, uint64_t key)
{
    for (uint32_t i = 0; key != 0 && i < r->n_failures && i < BURL_WIRE_MAX_FAILURES; i++) {
        const struct burl_wire_verdict *v = &r->failures[i].verdict;
        const struct burl_wire_verdict own = o->verdict;

        if (r->failures[i].key != key || v->kind != own.kind || v->n_waits > BURL_WIRE_MAX_CYCLE ||
            v->n_sides > 2)
            continue;
        o->verdict = *v;
        o->verdict.text[BURL_WIRE_TEXT_B - 1] = '\0';
        o->verdict.tid = own.tid;
        o->verdict.addr = own.addr;
        return;
    }
}

/* Hands over the first executions that were done, at most n; *given counts them. */
static void
deliver_records(struct burl_gen_exec *x, struct burl_target *t, uint64_t n,
                struct burl__gen_sink *sink, uint64_t *given)
{
    const void *area = burl_target_mail_out(t->ctl);
    const struct burl_mail_head *h;
    size_t at = 0;

    *given = 0;
    while (*given < n && (h = burl__gen_next_record(area, BURL_MAIL_OUT_B, &at)) != NULL) {
        struct burl_gen_outcome o;

        if (!h->done || h->ordinal != *given)
            break;
        burl__gen_decode(h, test_of(sink), x->opts.model, &o);
        complete_verdict(&o, &t->ctl->result, h->key);
        ++*given;
        burl__gen_sink_put(sink, &o);
    }
}

/* An execution that left no finished record, only an exit status. */
static void
deliver_lost_execution(struct burl_gen_exec *x, struct burl_target *t, uint64_t seed,
                       struct burl__gen_sink *sink)
{
    const void *area = burl_target_mail_out(t->ctl);
    const struct burl_mail_head *h;
    const struct burl_mail_head *last = NULL;
    struct burl_gen_outcome o = { .failed_call = -1, .n_calls = test_of(sink)->n_calls };
    size_t at = 0;

    while ((h = burl__gen_next_record(area, BURL_MAIL_OUT_B, &at)) != NULL)
        last = h;
    if (last && !last->done)
        burl__gen_decode(last, test_of(sink), x->opts.model, &o);
    memset(&o.verdict, 0, sizeof o.verdict);
    o.verdict.tid = BURL_TID_NONE;
    o.seed = seed;
    if (t->state == BURL_TARGET_DIED && !t->status.exited) {
        o.verdict.kind = BURL_VERDICT_CRASH_SIGNAL;
        o.verdict.code = t->status.signal;
    } else if (t->state == BURL_TARGET_DIED) {
        o.verdict.kind = BURL_VERDICT_INTERNAL;
    } else {
        o.verdict.kind = BURL_VERDICT_CUT_TIME;
    }
    burl__gen_judge_end(&o, BURL_MAIL_END_NONE);
    burl__gen_sink_put(sink, &o);
}

/* ---- falling back to another engine or reset ----------------------------------------- */

/* Falls back to another engine or reset if the last order shows that the present one does not
 * work. */
static bool
change_engine(struct burl_gen_exec *x)
{
    const struct burl_wire_result *r = &x->t->ctl->result;
    /* A forked execution that was lost is internal too, and no engine would have kept it. */
    const bool unsupported =
        r->last.kind == BURL_VERDICT_UNSUPPORTED ||
        (r->last.kind == BURL_VERDICT_INTERNAL && x->reset == BURL_RESET_SNAPSHOT);

    if (unsupported && x->engine == BURL_ENGINE_FIBERS) {
        x->engine = BURL_ENGINE_THREADS;
        x->reset = BURL_RESET_FORK;
    } else if (r->irreversible && x->reset == BURL_RESET_SNAPSHOT) {
        x->reset = BURL_RESET_FORK;
    } else {
        return false;
    }
    stop_process(x);
    return true;
}

/* Repeats the execution that ended a process, in a process that forks. */
static enum burl_status
repeat_forked(struct burl_gen_exec *x, const struct burl_wire_order *o, uint64_t seed,
              struct burl__gen_sink *sink, struct burl_err *err)
{
    struct burl_wire_order one = *o;
    struct burl_target *t;
    uint64_t given = 0;
    enum burl_status st = start_process(x, x->engine, BURL_RESET_FORK, &t, err);

    if (st != BURL_OK)
        return st;
    one.first_seed = seed;
    one.n_execs = 1;
    st = give_order(x, sink, t, &one, err);
    if (st == BURL_OK) {
        burl_target_wait(t);
        deliver_records(x, t, 1, sink, &given);
        if (given == 0)
            deliver_lost_execution(x, t, seed, sink);
    }
    burl_target_stop(t);
    return st;
}

static enum burl_status
replace_lost(struct burl_gen_exec *x, const struct burl_wire_order *o, uint64_t seed,
             struct burl__gen_sink *sink, struct burl_err *err)
{
    const bool snapshot = x->reset == BURL_RESET_SNAPSHOT;

    if (x->t->state == BURL_TARGET_INTERRUPTED)
        return burl_err_set(err, BURL_E_TARGET, EINTR, "stopped");
    if (!snapshot)
        deliver_lost_execution(x, x->t, seed, sink);
    stop_process(x);
    if (!snapshot)
        return BURL_OK;
    if (++x->n_lost >= MAX_LOST)
        x->reset = BURL_RESET_FORK;
    return repeat_forked(x, o, seed, sink, err);
}

/* ---- executions -------------------------------------------------------------------- */

static uint64_t
executions_per_order(const struct burl__gen_sink *sink)
{
    const struct burl_mail_test *t = test_of(sink);
    const uint64_t record_b = sizeof(struct burl_mail_head) + t->body_b +
                              (uint64_t)t->log_max * sizeof(struct burl_mail_event);

    return ORDER_B / record_b > 0 ? ORDER_B / record_b : 1;
}

static void
learn_points(struct burl_gen_exec *x, const struct burl_wire_order *o)
{
    const uint8_t *from = burl_target_points_new(x->t);

    if (!(o->flags & BURL_ORDER_F_LEARN))
        return;
    for (uint32_t i = 0; i < x->n_points; i++)
        x->points[i] |= from[i] != 0;
    x->has_points = true;
}

static void
take_order_result(const struct burl_wire_ctl *ctl, struct burl__gen_sink *sink)
{
    burl__gen_sink_add_suspects(sink, ctl);
    if (ctl->result.n_completed > 0)
        sink->horizon = ctl->result.sum_completed_points / ctl->result.n_completed;
}

enum burl_status
burl__gen_exec_run(struct burl_gen_exec *x, const struct burl_wire_order *o,
                   struct burl__gen_sink *sink, struct burl_err *err)
{
    const uint64_t max = executions_per_order(sink);
    uint64_t done = 0;

    while (done < o->n_execs && !sink->stop) {
        struct burl_wire_order part = *o;
        uint64_t given;
        enum burl_status st = ensure_idle_process(x, err);

        part.first_seed = o->first_seed + done;
        part.n_execs = o->n_execs - done < max ? o->n_execs - done : max;
        if (st == BURL_OK)
            st = give_order(x, sink, x->t, &part, err);
        if (st != BURL_OK)
            return st;
        if (burl_target_wait(x->t) == BURL_TARGET_IDLE) {
            if (change_engine(x))
                continue;
            learn_points(x, &part);
            take_order_result(x->t->ctl, sink);
            deliver_records(x, x->t, part.n_execs, sink, &given);
            if (given == 0)
                return burl_err_set(err, BURL_E_TARGET, 0, "the driver left no record%s%s",
                                    x->t->ctl->result.text[0] ? ": " : "", x->t->ctl->result.text);
            done += given;
        } else {
            deliver_records(x, x->t, part.n_execs - 1, sink, &given);
            done += given;
            st = replace_lost(x, o, o->first_seed + done, sink, err);
            if (st != BURL_OK)
                return st;
            done++;
        }
        burl__gen_sink_flush(sink);
    }
    return BURL_OK;
}

struct burl_wire_order
burl__gen_exec_order(const struct burl_gen_exec *x)
{
    return (struct burl_wire_order){
        .kind = BURL_ORDER_KIND_BATCH,
        .flags = BURL_ORDER_F_MAIL,
        .strategy = BURL_STRATEGY_NONPREEMPTIVE,
        .n_execs = 1,
        .max_steps = x->opts.max_steps,
        .epoch_ns = BURL_ENGINE_EPOCH_NS,
        .max_wall_ms = x->opts.exec_timeout_ms,
    };
}

/* ---- sequential -------------------------------------------------------------------- */

enum burl_status
burl_gen_exec_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t,
                         const struct burl_gen_order *order, bool dump, uint64_t shift,
                         struct burl_gen_outcome *out, struct burl_err *err)
{
    const struct burl__gen_encoding e = {
        .model = x->opts.model,
        .test = t,
        .order = order,
        .mode = BURL_MAIL_SEQUENTIAL,
        .dump = dump,
        .shift = shift,
    };
    struct burl_wire_order o = burl__gen_exec_order(x);
    struct burl__gen_sink sink;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    burl__gen_sink_init(&sink);
    sink.one = out;
    o.flags |= BURL_ORDER_F_STRICT_TIME;
    /* Another day, hour, minute and second. */
    o.epoch_ns += shift % 1000 * 90061001001001ull;
    st = burl__gen_encode(&e, &sink.mail, err);
    if (st == BURL_OK)
        st = burl__gen_exec_run(x, &o, &sink, err);
    burl__gen_sink_deinit(&sink);
    x->n_sequential++;
    return st;
}

/* ---- open and close ---------------------------------------------------------------- */

static int
compare_sites(const void *a, const void *b)
{
    const struct burl_mail_site *x = a;
    const struct burl_mail_site *y = b;

    return x->site < y->site ? -1 : x->site > y->site;
}

/* Finds the sites that are entries of public functions. */
static enum burl_status
find_public(struct burl_gen_exec *x, struct burl_err *err)
{
    const struct burl_wire_ctl *ctl = x->t->ctl;
    const struct burl_gen_model *m = x->opts.model;
    enum burl_status st =
        burl_sites_new(&x->sites, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules, err);

    if (st != BURL_OK)
        return st;
    for (uint32_t i = 1; i < ctl->n_sites; i++) {
        const struct burl_site_info *s = burl_sites_get(x->sites, i);
        const int fn = s->kind == BURL_SITE_FUNC ? burl_gen_model_fn(m, s->func) : -1;

        if (fn < 0)
            continue;
        BURL_VEC_PUSH(&x->public_sites, (struct burl_mail_site){ .site = i, .fn = (uint32_t)fn });
    }
    if (x->public_sites.n > 1)
        qsort(x->public_sites.v, x->public_sites.n, sizeof *x->public_sites.v, compare_sites);
    x->n_points = ctl->n_sites;
    x->points = burl_xcalloc(x->n_points + 1, 1);
    return BURL_OK;
}

static enum burl_status
first_start(struct burl_gen_exec *x, struct burl_err *err)
{
    struct burl_err why;
    const enum burl_status st = ensure_idle_process(x, &why);

    if (st == BURL_E_TARGET && strstr(why.msg, "no instrumented code"))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "none of what was given after \"--\" is compiled by burl: give the "
                            "sources of the API, or objects and libraries made with `burl cc`");
    if (st != BURL_OK && err)
        *err = why;
    return st;
}

enum burl_status
burl_gen_exec_open(struct burl_gen_exec **out, const struct burl_gen_exec_opts *opts,
                   struct burl_err *err)
{
    struct burl_gen_exec *x = burl_xcalloc(1, sizeof *x);
    enum burl_status st;

    *out = NULL;
    x->opts = *opts;
    x->engine = BURL_ENGINE_FIBERS;
    x->reset = BURL_RESET_SNAPSHOT;
    st = burl__gen_build(opts, &x->program, err);
    if (st == BURL_OK)
        st = first_start(x, err);
    if (st == BURL_OK)
        st = find_public(x, err);
    if (st != BURL_OK) {
        burl_gen_exec_close(x);
        return st;
    }
    *out = x;
    return BURL_OK;
}

void
burl_gen_exec_close(struct burl_gen_exec *x)
{
    if (!x)
        return;
    stop_process(x);
    burl_sites_free(x->sites);
    BURL_VEC_FREE(&x->public_sites);
    free(x->points);
    free(x->program);
    free(x);
}

uint64_t
burl_gen_exec_n_sequential(const struct burl_gen_exec *x)
{
    return x->n_sequential;
}
