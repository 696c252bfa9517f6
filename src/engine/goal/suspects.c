/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/suspects.c - from what observers saw to what is known of it.
 *
 * Runs in the host. Observers leave suspects in the results of executions. One that happened (a
 * race by happens-before, a broken region) is confirmed when its batch is committed: the same
 * seed, ended at that place, then recorded, replayed and minimized like any failure. One that is
 * only predicted (potential race, triple, lock cycle) is driven between rounds: directed
 * executions bring its sites together, and what they show is a failure like any other. The rest is
 * left in stats.suspects, to be listed apart.
 *
 * The promise of campaign.h holds for suspects too: they are taken in the order of works, seeds and
 * keys; their share of the budget is counted in executions, never in time; and directed works
 * have seeds of their own, so that the exploration is the same with and without them.
 *
 * Trade-off: directed executions get 30 of 100 executions, beyond a first sum that is always
 * there. More would confirm more of the predicted, and explore less.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

/* A race that is not reproduced gets this many attempts, with other seeds. */
#define HAPPENED_TRIES 3u
/* What suspects may cost before anything else has been done. */
#define FIRST_EXECS 64u
#define LEAST_EXECS 10u
/* Different ways to aim at a signal before a wait. */
#define WAKEUP_WAYS 4u
/* First attempts at a suspect: most that can be reproduced are by then, and the next suspect's turn
 * comes sooner. */
#define FIRST_TRIES 3u

struct burl_wire_watch
burl__suspects_watch(const struct burl_wire_suspect *s)
{
    struct burl_wire_watch a = { .kind = s->kind, .n_sites = s->n_sites };

    memcpy(a.sites, s->sites, sizeof a.sites);
    return a;
}

static bool
has_happened(const struct burl_wire_suspect *s)
{
    return s->kind == BURL_SUSPECT_RACE || s->kind == BURL_SUSPECT_REGION;
}

/* ---- taking over ------------------------------------------------------------------- */

/* Accesses that a directed execution is to stop at must be scheduling points. */
static void
mark_points(struct burl_campaign *c, const struct burl_wire_suspect *s)
{
    if (s->kind == BURL_SUSPECT_CYCLE || s->kind == BURL_SUSPECT_SIGNAL ||
        s->kind == BURL_SUSPECT_WAKEUP)
        return;
    burl__learned_mark_points(&c->learned, s->sites, s->n_sites);
}

static void
count_finding(struct burl_campaign *c, const struct burl_campaign_suspect *e, uint64_t count)
{
    if (e->goal.state != BURL_GOAL_STATE_CONFIRMED || !has_happened(&e->suspect))
        return;
    burl__findings_count_pair(&c->findings, e->suspect.key, count);
}

static uint64_t
race_of(const struct burl_campaign *c, const struct burl_wire_suspect *s)
{
    /* In a coverage campaign the names of sites change with what each execution loads. */
    if (s->kind > BURL_SUSPECT_POTENTIAL || c->covered)
        return 0;
    /* It may lie in a library, and which one lies there is another matter in each execution. */
    if (s->origin == BURL_ORIGIN_UNKNOWN && c->pool.notified_image.n_modules > 0)
        return 0;
    return burl_fingerprint_suspect(s, c->findings.sites);
}

/* There may be thousands. */
static bool
find_suspect(struct burl_campaign *c, uint64_t key, uint64_t *at)
{
    const struct burl_campaign_stats *st = c->stats;

    for (; c->goals.n_indexed < st->n_suspects; c->goals.n_indexed++)
        burl_map_set(&c->goals.suspect_at, st->suspects[c->goals.n_indexed].suspect.key,
                     c->goals.n_indexed);
    return burl_map_get(&c->goals.suspect_at, key, at);
}

