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

#include "base/compare.h"
#include "base/mem.h"
#include "engine/engine_int.h"

/* A race that is not reproduced gets this many attempts, with other seeds. */
#define HAPPENED_TRIES 3u
/* What suspects may cost before anything else has been done. */
#define FIRST_EXECS 64u
#define LEAST_EXECS 10u
/* The same where executions are long, and those that are watched many times as long. */
#define FIRST_LONG_EXECS 8u
/* First attempts at a suspect: most that can be reproduced are by then, and the next suspect's turn
 * comes sooner. */
#define FIRST_TRIES 3u

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

/* There may be thousands. */
bool
burl__suspects_find(struct burl_campaign *c, uint64_t key, uint64_t *at)
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

static struct burl_campaign_suspect *
add_suspect(struct burl_campaign_stats *st)
{
    st->suspects = burl_xreallocarray(st->suspects, st->n_suspects + 1, sizeof *st->suspects);
    return &st->suspects[st->n_suspects++];
}

static void
set_turn(struct burl_campaign *c, struct burl_campaign_suspect *e)
{
    if (!c->hooks->suspect_turn)
        return;
    e->turn = c->hooks->suspect_turn(c->hooks->arg, &e->suspect);
    if (e->turn == BURL_CAMPAIGN_TURN_NEVER)
        e->goal.state = BURL_GOAL_STATE_COVERED;
}

/* Adds an occurrence of a suspect; the index of its entry. */
static size_t
note_suspect(struct burl_campaign *c, const struct burl_work *w, const struct burl_wire_suspect *s)
{
    struct burl_campaign_stats *st = c->stats;
    uint64_t at;

    if (burl__suspects_find(c, s->key, &at)) {
        struct burl_campaign_suspect *e = &st->suspects[at];

        burl__batch_merge_suspect(&e->suspect, s);
        e->goal.kind = kind_of(e->suspect.kind);
        if (e->suspect.seed == s->seed)
            e->race = burl__race_of(c, s); /* it replaced what was only possible */
        count_finding(c, e, s->count);
        return at;
    }
    mark_points(c, s);
    burl__portfolio_suspect(c, w);
    *add_suspect(st) = (struct burl_campaign_suspect){ .suspect = *s,
                                                       .goal.kind = kind_of(s->kind),
                                                       .strategy = w->strategy,
                                                       .race = burl__race_of(c, s) };
    set_turn(c, &st->suspects[st->n_suspects - 1]);
    return st->n_suspects - 1;
}

/* ---- what has happened ------------------------------------------------------------- */

void
burl__suspects_stop_at(struct burl_work *w, const struct burl_wire_suspect *s)
{
    w->stop_key = s->key;
    w->stop = (struct burl_wire_watch){ .kind = s->kind, .n_sites = s->n_sites };
    memcpy(w->stop.sites, s->sites, sizeof w->stop.sites);
    memcpy(w->stop_ops, s->ops, sizeof w->stop_ops);
}

/* The work that showed it, with the execution ended where it happens. */
static struct burl_work
stopping_work(const struct burl_work *w, const struct burl_wire_suspect *s)
{
    struct burl_work again = *w;
    const uint32_t needed = s->kind == BURL_SUSPECT_REGION ? BURL_OB(TRIPLE) : BURL_OB(RACE);

    /* Lock cycles need what observers know of held locks. */
    again.observers = w->strategy == BURL_STRATEGY_DIRECTED ? w->observers | needed : needed;
    burl__suspects_stop_at(&again, s);
    again.suspect = 0;
    return again;
}

static bool
stopped_there(const struct burl_run *run)
{
    return run->verdict.kind == BURL_VERDICT_RACE_DATA ||
           run->verdict.kind == BURL_VERDICT_ATOMICITY_REGION;
}

bool
burl__suspects_has_finding(const struct burl_campaign *c, uint64_t fingerprint)
{
    return burl__findings_is_finding(burl__findings_find(&c->findings, fingerprint));
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
                burl__region_settle_triple(c, &e->suspect, fingerprint);
        }
    }
}

