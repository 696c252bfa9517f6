/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/proc.c - child processes; contract in proc.h.
 *
 * Runs in the host. Between fork and exec only async-signal-safe calls are made:
 * the host may have threads. A close-on-exec pipe carries the errno of a failed
 * exec back: end of file means the exec happened.
 */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

extern char **environ;

int64_t
burl_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* In the child: puts `from` at descriptor `to` without close-on-exec. Returns 0 or errno. */
static int
move_fd(int from, int to)
{
    if (from == to)
        return fcntl(to, F_SETFD, 0) < 0 ? errno : 0;
    return dup2(from, to) < 0 ? errno : 0;
}

static int
redirect(enum burl_proc_stdio mode, int fd, int to)
{
    int null_fd;

    switch (mode) {
    case BURL_PROC_INHERIT:
        return 0;
    case BURL_PROC_FD:
        return move_fd(fd, to);
    case BURL_PROC_NULL:
        break;
    }
    null_fd = open("/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    if (null_fd < 0)
        return errno;
    return move_fd(null_fd, to);
}

/* The processes started last. Signal handlers read it. */
#define KNOWN_PIDS 64u

static volatile sig_atomic_t known_pids[KNOWN_PIDS];
static _Atomic uint32_t n_known;

static void
remember(pid_t pid)
{
    known_pids[n_known++ % KNOWN_PIDS] = pid;
}

bool
burl_proc_is_known(pid_t pid)
{
    for (uint32_t i = 0; i < KNOWN_PIDS && pid > 0; i++) {
        if (known_pids[i] == pid)
            return true;
    }
    return false;
}

/* Signals of the child are handled after its number is known, however late we go on. The child
 * unblocks them itself. glibc's function would unblock those that cli/interrupt.c has blocked. */
static pid_t
fork_known(void)
{
    const uint64_t all = UINT64_MAX;
    uint64_t old = 0;
    pid_t pid;
    int sys;

    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof all);
    pid = fork();
    if (pid == 0)
        return 0;
    sys = errno;
    if (pid > 0)
        remember(pid);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
    errno = sys;
    return pid;
}

/* In the child, after fork: everything up to exec. Returns errno. */
static int
enter_program(const char *path, const struct burl_proc_opts *o, pid_t parent)
{
    sigset_t none;
    int sys;

    if (o->new_group && setpgid(0, 0) != 0)
        return errno;
    if (o->die_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(BURL_EXIT_FAILURE); /* The parent went before we asked. */
    }
    if (o->no_aslr) {
        int old = personality(0xffffffff);

        if (old == -1 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) == -1)
            return errno;
    }
    if (o->cwd && chdir(o->cwd) != 0)
        return errno;
    sys = redirect(o->in, o->in_fd, STDIN_FILENO);
    if (sys == 0)
        sys = redirect(o->out, o->out_fd, STDOUT_FILENO);
    if (sys == 0)
        sys = redirect(o->err, o->err_fd, STDERR_FILENO);
    if (sys != 0)
        return sys;
    for (size_t i = 0; i < o->n_keep_fds; i++) {
        if (fcntl(o->keep_fds[i], F_SETFD, 0) < 0)
            return errno;
    }
    /* The tested program starts with the defaults a shell would give it. */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (size_t i = 0; i < o->n_ignore; i++)
        signal(o->ignore[i], SIG_IGN);
    execve(path, (char *const *)o->argv, (char *const *)(o->envp ? o->envp : (void *)environ));
    return errno;
}

