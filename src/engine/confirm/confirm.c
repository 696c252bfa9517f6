/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/confirm.c - from a failure to a finding.
 *
 * Runs in the host. A failure seen in the pool is only a suspect: the process had
 * run thousands of executions before. It becomes a finding when
 *   1. its seed fails the same way in a fresh process, which records the switches,
 *   2. the recorded switches, followed in another fresh process, fail the same way
 *      with the same trace hash,
 *   3. after minimizing, the schedule to keep does so in CONFIRM_TRIES fresh processes.
 * Otherwise something burl does not control decides (time, randomness, the outside
 * world, or an inexact snapshot) and it is listed as unstable, with the step at
 * which it was lost. The error is on the safe side: a finding shown can be replayed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/confirm/move.h"
#include "engine/engine_int.h"

/* Each costs a process start. Three catch a coin flip with 7 in 8. */
#define CONFIRM_TRIES 3u
/* A failure that could not be confirmed gets another chance with another seed this often. */
#define SUSPECT_TRIES 3u

/*
 * Minimizing is for people: after a few seconds they would rather see the finding. But the same
 * seed must give the same schedule on a busy machine and on an idle one, so the seconds are
 * nominal: counted from what the executions did, at the cost bench/ measures, never from a clock.
 * The clock only ends what is slower than that by an order of magnitude.
 */
static const struct burl_minimize_budget minimize_budget = { .max_execs = 2000, .max_ms = 60000 };
/* A schedule with more switches is a file of megabytes. It is shortened coarsely even when there is
 * no time or no wish to minimize: most such executions fail as well without all of them. */
#define MANY_SWITCHES 10000u
static const struct burl_minimize_budget coarse_budget = { .max_execs = 6, .max_ms = 2000 };
/* Exploring comes first: confirming may cost as much as 1 in so many of what was explored. What it
 * has no share for waits, to the end of the campaign if need be. */
#define CONFIRM_PART 2u

struct candidate {
    struct burl_campaign *c;
    const struct burl_work *w;
    uint64_t seed;
    uint64_t fingerprint;
    uint32_t confirmed; /* processes that followed the schedule to keep */
    size_t known;       /* index into c->findings.known */
    bool goal_hit;      /* the goal was reached before it failed */
    bool vast;          /* it has a schedule, with too many switches for a file */
    struct burl_campaign_race race;
    struct burl_outcome_failure after; /* races: a failure that followed */
    char why[200];                     /* it is not a finding */
};

struct burl_found
burl__campaign_found(const struct burl_campaign *c, const struct burl_work *w,
                     const struct burl_batch *b, uint64_t first, uint64_t seed)
{
    const uint64_t before = seed > b->first_seed ? seed - b->first_seed : 0;
    const uint64_t each = w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;
    const uint64_t in_batch = before * each + 1;
    const uint64_t n = b->totals.executions;

    return (struct burl_found){ .after = first + before + 1,
                                .execution =
                                    c->stats->all.executions - n + (in_batch < n ? in_batch : n),
                                .ms = burl_target_now_ms() - c->plan.started_ms };
}

static bool
same_failure(const struct candidate *s, const struct burl_run *run)
{
    const struct burl_campaign *c = s->c;

    return burl_verdict_is_finding(run->verdict.kind) &&
           burl__findings_fingerprint(&c->findings, &run->verdict) == s->fingerprint;
}

/* Does the execution end at an observer's verdict? */
static bool
stops_at_suspect(const struct burl_work *w)
{
    return w->stop_key != 0 && w->stop.kind != BURL_SUSPECT_MISUSE;
}

static struct burl_wire_order
replay_order(const struct candidate *s, size_t n_switches)
{
    struct burl_wire_order o = burl__campaign_order(s->c, s->w, s->seed, 1);

    o.strategy = BURL_STRATEGY_REPLAY;
    o.flags = (o.flags & BURL_ORDER_F_KEPT) | BURL_ORDER_F_RECORD;
    o.args = burl__replay_args(n_switches);
    /* What ends at an observer's verdict needs the observer; all else is cheaper without. */
    o.observers = stops_at_suspect(s->w) ? s->w->observers : 0;
    return o;
}

