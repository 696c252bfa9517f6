/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proof/search.c - all schedules of a small test: to prove it clean, or that a pair of
 * places cannot be covered.
 *
 * Runs in the host. One process searches (src/rt/search/exhaustive.c). After each order its
 * position is copied (frontier.c): an execution that is to be seen again is made from there, and a
 * search that was cut goes on from there, later in this campaign or in the next one, with the same
 * numbers in the end as one that was not. Points are the sites seen shared; when the search itself
 * sees new ones it begins again with them, so that a search which ends has missed none.
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
#include <time.h>

#include "base/mem.h"
#include "base/number.h"
#include "engine/engine_int.h"
#include "engine/target/foreign.h"
#include "wire/search.h"

#define CHUNK 2048u
/* How long an execution is waited for after the user's time is up. */
#define GRACE_MS 1500
/* Fingerprints that are remembered over campaigns; with more it begins anew. */
#define FAILURES_MAX 64u
#define RESTARTS_MAX 16u
/* Of the first order: one that shows new sites is wasted. */
#define FIRST_CHUNK 64u

struct search {
    struct burl_campaign *c;
    struct burl_work work;
    struct burl_target *t;
    bool whole;       /* a test's: doubts do not end it */
    bool reads_files; /* the program opens files */
    bool over;        /* it cannot go on now, */
    bool dead;        /* or ever */
    uint64_t most;    /* executions in all */
    uint64_t steps;   /* of an execution at most; 0: as the campaign says */
    uint64_t counted; /* since the search began, or began again */
    uint64_t pruned;  /* of these, given up as the same as another */
    uint64_t total;   /* with those before, without other campaigns' */
    uint32_t campaigns;
    uint64_t points;           /* hash of those it has */
    struct burl_frontier from; /* where the last order began, */
    struct burl_frontier at;   /* and where the next one does */
    bool begun;                /* the process has a position */
    bool complete;
    bool failed;
    char ended[96];   /* not complete, and yet nothing is in doubt: why */
    uint32_t n_calls; /* calls of this process that were looked at */
    char *why;
    size_t why_b;
};

static void
note_doubt(struct search *s, const char *why)
{
    if (s->why[0] == '\0')
        snprintf(s->why, s->why_b, "%s", why);
}

/* The same, and the process cannot be used any more. */
static void
give_up(struct search *s, const char *why)
{
    note_doubt(s, why);
    s->over = true;
    s->dead = true;
}

/* It can be continued another time. */
static void
pause_search(struct search *s, const char *why)
{
    snprintf(s->ended, sizeof s->ended, "%s", why);
    s->over = true;
}

static void
look_for_foreign_code(struct search *s)
{
    char why[240];

    if (s->t && s->t->state == BURL_TARGET_IDLE && s->why[0] == '\0' &&
        burl__foreign_code(s->t->ctl, why, sizeof why))
        note_doubt(s, why);
}

static void
doubt_unseen(struct search *s, uint32_t site)
{
    char name[80];
    char why[240];

    look_for_foreign_code(s); /* the whole of it says more than one function */
    burl__foreign_callee(s->t->ctl, site, name, sizeof name);
    if (strcmp(name, "llvm.segment") == 0)
        snprintf(why, sizeof why, "accesses through segment registers are not instrumented");
    else if (strcmp(name, "asm") == 0 || strncmp(name, "llvm.", 5) == 0)
        snprintf(why, sizeof why, "the memory accesses of %s are not instrumented",
                 name[0] == 'a' ? "inline assembly" : name);
    else
        /* What a class of the standard library calls is not for its users to change. */
        snprintf(why, sizeof why, "the memory accesses of %s, library code, are not instrumented%s",
                 name, strncmp(name, "std::", 5) == 0 ? "" : "; call it while there is one thread");
    note_doubt(s, why);
}

static void
doubt_hidden(struct search *s, uint32_t site)
{
    char name[80];
    char why[240];

    burl__foreign_callee(s->t->ctl, site, name, sizeof name);
    snprintf(why, sizeof why,
             "threads call %s, which keeps uninstrumented internal state; call it while there is "
             "one thread",
             name);
    note_doubt(s, why);
}

static void
doubt_outside(struct search *s)
{
    static const char *const prefixes[] = { "llvm.x86.", "llvm." };
    char name[80];
    char why[240];
    const char *shown = name;

    burl__foreign_callee(s->t->ctl, burl_door_search_head(&s->t->block)->outside, name,
                         sizeof name);
    for (size_t i = 0; i < 2 && shown == name; i++)
        shown += strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 ? strlen(prefixes[i]) : 0;
    snprintf(why, sizeof why,
             "the result of %s may differ from run to run; test the program with a fixed value",
             strcmp(name, "asm") == 0 ? "inline assembly" : shown);
    note_doubt(s, why);
}

