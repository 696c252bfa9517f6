/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/search.c - all schedules of a small test: to prove it clean, or that a pair of places
 * cannot be covered.
 *
 * Runs in the host. One process searches (src/rt/sched/s_exhaustive.c): the position in the search
 * is the process's. Points are the sites seen shared; when the search itself sees new ones it
 * begins again with them, so that a search which ends has missed none.
 *
 * What would make its silence less than a proof is collected, and then nothing is claimed: a bound
 * that was reached, executions that were cut, whatever the strategy cannot enumerate, tables of the
 * runtime that were too small. A hunt ends at the first such doubt; a test goes on, since failures
 * are worth finding without a proof too.
 *
 * The price of one process: the search does not use more cores.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_int.h"

#define CHUNK 2048u
#define RESTARTS_MAX 16u
/* Of the first order: one that shows new sites is wasted. */
#define FIRST_CHUNK 64u

struct search {
    struct burl_campaign *c;
    struct burl_work work;
    struct burl_target *t;
    bool whole;       /* a test's: doubts do not end it */
    bool over;        /* there is no going on */
    uint64_t most;    /* executions in all */
    uint64_t done;    /* of this process: what the next has as its ordinal */
    uint64_t counted; /* since the search began, or began again */
    uint64_t pruned;  /* of these, given up as the same as another */
    uint64_t total;   /* with those before */
    bool complete;
    char *why;
    size_t why_b;
};

static void
doubt(struct search *s, const char *why)
{
    if (s->why[0] == '\0')
        snprintf(s->why, s->why_b, "%s", why);
}

/* The same, and the process is of no use any more. */
static void
give_up(struct search *s, const char *why)
{
    doubt(s, why);
    s->over = true;
}

static void
doubt_call(struct search *s, const struct burl_wire_result *r)
{
    char name[80];
    char why[160];

    burl__foreign_callee(s->t->ctl, r->search_site, name, sizeof name);
    if (r->search_unsure & BURL_SEARCH_UNSURE_UNSEEN)
        snprintf(why, sizeof why, "%s is library code, what it does to memory is not seen", name);
    else
        snprintf(why, sizeof why, "threads call %s, which remembers things where no hook sees it",
                 name);
    doubt(s, why);
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
        { BURL_SEARCH_UNSURE_RANGES, "very large blocks are copied, set or freed at once" },
        { BURL_SEARCH_UNSURE_SIGNALS, "the program uses signals, cancellation or fork" },
        { BURL_SEARCH_UNSURE_THREADS, "there are more than 64 threads" },
        { BURL_SEARCH_UNSURE_DEPTH, "executions have too many decisions" },
        { BURL_SEARCH_UNSURE_DIFFERS, "the same choices gave another run" },
    };
    const struct burl_wire_result *r = &s->t->ctl->result;

    if (r->search_unsure & (BURL_SEARCH_UNSURE_HIDDEN | BURL_SEARCH_UNSURE_UNSEEN))
        doubt_call(s, r);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (r->search_unsure & reasons[i].bit)
            doubt(s, reasons[i].text);
    }
    if (b->totals.cut > 0)
        doubt(s, "executions were cut at --max-steps or --exec-timeout");
    if (b->by_verdict[BURL_VERDICT_UNSUPPORTED] > 0 || b->by_verdict[BURL_VERDICT_INTERNAL] > 0)
        give_up(s, "executions could not be controlled");
    if (r->irreversible)
        give_up(s, "executions left something behind that the snapshot cannot undo");
    for (uint32_t k = 0; k < BURL_COUNTER__N; k++) {
        if (b->counters[k] > 0)
            doubt(s, burl_engine_counter_text(k));
    }
}

static void
look_for_foreign_code(struct search *s)
{
    char why[160];

    if (s->t && s->t->state == BURL_TARGET_IDLE && s->why[0] == '\0' &&
        burl__foreign_code(s->t->ctl, why, sizeof why))
        doubt(s, why);
}

