/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_record.c - `burl regress record`: runs a suite and keeps what each test executes.
 *
 * Runs in the host. Exit code 0: every test was run; tests that fail are reported and are no reason
 * for another code. 4: tests are left, after an interruption, at the end of --time, or because a
 * command could not be started. 3: no test ran an instrumented program, so that there is nothing to
 * select from.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/proc.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/regress_int.h"
#include "regress/record.h"

/* Names in a line of the summary, without --verbose. */
#define MAX_NAMES 5
#define MAX_NAME 200 /* bytes of the name of a version */
#define GIT_TIMEOUT_MS 10000

struct recorder {
    const struct burl_options *opts;
    struct burl_progress progress;
    char *version;
    char *suite;
};

/* ---- while it runs ------------------------------------------------------------------- */

static void
on_note(void *arg, const char *text)
{
    struct recorder *r = arg;

    if (r->opts->quiet)
        return;
    burl_progress_clear(&r->progress);
    fprintf(stderr, "%s\n", text);
}

static void
on_tick(void *arg, const struct burl_record_at *at)
{
    struct recorder *r = arg;
    char left[64] = "";

    if (!burl_progress_due(&r->progress))
        return;
    if (at->left_ms >= 0)
        snprintf(left, sizeof left, ", %.0f s left", (double)at->left_ms / 1000);
    burl_progress_update(&r->progress, "recording test %zu of %zu: %s, %.0f s%s", at->test, at->n,
                         at->name, (double)at->elapsed_ms / 1000, left);
}

static void
on_test(void *arg, const struct burl_record_at *at, const struct burl_store_test *t)
{
    struct recorder *r = arg;

    if (!r->opts->verbose || r->opts->quiet)
        return;
    burl_progress_clear(&r->progress);
    fprintf(stderr, "test %zu of %zu: %s %s%s%s%s, %.2f s\n", at->test, at->n, t->name,
            burl_record_state_name(t->state), t->why ? " (" : "", t->why ? t->why : "",
            t->why ? ")" : "", (double)t->wall_ms / 1000);
}

/* ---- the name of the version --------------------------------------------------------- */

/* What git calls the commit; NULL: there is no git, or no repository. */
static char *
describe_commit(const char *dir)
{
    static const char *const argv[] = { "git", "describe", "--always", "--dirty", "--tags", NULL };
    const struct burl_proc_opts opts = { .argv = argv, .cwd = dir, .in = BURL_PROC_NULL };
    struct burl_proc_output out = { 0 };
    char *name = NULL;

    if (burl_proc_capture(&out, &opts, GIT_TIMEOUT_MS, 4096, NULL) == BURL_OK &&
        out.status.exited && out.status.code == 0 && strcspn(out.out, "\n") > 0)
        name = burl_xstrndup(out.out, strcspn(out.out, "\n"));
    burl_proc_output_deinit(&out);
    return name;
}

static void
choose_name(struct recorder *r, const struct burl_suite *s)
{
    r->version = r->opts->as ? burl_xstrdup(r->opts->as) : describe_commit(s->root);
    if (!r->version)
        r->version = burl_xstrdup("base");
}

/* ---- the end ------------------------------------------------------------------------- */

static size_t
count_state(const struct burl_record_result *res, int64_t state)
{
    size_t n = 0;

    for (size_t i = 0; i < res->tests.n; i++)
        n += res->tests.v[i].state == state;
    return n;
}

static size_t
count_kept(const struct burl_record_result *res)
{
    return count_state(res, BURL_TEST_RECORDED) + count_state(res, BURL_TEST_FAILED) +
           count_state(res, BURL_TEST_HUNG);
}

/* Tests that have to be run again. */
static size_t
count_left(const struct burl_record_result *res)
{
    return count_state(res, BURL_TEST_PENDING) + count_state(res, BURL_TEST_UNSTARTED);
}

