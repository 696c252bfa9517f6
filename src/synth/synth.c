/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/synth.c - the phases, in order.
 */
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/verdict.h"
#include "engine/target/target.h"
#include "synth/record.h"
#include "synth/statics.h"
#include "wire/record.h"

#define MAX_GOALS 32u /* of one test */

void
burl_synth_deinit(struct burl_synth *s)
{
    for (size_t i = 0; i < s->tests.n; i++) {
        burl_gen_test_deinit(&s->tests.v[i].test);
        BURL_VEC_FREE(&s->tests.v[i].pairs);
        BURL_VEC_FREE(&s->tests.v[i].lock_pairs);
        BURL_VEC_FREE(&s->tests.v[i].goals);
        BURL_VEC_FREE(&s->tests.v[i].findings);
    }
    BURL_VEC_FREE(&s->tests);
    BURL_VEC_FREE(&s->planned);
    BURL_VEC_FREE(&s->lock_pairs);
    burl_synth_pairs_deinit(&s->pairs);
    burl_synth_table_deinit(&s->table);
    burl_synth_script_deinit(&s->script);
    burl_synth_log_deinit(&s->log);
}

/* ---- seeds --------------------------------------------------------------------------------- */

/* Why a run of a seed is of no use. */
static enum burl_status
seed_check(const char *name, const struct burl_gen_seed_run *run, size_t n_calls,
           struct burl_err *err)
{
    const struct burl_record_head *h = run->area;

    if (h == NULL)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s cannot be recorded: its process was lost. Run it alone first",
                            name);
    if (run->n_threads > 1)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s uses threads, and so does not show what one call does alone; give "
                            "sequential tests, and test this program with burl test",
                            name);
    if (run->verdict.kind != BURL_VERDICT_PASS)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s fails by itself (%s, code %d): repair it or leave it out; "
                            "arguments that it needs are given with --seed-args",
                            name, burl_verdict_name(run->verdict.kind), run->verdict.code);
    if (n_calls == 0)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s never calls a function of the header: nothing can be learned "
                            "from it",
                            name);
    if (h->n_lost > 0)
        return burl_err_set(err, BURL_E_LIMIT, 0,
                            "%s does too much to be recorded (more than %u events): give a "
                            "shorter seed",
                            name, h->n);
    return BURL_OK;
}

enum burl_status
burl_synth_record(struct burl_synth *s, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; st == BURL_OK && i < burl_gen_exec_n_seeds(s->x); i++) {
        const size_t before = s->log.calls.n;
        struct burl_gen_seed_run run;

        if (s->on_seed != NULL)
            s->on_seed(s->arg, i, burl_gen_exec_n_seeds(s->x));
        burl_gen_exec_seed(s->x, i, s->cfg.seed_args, s->cfg.seed_args_b, &run);
        st = burl_gen_exec_status(s->x, err);
        if (st == BURL_OK && run.area != NULL && i == 0)
            st = burl_synth_statics_read(&s->log, s->x,
                                         ((const struct burl_record_head *)run.area)->image, err);
        if (st == BURL_OK && run.area != NULL)
            st = burl_synth_record_read(&s->log, &s->script, s->m, run.area, run.area_b, err);
        if (st == BURL_OK)
            st = seed_check(burl_gen_exec_seed_source(s->x, i), &run, s->log.calls.n - before, err);
        burl_gen_seed_run_deinit(&run);
    }
    s->stats.calls = s->log.calls.n;
    return st;
}

/* ---- tests --------------------------------------------------------------------------------- */

static struct burl_wire_goal
goal_of(const struct burl_synth *s, enum burl_synth_for what, size_t a, size_t b)
{
    const struct burl_synth_dep *x = &s->table.deps.v[a];
    const struct burl_synth_dep *y = &s->table.deps.v[b];

    if (what == BURL_SYNTH_RACE)
        return (struct burl_wire_goal){ .kind = BURL_GOAL_RACE,
                                        .race = { .first = x->current_site,
                                                  .second = y->current_site,
                                                  .goes_first = BURL_RACE_BY_SEED } };
    return (struct burl_wire_goal){ .kind = BURL_GOAL_TRIPLE,
                                    .triple = { .local_first = x->previous_site,
                                                .remote = y->current_site,
                                                .local_second = x->current_site } };
}

static void
goal_add(struct burl_synth_test *t, struct burl_wire_goal g)
{
    for (size_t i = 0; i < t->goals.n; i++) {
        if (memcmp(&t->goals.v[i], &g, sizeof g) == 0)
            return;
    }
    if (t->goals.n < MAX_GOALS)
        BURL_VEC_PUSH(&t->goals, g);
}

