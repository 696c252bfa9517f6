/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_tests.c - one test of a suite under race detection and verification.
 *
 * Runs in the host. A test whose command is an instrumented program is controlled: a campaign that
 * reruns stored schedules, observes two executions and aims at what they predict
 * (campaign_config.verify_only). Any other (a script, `env X=1 ./t`, a program that uses what burl
 * cannot control) is watched in one free run, as by `burl run`.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/free_int.h"
#include "cli/interrupt.h"
#include "cli/regress_run_int.h"
#include "engine/target/program.h"

/* A test under way. */
struct test_run {
    struct burl_regress_runner *r;
    const struct burl_suite_test *test;
    struct burl_tested *tested;
    char **argv; /* argv[0] absolute; NULL-terminated, owned */
    int argc;
    uint32_t subject;
    struct burl_regress_pairset pairs;
    struct burl_test t; /* controlled */
    bool says_skipped;
    struct {
        BURL_VEC_OF(struct finding_facts {
            int64_t id;
            uint64_t fingerprint;
            uint64_t follows; /* a race: fingerprint of the failure that follows, 0 none */
            bool fails;       /* the test, without preemption */
            bool consequence; /* of a race that is a finding itself */
            bool predicted;   /* directed executions aimed at a suspect that led to it */
            struct burl_regress_evidence evidence;
        });
    } facts;             /* of t.kept */
    size_t n_impacted;   /* suspects */
    size_t n_shown;      /* suspects that were confirmed */
    uint64_t n_directed; /* executions */
};

bool
burl__regress_is_over(const struct burl_regress_runner *r)
{
    return burl_cli_interrupts != 0 || burl_deadline_is_over(&r->deadline);
}

/* ---- what the suite and the change say --------------------------------------------- */

/* Not a bug in the eyes of the suite. */
static bool
is_unwanted(void *arg, const struct burl_wire_verdict *v)
{
    struct test_run *x = arg;

    if (v->kind == BURL_VERDICT_EXIT_NONZERO && x->test->skip_code >= 0 &&
        v->code == x->test->skip_code) {
        x->says_skipped = true;
        return true;
    }
    return x->test->should_fail &&
           (v->kind == BURL_VERDICT_EXIT_NONZERO || v->kind == BURL_VERDICT_CRASH_ABORT ||
            v->kind == BURL_VERDICT_CRASH_SIGNAL);
}

static bool
is_in_selection(const struct test_run *x, const struct burl_wire_suspect *s)
{
    const struct burl_site_info *a = burl_sites_get(x->t.sites, s->sites[0]);
    const struct burl_site_info *b = burl_sites_get(x->t.sites, s->sites[1]);

    return burl_regress_pairset_has(&x->pairs,
                                    &x->r->plan->selection.subjects.v[x->subject].changes,
                                    a->module_hash, a->index, b->module_hash, b->index);
}

/* The key that the ledger has it under. What has no place is a suspect of this program only. */
static uint64_t
key_of(const struct test_run *x, const struct burl_wire_suspect *s)
{
    const uint64_t key = burl_regress_suspect_key(s, x->t.sites);

    return key != 0 ? key : s->key ^ (uint64_t)strtoull(x->t.build_id, NULL, 16);
}

/* Pairs of I first, then others that the change impacts, then the rest. */
static uint32_t
suspect_turn(void *arg, const struct burl_wire_suspect *s)
{
    const struct test_run *x = arg;

    if (!x->r->each_alone && burl_regress_ledger_has_confirmed(&x->r->ledger, key_of(x, s)))
        return BURL_CAMPAIGN_TURN_NEVER;
    if (x->subject == UINT32_MAX)
        return 0;
    if (burl_regress_suspect_kind(s) == BURL_REGRESS_RACES && is_in_selection(x, s))
        return 0;
    if (!burl__regress_suspect_impacted(x->r, x->subject, s, x->t.sites))
        return 2;
    return burl_regress_suspect_kind(s) == BURL_REGRESS_RACES ? 1 : 0;
}

static bool
is_base_build(const struct burl_regress_runner *r, const char *build_id)
{
    for (size_t i = 0; i < r->base_builds.n; i++) {
        if (strcmp(r->base_builds.v[i], build_id) == 0)
            return true;
    }
    return false;
}

