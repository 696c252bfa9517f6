/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/detect.c - runs a synthesized test: directed at what was predicted, then at every other
 * unserializable triple and lock cycle that its executions show, then a small mix of strategies.
 *
 * The paper leaves this to a detector after CTrigger; here the runtime's directed strategy brings
 * the accesses together, and the oracle of `burl gen` decides what that did.
 */
#include "synth/synth.h"

#define GOAL_RUNS 12u   /* executions directed at a predicted goal */
#define SUSPECT_RUNS 6u /* and at a suspect */
#define MAX_SUSPECTS 24u
#define MIX_RUNS 48u
#define MAX_OUTCOMES 64u

struct detection {
    struct burl_synth *s;
    struct burl_gen_outcomes outcomes;
};

static bool
take_outcome(void *arg, const struct burl_gen_outcome *o)
{
    struct detection *d = arg;

    d->s->stats.executions++;
    burl_gen_outcomes_add(&d->outcomes, o, MAX_OUTCOMES);
    return true;
}

static uint64_t
run_directed(struct detection *d, const struct burl_gen_test *t, const struct burl_wire_goal *goal,
             uint32_t runs)
{
    const struct burl_gen_plan plan = { .schedules = runs,
                                        .first_seed = d->s->cfg.seed,
                                        .strategy = BURL_STRATEGY_DIRECTED,
                                        .goal = *goal };

    return burl_gen_exec_controlled(d->s->x, t, &plan, take_outcome, d, NULL);
}

/* Observers whose suspects are worth a test of their own. */
static uint32_t
observers_for(uint32_t what)
{
    uint32_t mask = BURL_OB(TRIPLE);

    if ((what & BURL_SYNTH_FOR(BURL_SYNTH_RACE)) != 0)
        mask |= BURL_OB(RACE);
    if ((what & BURL_SYNTH_FOR(BURL_SYNTH_DEADLOCK)) != 0)
        mask |= BURL_OB(LOCKORDER);
    return mask;
}

static void
run_suspects(struct detection *d, const struct burl_gen_test *t,
             const struct burl_gen_suspects *suspects)
{
    for (size_t i = 0; i < suspects->n && i < MAX_SUSPECTS; i++) {
        const struct burl_wire_goal g = burl_wire_goal_of(&suspects->v[i]);

        if (g.kind == BURL_GOAL_TRIPLE || g.kind == BURL_GOAL_CYCLE)
            run_directed(d, t, &g, SUSPECT_RUNS);
    }
}

void
burl_synth_detect(struct burl_synth *s, struct burl_synth_test *t, struct burl_gen_violations *v)
{
    const struct burl_gen_plan mix = { .schedules = MIX_RUNS,
                                       .first_seed = s->cfg.seed,
                                       .observers = observers_for(s->cfg.what),
                                       .strategy = -1 };
    struct detection d = { .s = s };
    struct burl_gen_suspects suspects = { 0 };
    enum burl_gen_judged_test judged;

    for (size_t i = 0; i < t->goals.n; i++)
        t->met += run_directed(&d, &t->test, &t->goals.v[i], GOAL_RUNS);
    burl_gen_exec_controlled(s->x, &t->test, &mix, take_outcome, &d, &suspects);
    run_suspects(&d, &t->test, &suspects);
    judged = burl_gen_violations_judge(v, &t->test, &d.outcomes);
    t->result = judged == BURL_GEN_TEST_HARMFUL       ? BURL_SYNTH_HARMFUL
                : judged == BURL_GEN_TEST_NOT_DECIDED ? BURL_SYNTH_NOT_DECIDED
                : t->met > 0                          ? BURL_SYNTH_BENIGN
                                                      : BURL_SYNTH_NOT_MET;
    for (size_t i = 0; i < suspects.n && !burl_gen_violations_failed(v); i++) {
        if (burl_gen_violations_race(v, &t->test, &suspects.v[i],
                                     d.outcomes.n > 0 ? &d.outcomes.v[0] : NULL))
            t->result = BURL_SYNTH_HARMFUL;
    }
    burl_gen_outcomes_clear(&d.outcomes);
    BURL_VEC_FREE(&d.outcomes);
    BURL_VEC_FREE(&suspects);
}