/* The test with these calls; takes ownership. Pairs often lead to a test that another one had. */
static size_t
test_add(struct burl_synth *s, struct burl_gen_test *test, enum burl_synth_for what)
{
    uint64_t hash = burl_gen_test_hash(test);

    for (size_t i = 0; i < s->tests.n; i++) {
        if (s->tests.v[i].hash == hash) {
            burl_gen_test_deinit(test);
            return i;
        }
    }
    BURL_VEC_PUSH(&s->tests, (struct burl_synth_test){ .test = *test, .hash = hash, .what = what });
    return s->tests.n - 1;
}

static void
plan_pair(struct burl_synth *s, size_t at)
{
    const struct burl_synth_pair *p = &s->pairs.v[at];
    struct burl_synth_planned *planned = BURL_VEC_ADD(&s->planned);
    struct burl_gen_test test;
    struct burl_synth_test *t;

    planned->test = BURL_SYNTH_NO_TEST;
    if (p->fate > BURL_SYNTH_KEPT_SETTER)
        return;
    s->stats.feasible++;
    planned->built = burl_synth_share_pair(&test, p, &s->table, &s->script, s->m);
    s->stats.by_built[planned->built]++;
    if (planned->built != BURL_SYNTH_BUILT)
        return;
    planned->test = test_add(s, &test, p->what);
    t = &s->tests.v[planned->test];
    BURL_VEC_PUSH(&t->pairs, at);
    for (size_t i = 0; i < s->pairs.raw.n; i++) {
        if (s->pairs.raw.v[i].pair == at)
            goal_add(t, goal_of(s, p->what, s->pairs.raw.v[i].a, s->pairs.raw.v[i].b));
    }
}

/* Two nests whose locks, shared crosswise, close a cycle. */
static bool
can_cycle(const struct burl_synth_nest *a, const struct burl_synth_nest *b)
{
    return a->outer.type[a->outer.n] == b->inner.type[b->inner.n] &&
           a->inner.type[a->inner.n] == b->outer.type[b->outer.n] && a->outer_off == b->inner_off &&
           a->inner_off == b->outer_off;
}

static bool
same_nest(const struct burl_synth_nest *a, const struct burl_synth_nest *b)
{
    return a->fn == b->fn && a->outer_site == b->outer_site && a->inner_site == b->inner_site &&
           burl_synth_path_equal(&a->outer, &b->outer) &&
           burl_synth_path_equal(&a->inner, &b->inner);
}

/* The lock pair of two rows; those of other calls of the same functions are one. */
static size_t
lock_pair_of(struct burl_synth *s, size_t a, size_t b)
{
    const struct burl_synth_nest *rows = s->table.nests.v;

    for (size_t i = 0; i < s->lock_pairs.n; i++) {
        struct burl_synth_lock_pair *p = &s->lock_pairs.v[i];

        if ((same_nest(&rows[p->a], &rows[a]) && same_nest(&rows[p->b], &rows[b])) ||
            (same_nest(&rows[p->a], &rows[b]) && same_nest(&rows[p->b], &rows[a]))) {
            p->n_same++;
            return i;
        }
    }
    BURL_VEC_PUSH(&s->lock_pairs, (struct burl_synth_lock_pair){ .a = a, .b = b, .n_same = 1 });
    BURL_VEC_PUSH(&s->planned, (struct burl_synth_planned){ .test = BURL_SYNTH_NO_TEST });
    return s->lock_pairs.n - 1;
}

static void
plan_lock_pair(struct burl_synth *s, size_t a, size_t b)
{
    const struct burl_synth_nest *x = &s->table.nests.v[a];
    const struct burl_synth_nest *y = &s->table.nests.v[b];
    struct burl_wire_goal g = { .kind = BURL_GOAL_CYCLE, .cycle = { .n = 2 } };
    size_t at = lock_pair_of(s, a, b);
    struct burl_synth_planned *planned = &s->planned.v[s->pairs.n + at];
    struct burl_gen_test test;
    enum burl_synth_built built = burl_synth_share_nests(&test, x, y, &s->script, s->m);
    struct burl_synth_test *t;
    size_t number;

    if (built != BURL_SYNTH_BUILT) {
        if (planned->test == BURL_SYNTH_NO_TEST)
            planned->built = built;
        return;
    }
    g.cycle.threads[0].held_from = x->outer_site;
    g.cycle.threads[0].requested_at = x->inner_site;
    g.cycle.threads[1].held_from = y->outer_site;
    g.cycle.threads[1].requested_at = y->inner_site;
    number = test_add(s, &test, BURL_SYNTH_DEADLOCK);
    if (planned->test == BURL_SYNTH_NO_TEST)
        *planned = (struct burl_synth_planned){ .built = built, .test = number };
    t = &s->tests.v[number];
    if (t->lock_pairs.n == 0 || t->lock_pairs.v[t->lock_pairs.n - 1] != at)
        BURL_VEC_PUSH(&t->lock_pairs, at);
    goal_add(t, g);
}

