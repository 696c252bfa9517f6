/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_run.c - `burl run`: watches a program at full speed.
 *
 * Runs in the host. The program has the user's own input and output and runs once; burl waits, and
 * reports on standard error. With --json the document is alone on standard output, and the
 * program's standard output goes to standard error; --report=FILE leaves both streams to the
 * program.
 *
 * The exit code is burl's and not the program's: a script that checks for findings must not depend
 * on the program's exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/tmpdir.h"
#include "cli/free_int.h"
#include "cli/test_int.h"

/* Where the report goes; opened before the program runs, because afterwards it is too late. */
static enum burl_status
open_report(const struct burl_options *opts, FILE **out, struct burl_err *err)
{
    *out = opts->json ? stdout : stderr;
    if (!opts->report)
        return BURL_OK;
    *out = fopen(opts->report, "we");
    if (!*out)
        return burl_err_set(err, BURL_E_USAGE, errno, "cannot write the report to %s",
                            opts->report);
    return BURL_OK;
}

static void
print_text(const struct burl_free_session *s, FILE *out)
{
    for (size_t i = 0; i < s->kept.n; i++)
        if (burl__kept_root(&s->kept, i) == NULL)
            fprintf(out, "%s%s\n", i > 0 || s->opts->report || s->opts->brief ? "" : "\n",
                    s->kept.v[i].text);
    if (!s->opts->quiet && !s->opts->brief)
        burl__free_print_summary(s, out);
}

/* A report that could not be written is a failure of burl: the findings would be lost. */
static enum burl_status
close_report(const struct burl_options *opts, FILE *out, struct burl_err *err)
{
    const bool failed = fflush(out) != 0 || ferror(out);
    const int sys = errno;
    const bool late = opts->report && fclose(out) != 0;

    if (failed || late)
        return burl_err_set(err, BURL_E_IO, failed ? sys : errno, "cannot write the report%s%s",
                            opts->report ? " to " : "", opts->report ? opts->report : "");
    return BURL_OK;
}

static int
conclude(struct burl_free_session *s, enum burl_status st, struct burl_err *err, FILE *out)
{
    int code = st == BURL_OK ? burl__free_exit_code(s, s->end == BURL_FREE_END_OUTSIDE)
                             : burl_err_exit_code(st);
    struct burl_err late;

    st = burl_err_first(st, err, burl__free_end(s, code, &late), &late);
    if (st != BURL_OK)
        code = burl_err_exit_code(st);
    if (s->opts->json)
        burl__free_print_json(s, code, st == BURL_OK ? NULL : err, out);
    else if (s->n_runs > 0)
        print_text(s, out);
    st = burl_err_first(st, err, close_report(s->opts, out, &late), &late);
    return st == BURL_OK ? code : burl_cli_fail(err);
}

/* Could a store be created there? The nearest directory that exists decides. */
static bool
can_create(const char *dir, struct burl_err *err)
{
    char *path = burl_xstrdup(dir);
    bool can;

    while (!burl_fs_exists(path) && strcmp(path, "/") != 0 && strcmp(path, ".") != 0) {
        char *above = burl_path_dirname(path);

        free(path);
        path = above;
    }
    can = !burl_fs_is_dir(path) || access(path, W_OK | X_OK) == 0;
    if (!can)
        burl_err_set(err, BURL_E_IO, errno, "cannot write in %s", path);
    free(path);
    return can;
}

static bool
is_read_only(const struct burl_err *err)
{
    return err->sys == EACCES || err->sys == EROFS || err->sys == EPERM;
}

/* The user wants the program to run and its findings to be printed; a directory that cannot be
 * written only means that nothing is stored. */
static enum burl_status
use_temporary(struct burl_free_session *s, struct burl_options *opts, struct burl_err *err)
{
    char *dir;

    fprintf(stderr,
            "burl: warning: %s; what this run finds is not stored: give a writable directory with "
            "--dir\n",
            err->msg);
    if (burl_tmpdir_new(&dir, "burl-run", err) != BURL_OK)
        return err->code;
    *opts = *s->opts;
    opts->dir = dir;
    s->opts = opts;
    return BURL_OK;
}

/* A store that cannot be written, or is in use, is said before the program runs, not after. */
static enum burl_status
check_store(const struct burl_free_session *s, struct burl_err *err)
{
    char *path = burl_path_join(s->opts->dir, "burl.db");
    const bool is_there = burl_fs_exists(path);
    struct burl_store *store = NULL;
    enum burl_status st = BURL_OK;

    free(path);
    if (is_there)
        st = burl_store_open(&store, s->opts->dir, err);
    else if (!can_create(s->opts->dir, err))
        st = BURL_E_IO;
    burl_store_close(store);
    return st == BURL_OK ? burl_store_check_unused(s->opts->dir, NULL, err) : st;
}

static enum burl_status
run_once(struct burl_free_session *s, struct burl_err *err)
{
    const struct burl_free_opts fo = {
        .argv = (const char *const *)s->argv,
        .observers = s->observers,
        .volatile_atomic = strcmp(s->opts->volatile_, "atomic") == 0,
        .time_ms = s->opts->time,
        .noise = s->has_noise ? &s->noise : NULL,
        .marks = s->marks,
        .variables = s->variables,
        .n_marks = s->n_marks,
        .out_fd = s->opts->json && !s->opts->report ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1,
    };
    struct burl_free_result r;
    enum burl_status st = burl_free_run(&r, &fo, err);
    size_t first_new;

    if (fo.out_fd >= 0)
        close(fo.out_fd);
    if (st != BURL_OK)
        return st;
    s->wall_ms = r.wall_ms;
    st = burl__free_take(s, &r, &first_new, err);
    burl_free_result_deinit(&r);
    return st;
}

int
burl_cmd_run(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_free_session s = { .opts = opts, .argc = argc, .argv = argv, .command = "run" };
    struct burl_options elsewhere;
    struct burl_err err = { 0 };
    enum burl_status st;
    FILE *out = NULL;
    int code;

    if (argc < 1)
        return burl_cli_usage("run", "which program? Give the program to run and its arguments");
    s.options_json = burl__test_options_json(opts, BURL_ON_RUN);
    st = burl_cli_check_spared(opts, argv[0], &err);
    if (st == BURL_OK)
        st = burl__free_begin(&s, &err);
    if (st == BURL_OK)
        st = open_report(opts, &out, &err);
    if (st == BURL_OK) {
        s.style = burl__test_style(opts, out);
        st = check_store(&s, &err);
        if (st != BURL_OK && is_read_only(&err))
            st = use_temporary(&s, &elsewhere, &err);
        if (st == BURL_OK)
            st = run_once(&s, &err);
        code = conclude(&s, st, &err, out);
    } else {
        code = burl_cli_fail(&err);
    }
    burl__free_deinit(&s);
    if (s.opts == &elsewhere && burl_fs_remove_tree(elsewhere.dir, &err) != BURL_OK)
        code = burl_cli_fail(&err);
    return code;
}
