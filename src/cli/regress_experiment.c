/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_experiment.c - `burl regress experiment`: compares techniques of selecting and
 * ordering tests.
 *
 * Runs in the host. Every test of the suite is run and verified by itself, --repeat times with
 * different seeds: what is new in any repetition is the ground truth. The first repetition is the
 * measurement: the tests, executions, time and APFD of each technique are computed from it
 * (regress/score.h), as the paper does (PAPERS 4.8 and 4.9).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/regress_run_int.h"
#include "regress/techniques.h"

/* Orders of a random technique that are averaged. */
#define RANDOM_ORDERS 100u

/* A technique, averaged over its orders. */
struct row {
    enum burl_regress_technique technique;
    double n_tests, n_bugs, n_suspects, runs, wall_ms, apfd, apfd_potential;
    bool has_apfd, has_potential;
};

struct experiment {
    struct burl_regress_runner r;
    uint32_t wanted;                       /* techniques, as bits */
    BURL_VEC(size_t) bugs;                 /* ground truth: places in r.found */
    struct burl_regress_outcome *outcomes; /* by test, of the first repetition */
    BURL_VEC(struct row) rows;
};

/* ---- the techniques ---------------------------------------------------------------- */

static enum burl_status
add_technique(const char *word, void *arg, struct burl_err *err)
{
    const char *names[BURL_TECHNIQUE__N + 2] = { NULL };
    enum burl_regress_technique t;
    uint32_t *wanted = arg;

    for (uint32_t i = 0; i < BURL_TECHNIQUE__N; i++)
        names[i] = burl_regress_technique_name((enum burl_regress_technique)i);
    names[BURL_TECHNIQUE__N] = "all";
    if (strcmp(word, "all") == 0)
        *wanted |= (1u << BURL_TECHNIQUE__N) - 1;
    else if (burl_regress_technique_find(word, &t))
        *wanted |= 1u << t;
    else
        return burl_err_set(err, BURL_E_USAGE, 0, "--technique: there is no \"%s\"%s", word,
                            burl_options_hint(word, names));
    return BURL_OK;
}

static bool
is_random(enum burl_regress_technique t)
{
    return t == BURL_TECHNIQUE_RANDOM || t == BURL_TECHNIQUE_RANDOM_S;
}

static void
add_score(struct row *row, const struct burl_regress_score *s, double weight)
{
    row->n_tests += (double)s->n_tests * weight;
    row->n_bugs += (double)s->n_bugs * weight;
    row->n_suspects += (double)s->n_suspects * weight;
    row->runs += (double)s->runs * weight;
    row->wall_ms += (double)s->wall_ms * weight;
    row->apfd += s->apfd * weight;
    row->apfd_potential += s->apfd_potential * weight;
    row->has_apfd = s->has_apfd;
    row->has_potential = s->has_potential;
}

static void
score_technique(struct experiment *x, enum burl_regress_technique t)
{
    const uint32_t n = is_random(t) ? RANDOM_ORDERS : 1;
    struct row row = { .technique = t };

    for (uint32_t i = 0; i < n; i++) {
        struct burl_regress_rules rules = x->r.rules_select;
        struct burl_regress_order order = { 0 };
        struct burl_regress_score s;

        rules.seed += i;
        burl_regress_technique_order(&x->r.plan->selection, &rules, t, &order);
        burl_regress_score(&s, x->outcomes, order.v, order.n, x->bugs.n, x->r.ledger.all.n);
        add_score(&row, &s, 1.0 / n);
        BURL_VEC_FREE(&order);
    }
    BURL_VEC_PUSH(&x->rows, row);
}

/* ---- the runs ---------------------------------------------------------------------- */

static enum burl_status
run_all(struct experiment *x, struct burl_err *err)
{
    struct burl_regress_runner *r = &x->r;
    const uint32_t times = r->opts->repeat > 0 ? r->opts->repeat : 1;
    const uint32_t n = (uint32_t)r->suite->tests.n;
    enum burl_status st = BURL_OK;

    r->n_planned = (size_t)n * times;
    for (uint32_t k = 0; k < times; k++) {
        r->seed = r->opts->seed + k;
        for (uint32_t i = 0; i < n && st == BURL_OK && !burl__regress_is_over(r); i++)
            st = burl__regress_test(r, i, false, err);
    }
    burl_progress_clear(&r->progress);
    return burl_cli_interrupts != 0 ? BURL_OK : st;
}

/* The number of a finding in the ground truth; SIZE_MAX: it is none of it. */
static size_t
bug_number(const struct experiment *x, size_t found)
{
    for (size_t i = 0; i < x->bugs.n; i++) {
        if (x->bugs.v[i] == found)
            return i;
    }
    return SIZE_MAX;
}

