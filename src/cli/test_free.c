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
#include "cli/test_int.h"

static int
exit_code_of(const struct burl_free_session *s, bool interrupted)
{
    if (s->kept.n > 0)
        return BURL_EXIT_FINDINGS;
    if (s->opts->strict && burl__free_n_open(s) > 0)
        return BURL_EXIT_FINDINGS;
    return interrupted || s->n_unobserved > 0 ? BURL_EXIT_PROMISE : BURL_EXIT_CLEAN;
}

enum burl_status
burl__free_check_options(const struct burl_options *o, struct burl_err *err)
{
    static const struct {
        enum burl_opt opt;
        const char *name;
    } controlled[] = {
        { BURL_OPT_strategy, "--strategy" },
        { BURL_OPT_reset, "--reset" },
        { BURL_OPT_check_determinism, "--check-determinism" },
        { BURL_OPT_pct_depth, "--pct-depth" },
        { BURL_OPT_max_steps, "--max-steps" },
    };

    for (size_t i = 0; i < sizeof controlled / sizeof controlled[0]; i++) {
        if (o->given[controlled[i].opt])
            return burl_err_set(
                err, BURL_E_USAGE, 0,
                "%s cannot be combined with --engine=free: burl does not schedule free threads",
                controlled[i].name);
    }
    return BURL_OK;
}

/* The remaining budget for one run: of the campaign, and of one execution. */
static uint64_t
time_for_one(const struct burl_options *o, uint64_t budget_ms, int64_t elapsed)
{
    const uint64_t one = burl__test_exec_timeout_ms(o);
    const uint64_t left = budget_ms > (uint64_t)elapsed ? budget_ms - (uint64_t)elapsed : 1;

    if (budget_ms == 0)
        return one;
    return one > 0 && one < left ? one : left;
}

static void
show_new(struct burl_free_session *s, struct burl_progress *progress, size_t first)
{
    for (size_t i = first; i < s->kept.n && !s->opts->json; i++) {
        burl_progress_clear(progress);
        printf("%s\n", s->kept.v[i].text);
        fflush(stdout);
    }
}

static void
show_progress(const struct burl_free_session *s, struct burl_progress *progress)
{
    const size_t n = s->kept.n;
    char runs[32];

    if (burl_progress_due(progress))
        burl_progress_update(progress, "%s free runs, %zu finding%s, %.1f s",
                             burl__test_number(s->n_runs, runs), n, n == 1 ? "" : "s",
                             (double)s->wall_ms / 1000.0);
}

static bool
has_enough(const struct burl_free_session *s)
{
    bool failed = false;

    for (size_t i = 0; i < s->kept.n; i++)
        failed |= strcmp(s->kept.v[i].kind, burl_verdict_name(BURL_VERDICT_RACE_DATA)) != 0;
    return (s->opts->stop_at_first && s->kept.n > 0) || (s->opts->stop_at_failure && failed);
}

static enum burl_status
run_many(struct burl_free_session *s, uint64_t budget_ms, struct burl_progress *progress,
         const volatile sig_atomic_t *interrupt, struct burl_err *err)
{
    const int64_t start = burl_target_now_ms();
    enum burl_status st = BURL_OK;

    s->why_end = NULL;
    while (st == BURL_OK && s->why_end == NULL) {
        const struct burl_free_opts fo = {
            .argv = (const char *const *)s->argv,
            .observers = s->observers,
            .time_ms = time_for_one(s->opts, budget_ms, s->wall_ms),
            .captured = true,
            .out_fd = -1,
            .interrupt = interrupt,
        };
        struct burl_free_result r;
        size_t first;

        st = burl_free_run(&r, &fo, err);
        /* The last one may have had no time left to start in. */
        if (st == BURL_E_LIMIT && s->n_runs > 0 && budget_ms > 0) {
            s->why_end = "time";
            st = BURL_OK;
            break;
        }
        if (st != BURL_OK)
            break;
        st = burl__free_take(s, &r, &first, err);
        burl_free_result_deinit(&r);
        s->wall_ms = burl_target_now_ms() - start;
        show_new(s, progress, first);
        show_progress(s, progress);
        if (*interrupt)
            s->why_end = "interrupted";
        else if (has_enough(s))
            s->why_end = "first finding";
        else if (s->opts->runs > 0 && s->n_runs >= s->opts->runs)
            s->why_end = "runs";
        else if (budget_ms > 0 && (uint64_t)s->wall_ms >= budget_ms)
            s->why_end = "time";
    }
    return st;
}

int
burl__test_free(const struct burl_options *opts, int argc, char **argv,
                const volatile sig_atomic_t *interrupt)
{
    struct burl_free_session s = { .opts = opts, .argc = argc, .argv = argv, .command = "test" };
    struct burl_progress progress;
    struct burl_err err = { 0 };
    struct burl_err late;
    uint64_t budget_ms = opts->time;
    enum burl_status st;
    int code;

    if (opts->runs > 0 && !opts->given[BURL_OPT_time])
        budget_ms = 0;
    s.style = burl__test_style(opts);
    s.options_json = burl__test_options_json(opts, BURL_ON_TEST);
    burl_progress_init(&progress, !opts->quiet && !opts->json);
    st = burl__free_check_options(opts, &err);
    if (st == BURL_OK)
        st = burl__free_begin(&s, &err);
    if (st == BURL_OK)
        st = run_many(&s, budget_ms, &progress, interrupt, &err);
    burl_progress_clear(&progress);
    code = st == BURL_OK ? exit_code_of(&s, *interrupt != 0) : burl_err_exit_code(st);
    if (burl__free_end(&s, code, &late) != BURL_OK && st == BURL_OK) {
        err = late;
        st = late.code;
        code = burl_err_exit_code(st);
    }
    if (opts->json)
        burl__free_print_json(&s, code, st == BURL_OK ? NULL : &err, stdout);
    else if (s.n_runs > 0 && !opts->quiet)
        burl__free_print_summary(&s, stdout);
    if (st != BURL_OK)
        code = burl_cli_fail(&err);
    burl__free_deinit(&s);
    return code;
}
