/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/pool/pool.c - a list of works over several target processes.
 *
 * Runs in the host, on one thread. Works are cut into chunks sized by measured
 * speed, so that the user's wishes (Ctrl-C, time limit) are seen soon and a lost process
 * costs little. How works are cut does not change results (INV-E1), and chunks are
 * committed in order (INV-E2), so neither speed nor the number of processes
 * can be seen in what a campaign finds.
 *
 * A process that dies or hangs inside a chunk: the executions before the culprit
 * are done again in a new process (they are deterministic), the culprit runs
 * alone in a process that forks per execution, and the rest goes on. Nothing of
 * the chunk is lost. A death that the fork does not show means the snapshot
 * is not exact for this program: the campaign goes on with fork.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

/* Wall time one order should take: short against a person's patience, long against the cost of
 * handing it over. */
#define CHUNK_MS 50.0
#define CHUNK_MAX 65536u
/* Losses in one chunk after which the process itself is suspect, not single executions. */
#define CHUNK_LOSSES_MAX 8u

void
burl__pool_open(struct burl_pool *p, uint32_t jobs)
{
    p->n_slots = jobs > 0 ? jobs : 1;
    p->slots = burl_xcalloc(p->n_slots, sizeof *p->slots);
}

void
burl__pool_close(struct burl_pool *p)
{
    for (uint32_t i = 0; i < p->n_slots; i++)
        burl_target_stop(p->slots[i].worker.t);
    for (size_t i = p->committed; i < p->chunks.n; i++)
        burl__batch_deinit(&p->chunks.v[i].batch);
    BURL_VEC_FREE(&p->chunks);
    free(p->slots);
    p->slots = NULL; /* failures that wait are confirmed without a pool */
    p->n_slots = 0;
}

bool
burl__pool_is_earlier(const struct burl_pool *p, uint64_t a, uint64_t b)
{
    for (size_t i = 0; i < p->n_works; i++) {
        const struct burl_work *w = &p->works[i];
        const bool has_a = a >= w->first_seed && a - w->first_seed < w->n;
        const bool has_b = b >= w->first_seed && b - w->first_seed < w->n;

        if (has_a || has_b)
            return has_a && (!has_b || a < b);
    }
    return false;
}

/* ---- chunks ------------------------------------------------------------------------ */

bool
burl__pool_has_work(const struct burl_pool *p)
{
    return !p->draining && p->next_work < p->n_works;
}

void
burl__pool_begin(struct burl_pool *p, const struct burl_work *works, size_t n_works)
{
    p->works = works;
    p->n_works = n_works;
    p->next_work = 0;
    p->next_offset = 0;
    p->chunks.n = 0;
    p->committed = 0;
    p->draining = false;
}

size_t
burl__pool_cut(struct burl_pool *p)
{
    const struct burl_work *w = &p->works[p->next_work];
    const double per_exec = p->ms_per_exec > 0.0005 ? p->ms_per_exec : 0.0005;
    double want = CHUNK_MS / per_exec;
    struct burl_pool_chunk *k = BURL_VEC_ADD(&p->chunks);
    uint64_t left = w->n - p->next_offset;

    if (want < 1)
        want = 1;
    if (want > CHUNK_MAX || w->whole)
        want = CHUNK_MAX;
    k->work = p->next_work;
    k->first = w->first_seed + p->next_offset;
    k->n = left < (uint64_t)want ? left : (uint64_t)want;
    k->culprit = UINT64_MAX;
    k->batch.first_seed = k->first;
    p->next_offset += k->n;
    if (p->next_offset == w->n) {
        p->next_work++;
        p->next_offset = 0;
    }
    return p->chunks.n - 1;
}

static enum burl_status
commit_ready(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_pool *p = &c->pool;
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && p->committed < p->chunks.n && p->chunks.v[p->committed].complete) {
        struct burl_pool_chunk *k = &p->chunks.v[p->committed++];

        p->crowded = k->crowded;
        /* After the first finding nothing more is wanted; after any other end, all there is. */
        if (!c->plan.stop || c->stats->end != BURL_CAMPAIGN_END_FIRST)
            st = burl__campaign_commit(c, &p->works[k->work], &k->batch, err);
        if (st == BURL_OK)
            st = burl__suspects_confirm(c, err);
        burl__batch_deinit(&k->batch);
    }
    p->crowded = false;
    return st;
}

/* ---- processes --------------------------------------------------------------------- */