/* Calls of functions that may be a library's, those since the last time. */
static void
look_at_calls(struct search *s)
{
    const struct burl_wire_ctl *ctl = s->t->ctl;
    const struct burl_search_stack *st = burl_door_search_head(&s->t->block);
    const uint32_t n = st->n_calls < BURL_SEARCH_CALLS ? st->n_calls : BURL_SEARCH_CALLS;

    if ((st->hidden_changed >> BURL_HIDDEN_FILES & 1) != 0)
        s->reads_files = true;
    for (; s->n_calls < n && s->why[0] == '\0'; s->n_calls++) {
        if (!burl__foreign_is_own(ctl, st->calls[s->n_calls]))
            doubt_unseen(s, st->calls[s->n_calls]);
    }
}

static void
look_for_doubts(struct search *s, const struct burl_batch *b)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } reasons[] = {
        { BURL_SEARCH_UNSURE_OVERWRITTEN,
          "the program overwrote burl's control block (a wild write); fix the write first" },
        { BURL_SEARCH_UNSURE_LOOPS,
          "threads spin; let them block, for example on a condition variable" },
        { BURL_SEARCH_UNSURE_TIME,
          "the program reads clocks, sleeps or uses timeouts; test it without them" },
        { BURL_SEARCH_UNSURE_IO, "the program waits for input or output; test it without them" },
        { BURL_SEARCH_UNSURE_RANGES,
          "very large blocks are copied, set or freed; test it with smaller ones" },
        { BURL_SEARCH_UNSURE_SIGNALS, "the program uses signals, cancellation or fork; "
                                      "test it without them" },
        { BURL_SEARCH_UNSURE_SHARED,
          "memory is mapped MAP_SHARED and may be aliased; map it private" },
        { BURL_SEARCH_UNSURE_TORN, "a multi-step access races with another; interleavings "
                                   "within it were not explored; protect it with a lock" },
        { BURL_SEARCH_UNSURE_ADDRESSES,
          "addresses of allocated blocks are compared, and they depend on malloc" },
        { BURL_SEARCH_UNSURE_STACK, "a thread accesses local variables of a call made after it "
                                    "started; give it its own memory" },
        { BURL_SEARCH_UNSURE_MISUSE,
          "a sync object is misused (see the findings); fix the misuse first" },
        { BURL_SEARCH_UNSURE_ENDED,
          "a failure ends the program before another thread can run; fix the failure first" },
        { BURL_SEARCH_UNSURE_OBJECT, "the memory of a lock, condition variable, barrier or "
                                     "semaphore is accessed directly; use its functions" },
        { BURL_SEARCH_UNSURE_THREADS, "there are more than 64 threads; test it with fewer" },
        { BURL_SEARCH_UNSURE_DEPTH, "executions have too many decisions; test it with less work" },
        { BURL_SEARCH_UNSURE_DIFFERS,
          "the same choices gave a different run; use --check-determinism to find the step" },
    };
    const struct burl_wire_result *r = &s->t->ctl->result;

    if (r->search_unsure & BURL_SEARCH_UNSURE_OUTSIDE)
        doubt_outside(s);
    look_at_calls(s);
    if (r->search_unsure & BURL_SEARCH_UNSURE_UNSEEN)
        doubt_unseen(s, r->search_site);
    if (r->search_unsure & BURL_SEARCH_UNSURE_HIDDEN)
        doubt_hidden(s, r->search_site);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (r->search_unsure & reasons[i].bit)
            note_doubt(s, reasons[i].text);
    }
    if (b->totals.cut > 0 && s->steps != 0) {
        give_up(s, "some executions are very long; use --strategy=exhaustive to continue");
    } else if (b->totals.cut > 0) {
        note_doubt(s, "executions were cut at --max-steps or --exec-timeout; raise them");
        s->dead = true; /* the next campaign may have other bounds */
    }
    if (b->by_verdict[BURL_VERDICT_UNSUPPORTED] > 0 || b->by_verdict[BURL_VERDICT_INTERNAL] > 0)
        give_up(s, "executions could not be controlled");
    if (r->irreversible)
        give_up(s, "executions changed state that the snapshot cannot restore; try --reset=fork");
    for (uint32_t k = 0; k < BURL_COUNTER__N; k++) {
        if (b->counters[k] > 0)
            note_doubt(s, burl_engine_counter_text(k));
    }
}

