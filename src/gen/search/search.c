/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/search.c - CovCon's main loop (PAPERS 1.9).
 *
 * A pair is chosen, two tests are built for it, each is run and judged. With the controlled
 * executor a test is run under several schedules, and the best of them decides what is covered. A
 * violation is minimized, confirmed in fresh processes, and only then passed to the front end; the
 * search ends there unless it is to keep going.
 *
 * Deterministic with the controlled executor: same seed and limit on tests, same tests, same
 * violations. A time limit only cuts that sequence short.
 */
#include "gen/search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/target/target.h"

#define SHORT_SUFFIX 2u /* calls per thread while pairs were tried at most this often... */
#define SHORT_TRIES 5u
#define LONG_SUFFIX 5u    /* ...and afterwards */
#define STATE_CHANGERS 5u /* of the second of the two tests */
#define MAX_OUTCOMES 64u  /* distinct ones of a test that are judged */
#define STUCK_TESTS 200u  /* that could not be built, one after the other */

struct search {
    struct burl_gen_exec *x;
    enum burl_status st; /* of the hooks; `err` describes a failure */
    struct burl_err *err;
    const struct burl_gen_config *cfg;
    const struct burl_gen_hooks *hooks;
    struct burl_gen_pairs *pairs;
    struct burl_gen_pairs scratch; /* counts of one execution */
    uint64_t *best;                /* by pair: most in one execution of this test */
    struct burl_gen_builder *builder;
    struct burl_gen_curve *curve;
    struct burl_gen_stats *stats;
    struct burl_rng rng;
    int64_t start_ms;
    uint64_t next_seed; /* of controlled schedules */
    unsigned not_built; /* one after the other */
    uint64_t turns;     /* of the loop, with this one */
    struct burl_gen_violations violations;
    struct burl_gen_outcomes outcomes; /* of the present test */
};

/* Of the front end or the executor. */
static bool
has_failed(const struct search *s)
{
    return s->st != BURL_OK || burl_gen_violations_failed(&s->violations);
}

/* ---- outcomes of one test ------------------------------------------------------------------ */

static void
count_covered(struct search *s, const struct burl_gen_outcome *o)
{
    for (size_t i = 0; i < s->scratch.pair.n; i++)
        s->scratch.pair.v[i].covered = 0;
    burl_gen_pairs_count(&s->scratch, o->events.v, o->events.n, s->cfg->threads);
    for (size_t i = 0; i < s->scratch.pair.n; i++) {
        if (s->scratch.pair.v[i].covered > s->best[i])
            s->best[i] = s->scratch.pair.v[i].covered;
    }
}

static bool
on_outcome(void *arg, const struct burl_gen_outcome *o)
{
    struct search *s = arg;

    s->stats->executions++;
    count_covered(s, o);
    burl_gen_outcomes_add(&s->outcomes, o, MAX_OUTCOMES);
    return true;
}

/* ---- violations ---------------------------------------------------------------------------- */

/* What is new since `before` belongs to the pair of this test. */
static void
count_violations(struct search *s, struct burl_gen_pair *pair, uint64_t before, int64_t seen_ms)
{
    const struct burl_gen_violations *v = &s->violations;

    if (before == 0 && v->n_new > 0) {
        s->stats->first_ms = seen_ms;
        s->stats->first_tests = s->stats->tests;
    }
    if (pair != NULL)
        pair->violations += v->n_new - before;
    s->stats->violations = v->n_new;
    s->stats->unconfirmed = v->unconfirmed;
    s->stats->unclean = v->unclean;
    s->stats->cut = v->cut;
    s->stats->explained = v->explained;
    s->stats->not_decided = v->not_decided;
    memcpy(s->stats->why_not_decided, v->why_not_decided, sizeof v->why_not_decided);
}

static void
judge(struct search *s, const struct burl_gen_test *t, const struct burl_gen_suspects *suspects,
      struct burl_gen_pair *pair)
{
    const uint64_t before = s->violations.n_new;
    const int64_t seen_ms = burl_target_now_ms() - s->start_ms;

