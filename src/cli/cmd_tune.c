/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_tune.c - `burl tune`: a search for noise that makes errors show.
 *
 * Runs in the host. First the program by itself, then settings of noise, each evaluated by some
 * executions. Everything is in the store after each evaluation: the same command goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "cli/interrupt.h"
#include "cli/tune_int.h"

static void
say(const struct burl_tune_session *t, const char *text)
{
    if (!t->opts->quiet)
        fprintf(stderr, "burl: %s\n", text);
}

/* What plain runs showed is not what noise brought. */
static void
forget_plain(struct burl_tune_session *t)
{
    for (size_t i = 0; i < t->free.kept.n; i++)
        t->free.kept.v[i].shown = 0;
}

static enum burl_status
begin_new(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = burl__tune_plain_runs(t, err);

    if (st != BURL_OK || t->interrupted)
        return st;
    st = burl__tune_known(t, err);
    if (st != BURL_OK)
        return st;
    burl__tune_shape(t);
    st = burl__tune_record(t, err);
    if (st == BURL_OK)
        burl__tune_begin(t);
    return st;
}

static enum burl_status
go_on(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st;
    char text[128];

    burl__tune_begin(t);
    st = burl__tune_replay(t, err);
    if (st != BURL_OK)
        return st;
    t->n_before = t->tuner.total.executions;
    /* Executions of an evaluation that was not saved may have shown a finding. */
    for (size_t i = 0; i < t->earlier.n; i++)
        t->n_before = t->n_before > t->earlier.v[i].shown ? t->n_before : t->earlier.v[i].shown;
    snprintf(text, sizeof text,
             "going on with an earlier search after %zu evaluation%s (--restart "
             "begins anew)",
             t->n_resumed, t->n_resumed == 1 ? "" : "s");
    say(t, text);
    return BURL_OK;
}

static enum burl_status
search(struct burl_tune_session *t, struct burl_err *err)
{
    bool found = false;
    enum burl_status st = burl__tune_setup(t, err);

    if (st == BURL_OK)
        st = burl_store_check_unused(t->opts->dir, NULL, err);
    if (st == BURL_OK)
        st = burl__tune_look(t, err);
    if (st != BURL_OK || t->interrupted)
        return st;
    st = burl__tune_recall(t, &found, err);
    if (st == BURL_OK)
        st = found ? go_on(t, err) : begin_new(t, err);
    forget_plain(t);
    if (st == BURL_OK && t->no_shared && t->has_tuner)
        say(t, "no variable is shared between threads: only random placement is searched");
    if (st == BURL_OK && t->has_tuner)
        st = burl__tune_loop(t, err);
    return st;
}

static int
code_of(const struct burl_tune_session *t)
{
    if (t->findings.n > 0 || burl_tune_errors(&t->tuner.total) > 0 || t->first_error_ms >= 0)
        return BURL_EXIT_FINDINGS;
    if (t->interrupted || t->free.n_unobserved > 0 || t->n_killed > 0 || t->tuner.done.n == 0)
        return BURL_EXIT_PROMISE;
    return BURL_EXIT_CLEAN;
}

/* Not one setting was tried: that is no result. The advice is twice what plain runs need. */
static void
say_no_evaluation(const struct burl_tune_session *t)
{
    const int64_t runs = 1 + (int64_t)t->opts->plain_runs + t->executions;
    const int64_t needed_s = (2 * runs * t->plain.slowest_ms + 999) / 1000;
    const int64_t given_s = ((int64_t)t->budget_ms + 999) / 1000;

    fprintf(stderr,
            "burl: nothing was evaluated: no execution under noise ended within the time; a plain "
            "run took %.1f s: give --time=%llds or more, or a smaller input\n",
            (double)t->plain.slowest_ms / 1000.0,
            (long long)(needed_s > 2 * given_s ? needed_s : 2 * given_s));
}

/* What there is, is written even when something failed. */
static int
conclude(struct burl_tune_session *t, enum burl_status st, struct burl_err *err)
{
    struct burl_err late;
    int code;

    burl_progress_clear(&t->progress);
    st = burl_err_first(st, err, burl__tune_save_findings(t, &late), &late);
    st = burl_err_first(st, err, burl__tune_recount(t, &late), &late);
    st = burl_err_first(st, err, burl__tune_list_findings(t, &late), &late);
    st = burl_err_first(st, err, burl__tune_write_best(t, &late), &late);
    if (t->opts->html && t->has_tuner)
        st = burl_err_first(st, err, burl__tune_write_html(t, &late), &late);
    code = st == BURL_OK ? code_of(t) : burl_err_exit_code(st);
    t->free.why_end = t->end ? t->end : "error";
    st = burl_err_first(st, err, burl__free_end(&t->free, code, &late), &late);
    if (st != BURL_OK)
        code = burl_err_exit_code(st);
    if (t->opts->json)
        burl__tune_print_json(t, code, st == BURL_OK ? NULL : err, stdout);
    else if (t->has_tuner && !t->opts->quiet)
        burl__tune_print_summary(t, stdout);
    if (st == BURL_OK && t->has_tuner && t->tuner.done.n == 0 && !t->interrupted)
        say_no_evaluation(t);
    return st == BURL_OK ? code : burl_cli_fail(err);
}

static void
deinit(struct burl_tune_session *t)
{
    if (t->has_tuner)
        burl_tuner_deinit(&t->tuner);
    burl_tune_seen_deinit(&t->seen);
    burl_marks_deinit(&t->marks);
    burl_params_deinit(&t->params);
    BURL_VEC_FREE(&t->start);
    BURL_VEC_FREE(&t->earlier);
    burl__tune_drop_findings(t);
    burl__free_deinit(&t->free);
    free(t->path);
    free(t->key_json);
    free(t->check_file);
    free(t->out_path);
}

int
burl_cmd_tune(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_tune_session t = { .opts = opts, .argc = argc, .argv = argv, .first_error_ms = -1 };
    struct burl_err err = { 0 };
    enum burl_status st;
    int code;

    if (argc < 1)
        return burl_cli_usage("tune", "which program? Give the program to run and its arguments");
    t.started_ms = burl_now_ms();
    t.free =
        (struct burl_free_session){ .opts = opts, .argc = argc, .argv = argv, .command = "tune" };
    t.free.origin = burl__tune_origin;
    t.free.origin_arg = &t;
    t.free.style = burl__test_style(opts, stdout);
    t.free.options_json = burl__test_options_json(opts, BURL_ON_TUNE);
    burl_progress_init(&t.progress, !opts->quiet && !opts->json);
    burl_cli_catch_signals();
    st = search(&t, &err);
    code = conclude(&t, st, &err);
    deinit(&t);
    return code;
}