static void
count_executions(struct search *s, const struct burl_wire_result *r)
{
    s->total += r->n_done;
    s->work.first_seed += r->n_done;
    if (r->search_void > 0) {
        s->counted = 0;
        s->pruned = 0;
        s->campaigns = 1;
    }
    s->counted += r->n_done - (r->search_void < r->n_done ? r->search_void : r->n_done);
    s->pruned += r->search_pruned;
}

static bool
is_time_up(const struct search *s)
{
    return burl__campaign_interrupted(s->c) || burl__campaign_time_over(s->c);
}

/* Until the order is done. When the time is up the execution at hand is its last, so that the
 * position is not lost. */
static void
await_order(struct search *s)
{
    struct burl_target *t = s->t;
    int64_t asked_ms = 0;

    while (burl_target_poll(t) == BURL_TARGET_BUSY) {
        const int64_t now = burl_target_now_ms();

        if (asked_ms == 0 && is_time_up(s)) {
            burl_target_cut_order(t);
            asked_ms = now;
        } else if (asked_ms != 0 && now - asked_ms > GRACE_MS) {
            burl_target_kill(t, BURL_TARGET_INTERRUPTED);
            break;
        }
        s->c->pool.running_execs = burl_door_live_execs(&t->block);
        burl__campaign_progress(s->c);
        burl_target_wait_any(&t, 1, 100);
    }
    s->c->pool.running_execs = 0;
}

static bool
has_failure(const struct burl_batch *b)
{
    return b->totals.failures > 0 ||
           burl__batch_is_over(b, BURL_ORDER_F_STOP_AT_FINDING | BURL_ORDER_F_STOP_AT_SUSPECT);
}

/* What the order that is done has shown. */
static enum burl_status
collect_order(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    const struct burl_work work = s->work;
    struct burl_batch b = { .first_seed = work.first_seed };
    enum burl_status st;

    burl__covered_take(&b, s->t, s->t->ctl->result.n_done);
    burl__batch_add_result(&b, s->t->ctl);
    burl__campaign_learn(c, s->t);
    look_for_doubts(s, &b);
    s->complete = s->t->ctl->result.search == BURL_SEARCH_COMPLETE;
    s->failed |= has_failure(&b);
    count_executions(s, &s->t->ctl->result);
    burl__frontier_take(&s->at, s->t);
    if (burl_target_damage(s->t))
        give_up(s,
                "the program overwrote burl's control block (a wild write); fix the write first");
    if (!s->complete && s->at.n == 0)
        give_up(s, "its position cannot be determined");
    if (b.totals.executions == 0 && !is_time_up(s))
        give_up(s, "the search process made no progress");
    if (s->steps != 0)
        burl__batch_forget_cuts(&b); /* by a bound that is not the user's */
    st = burl__campaign_commit(c, &work, &b, err);
    if (st == BURL_OK && s->whole)
        st = burl__suspects_confirm(c, err);
    burl__batch_deinit(&b);
    return st;
}

/* The next executions of the search. */
static enum burl_status
continue_search(struct search *s, uint64_t n, struct burl_err *err)
{
    struct burl_wire_order o;
    enum burl_status st;

    burl__frontier_deinit(&s->from);
    s->from = s->at;
    s->at = (struct burl_frontier){ 0 };
    s->work.from = s->from.n > 0 ? &s->from : NULL;
    s->work.args.exhaustive.begin = s->begun ? 0 : 1;
    s->begun = true;
    o = burl__campaign_order(s->c, &s->work, s->work.first_seed, n);
    if (s->steps != 0 && s->steps < o.max_steps)
        o.max_steps = s->steps;
    st = burl_target_order(s->t, &o, NULL, err);
    if (st != BURL_OK)
        return st;
    s->c->pool.running_strategy = BURL_STRATEGY_EXHAUSTIVE;
    await_order(s);
    if (s->t->state == BURL_TARGET_IDLE)
        return collect_order(s, err);
    if (s->t->state == BURL_TARGET_INTERRUPTED || s->t->state == BURL_TARGET_LATE) {
        s->at = s->from;
        s->from = (struct burl_frontier){ 0 };
        pause_search(s, "out of time; raise --time, or continue in another run");
    } else {
        give_up(s, "the search process died");
    }
    return BURL_OK;
}

