/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_run_report.c - what `burl regress run` prints: findings, a summary, JSON.
 *
 * Runs in the host. What is new comes first; what the base version had, and what the change does
 * not impact, is a short list after it. docs/formats/regress-json.md describes the document.
 */
#include <inttypes.h>

#include "cli/interrupt.h"
#include "cli/regress_run_int.h"
#include "cli/suppressed.h"

/* Names in a list, unless --verbose. */
#define MAX_LEFT 5

const char *
burl__tested_end_name(enum burl_tested_end end)
{
    static const char *const names[BURL_TESTED__N] = {
        [BURL_TESTED_PASSED] = "passed",
        [BURL_TESTED_FAILED] = "failed",
        [BURL_TESTED_HUNG] = "hung",
        [BURL_TESTED_SKIPPED] = "skipped",
        [BURL_TESTED_UNWATCHED] = "unwatched",
        [BURL_TESTED_UNSTARTED] = "unstarted",
        [BURL_TESTED_CUT] = "cut",
    };

    return (unsigned)end < BURL_TESTED__N ? names[end] : "unknown";
}

static const char *
test_name(const struct burl_regress_runner *r, uint32_t test)
{
    return r->suite->tests.v[test].name;
}

static const char *
plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static bool
is_new(const struct burl_tested_found *f)
{
    return f->class == BURL_REGRESS_NEW || f->class == BURL_REGRESS_FAILS;
}

/* ---- while it runs ----------------------------------------------------------------- */

void
burl__regress_print_start(const struct burl_regress_runner *r)
{
    const struct burl_regress_plan *p = r->plan;

    if (r->opts->quiet || r->opts->json)
        return;
    for (size_t i = 0; i < p->notes.n; i++)
        fprintf(stderr, "burl: note: %s\n", p->notes.v[i]);
    if (r->n_planned == 0)
        return;
    printf("running %zu of %zu test%s; base %s\n", r->n_planned, r->suite->tests.n,
           plural(r->suite->tests.n), p->base.name);
    fflush(stdout);
}

/* What a finding says about the change, after its line. */
static const char *
class_note(const struct burl_tested_found *f)
{
    switch (f->class) {
    case BURL_REGRESS_FAILS:
        return "fails without preemption: probably an ordinary failure";
    case BURL_REGRESS_KNOWN:
        return f->evidence.alone        ? "known: the test failed when the base was recorded"
               : f->evidence.shown_base ? "known: the base version has it"
                                        : "known: found before the base was recorded";
    case BURL_REGRESS_UNRELATED:
        return f->evidence.unchanged ? "not from this change: the program is that of the base"
                                     : "not from this change: its accesses are not impacted";
    default:
        return f->evidence.older ? "found before the base was recorded, and the change impacts it"
                                 : NULL;
    }
}

static void
print_found(const struct burl_regress_runner *r, const struct burl_tested_found *f,
            const char *before)
{
    const char *note = class_note(f);

    printf("%s%s\n", before, f->line);
    printf("%s    test %s", before, test_name(r, f->test));
    if (f->n_tests > 1)
        printf(" and %u more", f->n_tests - 1);
    if (note)
        printf("; %s", note);
    if (f->watched)
        printf("; seen in a free run: `burl show %" PRId64 "`\n", f->id);
    else
        printf("; `burl show %" PRId64 "`, `burl replay %" PRId64 "`\n", f->id, f->id);
}

static void
print_problem(const struct burl_regress_runner *r, const struct burl_tested *t)
{
    switch (t->end) {
    case BURL_TESTED_HUNG:
    case BURL_TESTED_UNWATCHED:
    case BURL_TESTED_UNSTARTED:
        printf("note: test %s %s: %s\n", test_name(r, t->test),
               t->end == BURL_TESTED_HUNG        ? "hung"
               : t->end == BURL_TESTED_UNWATCHED ? "was not observed"
                                                 : "could not be started",
               t->why ? t->why : "no execution ended in time");
        break;
    default:
        if (t->watched && t->why)
            printf("note: test %s was watched and not controlled: %s\n", test_name(r, t->test),
                   t->why);
        break;
    }
}

void
burl__regress_print_test(const struct burl_regress_runner *r)
{
    const struct burl_tested *t = &r->tested.v[r->tested.n - 1];

    if (!r->opts->quiet)
        print_problem(r, t);
    for (size_t i = 0; i < t->found.n; i++) {
        const struct burl_tested_found *f = &r->found.v[t->found.v[i]];

        /* Others are in the summary; one that an earlier test has shown was printed. */
        if (!is_new(f) || f->n_tests > 1)
            continue;
        if (r->opts->verbose)
            printf("%s\n", f->text);
        else
            print_found(r, f, "");
    }
    fflush(stdout);
}

/* ---- the summary ------------------------------------------------------------------- */