static void
plan_nests(struct burl_synth *s)
{
    for (size_t a = 0; a < s->table.nests.n; a++) {
        for (size_t b = a; b < s->table.nests.n; b++) {
            if (can_cycle(&s->table.nests.v[a], &s->table.nests.v[b]))
                plan_lock_pair(s, a, b);
        }
    }
}

void
burl_synth_plan(struct burl_synth *s)
{
    s->table = burl_synth_analyze(&s->log);
    for (int what = BURL_SYNTH_ATOMICITY; what <= BURL_SYNTH_RACE; what++) {
        if ((s->cfg.what & BURL_SYNTH_FOR(what)) != 0)
            burl_synth_pairs_find(&s->pairs, &s->table, (enum burl_synth_for)what);
    }
    burl_synth_pairs_scan(&s->pairs, &s->table);
    s->stats.raw = s->pairs.raw.n;
    s->stats.unique = s->pairs.n;
    for (size_t i = 0; i < s->pairs.n; i++)
        plan_pair(s, i);
    if ((s->cfg.what & BURL_SYNTH_FOR(BURL_SYNTH_DEADLOCK)) != 0)
        plan_nests(s);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool
was_cut_short(const struct burl_synth *s, const struct burl_gen_violations *v)
{
    return burl_gen_violations_failed(v) || (s->cfg.interrupt != NULL && *s->cfg.interrupt != 0);
}

static bool
is_over(const struct burl_synth *s, const struct burl_gen_violations *v, int64_t start_ms)
{
    return was_cut_short(s, v) ||
           (s->cfg.time_ms > 0 && burl_target_now_ms() - start_ms >= (int64_t)s->cfg.time_ms);
}

void
burl_synth_test_add_finding(struct burl_synth_test *t, int64_t id)
{
    for (size_t i = 0; i < t->findings.n; i++) {
        if (t->findings.v[i] == id)
            return;
    }
    BURL_VEC_PUSH(&t->findings, id);
}

/* Why the oracle left the test undecided, from what the counts of `v` say of it. */
static void
note_reason(struct burl_synth_test *t, const struct burl_gen_violations *before,
            const struct burl_gen_violations *after)
{
    const char *why = "a violation of a kind that was given up before";

    if (after->unclean > before->unclean)
        why = "it can also fail or block when its calls are made one after the other";
    else if (after->unconfirmed > before->unconfirmed)
        why = "a violation was seen and not reproduced in new processes";
    else if (after->not_decided > before->not_decided)
        why = after->why_not_decided;
    snprintf(t->why, sizeof t->why, "%s", why);
}

void
burl_synth_run(struct burl_synth *s, struct burl_gen_violations *v)
{
    const int64_t start_ms = burl_target_now_ms();

    for (size_t i = 0; i < s->tests.n && !s->stats.is_cut; i++) {
        struct burl_synth_test *t = &s->tests.v[i];
        const struct burl_gen_violations before = *v;

        if (is_over(s, v, start_ms)) {
            s->stats.is_cut = true;
            break;
        }
        if (s->on_test != NULL && !s->on_test(s->arg, i, s->tests.n))
            continue;
        burl_synth_detect(s, t, v);
        /* A test that was cut short has shown nothing but a violation. */
        if (was_cut_short(s, v)) {
            s->stats.is_cut = true;
            if (t->result != BURL_SYNTH_HARMFUL)
                t->result = BURL_SYNTH_NOT_RUN;
        }
        s->stats.n_run += t->result != BURL_SYNTH_NOT_RUN;
        s->stats.n_met += t->met > 0;
        s->stats.n_harmful += t->result == BURL_SYNTH_HARMFUL;
        if (t->result == BURL_SYNTH_NOT_DECIDED)
            note_reason(t, &before, v);
    }
    s->stats.wall_ms = burl_target_now_ms() - start_ms;
}
