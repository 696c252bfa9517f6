/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/synth.c - the phases, in order.
 */
#include "synth/synth.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
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
        BURL_VEC_FREE(&s->tests.v[i].goals);
    }
    BURL_VEC_FREE(&s->tests);
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

uint64_t
burl_synth_region(const struct burl_synth_dep *d)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)d->fn << 32 | d->gap);

    if (d->gap == 0)
        h = burl_hash_u64(h, (uint64_t)d->path.type[d->path.n]);
    return burl_hash_end(h) | 1;
}

static void
goal_add(struct burl_synth_test *t, struct burl_wire_goal g, uint64_t region)
{
    for (size_t i = 0; i < t->goals.n; i++) {
        if (memcmp(&t->goals.v[i].goal, &g, sizeof g) == 0)
            return;
    }
    if (t->goals.n < MAX_GOALS)
        BURL_VEC_PUSH(&t->goals, (struct burl_synth_goal){ .goal = g, .region = region });
}

/* The test with these calls; takes ownership. Pairs often lead to a test that another one had. */
static struct burl_synth_test *
test_add(struct burl_synth *s, struct burl_gen_test *test, enum burl_synth_for what)
{
    uint64_t hash = burl_gen_test_hash(test);

    for (size_t i = 0; i < s->tests.n; i++) {
        if (s->tests.v[i].hash == hash) {
            burl_gen_test_deinit(test);
            return &s->tests.v[i];
        }
    }
    BURL_VEC_PUSH(&s->tests, (struct burl_synth_test){ .test = *test, .hash = hash, .what = what });
    return &s->tests.v[s->tests.n - 1];
}

static void
plan_pair(struct burl_synth *s, size_t at)
{
    const struct burl_synth_pair *p = &s->pairs.v[at];
    struct burl_gen_test test;
    struct burl_synth_test *t;
    enum burl_synth_built built;

    if (p->fate > BURL_SYNTH_KEPT_SETTER)
        return;
    s->stats.feasible++;
    built = burl_synth_share_pair(&test, p, &s->table, &s->script, s->m);
    s->stats.by_built[built]++;
    if (built != BURL_SYNTH_BUILT)
        return;
    t = test_add(s, &test, p->what);
    BURL_VEC_PUSH(&t->pairs, at);
    for (size_t i = 0; i < s->pairs.raw.n; i++) {
        if (s->pairs.raw.v[i].pair == at)
            goal_add(t, goal_of(s, p->what, s->pairs.raw.v[i].a, s->pairs.raw.v[i].b),
                     p->what == BURL_SYNTH_ATOMICITY
                         ? burl_synth_region(&s->table.deps.v[s->pairs.raw.v[i].a])
                         : 0);
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

/* Same for the same places, whichever thread has them. */
static uint64_t
cycle_hash(const struct burl_wire_goal *g)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < g->cycle.n; i++)
        h += burl_hash_end(
            burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)g->cycle.threads[i].held_from << 32 |
                                               g->cycle.threads[i].requested_at));
    return h | 1;
}

static void
plan_nests(struct burl_synth *s)
{
    for (size_t a = 0; a < s->table.nests.n; a++) {
        for (size_t b = a; b < s->table.nests.n; b++) {
            const struct burl_synth_nest *x = &s->table.nests.v[a];
            const struct burl_synth_nest *y = &s->table.nests.v[b];
            struct burl_wire_goal g = { .kind = BURL_GOAL_CYCLE, .cycle = { .n = 2 } };
            struct burl_gen_test test;
            struct burl_synth_test *t;

            if (!can_cycle(x, y) ||
                burl_synth_share_nests(&test, x, y, &s->script, s->m) != BURL_SYNTH_BUILT)
                continue;
            g.cycle.threads[0].held_from = x->outer_site;
            g.cycle.threads[0].requested_at = x->inner_site;
            g.cycle.threads[1].held_from = y->outer_site;
            g.cycle.threads[1].requested_at = y->inner_site;
            t = test_add(s, &test, BURL_SYNTH_DEADLOCK);
            t->nest_a = a;
            t->nest_b = b;
            t->cycle = cycle_hash(&g);
            goal_add(t, g, 0);
        }
    }
}

static uint64_t
functions_of(const struct burl_gen_test *t)
{
    uint64_t a = (uint64_t)t->threads[0].v[0].fn;
    uint64_t b = (uint64_t)t->threads[1].v[0].fn;

    return a < b ? a << 32 | b : b << 32 | a;
}

static int
by_rank(const void *x, const void *y)
{
    const struct burl_synth_test *a = x;
    const struct burl_synth_test *b = y;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* Every two functions get a test before any two get a second one: time may be short. */
static void
tests_order(struct burl_synth *s)
{
    struct burl_map n_tests = { 0 };

    for (size_t i = 0; i < s->tests.n; i++) {
        struct burl_synth_test *t = &s->tests.v[i];
        uint64_t n = 0;

        (void)burl_map_get(&n_tests, functions_of(&t->test), &n);
        burl_map_set(&n_tests, functions_of(&t->test), n + 1);
        t->rank = (unsigned)n;
        t->number = i;
    }
    burl_map_deinit(&n_tests);
    if (s->tests.n > 0)
        qsort(s->tests.v, s->tests.n, sizeof *s->tests.v, by_rank);
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
    for (size_t i = 0; i < s->tests.n; i++)
        burl_gen_leave_out_dumps(s->x, &s->tests.v[i].test);
    tests_order(s);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool
is_over(const struct burl_synth *s, const struct burl_gen_violations *v, int64_t start_ms)
{
    return burl_gen_violations_failed(v) || (s->cfg.interrupt != NULL && *s->cfg.interrupt != 0) ||
           (s->cfg.time_ms > 0 && burl_target_now_ms() - start_ms >= (int64_t)s->cfg.time_ms);
}

void
burl_synth_run(struct burl_synth *s, struct burl_gen_violations *v,
               void (*each)(void *arg, const struct burl_synth *s, size_t test), void *arg)
{
    const int64_t start_ms = burl_target_now_ms();

    for (size_t i = 0; i < s->tests.n; i++) {
        if (is_over(s, v, start_ms)) {
            s->stats.is_cut = true;
            return;
        }
        if (each != NULL)
            each(arg, s, i);
        burl_synth_detect(s, &s->tests.v[i], v);
        s->stats.n_run++;
        s->stats.n_met += s->tests.v[i].met > 0;
        s->stats.n_harmful += s->tests.v[i].result == BURL_SYNTH_HARMFUL;
    }
}
