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

/* NULL: it could not be started, and the executor has failed. */
static struct burl_target *
start_process(struct burl_gen_exec *x, enum burl_wire_reset reset)
{
    const char *const argv[] = { x->program, NULL };
    const struct burl_target_opts o = {
        .argv = argv,
        .engine = x->engine,
        .reset = reset,
        .interrupt = x->opts.interrupt,
        .deadline = x->deadline,
    };
    struct burl_target *t = NULL;

    x->st = burl_target_start(&t, &o, &x->err);
    return t;
}

static void
stop_process(struct burl_gen_exec *x)
{
    burl_target_stop(x->t);
    x->t = NULL;
}

/* Starts a process if there is none that is ready for an order. */
static bool
ensure_idle_process(struct burl_gen_exec *x)
{
    if (x->st != BURL_OK)
        return false;
    if (x->t && x->t->state != BURL_TARGET_IDLE)
        stop_process(x);
    if (!x->t)
        x->t = start_process(x, x->reset);
    if (x->t && x->reset == BURL_RESET_SNAPSHOT && x->t->ctl->snapshot_b == 0) {
        stop_process(x);
        x->reset = BURL_RESET_FORK;
        x->t = start_process(x, x->reset);
    }
    return x->t != NULL;
}

void
burl_gen_exec_fresh(struct burl_gen_exec *x)
{
    stop_process(x);
    (void)ensure_idle_process(x);
}

void
burl__gen_exec_use(struct burl_gen_exec *x, enum burl_wire_engine engine,
                   enum burl_wire_reset reset)
{
    if (x->engine == engine && x->reset == reset)
        return;
    stop_process(x);
    x->engine = engine;
    x->reset = reset;
}

/* ---- one order --------------------------------------------------------------------- */

static bool
give_order(struct burl_gen_exec *x, const struct burl__gen_sink *sink, struct burl_target *t,
           const struct burl_wire_order *o)
{
    burl_target_put(t, BURL_TARGET_MAIL_IN, sink->mail.p, sink->mail.n);
    burl_target_empty_mail(t);
    burl_target_put(t, BURL_TARGET_POINTS, x->points, x->n_points);
    x->st = burl_target_order(t, o, NULL, &x->err);
    return x->st == BURL_OK;
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
    for (uint32_t i = 0; key != 0 && i < r->n_failures; i++) {
        const struct burl_wire_verdict *v = &r->failures[i].verdict;
        const struct burl_wire_verdict own = o->verdict;

        if (r->failures[i].key != key || v->kind != own.kind)
            continue;
        o->verdict = *v;
        o->verdict.tid = own.tid;
        o->verdict.addr = own.addr;
        return;
    }
}

/* Hands over the first executions that were done, at most n; returns how many. */
static uint64_t
deliver_records(struct burl_gen_exec *x, struct burl_target *t, uint64_t n,
                struct burl__gen_sink *sink)
{
    const void *area = burl_door_mail(&t->block);
    const struct burl_mail_head *h;
    uint64_t given = 0;
    size_t at = 0;

    while (given < n && (h = burl__gen_next_record(area, BURL_MAIL_OUT_B, &at)) != NULL) {
        struct burl_gen_outcome o;

        if (!h->done || h->ordinal != given)
            break;
        burl__gen_decode(h, test_of(sink), x->opts.model, &o);
        complete_verdict(&o, &t->ctl->result, h->key);
        given++;
        burl__gen_sink_put(sink, &o);
    }
    return given;
}

struct burl_wire_verdict
burl__gen_exec_lost_verdict(const struct burl_target *t)
{
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_CUT_TIME, .tid = BURL_TID_NONE };

    if (burl_target_damage(t)) {
        v.kind = BURL_VERDICT_WILD_WRITE;
        snprintf(v.text, sizeof v.text, "%s", burl_target_damage(t));
    } else if (t->state == BURL_TARGET_DIED && !t->status.exited) {
        v.kind = BURL_VERDICT_CRASH_SIGNAL;
        v.code = t->status.signal;
    } else if (t->state == BURL_TARGET_DIED) {
        v.kind = BURL_VERDICT_INTERNAL;
    }
    return v;
}