/* Does the program differ from that of the base version? */
static bool
is_unchanged(const struct test_run *x, const char *build_id)
{
    const struct burl_changes *c;

    if (is_base_build(x->r, build_id))
        return true;
    if (x->subject == UINT32_MAX)
        return false;
    c = &x->r->plan->selection.subjects.v[x->subject].changes;
    for (size_t i = 0; i < c->sites.n; i++) {
        if (c->sites.v[i].rules != 0)
            return false;
    }
    for (size_t i = 0; i < c->functions.n; i++) {
        if (c->functions.v[i].state != BURL_CHANGES_MOVED)
            return false;
    }
    return true;
}

static struct burl_regress_evidence
evidence_of(const struct test_run *x, const struct burl_wire_verdict *v,
            const struct burl_sites *sites, const char *build_id)
{
    const enum burl_store_test_state base = x->r->plan->base.tests.v[x->tested->test].state;

    return (struct burl_regress_evidence){
        .failed_base = base == BURL_TEST_FAILED || base == BURL_TEST_HUNG,
        .on_accesses =
            v->kind == BURL_VERDICT_RACE_DATA || v->kind == BURL_VERDICT_ATOMICITY_REGION,
        .judged = x->subject != UINT32_MAX,
        .unchanged = is_unchanged(x, build_id),
        .impacted = burl__regress_verdict_impacted(x->r, x->subject, v, sites),
    };
}

/* ---- controlled -------------------------------------------------------------------- */

static bool
is_repeated(void *arg, int64_t id)
{
    const struct test_run *x = arg;

    for (size_t i = 0; i < x->r->found.n; i++) {
        if (x->r->found.v[i].id == id)
            return true;
    }
    return false;
}

static void
on_found(void *arg, const struct burl_campaign_finding *f, const struct burl_kept *k)
{
    struct test_run *x = arg;
    struct finding_facts facts = {
        .id = k->id,
        .fingerprint = f->facts.fingerprint,
        .follows = f->race.failure,
        .predicted = f->suspect != NULL,
        .evidence = evidence_of(x, &f->run->verdict, x->t.sites, x->t.build_id),
    };
    struct burl_regress_evidence *e = &facts.evidence;

    e->alone = facts.fails = f->facts.sequential && !e->on_accesses;
    for (size_t i = 0; i < f->n_pairs; i++)
        e->impacted |= burl__regress_suspect_impacted(x->r, x->subject, &f->pairs[i], x->t.sites);
    if (f->suspect != NULL)
        e->impacted |= burl__regress_suspect_impacted(x->r, x->subject, f->suspect, x->t.sites);
    BURL_VEC_PUSH(&x->facts, facts);
}

static void
on_progress(void *arg, const struct burl_campaign_progress *p)
{
    struct test_run *x = arg;
    struct burl_regress_runner *r = x->r;
    const int64_t now = burl_target_now_ms();
    char left[32] = "";

    (void)p;
    if (!burl_progress_due(&r->progress))
        return;
    if (r->deadline.at_ms > 0)
        snprintf(left, sizeof left, ", %.0f s left",
                 (double)burl_deadline_left_ms(&r->deadline) / 1000.0);
    burl_progress_update(
        &r->progress, "test %zu of %zu: %s; %zu pair%s confirmed, %.1f s%s", r->tested.n + 1,
        r->n_planned, x->test->name, burl_regress_ledger_count(&r->ledger, BURL_REGRESS_ALL, true),
        burl_regress_ledger_count(&r->ledger, BURL_REGRESS_ALL, true) == 1 ? "" : "s",
        (double)(now - r->started_ms) / 1000.0, left);
}

/* n_i of one test: executions that were to show it. */
static uint64_t
runs_of(const struct burl_campaign_suspect *e)
{
    return e->goal.attempts > 0 ? e->goal.attempts : e->reruns;
}

/* Another pair on the same memory was shown: the finding is about this one too. */
static bool
is_confirmed(const struct burl_campaign_suspect *e)
{
    return e->turn == BURL_CAMPAIGN_TURN_NEVER || e->goal.state == BURL_GOAL_STATE_CONFIRMED ||
           (e->goal.state == BURL_GOAL_STATE_COVERED && e->fingerprint != 0);
}