static enum burl_goal_kind
kind_of(uint8_t suspect)
{
    static const enum burl_goal_kind kinds[BURL_SUSPECT__N] = {
        [BURL_SUSPECT_RACE] = BURL_GOAL_KIND_RACE,
        [BURL_SUSPECT_POTENTIAL] = BURL_GOAL_KIND_POTENTIAL_RACE,
        [BURL_SUSPECT_TRIPLE] = BURL_GOAL_KIND_TRIPLE,
        [BURL_SUSPECT_REGION] = BURL_GOAL_KIND_REGION,
        [BURL_SUSPECT_CYCLE] = BURL_GOAL_KIND_CYCLE,
        [BURL_SUSPECT_SIGNAL] = BURL_GOAL_KIND_LOST_SIGNAL,
        [BURL_SUSPECT_WAKEUP] = BURL_GOAL_KIND_WAKEUP,
    };

    return kinds[suspect];
}

/* Adds an occurrence of a suspect; the index of its entry. */
static size_t
note_suspect(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_suspect *s)
{
    struct burl_campaign_stats *st = c->stats;
    struct burl_campaign_suspect *e;
    uint64_t at;

    if (find_suspect(c, s->key, &at)) {
        e = &st->suspects[at];
        burl__batch_merge_suspect(&e->suspect, s);
        e->goal.kind = kind_of(e->suspect.kind);
        if (e->suspect.seed == s->seed)
            e->race = race_of(c, s); /* it replaced what was only possible */
        count_finding(c, e, s->count);
        return at;
    }
    mark_points(c, s);
    burl__portfolio_suspect(c, w);
    st->suspects = burl_xreallocarray(st->suspects, st->n_suspects + 1, sizeof *st->suspects);
    e = &st->suspects[st->n_suspects];
    *e = (struct burl_campaign_suspect){ .suspect = *s,
                                         .goal.kind = kind_of(s->kind),
                                         .strategy = w->strategy };
    e->race = race_of(c, s);
    return st->n_suspects++;
}

/* ---- what has happened ------------------------------------------------------------- */

/* The work that showed it, with the execution ended where it happens. */
static struct burl_work
stopping_work(const struct burl_work *w, const struct burl_wire_suspect *s)
{
    struct burl_work again = *w;
    const uint32_t needed = s->kind == BURL_SUSPECT_REGION ? BURL_OB(TRIPLE) : BURL_OB(RACE);

    /* Lock cycles need what observers know of held locks. */
    again.observers = w->strategy == BURL_STRATEGY_DIRECTED ? w->observers | needed : needed;
    again.stop_key = s->key;
    again.stop = burl__suspects_watch(s);
    memcpy(again.stop_ops, s->ops, sizeof again.stop_ops);
    again.suspect = 0;
    return again;
}

static bool
stopped_there(const struct burl_run *run)
{
    return run->verdict.kind == BURL_VERDICT_RACE_DATA ||
           run->verdict.kind == BURL_VERDICT_ATOMICITY_REGION;
}

static bool
is_finding(const struct burl_campaign *c, uint64_t fingerprint)
{
    return burl__findings_is_finding(burl__findings_find(&c->findings, fingerprint));
}

/* Is it on memory whose race is known? Then its fingerprint is known without a rerun. */
static bool
is_known_race(struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    if (e->race == 0 || !is_finding(c, e->race))
        return false;
    e->fingerprint = e->race;
    return true;
}

/* The same region, broken between the same accesses of its own by yet another place. */
static bool
is_known_region(const struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    for (size_t i = 0; e->suspect.kind == BURL_SUSPECT_REGION && i < c->stats->n_suspects; i++) {
        const struct burl_campaign_suspect *o = &c->stats->suspects[i];

        if (o->suspect.kind == BURL_SUSPECT_REGION && o->goal.state == BURL_GOAL_STATE_CONFIRMED &&
            o->suspect.sites[0] == e->suspect.sites[0] &&
            o->suspect.sites[2] == e->suspect.sites[2] && is_finding(c, o->fingerprint)) {
            e->fingerprint = o->fingerprint;
            return true;
        }
    }
    return false;
}