/* Is there something to say about a test? A recorded one has a reason when a part is missing. */
static bool
is_notable(const struct burl_store_test *t)
{
    return t->state != BURL_TEST_RECORDED || t->why;
}

/* Tests of one state: how many, their names, and what that means. */
static void
print_state(struct burl_buf *b, const struct recorder *r, const struct burl_record_result *res,
            int64_t state, const char *advice)
{
    size_t n = 0;
    size_t shown = 0;

    for (size_t i = 0; i < res->tests.n; i++)
        n += res->tests.v[i].state == state && is_notable(&res->tests.v[i]);
    if (n == 0)
        return;
    burl_buf_printf(b, "%zu %s%s: ", n, burl_record_state_name(state),
                    state == BURL_TEST_RECORDED ? " in part" : "");
    for (size_t i = 0; i < res->tests.n; i++) {
        const struct burl_store_test *t = &res->tests.v[i];

        if (t->state != state || !is_notable(t) || (shown >= MAX_NAMES && !r->opts->verbose))
            continue;
        burl_buf_printf(b, "%s%s", shown > 0 ? ", " : "", t->name);
        if (t->why)
            burl_buf_printf(b, " (%s)", t->why);
        shown++;
    }
    if (shown < n)
        burl_buf_printf(b, ", and %zu more (see --verbose)", n - shown);
    burl_buf_printf(b, "\n  %s\n", advice);
}

static void
print_summary(const struct recorder *r, const struct burl_record_result *res)
{
    struct burl_buf b = BURL_BUF_INIT;
    const size_t n = res->tests.n;
    const size_t kept = count_kept(res);

    burl_buf_printf(&b, "version %s: %zu of %zu test%s recorded", r->version, kept, n,
                    n == 1 ? "" : "s");
    if (res->n_before == n)
        burl_buf_str_append(&b, " already; nothing has changed");
    else
        burl_buf_printf(&b, " in %.1f s", (double)res->wall_ms / 1000);
    burl_buf_printf(&b, " (%zu module%s in %zu file%s)\n", res->n_modules,
                    res->n_modules == 1 ? "" : "s", res->n_objects, res->n_objects == 1 ? "" : "s");
    print_state(&b, r, res, BURL_TEST_RECORDED,
                "their histories are incomplete: `burl regress select` does not rely on them");
    print_state(&b, r, res, BURL_TEST_FAILED,
                "recorded as far as they ran; for their output: --verbose --fresh --only=NAME");
    print_state(&b, r, res, BURL_TEST_HUNG, "recorded until they were killed");
    print_state(&b, r, res, BURL_TEST_SKIPPED, "they said so by their exit code");
    print_state(&b, r, res, BURL_TEST_UNINSTRUMENTED,
                "they ran no program that was built with `burl-cc`; build with CC=burl-cc "
                "CXX=burl-c++ and record again");
    print_state(&b, r, res, BURL_TEST_UNSTARTED, "build what they run, and record again");
    print_state(&b, r, res, BURL_TEST_PENDING,
                res->interrupted   ? "interrupted; run the same command again to go on"
                : res->out_of_time ? "--time is over; run the same command again to go on"
                                   : "their programs have to exist until they were recorded");
    burl_cli_put(&b, stdout);
}

static const char *
stop_word(const struct burl_record_result *res, const struct burl_err *err)
{
    return err ? "failed" : res->interrupted ? "interrupted" : res->out_of_time ? "time" : "done";
}