static size_t
count_ends(const struct burl_regress_runner *r, enum burl_tested_end end)
{
    size_t n = 0;

    for (size_t i = 0; i < r->tested.n; i++)
        n += r->tested.v[i].end == end;
    return n;
}

static size_t
count_watched(const struct burl_regress_runner *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->tested.n; i++)
        n += r->tested.v[i].watched && r->tested.v[i].end != BURL_TESTED_UNWATCHED;
    return n;
}

static void
print_list(const struct burl_regress_runner *r, bool news)
{
    size_t n = 0;

    for (size_t i = 0; i < r->found.n; i++)
        n += is_new(&r->found.v[i]) == news;
    if (n == 0)
        return;
    if (news)
        printf("%zu new finding%s:\n", n, plural(n));
    else
        printf("%zu finding%s that %s not new:\n", n, plural(n), n == 1 ? "is" : "are");
    for (size_t i = 0; i < r->found.n; i++) {
        if (is_new(&r->found.v[i]) == news)
            print_found(r, &r->found.v[i], "  ");
    }
}

/* One more name of the list of tests that were not run to their end. */
static void
print_left(const struct burl_regress_runner *r, uint32_t test, size_t *n)
{
    if (*n < MAX_LEFT || r->opts->verbose)
        printf("%s %s", *n > 0 ? "," : "", test_name(r, test));
    ++*n;
}

static void
print_tests(const struct burl_regress_runner *r, const uint32_t *left, size_t n_left)
{
    static const enum burl_tested_end ends[] = { BURL_TESTED_FAILED, BURL_TESTED_HUNG,
                                                 BURL_TESTED_SKIPPED, BURL_TESTED_UNWATCHED,
                                                 BURL_TESTED_UNSTARTED };
    static const char *const words[] = { "failed", "hung", "skipped", "not observed",
                                         "not started" };
    size_t n = 0;

    printf("tests: %zu of %zu selected, %zu run", r->plan->selection.n_selected, r->suite->tests.n,
           r->tested.n);
    if (count_watched(r) > 0)
        printf(", %zu watched and not controlled", count_watched(r));
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (count_ends(r, ends[i]) > 0)
            printf(", %zu %s", count_ends(r, ends[i]), words[i]);
    }
    printf("\n");
    if (n_left == 0 && count_ends(r, BURL_TESTED_CUT) == 0)
        return;
    printf("%s:", burl_cli_interrupts != 0 ? "interrupted; not run to the end"
                                           : "time is over; not run to the end");
    for (size_t i = 0; i < r->tested.n; i++) {
        if (r->tested.v[i].end == BURL_TESTED_CUT)
            print_left(r, r->tested.v[i].test, &n);
    }
    for (size_t i = 0; i < n_left; i++)
        print_left(r, left[i], &n);
    if (n > MAX_LEFT && !r->opts->verbose)
        printf(", and %zu more (see --verbose)", n - MAX_LEFT);
    printf("\n");
}

static void
print_kind(const struct burl_regress_runner *r, const char *name, uint32_t kind)
{
    const size_t potential = burl_regress_ledger_count(&r->ledger, kind, false);

    if (potential > 0)
        printf("%s: %zu potential, %zu confirmed\n", name, potential,
               burl_regress_ledger_count(&r->ledger, kind, true));
}

void
burl__regress_print_summary(const struct burl_regress_runner *r, const uint32_t *left,
                            size_t n_left)
{
    const uint64_t runs = burl_regress_ledger_runs(&r->ledger);
    char a[32], b[32];

    if (r->opts->quiet)
        return;
    print_list(r, true);
    print_list(r, false);
    burl__print_suppressed(r->rules, r->opts->verbose, stdout);
    if (r->n_planned == 0) {
        printf("no test can reveal a bug that the change brought (%zu test%s, base %s)\n",
               r->suite->tests.n, plural(r->suite->tests.n), r->plan->base.name);
        return;
    }
    print_tests(r, left, n_left);
    print_kind(r, "pairs of accesses", BURL_REGRESS_RACES);
    print_kind(r, "unserializable triples", BURL_REGRESS_ATOMICITY);
    print_kind(r, "lock cycles and lost signals", BURL_REGRESS_DEADLOCKS);
    printf("TR: %s test%s and %s verification run%s, %.1f s\n", burl_number(r->tested.n, a),
           plural(r->tested.n), burl_number(runs, b), plural(runs),
           (double)(burl_target_now_ms() - r->started_ms) / 1000.0);
    if (burl__regress_count(r, BURL_REGRESS_NEW) + burl__regress_count(r, BURL_REGRESS_FAILS) == 0)
        printf("nothing new found\n");
}

/* ---- JSON -------------------------------------------------------------------------- */