/* Which variable is it on? Without a fresh process: what comes of it is confirmed in some. */
static enum burl_status
identify_variable(struct burl_campaign *c, const struct burl_work *w, size_t ix, uint64_t seed,
                  struct burl_wire_failure *f, bool *ok, struct burl_err *err)
{
    struct burl_campaign_suspect *e = &c->stats->suspects[ix];
    const struct burl_work again = stopping_work(w, &e->suspect);
    struct burl_run run;
    bool hit;
    enum burl_status st = burl__run_scout(c, &again, seed, &run, &hit, err);

    *ok = false;
    if (st != BURL_OK)
        return st;
    e->reruns++;
    if (stopped_there(&run) && c->hooks->hidden && c->hooks->hidden(c->hooks->arg, &run.verdict)) {
        e->goal.state = BURL_GOAL_STATE_HIDDEN;
    } else if (stopped_there(&run)) {
        *ok = true;
        *f = (struct burl_wire_failure){
            .seed = seed, .count = e->suspect.count, .key = e->suspect.key, .verdict = run.verdict
        };
        e->fingerprint = burl__findings_fingerprint(&c->findings, &run.verdict);
    } else if (e->goal.state == BURL_GOAL_STATE_UNTRIED) {
        e->goal.state = BURL_GOAL_STATE_UNCONFIRMED;
    }
    burl_run_deinit(&run);
    return BURL_OK;
}

/* The triple that a broken region was predicted as. */
static void
settle_triple(struct burl_campaign *c, const struct burl_wire_suspect *region, uint64_t fingerprint)
{
    const uint64_t key = burl_wire_suspect_key(BURL_SUSPECT_TRIPLE, region->sites, region->n_sites);

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];

        if (e->suspect.key == key) {
            e->goal.state = BURL_GOAL_STATE_CONFIRMED;
            e->fingerprint = fingerprint;
        }
    }
}

/* All pairs on the variable of a finding are confirmed by it. One that waits counts as one, until
 * it turns out to be none. */
void
burl__suspects_settle(struct burl_campaign *c, uint64_t fingerprint, enum burl_goal_state state)
{
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];

        if (e->fingerprint != fingerprint)
            continue;
        if (state != BURL_GOAL_STATE_CONFIRMED) {
            e->goal.state = state;
            e->fingerprint = 0;
        } else if (has_happened(&e->suspect)) {
            e->goal.state = BURL_GOAL_STATE_CONFIRMED;
            if (e->suspect.kind == BURL_SUSPECT_REGION)
                settle_triple(c, &e->suspect, fingerprint);
        }
    }
}

/* Programs with a hundred races exist. The time the user gave may be exceeded once more for what
 * was seen in it; what is then left is listed as not tried. */
bool
burl__suspects_out_of_time(const struct burl_campaign *c)
{
    const int64_t given = (int64_t)c->cfg->time_ms;

    if (burl__campaign_interrupted(c))
        return c->stats->n_findings > 0;
    return given > 0 && burl_target_now_ms() - c->plan.started_ms > 2 * given;
}

static bool
must_end(const struct burl_campaign *c)
{
    return (c->plan.stop && c->stats->end == BURL_CAMPAIGN_END_FIRST) ||
           burl__suspects_out_of_time(c);
}

struct happened {
    const struct burl_pending_finding *pending;
    struct burl_wire_failure failure;
};

/* Was another pair on the same memory reproduced, and is it on the variable that was expected? */
static bool
has_identified(const struct burl_campaign *c, uint64_t race)
{
    for (size_t i = 0; i < c->findings.pending.n; i++) {
        const struct burl_campaign_suspect *e =
            &c->stats->suspects[c->findings.pending.v[i].suspect];

        if (e->race == race && e->fingerprint == race && e->reruns > 0)
            return true;
    }
    return false;
}

