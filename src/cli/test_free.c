/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_free.c - `burl test --engine=free`: many free runs of a program.
 *
 * Runs in the host. Free threads on all cores interleave differently each time, so the program is
 * run repeatedly within the budget; findings are merged by fingerprint. Nothing can be confirmed or
 * minimized, because free runs cannot be replayed: a race needs no confirmation (two unordered
 * accesses are a race, whatever follows), a crash is reported with its count. The program's output
 * is kept and not printed, as in every campaign.
 */
#include <string.h>

#include "cli/free_int.h"
#include "cli/interrupt.h"
#include "engine/target/target.h"

enum burl_status
burl__free_check_options(const struct burl_options *o, struct burl_err *err)
{
    static const enum burl_opt controlled[] = { BURL_OPT_strategy, BURL_OPT_reset,
                                                BURL_OPT_check_determinism, BURL_OPT_pct_depth,
                                                BURL_OPT_max_steps };

    for (size_t i = 0; i < sizeof controlled / sizeof controlled[0]; i++) {
        if (o->given[controlled[i]])
            return burl_err_set(
                err, BURL_E_USAGE, 0,
                "%s cannot be combined with --engine=free: burl does not schedule free threads",
                burl_options_name(controlled[i]));
    }
    return BURL_OK;
}

enum burl_status
burl__free_loop(const struct burl_options *o, struct burl_free_opts fo,
                const struct burl_free_hooks *hooks, const char **why_end, struct burl_err *err)
{
    const uint64_t budget_ms = o->runs > 0 && !o->given[BURL_OPT_time] ? 0 : o->time;
    const int64_t start = burl_target_now_ms();
    uint64_t elapsed = 0;
    uint64_t build = 0;

    fo.captured = true;
    fo.out_fd = -1;
    fo.interrupt = &burl_cli_interrupts;
    *why_end = NULL;
    for (uint64_t n = 0; *why_end == NULL; n++) {
        const uint64_t left = budget_ms > elapsed ? budget_ms - elapsed : 1;
        const char *limit = NULL;
        struct burl_free_result r;
        enum burl_status st;

        fo.time_ms = burl__test_exec_timeout_ms(o);
        if (budget_ms > 0 && (fo.time_ms == 0 || fo.time_ms > left))
            fo.time_ms = left;
        st = burl_free_run(&r, &fo, err);
        /* The last one may have had no time left to start in. */
        if (st == BURL_E_LIMIT && n > 0 && budget_ms > 0) {
            *why_end = "time";
            return BURL_OK;
        }
        if (st != BURL_OK)
            return st;
        elapsed = (uint64_t)(burl_target_now_ms() - start);
        st = burl_target_same_build(&build, r.start_build, fo.argv[0], err);
        if (st == BURL_OK)
            st = hooks->take(hooks->arg, &r, (int64_t)elapsed, err);
        burl_free_result_deinit(&r);
        if (st != BURL_OK)
            return st;
        if (o->runs > 0 && n + 1 >= o->runs)
            limit = "runs";
        else if (budget_ms > 0 && elapsed >= budget_ms)
            limit = "time";
        *why_end = burl_cli_interrupts ? "interrupted" : hooks->over(hooks->arg, limit);
    }
    return BURL_OK;
}

/* ---- burl test --engine=free ------------------------------------------------------- */

struct free_test {
    struct burl_free_session *s;
    struct burl_progress progress;
};

static enum burl_status
on_run(void *arg, struct burl_free_result *r, int64_t elapsed_ms, struct burl_err *err)
{
    struct free_test *t = arg;
    struct burl_free_session *s = t->s;
    size_t first;
    char runs[BURL_COUNT_B];
    char time[48];
    const enum burl_status st = burl__free_take(s, r, &first, err);

    s->wall_ms = elapsed_ms;
    for (size_t i = first; i < s->kept.n && !s->opts->json; i++) {
        burl_progress_clear(&t->progress);
        printf("%s\n", s->kept.v[i].text);
        fflush(stdout);
    }
    if (burl_progress_due(&t->progress))
        burl_progress_update(&t->progress, "%s, %zu finding%s, %s",
                             burl_progress_time(elapsed_ms, burl__test_time_ms(s->opts), time),
                             s->kept.n, s->kept.n == 1 ? "" : "s",
                             burl_count(s->n_runs, "free run", runs));
    return st;
}

static const char *
is_over(void *arg, const char *limit)
{
    const struct burl_free_session *s = ((const struct free_test *)arg)->s;
    bool failed = false;

    for (size_t i = 0; i < s->kept.n; i++)
        failed |= strcmp(s->kept.v[i].kind, burl_verdict_name(BURL_VERDICT_RACE_DATA)) != 0;
    if ((s->opts->stop_at_first && s->kept.n > 0) || (s->opts->stop_at_failure && failed))
        return "first finding";
    return limit;
}

int
burl__test_free(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_free_session s = { .opts = opts, .argc = argc, .argv = argv, .command = "test" };
    struct free_test t = { .s = &s };
    const struct burl_free_hooks hooks = { .arg = &t, .take = on_run, .over = is_over };
    struct burl_err err = { 0 };
    struct burl_err late;
    enum burl_status st;
    int code;

    s.style = burl__test_style(opts, stdout);
    s.options_json = burl__test_options_json(opts, BURL_ON_TEST);
    burl_progress_init(&t.progress, !opts->quiet && !opts->json);
    st = burl__free_check_options(opts, &err);
    if (st == BURL_OK)
        st = burl__free_begin(&s, &err);
    if (st == BURL_OK)
        st = burl_store_check_unused(opts->dir, NULL, &err);
    if (st == BURL_OK)
        st = burl__free_loop(
            opts,
            (struct burl_free_opts){ .argv = (const char *const *)argv,
                                     .observers = s.observers,
                                     .volatile_atomic = strcmp(opts->volatile_, "atomic") == 0 },
            &hooks, &s.why_end, &err);
    burl_progress_clear(&t.progress);
    code =
        st == BURL_OK ? burl__free_exit_code(&s, burl_cli_interrupts != 0) : burl_err_exit_code(st);
    st = burl_err_first(st, &err, burl__free_end(&s, code, &late), &late);
    if (st != BURL_OK)
        code = burl_err_exit_code(st);
    if (opts->json)
        burl__free_print_json(&s, code, st == BURL_OK ? NULL : &err, stdout);
    else if (s.n_runs > 0 && !opts->quiet && !opts->brief)
        burl__free_print_summary(&s, stdout);
    if (st != BURL_OK)
        code = burl_cli_fail(&err);
    burl__free_deinit(&s);
    return code;
}