/* A test that fails without preemption fails as well when a triple or a cycle is aimed at, which
 * confirms nothing. A race is seen by itself. */
static bool
is_other_failure(const struct test_run *x, const struct burl_campaign_suspect *e)
{
    if (burl_regress_suspect_kind(&e->suspect) == BURL_REGRESS_RACES)
        return false;
    for (size_t i = 0; i < x->facts.n; i++) {
        if (x->facts.v[i].fails && x->facts.v[i].fingerprint == e->fingerprint)
            return true;
    }
    return false;
}

static void
take_suspect(struct test_run *x, const struct burl_campaign_suspect *e)
{
    struct burl_regress_runner *r = x->r;
    const struct burl_regress_sighting s = {
        .key = key_of(x, &e->suspect),
        .kind = burl_regress_suspect_kind(&e->suspect),
        .impacted = burl__regress_suspect_impacted(r, x->subject, &e->suspect, x->t.sites),
        .confirmed = is_confirmed(e) && !is_other_failure(x, e),
        .fingerprint = e->fingerprint,
        .runs = runs_of(e),
    };
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_regress_report report = { .runs = (uint32_t)s.runs, .confirmed = s.confirmed };

    x->n_directed += e->goal.attempts;
    if (s.kind == 0 || e->goal.state == BURL_GOAL_STATE_HIDDEN)
        return;
    burl_regress_suspect_text(&e->suspect, x->t.sites, &text);
    report.suspect = (uint32_t)burl_regress_ledger_note(&r->ledger, &s, burl_buf_str(&text));
    burl_buf_deinit(&text);
    BURL_VEC_PUSH(&x->tested->reports, report);
    x->tested->runs += s.runs;
    x->n_impacted += s.impacted;
    x->n_shown += s.confirmed;
    /* A pair that came after the finding on its memory. */
    for (size_t i = 0; i < x->t.kept.n && e->fingerprint != 0 && s.impacted; i++) {
        if (x->t.kept.v[i].facts.fingerprint != e->fingerprint)
            continue;
        for (size_t k = 0; k < x->facts.n; k++)
            x->facts.v[k].evidence.impacted |= x->facts.v[k].id == x->t.kept.v[i].id;
    }
}

/*
 * A failure is about the accesses that led to it: those of the race that it follows, or of the
 * prediction that was aimed at. Without either it is taken for a consequence of what was confirmed
 * in this test, if no suspect of the test is impacted.
 */
static void
find_cause(struct test_run *x, struct finding_facts *f)
{
    struct burl_regress_evidence *e = &f->evidence;

    if (e->on_accesses)
        return;
    if (!e->alone)
        e->on_accesses = f->predicted || (x->n_impacted == 0 && x->n_shown > 0);
    for (size_t i = 0; i < x->facts.n; i++) {
        if (x->facts.v[i].follows != f->fingerprint)
            continue;
        f->consequence = true;
        /* Also without preemption, but by a race; a test that failed before fails by itself. */
        if (!e->alone || !e->failed_base) {
            e->on_accesses = true;
            e->alone = false;
        }
        e->impacted |= x->facts.v[i].evidence.impacted;
    }
}

static void
take_findings(struct test_run *x)
{
    for (size_t i = 0; i < x->facts.n; i++)
        find_cause(x, &x->facts.v[i]);

    for (size_t i = 0; i < x->t.kept.n; i++) {
        for (size_t k = 0; k < x->facts.n; k++) {
            if (x->facts.v[k].id != x->t.kept.v[i].id)
                continue;
            burl__regress_add_found(x->r, x->tested, &x->t.kept.v[i], x->t.store, false,
                                    &x->facts.v[k].evidence)
                ->consequence |= x->facts.v[k].consequence;
            if (x->facts.v[k].fails)
                x->tested->end = BURL_TESTED_FAILED;
        }
    }
}

static void
take_end(struct test_run *x, const struct burl_campaign_stats *s)
{
    struct burl_tested *t = x->tested;

    switch (s->end) {
    case BURL_CAMPAIGN_END_INTERRUPTED:
    case BURL_CAMPAIGN_END_TIME:
        t->end = BURL_TESTED_CUT;
        break;
    case BURL_CAMPAIGN_END_ONE_THREAD:
        t->why = burl_xstrdup("one thread, nothing to interleave");
        break;
    default:
        break;
    }
    if (x->says_skipped && t->end == BURL_TESTED_PASSED)
        t->end = BURL_TESTED_SKIPPED;
}