/* First which variable each is on, then one finding for each variable, which so knows all pairs of
 * sites that were seen with it. */
enum burl_status
burl__suspects_confirm(struct burl_campaign *c, struct burl_err *err)
{
    struct {
        BURL_VEC_OF(struct happened);
    } list = { 0 };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < c->findings.pending.n && st == BURL_OK && !must_end(c); i++) {
        struct happened h = { .pending = &c->findings.pending.v[i] };
        struct burl_campaign_suspect *e = &c->stats->suspects[h.pending->suspect];
        bool ok;

        /* Suppressions ask for the stacks of every pair. */
        if (!c->hooks->hidden && (is_known_race(c, e) || is_known_region(c, e))) {
            e->goal.state = BURL_GOAL_STATE_CONFIRMED;
            continue;
        }
        if (!c->hooks->hidden && e->race != 0 && has_identified(c, e->race)) {
            e->fingerprint = e->race;
            continue;
        }
        st = identify_variable(c, &h.pending->work, h.pending->suspect, h.pending->seed, &h.failure,
                               &ok, err);
        if (st == BURL_OK && ok)
            BURL_VEC_PUSH(&list, h);
    }
    for (size_t i = 0; i < list.n && st == BURL_OK; i++) {
        const struct happened *h = &list.v[i];
        const struct burl_wire_suspect s = c->stats->suspects[h->pending->suspect].suspect;
        const uint64_t fingerprint = c->stats->suspects[h->pending->suspect].fingerprint;
        const struct burl_work again = stopping_work(&h->pending->work, &s);

        if (must_end(c))
            break;
        if (fingerprint == 0)
            continue; /* it was settled with another pair */
        if (!is_finding(c, fingerprint))
            st = burl__confirm(c, &again, &h->failure, &h->pending->found, err);
        if (st == BURL_OK)
            burl__suspects_settle(c, fingerprint,
                                  is_finding(c, fingerprint) ? BURL_GOAL_STATE_CONFIRMED
                                                             : BURL_GOAL_STATE_UNCONFIRMED);
    }
    BURL_VEC_FREE(&list);
    c->findings.pending.n = 0;
    return st;
}

/* ---- what was driven --------------------------------------------------------------- */

static bool
closes_circle(const struct burl_wire_verdict *v, const struct burl_wire_suspect *s)
{
    for (uint32_t i = 0; i < v->n_waits; i++) {
        bool found = false;

        for (uint32_t k = 1; k < s->n_sites; k += 2)
            found |= s->sites[k] == v->waits[i].site;
        if (!found)
            return false;
    }
    return v->kind == BURL_VERDICT_DEADLOCK_CYCLE;
}

/* Did the failure come of what was predicted? */
static enum burl_status
shows_suspect(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_suspect *s,
              const struct burl_wire_failure *f, bool *yes, struct burl_err *err)
{
    struct burl_run run;
    enum burl_status st = BURL_OK;

    *yes = false;
    if (s->kind == BURL_SUSPECT_CYCLE) {
        *yes = closes_circle(&f->verdict, s);
    } else if (s->kind != BURL_SUSPECT_TRIPLE && s->kind != BURL_SUSPECT_WAKEUP) {
        *yes = f->verdict.kind == BURL_VERDICT_RACE_DATA;
    } else {
        st = burl__run_scout(c, w, f->seed, &run, yes, err);
        if (st == BURL_OK)
            burl_run_deinit(&run);
    }
    return st;
}

/* The end of a directed work. */
static enum burl_status
judge_directed(struct burl_campaign *c, const struct burl_work *w, const struct burl_batch *b,
               struct burl_err *err)
{
    const size_t ix = w->suspect - 1;
    const struct burl_wire_suspect s = c->stats->suspects[ix].suspect;
    const uint64_t per_seed = w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;
    uint64_t fingerprint = 0;
    enum burl_status st = BURL_OK;
    bool yes = false;
    struct burl_campaign_suspect *e;