/* Have the executions so far shown sites that are no points yet? */
static bool
saw_new_points(const struct burl_campaign *c)
{
    return memcmp(c->learned.points, c->learned.points_next, c->learned.n_sites) != 0;
}

static void
begin_anew(struct search *s)
{
    s->counted = 0;
    s->pruned = 0;
    s->campaigns = 1;
    s->complete = false;
    s->failed = false;
    s->begun = false;
    burl__frontier_deinit(&s->at);
}

/* Continues where this campaign or an earlier one left it, if that position is still valid. */
static void
resume_search(struct search *s)
{
    struct burl_campaign *c = s->c;
    struct burl_campaign_memory_search *k = &c->proof.searched;
    struct burl_campaign_search *out = &c->stats->search;
    struct burl_search_identity now;
    const char *anew;

    burl__frontier_identify(&c->proof, s->t->ctl);
    now = burl__frontier_identity(c);
    anew = burl__frontier_differs(&now, &k->id);
    if (k->any && !anew && k->n_words == 0)
        anew = "its executions have too many decisions to store";
    if (k->any && !k->proven && !anew) {
        s->counted = k->executions;
        s->pruned = k->pruned;
        s->campaigns = k->executions > 0 ? k->campaigns + !c->proof.joined : 1;
        s->failed = k->failed;
        snprintf(s->why, s->why_b, "%s", k->why);
        s->at = (struct burl_frontier){ .words = burl_xmemdup(k->words, k->n_words * 8),
                                        .n = k->n_words };
        burl__frontier_put(&s->at, s->t);
        s->begun = true;
    } else {
        if (k->any && !k->proven && !c->proof.joined)
            snprintf(out->anew, sizeof out->anew, "%s", anew);
        burl__frontier_forget(k);
    }
    c->proof.joined = true;
}