/* One execution in a process of its own, counted as confirmation. */
static enum burl_status
exec_fresh(struct candidate *s, const struct burl_wire_order *order,
           const struct burl_wire_switch *sched_in, struct burl_run *run, struct burl_err *err)
{
    struct burl_target *t;
    enum burl_status st = burl__run_fresh(s->c, order, sched_in, run, &t, err);

    if (!t)
        return st;
    s->c->plan.confirmed_ns +=
        BURL__NOMINAL_START_NS +
        burl__nominal_cost(s->c->pool.engine, burl__speed_nominal(s->c), run);
    if (st == BURL_OK)
        st = burl__campaign_see(s->c, t, err);
    burl_target_stop(t);
    return st;
}

/* A search parks threads that wait in loops (rt/search/await.c), a replay passes them over; and
 * switches beyond those that the record has room for are made by a replay's own policy. Further
 * replays are compared with the steps of a replay. */
static enum burl_status
adopt_replay(struct candidate *s, struct burl_run *run, struct burl_err *err)
{
    const struct burl_wire_order o = replay_order(s, run->n_switches);
    struct burl_run again;
    enum burl_status st = exec_fresh(s, &o, run->switches, &again, err);

    if (st != BURL_OK)
        return st;
    if (same_failure(s, &again)) {
        burl_run_deinit(run);
        *run = again;
    } else {
        burl_run_deinit(&again);
    }
    return BURL_OK;
}

/* Step 1: the seed again. *run holds the recorded switches when *ok. */
static enum burl_status
rerun_seed(struct candidate *s, struct burl_run *run, bool *ok, struct burl_err *err)
{
    struct burl_wire_order o = burl__campaign_order(s->c, s->w, s->seed, 1);
    enum burl_status st;

    o.flags = (o.flags & BURL_ORDER_F_KEPT) | BURL_ORDER_F_RECORD;
    if (!stops_at_suspect(s->w) && s->w->strategy != BURL_STRATEGY_DIRECTED)
        o.observers = 0;
    if (s->w->strategy == BURL_STRATEGY_EXHAUSTIVE)
        st = burl__search_record(s->c, s->w, s->seed - s->w->first_seed, run, err);
    else
        st = exec_fresh(s, &o, s->w->sched, run, err);
    if (st != BURL_OK)
        return st;
    s->goal_hit = run->goal_hit != 0;
    *ok = same_failure(s, run);
    if (*ok && (s->w->strategy == BURL_STRATEGY_EXHAUSTIVE || run->is_cut))
        return adopt_replay(s, run, err);
    if (!*ok)
        snprintf(s->why, sizeof s->why, "the same seed in a fresh process gave %s",
                 burl_verdict_name(run->verdict.kind));
    return BURL_OK;
}

/* Steps 2 and 3: `tries` fresh processes follow the switches; the last one is traced when
 * `trace` is set and left in *out. *shown counts those that failed the same way. */
static enum burl_status
replay_fresh(struct candidate *s, const struct burl_wire_switch *switches, size_t n, uint32_t tries,
             bool trace, uint64_t *hash, uint32_t *shown, struct burl_run *out,
             struct burl_err *err)
{
    struct burl_wire_order o = replay_order(s, n);
    enum burl_status st = BURL_OK;

    *shown = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < tries && st == BURL_OK; i++) {
        if (trace && i + 1 == tries)
            o.flags |= BURL_ORDER_F_TRACE;
        burl_run_deinit(out);
        st = exec_fresh(s, &o, switches, out, err);
        if (st != BURL_OK)
            break;
        if (*hash == 0)
            *hash = out->trace_hash;
        if (!same_failure(s, out))
            snprintf(s->why, sizeof s->why, "replaying its schedule in a fresh process gave %s",
                     burl_verdict_name(out->verdict.kind));
        else if (out->trace_hash != *hash)
            snprintf(s->why, sizeof s->why,
                     "replaying its schedule failed the same way, but with different steps");
        else
            ++*shown;
    }
    return st;
}

