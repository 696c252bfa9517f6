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
#define MIX_TESTS 2u /* of the same functions, with other objects shared */
#define MAX_OUTCOMES 64u

/* One test on its way. */
struct detection {
    struct burl_synth *s;
    struct burl_synth_test *t;
    struct burl_gen_violations *v;
    struct burl_gen_outcomes outcomes; /* not yet judged */
    struct burl_gen_suspects suspects;
    bool is_cut; /* by time, before everything was run */
};

/* Time is left, and nothing has failed. */
static bool
goes_on(struct detection *d)
{
    d->is_cut |= burl_gen_exec_left_ms(d->s->x) == 0;
    return !d->is_cut && !burl_gen_violations_failed(d->v);
}

static bool
take_outcome(void *arg, const struct burl_gen_outcome *o)
{
    struct detection *d = arg;

    d->s->stats.executions++;
    burl_gen_outcomes_add(&d->outcomes, o, MAX_OUTCOMES);
    return true;
}

/* Judges what the executions since the last call did. */
static void
judge(struct detection *d, uint64_t region)
{
    const struct burl_gen_bug_names names = { .deadlock = d->t->cycle, .other = region };
    enum burl_gen_judged_test j =
        burl_gen_violations_judge(d->v, &d->t->test, &d->outcomes, &names);

    if (j == BURL_GEN_TEST_HARMFUL)
        d->t->result = BURL_SYNTH_HARMFUL;
    else if (j == BURL_GEN_TEST_NOT_DECIDED && d->t->result != BURL_SYNTH_HARMFUL)
        d->t->result = BURL_SYNTH_NOT_DECIDED;
    burl_gen_outcomes_clear(&d->outcomes);
}

static uint64_t
run_directed(struct detection *d, const struct burl_wire_goal *goal, uint32_t runs)
{
    const struct burl_gen_plan plan = { .schedules = runs,
                                        .first_seed = d->s->cfg.seed,
                                        .strategy = BURL_STRATEGY_DIRECTED,
                                        .goal = *goal };

    return burl_gen_exec_controlled(d->s->x, &d->t->test, &plan, take_outcome, d, NULL);
}

/* Observers whose suspects are worth executions of their own. */
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

static bool
test_calls(const struct burl_gen_test *t, int fn)
{
    for (unsigned i = 0; i < t->n_threads; i++) {
        if (t->threads[i].v[0].fn == fn)
            return true;
    }
    return false;
}

/* The first region of the test, or the first that is reported already: a violation of a test that
 * has one is mostly the same once more. */
static uint64_t
test_region(const struct detection *d)
{
    uint64_t first = 0;

    for (size_t i = 0; i < d->t->goals.n; i++) {
        uint64_t region = d->t->goals.v[i].region;

        if (region != 0 && burl_gen_violations_is_settled(d->v, region))
            return region;
        if (first == 0)
            first = region;
    }
    return first;
}

static void
run_goals(struct detection *d)
{
    for (size_t i = 0; i < d->t->goals.n && goes_on(d); i++) {
        uint64_t met = run_directed(d, &d->t->goals.v[i].goal, GOAL_RUNS);

        d->t->met += met;
        /* what happened without the triple need not be of its region */
        judge(d, met > 0 ? d->t->goals.v[i].region : test_region(d));
    }
}

/* The region of a triple that the analysis has; else one of the test. */
static uint64_t
triple_region(const struct detection *d, const struct burl_wire_goal *g)
{
    const struct burl_synth_table *t = &d->s->table;

    for (size_t i = 0; i < t->deps.n; i++) {
        const struct burl_synth_dep *x = &t->deps.v[i];

        if (x->previous_site == g->triple.local_first &&
            x->current_site == g->triple.local_second && test_calls(&d->t->test, x->fn))
            return burl_synth_region(x);
    }
    return test_region(d);
}

static void
run_suspects(struct detection *d)
{
    for (size_t i = 0; i < d->suspects.n && i < MAX_SUSPECTS; i++) {
        const struct burl_wire_goal g = burl_wire_goal_of(&d->suspects.v[i]);

        if (!goes_on(d))
            return;
        if (g.kind != BURL_GOAL_TRIPLE && g.kind != BURL_GOAL_CYCLE)
            continue;
        run_directed(d, &g, SUSPECT_RUNS);
        judge(d, g.kind == BURL_GOAL_TRIPLE ? triple_region(d, &g) : test_region(d));
    }
}

/* Small: for what neither the analysis nor a suspect names. */
static void
run_mix(struct detection *d)
{
    const struct burl_gen_plan mix = { .schedules = MIX_RUNS,
                                       .first_seed = d->s->cfg.seed,
                                       .observers = observers_for(d->s->cfg.what),
                                       .strategy = -1,
                                       .is_cut_by_time = true };
    struct burl_gen_outcomes kept;

    burl_gen_exec_controlled(d->s->x, &d->t->test, &mix, take_outcome, d, &d->suspects);
    kept = d->outcomes;
    d->outcomes = (struct burl_gen_outcomes){ 0 };
    run_suspects(d);
    BURL_VEC_FREE(&d->outcomes);
    d->outcomes = kept;
    if (d->t->result != BURL_SYNTH_HARMFUL)
        judge(d, test_region(d));
}

static void
report_races(struct detection *d)
{
    const struct burl_gen_outcome *run = d->outcomes.n > 0 ? &d->outcomes.v[0] : NULL;

    for (size_t i = 0; i < d->suspects.n && !burl_gen_violations_failed(d->v); i++) {
        if (burl_gen_violations_race(d->v, &d->t->test, &d->suspects.v[i], run))
            d->t->result = BURL_SYNTH_HARMFUL;
    }
}

bool
burl_synth_detect(struct burl_synth *s, struct burl_synth_test *t, struct burl_gen_violations *v)
{
    struct detection d = { .s = s, .t = t, .v = v };

    t->result = BURL_SYNTH_NOT_MET;
    burl_gen_leave_out_dumps(s->x, &t->test);
    run_goals(&d);
    if (t->rank < MIX_TESTS && goes_on(&d))
        run_mix(&d);
    report_races(&d);
    if (t->result == BURL_SYNTH_NOT_MET && t->met > 0)
        t->result = BURL_SYNTH_BENIGN;
    burl_gen_outcomes_clear(&d.outcomes);
    BURL_VEC_FREE(&d.outcomes);
    BURL_VEC_FREE(&d.suspects);
    return !d.is_cut;
}