/* An execution that left no finished record, only an exit status. */
static void
deliver_lost_execution(struct burl_gen_exec *x, struct burl_target *t, uint64_t seed,
                       struct burl__gen_sink *sink)
{
    const void *area = burl_door_mail(&t->block);
    const struct burl_mail_head *h;
    const struct burl_mail_head *last = NULL;
    struct burl_gen_outcome o = { .failed_call = -1, .n_calls = test_of(sink)->n_calls };
    size_t at = 0;

    while ((h = burl__gen_next_record(area, BURL_MAIL_OUT_B, &at)) != NULL)
        last = h;
    if (last && !last->done)
        burl__gen_decode(last, test_of(sink), x->opts.model, &o);
    o.verdict = burl__gen_exec_lost_verdict(t);
    o.seed = seed;
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
static void
repeat_forked(struct burl_gen_exec *x, const struct burl_wire_order *o, uint64_t seed,
              struct burl__gen_sink *sink)
{
    struct burl_wire_order one = *o;
    struct burl_target *t = start_process(x, BURL_RESET_FORK);

    if (!t)
        return;
    one.first_seed = seed;
    one.n_execs = 1;
    if (give_order(x, sink, t, &one)) {
        if (burl_target_wait(t) == BURL_TARGET_LATE)
            x->st = burl_err_set(&x->err, BURL_E_TIME, 0, "the time is over");
        else if (deliver_records(x, t, 1, sink) == 0)
            deliver_lost_execution(x, t, seed, sink);
    }
    burl_target_stop(t);
}

static void
replace_lost(struct burl_gen_exec *x, const struct burl_wire_order *o, uint64_t seed,
             struct burl__gen_sink *sink)
{
    const bool snapshot = x->reset == BURL_RESET_SNAPSHOT;

    if (x->t->state == BURL_TARGET_INTERRUPTED) {
        x->st = burl_err_set(&x->err, BURL_E_TARGET, EINTR, "stopped");
        return;
    }
    if (x->t->state == BURL_TARGET_LATE) {
        x->st = burl_err_set(&x->err, BURL_E_TIME, 0, "the time is over");
        return;
    }
    if (!snapshot)
        deliver_lost_execution(x, x->t, seed, sink);
    stop_process(x);
    if (!snapshot)
        return;
    if (++x->n_lost >= MAX_LOST)
        x->reset = BURL_RESET_FORK;
    repeat_forked(x, o, seed, sink);
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
    const uint8_t *from;

    if (!(o->flags & BURL_ORDER_F_LEARN))
        return;
    from = burl_door_points_new(&x->t->block);
    for (uint32_t i = 0; i < x->n_points && i < x->t->ctl->n_sites; i++)
        x->points[i] |= from[i] != 0;
    x->has_points = true;
}

static void
take_order_result(const struct burl_wire_ctl *ctl, struct burl__gen_sink *sink)
{
    burl__gen_sink_add_suspects(sink, ctl);
    sink->goal_hits += ctl->result.goal_hits;
    if (ctl->result.n_completed > 0)
        sink->horizon = ctl->result.sum_completed_points / ctl->result.n_completed;
}

bool
burl__gen_exec_run(struct burl_gen_exec *x, const struct burl_wire_order *o,
                   struct burl__gen_sink *sink)
{
    const uint64_t max = executions_per_order(sink);
    uint64_t done = 0;