static void
count(struct search *s, const struct burl_wire_result *r)
{
    s->done += r->n_done;
    s->total += r->n_done;
    if (r->search_void > 0) {
        s->counted = 0;
        s->pruned = 0;
    }
    s->counted += r->n_done - (r->search_void < r->n_done ? r->search_void : r->n_done);
    s->pruned += r->search_pruned;
}

/* The next executions of the search. */
static enum burl_status
go_on(struct search *s, uint64_t n, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    struct burl_wire_order o;
    struct burl_batch b = { .first_seed = s->work.first_seed + s->done };
    enum burl_status st;

    s->work.param = s->done == 0 ? 1 : 0;
    o = burl__campaign_order(c, &s->work, s->work.first_seed + s->done, n);
    st = burl_target_order(s->t, &o, NULL, err);
    if (st != BURL_OK)
        return st;
    c->running_strategy = BURL_STRATEGY_EXHAUSTIVE;
    if (burl_target_wait(s->t) != BURL_TARGET_IDLE) {
        give_up(s, "the process of the search was lost");
        return BURL_OK;
    }
    burl__covered_take(&b, s->t, s->t->ctl->result.n_done);
    burl__batch_add_result(&b, s->t->ctl);
    burl__campaign_learn(c, s->t);
    look_for_doubts(s, &b);
    s->complete = s->t->ctl->result.search == BURL_SEARCH_COMPLETE;
    count(s, &s->t->ctl->result);
    if (b.totals.executions == 0)
        give_up(s, "the process of the search did nothing");
    st = burl__campaign_commit(c, &s->work, &b, err);
    if (st == BURL_OK && s->whole)
        st = burl__suspects_confirm(c, err);
    burl__batch_deinit(&b);
    burl__campaign_progress(c);
    return st;
}

/* Have the executions so far shown sites that are no points yet? */
static bool
saw_new_points(const struct burl_campaign *c)
{
    return memcmp(c->points, c->points_next, c->n_sites) != 0;
}

/* Until it is complete, or there is no point in going on. */
static enum burl_status
search_once(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    enum burl_status st;

    s->done = 0;
    s->counted = 0;
    s->pruned = 0;
    s->complete = false;
    s->work.first_seed = burl__campaign_seed(c);
    st = burl__campaign_start(c, c->engine, c->reset, true, &s->t, err);
    while (st == BURL_OK && !s->complete && !s->over && !c->stop && !saw_new_points(c)) {
        const uint64_t left = s->most > s->total ? s->most - s->total : 0;
        const uint64_t chunk = s->done == 0 ? FIRST_CHUNK : CHUNK;

        if (burl__campaign_interrupted(c) || burl__campaign_time_over(c)) {
            give_up(s, "there was no time left");
        } else if (left == 0) {
            if (s->why[0] == '\0')
                snprintf(s->why, s->why_b, "cut at %" PRIu64 " schedules", s->total);
            s->over = true;
        } else {
            st = go_on(s, left < chunk ? left : chunk, err);
        }
        if (!s->whole && s->why[0] != '\0')
            break;
    }
    look_for_foreign_code(s);
    burl_target_stop(s->t);
    s->t = NULL;
    return st;
}

/* With more points as long as there are more. */
static enum burl_status
search(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    enum burl_status st = BURL_OK;

    s->why[0] = '\0';
    for (uint32_t i = 0; i < RESTARTS_MAX; i++) {
        uint32_t version;

        burl__campaign_adopt_points(c);
        version = c->points_version;
        st = search_once(s, err);
        burl__campaign_adopt_points(c);
        if (st != BURL_OK || s->over || c->stop || c->points_version == version ||
            (!s->whole && s->why[0] != '\0'))
            return st;
        if (s->whole)
            s->why[0] = '\0'; /* what it was about may be no more: the search is another */
        s->complete = false;
    }
    doubt(s, "it kept finding more shared memory");
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
        .most = h->exhaustive_runs,
        .why = h->exhaustive_why,
        .why_b = sizeof h->exhaustive_why,
    };
    const enum burl_status st = search(&s, err);

    h->exhaustive_executions = s.total;
    h->exhaustive_complete = s.complete && s.why[0] == '\0';
    return st;
}