    burl_gen_violations_judge(&s->violations, t, &s->outcomes, NULL);
    for (size_t i = 0; i < suspects->n && !has_failed(s); i++) {
        if (!burl_gen_violations_is_new_race(&s->violations, &suspects->v[i]))
            continue;
        burl_gen_violations_race(&s->violations, t, &suspects->v[i],
                                 s->outcomes.n > 0 ? &s->outcomes.v[0] : NULL);
        if (s->violations.n_new > 0 && !s->cfg->keep_going)
            break;
    }
    count_violations(s, pair, before, seen_ms);
}

/* ---- one test ------------------------------------------------------------------------------ */

/* Adds the counts of the best execution; true if a pair was covered for the first time. */
static bool
add_covered(struct search *s)
{
    bool is_new = false;

    for (size_t i = 0; i < s->pairs->pair.n; i++) {
        is_new = is_new || (s->best[i] > 0 && s->pairs->pair.v[i].covered == 0);
        s->pairs->pair.v[i].covered += s->best[i];
    }
    return is_new;
}

static void
add_curve_point(struct search *s)
{
    const struct burl_gen_curve_point p = { .tests = s->stats->tests,
                                            .ms = burl_target_now_ms() - s->start_ms,
                                            .covered = burl_gen_pairs_totals(s->pairs).covered };

    if (s->curve->n == 0 || s->curve->v[s->curve->n - 1].tests != p.tests)
        BURL_VEC_PUSH(s->curve, p);
}

static void
execute(struct search *s, const struct burl_gen_test *t, struct burl_gen_suspects *suspects)
{
    const struct burl_gen_plan plan = { .schedules = s->cfg->schedules,
                                        .first_seed = s->next_seed,
                                        .observers = s->cfg->observers,
                                        .strategy = -1 };
    struct burl_gen_outcome o;

    if (s->cfg->executor == BURL_GEN_CONTROLLED) {
        s->next_seed += s->cfg->schedules;
        burl_gen_exec_controlled(s->x, t, &plan, on_outcome, s, suspects);
        return;
    }
    burl_gen_exec_free(s->x, t, s->cfg->observers, &o, suspects);
    if (!burl_gen_exec_failed(s->x))
        on_outcome(s, &o);
    burl_gen_outcome_deinit(&o);
}