/* Watching executions is slower than running them: never less than the option's default. */
static uint64_t
exec_timeout(const struct burl_regress_runner *r, const struct burl_suite_test *t)
{
    if (r->opts->given[BURL_OPT_exec_timeout] || t->timeout_ms < r->opts->exec_timeout)
        return r->opts->exec_timeout;
    return t->timeout_ms < UINT32_MAX ? t->timeout_ms : UINT32_MAX;
}

static struct burl_campaign_config
make_config(struct test_run *x, struct burl_memory *memory)
{
    const struct burl_regress_runner *r = x->r;
    struct burl_campaign_config c = burl__test_config(&r->quiet, r->observers, x->argv);

    c.cwd = x->test->dir;
    c.env = (const char *const *)x->test->env;
    c.seed = r->seed;
    c.runs = 0;
    c.time_ms = r->opts->time;
    c.deadline = r->deadline;
    c.exec_timeout_ms = (uint32_t)exec_timeout(r, x->test);
    c.confirm_tries = r->opts->verify_runs;
    c.verify_only = true;
    c.reruns = memory != NULL ? &memory->reruns : NULL;
    return c;
}

/* Control is out of reach: a primitive is not modeled, or every execution was cut because it is too
 * long. Watching such a test is all that can be done. */
static bool
cannot_control(struct test_run *x, const struct burl_campaign_stats *s)
{
    const char *why = s->why_end;

    if (s->end == BURL_CAMPAIGN_END_TOO_LONG)
        why = "too long to control: every execution was cut";
    else if (s->end != BURL_CAMPAIGN_END_UNSUPPORTED)
        return false;
    free(x->tested->why);
    x->tested->why = burl_xstrdup(why[0] != '\0' ? why : "it cannot be controlled");
    return true;
}

/* *unsupported: burl cannot control the program, and nothing was found. */
static enum burl_status
run_controlled(struct test_run *x, bool *unsupported, struct burl_err *err)
{
    struct burl_regress_runner *r = x->r;
    struct burl_memory memory = { 0 };
    struct burl_campaign_stats stats = { 0 };
    struct burl_campaign_config cfg = make_config(x, r->fresh ? NULL : &memory);
    struct burl_err late;
    enum burl_status st;

    r->quiet.exec_timeout = cfg.exec_timeout_ms;
    x->t = (struct burl_test){ .opts = &r->quiet,
                               .command = "regress",
                               .argc = x->argc,
                               .argv = x->argv,
                               .dir = x->test->dir,
                               .env = x->test->env,
                               .memory = r->fresh ? NULL : &memory,
                               .rules = r->rules,
                               .style = burl__test_style(r->opts, stdout),
                               .is_repeated = is_repeated,
                               .found = on_found,
                               .suspect_turn = suspect_turn,
                               .on_progress = on_progress,
                               .arg = x };
    if (x->test->should_fail || x->test->skip_code >= 0)
        x->t.is_unwanted = is_unwanted;
    x->t.args_json = burl__test_args_json(x->argv + 1, x->argc - 1);
    x->t.options_json = burl__test_options_json(r->opts, BURL_ON_REGRESS);
    st = burl__test_campaign(&x->t, &cfg, &stats, err);
    st = burl_err_first(
        st, err,
        burl__test_record_end(&x->t, &stats, x->t.kept.n > 0 ? BURL_EXIT_FINDINGS : BURL_EXIT_CLEAN,
                              &late),
        &late);
    for (size_t i = 0; i < stats.n_suspects; i++)
        take_suspect(x, &stats.suspects[i]);
    take_end(x, &stats);
    take_findings(x);
    x->tested->n_observed =
        (uint32_t)(stats.all.executions > x->tested->runs ? stats.all.executions - x->tested->runs
                                                          : 0);
    x->tested->extra = stats.extra_executions;
    x->tested->n_reruns = (uint32_t)memory.reran.n;
    *unsupported = st == BURL_OK && x->t.kept.n == 0 && cannot_control(x, &stats);
    burl_campaign_stats_deinit(&stats);
    burl__memory_deinit(&memory);
    x->t.rules = NULL; /* of the command */
    burl__test_deinit(&x->t);
    return st;
}