/* ---- minimizing -------------------------------------------------------------------- */

struct minimizer {
    struct candidate *s;
    struct burl_target *t;
    struct burl_run run; /* of the last candidate; owns what it recorded */
    uint64_t spent_ns;   /* nominal, */
    uint64_t budget_ns;  /* and at most */
};

/* The minimizer's process is used for many executions; when it is lost, so is the attempt. */
static bool
try_candidate(void *arg, const struct burl_wire_switch *candidate, size_t n,
              struct burl_minimize_shown *shown, bool *give_up)
{
    struct minimizer *m = arg;
    const struct burl_wire_order o = replay_order(m->s, n);
    struct burl_err ignored;

    burl_run_deinit(&m->run);
    if (m->spent_ns >= m->budget_ns) {
        *give_up = true;
        return false;
    }
    m->s->c->stats->extra_executions++;
    if (burl__run_in(m->t, &o, candidate, &m->run, &ignored) != BURL_OK) {
        *give_up = true;
        return false;
    }
    m->spent_ns += burl__nominal_cost(m->s->c->pool.engine, burl__speed_nominal(m->s->c), &m->run);
    if (m->t->state != BURL_TARGET_IDLE) {
        m->spent_ns += BURL__NOMINAL_START_NS;
        burl_target_stop(m->t);
        m->t = NULL;
        if (burl__campaign_start(m->s->c, m->s->c->pool.reset, false, &m->t, &ignored) != BURL_OK)
            *give_up = true;
        return false;
    }
    if (!same_failure(m->s, &m->run))
        return false;
    *shown = (struct burl_minimize_shown){ m->run.switches, m->run.n_switches, m->run.steps };
    return true;
}

/* Sites of accesses are worth a preemption only where threads meet; synchronization always is. */
static bool
is_promising(const struct burl_campaign *c, const struct burl_wire_event *e)
{
    static const bool sync[] = {
#define BURL_X(name, text, s) s,
        BURL_WIRE_OPS(BURL_X)
#undef BURL_X
    };

    return sync[e->kind] || burl__learned_is_next_point(&c->learned, e->site);
}

static size_t
list_points(void *arg, const struct burl_wire_switch *sw, size_t n,
            struct burl_minimize_point **out)
{
    struct minimizer *m = arg;
    struct burl_wire_order o = replay_order(m->s, n);
    struct burl_run run;
    struct burl_err ignored;
    size_t used = 0;

    *out = NULL;
    o.flags |= BURL_ORDER_F_TRACE;
    if (!m->t || m->t->state != BURL_TARGET_IDLE ||
        burl__run_in(m->t, &o, sw, &run, &ignored) != BURL_OK)
        return 0;
    m->s->c->stats->extra_executions++;
    *out = burl_xcalloc(run.n_events + 1, sizeof **out);
    for (size_t i = 0; i < run.n_events; i++) {
        const struct burl_wire_event *e = &run.events[i];

        if (burl__engine_is_visible(e->kind))
            (*out)[used++] = (struct burl_minimize_point){ .op = e->op,
                                                           .site = e->site,
                                                           .tid = e->tid,
                                                           .kind = e->kind,
                                                           .promising = is_promising(m->s->c, e) };
    }
    burl_run_deinit(&run);
    return used;
}

