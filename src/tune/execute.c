/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/execute.c - one execution, its check, and whether it failed; contract in execute.h.
 *
 * Runs in the host.
 */
#include "tune/execute.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/shellwords.h"
#include "base/tmpdir.h"
#include "base/verdict.h"

/* A check looks at one output; more than this is a check that hangs. */
#define CHECK_MS 60000
#define CHECK_OUTPUT_B 65536u

/* ---- the check --------------------------------------------------------------------- */

extern char **environ;

/* Our environment with what a check gets to know; free the array and its first two. */
static char **
check_environment(const char *output, int code)
{
    size_t n = 0;
    size_t at = 2;
    char **env;

    while (environ[n])
        n++;
    env = burl_xcalloc(n + 3, sizeof *env);
    env[0] = burl_xasprintf("BURL_OUTPUT=%s", output);
    env[1] = burl_xasprintf("BURL_EXIT=%d", code);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], "BURL_OUTPUT=", 12) != 0 &&
            strncmp(environ[i], "BURL_EXIT=", 10) != 0)
            env[at++] = environ[i];
    }
    return env;
}

static int
exit_code(const struct burl_proc_status *s)
{
    return s->exited ? s->code : 128 + s->signal;
}

/* What a check may take: the search ends in time. */
static int
check_limit(const struct burl_execute *e)
{
    const int64_t left = e->stop_at_ms - burl_now_ms();

    if (e->stop_at_ms == 0 || left >= CHECK_MS)
        return CHECK_MS;
    return left > 1 ? (int)left : 1;
}

bool
burl_check_lacked_time(int limit_ms, int64_t longest_ms)
{
    const int64_t enough = 10 * longest_ms;

    return limit_ms <= (enough > 2000 ? enough : 2000);
}

static enum burl_status
judge_check(struct burl_execution *x, const struct burl_execute *e, int limit_ms,
            const struct burl_proc_output *o, struct burl_err *err)
{
    /* One that worked before may be cut by the end of the search. */
    if (o->status.timed_out && limit_ms < CHECK_MS && e->check_works &&
        burl_check_lacked_time(limit_ms, e->check_ms)) {
        x->unfinished = true;
        return BURL_OK;
    }
    if (o->status.timed_out && o->status.exited)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "the check ended, but a process that it started did not within %.1f s "
                            "and keeps its output open; redirect its output, or end it: %s",
                            (double)limit_ms / 1000.0, e->check);
    if (o->status.timed_out)
        return burl_err_set(err, BURL_E_TARGET, 0, "the check did not end in %.1f s: %s",
                            (double)limit_ms / 1000.0, e->check);
    x->checked = true;
    x->check_code = exit_code(&o->status);
    x->check_output = burl_xasprintf("%s%s", o->out, o->err);
    x->check_output_b = strlen(x->check_output);
    if (!e->check_works && (x->check_code == 127 || x->check_code == 126))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "the check cannot be run (exit code %d of the shell): %s: %.*s",
                            x->check_code, e->check, o->err_n > 0 ? (int)strcspn(o->err, "\n") : 10,
                            o->err_n > 0 ? o->err : "no message");
    return BURL_OK;
}

static enum burl_status
run_check(struct burl_execution *x, const struct burl_execute *e, struct burl_err *err)
{
    char *path = burl_xasprintf("%s/burl-output-XXXXXX", burl_tmpdir_base());
    const char *const argv[] = { "/bin/sh", "-c", e->check, NULL };
    struct burl_proc_opts po = { .argv = argv, .in = BURL_PROC_NULL, .die_with_parent = true };
    struct burl_proc_output o = { 0 };
    const int fd = mkostemp(path, O_CLOEXEC);
    const int limit_ms = check_limit(e);
    enum burl_status st = BURL_OK;
    int64_t started_ms;
    char **env;

    if (fd < 0) {
        st = burl_tmpdir_fail("a file for the check", errno, err);
        free(path);
        return st;
    }
    st = burl_fs_write_all(fd, x->r.output ? x->r.output : "", x->r.output_b, err);
    if (st != BURL_OK)
        st = burl_tmpdir_fail("a file for the check", err->sys, err);
    close(fd);
    env = check_environment(path, exit_code(&x->r.status));
    po.envp = (const char *const *)env;
    started_ms = burl_now_ms();
    if (st == BURL_OK)
        st = burl_proc_capture(&o, &po, limit_ms, CHECK_OUTPUT_B, err);
    if (st == BURL_OK) {
        x->check_ms = burl_now_ms() - started_ms;
        st = judge_check(x, e, limit_ms, &o, err);
        burl_proc_output_deinit(&o);
    }
    free(env[0]);
    free(env[1]);
    free(env);
    unlink(path);
    free(path);
    return st;
}

/* A word of which the shell makes something else than a command is not looked up. */
static bool
is_plain_word(const char *word)
{
    return *word &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_./+-")] == '\0';
}

/* Reads the command without running it: a check that the shell cannot read fails each time. */
static enum burl_status
check_syntax(const char *check, struct burl_err *err)
{
    const char *const argv[] = { "/bin/sh", "-n", "-c", check, NULL };
    const struct burl_proc_opts po = { .argv = argv, .in = BURL_PROC_NULL };
    struct burl_proc_output o = { 0 };
    enum burl_status st = burl_proc_capture(&o, &po, CHECK_MS, CHECK_OUTPUT_B, err);

    if (st == BURL_OK && exit_code(&o.status) != 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "--check: the shell cannot read the command: %.*s (from: %.200s)",
                          (int)strcspn(o.err ? o.err : "", "\n"), o.err ? o.err : "", check);
    burl_proc_output_deinit(&o);
    return st;
}

