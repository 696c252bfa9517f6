/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/violations.c - judges, minimizes and reports.
 */
#include "gen/shrink/violations.h"

#include <string.h>

#include "wire/suspect.h"

#define UNCLEAN_TRIES 20u    /* as below, in tests that may fail by themselves */
#define UNCONFIRMED_TRIES 3u /* of one kind, before it is left alone */

void
burl_gen_violations_deinit(struct burl_gen_violations *s)
{
    BURL_VEC_FREE(&s->kinds);
}

bool
burl_gen_violations_failed(const struct burl_gen_violations *s)
{
    return s->st != BURL_OK || burl_gen_exec_failed(s->x);
}

/* The name of the bug; else a hash of the failure and the functions of the threads: mostly the same
 * for the same bug. */
static uint64_t
signature(const struct burl_gen_violation *v)
{
    uint64_t fns = 0;
    uint64_t h;

    if (v->is_race)
        return v->race.key;
    h = v->run.verdict.kind == BURL_VERDICT_DEADLOCK_CYCLE ? v->names.deadlock : v->names.other;
    if (h != 0)
        return h;
    for (unsigned t = 0; t < v->test.n_threads; t++) {
        for (size_t i = 0; i < v->test.threads[t].n; i++)
            fns |= 1ull << (v->test.threads[t].v[i].fn % 64);
    }
    h = burl_wire_mix(burl_wire_mix(7, v->verdict.by_results), v->run.verdict.kind);
    return burl_wire_mix(h, fns) | 1;
}

static struct burl_gen_violation_kind *
kind_of(struct burl_gen_violations *s, uint64_t sig)
{
    for (size_t i = 0; i < s->kinds.n; i++) {
        if (s->kinds.v[i].signature == sig)
            return &s->kinds.v[i];
    }
    BURL_VEC_PUSH(&s->kinds, (struct burl_gen_violation_kind){ .signature = sig });
    return &s->kinds.v[s->kinds.n - 1];
}

static bool
is_settled(struct burl_gen_violations *s, uint64_t sig)
{
    const struct burl_gen_violation_kind *k = kind_of(s, sig);

    return k->settled || k->tries >= UNCONFIRMED_TRIES;
}

/* Shrinking takes long, and a test that is not clean seldom becomes clean: after some of them only
 * tests that are clean from the start are shrunk. */
static bool
is_worth_shrinking(struct burl_gen_violations *s, const struct burl_gen_violation *v)
{
    const uint64_t sig = signature(v);

    return !is_settled(s, sig) &&
           (kind_of(s, sig)->unclean < UNCLEAN_TRIES || burl_gen_is_clean(s->x, &v->test));
}

static void
pass_on(struct burl_gen_violations *s, const struct burl_gen_violation *v)
{
    struct burl_gen_oracle *oracle = burl_gen_oracle_new(s->x, &v->test, s->max_linear);
    enum burl_gen_fate fate = BURL_GEN_FATE_NEW;

    s->st = s->report(s->arg, v, oracle, &fate, s->err);
    burl_gen_oracle_free(oracle);
    if (s->st != BURL_OK)
        return;
    kind_of(s, signature(v))->settled = true;
    if (fate == BURL_GEN_FATE_NEW)
        s->n_new++;
    else if (fate == BURL_GEN_FATE_NOT_REPRODUCED)
        s->unconfirmed++;
    else if (fate == BURL_GEN_FATE_NOT_BUILT)
        s->not_built++;
}

/* Confirming and reporting takes seconds. After the time that is done for one violation, as it is,
 * and only if none was reported before: a short run that saw a bug is to say which. */
static bool
is_too_late(struct burl_gen_violations *s)
{
    if (burl_gen_exec_left_ms(s->x) > 0)
        return false;
    if (s->n_new == 0 && !s->was_late && !burl_gen_exec_is_interrupted(s->x)) {
        s->was_late = true;
        return false;
    }
    return true;
}

