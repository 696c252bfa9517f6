/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/run.c - argument lists, the private directory, and child processes.
 *
 * The directory is removed on every way out: by burl__tmp_cleanup() on the
 * normal ones, and by the signal handler, which first ends the child (it may be
 * writing there) and then dies of the same signal, so that make sees it. The
 * handler uses only async-signal-safe calls; that is why it walks a fixed table
 * of names instead of the directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "base/tmpdir.h"
#include "cc/cc_int.h"

void
burl__argv_add(struct burl__argv *a, const char *word)
{
    burl__argv_addf(a, "%s", word);
}

void
burl__argv_adds(struct burl__argv *a, ...)
{
    const char *word;
    va_list ap;

    va_start(ap, a);
    while ((word = va_arg(ap, const char *)) != NULL)
        burl__argv_add(a, word);
    va_end(ap);
}

void
burl__argv_addf(struct burl__argv *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    BURL_VEC_RESERVE(a, 2);
    a->v[a->n++] = burl_xvasprintf(fmt, ap);
    a->v[a->n] = NULL;
    va_end(ap);
}

void
burl__argv_free(struct burl__argv *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->v[i]);
    BURL_VEC_FREE(a);
}

void
burl__argv_clang(struct burl__argv *a, const struct burl__cc *cc)
{
    burl__argv_add(a, cc->clang);
    if (cc->driver_gxx)
        burl__argv_add(a, "--driver-mode=g++");
}

/* What the signal handler needs. Written only while the signals are blocked. */
static char *tmp_dir;
static struct burl__argv tmp_files;
static volatile sig_atomic_t child_pid;

static const int caught[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT };

static void
on_signal(int sig)
{
    if (child_pid > 0) {
        kill((pid_t)child_pid, SIGTERM);
        waitpid((pid_t)child_pid, NULL, 0);
    }
    for (size_t i = 0; i < tmp_files.n; i++)
        unlink(tmp_files.v[i]);
    if (tmp_dir)
        rmdir(tmp_dir);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void
block_signals(sigset_t *old)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(SIG_BLOCK, &set, old);
}

static void
install_handlers(void)
{
    struct sigaction sa, old;

    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_signal;
    sigfillset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        /* A signal our parent ignores (nohup) stays ignored. */
        if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &sa, NULL);
    }
}

enum burl_status
burl__tmp_dir(const char **out, struct burl_err *err)
{
    sigset_t old;

    if (!tmp_dir) {
        enum burl_status st;

        block_signals(&old);
        st = burl_tmpdir_new(&tmp_dir, "burl-cc", err);
        if (st == BURL_OK)
            install_handlers();
        sigprocmask(SIG_SETMASK, &old, NULL);
        if (st != BURL_OK)
            return st;
    }
    *out = tmp_dir;
    return BURL_OK;
}

enum burl_status
burl__tmp_path(char **out, const char *stem, const char *suffix, struct burl_err *err)
{
    const char *dir;
    sigset_t old;
    enum burl_status st = burl__tmp_dir(&dir, err);

    *out = NULL;
    if (st != BURL_OK)
        return st;
    *out = burl_xasprintf("%s/%s%s", dir, stem, suffix);
    block_signals(&old);
    burl__argv_add(&tmp_files, *out);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return BURL_OK;
}

void
burl__tmp_cleanup(void)
{
    sigset_t old;

    block_signals(&old);
    if (tmp_dir && burl_fs_remove_tree(tmp_dir, NULL) != BURL_OK)
        fprintf(stderr, "burl-cc: warning: cannot remove %s\n", tmp_dir);
    free(tmp_dir);
    tmp_dir = NULL;
    burl__argv_free(&tmp_files);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Less than this is left where compilers write, and one has failed: that is why. */
#define TMP_LITTLE_B (16ll << 10)

static bool
is_tmp_full(void)
{
    const long long left = tmp_dir ? burl_fs_free_b(tmp_dir) : -1;

    return left >= 0 && left < TMP_LITTLE_B;
}

enum burl_status
burl__run(struct burl__argv *argv, const char *quiet_path, int *code, struct burl_err *err)
{
    struct burl_proc_opts opts = { .argv = (const char *const *)argv->v };
    struct burl_proc_status status = { 0 };
    struct burl_proc p = { .pid = -1 };
    enum burl_status st = BURL_OK;
    bool done = false;
    sigset_t old;

    if (quiet_path) {
        opts.err = BURL_PROC_FD;
        opts.err_fd = open(quiet_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (opts.err_fd < 0)
            st = burl_err_set(err, BURL_E_IO, errno, "cannot create %s", quiet_path);
    }
    block_signals(&old);
    if (st == BURL_OK)
        st = burl_proc_spawn(&p, &opts, err);
    child_pid = st == BURL_OK ? (sig_atomic_t)p.pid : 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (quiet_path && opts.err_fd >= 0)
        close(opts.err_fd);
    if (st == BURL_OK)
        st = burl_proc_wait(&p, -1, &done, &status, err);
    child_pid = 0;
    *code = status.exited ? status.code : 128 + status.signal;
    /* A compiler that crashes says so; one that is killed cannot. */
    if (st == BURL_OK && !status.exited && status.signal == SIGKILL)
        st =
            burl_err_set(err, BURL_E_IO, 0,
                         "%s was killed by signal 9 (Killed): is there enough memory?", argv->v[0]);
    else if (st == BURL_OK && *code != 0 && is_tmp_full())
        st = burl_tmpdir_fail("the files of the compilation", ENOSPC, err);
    burl__argv_free(argv);
    return st;
}

enum burl_status
burl__exec(const struct burl__argv *argv, struct burl_err *err)
{
    execvp(argv->v[0], argv->v);
    return burl_err_set(err, BURL_E_IO, errno, "cannot run %s", argv->v[0]);
}