/* Never fails: without a process to try in, the schedule stays as it is. */
static void
minimize_run(struct candidate *s, const struct burl_run *found, struct burl_minimize_result *out)
{
    struct burl_minimize_budget budget = burl__pace_minimize(s->c, &minimize_budget);
    struct minimizer m = { .s = s, .budget_ns = burl__nominal_minimize_ns(s->c->cfg->time_ms) };
    struct burl_err ignored;

    if (s->c->cfg->no_minimize)
        budget.max_ms = 0;
    if (budget.max_ms <= 0 && found->n_switches > MANY_SWITCHES)
        budget = coarse_budget;
    if (budget.max_ms > 0 &&
        burl__campaign_start(s->c, s->c->pool.reset, false, &m.t, &ignored) == BURL_OK) {
        burl_minimize(out, found->switches, found->n_switches, try_candidate, list_points, &m,
                      &budget);
    } else {
        memset(out, 0, sizeof *out);
        out->switches = burl_xmemdup(found->switches, found->n_switches * sizeof *found->switches);
        out->n = found->n_switches;
        out->n_preemptions = burl_minimize_count_preemptions(out->switches, out->n);
        out->n_preemptions_before = out->n_preemptions;
    }
    s->c->plan.confirmed_ns += m.spent_ns + BURL__NOMINAL_START_NS;
    burl_run_deinit(&m.run);
    burl_target_stop(m.t);
}

/* ---- one step moved ---------------------------------------------------------------- */

struct mover {
    struct candidate *s;
    struct burl_target *t; /* NULL: none yet, or lost */
    const struct burl_run *failing;
};

static bool
try_moved(void *arg, const struct burl_wire_switch *switches, size_t n, struct burl_run *out,
          bool *same)
{
    struct mover *m = arg;
    struct burl_campaign *c = m->s->c;
    struct burl_wire_order o = replay_order(m->s, n);
    struct burl_err ignored;

    if (burl__campaign_interrupted(c) || burl__campaign_time_over(c) ||
        (!m->t && burl__campaign_start(c, c->pool.reset, false, &m->t, &ignored) != BURL_OK))
        return false;
    o.flags |= BURL_ORDER_F_TRACE;
    c->stats->extra_executions++;
    if (burl__run_in(m->t, &o, switches, out, &ignored) != BURL_OK)
        return false;
    if (m->t->state != BURL_TARGET_IDLE) {
        burl_target_stop(m->t);
        m->t = NULL;
        burl_run_deinit(out);
        return false;
    }
    *same = same_failure(m->s, out);
    return true;
}

static enum burl_run_moved
move_step(void *arg, const struct burl_run_move *move)
{
    struct mover *m = arg;

    return burl_move_try(m->failing, move, try_moved, m);
}

/* ---- the whole way ----------------------------------------------------------------- */

/* Further pairs of sites that race on the same variable, as far as they are known. */
static size_t
list_pairs(const struct candidate *s, struct burl_wire_suspect **out)
{
    const struct burl_campaign_stats *st = s->c->stats;
    size_t n = 0;

    *out = burl_xcalloc(st->n_suspects + 1, sizeof **out);
    for (size_t i = 0; i < st->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &st->suspects[i];

        if (e->fingerprint == s->fingerprint && e->suspect.kind == BURL_SUSPECT_RACE &&
            e->suspect.key != s->w->stop_key)
            (*out)[n++] = e->suspect;
    }
    return n;
}

static bool
is_observed(uint8_t kind)
{
    return kind == BURL_VERDICT_RACE_DATA || kind == BURL_VERDICT_ATOMICITY_REGION;
}