/* Runs a seed that lost a process, alone, with a fork between it and the process we talk to. */
static enum burl_status
isolate_culprit(struct burl_campaign *c, struct burl_pool_chunk *k, struct burl_err *err)
{
    struct burl_pool *p = &c->pool;
    const struct burl_work *w = &p->works[k->work];
    struct burl_wire_order o = burl__campaign_order(c, w, k->culprit, 1);
    struct burl_target *t;
    enum burl_status st;

    st = burl__campaign_start(c, BURL_RESET_FORK, true, &t, err);
    if (st == BURL_OK)
        st = burl_target_order(t, &o, NULL, err);
    if (st != BURL_OK)
        goto done;
    if (burl_target_wait(t) == BURL_TARGET_IDLE) {
        burl__covered_take(&k->batch, t, 1);
        burl__batch_add_result(&k->batch, t->ctl);
        (void)burl__choose_fork(
            c, "a snapshot process died in an execution that completes when forked");
    } else if (t->state != BURL_TARGET_INTERRUPTED && t->state != BURL_TARGET_LATE) {
        const struct burl_wire_verdict v = burl_target_lost_verdict(t);

        burl__batch_add_verdict(&k->batch, k->culprit, &v);
    }
done:
    if (st == BURL_OK)
        burl_target_stop(t);
    return st;
}

/* Deals with the culprit of a chunk, when all before it are done. */
static enum burl_status
settle_culprit(struct burl_campaign *c, struct burl_pool_chunk *k, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (k->hung) {
        const struct burl_wire_verdict v = { .kind = BURL_VERDICT_CUT_TIME, .tid = BURL_TID_NONE };

        burl__batch_add_verdict(&k->batch, k->culprit, &v);
    } else {
        st = isolate_culprit(c, k, err);
    }
    k->done++;
    k->culprit = UINT64_MAX;
    k->hung = false;
    k->complete = k->done == k->n;
    return st;
}

/* Hands the next part of chunk `ix` to the slot; a culprit that is due is settled first. */
static enum burl_status
issue_chunk(struct burl_campaign *c, struct burl_pool_slot *s, size_t ix, struct burl_err *err)
{
    struct burl_pool *p = &c->pool;
    struct burl_pool_chunk *k = &p->chunks.v[ix];
    struct burl_wire_order o;
    enum burl_status st = BURL_OK;
    uint64_t end;

    if (k->culprit == k->first + k->done)
        st = settle_culprit(c, k, err);
    if (st != BURL_OK || k->complete)
        return st;
    st = burl__worker_ready(c, &s->worker, p->reset, true, err);
    if (st != BURL_OK)
        return st;
    end = k->culprit != UINT64_MAX ? k->culprit : k->first + k->n;
    s->order_n = end - (k->first + k->done);
    o = burl__campaign_order(c, &p->works[k->work], k->first + k->done, s->order_n);
    s->chunk = ix;
    s->order_ms = burl_target_now_ms();
    p->running_strategy = o.strategy;
    p->running_param = burl_wire_args_number(o.strategy, &o.args);
    k->crowded = k->crowded || (p->n_slots > 1 && !p->alone);
    st = burl_target_order(s->worker.t, &o, NULL, err);
    s->has_order = st == BURL_OK;
    return st;
}

/* ---- ends of orders ---------------------------------------------------------------- */

static void
note_speed(struct burl_campaign *c, uint64_t n, int64_t ms)
{
    const double now = n > 0 ? ((double)ms + 0.5) / (double)n : 0;

    if (n > 0)
        c->pool.ms_per_exec = c->pool.ms_per_exec > 0 ? 0.7 * c->pool.ms_per_exec + 0.3 * now : now;
}

/* The order came to its end. */
static void
collect_chunk(struct burl_campaign *c, struct burl_pool_slot *s)
{
    struct burl_pool *p = &c->pool;
    struct burl_pool_chunk *k = &p->chunks.v[s->chunk];
    const struct burl_wire_result *r = &s->worker.t->ctl->result;
    /* With CHECK_TWICE every seed is two executions. */
    const uint64_t per_seed = p->works[k->work].flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;
    const uint64_t n_seeds = r->n_done / per_seed;
    const uint64_t n_done = n_seeds < s->order_n ? n_seeds : s->order_n;

    note_speed(c, n_done, burl_target_now_ms() - s->order_ms);
    burl__covered_take(&k->batch, s->worker.t, r->n_done);
    burl__batch_add_result(&k->batch, s->worker.t->ctl);
    burl__firsts_take(c, s->worker.t, k->work);
    burl__campaign_learn(c, s->worker.t);
    k->done += n_done;
    if (r->irreversible) {
        char why[BURL_WIRE_TEXT_B];

        snprintf(why, sizeof why, "%.*s", BURL_WIRE_TEXT_B - 1, r->text);
        (void)burl__choose_fork(c, why[0] ? why : BURL__CHANGED_STATE);
        /* With --reset=snapshot the user insists; a new process is still a clean start. */
        burl__worker_stop(&s->worker);
    }
    /* A target that reports no execution would get the same order for ever. */
    if (n_done == 0 && s->order_n > 0) {
        k->losses++;
        k->culprit = k->first + k->done;
    }
    k->complete = k->done == k->n || burl__batch_is_over(&k->batch, p->works[k->work].flags);
}