static void
remember_counts(struct burl_campaign *c)
{
    for (size_t i = 0; i < c->known.n; i++)
        c->known.v[i].before_search = c->known.v[i].count;
}

/* A failure that others showed and that all interleavings do not: there are more than it thinks.
 * Races are not counted, since directed executions end at them. */
static bool
missed_a_failure(const struct burl_campaign *c)
{
    for (size_t i = 0; i < c->known.n; i++) {
        const struct burl_known *k = &c->known.v[i];

        if (k->unstable == 0 && k->pair == 0 && k->count > 0 && k->count == k->before_search)
            return true;
    }
    return false;
}

enum burl_status
burl__search_whole(struct burl_campaign *c, uint64_t max, struct burl_err *err)
{
    struct burl_campaign_search *out = &c->stats->search;
    const bool first_only = c->cfg->stop_at_first && !c->hooks->hidden;
    struct search s = {
        .c = c,
        .work = { .strategy = BURL_STRATEGY_EXHAUSTIVE,
                  .flags = BURL_ORDER_F_LEARN |
                           (first_only ? BURL_ORDER_F_STOP_AT_FINDING | BURL_ORDER_F_STOP_AT_SUSPECT
                                       : 0u),
                  .observers = c->cfg->observers & (BURL_ENGINE_COVER_OBS | BURL_OB(RACE)) },
        .whole = true,
        .most = max,
        .why = out->why,
        .why_b = sizeof out->why,
    };
    enum burl_status st;

    remember_counts(c);
    st = search(&s, err);
    if (s.complete && missed_a_failure(c))
        doubt(&s, "it did not show a failure that other schedules showed");
    if (!s.complete && s.why[0] == '\0')
        doubt(&s, "it ended at a failure");
    for (size_t i = 0; i < c->stats->n_unstable; i++) {
        if (c->stats->unstable[i].count > 0)
            doubt(&s, "a failure did not show again");
    }
    out->executions = s.counted;
    out->pruned = s.pruned;
    out->complete = s.complete && s.why[0] == '\0';
    return st;
}

/* The same execution again: the search from its start to there, the last one recorded. What ends at
 * an observer's verdict does so in the last one only. */
enum burl_status
burl__search_record(struct burl_campaign *c, const struct burl_work *w, uint64_t ordinal,
                    struct burl_run *run, struct burl_err *err)
{
    struct burl_work before = *w;
    struct burl_work last = *w;
    struct burl_wire_order o;
    struct burl_target *t;
    enum burl_status st = burl__campaign_start(c, c->engine, c->reset, false, &t, err);

    memset(run, 0, sizeof *run);
    if (st != BURL_OK)
        return st;
    before.flags &= BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_STRICT_TIME;
    before.stop_key = 0;
    before.param = 1;
    last.flags = before.flags | BURL_ORDER_F_RECORD;
    last.param = ordinal == 0;
    c->stats->extra_executions += ordinal + 1;
    if (ordinal > 0) {
        o = burl__campaign_order(c, &before, w->first_seed, ordinal);
        st = burl_target_order(t, &o, NULL, err);
        if (st == BURL_OK &&
            (burl_target_wait(t) != BURL_TARGET_IDLE || t->ctl->result.n_done != ordinal)) {
            run->verdict.kind = BURL_VERDICT_INTERNAL; /* it does not show again */
            run->diverged_at = UINT32_MAX;
            burl_target_stop(t);
            return BURL_OK;
        }
    }
    if (st == BURL_OK) {
        o = burl__campaign_order(c, &last, w->first_seed + ordinal, 1);
        st = burl__confirm_exec(t, &o, NULL, run, err);
    }
    burl_target_stop(t);
    return st;
}