enum burl_status
burl_check_exists(const char *check, struct burl_err *err)
{
    struct burl_shellwords words = { 0 };
    struct burl_proc_output o = { 0 };
    enum burl_status st = BURL_OK;

    burl_shellwords_split(&words, check);
    if (words.n == 0) {
        st = burl_err_set(err, BURL_E_USAGE, 0, "--check is empty: give a command for the shell");
    } else if (is_plain_word(words.v[0])) {
        const char *const argv[] = { "/bin/sh", "-c", "command -v -- \"$0\" >/dev/null", words.v[0],
                                     NULL };
        const struct burl_proc_opts po = { .argv = argv, .in = BURL_PROC_NULL };

        st = burl_proc_capture(&o, &po, CHECK_MS, CHECK_OUTPUT_B, err);
        if (st == BURL_OK && exit_code(&o.status) != 0)
            st = burl_err_set(err, BURL_E_USAGE, 0,
                              "--check: there is no command %s (from: %.200s)", words.v[0], check);
        burl_proc_output_deinit(&o);
    }
    burl_shellwords_deinit(&words);
    return st == BURL_OK ? check_syntax(check, err) : st;
}

/* ---- one execution ----------------------------------------------------------------- */

/* At its limit a program loses its noise, not its life: one that noise has made slow ends soon
 * then. For the rest of a fallback or a time-out of its own it gets this, besides as much time as
 * it had. */
#define GRACE_MS 4000u

/* The check as the text of a verdict: one that is too long is told from others by its hash. */
static void
write_check(char text[BURL_WIRE_TEXT_B], const char *check)
{
    if (strlen(check) < BURL_WIRE_TEXT_B)
        snprintf(text, BURL_WIRE_TEXT_B, "%s", check);
    else
        snprintf(text, BURL_WIRE_TEXT_B, "%.200s... (%016llx)", check,
                 (unsigned long long)burl_hash(check, strlen(check)));
    for (size_t i = 0; text[i] != '\0'; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = ' ';
    }
}

/* What is wrong although the program itself did not say so. */
static void
add_verdict(struct burl_execution *x, const struct burl_execute *e)
{
    struct burl_wire_verdict *v = &x->r.verdict;

    switch (burl_execution_error(x)) {
    case BURL_TUNE_ERROR_HANG:
        if (!e->is_plain)
            *v = x->r.hang;
        break;
    case BURL_TUNE_ERROR_CHECK:
        *v = (struct burl_wire_verdict){ .kind = BURL_VERDICT_CHECK_FAILED,
                                         .tid = BURL_TID_NONE,
                                         .code = x->check_code };
        write_check(v->text, e->check);
        break;
    default:
        break;
    }
}

enum burl_status
burl_execute(struct burl_execution *out, const struct burl_execute *e, const char *const *argv,
             const struct burl_wire_noise *noise, const uint8_t *marks, const uint32_t *variables,
             size_t n_marks, uint64_t time_ms, struct burl_err *err)
{
    struct burl_free_opts fo = {
        .argv = argv,
        .observers = e->observers,
        .time_ms = noise && !e->is_plain ? 2 * time_ms + GRACE_MS : time_ms,
        .captured = true,
        .out_fd = -1,
        .interrupt = e->interrupt,
        .noise = noise,
        .noise_ms = time_ms,
        .marks = noise ? marks : NULL,
        .variables = noise ? variables : NULL,
        .n_marks = noise ? n_marks : 0,
    };
    const int64_t left = e->stop_at_ms - burl_now_ms();
    const bool is_last = e->stop_at_ms > 0 && left < (int64_t)fo.time_ms;
    enum burl_status st;

    *out = (struct burl_execution){ 0 };
    if (is_last)
        fo.time_ms = left > 1 ? (uint64_t)left : 1;
    st = burl_free_run(&out->r, &fo, err);
    out->unfinished = is_last && out->r.end == BURL_FREE_END_TIME;
    if (st == BURL_OK && e->check && out->r.end == BURL_FREE_END_EXIT)
        st = run_check(out, e, err);
    if (st == BURL_OK)
        add_verdict(out, e);
    else
        burl_execution_deinit(out);
    return st;
}

void
burl_execution_deinit(struct burl_execution *x)
{
    burl_free_result_deinit(&x->r);
    free(x->check_output);
    *x = (struct burl_execution){ 0 };
}

/* ---- did it fail? ------------------------------------------------------------------ */

enum burl_tune_error
burl_execution_error(const struct burl_execution *x)
{
    switch (x->r.end) {
    case BURL_FREE_END_DEADLOCK:
        return BURL_TUNE_ERROR_DEADLOCK;
    case BURL_FREE_END_TIME:
        return x->unfinished ? BURL_TUNE_ERROR__N : BURL_TUNE_ERROR_HANG;
    case BURL_FREE_END_EXIT:
        break;
    default:
        return BURL_TUNE_ERROR__N;
    }
    if (!x->r.status.exited)
        return BURL_TUNE_ERROR_CRASH;
    if (x->r.status.code != 0)
        return BURL_TUNE_ERROR_EXIT;
    return x->checked && x->check_code != 0 ? BURL_TUNE_ERROR_CHECK : BURL_TUNE_ERROR__N;
}