/* Reads the child's report: 0 when it reached the new program. */
static int
read_exec_report(int fd)
{
    int sys = 0;
    ssize_t n;

    do {
        n = read(fd, &sys, sizeof sys);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof sys ? sys : 0;
}

static void
reap_child(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The redirections dup2 onto 0..2 one after the other; a source descriptor there would be
 * overwritten before its turn, so sources must lie above. */
static void
check_fds(const struct burl_proc_opts *o)
{
    BURL_ASSERT(o->in != BURL_PROC_FD || o->in_fd == STDIN_FILENO || o->in_fd > STDERR_FILENO);
    BURL_ASSERT(o->out != BURL_PROC_FD || o->out_fd == STDOUT_FILENO || o->out_fd > STDERR_FILENO);
    /* stderr may follow stdout: it is redirected last, to where stdout went. */
    BURL_ASSERT(o->err != BURL_PROC_FD || o->err_fd != STDIN_FILENO);
}

static bool
uses_null(const struct burl_proc_opts *o)
{
    return o->in == BURL_PROC_NULL || o->out == BURL_PROC_NULL || o->err == BURL_PROC_NULL;
}

/* exec() has found no file: the program is there, and so is the directory it was to run in. */
static bool
lacks_interpreter(const char *path, const struct burl_proc_opts *opts)
{
    return access(path, F_OK) == 0 && (opts->cwd == NULL || access(opts->cwd, F_OK) == 0);
}

enum burl_status
burl_proc_spawn(struct burl_proc *out, const struct burl_proc_opts *opts, struct burl_err *err)
{
    const pid_t parent = getpid();
    enum burl_status st;
    int report[2];
    char *path;
    pid_t pid;
    int sys;

    *out = (struct burl_proc){ .pid = -1 };
    check_fds(opts);
    st = burl_path_which(&path, opts->argv[0], err);
    if (st != BURL_OK)
        return st;
    if (pipe2(report, O_CLOEXEC) != 0) {
        free(path);
        return burl_err_set(err, BURL_E_IO, errno, "cannot make a pipe for %s", opts->argv[0]);
    }
    pid = fork_known();
    if (pid == 0) {
        ssize_t n;

        sys = enter_program(path, opts, parent);
        n = write(report[1], &sys, sizeof sys);
        (void)n; /* The parent is gone then; our exit says the rest. */
        _exit(127);
    }
    sys = errno;
    close(report[1]);
    if (pid < 0) {
        st =
            burl_err_set(err, BURL_E_IO, sys, "cannot start a process for %s%s", opts->argv[0],
                         sys == EAGAIN ? " (the limit on processes, `ulimit -u`, is reached)" : "");
    } else {
        sys = read_exec_report(report[0]);
        if (sys != 0) {
            reap_child(pid);
            if (uses_null(opts) && access("/dev/null", R_OK | W_OK) != 0)
                st = burl_err_set(err, BURL_E_IO, errno, "cannot run %s without /dev/null", path);
            else if (sys == ENOEXEC)
                st = burl_err_set(err, BURL_E_USAGE, 0,
                                  "cannot run %s: it is neither a program nor a script that begins "
                                  "with #!; give a program that was built with burl-cc",
                                  path);
            else if (sys == ENOENT && lacks_interpreter(path, opts))
                st = burl_err_set(err, BURL_E_USAGE, 0,
                                  "cannot run %s: the interpreter that it names (the first line of "
                                  "a script, the loader of a program) does not exist",
                                  path);
            else
                st = burl_err_set(err, sys == EACCES ? BURL_E_USAGE : BURL_E_IO, sys,
                                  "cannot run %s", path);
        }
    }
    close(report[0]);
    free(path);
    if (st != BURL_OK)
        return st;
    out->pid = pid;
    out->group = opts->new_group;
    return BURL_OK;
}

static void
decode_status(int raw, struct burl_proc_status *status)
{
    *status = (struct burl_proc_status){ 0 };
    if (WIFEXITED(raw)) {
        status->exited = true;
        status->code = WEXITSTATUS(raw);
    } else if (WIFSIGNALED(raw)) {
        status->signal = WTERMSIG(raw);
        status->core = WCOREDUMP(raw);
    }
}

/* Sleeps until the child ends or the time is over. A pidfd wakes us at once; kernels without
 * one get short naps. */
static void
sleep_until_exit(int pidfd, int64_t left_ms)
{
    struct pollfd pfd = { .fd = pidfd, .events = POLLIN };
    int ms = left_ms < 0 || left_ms > 60000 ? 60000 : (int)left_ms;

    if (pidfd < 0) {
        poll(NULL, 0, ms < 5 ? ms : 5);
        return;
    }
    poll(&pfd, 1, ms);
}

static int64_t
to_us(const struct timeval *t)
{
    return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

enum burl_status
burl_proc_wait(struct burl_proc *p, int timeout_ms, bool *done, struct burl_proc_status *status,
               struct burl_err *err)
{
    const int64_t end = burl_now_ms() + timeout_ms;
    int pidfd = -1;

    *done = false;
    *status = (struct burl_proc_status){ 0 };
    BURL_ASSERT(p->pid > 0);
    for (;;) {
        struct rusage usage;
        int raw;
        pid_t got = wait4(p->pid, &raw, timeout_ms < 0 ? 0 : WNOHANG, &usage);
        int64_t left = end - burl_now_ms();

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int sys = errno;

            if (pidfd >= 0)
                close(pidfd);
            return burl_err_set(err, BURL_E_IO, sys, "cannot wait for process %d", (int)p->pid);
        }
        if (got == p->pid) {
            decode_status(raw, status);
            status->cpu_us = to_us(&usage.ru_utime) + to_us(&usage.ru_stime);
            p->pid = -1;
            *done = true;
            break;
        }
        if (left <= 0)
            break;
        if (pidfd < 0)
            pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
        sleep_until_exit(pidfd, left);
    }
    if (pidfd >= 0)
        close(pidfd);
    return BURL_OK;
}

void
burl_proc_kill(const struct burl_proc *p, int sig)
{
    if (p->pid > 0)
        kill(p->group ? -p->pid : p->pid, sig);
}

void
burl_proc_kill_group(struct burl_proc *p)
{
    if (p->pid <= 0)
        return;
    burl_proc_kill(p, SIGKILL);
    reap_child(p->pid);
    p->pid = -1;
}

/* Reads what is there into `b`; over the limit the bytes are read and dropped, so that the
 * child never blocks on a full pipe. Returns false at the end of the stream. */
static bool
drain_pipe(int fd, struct burl_buf *b)
{
    char chunk[16384];
    ssize_t n = read(fd, chunk, sizeof chunk);

    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (n == 0)
        return false;
    burl_buf_append(b, chunk, (size_t)n);
    return true;
}

/* Collects until both streams end or the time is over; returns false on time-out. */
static bool
collect_output(const int fd[2], struct burl_buf b[2], int64_t end)
{
    struct pollfd fds[2] = { { .fd = fd[0], .events = POLLIN }, { .fd = fd[1], .events = POLLIN } };

    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        int64_t left = end < 0 ? -1 : end - burl_now_ms();

        if (end >= 0 && left <= 0)
            return false;
        if (poll(fds, 2, left < 0 || left > 60000 ? (end < 0 ? -1 : 60000) : (int)left) <= 0)
            continue;
        for (int i = 0; i < 2; i++) {
            if (fds[i].revents && !drain_pipe(fd[i], &b[i]))
                fds[i].fd = -1;
        }
    }
    return true;
}

static void
close_both(const int fd[2])
{
    close(fd[0]);
    close(fd[1]);
}

enum burl_status
burl_proc_capture(struct burl_proc_output *out, const struct burl_proc_opts *opts, int timeout_ms,
                  size_t limit_b, struct burl_err *err)
{
    const int64_t end = timeout_ms < 0 ? -1 : burl_now_ms() + timeout_ms;
    struct burl_proc_opts o = *opts;
    struct burl_buf b[2]; /* of standard output and standard error, as all pairs here */
    struct burl_proc p;
    enum burl_status st = BURL_OK;
    int pipes[2][2];
    bool in_time;
    bool done = false;

    *out = (struct burl_proc_output){ 0 };
    if (pipe2(pipes[0], O_CLOEXEC) != 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot make pipes for %s", opts->argv[0]);
    if (pipe2(pipes[1], O_CLOEXEC) != 0) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot make pipes for %s", opts->argv[0]);
        close_both(pipes[0]);
        return st;
    }
    const int readers[2] = { pipes[0][0], pipes[1][0] };
    const int writers[2] = { pipes[0][1], pipes[1][1] };
    o.out = BURL_PROC_FD;
    o.out_fd = writers[0];
    o.err = BURL_PROC_FD;
    o.err_fd = writers[1];
    o.new_group = true;
    st = burl_proc_spawn(&p, &o, err);
    close_both(writers);
    if (st != BURL_OK) {
        close_both(readers);
        return st;
    }
    burl_buf_init(&b[0], limit_b);
    burl_buf_init(&b[1], limit_b);
    in_time = collect_output(readers, b, end);
    close_both(readers);
    /* A child may close its output and go on: its time counts to the end all the same. */
    if (in_time) {
        int64_t left = end - burl_now_ms();

        st =
            burl_proc_wait(&p, end < 0 ? -1 : (left > 0 ? (int)left : 0), &done, &out->status, err);
    }
    if (st == BURL_OK && !done) {
        burl_proc_kill(&p, SIGKILL);
        st = burl_proc_wait(&p, -1, &done, &out->status, err);
        out->status.timed_out = true;
    }
    out->truncated = b[0].full || b[1].full;
    out->out = burl_buf_take(&b[0], &out->out_n);
    out->err = burl_buf_take(&b[1], &out->err_n);
    if (st != BURL_OK)
        burl_proc_output_deinit(out);
    return st;
}

void
burl_proc_output_deinit(struct burl_proc_output *o)
{
    free(o->out);
    free(o->err);
    *o = (struct burl_proc_output){ 0 };
}

const char *
burl_proc_describe(const struct burl_proc_status *st, char *buf, size_t n)
{
    if (st->exited)
        snprintf(buf, n, "exited with code %d", st->code);
    else
        snprintf(buf, n, "killed by signal %d (%s)%s", st->signal, strsignal(st->signal),
                 st->timed_out ? " (time limit)" : "");
    return buf;
}