    for (size_t i = 0; i < b->failures.n && st == BURL_OK && !yes; i++) {
        if (burl__findings_has_key(&c->findings, b->failures.v[i].key, &fingerprint))
            st = shows_suspect(c, w, &s, &b->failures.v[i], &yes, err);
    }
    e = &c->stats->suspects[ix];
    burl__goal_count(&e->goal, b->totals.executions / per_seed, b->goal_hits / per_seed,
                     b->goal_seed);
    c->plan.directed_execs += b->totals.executions;
    c->stats->directed_hits += b->goal_hits;
    if (e->goal.state == BURL_GOAL_STATE_CONFIRMED)
        return st;
    if (yes) {
        e->goal.state = BURL_GOAL_STATE_CONFIRMED;
        e->fingerprint = fingerprint;
    } else if ((s.kind == BURL_SUSPECT_TRIPLE || s.kind == BURL_SUSPECT_WAKEUP) &&
               e->goal.hits > 0) {
        e->goal.state = BURL_GOAL_STATE_HARMLESS;
    } else {
        e->goal.state = BURL_GOAL_STATE_UNCONFIRMED;
    }
    return st;
}

static int
by_seed_and_key(const void *a, const void *b)
{
    const struct burl_wire_suspect *x = a;
    const struct burl_wire_suspect *y = b;

    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

enum burl_status
burl__suspects_commit(struct burl_campaign *c, const struct burl_work *w,
                      const struct burl_batch *b, uint64_t first, struct burl_err *err)
{
    if (b->suspects.n > 0)
        qsort(b->suspects.v, b->suspects.n, sizeof *b->suspects.v, by_seed_and_key);
    for (size_t i = 0; i < b->suspects.n; i++) {
        const struct burl_wire_suspect *s = &b->suspects.v[i];
        const struct burl_pending_finding pending = { .suspect = note_suspect(c, w, s),
                                                      .work = *w,
                                                      .seed = s->seed,
                                                      .found = burl__campaign_found(c, w, b, first,
                                                                                    s->seed) };
        const struct burl_campaign_suspect *e = &c->stats->suspects[pending.suspect];

        if (has_happened(s) && e->goal.state != BURL_GOAL_STATE_CONFIRMED &&
            e->goal.state != BURL_GOAL_STATE_HIDDEN && e->reruns < HAPPENED_TRIES &&
            !burl__findings_is_pending(&c->findings, pending.suspect))
            BURL_VEC_PUSH(&c->findings.pending, pending);
    }
    return w->suspect ? judge_directed(c, w, b, err) : BURL_OK;
}

/* ---- driving ----------------------------------------------------------------------- */

uint64_t
burl__suspects_seed(struct burl_campaign *c)
{
    return burl__goal_seed(~c->cfg->seed, c->plan.n_directed++);
}

/* Executions that may go into directing now. */
static uint64_t
directed_budget(const struct burl_campaign *c)
{
    const uint64_t done = c->stats->all.executions;
    uint64_t all = FIRST_EXECS + done * 3 / 10;
    uint64_t left;

    if (c->cfg->runs > 0) {
        const uint64_t share = c->cfg->runs * 3 / 10;
        const uint64_t most = share > LEAST_EXECS ? share : LEAST_EXECS;

        if (all > most)
            all = most;
    }
    left = all > c->plan.directed_execs ? all - c->plan.directed_execs : 0;
    if (c->cfg->runs > 0 && left > c->cfg->runs - (done < c->cfg->runs ? done : c->cfg->runs))
        left = c->cfg->runs - (done < c->cfg->runs ? done : c->cfg->runs);
    return c->cfg->check_determinism ? left / 2 : left;
}

struct pending {
    uint32_t class;
    uint64_t count;
    uint32_t rank;
    size_t ix;
};

/* Lock cycles first: there are few, and each is a deadlock or nothing. Rare before frequent: the
 * frequent ones happen without direction. */
static int
by_promise(const void *a, const void *b)
{
    const struct pending *x = a;
    const struct pending *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->ix < y->ix ? -1 : x->ix > y->ix;
}

/* A potential race on a variable that has a finding is one more pair of sites, not one more bug. */
static bool
is_covered(struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    if (e->suspect.kind != BURL_SUSPECT_POTENTIAL || !is_known_race(c, e))
        return false;
    e->goal.state = BURL_GOAL_STATE_COVERED;
    return true;
}

/* A triple that was met and did no harm is tried again when nothing else is left: other executions
 * through it may fail. */
static bool
is_pending(struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    if (e->suspect.kind != BURL_SUSPECT_POTENTIAL && e->suspect.kind != BURL_SUSPECT_TRIPLE &&
        e->suspect.kind != BURL_SUSPECT_CYCLE && e->suspect.kind != BURL_SUSPECT_WAKEUP)
        return false;
    return burl__goal_is_open(&e->goal, c->cfg->confirm_tries) && !is_covered(c, e);
}

/* What is likely to fail comes first: a lock cycle is a deadlock or nothing, an interrupted triple
 * often breaks what the thread assumed, a race by itself seldom. */
static uint32_t
class_of(const struct burl_campaign_suspect *e)
{
    /* Most waits look first. The first tries of one come out of turn: is_urgent(). */
    if (e->goal.state == BURL_GOAL_STATE_HARMLESS || e->suspect.kind == BURL_SUSPECT_WAKEUP)
        return 3;
    return e->suspect.kind == BURL_SUSPECT_CYCLE    ? 0
           : e->suspect.kind == BURL_SUSPECT_TRIPLE ? 1
                                                    : 2;
}

static struct burl_work
directed_work(struct burl_campaign *c, size_t ix, uint64_t n)
{
    const struct burl_wire_suspect *s = &c->stats->suspects[ix].suspect;
    struct burl_work w = {
        .strategy = BURL_STRATEGY_DIRECTED,
        .flags = BURL_ORDER_F_LEARN | BURL_ORDER_F_STOP_AT_FINDING |
                 (c->cfg->stop_at_first && !c->hooks->hidden ? BURL_ORDER_F_STOP_AT_SUSPECT : 0u) |
                 (c->cfg->check_determinism ? BURL_ORDER_F_CHECK_TWICE : 0u),
        .first_seed = burl__suspects_seed(c),
        .n = n,
        .observers = BURL_OB(RACE),
        .args.goal = burl_wire_goal_of(s),
        .suspect = ix + 1,
        .whole = true
    };

    if (s->kind == BURL_SUSPECT_WAKEUP) {
        const uint32_t tries = c->stats->suspects[ix].goal.attempts;

        /* At the wait and at its lock, with the waiting thread ahead of the others and without. */
        if (tries < WAKEUP_WAYS)
            w.args.goal.wakeup.hold =
                tries == 1 || tries == 2 ? BURL_HOLD_AT_LOCK : BURL_HOLD_AT_WAIT;
        if (tries % WAKEUP_WAYS < 2)
            w.args.goal.wakeup.runs_first = s->tids[1];
    }
    if (s->kind == BURL_SUSPECT_TRIPLE)
        w.observers |= c->cfg->observers & BURL_OB(TRIPLE); /* it may break a marked region */
    if (s->kind == BURL_SUSPECT_POTENTIAL) {
        w.stop_key = s->key;
        w.stop = burl__suspects_watch(s);
        memcpy(w.stop_ops, s->ops, sizeof w.stop_ops);
    }
    return w;
}

enum burl_status
burl__suspects_drive(struct burl_campaign *c, struct burl_err *err)
{
    struct {
        BURL_VEC_OF(struct pending);
    } list = { 0 };
    struct {
        BURL_VEC_OF(struct burl_work);
    } works = { 0 };
    uint64_t left = directed_budget(c);
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];
        const struct pending p = {
            .class = class_of(e), .count = e->suspect.count, .rank = e->suspect.rank, .ix = i
        };

        if (is_pending(c, e))
            BURL_VEC_PUSH(&list, p);
    }
    if (list.n > 0)
        qsort(list.v, list.n, sizeof *list.v, by_promise);
    for (size_t i = 0; i < list.n && left > 0; i++) {
        const struct burl_campaign_suspect *e = &c->stats->suspects[list.v[i].ix];
        uint64_t n = c->cfg->confirm_tries - e->goal.attempts;

        if (e->goal.attempts == 0 && n > FIRST_TRIES)
            n = FIRST_TRIES;
        if (n > left)
            n = left;
        left -= n;
        BURL_VEC_PUSH(&works, directed_work(c, list.v[i].ix, n));
    }
    if (works.n > 0)
        st = burl__pool_run(c, works.v, works.n, err);
    BURL_VEC_FREE(&list);
    BURL_VEC_FREE(&works);
    return st;
}