    while (done < o->n_execs && !sink->stop) {
        struct burl_wire_order part = *o;
        uint64_t given;

        part.first_seed = o->first_seed + done;
        part.n_execs = o->n_execs - done < max ? o->n_execs - done : max;
        if (!ensure_idle_process(x) || !give_order(x, sink, x->t, &part))
            return false;
        if (burl_target_wait(x->t) == BURL_TARGET_IDLE) {
            if (change_engine(x))
                continue;
            learn_points(x, &part);
            take_order_result(x->t->ctl, sink);
            given = deliver_records(x, x->t, part.n_execs, sink);
            if (given == 0)
                x->st = burl_err_set(&x->err, BURL_E_TARGET, 0, "the driver left no record%s%s",
                                     x->t->ctl->result.text[0] ? ": " : "", x->t->ctl->result.text);
        } else {
            given = deliver_records(x, x->t, part.n_execs - 1, sink);
            replace_lost(x, o, part.first_seed + given++, sink);
        }
        if (x->st != BURL_OK)
            return false;
        done += given;
        burl__gen_sink_flush(sink);
    }
    return x->st == BURL_OK;
}

const struct burl_mail_head *
burl__gen_exec_once(struct burl_gen_exec *x, const struct burl_wire_order *o,
                    const struct burl_buf *mail)
{
    const struct burl_mail_head *h = NULL;
    struct burl__gen_sink sink;
    bool again = true;

    burl__gen_sink_init(&sink);
    burl_buf_append(&sink.mail, mail->p, mail->n);
    while (again && ensure_idle_process(x) && give_order(x, &sink, x->t, o)) {
        size_t at = 0;

        if (burl_target_wait(x->t) == BURL_TARGET_IDLE)
            again = change_engine(x);
        else if (x->t->state == BURL_TARGET_INTERRUPTED)
            x->st = burl_err_set(&x->err, BURL_E_TARGET, EINTR, "stopped");
        else if (x->t->state == BURL_TARGET_LATE)
            x->st = burl_err_set(&x->err, BURL_E_TIME, 0, "the time is over");
        else if ((again = x->t->state == BURL_TARGET_DIED && x->reset == BURL_RESET_SNAPSHOT))
            x->reset = BURL_RESET_FORK;
        if (x->st != BURL_OK)
            again = false;
        if (!again && x->st == BURL_OK)
            h = burl__gen_next_record(burl_door_mail(&x->t->block), BURL_MAIL_OUT_B, &at);
    }
    burl__gen_sink_deinit(&sink);
    return h;
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

static void
run_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t,
               const struct burl_gen_order *order, bool dump, uint64_t shift, uint32_t flags,
               struct burl_gen_outcome *out)
{
    const struct burl__gen_encoding e = {
        .test = t,
        .order = order,
        .mode = BURL_MAIL_SEQUENTIAL,
        .dump = dump,
        .shift = shift,
    };
    struct burl_wire_order o = burl__gen_exec_order(x);
    struct burl__gen_sink sink;

    *out = (struct burl_gen_outcome){ .end = BURL_GEN_END_CUT, .failed_call = -1 };
    burl__gen_sink_init(&sink);
    sink.one = out;
    o.flags |= BURL_ORDER_F_STRICT_TIME | flags;
    /* Another day, hour, minute and second. */
    o.epoch_ns += shift % 1000 * 90061001001001ull;
    if (burl__gen_encode(x, &e, &sink.mail))
        (void)burl__gen_exec_run(x, &o, &sink);
    burl__gen_sink_deinit(&sink);
    x->n_sequential++;
}

void
burl_gen_exec_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t,
                         const struct burl_gen_order *order, bool dump, uint64_t shift,
                         struct burl_gen_outcome *out)
{
    run_sequential(x, t, order, dump, shift, 0, out);
}

void
burl_gen_exec_prefix(struct burl_gen_exec *x, const struct burl_gen_test *t,
                     struct burl_gen_outcome *out)
{
    run_sequential(x, t, NULL, false, 0, BURL_ORDER_F_ALL_POINTS, out);
}

/* ---- open and close ---------------------------------------------------------------- */