static enum burl_status
report_finding(struct candidate *s, const struct burl_run *run,
               const struct burl_minimize_result *m, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    const bool observed = is_observed(run->verdict.kind);
    struct burl_wire_suspect *pairs;
    const size_t n_pairs = list_pairs(s, &pairs);
    const struct burl_wire_suspect *aimed =
        s->w->suspect != 0 ? &c->stats->suspects[s->w->suspect - 1].suspect : NULL;
    const bool predicted = aimed && aimed->kind != BURL_SUSPECT_WAKEUP && (s->goal_hit || observed);
    struct mover mover = { .s = s, .failing = run };
    struct burl_known *k = &c->findings.known.v[s->known];
    struct burl_campaign_finding cf = {
        .run = run,
        .facts = k->facts,
        .strategy = s->w->strategy,
        .param = burl_wire_args_number(s->w->strategy, &s->w->args),
        .order_flags = burl__campaign_kept_flags(c, s->w),
        .engine = (uint32_t)c->pool.engine,
        .reset = (uint32_t)c->pool.reset,
        .race = s->race,
        .pairs = pairs,
        .n_pairs = run->verdict.kind == BURL_VERDICT_RACE_DATA ? n_pairs : 0,
        .suspect = predicted ? aimed : NULL,
        .rerun = s->w->rerun,
        .moved = move_step,
        .moved_arg = &mover,
    };
    enum burl_status st;

    cf.facts.seed = s->seed;
    cf.facts.sequential = !observed && burl__findings_fails_clean(&c->findings, s->fingerprint);
    cf.facts.confirmed = s->confirmed;
    cf.facts.confirm_tries = s->confirmed;
    cf.facts.n_preemptions_found = m->n_preemptions_before;
    cf.facts.minimize_execs = m->n_execs;
    cf.facts.minimized_fully = m->finished;
    if (observed) {
        cf.observers = s->w->observers;
        cf.stop = s->w->stop;
        if (cf.stop.kind == BURL_SUSPECT_POTENTIAL)
            cf.stop.kind = BURL_SUSPECT_RACE; /* the same key: it has happened */
        memcpy(cf.stop_ops, s->w->stop_ops, sizeof cf.stop_ops);
        k->pair = s->w->stop_key;
    } else if (s->w->stop.kind == BURL_SUSPECT_MISUSE) {
        cf.stop = s->w->stop;
        memcpy(cf.stop_ops, s->w->stop_ops, sizeof cf.stop_ops);
    }
    if (k->unstable) {
        c->stats->unstable[k->unstable - 1].count = 0; /* it was not, after all */
        k->unstable = 0;
    }
    k->reported = true;
    c->stats->n_findings++;
    burl__portfolio_finding(c, s->w);
    st = c->hooks->finding(c->hooks->arg, &cf, err);
    burl_target_stop(mover.t);
    free(pairs);
    return st;
}

static void
list_unstable(struct candidate *s, const struct burl_wire_failure *f)
{
    struct burl_campaign_stats *st = s->c->stats;
    struct burl_known *k = &s->c->findings.known.v[s->known];
    struct burl_campaign_unstable *u;

    if (k->unstable)
        return;
    st->unstable = burl_xreallocarray(st->unstable, st->n_unstable + 1, sizeof *st->unstable);
    u = &st->unstable[st->n_unstable++];
    *u = (struct burl_campaign_unstable){ .verdict = f->verdict,
                                          .fingerprint = s->fingerprint,
                                          .strategy = s->w->strategy,
                                          .seed = s->seed,
                                          .count = k->facts.count };
    u->vast = s->vast;
    snprintf(u->why, sizeof u->why, "%s", s->why);
    k->unstable = st->n_unstable;
}

/* Does it fail without any preemption too? Asked when there is a failure and the clean run was not
 * made yet; what ends at an observer's verdict is no failure of that run. */
static enum burl_status
judge_clean(struct candidate *s, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    const struct burl_work w = { .strategy = BURL_STRATEGY_NONPREEMPTIVE,
                                 .flags = BURL_ORDER_F_STRICT_TIME | BURL_ORDER_F_ALL_POINTS,
                                 .n = 1 };
    const struct burl_wire_order o = burl__campaign_order(c, &w, 0, 1);
    struct burl_batch b = { 0 };
    struct burl_run run;
    struct burl_target *t;
    enum burl_status st;

    if (c->findings.clean_done || stops_at_suspect(s->w))
        return BURL_OK;
    st = burl__run_fresh(c, &o, NULL, &run, &t, err);
    if (st == BURL_OK)
        st = burl__campaign_see(c, t, err);
    if (st == BURL_OK) {
        c->stats->schedules++;
        if (t->state == BURL_TARGET_IDLE)
            burl__batch_add_result(&b, t->ctl);
        else
            burl__batch_add_verdict(&b, 0, &run.verdict);
        burl__choose_note_clean(c, &b);
    }
    burl__batch_deinit(&b);
    burl_run_deinit(&run);
    burl_target_stop(t);
    return st;
}