/* ---- single tries of an opening ---------------------------------------------------- */

/* Tries of one suspect in an opening; the rounds come back to it. */
#define OPENING_TRIES 3u
#define OPENING_FLIPS 2u
/* The same of one pair of signal and wait, and of all that come before everything else. */
#define OPENING_WAKEUPS 3u
#define OPENING_WAKEUPS_ALL 6u

/* Sites that came into view after the points did are points of this execution only. */
static uint32_t
points_flag(const struct burl_campaign *c, const struct burl_wire_goal *g)
{
    uint32_t sites[BURL_WIRE_MAX_SITES];
    const uint32_t n = burl_wire_goal_sites(g, sites);

    if (g->kind == BURL_GOAL_WAKEUP)
        return 0; /* synchronization always is one */
    for (uint32_t i = 0; i < n; i++) {
        if (!burl__learned_is_point(&c->learned, sites[i]))
            return BURL_ORDER_F_ALL_POINTS;
    }
    return 0;
}

/* A lock cycle is a deadlock or nothing, and one execution mostly shows which; so is a signal that
 * a wait misses, but there may be many pairs of these. */
static bool
is_urgent(const struct burl_campaign *c, const struct burl_campaign_suspect *e)
{
    uint32_t tries = 0;

    if (e->suspect.kind == BURL_SUSPECT_CYCLE)
        return e->goal.attempts == 0;
    if (e->suspect.kind != BURL_SUSPECT_WAKEUP || e->goal.attempts >= OPENING_WAKEUPS)
        return false;
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        if (c->stats->suspects[i].suspect.kind == BURL_SUSPECT_WAKEUP)
            tries += c->stats->suspects[i].goal.attempts;
    }
    return tries < OPENING_WAKEUPS_ALL;
}