/* The process is gone. */
static void
lose_process(struct burl_campaign *c, struct burl_pool_slot *s)
{
    struct burl_pool *p = &c->pool;
    struct burl_pool_chunk *k = &p->chunks.v[s->chunk];
    const uint64_t from = k->first + k->done;
    const uint64_t seed = s->worker.t->ctl->live.seed;

    c->stats->n_restarts++;
    k->losses++;
    k->hung = s->worker.t->state == BURL_TARGET_TIMEOUT;
    /* The seed was written by the process that is gone: believe it only in range. */
    k->culprit = seed >= from && seed < from + s->order_n ? seed : from;
    if (k->losses > CHUNK_LOSSES_MAX)
        (void)burl__choose_fork(c, "snapshot processes died repeatedly");
    burl__worker_stop(&s->worker);
}

/* Killed by us in the middle: what it had found by then is kept. */
static void
salvage_chunk(struct burl_campaign *c, struct burl_pool_slot *s)
{
    struct burl_pool *p = &c->pool;
    struct burl_pool_chunk *k = &p->chunks.v[s->chunk];
    const struct burl_wire_result *r = &s->worker.t->ctl->result;

    burl__covered_take(&k->batch, s->worker.t, r->n_done);
    burl__batch_add_result(&k->batch, s->worker.t->ctl);
    k->complete = true;
    burl__worker_stop(&s->worker);
    p->draining = true;
}

static enum burl_status
poll_slot(struct burl_campaign *c, struct burl_pool_slot *s, struct burl_err *err)
{
    struct burl_pool *p = &c->pool;

    if (burl_target_poll(s->worker.t) == BURL_TARGET_BUSY)
        return BURL_OK;
    s->has_order = false;
    switch (s->worker.t->state) {
    case BURL_TARGET_IDLE:
        collect_chunk(c, s);
        break;
    case BURL_TARGET_INTERRUPTED:
    case BURL_TARGET_LATE:
        salvage_chunk(c, s);
        return BURL_OK;
    default:
        lose_process(c, s);
        break;
    }
    if (p->draining)
        p->chunks.v[s->chunk].complete = true;
    if (!p->chunks.v[s->chunk].complete)
        return issue_chunk(c, s, s->chunk, err);
    return BURL_OK;
}

/* ---- the loop ---------------------------------------------------------------------- */

static bool
has_orders(const struct burl_pool *p)
{
    for (uint32_t i = 0; i < p->n_slots; i++) {
        if (p->slots[i].has_order)
            return true;
    }
    return false;
}

static enum burl_status
fill_slots(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_pool *p = &c->pool;
    enum burl_status st = BURL_OK;

    for (uint32_t i = 0; i < p->n_slots && st == BURL_OK && burl__pool_has_work(p); i++) {
        if (p->alone && has_orders(p))
            break;
        if (!p->slots[i].has_order)
            st = issue_chunk(c, &p->slots[i], burl__pool_cut(p), err);
    }
    return st;
}

static bool
wait_some(struct burl_campaign *c)
{
    struct burl_pool *p = &c->pool;
    struct burl_target *ts[64];
    size_t n = 0;
    uint64_t execs = 0;
    bool is_done = false; /* before it was waited for: burl__pool_quiet() */

    for (uint32_t i = 0; i < p->n_slots && n < 64; i++) {
        if (p->slots[i].has_order) {
            ts[n++] = p->slots[i].worker.t;
            execs += burl_door_live_execs(&p->slots[i].worker.t->block);
            is_done = is_done || p->slots[i].worker.t->state != BURL_TARGET_BUSY;
        }
    }
    p->running_execs = execs;
    burl__campaign_progress(c);
    if (!is_done)
        burl_target_wait_any(ts, n, 100);
    return n > 0;
}

static void
stop_early(struct burl_campaign *c)
{
    struct burl_pool *p = &c->pool;

    if (burl__campaign_interrupted(c))
        burl__campaign_end(c, BURL_CAMPAIGN_END_INTERRUPTED);
    else if (burl__campaign_time_over(c))
        burl__campaign_end(c, BURL_CAMPAIGN_END_TIME);
    if (c->plan.stop)
        p->draining = true;
}

enum burl_status
burl__pool_run(struct burl_campaign *c, const struct burl_work *works, size_t n_works,
               struct burl_err *err)
{
    struct burl_pool *p = &c->pool;
    enum burl_status st = BURL_OK;

    burl__pool_begin(p, works, n_works);
    while (st == BURL_OK) {
        stop_early(c);
        st = fill_slots(c, err);
        if (st != BURL_OK)
            break;
        if (!wait_some(c) && !burl__pool_has_work(p))
            break;
        for (uint32_t i = 0; i < p->n_slots && st == BURL_OK; i++) {
            if (p->slots[i].has_order)
                st = poll_slot(c, &p->slots[i], err);
        }
        if (st == BURL_OK)
            st = commit_ready(c, err);
    }
    if (st == BURL_OK)
        st = commit_ready(c, err);
    if (st == BURL_OK)
        st = burl__firsts_record(c, works, err);
    p->running_execs = 0;
    p->works = NULL;
    p->n_works = 0;
    return st;
}