/* Programs with a hundred races exist. What is left at the limit is listed as not tried. */
bool
burl__suspects_out_of_time(const struct burl_campaign *c)
{
    if (burl__campaign_interrupted(c))
        return c->stats->n_findings > 0;
    return burl_deadline_is_past_limit(&c->plan.deadline);
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

struct happened_list {
    BURL_VEC_OF(struct happened);
};

/* One finding for each variable of the list, from `first` on. */
static enum burl_status
confirm_happened(struct burl_campaign *c, const struct happened_list *list, size_t first,
                 struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = first; i < list->n && st == BURL_OK; i++) {
        const struct happened *h = &list->v[i];
        const struct burl_wire_suspect s = c->stats->suspects[h->pending->suspect].suspect;
        const uint64_t fingerprint = c->stats->suspects[h->pending->suspect].fingerprint;
        const struct burl_work again = stopping_work(&h->pending->work, &s);

        if (must_end(c))
            break;
        if (fingerprint == 0)
            continue; /* it was settled with another pair */
        if (!burl__suspects_has_finding(c, fingerprint))
            st = burl__confirm(c, &again, &h->failure, &h->pending->found, err);
        if (st == BURL_OK && (burl__suspects_has_finding(c, fingerprint) || !must_end(c)))
            burl__suspects_settle(c, fingerprint,
                                  burl__suspects_has_finding(c, fingerprint)
                                      ? BURL_GOAL_STATE_CONFIRMED
                                      : BURL_GOAL_STATE_UNCONFIRMED);
    }
    return st;
}

/* First which variable each is on, then one finding for each variable, which so knows all pairs of
 * sites that were seen with it. When there is little time, one after the other. */
enum burl_status
burl__suspects_confirm(struct burl_campaign *c, struct burl_err *err)
{
    struct happened_list list = { 0 };
    enum burl_status st = BURL_OK;
    size_t done = 0;

    for (size_t i = 0; i < c->findings.pending.n && st == BURL_OK && !must_end(c); i++) {
        struct happened h = { .pending = &c->findings.pending.v[i] };
        struct burl_campaign_suspect *e = &c->stats->suspects[h.pending->suspect];
        bool ok;

        /* Suppressions ask for the stacks of every pair. */
        if (!c->hooks->hidden && (burl__race_is_known(c, e) || burl__region_is_known(c, e))) {
            e->goal.state = BURL_GOAL_STATE_CONFIRMED;
            continue;
        }
        if (!c->hooks->hidden && e->race != 0 && has_identified(c, e->race)) {
            e->fingerprint = e->race;
            continue;
        }
        st = identify_variable(c, &h.pending->work, h.pending->suspect, h.pending->seed, &h.failure,
                               &ok, err);
        c->findings.n_unidentified -= c->findings.n_unidentified > 0;
        if (st == BURL_OK && ok)
            BURL_VEC_PUSH(&list, h);
        if (st == BURL_OK && burl__pace_is_hasty(c)) {
            st = confirm_happened(c, &list, done, err);
            done = list.n;
        }
    }
    if (st == BURL_OK)
        st = confirm_happened(c, &list, done, err);
    BURL_VEC_FREE(&list);
    c->findings.pending.n = 0;
    c->findings.n_unidentified = 0;
    return st;
}

/* ---- what was driven --------------------------------------------------------------- */

enum burl_status
burl__suspects_judge_by_hit(struct burl_campaign *c, const struct burl_work *w,
                            const struct burl_wire_failure *f, bool *shown, struct burl_err *err)
{
    struct burl_run run;
    const enum burl_status st = burl__run_scout(c, w, f->seed, &run, shown, err);

    if (st == BURL_OK)
        burl_run_deinit(&run);
    return st;
}

/* The end of a directed work. */
static enum burl_status
judge_directed(struct burl_campaign *c, const struct burl_work *w, const struct burl_batch *b,
               struct burl_err *err)
{
    const size_t ix = w->suspect - 1;
    const struct burl_goal_rules *rules = burl__goal_rules[c->stats->suspects[ix].goal.kind];
    const uint64_t per_seed = w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;
    uint64_t fingerprint = 0;
    enum burl_status st = BURL_OK;
    bool shown = false;
    struct burl_campaign_suspect *e;