static void
take_outcome(struct experiment *x, const struct burl_tested *t)
{
    struct burl_regress_outcome *o = &x->outcomes[t->test];

    *o = (struct burl_regress_outcome){ .ran = t->end != BURL_TESTED_UNSTARTED,
                                        .wall_ms = t->wall_ms,
                                        .n_observed = t->n_observed };
    for (size_t i = 0; i < t->reports.n; i++)
        BURL_VEC_PUSH(&o->reports, t->reports.v[i]);
    for (size_t i = 0; i < t->found.n; i++) {
        const size_t bug = bug_number(x, t->found.v[i]);

        if (bug != SIZE_MAX)
            BURL_VEC_PUSH(&o->bugs, (uint32_t)bug);
    }
}

static void
evaluate(struct experiment *x)
{
    const struct burl_regress_runner *r = &x->r;
    const size_t n = r->suite->tests.n;

    for (size_t i = 0; i < r->found.n; i++) {
        if (r->found.v[i].class == BURL_REGRESS_NEW && !r->found.v[i].consequence)
            BURL_VEC_PUSH(&x->bugs, i);
    }
    x->outcomes = burl_xcalloc(n + 1, sizeof *x->outcomes);
    for (size_t i = 0; i < r->tested.n && i < n; i++)
        take_outcome(x, &r->tested.v[i]);
    for (uint32_t t = 0; t < BURL_TECHNIQUE__N; t++) {
        if (x->wanted >> t & 1)
            score_technique(x, (enum burl_regress_technique)t);
    }
}

/* ---- what is said ------------------------------------------------------------------ */

static void
print_percent(bool has, double part)
{
    if (has)
        printf(" %7.1f%%", 100.0 * part);
    else
        printf(" %8s", "-");
}

static void
print_text(const struct experiment *x)
{
    char tests[BURL_COUNT_B], bugs[BURL_COUNT_B], suspects[BURL_COUNT_B];

    printf("%s, %s to find, %s; base %s\n", burl_count(x->r.suite->tests.n, "test", tests),
           burl_count(x->bugs.n, "bug", bugs), burl_count(x->r.ledger.all.n, "suspect", suspects),
           x->r.plan->base.name);
    for (size_t i = 0; i < x->bugs.n; i++)
        printf("  %s\n", x->r.found.v[x->bugs.v[i]].line);
    printf("%-10s %7s %7s %9s %9s %9s %8s %8s\n", "technique", "tests", "bugs", "suspects", "TR",
           "time", "APFD", "APFD-pot");
    for (size_t i = 0; i < x->rows.n; i++) {
        const struct row *w = &x->rows.v[i];

        printf("%-10s %7.0f %7.2f %9.1f %9.1f %7.1f s", burl_regress_technique_name(w->technique),
               w->n_tests, w->n_bugs, w->n_suspects, w->n_tests + w->runs, w->wall_ms / 1000.0);
        print_percent(w->has_apfd, w->apfd);
        print_percent(w->has_potential, w->apfd_potential);
        printf("\n");
    }
}

static void
json_bug(const struct experiment *x, size_t bug, struct burl_json_writer *w)
{
    const struct burl_regress_runner *r = &x->r;
    const struct burl_tested_found *f = &r->found.v[x->bugs.v[bug]];

    burl_json_object_begin(w);
    burl_json_kv_i64(w, "id", f->id);
    burl_json_kv_str(w, "kind", f->kind);
    burl_json_kv_str(w, "title", f->title);
    burl_json_kv_hex(w, "fingerprint", f->fingerprint);
    burl_json_kv_array(w, "tests");
    for (size_t i = 0; i < r->suite->tests.n; i++) {
        for (size_t k = 0; k < x->outcomes[i].bugs.n; k++) {
            if (x->outcomes[i].bugs.v[k] == bug)
                burl_json_str(w, r->suite->tests.v[i].name);
        }
    }
    burl_json_array_end(w);
    burl_json_object_end(w);
}

/* A mean; null: there is none. */
static void
json_mean(struct burl_json_writer *w, const char *key, bool has, double value)
{
    char text[32];

    burl_json_key(w, key);
    snprintf(text, sizeof text, "%.4f", value);
    if (has)
        burl_json_raw(w, text);
    else
        burl_json_null(w);
}

static void
json_row(const struct row *row, struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    burl_json_kv_str(w, "name", burl_regress_technique_name(row->technique));
    json_mean(w, "tests", true, row->n_tests);
    json_mean(w, "bugs", true, row->n_bugs);
    json_mean(w, "suspects", true, row->n_suspects);
    json_mean(w, "verification_runs", true, row->runs);
    json_mean(w, "tr", true, row->n_tests + row->runs);
    json_mean(w, "wall_ms", true, row->wall_ms);
    json_mean(w, "apfd", row->has_apfd, row->apfd);
    json_mean(w, "apfd_potential", row->has_potential, row->apfd_potential);
    burl_json_object_end(w);
}

