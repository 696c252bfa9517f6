/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/record_run.c - one run of a test, with the history of every program that it starts.
 *
 * Runs in the host. The test leads a process group of its own: it does not get the Ctrl-C of the
 * terminal, and it is killed with all that it started when its time is over. What a test leaves
 * running when it exits is left alone, because it may be a server that the next test needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/tmpdir.h"
#include "regress/record_int.h"
#include "wire/history.h"

#define SLICE_MS 100
#define PROC_MAX_B ((size_t)64 << 20)

void
burl__record_run_deinit(struct burl__record_run *r)
{
    burl_histories_deinit(&r->histories);
    free(r->why);
    r->why = NULL;
}

/* "SEGV" for 11. */
static char *
describe_signal(int sig)
{
    const char *name = sigabbrev_np(sig);

    return name ? burl_xasprintf("signal %s", name) : burl_xasprintf("signal %d", sig);
}

static void
judge(const struct burl_suite_test *t, const struct burl_proc_status *ps,
      struct burl__record_run *out)
{
    if (!ps->exited) {
        out->state = t->should_fail ? BURL_TEST_RECORDED : BURL_TEST_FAILED;
        out->why = t->should_fail ? NULL : describe_signal(ps->signal);
    } else if (t->skip_code >= 0 && ps->code == t->skip_code) {
        out->state = BURL_TEST_SKIPPED;
        out->why = burl_xasprintf("exit code %d", ps->code);
    } else if ((ps->code != 0) == t->should_fail) {
        out->state = BURL_TEST_RECORDED;
    } else {
        out->state = BURL_TEST_FAILED;
        out->why = t->should_fail ? burl_xstrdup("exit code 0, and it should fail")
                                  : burl_xasprintf("exit code %d", ps->code);
    }
}

/* Waits until the test exits or has to be stopped. */
static enum burl_status
await_exit(const struct burl_record_config *c, const struct burl_suite_test *t,
           struct burl_proc *proc, int64_t deadline_ms, void (*tick)(void *arg), void *arg,
           struct burl__record_run *out, struct burl_err *err)
{
    const int64_t start = burl_now_ms();
    const uint64_t limit = t->timeout_ms > 0 ? t->timeout_ms : BURL_RECORD_LIMIT_MS;
    const int64_t end = start + (int64_t)limit;
    enum burl_status st = BURL_OK;
    struct burl_proc_status ps;
    bool exited = false;

    while (st == BURL_OK && !exited) {
        const int64_t now = burl_now_ms();
        int64_t wait = end - now < SLICE_MS ? end - now : SLICE_MS;

        if (deadline_ms >= 0 && deadline_ms - now < wait)
            wait = deadline_ms - now;
        tick(arg);
        out->interrupted = c->interrupts && *c->interrupts > 0;
        out->out_of_time = deadline_ms >= 0 && now >= deadline_ms;
        if (out->interrupted || out->out_of_time || now >= end)
            break;
        st = burl_proc_wait(proc, (int)(wait > 0 ? wait : 0), &exited, &ps, err);
    }
    out->wall_ms = burl_now_ms() - start;
    if (exited) {
        judge(t, &ps, out);
    } else {
        burl_proc_kill_group(proc);
        if (st == BURL_OK && !out->interrupted && !out->out_of_time) {
            out->state = BURL_TEST_HUNG;
            out->why = burl_xasprintf("killed at its time limit of %g s", (double)limit / 1000);
        }
    }
    return st;
}

static enum burl_status
run_in(const char *dir, const struct burl_record_config *c, const struct burl_suite_test *t,
       int64_t deadline_ms, void (*tick)(void *arg), void *arg, struct burl__record_run *out,
       struct burl_err *err)
{
    /* Not 2 itself, which the child might overwrite first. */
    const int out_fd = c->show_output ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    char *entry = burl_xasprintf("%s=%s", BURL_WIRE_ENV_HISTORY, dir);
    char **env = burl_suite_make_env(t, (const char *const[]){ entry, NULL });
    const struct burl_proc_opts opts = {
        .argv = (const char *const *)t->argv,
        .envp = (const char *const *)env,
        .cwd = t->dir,
        .in = BURL_PROC_NULL,
        .out = out_fd >= 0 ? BURL_PROC_FD : BURL_PROC_NULL,
        .err = out_fd >= 0 ? BURL_PROC_INHERIT : BURL_PROC_NULL,
        .out_fd = out_fd,
        .new_group = true,
        .die_with_parent = true,
    };
    struct burl_err why = { 0 };
    struct burl_proc proc;
    enum burl_status st = BURL_OK;