/* What else a report says of a finding. It is one without, if the time ends here. */
static enum burl_status
examine_confirmed(struct candidate *s, const struct burl_run *run, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (run->verdict.kind == BURL_VERDICT_RACE_DATA && !burl__pace_is_hasty(s->c))
        st = burl__outcome(s->c, &run->verdict, &s->race, &s->after, err);
    if (st == BURL_OK)
        st = judge_clean(s, err);
    return st == BURL_E_TIME ? BURL_OK : st;
}

/* Steps 2 and 3. *ok false: not a finding, s->why says why. */
static enum burl_status
establish_finding(struct candidate *s, const struct burl_run *found, bool *ok, struct burl_err *err)
{
    struct burl_minimize_result m = { 0 };
    struct burl_run run = { 0 };
    uint64_t hash = found->trace_hash;
    uint32_t shown;
    const bool hasty = burl__pace_is_hasty(s->c);
    uint32_t tries = hasty ? 1 : CONFIRM_TRIES;
    enum burl_status st = BURL_OK;

    *ok = false;
    if (!hasty) {
        st =
            replay_fresh(s, found->switches, found->n_switches, 1, false, &hash, &shown, &run, err);
        burl_run_deinit(&run);
        if (st != BURL_OK || shown == 0)
            return st;
    }
    minimize_run(s, found, &m);
    if (m.n > BURL__KEPT_SWITCHES) {
        s->vast = true;
        snprintf(s->why, sizeof s->why,
                 "it is reproduced, but its schedule has more than " BURL__KEPT_SWITCHES_TEXT
                 " switches, too many for a file; give the program less to do");
        free(m.switches);
        return BURL_OK;
    }
    if (m.n_execs > 0)
        hash = 0;
    else
        hash = found->trace_hash;
    tries = burl__pace_is_hasty(s->c) ? 1 : CONFIRM_TRIES;
    st = replay_fresh(s, m.switches, m.n, tries, true, &hash, &shown, &run, err);
    if (st == BURL_OK && shown < tries) {
        /* The reduced schedule is on an edge; the one that was found is not minimal but true. */
        burl_run_deinit(&run);
        hash = found->trace_hash;
        m.n_preemptions = m.n_preemptions_before;
        m.finished = false;
        st = replay_fresh(s, found->switches, found->n_switches, tries, true, &hash, &shown, &run,
                          err);
    }
    s->confirmed = shown;
    if (st == BURL_OK && shown == tries)
        st = examine_confirmed(s, &run, err);
    if (st == BURL_OK && shown == tries) {
        *ok = true;
        st = report_finding(s, &run, &m, err);
    }
    burl_run_deinit(&run);
    free(m.switches);
    return st;
}

/* Counts the failure. True when it needs no more work. */
static bool
is_settled(struct candidate *s, const struct burl_wire_failure *f, const struct burl_found *found)
{
    struct burl_campaign *c = s->c;
    struct burl_known *k;

    s->known = burl__findings_of_key(&c->findings, f->key);
    if (s->known == SIZE_MAX)
        s->known = burl__findings_add_key(&c->findings, f->key,
                                          burl__findings_fingerprint(&c->findings, &f->verdict));
    k = &c->findings.known.v[s->known];
    s->fingerprint = k->facts.fingerprint;
    burl__findings_count(k, f->count, found);
    if (k->unstable)
        c->stats->unstable[k->unstable - 1].count = k->facts.count;
    if (k->tries > 0 && (k->unstable == 0 || k->tries >= SUSPECT_TRIES))
        return true;
    k->tries++;
    return false;
}

static bool
is_hidden(struct burl_campaign *c, const struct burl_wire_failure *f)
{
    struct burl_hidden_key k = { .key = f->key };

    if (!c->hooks->hidden)
        return false;
    for (size_t i = 0; i < c->findings.hidden.n; i++) {
        if (c->findings.hidden.v[i].key == f->key)
            return c->findings.hidden.v[i].hidden;
    }
    k.hidden = c->hooks->hidden(c->hooks->arg, &f->verdict);
    BURL_VEC_PUSH(&c->findings.hidden, k);
    return k.hidden;
}