static void
run_test(struct search *s, const struct burl_gen_test *t, struct burl_gen_pair *pair)
{
    struct burl_gen_suspects suspects = { 0 };

    burl_gen_outcomes_clear(&s->outcomes);
    memset(s->best, 0, s->pairs->pair.n * sizeof *s->best);
    s->stats->tests++;
    execute(s, t, &suspects);
    if (!burl_gen_exec_failed(s->x) && add_covered(s)) {
        s->stats->kept++;
        if (s->hooks->kept != NULL)
            s->hooks->kept(s->hooks->arg, t);
    }
    if ((s->stats->tests & (s->stats->tests - 1)) == 0)
        add_curve_point(s);
    if (!has_failed(s))
        judge(s, t, &suspects, pair);
    BURL_VEC_FREE(&suspects);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static bool
is_over(struct search *s)
{
    struct burl_gen_stats *t = s->stats;

    if (has_failed(s)) {
        if (burl_gen_exec_is_late(s->x))
            t->stop = BURL_GEN_STOP_TIME;
        return true;
    }
    if (s->cfg->interrupt != NULL && *s->cfg->interrupt != 0)
        t->stop = BURL_GEN_STOP_INTERRUPTED;
    else if (t->violations > 0 && !s->cfg->keep_going)
        t->stop = BURL_GEN_STOP_FOUND;
    else if (s->cfg->tests > 0 && t->tests >= s->cfg->tests)
        t->stop = BURL_GEN_STOP_TESTS;
    else if (s->cfg->time_ms > 0 && burl_target_now_ms() - s->start_ms >= (int64_t)s->cfg->time_ms)
        t->stop = BURL_GEN_STOP_TIME;
    else if (s->not_built >= STUCK_TESTS + s->pairs->pair.n)
        t->stop = BURL_GEN_STOP_STUCK;
    else
        return false;
    return true;
}

unsigned
burl_gen_test_length(uint64_t tried, uint64_t turns, size_t n_pairs)
{
    if (tried == 0)
        tried = n_pairs > 0 ? (turns + n_pairs - 1) / n_pairs : turns;
    return tried <= SHORT_TRIES ? SHORT_SUFFIX : LONG_SUFFIX;
}

static void
build_and_run(struct search *s, struct burl_gen_pair *pair, unsigned k)
{
    const int fns[2] = { pair != NULL ? pair->a : -1, pair != NULL ? pair->b : -1 };
    const struct burl_gen_build_request request = {
        .fns = fns,
        .n_fns = pair != NULL ? 2 : 0,
        .threads = s->cfg->threads,
        .length = burl_gen_test_length(pair != NULL ? pair->tried : 0, s->turns, s->pairs->pair.n),
        .state_changers = k,
        .round = pair != NULL ? pair->tried : s->stats->tests,
    };
    struct burl_gen_test t;

    if (s->hooks->progress != NULL)
        s->hooks->progress(s->hooks->arg, s->stats, s->pairs, pair);
    if (burl_gen_build(s->builder, &request, &t)) {
        s->not_built = 0;
        run_test(s, &t, pair);
    } else if (!burl_gen_exec_failed(s->x)) {
        s->stats->failed_makes++;
        s->not_built++;
    }
    burl_gen_test_deinit(&t);
}

static void
run_loop(struct search *s)
{
    while (!is_over(s)) {
        struct burl_gen_pair *pair = NULL;

        s->turns++;
        if (s->cfg->guide != BURL_GEN_GUIDE_RANDOM)
            pair = burl_gen_pairs_next(s->pairs, &s->rng);
        build_and_run(s, pair, 0);
        if (!is_over(s))
            build_and_run(s, pair, STATE_CHANGERS);
    }
}

enum burl_status
burl_gen_search(struct burl_gen_exec *x, const struct burl_gen_config *cfg,
                const struct burl_gen_hooks *hooks, struct burl_gen_pairs *pairs,
                struct burl_gen_curve *curve, struct burl_gen_stats *stats, struct burl_err *err)
{
    const struct burl_gen_model *m = burl_gen_exec_model(x);
    struct search s = { .x = x,
                        .err = err,
                        .cfg = cfg,
                        .hooks = hooks,
                        .pairs = pairs,
                        .curve = curve,
                        .stats = stats,
                        .start_ms = burl_target_now_ms(),
                        .next_seed = cfg->seed,
                        .violations = { .x = x,
                                        .max_linear = cfg->max_linear,
                                        .compare_results = cfg->compare_results,
                                        .report = hooks->violation,
                                        .arg = hooks->arg,
                                        .err = err } };

    memset(stats, 0, sizeof *stats);
    stats->first_ms = -1;
    burl_gen_pairs_init(pairs, m, cfg->guide);
    burl_gen_pairs_init(&s.scratch, m, cfg->guide);
    s.best = burl_xcalloc(pairs->pair.n + 1, sizeof *s.best);
    burl_rng_init(&s.rng, cfg->seed);
    s.builder = burl_gen_builder_new(x, cfg->seed, &stats->build);
    burl_gen_exec_set_deadline(x, burl_deadline_in(s.start_ms, cfg->time_ms));
    run_loop(&s);
    burl_gen_exec_set_deadline(x, (struct burl_deadline){ 0 });
    add_curve_point(&s);
    stats->wall_ms = burl_target_now_ms() - s.start_ms;
    burl_gen_builder_finish(s.builder);
    if (stats->stop == BURL_GEN_STOP_STUCK)
        snprintf(stats->why, sizeof stats->why,
                 "no test could be built in %u attempts; the last call that failed "
                 "sequentially: %.150s",
                 s.not_built, stats->build.why_rejected);
    burl_gen_builder_free(s.builder);
    burl_gen_outcomes_clear(&s.outcomes);
    BURL_VEC_FREE(&s.outcomes);
    burl_gen_violations_deinit(&s.violations);
    burl_gen_pairs_deinit(&s.scratch);
    free(s.best);
    if (s.st == BURL_OK)
        s.st = s.violations.st;
    return s.st != BURL_OK ? s.st : burl_gen_exec_status(x, err);
}