/* Thread roles of the recorded test, main included; 0: it was not recorded. */
static uint64_t
count_threads(const struct burl_regress_version *base, const char *test)
{
    size_t n = 0;

    for (size_t i = 0; i < base->tests.n; i++) {
        const struct burl_regress_test *t = &base->tests.v[i];

        if (strcmp(t->name, test) != 0)
            continue;
        for (size_t k = 0; k < t->histories.n; k++)
            if (t->histories.v[k].roles.n > n)
                n = t->histories.v[k].roles.n;
    }
    return n;
}

static void
json_tests(const struct experiment *x, struct burl_json_writer *w)
{
    const struct burl_regress_runner *r = &x->r;

    burl_json_kv_array(w, "tests");
    for (size_t i = 0; i < r->tested.n && i < r->suite->tests.n; i++) {
        const struct burl_tested *t = &r->tested.v[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", r->suite->tests.v[t->test].name);
        burl_json_kv_u64(w, "threads",
                         count_threads(&r->plan->base, r->suite->tests.v[t->test].name));
        burl_json_kv_str(w, "mode", t->watched ? "watched" : "controlled");
        burl_json_kv_str(w, "end", burl__tested_end_name(t->end));
        burl_json_kv_u64(w, "observed", t->n_observed);
        burl_json_kv_u64(w, "verification_runs", t->runs);
        burl_json_kv_u64(w, "potential", t->reports.n);
        burl_json_kv_u64(w, "bugs", x->outcomes ? x->outcomes[t->test].bugs.n : 0);
        burl_json_kv_i64(w, "wall_ms", t->wall_ms);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
print_json(const struct experiment *x, int code, const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);
    const struct burl_regress_runner *r = &x->r;

    burl_json_kv_u64(w, "schema", 1);
    burl_json_kv_str(w, "command", "regress experiment");
    burl_json_kv_i64(w, "exit_code", code);
    if (err != NULL)
        burl_json_kv_str(w, "error", err->msg);
    burl_json_kv_str(w, "base", r->plan ? r->plan->base.name : NULL);
    burl_json_kv_u64(w, "seed", r->opts->seed);
    burl_json_kv_u64(w, "repeat", r->opts->repeat);
    if (err == NULL)
        json_tests(x, w);
    burl_json_kv_array(w, "bugs");
    for (size_t i = 0; i < x->bugs.n; i++)
        json_bug(x, i, w);
    burl_json_array_end(w);
    burl_json_kv_array(w, "techniques");
    for (size_t i = 0; i < x->rows.n; i++)
        json_row(&x->rows.v[i], w);
    burl_json_array_end(w);
    burl_cli_json_end(&doc, stdout);
    fflush(stdout);
}

static void
experiment_deinit(struct experiment *x)
{
    for (size_t i = 0; x->outcomes != NULL && i < x->r.suite->tests.n; i++) {
        BURL_VEC_FREE(&x->outcomes[i].reports);
        BURL_VEC_FREE(&x->outcomes[i].bugs);
    }
    free(x->outcomes);
    BURL_VEC_FREE(&x->bugs);
    BURL_VEC_FREE(&x->rows);
    burl__regress_runner_close(&x->r);
}

int
burl__regress_experiment(const struct burl_options *opts)
{
    struct experiment x = { .r = { .opts = opts, .each_alone = true, .fresh = true } };
    struct burl_regress_plan plan = { 0 };
    struct burl_suite suite = { 0 };
    struct burl_err err = { 0 };
    bool cut = false;
    enum burl_status st = burl_options_each_word(opts->technique, add_technique, &x.wanted, &err);
    int code;

    burl__regress_quit_on_signals(opts, "regress experiment");
    if (st == BURL_OK)
        st = burl__regress_runner_open(&x.r, opts, &suite, &plan, true, &err);
    if (st == BURL_OK)
        st = run_all(&x, &err);
    if (st == BURL_OK) {
        cut = x.r.tested.n < x.r.n_planned || burl_cli_interrupts != 0;
        evaluate(&x);
    }
    code = st != BURL_OK ? burl_err_exit_code(st) : cut ? BURL_EXIT_PROMISE : BURL_EXIT_CLEAN;
    if (opts->json)
        print_json(&x, code, st == BURL_OK ? NULL : &err);
    else if (st == BURL_OK)
        print_text(&x);
    if (st == BURL_OK && cut)
        fprintf(stderr, "burl: not all tests were run: the figures are about %zu of %zu runs\n",
                x.r.tested.n, x.r.n_planned);
    if (st != BURL_OK)
        burl_cli_fail(&err);
    experiment_deinit(&x);
    burl_regress_plan_deinit(&plan);
    burl_suite_deinit(&suite);
    return code;
}