/* A failure that also comes without spurious wakeups and faults is shown without them. */
static enum burl_status
prefer_plain(struct candidate *s, struct burl_run *found, struct burl_work *plain,
             struct burl_err *err)
{
    struct candidate t = *s;
    struct burl_run run = { 0 };
    bool ok = false;
    enum burl_status st;

    if (burl__plain_is(found) || burl__pace_is_hasty(s->c) ||
        !burl__plain_find(s->c, s->w, s->seed, s->fingerprint, found, plain))
        return BURL_OK;
    t.w = plain;
    t.seed = plain->first_seed;
    st = rerun_seed(&t, &run, &ok, err);
    if (st == BURL_OK && ok) {
        burl_run_deinit(found);
        *found = run;
        *s = t;
    } else {
        burl_run_deinit(&run);
    }
    return st;
}

/* Ends with a finding or an unstable failure; ok: it was reproduced. */
static enum burl_status
conclude_candidate(struct candidate *s, const struct burl_wire_failure *f, struct burl_run *found,
                   bool ok, struct burl_err *err)
{
    struct burl_campaign *c = s->c;
    struct burl_work plain;
    enum burl_status st = BURL_OK;

    if (ok)
        st = prefer_plain(s, found, &plain, err);
    if (st == BURL_OK && ok)
        st = establish_finding(s, found, &ok, err);
    burl_run_deinit(found);
    if (st == BURL_OK && !ok &&
        burl__pool_blames_crowd(c, c->findings.known.v[s->known].facts.count)) {
        c->findings.known.v[s->known].tries = 0;
        c->findings.known.v[s->known].facts.count = 0;
    } else if (st == BURL_OK && !ok) {
        list_unstable(s, f);
        /* Another strategy may show it in a way that can be repeated. */
        if (s->w->strategy == BURL_STRATEGY_EXHAUSTIVE)
            c->findings.known.v[s->known].tries = 0;
    }
    if (st == BURL_OK && ok && burl__campaign_ends_at(c, f->verdict.kind))
        burl__campaign_end(c, BURL_CAMPAIGN_END_FIRST);
    else if (st == BURL_OK && s->after.any)
        /* It is no race: no deeper than this. */
        st = burl__confirm(c, &s->after.work, &s->after.failure, &s->after.found, err);
    return st;
}

static bool
has_share(const struct burl_campaign *c)
{
    return c->plan.confirmed_ns <= c->plan.explored_ns / CONFIRM_PART;
}

/* Once its schedule is recorded a failure can wait: what was explored meanwhile changes points and
 * profile, and with them what a seed does, but not what a schedule does. */
static bool
may_wait(const struct candidate *s, const struct burl_wire_failure *f)
{
    return !s->c->cfg->verify_only && !burl__campaign_ends_at(s->c, f->verdict.kind) &&
           s->w->rerun == 0 && !s->c->plan.stop && !burl__campaign_interrupted(s->c) &&
           !burl__campaign_time_over(s->c) && (s->c->findings.waiting.n > 0 || !has_share(s->c));
}

static void
leave_waiting(struct candidate *s, const struct burl_wire_failure *f, struct burl_run *found)
{
    struct burl_waiting_failure *w = BURL_VEC_ADD(&s->c->findings.waiting);

    *w = (struct burl_waiting_failure){
        .work = *s->w, .failure = *f, .run = *found, .known = s->known, .goal_hit = s->goal_hit
    };
    w->work.from = NULL; /* borrowed, and of no use to a replay */
    if (is_observed(f->verdict.kind))
        s->c->findings.known.v[s->known].pair = s->w->stop_key; /* it is counted meanwhile */
    memset(found, 0, sizeof *found);
}