bool
burl__suspects_next(struct burl_campaign *c, uint32_t urgent, struct burl_work *w)
{
    struct pending best = { .class = UINT32_MAX };

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];
        /* A second try of a better one comes before the first of one that is a class worse. */
        const struct pending p = { .class = class_of(e) + 2 * e->goal.attempts,
                                   .count = e->suspect.count,
                                   .rank = e->suspect.rank,
                                   .ix = i };

        if (urgent != 0 && (!(urgent >> e->suspect.kind & 1) || !is_urgent(c, e)))
            continue;
        if (e->goal.attempts < OPENING_TRIES && is_pending(c, e) && by_promise(&p, &best) < 0)
            best = p;
    }
    if (best.class == UINT32_MAX)
        return false;
    *w = directed_work(c, best.ix, 1);
    w->flags |= points_flag(c, &w->args.goal);
    w->flags &= ~(uint32_t)BURL_ORDER_F_CHECK_TWICE;
    return true;
}

bool
burl__suspects_flip(struct burl_campaign *c, struct burl_work *w)
{
    struct burl_campaign_suspect *best = NULL;

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_campaign_suspect *e = &c->stats->suspects[i];

        if (e->suspect.kind == BURL_SUSPECT_RACE && e->flips < OPENING_FLIPS &&
            e->goal.state != BURL_GOAL_STATE_HIDDEN && (!best || e->flips < best->flips))
            best = e;
    }
    if (!best)
        return false;
    *w = (struct burl_work){ .strategy = BURL_STRATEGY_DIRECTED,
                             .flags = BURL_ORDER_F_LEARN,
                             .first_seed = burl__suspects_seed(c),
                             .n = 1,
                             .observers = c->cfg->observers,
                             .args.goal = burl_wire_goal_of(&best->suspect) };
    w->args.goal.race.calm = 1;
    w->args.goal.race.goes_first = /* not as it was seen, first */
        best->flips % 2 == 0 ? BURL_RACE_SECOND_SITE : BURL_RACE_FIRST_SITE;
    w->flags |= points_flag(c, &w->args.goal);
    best->flips++;
    return true;
}