/* docs/formats/regress-json.md */
static void
print_json(const struct recorder *r, const struct burl_record_result *res, int code,
           const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "schema", 1);
    burl_json_kv_str(w, "command", "regress record");
    burl_json_kv_str(w, "version", r->version);
    burl_json_kv_str(w, "suite", r->suite);
    burl_json_kv_i64(w, "exit_code", code);
    if (err)
        burl_json_kv_str(w, "error", err->msg);
    burl_json_kv_str(w, "stop", stop_word(res, err));
    burl_json_kv_u64(w, "recorded_before", res->n_before);
    burl_json_kv_u64(w, "objects", res->n_objects);
    burl_json_kv_u64(w, "modules", res->n_modules);
    burl_json_kv_i64(w, "wall_ms", res->wall_ms);
    burl_json_kv_array(w, "tests");
    for (size_t i = 0; i < res->tests.n; i++) {
        const struct burl_store_test *t = &res->tests.v[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", t->name);
        burl_json_kv_str(w, "state", burl_record_state_name(t->state));
        if (t->why)
            burl_json_kv_str(w, "why", t->why);
        burl_json_kv_i64(w, "runs", t->runs);
        burl_json_kv_i64(w, "wall_ms", t->wall_ms);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_cli_json_end(&doc, stdout);
}

static int
exit_code(const struct burl_record_result *res, struct burl_err *err)
{
    if (count_left(res) > 0 || res->interrupted)
        return BURL_EXIT_PROMISE;
    if (count_kept(res) > 0 || count_state(res, BURL_TEST_UNINSTRUMENTED) == 0)
        return BURL_EXIT_CLEAN;
    (void)burl_err_set(err, BURL_E_TARGET, 0,
                       "nothing is recorded: no test ran a program that was built with `burl-cc`");
    return BURL_EXIT_FAILURE;
}

static enum burl_status
record(struct recorder *r, const struct burl_suite *suite, struct burl_record_result *res,
       struct burl_err *err)
{
    const struct burl_options *o = r->opts;
    const struct burl_record_config c = {
        .suite = suite,
        .version = r->version,
        .only = o->only,
        .repeat = o->repeat,
        .time_ms = o->time,
        .fresh = o->fresh,
        .show_output = o->verbose,
        .interrupts = &burl_cli_interrupts,
        .note = on_note,
        .tick = on_tick,
        .done = on_test,
        .arg = r,
    };
    struct burl_store *s = NULL;
    enum burl_status st = burl_store_open(&s, o->dir, err);

    if (st == BURL_OK)
        st = burl_record(&c, s, res, err);
    burl_store_close(s);
    return st;
}

/* It is printed in messages, and typed in for --base. */
static bool
is_name(const char *name)
{
    size_t n = 0;

    while ((unsigned char)name[n] >= ' ' && name[n] != 0x7f)
        n++;
    return name[n] == '\0' && n <= MAX_NAME;
}

int
burl__regress_record(const struct burl_options *opts)
{
    struct recorder r = { .opts = opts };
    struct burl_record_result res = { 0 };
    struct burl_suite suite = { 0 };
    struct burl_err err = { 0 };
    enum burl_status st;
    int code;

    if (opts->repeat == 0)
        return burl_cli_usage("regress", "--repeat has to be at least 1");
    if (opts->as && !is_name(opts->as))
        return burl_cli_usage("regress",
                              "--as: a name has at most %d characters and no control characters",
                              MAX_NAME);
    burl_cli_catch_signals();
    burl_progress_init(&r.progress, !opts->quiet && !opts->json && !opts->verbose);
    st = burl__regress_suite(opts, &suite, &err);
    if (st == BURL_OK) {
        choose_name(&r, &suite);
        r.suite = burl_suite_identity(&suite);
        st = record(&r, &suite, &res, &err);
    }
    burl_progress_clear(&r.progress);
    code = st == BURL_OK ? exit_code(&res, &err) : burl_err_exit_code(st);
    if (opts->json)
        print_json(&r, &res, code, err.code != BURL_OK ? &err : NULL);
    else if (st == BURL_OK && !opts->quiet)
        print_summary(&r, &res);
    if (err.code != BURL_OK)
        burl_cli_fail(&err);
    burl_record_result_deinit(&res);
    burl_suite_deinit(&suite);
    free(r.version);
    free(r.suite);
    return code;
}
