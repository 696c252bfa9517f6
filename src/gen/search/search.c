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
#define LONG_SUFFIX 5u       /* ...and afterwards */
#define STATE_CHANGERS 5u    /* of the second of the two tests */
#define MAX_OUTCOMES 64u     /* distinct ones of a test that are judged */
#define STUCK_TESTS 200u     /* that could not be built, one after the other */
#define UNCLEAN_TRIES 20u    /* as below, in tests that may fail by themselves */
#define UNCONFIRMED_TRIES 3u /* of one kind, before it is left alone */

/* A kind of violation: the failure, and the functions involved. */
struct violation_kind {
    uint64_t signature;
    bool settled; /* reported, or given up */
    unsigned tries;
    unsigned unclean;
};

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
    BURL_VEC(struct violation_kind) kinds;
    struct burl_gen_outcomes outcomes; /* of the present test */
};

/* Of the front end or the executor. */
static bool
has_failed(const struct search *s)
{
    return s->st != BURL_OK || burl_gen_exec_failed(s->x);
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

/* Hash of the failure and the functions of the threads: mostly the same for the same bug. */
static uint64_t
signature(const struct burl_gen_violation *v)
{
    uint64_t fns = 0;
    uint64_t h;

    if (v->is_race)
        return v->race.key;
    for (unsigned t = 0; t < v->test.n_threads; t++) {
        for (size_t i = 0; i < v->test.threads[t].n; i++)
            fns |= 1ull << (v->test.threads[t].v[i].fn % 64);
    }
    h = burl_wire_mix(burl_wire_mix(7, v->verdict.by_results), v->run.verdict.kind);
    return burl_wire_mix(h, fns) | 1;
}

static struct violation_kind *
kind_of(struct search *s, uint64_t sig)
{
    for (size_t i = 0; i < s->kinds.n; i++) {
        if (s->kinds.v[i].signature == sig)
            return &s->kinds.v[i];
    }
    BURL_VEC_PUSH(&s->kinds, (struct violation_kind){ .signature = sig });
    return &s->kinds.v[s->kinds.n - 1];
}

static bool
is_settled(struct search *s, uint64_t sig)
{
    const struct violation_kind *k = kind_of(s, sig);

    return k->settled || k->tries >= UNCONFIRMED_TRIES;
}

/* Shrinking takes long, and a test that is not clean seldom becomes clean: after some of them only
 * tests that are clean from the start are shrunk. */
static bool
is_worth_shrinking(struct search *s, const struct burl_gen_violation *v)
{
    const uint64_t sig = signature(v);

    return !is_settled(s, sig) &&
           (kind_of(s, sig)->unclean < UNCLEAN_TRIES || burl_gen_is_clean(s->x, &v->test));
}

static void
count_violation(struct search *s, struct burl_gen_pair *pair, int64_t seen_ms)
{
    if (s->stats->violations++ == 0) {
        s->stats->first_ms = seen_ms;
        s->stats->first_tests = s->stats->tests;
    }
    if (pair != NULL)
        pair->violations++;
}

static void
pass_on(struct search *s, const struct burl_gen_violation *v, struct burl_gen_pair *pair,
        int64_t seen_ms)
{
    struct burl_gen_oracle *oracle = burl_gen_oracle_new(s->x, &v->test, s->cfg->max_linear);
    enum burl_gen_fate fate = BURL_GEN_FATE_NEW;

    s->st = s->hooks->violation(s->hooks->arg, v, oracle, &fate, s->err);
    burl_gen_oracle_free(oracle);
    if (s->st != BURL_OK)
        return;
    kind_of(s, signature(v))->settled = true;
    if (fate == BURL_GEN_FATE_NEW)
        count_violation(s, pair, seen_ms);
    else if (fate == BURL_GEN_FATE_NOT_REPRODUCED)
        s->stats->unconfirmed++;
}

/* Minimizes the violation and passes it to the front end. Takes ownership. */
static void
report_violation(struct search *s, struct burl_gen_violation *v, struct burl_gen_pair *pair)
{
    const uint64_t before = signature(v);
    const int64_t seen_ms = burl_target_now_ms() - s->start_ms;
    const bool worth = is_worth_shrinking(s, v);

    if (worth)
        burl_gen_minimize(s->x, v);
    if (!worth || burl_gen_exec_failed(s->x)) {
        /* nothing to count */
    } else if (!v->clean) {
        s->stats->unclean++;
        kind_of(s, before)->unclean++;
    } else {
        kind_of(s, before)->tries++;
        if (v->confirmed < BURL_GEN_FRESH_PROCESSES) {
            s->stats->unconfirmed++;
        } else {
            kind_of(s, before)->settled = true;
            if (signature(v) == before || !is_settled(s, signature(v)))
                pass_on(s, v, pair, seen_ms);
        }
    }
    burl_gen_violation_deinit(v);
}

static void
judge(struct search *s, const struct burl_gen_test *t, struct burl_gen_pair *pair)
{
    struct burl_gen_oracle *o = burl_gen_oracle_new(s->x, t, s->cfg->max_linear);
    const struct burl_gen_judged judged =
        burl_gen_oracle_judge_all(o, &s->outcomes, s->cfg->compare_results);

    burl_gen_oracle_free(o);
    if (burl_gen_exec_failed(s->x))
        return;
    s->stats->explained += judged.explained;
    s->stats->not_decided += judged.not_decided;
    if (judged.not_decided > 0)
        memcpy(s->stats->why_not_decided, judged.why_not_decided, sizeof judged.why_not_decided);
    if (judged.violation != NULL) {
        struct burl_gen_violation v = { .verdict = judged.verdict,
                                        .run = burl_gen_outcome_copy(judged.violation),
                                        .test = burl_gen_test_copy(t) };

        report_violation(s, &v, pair);
    }
}

static void
report_races(struct search *s, const struct burl_gen_test *t,
             const struct burl_gen_suspects *suspects, struct burl_gen_pair *pair)
{
    for (size_t i = 0; i < suspects->n && !has_failed(s); i++) {
        struct burl_gen_violation v = { .is_race = true,
                                        .race = suspects->v[i],
                                        .verdict.judgement = BURL_GEN_VIOLATION,
                                        .verdict.why = "a data race inside the API" };

        if (suspects->v[i].kind != BURL_SUSPECT_RACE || is_settled(s, suspects->v[i].key))
            continue;
        v.test = burl_gen_test_copy(t);
        if (s->outcomes.n > 0)
            v.run = burl_gen_outcome_copy(&s->outcomes.v[0]);
        report_violation(s, &v, pair);
        if (s->stats->violations > 0 && !s->cfg->keep_going)
            break;
    }
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
        judge(s, t, pair);
    if (!has_failed(s))
        report_races(s, t, &suspects, pair);
    BURL_VEC_FREE(&suspects);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static bool
is_over(struct search *s)
{
    struct burl_gen_stats *t = s->stats;

    if (has_failed(s))
        return true;
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
                        .next_seed = cfg->seed };

    memset(stats, 0, sizeof *stats);
    stats->first_ms = -1;
    burl_gen_pairs_init(pairs, m, cfg->guide);
    burl_gen_pairs_init(&s.scratch, m, cfg->guide);
    s.best = burl_xcalloc(pairs->pair.n + 1, sizeof *s.best);
    burl_rng_init(&s.rng, cfg->seed);
    s.builder = burl_gen_builder_new(x, cfg->seed, &stats->build);
    run_loop(&s);
    add_curve_point(&s);
    stats->wall_ms = burl_target_now_ms() - s.start_ms;
    burl_gen_builder_finish(s.builder);
    if (stats->stop == BURL_GEN_STOP_STUCK)
        snprintf(stats->why, sizeof stats->why,
                 "no test could be built in %u attempts; the last call that did not go well "
                 "sequentially: %.150s",
                 s.not_built, stats->build.why_rejected);
    burl_gen_builder_free(s.builder);
    burl_gen_outcomes_clear(&s.outcomes);
    BURL_VEC_FREE(&s.outcomes);
    BURL_VEC_FREE(&s.kinds);
    burl_gen_pairs_deinit(&s.scratch);
    free(s.best);
    return s.st != BURL_OK ? s.st : burl_gen_exec_status(x, err);
}