/* There was no time: a race is an untried suspect again, anything else is listed. */
static enum burl_status
leave_unconfirmed(struct candidate *s, const struct burl_wire_failure *f)
{
    struct burl_campaign *c = s->c;

    if (c->findings.known.v[s->known].reported)
        return BURL_OK; /* and what followed from it was not confirmed */
    if (is_observed(f->verdict.kind)) {
        c->findings.known.v[s->known].tries = 0;
        burl__suspects_settle(c, s->fingerprint, BURL_GOAL_STATE_UNTRIED);
        return BURL_OK;
    }
    snprintf(s->why, sizeof s->why, "--time was over before it was confirmed; raise --time");
    list_unstable(s, f);
    c->stats->unstable[c->findings.known.v[s->known].unstable - 1].late = true;
    return BURL_OK;
}

enum burl_status
burl__confirm(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_failure *f,
              const struct burl_found *when, struct burl_err *err)
{
    const bool misuse = burl_wire_is_misuse(f->verdict.kind);
    const struct burl_work stopping = misuse ? burl__stop_at_misuse(w, &f->verdict) : *w;
    struct candidate s = { .c = c, .w = &stopping, .seed = f->seed };
    struct burl_run found = { 0 };
    bool ok = false;
    enum burl_status st;

    if (is_hidden(c, f) || is_settled(&s, f, when))
        return BURL_OK;
    burl__pool_quiet(c);
    st = burl__pace_is_over(c) ? BURL_E_TIME : rerun_seed(&s, &found, &ok, err);
    if (st == BURL_OK && ok && may_wait(&s, f)) {
        leave_waiting(&s, f, &found);
        return BURL_OK;
    }
    if (st == BURL_OK)
        st = conclude_candidate(&s, f, &found, ok, err);
    else
        burl_run_deinit(&found);
    return st == BURL_E_TIME ? leave_unconfirmed(&s, f) : st;
}

/* Either it is a finding then, or it is not, or, when it is a race for which there was no time
 * after all, an untried suspect. */
static enum burl_status
end_wait(struct burl_campaign *c, struct burl_waiting_failure *w, struct burl_err *err)
{
    struct burl_known *k = &c->findings.known.v[w->known];
    struct candidate s = { .c = c,
                           .w = &w->work,
                           .seed = w->failure.seed,
                           .fingerprint = k->facts.fingerprint,
                           .known = w->known,
                           .goal_hit = w->goal_hit };
    enum burl_status st;

    if (k->reported) { /* by another that waited: the first one was not reproduced at once */
        burl_run_deinit(&w->run);
        burl__suspects_settle(c, s.fingerprint, BURL_GOAL_STATE_CONFIRMED);
        return BURL_OK;
    }
    if (burl__pace_is_over(c) ||
        (is_observed(w->failure.verdict.kind) && burl__suspects_out_of_time(c))) {
        burl_run_deinit(&w->run);
        return leave_unconfirmed(&s, &w->failure);
    }
    burl__pool_quiet(c);
    st = conclude_candidate(&s, &w->failure, &w->run, true, err);
    if (st == BURL_E_TIME)
        return leave_unconfirmed(&s, &w->failure);
    k = &c->findings.known.v[w->known]; /* there may be more of them now */
    burl__suspects_settle(c, s.fingerprint,
                          k->reported ? BURL_GOAL_STATE_CONFIRMED : BURL_GOAL_STATE_UNCONFIRMED);
    return st;
}

enum burl_status
burl__confirm_waiting(struct burl_campaign *c, bool all, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    size_t done = 0;

    while (st == BURL_OK && done < c->findings.waiting.n && (all || has_share(c))) {
        struct burl_waiting_failure w = c->findings.waiting.v[done++];

        c->findings.n_concluded = done;
        st = end_wait(c, &w, err); /* which may add to those that wait */
    }
    c->findings.n_concluded = 0;
    if (done > 0)
        memmove(c->findings.waiting.v, c->findings.waiting.v + done,
                (c->findings.waiting.n - done) * sizeof *c->findings.waiting.v);
    c->findings.waiting.n -= done;
    return st;
}