/* Minimizes the violation and passes it to the front end. Takes ownership. */
static void
violation_report(struct burl_gen_violations *s, struct burl_gen_violation *v)
{
    const uint64_t before = signature(v);
    bool worth = !is_settled(s, before);

    if (worth && is_too_late(s)) {
        s->cut++;
        burl_gen_violation_deinit(v);
        return;
    }
    worth = worth && is_worth_shrinking(s, v);
    if (worth)
        burl_gen_minimize(s->x, v);
    if (!worth || burl_gen_exec_failed(s->x)) {
        /* nothing to count */
    } else if (!v->clean) {
        s->unclean++;
        kind_of(s, before)->unclean++;
    } else {
        kind_of(s, before)->tries++;
        if (v->confirmed < BURL_GEN_FRESH_PROCESSES) {
            s->unconfirmed++;
        } else {
            kind_of(s, before)->settled = true;
            if (signature(v) == before || !is_settled(s, signature(v)))
                pass_on(s, v);
        }
    }
    burl_gen_violation_deinit(v);
}

bool
burl_gen_violations_is_settled(const struct burl_gen_violations *s, uint64_t name)
{
    for (size_t i = 0; i < s->kinds.n; i++) {
        if (s->kinds.v[i].signature == name)
            return s->kinds.v[i].settled;
    }
    return false;
}

enum burl_gen_judged_test
burl_gen_violations_judge(struct burl_gen_violations *s, const struct burl_gen_test *t,
                          const struct burl_gen_outcomes *outcomes,
                          const struct burl_gen_bug_names *names)
{
    struct burl_gen_oracle *o = burl_gen_oracle_new(s->x, t, s->max_linear);
    const struct burl_gen_judged judged =
        burl_gen_oracle_judge_all(o, outcomes, s->compare_results);
    struct burl_gen_violation v;
    uint64_t sig;

    burl_gen_oracle_free(o);
    if (burl_gen_exec_failed(s->x))
        return BURL_GEN_TEST_NOT_DECIDED;
    s->explained += judged.explained;
    s->not_decided += judged.not_decided;
    if (judged.not_decided > 0)
        memcpy(s->why_not_decided, judged.why_not_decided, sizeof judged.why_not_decided);
    if (judged.violation == NULL)
        return judged.not_decided > 0 ? BURL_GEN_TEST_NOT_DECIDED : BURL_GEN_TEST_FINE;
    v = (struct burl_gen_violation){ .verdict = judged.verdict,

                                     .names =
                                         names != NULL ? *names : (struct burl_gen_bug_names){ 0 },
                                     .run = burl_gen_outcome_copy(judged.violation),
                                     .test = burl_gen_test_copy(t) };
    sig = signature(&v);
    violation_report(s, &v);
    return kind_of(s, sig)->settled ? BURL_GEN_TEST_HARMFUL : BURL_GEN_TEST_NOT_DECIDED;
}

bool
burl_gen_violations_is_new_race(struct burl_gen_violations *s, const struct burl_wire_suspect *race)
{
    return race->kind == BURL_SUSPECT_RACE && !is_settled(s, race->key);
}

bool
burl_gen_violations_race(struct burl_gen_violations *s, const struct burl_gen_test *t,
                         const struct burl_wire_suspect *race, const struct burl_gen_outcome *run)
{
    struct burl_gen_violation v = { .is_race = true,
                                    .race = *race,
                                    .verdict.judgement = BURL_GEN_VIOLATION,
                                    .verdict.why = "a data race inside the API" };

    if (race->kind != BURL_SUSPECT_RACE)
        return false;
    if (burl_gen_violations_is_new_race(s, race)) {
        v.test = burl_gen_test_copy(t);
        if (run != NULL)
            v.run = burl_gen_outcome_copy(run);
        violation_report(s, &v);
    }
    return kind_of(s, race->key)->settled;
}