static void
json_found(const struct burl_regress_runner *r, const struct burl_tested_found *f,
           struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    burl_json_kv_i64(w, "id", f->id);
    burl_json_kv_str(w, "class", burl_regress_class_name(f->class));
    burl_json_kv_str(w, "kind", f->kind);
    burl_json_kv_str(w, "title", f->title);
    burl_json_kv_hex(w, "fingerprint", f->fingerprint);
    burl_json_kv_str(w, "test", test_name(r, f->test));
    burl_json_kv_u64(w, "tests", f->n_tests);
    burl_json_kv_bool(w, "impacted", f->evidence.impacted);
    burl_json_kv_bool(w, "older_than_base", f->evidence.older);
    burl_json_kv_bool(w, "in_base", f->evidence.shown_base);
    burl_json_kv_bool(w, "replayable", !f->watched);
    burl_json_key(w, "detail");
    burl_json_raw(w, f->json);
    burl_json_object_end(w);
}

static void
json_test(const struct burl_regress_runner *r, const struct burl_tested *t,
          struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    burl_json_kv_str(w, "name", test_name(r, t->test));
    burl_json_kv_bool(w, "selected", t->selected);
    burl_json_kv_str(w, "mode", t->watched ? "watched" : "controlled");
    burl_json_kv_str(w, "end", burl__tested_end_name(t->end));
    burl_json_kv_str(w, "why", t->why);
    burl_json_kv_u64(w, "stored_schedules", t->n_reruns);
    burl_json_kv_u64(w, "observed", t->n_observed);
    burl_json_kv_u64(w, "verification_runs", t->runs);
    burl_json_kv_u64(w, "extra_executions", t->extra);
    burl_json_kv_u64(w, "potential", t->reports.n);
    burl_json_kv_i64(w, "wall_ms", t->wall_ms);
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < t->found.n; i++)
        burl_json_i64(w, r->found.v[t->found.v[i]].id);
    burl_json_array_end(w);
    burl_json_object_end(w);
}

static void
json_suspect(const struct burl_regress_suspect *s, struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    burl_json_kv_str(w, "kind",
                     s->kind == BURL_REGRESS_RACES       ? "race"
                     : s->kind == BURL_REGRESS_ATOMICITY ? "triple"
                                                         : "deadlock");
    burl_json_kv_str(w, "places", s->text);
    burl_json_kv_bool(w, "impacted", s->impacted);
    burl_json_kv_bool(w, "confirmed", s->confirmed);
    burl_json_kv_u64(w, "verification_runs", s->runs);
    burl_json_kv_u64(w, "tests", s->n_tests);
    burl_json_object_end(w);
}

static void
json_totals(const struct burl_regress_runner *r, struct burl_json_writer *w)
{
    const uint64_t runs = burl_regress_ledger_runs(&r->ledger);

    burl_json_kv_u64(w, "potential_races",
                     burl_regress_ledger_count(&r->ledger, BURL_REGRESS_RACES, false));
    burl_json_kv_u64(w, "confirmed_races",
                     burl_regress_ledger_count(&r->ledger, BURL_REGRESS_RACES, true));
    burl_json_kv_u64(w, "verification_runs", runs);
    burl_json_kv_u64(w, "tr", r->tested.n + runs);
    burl_json_kv_u64(w, "tr_potential", r->tested.n);
}

void
burl__regress_print_json(const struct burl_regress_runner *r, const uint32_t *left, size_t n_left,
                         int exit_code, const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);
    const struct burl_regress_plan *p = r->plan;

    burl_json_kv_u64(w, "schema", 1);
    burl_json_kv_str(w, "command", "regress run");
    burl_json_kv_i64(w, "exit_code", exit_code);
    if (err != NULL)
        burl_json_kv_str(w, "error", err->msg);
    burl_json_kv_str(w, "base", p && p->base.name ? p->base.name : NULL);
    burl_json_kv_u64(w, "seed", r->seed);
    burl_json_kv_u64(w, "suite_tests", r->suite ? r->suite->tests.n : 0);
    burl_json_kv_u64(w, "selected", p ? p->selection.n_selected : 0);
    burl_json_kv_bool(w, "interrupted", burl_cli_interrupts != 0);
    burl_json_kv_i64(w, "wall_ms", burl_target_now_ms() - r->started_ms);
    json_totals(r, w);
    burl_json_kv_array(w, "tests");
    for (size_t i = 0; i < r->tested.n; i++)
        json_test(r, &r->tested.v[i], w);
    burl_json_array_end(w);
    burl_json_kv_array(w, "not_run");
    for (size_t i = 0; i < n_left; i++)
        burl_json_str(w, test_name(r, left[i]));
    burl_json_array_end(w);
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < r->found.n; i++)
        json_found(r, &r->found.v[i], w);
    burl_json_array_end(w);
    burl_json_kv_array(w, "suspects");
    for (size_t i = 0; i < r->ledger.all.n; i++)
        json_suspect(&r->ledger.all.v[i], w);
    burl_json_array_end(w);
    burl__json_suppressed(r->rules, w);
    burl_cli_json_end(&doc, stdout);
    fflush(stdout);
}