    /* Daemons become our children, so that it can be seen that they run. Best effort. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    if (t->argv[0][0] == '\0') {
        out->state = BURL_TEST_UNSTARTED;
        out->why = burl_xstrdup("it has no command; was it built?");
    } else if (!burl_fs_is_dir(t->dir)) {
        out->state = BURL_TEST_UNSTARTED;
        out->why = burl_xasprintf("its directory %s does not exist", t->dir);
    } else if (burl_proc_spawn(&proc, &opts, &why) != BURL_OK) {
        out->state = BURL_TEST_UNSTARTED;
        out->why = burl_xstrdup(why.msg);
    } else {
        st = await_exit(c, t, &proc, deadline_ms, tick, arg, out, err);
    }
    if (out_fd >= 0)
        close(out_fd);
    burl_suite_free_env(env);
    free(entry);
    return st;
}

static void
set_why(struct burl__record_run *out, const char *why)
{
    free(out->why);
    out->why = why ? burl_xstrdup(why) : NULL;
}

static char *
read_proc(long pid, const char *file)
{
    char *path = burl_xasprintf("/proc/%ld/%s", pid, file), *text = NULL;
    size_t n = 0;

    if (burl_fs_read_file(path, PROC_MAX_B, &text, &n, NULL) != BURL_OK)
        text = NULL;
    free(path);
    return text;
}

/* Does a process below `pid` record into `dir`? Its file is mapped; after its exit nothing is. */
static bool
has_recorder(long pid, const char *dir)
{
    char *file = burl_xasprintf("task/%ld/children", pid);
    char *children = read_proc(pid, file), *next = children, *end;
    bool yes = false;

    while (next && !yes) {
        const long child = strtol(next, &end, 10);
        char *maps = end > next ? read_proc(child, "maps") : NULL;

        yes = maps && (strstr(maps, dir) != NULL || has_recorder(child, dir));
        free(maps);
        next = end > next ? end : NULL;
    }
    free(children);
    free(file);
    return yes;
}

/* Does a process of the test still run? One that lost its parent is ours (run_in()). */
static bool
left_running(const char *dir)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    return has_recorder(getpid(), dir);
}

/* What it executes from now on is not recorded. */
static void
mark_unfinished(struct burl__record_run *out)
{
    for (size_t i = 0; i < out->histories.n; i++)
        out->histories.v[i].partial = true;
    if (out->histories.n > 0 && !out->why)
        out->why = burl_xstrdup("a process of it was still running when it ended");
}

/* What the processes of the test have left. Files that cannot be read concern this test only. */
static void
read_histories(const char *dir, struct burl__record_run *out)
{
    struct burl_err err = { 0 };
    const bool unfinished = left_running(dir);

    if (burl_history_load_dir(&out->histories, dir, &err) != BURL_OK) {
        out->state = BURL_TEST_PENDING;
        set_why(out, err.msg);
    } else if (out->histories.n == 0 && out->state != BURL_TEST_SKIPPED) {
        out->state = BURL_TEST_UNINSTRUMENTED;
        set_why(out, NULL);
    } else if (out->state == BURL_TEST_RECORDED && out->histories.notes.n > 0) {
        set_why(out, out->histories.notes.v[0]);
    }
    if (unfinished)
        mark_unfinished(out);
}

enum burl_status
burl__record_run(const struct burl_record_config *c, const struct burl_suite_test *t,
                 int64_t deadline_ms, void (*tick)(void *arg), void *arg,
                 struct burl__record_run *out, struct burl_err *err)
{
    struct burl_err ignored;
    char *dir;
    enum burl_status st = burl_tmpdir_new(&dir, "burl-history", err);

    *out = (struct burl__record_run){ .state = BURL_TEST_PENDING };
    if (st != BURL_OK)
        return st;
    st = run_in(dir, c, t, deadline_ms, tick, arg, out, err);
    if (st == BURL_OK && out->state != BURL_TEST_PENDING && out->state != BURL_TEST_UNSTARTED)
        read_histories(dir, out);
    /* A leftover in /tmp is not worth a message. */
    if (burl_fs_remove_tree(dir, &ignored) != BURL_OK)
        ignored.code = BURL_OK;
    free(dir);
    return st;
}