/* ---- from campaign to campaign ----------------------------------------------------- */

void
burl__suspects_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &c->stats->suspects[i];
        const struct burl_wire_suspect *s = &e->suspect;
        struct burl_goal_memory *x = burl__goal_remember(m, &e->goal, s->sites, s->n_sites);

        memcpy(x->ops, s->ops, sizeof x->ops);
        memcpy(x->tids, s->tids, sizeof x->tids);
        x->observer = s->observer;
        x->rank = s->rank;
        x->addr = s->addr;
        x->goal.first_seed = s->seed;
    }
}

/* The kind of suspect that a goal came from; BURL_SUSPECT__N: none that is worth trying again. What
 * has happened is a finding that this campaign has yet to make. */
static uint8_t
suspect_of(enum burl_goal_kind kind)
{
    for (uint8_t k = 0; k < BURL_SUSPECT__N; k++) {
        if (kind_of(k) == kind && kind != BURL_GOAL_KIND_RACE && kind != BURL_GOAL_KIND_REGION)
            return k;
    }
    return BURL_SUSPECT__N;
}

static bool
has_sites(const struct burl_campaign *c, const struct burl_goal_memory *x)
{
    for (uint32_t i = 0; i < x->n_sites; i++) {
        if (x->sites[i] == 0 || x->sites[i] >= c->learned.n_sites)
            return false;
    }
    return x->n_sites > 0 && x->n_sites <= BURL_WIRE_MAX_SITES;
}

/* What was confirmed, hidden or covered then depends on findings, which this campaign has yet to
 * make; what was tried in vain need not be tried as often again. */
void
burl__suspects_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    struct burl_campaign_stats *st = c->stats;

    for (size_t i = 0; i < m->goals.n; i++) {
        const struct burl_goal_memory *x = &m->goals.v[i];
        const uint8_t kind = suspect_of(x->goal.kind);
        struct burl_wire_suspect s = { .kind = kind, .n_sites = (uint8_t)x->n_sites };

        if (kind == BURL_SUSPECT__N || !has_sites(c, x) || x->goal.state > BURL_GOAL_STATE_HARMLESS)
            continue;
        s.observer = x->observer;
        s.rank = x->rank;
        s.addr = x->addr;
        s.seed = x->goal.first_seed;
        memcpy(s.sites, x->sites, sizeof s.sites);
        memcpy(s.ops, x->ops, sizeof s.ops);
        memcpy(s.tids, x->tids, sizeof s.tids);
        s.key = burl_wire_suspect_key(s.kind, s.sites, s.n_sites);
        st->suspects = burl_xreallocarray(st->suspects, st->n_suspects + 1, sizeof *st->suspects);
        st->suspects[st->n_suspects++] =
            (struct burl_campaign_suspect){ .suspect = s, .goal = x->goal };
    }
}