    for (size_t i = 0; i < b->failures.n && st == BURL_OK && !shown; i++) {
        if (burl__findings_has_key(&c->findings, b->failures.v[i].key, &fingerprint))
            st = rules->judge(c, w, &b->failures.v[i], &shown, err);
    }
    e = &c->stats->suspects[ix];
    burl__goal_count(&e->goal, b->totals.executions / per_seed, b->goal_hits / per_seed,
                     b->goal_seed);
    c->plan.directed_execs += b->totals.executions;
    c->stats->directed_hits += b->goal_hits;
    if (e->goal.state == BURL_GOAL_STATE_CONFIRMED)
        return st;
    if (shown) {
        e->goal.state = BURL_GOAL_STATE_CONFIRMED;
        e->fingerprint = fingerprint;
    } else {
        e->goal.state = rules->may_be_harmless && e->goal.hits > 0 ? BURL_GOAL_STATE_HARMLESS
                                                                   : BURL_GOAL_STATE_UNCONFIRMED;
    }
    return st;
}

#define BY_SEED_AND_KEY(s) (s)->seed, (s)->key

static int
by_seed_and_key(const void *a, const void *b)
{
    const struct burl_wire_suspect *x = a;
    const struct burl_wire_suspect *y = b;

    return BURL_COMPARE(x, y, BY_SEED_AND_KEY);
}

static void
add_pending(struct burl_campaign *c, const struct burl_pending_finding *p)
{
    const uint64_t race = c->stats->suspects[p->suspect].race;
    bool first = true;

    for (size_t i = 0; i < c->findings.pending.n && race != 0 && first; i++)
        first = c->stats->suspects[c->findings.pending.v[i].suspect].race != race;
    c->findings.n_unidentified += first;
    BURL_VEC_PUSH(&c->findings.pending, *p);
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

        if (has_happened(s) && e->turn != BURL_CAMPAIGN_TURN_NEVER &&
            e->goal.state != BURL_GOAL_STATE_CONFIRMED && e->goal.state != BURL_GOAL_STATE_HIDDEN &&
            e->reruns < HAPPENED_TRIES && !burl__findings_is_pending(&c->findings, pending.suspect))
            add_pending(c, &pending);
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
    uint64_t all = (c->learned.reduced ? FIRST_LONG_EXECS : FIRST_EXECS) + done * 3 / 10;
    uint64_t left;

    if (c->cfg->verify_only)
        return UINT64_MAX;
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

/* Is an attempt at the suspect worth it? Rare before frequent: the frequent ones happen without
 * direction. */
static bool
is_promising(struct burl_campaign *c, size_t ix, struct burl_promise *p)
{
    const struct burl_campaign_suspect *e = &c->stats->suspects[ix];
    const struct burl_goal_rules *rules = burl__goal_rules[e->goal.kind];

    if (!rules || !burl__goal_is_open(&e->goal, c->cfg->confirm_tries))
        return false;
    *p = (struct burl_promise){
        .keys = { (uint64_t)e->turn * (BURL_GOAL_CLASS_LAST + 1) +
                      (e->goal.state == BURL_GOAL_STATE_HARMLESS ? BURL_GOAL_CLASS_LAST
                                                                 : rules->class),
                  e->suspect.count, e->suspect.rank, ix },
        .at = ix,
    };
    return !rules->propose || rules->propose(c, ix, p);
}

/* Races are found on the way to other goals if they are searched for at all. Without an observer
 * the runtime does not know which locks are held. */
static uint32_t
directed_observers(const struct burl_campaign *c, enum burl_goal_kind kind)
{
    bool races = kind == BURL_GOAL_KIND_RACE || (c->cfg->observers & BURL_OB(RACE)) != 0;

    return races ? BURL_OB(RACE) : BURL_OB(TRIPLE);
}

static struct burl_work
directed_work(struct burl_campaign *c, size_t ix, uint64_t n)
{
    const struct burl_campaign_suspect *e = &c->stats->suspects[ix];
    struct burl_work w = {
        .strategy = BURL_STRATEGY_DIRECTED,
        .flags = BURL_ORDER_F_LEARN | BURL_ORDER_F_STOP_AT_FINDING |
                 (c->cfg->stop_at_first && !c->hooks->hidden ? BURL_ORDER_F_STOP_AT_SUSPECT : 0u) |
                 (c->cfg->check_determinism ? BURL_ORDER_F_CHECK_TWICE : 0u),
        .first_seed = burl__suspects_seed(c),
        .n = n,
        .observers = directed_observers(c, e->goal.kind),
        .args.goal = burl_wire_goal_of(&e->suspect),
        .suspect = ix + 1,
        .whole = true
    };

    if (burl__goal_rules[e->goal.kind]->order)
        burl__goal_rules[e->goal.kind]->order(c, ix, &w);
    return w;
}

/* Is another pair on the same memory among the works? One race on it stands for all. */
static bool
has_pair_on(const struct burl_campaign *c, const struct burl_works *works, uint64_t race)
{
    for (size_t i = 0; i < works->n && race != 0; i++) {
        if (c->stats->suspects[works->v[i].suspect - 1].race == race)
            return true;
    }
    return false;
}

enum burl_status
burl__suspects_drive(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_promises *list = &c->goals.promises;
    struct burl_works works = { 0 };
    uint64_t left = directed_budget(c);
    enum burl_status st = BURL_OK;

    list->n = 0;
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct burl_promise p;

        if (is_promising(c, i, &p))
            BURL_VEC_PUSH(list, p);
    }
    if (list->n > 0)
        qsort(list->v, list->n, sizeof *list->v, burl__goal_by_promise);
    for (size_t i = 0; i < list->n && left > 0; i++) {
        const struct burl_campaign_suspect *e = &c->stats->suspects[list->v[i].at];
        uint64_t n = c->cfg->confirm_tries - e->goal.attempts;

        if (c->cfg->verify_only && has_pair_on(c, &works, e->race))
            continue; /* its turn comes, unless the other is confirmed */
        if (e->goal.attempts == 0 && n > FIRST_TRIES)
            n = FIRST_TRIES;
        if (n > left)
            n = left;
        left -= n;
        BURL_VEC_PUSH(&works, directed_work(c, list->v[i].at, n));
    }
    if (works.n > 0)
        st = burl__pool_run(c, works.v, works.n, err);
    BURL_VEC_FREE(&works);
    return st;
}