/* ---- watched ----------------------------------------------------------------------- */

static void
take_watched_end(struct test_run *x, struct burl_free_result *r)
{
    struct burl_tested *t = x->tested;

    switch (r->end) {
    case BURL_FREE_END_TIME:
        t->end = burl__regress_is_over(x->r) ? BURL_TESTED_CUT : BURL_TESTED_HUNG;
        break;
    case BURL_FREE_END_INTERRUPTED:
        t->end = BURL_TESTED_CUT;
        break;
    default:
        break;
    }
    if (is_unwanted(x, &r->verdict))
        r->verdict = (struct burl_wire_verdict){ .kind = BURL_VERDICT_PASS, .tid = BURL_TID_NONE };
    if (x->says_skipped)
        t->end = BURL_TESTED_SKIPPED;
    else if (burl_verdict_is_finding(r->verdict.kind))
        t->end = BURL_TESTED_FAILED;
}

/* The evidence for a finding: that of its verdicts. */
static struct burl_regress_evidence
watched_evidence(const struct test_run *x, const struct burl_free_result *r,
                 const struct burl_sites *sites, uint64_t fingerprint)
{
    struct burl_regress_evidence e = { 0 };
    bool any = false;

    for (size_t i = 0; i <= r->n_failures; i++) {
        const struct burl_wire_verdict *v =
            i < r->n_failures ? &r->failures[i].verdict : &r->verdict;
        const struct burl_regress_evidence one = evidence_of(x, v, sites, r->build_id);

        if (!burl_verdict_is_finding(v->kind) || burl_fingerprint(v, sites, NULL) != fingerprint)
            continue;
        if (!any)
            e = one;
        e.impacted |= one.impacted;
        any = true;
        /* How the threads interleaved is not known: it may be an ordinary failure. */
        e.alone |= v->kind == BURL_VERDICT_EXIT_NONZERO || v->kind == BURL_VERDICT_CRASH_ABORT ||
                   v->kind == BURL_VERDICT_CRASH_SIGNAL;
    }
    return e;
}

/* The program that was observed may be a subject although the command is a script. */
static void
find_subject(struct test_run *x, const struct burl_free_result *r)
{
    for (size_t i = 0; i < r->n_objects && x->subject == UINT32_MAX; i++)
        x->subject = burl__regress_subject(x->r, r->objects[i].path);
}

static enum burl_status
take_watched(struct test_run *x, struct burl_free_session *s, struct burl_free_result *r,
             struct burl_err *err)
{
    size_t first;
    enum burl_status st;

    find_subject(x, r);
    take_watched_end(x, r);
    st = burl__free_take(s, r, &first, err);
    for (size_t i = 0; i < s->kept.n && st == BURL_OK; i++) {
        const struct burl_kept *k = &s->kept.v[i];
        const struct burl_regress_evidence e =
            watched_evidence(x, r, r->sites != NULL ? r->sites : s->sites, k->facts.fingerprint);

        burl__regress_add_found(x->r, x->tested, k, s->store, true, &e);
    }
    return st;
}