/* Finds the sites that are entries of public functions. */
static void
find_public(struct burl_gen_exec *x)
{
    const struct burl_wire_ctl *ctl = x->t->ctl;
    const struct burl_gen_model *m = x->opts.model;

    x->st = burl_sites_new(&x->sites, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules,
                           &x->err);
    if (x->st != BURL_OK)
        return;
    for (uint32_t i = 1; i < ctl->n_sites; i++) {
        const struct burl_site_info *s = burl_sites_get(x->sites, i);
        const int fn = s->kind == BURL_SITE_FUNC ? burl_gen_model_fn(m, s->func) : -1;

        if (fn >= 0)
            BURL_VEC_PUSH(&x->public_sites,
                          (struct burl_mail_site){ .site = i, .fn = (uint32_t)fn });
    }
    x->n_points = ctl->n_sites;
    x->points = burl_xcalloc(x->n_points + 1, 1);
}

enum burl_status
burl_gen_exec_open(struct burl_gen_exec **out, const struct burl_gen_exec_opts *opts,
                   struct burl_err *err)
{
    struct burl_gen_exec *x = burl_xcalloc(1, sizeof *x);
    enum burl_status st;

    *out = NULL;
    x->opts = *opts;
    burl_buf_init(&x->seed_words, BURL_MAIL_IN_B);
    x->engine = BURL_ENGINE_FIBERS;
    x->reset = BURL_RESET_SNAPSHOT;
    x->st = burl__gen_build(opts, &x->program, &x->seeds, &x->err);
    if (ensure_idle_process(x))
        find_public(x);
    if (x->st == BURL_E_TARGET && strstr(x->err.msg, "no instrumented code"))
        x->st = burl_err_set(&x->err, BURL_E_USAGE, 0,
                             "none of what was given after \"--\" is compiled by burl: give the "
                             "sources of the API, or objects and libraries made with `burl-cc`");
    if (x->st == BURL_E_TARGET && strstr(x->err.msg, "a thread created before main"))
        x->st = burl_err_set(&x->err, BURL_E_USAGE, 0,
                             "the library starts a thread in a constructor function, before "
                             "main(): burl cannot control it, and the oracle cannot judge results "
                             "that depend on it. Leave that function out of the build, or test "
                             "programs that use the library with `burl run`");
    st = burl_gen_exec_status(x, err);
    if (st == BURL_OK)
        *out = x;
    else
        burl_gen_exec_close(x);
    return st;
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
    burl__gen_seeds_deinit(&x->seeds);
    burl_buf_deinit(&x->seed_words);
    free(x->program);
    free(x);
}

uint64_t
burl_gen_exec_n_sequential(const struct burl_gen_exec *x)
{
    return x->n_sequential;
}

bool
burl_gen_exec_failed(const struct burl_gen_exec *x)
{
    return x->st != BURL_OK;
}

void
burl_gen_exec_set_deadline(struct burl_gen_exec *x, struct burl_deadline deadline)
{
    x->deadline = deadline;
    if (x->t)
        x->t->deadline = deadline;
    if (x->st == BURL_E_TIME)
        x->st = BURL_OK;
}

struct burl_deadline
burl_gen_exec_deadline(const struct burl_gen_exec *x)
{
    return x->deadline;
}

bool
burl_gen_exec_is_late(const struct burl_gen_exec *x)
{
    return x->st == BURL_E_TIME;
}

bool
burl_gen_exec_is_interrupted(const struct burl_gen_exec *x)
{
    return x->opts.interrupt != NULL && *x->opts.interrupt != 0;
}

int64_t
burl_gen_exec_left_ms(const struct burl_gen_exec *x)
{
    if (burl_gen_exec_is_interrupted(x))
        return 0;
    return burl_deadline_left_ms(&x->deadline); /* INT64_MAX is BURL_GEN_NO_LIMIT */
}

enum burl_status
burl_gen_exec_status(const struct burl_gen_exec *x, struct burl_err *err)
{
    if (x->st == BURL_E_TIME)
        return BURL_OK; /* the end that the user gave */
    if (x->st != BURL_OK && err)
        *err = x->err;
    return x->st;
}

const struct burl_gen_model *
burl_gen_exec_model(const struct burl_gen_exec *x)
{
    return x->opts.model;
}
