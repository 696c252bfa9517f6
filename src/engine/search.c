/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/search.c - all schedules of a small test, to prove that a pair cannot be covered.
 *
 * Runs in the host, at the end of a hunt. One process searches (src/rt/sched/s_exhaustive.c): the
 * position in the search is the process's. Points are the sites seen shared; when the search itself
 * sees new ones it begins again with them, so that a search which ends has missed none.
 *
 * What would make its silence less than a proof is collected in hunt.exhaustive_why, and then
 * nothing is claimed: a bound that was reached, executions that were cut, whatever the
 * strategy cannot enumerate, tables of the runtime that were too small.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_int.h"

#define CHUNK 2048u
#define RESTARTS_MAX 16u

struct search {
    struct burl_campaign *c;
    struct burl_work work;
    struct burl_target *t;
    uint64_t done;  /* executions since the search began, or began again */
    uint64_t total; /* with those before */
    bool complete;
    char *why; /* hunt.exhaustive_why */
    size_t why_b;
};

static void
doubt(struct search *s, const char *why)
{
    if (s->why[0] == '\0')
        snprintf(s->why, s->why_b, "%s", why);
}

static void
look_for_doubts(struct search *s, const struct burl_batch *b)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } reasons[] = {
        { BURL_SEARCH_UNSURE_LOOPS, "threads wait in loops" },
        { BURL_SEARCH_UNSURE_TIME, "the program looks at clocks, sleeps or waits with time-outs" },
        { BURL_SEARCH_UNSURE_IO, "the program waits for input or output" },
        { BURL_SEARCH_UNSURE_RANGES, "blocks of more than 256 bytes are copied or set at once" },
        { BURL_SEARCH_UNSURE_SIGNALS, "the program uses signals, cancellation or fork" },
        { BURL_SEARCH_UNSURE_THREADS, "there are more than 64 threads" },
        { BURL_SEARCH_UNSURE_DEPTH, "executions have too many decisions" },
        { BURL_SEARCH_UNSURE_DIFFERS, "the same choices gave another run" },
    };
    const struct burl_wire_result *r = &s->t->ctl->result;

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (r->search_unsure & reasons[i].bit)
            doubt(s, reasons[i].text);
    }
    if (b->totals.cut > 0)
        doubt(s, "executions were cut at --max-steps or --exec-timeout");
    if (b->by_verdict[BURL_VERDICT_UNSUPPORTED] > 0 || b->by_verdict[BURL_VERDICT_INTERNAL] > 0)
        doubt(s, "executions could not be controlled");
    if (r->irreversible)
        doubt(s, "executions left something behind that the snapshot cannot undo");
    for (uint32_t k = 0; k < BURL_COUNTER__N; k++) {
        if (b->counters[k] > 0)
            doubt(s, burl_engine_counter_text(k));
    }
}

/* The next executions of the search. */
static enum burl_status
go_on(struct search *s, uint64_t n, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    struct burl_wire_order o;
    struct burl_batch b = { 0 };
    enum burl_status st;

    s->work.param = s->done == 0 ? 1 : 0;
    o = burl__campaign_order(c, &s->work, s->work.first_seed + s->done, n);
    st = burl_target_order(s->t, &o, NULL, err);
    if (st != BURL_OK)
        return st;
    if (burl_target_wait(s->t) != BURL_TARGET_IDLE) {
        doubt(s, "the process of the search was lost");
        return BURL_OK;
    }
    burl__covered_take(&b, s->t, s->t->ctl->result.n_done);
    burl__batch_add_result(&b, s->t->ctl);
    burl__campaign_learn(c, s->t);
    look_for_doubts(s, &b);
    s->complete = s->t->ctl->result.search == BURL_SEARCH_COMPLETE;
    s->done += s->t->ctl->result.n_done;
    s->total += s->t->ctl->result.n_done;
    if (b.totals.executions == 0)
        doubt(s, "the process of the search did nothing");
    st = burl__campaign_commit(c, &s->work, &b, err);
    burl__batch_deinit(&b);
    burl__campaign_progress(c);
    return st;
}

/* Until it is complete, or there is no point in going on. */
static enum burl_status
search_once(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    const uint64_t most = c->cfg->hunt->exhaustive_runs;
    enum burl_status st;

    s->done = 0;
    s->complete = false;
    s->work.first_seed = burl__campaign_seed(c);
    st = burl__campaign_start(c, c->engine, c->reset, true, &s->t, err);
    while (st == BURL_OK && !s->complete && s->why[0] == '\0') {
        const uint64_t left = most > s->total ? most - s->total : 0;

        if (burl__campaign_interrupted(c) || burl__campaign_time_over(c))
            doubt(s, "there was no time left");
        else if (left == 0)
            snprintf(s->why, s->why_b, "cut at %" PRIu64 " schedules", s->total);
        else
            st = go_on(s, left < CHUNK ? left : CHUNK, err);
    }
    burl_target_stop(s->t);
    s->t = NULL;
    return st;
}

enum burl_status
burl__search(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    struct search s = {
        .c = c,
        .work = { .strategy = BURL_STRATEGY_EXHAUSTIVE,
                  .flags = BURL_ORDER_F_LEARN,
                  .observers = (c->cfg->observers & BURL_ENGINE_COVER_OBS) | BURL_OB(LOCPAIRS) },
        .why = h->exhaustive_why,
        .why_b = sizeof h->exhaustive_why,
    };
    enum burl_status st = BURL_OK;

    h->exhaustive_why[0] = '\0';
    for (uint32_t i = 0; i < RESTARTS_MAX; i++) {
        const uint32_t version = c->points_version;

        st = search_once(&s, err);
        h->exhaustive_executions = s.total;
        burl__campaign_adopt_points(c);
        h->exhaustive_complete = s.complete && s.why[0] == '\0' && c->points_version == version;
        if (st != BURL_OK || h->exhaustive_complete || s.why[0] != '\0')
            return st;
    }
    doubt(&s, "it kept finding more shared memory");
    return st;
}

/* The same execution again: the search from its start to there, the last one recorded. */
enum burl_status
burl__search_record(struct burl_campaign *c, const struct burl_work *w, uint64_t ordinal,
                    struct burl_run *run, struct burl_err *err)
{
    struct burl_work again = *w;
    struct burl_wire_order o;
    struct burl_target *t;
    enum burl_status st = burl__campaign_start(c, c->engine, c->reset, false, &t, err);

    memset(run, 0, sizeof *run);
    if (st != BURL_OK)
        return st;
    again.param = 1;
    if (ordinal > 0) {
        o = burl__campaign_order(c, &again, w->first_seed, ordinal);
        st = burl_target_order(t, &o, NULL, err);
        again.param = 0;
        if (st == BURL_OK && burl_target_wait(t) != BURL_TARGET_IDLE)
            st = burl_err_set(err, BURL_E_TARGET, 0, "the process of the search was lost");
    }
    if (st == BURL_OK) {
        o = burl__campaign_order(c, &again, w->first_seed + ordinal, 1);
        o.flags |= BURL_ORDER_F_RECORD;
        st = burl__confirm_exec(t, &o, NULL, run, err);
    }
    c->stats->extra_executions += ordinal + 1;
    burl_target_stop(t);
    return st;
}

enum burl_status
burl__search_whole(struct burl_campaign *c, uint64_t max, struct burl_err *err)
{
    (void)c;
    (void)max;
    (void)err;
    return BURL_OK;
}