/* Until it is complete, or there is no point in going on. */
static enum burl_status
search_once(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    enum burl_status st;

    begin_anew(s);
    s->n_calls = 0;
    s->points = burl__learned_hash_points(&c->learned);
    s->work.first_seed = burl__campaign_seed(c);
    s->work.flags |= BURL_ORDER_F_PATIENT; /* it claims to have tried all */
    st = burl__campaign_start(c, c->pool.reset, false, &s->t, err);
    if (st == BURL_OK && s->whole)
        resume_search(s);
    while (st == BURL_OK && !s->complete && !s->over && !c->plan.stop && !saw_new_points(c)) {
        const uint64_t left = s->most > s->total ? s->most - s->total : 0;
        const uint64_t chunk = s->counted == 0 ? FIRST_CHUNK : CHUNK;
        char count[BURL_COUNT_B];
        char text[96];

        if (s->counted == 0)
            snprintf(text, sizeof text, "no executions left; raise --runs");
        else
            snprintf(text, sizeof text, "cut at %s; %s", burl_count(s->counted, "schedule", count),
                     c->cfg->runs > 0 ? "raise --runs" : "--strategy=exhaustive tries all");
        if (is_time_up(s))
            pause_search(s, "out of time; raise --time, or continue in another run");
        else if (left == 0)
            pause_search(s, text);
        else
            st = continue_search(s, left < chunk ? left : chunk, err);
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
run_search(struct search *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    enum burl_status st = BURL_OK;

    s->why[0] = '\0';
    for (uint32_t i = 0; i < RESTARTS_MAX; i++) {
        uint32_t version;

        burl__campaign_adopt_points(c);
        version = c->learned.points_version;
        st = search_once(s, err);
        burl__campaign_adopt_points(c);
        if (st != BURL_OK || s->over || c->plan.stop || c->learned.points_version == version ||
            (!s->whole && s->why[0] != '\0'))
            return st;
        if (s->whole)
            s->why[0] = '\0'; /* doubts of the search before */
        s->complete = false;
    }
    give_up(s, "the set of shared memory kept growing");
    return st;
}

static void
search_deinit(struct search *s)
{
    burl__frontier_deinit(&s->from);
    burl__frontier_deinit(&s->at);
}

enum burl_status
burl__search(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    struct search s = {
        .c = c,
        .work = { .strategy = BURL_STRATEGY_EXHAUSTIVE,
                  .flags = BURL_ORDER_F_LEARN | BURL_ORDER_F_SPURIOUS,
                  .observers = (c->cfg->observers & BURL_ENGINE_COVER_OBS) | BURL_OB(LOCPAIRS) },
        .most = h->exhaustive_runs,
        .why = h->exhaustive_why,
        .why_b = sizeof h->exhaustive_why,
    };
    const enum burl_status st = run_search(&s, err);

    h->exhaustive_executions = s.total;
    h->exhaustive_complete = s.complete && s.why[0] == '\0';
    if (!s.complete)
        note_doubt(&s, s.ended);
    search_deinit(&s);
    return st;
}

static bool
is_remembered(const struct burl_campaign_memory_search *k, uint64_t fingerprint)
{
    for (size_t i = 0; i < k->n_failures; i++) {
        if (k->failures[i] == fingerprint)
            return true;
    }
    return false;
}

static void
remember_counts(struct burl_campaign *c)
{
    for (size_t i = 0; i < c->findings.known.n; i++)
        c->findings.known.v[i].before_search = c->findings.known.v[i].facts.count;
}

/* Did other schedules show a failure that the search did not? Then it missed interleavings. Races
 * are not counted, since directed executions end at them. */
static bool
missed_a_failure(const struct burl_campaign *c)
{
    for (size_t i = 0; i < c->findings.known.n; i++) {
        const struct burl_known *k = &c->findings.known.v[i];

        if (k->unstable == 0 && k->pair == 0 && k->facts.count > 0 &&
            k->facts.count == k->before_search &&
            !is_remembered(&c->proof.searched, k->facts.fingerprint))
            return true;
    }
    return false;
}

/* Failures of this part, so that the next does not miss them. */
static void
remember_failures(struct search *s)
{
    struct burl_campaign_memory_search *k = &s->c->proof.searched;

    for (size_t i = 0; i < s->c->findings.known.n; i++) {
        const struct burl_known *x = &s->c->findings.known.v[i];

        if (x->facts.count == x->before_search || is_remembered(k, x->facts.fingerprint))
            continue;
        if (k->n_failures >= FAILURES_MAX) {
            s->dead = true;
            return;
        }
        k->failures = burl_xreallocarray(k->failures, k->n_failures + 1, sizeof *k->failures);
        k->failures[k->n_failures++] = x->facts.fingerprint;
    }
}

/* Keeps the position for the next part, here or in another campaign. A complete search that is no
 * proof is not kept. */
static void
keep_position(struct search *s)
{
    struct burl_campaign *c = s->c;
    struct burl_campaign_memory_search *k = &c->proof.searched;
    const struct burl_campaign_stats *st = c->stats;

    remember_failures(s);
    k->proven = st->search.complete && !s->failed && st->n_findings == 0 && st->all.failures == 0;
    if (s->complete ? !k->proven : s->dead || s->at.n == 0) {
        burl__frontier_forget(k);
        return;
    }
    free(k->words);
    k->any = true;
    k->failed = s->failed;
    k->reads_files = s->reads_files;
    k->executions = s->counted;
    k->pruned = s->pruned;
    k->campaigns = s->campaigns;
    snprintf(k->why, sizeof k->why, "%s", s->why);
    k->words = s->complete ? NULL : s->at.words;
    k->n_words = s->complete ? 0 : s->at.n;
    if (!s->complete)
        s->at = (struct burl_frontier){ 0 };
    k->id = burl__frontier_identity(c);
    k->id.points = s->points;
    k->when_ms = (int64_t)time(NULL) * 1000;
    c->learned.n_new_points = 0;
}

enum burl_status
burl__search_whole(struct burl_campaign *c, uint64_t max, uint64_t max_steps, struct burl_err *err)
{
    struct burl_campaign_search *out = &c->stats->search;
    const bool first_only = c->cfg->stop_at_first && !c->hooks->hidden;
    struct search s = {
        .c = c,
        .work = { .strategy = BURL_STRATEGY_EXHAUSTIVE,
                  .flags = BURL_ORDER_F_LEARN | c->cfg->inject |
                           (first_only ? BURL_ORDER_F_STOP_AT_FINDING | BURL_ORDER_F_STOP_AT_SUSPECT
                                       : 0u),
                  .observers = c->cfg->observers & (BURL_ENGINE_COVER_OBS | BURL_OB(RACE)) },
        .whole = true,
        .most = max,
        .steps = max_steps,
        .total = c->proof.executions,
        .why = out->why,
        .why_b = sizeof out->why,
    };
    enum burl_status st;

    remember_counts(c);
    st = run_search(&s, err);
    c->proof.executions = s.total;
    c->proof.hopeless = s.complete || s.dead;
    if (!s.complete)
        keep_position(&s);
    if (s.complete && missed_a_failure(c))
        note_doubt(&s, "it did not reproduce a failure of other schedules");
    for (size_t i = 0; i < c->stats->n_unstable; i++) {
        if (c->stats->unstable[i].count > 0)
            note_doubt(&s, "a failure was not reproduced");
    }
    if (c->stats->n_crowded > 0)
        note_doubt(&s, "the program fails when other processes of it run at the same time");
    if (!s.complete)
        note_doubt(&s, s.ended[0] != '\0' ? s.ended : "it stopped at a failure");
    out->executions = s.counted;
    out->inject = c->cfg->inject;
    out->pruned = s.pruned;
    out->failed = s.failed;
    out->campaigns = s.campaigns;
    out->complete = s.complete && s.why[0] == '\0';
    if (s.complete)
        keep_position(&s);
    search_deinit(&s);
    return st;
}

/* Did something happen that no interleaving of a proven test shows? */
static bool
contradicts_proof(const struct burl_campaign *c)
{
    const struct burl_campaign_stats *st = c->stats;

    for (size_t i = 0; i < st->n_suspects; i++) {
        if (st->suspects[i].suspect.kind == BURL_SUSPECT_RACE ||
            st->suspects[i].suspect.kind == BURL_SUSPECT_REGION)
            return true;
    }
    return st->n_findings > 0 || st->all.failures > 0 || st->nondeterministic ||
           c->learned.n_new_points > 0;
}

bool
burl__search_proven(struct burl_campaign *c)
{
    struct burl_campaign_memory_search *k = &c->proof.searched;
    struct burl_campaign_search *out = &c->stats->search;
    const int strategy = c->cfg->strategy;
    struct burl_search_identity now;
    const char *anew;

    if (!k->any || !k->proven || c->plan.fixed_opening || c->cfg->check_determinism ||
        (strategy != BURL_CAMPAIGN_AUTO && strategy != BURL_STRATEGY_EXHAUSTIVE))
        return false;
    burl__campaign_adopt_points(c);
    now = burl__frontier_identity(c);
    if (c->learned.n_new_points == 0)
        k->id.points = now.points; /* more that are only aimed at change nothing */
    anew = contradicts_proof(c) ? "the runs are not deterministic"
                                : burl__frontier_differs(&now, &k->id);
    if (anew) {
        snprintf(out->anew, sizeof out->anew, "%s", anew);
        burl__frontier_forget(k);
        return false;
    }
    out->executions = k->executions;
    out->inject = c->cfg->inject;
    out->pruned = k->pruned;
    out->campaigns = k->campaigns;
    out->complete = true;
    out->earlier = true;
    out->when_ms = k->when_ms;
    return true;
}

/* The same execution again: the search from where its order began to there, the last one recorded.
 * What ends at an observer's verdict does so in the last one only. */
enum burl_status
burl__search_record(struct burl_campaign *c, const struct burl_work *w, uint64_t ordinal,
                    struct burl_run *run, struct burl_err *err)
{
    struct burl_work before = *w;
    struct burl_work last = *w;
    struct burl_wire_order o;
    struct burl_target *t;
    enum burl_status st = burl__campaign_start(c, c->pool.reset, false, &t, err);

    memset(run, 0, sizeof *run);
    if (st != BURL_OK)
        return st;
    before.flags &= BURL_ORDER_F_KEPT;
    before.stop_key = 0;
    before.args.exhaustive.begin = w->from ? 0 : 1;
    last.flags = before.flags | BURL_ORDER_F_RECORD;
    last.args.exhaustive.begin = ordinal == 0 ? before.args.exhaustive.begin : 0;
    if (w->from)
        burl__frontier_put(w->from, t);
    c->stats->extra_executions += ordinal + 1;
    if (ordinal > 0) {
        o = burl__campaign_order(c, &before, w->first_seed, ordinal);
        st = burl_target_order(t, &o, NULL, err);
        if (st == BURL_OK &&
            (burl_target_wait(t) != BURL_TARGET_IDLE || t->ctl->result.n_done != ordinal)) {
            run->verdict.kind = BURL_VERDICT_INTERNAL; /* it is not reproduced */
            run->diverged_at = UINT32_MAX;
            if (t->state == BURL_TARGET_LATE)
                st = burl_err_set(err, BURL_E_TIME, 0,
                                  "--time was over before the search came there");
            burl_target_stop(t);
            return st;
        }
    }
    if (st == BURL_OK) {
        o = burl__campaign_order(c, &last, w->first_seed + ordinal, 1);
        st = burl__run_in(t, &o, NULL, run, err);
    }
    burl_target_stop(t);
    return st;
}