/* ---- single tries of an opening ---------------------------------------------------- */

/* Tries of one suspect in an opening; the rounds come back to it. */
#define OPENING_TRIES 3u

bool
burl__suspects_next(struct burl_campaign *c, uint32_t urgent, struct burl_work *w)
{
    struct burl_promise best = { .keys = { UINT64_MAX } };

    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &c->stats->suspects[i];
        const struct burl_goal_rules *rules = burl__goal_rules[e->goal.kind];
        struct burl_promise p;

        if (urgent != 0 && (!(urgent >> e->suspect.kind & 1) || !rules->is_urgent(c, e)))
            continue;
        if (e->goal.attempts >= OPENING_TRIES || !is_promising(c, i, &p))
            continue;
        /* A second try of a better one comes before the first of one that is a class worse. */
        p.keys[0] += 2 * e->goal.attempts;
        if (burl__goal_by_promise(&p, &best) < 0)
            best = p;
    }
    if (best.keys[0] == UINT64_MAX)
        return false;
    *w = directed_work(c, best.at, 1);
    w->flags |= burl__goal_points_flag(c, &w->args.goal);
    w->flags &= ~(uint32_t)BURL_ORDER_F_CHECK_TWICE;
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

/* What was confirmed, hidden or covered then depends on findings, which this campaign has yet to
 * make; what was tried in vain need not be tried as often again. */
void
burl__suspects_recall(struct burl_campaign *c, const struct burl_goal_memory *x)
{
    struct burl_wire_suspect s = { .kind = suspect_of(x->goal.kind),
                                   .n_sites = (uint8_t)x->n_sites,
                                   .observer = x->observer,
                                   .rank = x->rank,
                                   .addr = x->addr,
                                   .seed = x->goal.first_seed };

    if (s.kind == BURL_SUSPECT__N || x->goal.state > BURL_GOAL_STATE_HARMLESS)
        return;
    memcpy(s.sites, x->sites, sizeof s.sites);
    memcpy(s.ops, x->ops, sizeof s.ops);
    memcpy(s.tids, x->tids, sizeof s.tids);
    s.key = burl_wire_suspect_key(s.kind, s.sites, s.n_sites);
    *add_suspect(c->stats) = (struct burl_campaign_suspect){ .suspect = s, .goal = x->goal };
}
