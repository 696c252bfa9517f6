/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/reproduce.c - does this test show that violation?
 *
 * The seed that showed it is tried first: a smaller test often fails under the schedule of the
 * larger one. A race is looked up among the suspects of the observers, everything else is judged by
 * an oracle for the test. "The same kind" is strict, because a test that shrinks from one bug into
 * another would be reported with the wrong explanation.
 */
#include "gen/shrink/shrink.h"

#include <limits.h>
#include <string.h>

struct reproduction {
    const struct burl_gen_violation *like;
    struct burl_gen_oracle *oracle;
    struct burl_gen_violation *out;
    uint64_t executions;
    bool shown;
    enum burl_status st;
    struct burl_err *err;
};

static void
keep_run(struct burl_gen_violation *v, const struct burl_gen_outcome *run)
{
    burl_gen_outcome_deinit(&v->run);
    v->run = burl_gen_outcome_copy(run);
}

void
burl_gen_violation_deinit(struct burl_gen_violation *v)
{
    burl_gen_test_deinit(&v->test);
    burl_gen_outcome_deinit(&v->run);
    memset(v, 0, sizeof *v);
}

/* The run ended like the one to reproduce, so that judging it is worth its cost. */
static bool
ends_like(const struct burl_gen_violation *like, const struct burl_gen_outcome *run)
{
    const struct burl_wire_verdict *a = &like->run.verdict;

    if (run->end != like->run.end)
        return false;
    if (run->end != BURL_GEN_END_FAILED)
        return true;
    if (a->kind != run->verdict.kind)
        return false;
    return (a->kind != BURL_VERDICT_CRASH_SIGNAL && a->kind != BURL_VERDICT_EXIT_NONZERO) ||
           a->code == run->verdict.code;
}

static bool
on_outcome(void *arg, const struct burl_gen_outcome *run)
{
    struct reproduction *w = arg;
    struct burl_gen_verdict verdict;

    w->executions++;
    if (!ends_like(w->like, run))
        return true;
    w->st = burl_gen_oracle_judge(w->oracle, run, w->like->verdict.by_results, &verdict, w->err);
    if (w->st != BURL_OK)
        return false;
    if (verdict.judgement != BURL_GEN_VIOLATION)
        return true;
    keep_run(w->out, run);
    w->out->verdict = verdict;
    w->shown = true;
    return false;
}

static enum burl_status
judge_plan(struct burl_gen_exec *x, const struct burl_gen_test *t, const struct burl_gen_plan *plan,
           struct reproduction *w)
{
    enum burl_status st = burl_gen_exec_controlled(x, t, plan, on_outcome, w, NULL, w->err);

    return w->st != BURL_OK ? w->st : st;
}

/* For plan.strategy; a free run has none. */
static int
strategy_of(const struct burl_gen_outcome *run)
{
    return run->strategy <= INT_MAX ? (int)run->strategy : -1;
}

static enum burl_status
reproduce_judged(struct burl_gen_exec *x, const struct burl_gen_model *m,
                 const struct burl_gen_test *t, uint32_t schedules, struct reproduction *w)
{
    const struct burl_gen_outcome *run = &w->like->run;
    struct burl_gen_plan same = { 1, run->seed, 0, strategy_of(run) };
    struct burl_gen_plan others = { schedules, run->seed, 0, -1 };
    enum burl_status st;

    w->oracle = burl_gen_oracle_new(x, m, t, BURL_GEN_MAX_LINEAR);
    st = judge_plan(x, t, &same, w);
    if (st == BURL_OK && !w->shown)
        st = judge_plan(x, t, &others, w);
    burl_gen_oracle_free(w->oracle);
    return st;
}

/* ---- races -------------------------------------------------------------------------- */

struct race_search {
    struct burl_gen_violation *out; /* NULL: runs are not kept */
    uint64_t executions;
    struct {
        BURL_VEC_OF(uint32_t);
    } strategies; /* of the executions, by place: the mix depends on it */
};

static bool
on_race_outcome(void *arg, const struct burl_gen_outcome *run)
{
    struct race_search *w = arg;

    w->executions++;
    BURL_VEC_PUSH(&w->strategies, run->strategy);
    if (w->out)
        keep_run(w->out, run);
    return true;
}

static enum burl_status
run_for_race(struct burl_gen_exec *x, const struct burl_gen_test *t,
             const struct burl_gen_plan *plan, struct reproduction *w)
{
    struct burl_gen_suspects suspects = { 0 };
    struct race_search rw = { 0 };
    enum burl_status st =
        burl_gen_exec_controlled(x, t, plan, on_race_outcome, &rw, &suspects, w->err);

    for (size_t i = 0; st == BURL_OK && i < suspects.n; i++) {
        if (suspects.v[i].key == w->like->race.key) {
            w->shown = true;
            w->out->race = suspects.v[i];
        }
    }
    BURL_VEC_FREE(&suspects);
    if (st == BURL_OK && w->shown) {
        /* The execution that showed it, for the comment of the emitted test. */
        const uint64_t place = w->out->race.seed - plan->first_seed;
        struct burl_gen_plan once = { 1, w->out->race.seed, plan->observers, plan->strategy };

        if (place < rw.strategies.n && rw.strategies.v[place] <= INT_MAX)
            once.strategy = (int)rw.strategies.v[place];
        rw.out = w->out;
        st = burl_gen_exec_controlled(x, t, &once, on_race_outcome, &rw, NULL, w->err);
    }
    w->executions += rw.executions;
    BURL_VEC_FREE(&rw.strategies);
    return st;
}

static enum burl_status
reproduce_race(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t schedules,
               struct reproduction *w)
{
    const struct burl_gen_outcome *run = &w->like->run;
    uint32_t observers = 1u << w->like->race.observer;
    struct burl_gen_plan same = { 1, run->seed, observers, strategy_of(run) };
    struct burl_gen_plan others = { schedules, run->seed, observers, -1 };
    enum burl_status st = run_for_race(x, t, &same, w);

    if (st == BURL_OK && !w->shown)
        st = run_for_race(x, t, &others, w);
    return st;
}

enum burl_status
burl_gen_reproduce(struct burl_gen_exec *x, const struct burl_gen_model *m,
                   const struct burl_gen_test *t, const struct burl_gen_violation *like,
                   uint32_t schedules, bool *shown, struct burl_gen_violation *out,
                   struct burl_err *err)
{
    struct reproduction w = { .like = like, .out = out, .err = err };
    enum burl_status st;

    memset(out, 0, sizeof *out);
    out->is_race = like->is_race;
    out->race = like->race;
    out->verdict = like->verdict;
    st = like->is_race ? reproduce_race(x, t, schedules, &w)
                       : reproduce_judged(x, m, t, schedules, &w);
    *shown = st == BURL_OK && w.shown;
    out->executions = w.executions;
    if (*shown)
        out->test = burl_gen_test_copy(t);
    else
        burl_gen_outcome_deinit(&out->run);
    return st;
}
