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

#define DIRECTED_TRIES 8u /* a goal is not reached under every seed */

struct reproduction {
    const struct burl_gen_violation *like;
    struct burl_gen_oracle *oracle; /* NULL for a race */
    struct burl_gen_violation *out;
    BURL_VEC(uint32_t)
    strategies; /* of a race: of the executions, by place, since the mix depends on it */
    bool shown;
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

    if (!ends_like(w->like, run))
        return true;
    verdict = burl_gen_oracle_judge(w->oracle, run, w->like->verdict.by_results);
    if (verdict.judgement != BURL_GEN_VIOLATION)
        return true;
    keep_run(w->out, run);
    w->out->verdict = verdict;
    w->shown = true;
    return false;
}

/* ---- races -------------------------------------------------------------------------- */

static bool
on_race_outcome(void *arg, const struct burl_gen_outcome *run)
{
    struct reproduction *w = arg;

    BURL_VEC_PUSH(&w->strategies, run->strategy);
    if (w->shown)
        keep_run(w->out, run);
    return true;
}

static void
run_for_race(struct burl_gen_exec *x, const struct burl_gen_test *t,
             const struct burl_gen_plan *plan, struct reproduction *w)
{
    struct burl_gen_suspects suspects = { 0 };

    w->strategies.n = 0;
    burl_gen_exec_controlled(x, t, plan, on_race_outcome, w, &suspects);
    for (size_t i = 0; !burl_gen_exec_failed(x) && i < suspects.n; i++) {
        if (suspects.v[i].key == w->like->race.key) {
            w->shown = true;
            w->out->race = suspects.v[i];
        }
    }
    BURL_VEC_FREE(&suspects);
    if (w->shown) {
        /* The execution that showed it, for the comment of the emitted test. */
        const uint64_t place = w->out->race.seed - plan->first_seed;
        struct burl_gen_plan once = *plan;

        once.schedules = 1;
        once.first_seed = w->out->race.seed;
        if (place < w->strategies.n && w->strategies.v[place] <= INT_MAX)
            once.strategy = (int)w->strategies.v[place];
        burl_gen_exec_controlled(x, t, &once, on_race_outcome, w, NULL);
    }
}

/* ---- both --------------------------------------------------------------------------- */

static void
run_plan(struct burl_gen_exec *x, const struct burl_gen_test *t, const struct burl_gen_plan *plan,
         struct reproduction *w)
{
    if (w->like->is_race)
        run_for_race(x, t, plan, w);
    else
        burl_gen_exec_controlled(x, t, plan, on_outcome, w, NULL);
}

bool
burl_gen_reproduce(struct burl_gen_exec *x, const struct burl_gen_test *t,
                   const struct burl_gen_violation *like, uint32_t schedules,
                   struct burl_gen_violation *out)
{
    const struct burl_gen_outcome *run = &like->run;
    const bool is_directed = run->goal.kind != BURL_GOAL_NONE;
    struct burl_gen_plan plan = {
        .schedules = is_directed ? DIRECTED_TRIES : 1,
        .first_seed = run->seed,
        .observers = like->is_race ? 1u << like->race.observer : 0,
        /* A free run has no strategy to repeat. */
        .strategy = run->strategy <= INT_MAX ? (int)run->strategy : -1,
        .goal = run->goal,
    };
    struct reproduction w = { .like = like, .out = out };

    *out = (struct burl_gen_violation){ .verdict = like->verdict,
                                        .is_race = like->is_race,
                                        .race = like->race };
    if (!like->is_race)
        w.oracle = burl_gen_oracle_new(x, t, BURL_GEN_MAX_LINEAR);
    run_plan(x, t, &plan, &w);
    plan.schedules = schedules;
    plan.strategy = -1;
    plan.is_cut_by_time = true;
    if (!w.shown)
        run_plan(x, t, &plan, &w);
    w.shown = w.shown && !burl_gen_exec_failed(x);
    if (w.shown)
        out->test = burl_gen_test_copy(t);
    else
        burl_gen_outcome_deinit(&out->run);
    burl_gen_oracle_free(w.oracle);
    BURL_VEC_FREE(&w.strategies);
    return w.shown;
}