static enum burl_status
run_watched(struct test_run *x, struct burl_err *err)
{
    struct burl_regress_runner *r = x->r;
    struct burl_free_session s = {
        .opts = &r->quiet, .argc = x->argc, .argv = x->argv, .command = "regress"
    };
    const int64_t left = burl_deadline_left_ms(&r->deadline);
    struct burl_free_opts fo = {
        .argv = (const char *const *)x->argv,
        .cwd = x->test->dir,
        .env = (const char *const *)x->test->env,
        .is_wrapper = true,
        .observers = r->observers & BURL_OB(RACE),
        .time_ms = exec_timeout(r, x->test),
        .captured = true,
        .out_fd = -1,
        .interrupt = &burl_cli_interrupts,
    };
    struct burl_free_result result;
    struct burl_err late;
    enum burl_status st;

    if (left < (int64_t)fo.time_ms)
        fo.time_ms = left > 0 ? (uint64_t)left : 1;
    x->tested->watched = true;
    s.style = burl__test_style(r->opts, stdout);
    s.options_json = burl__test_options_json(r->opts, BURL_ON_REGRESS);
    s.args_json = burl__test_args_json(x->argv + 1, x->argc - 1);
    s.observers = fo.observers;
    s.rules = r->rules;
    st = burl_free_run(&result, &fo, err);
    if (st == BURL_E_TARGET || st == BURL_E_LIMIT) {
        /* No instrumented program in it, or none that reached main: nothing can be said of it. */
        x->tested->end = burl__regress_is_over(r) ? BURL_TESTED_CUT : BURL_TESTED_UNWATCHED;
        free(x->tested->why);
        x->tested->why = burl_xstrdup(err->msg);
        st = BURL_OK;
    } else if (st == BURL_OK) {
        x->tested->n_observed = 1;
        st = take_watched(x, &s, &result, err);
        burl_free_result_deinit(&result);
        st = burl_err_first(
            st, err, burl__free_end(&s, s.kept.n > 0 ? BURL_EXIT_FINDINGS : BURL_EXIT_CLEAN, &late),
            &late);
    }
    s.rules = NULL;
    burl__free_deinit(&s);
    return st;
}

/* ---- one test ---------------------------------------------------------------------- */

/* The command with the absolute path of its program. */
static enum burl_status
find_program(struct test_run *x, struct burl_err *err)
{
    const struct burl_suite_test *t = x->test;
    char *path = NULL;
    enum burl_status st;

    if (t->argv[0][0] == '\0') {
        st = burl_err_set(err, BURL_E_USAGE, 0, "it has no command; was it built?");
    } else if (strchr(t->argv[0], '/') != NULL) {
        char *name = burl_path_join(t->dir, t->argv[0]);

        st = burl_path_which(&path, name, err);
        free(name);
    } else {
        st = burl_path_which(&path, t->argv[0], err);
    }
    while (t->argv[x->argc])
        x->argc++;
    x->argv = burl_xcalloc((size_t)x->argc + 1, sizeof *x->argv);
    for (int i = 0; i < x->argc; i++)
        x->argv[i] = i == 0 && path ? path : burl_xstrdup(t->argv[i]);
    return st;
}

static bool
is_controllable(const char *path)
{
    struct burl_program_info info;
    struct burl_err ignored;

    return burl_program_inspect(path, &info, &ignored) == BURL_OK && info.elf && info.runtime;
}

static enum burl_status
run_test(struct test_run *x, struct burl_err *err)
{
    bool unsupported = false;
    enum burl_status st;

    if (!is_controllable(x->argv[0]))
        return run_watched(x, err);
    x->subject = burl__regress_subject(x->r, x->argv[0]);
    if (x->subject != UINT32_MAX)
        burl_regress_pairset_fill(&x->pairs, &x->r->plan->selection, x->subject);
    st = run_controlled(x, &unsupported, err);
    if (st == BURL_E_TARGET && x->tested->n_observed == 0 && !burl__regress_is_over(x->r)) {
        unsupported = true; /* it ended before main, say */
        free(x->tested->why);
        x->tested->why = burl_xstrdup(err->msg);
    }
    return unsupported ? run_watched(x, err) : st;
}

enum burl_status
burl__regress_test(struct burl_regress_runner *r, uint32_t test, bool selected,
                   struct burl_err *err)
{
    struct burl_tested tested = { .test = test, .selected = selected };
    struct test_run x = {
        .r = r, .test = &r->suite->tests.v[test], .tested = &tested, .subject = UINT32_MAX
    };
    const int64_t start = burl_target_now_ms();
    enum burl_status st = find_program(&x, err);

    if (st == BURL_E_USAGE) {
        tested.end = BURL_TESTED_UNSTARTED;
        tested.why = burl_xstrdup(err->msg);
        st = BURL_OK;
    } else if (st == BURL_OK) {
        on_progress(&x, NULL);
        st = run_test(&x, err);
    }
    tested.wall_ms = burl_target_now_ms() - start;
    BURL_VEC_PUSH(&r->tested, tested);
    burl_regress_pairset_deinit(&x.pairs);
    BURL_VEC_FREE(&x.facts);
    burl_target_env_free(x.argv); /* a NULL-terminated list of owned strings */
    return st;
}
