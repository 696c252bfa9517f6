/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/guard.c - a process that ends what we started when we are killed; contract in guard.h.
 *
 * Runs in the host. The guard is forked twice, so that it is not our child: we end children that we
 * do not know. It has a session of its own and no descriptors but two: a pidfd of ours, and a pipe
 * in which a byte says that we ended in good order. Then it ends nothing: what a program that
 * `burl run` watched leaves running is its user's business.
 */
#include "base/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* For `ps` and killall: not our name, since what kills us by name must not kill the guard. */
#define GUARD_NAME "guard-processes"
/* Passes over all processes; the last two must have found nothing. */
#define PASSES_MAX 200
/* Environment and mappings that are searched. */
#define SEARCH_B (4u << 20)

static char mark[BURL_GUARD_MARK_B];
/* The mark as a resource limit, in decimal; "" where the limit could not be set. */
static char limit_mark[24];
static int done_fd = -1;
static pid_t owner;

const char *
burl_guard_mark(void)
{
    return mark;
}

/* ---- in the guard ------------------------------------------------------------------- */

/* Does the file have the text? Read in pieces that overlap. */
static bool
file_has(const char *path, const char *text)
{
    static char piece[65536];
    const size_t n_text = strlen(text);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t kept = 0;
    size_t total = 0;
    bool found = false;
    ssize_t n;

    if (fd < 0)
        return false;
    while (!found && total < SEARCH_B && (n = read(fd, piece + kept, sizeof piece - kept)) > 0) {
        const size_t have = kept + (size_t)n;

        total += (size_t)n;
        found = memmem(piece, have, text, n_text) != NULL;
        kept = have < n_text - 1 ? have : n_text - 1;
        memmove(piece, piece + have - kept, kept);
    }
    close(fd);
    return found;
}

/* Does it write to a file of ours? What was started with an empty environment may. */
static bool
has_our_output(long pid)
{
    char text[sizeof "burl-output." + BURL_GUARD_MARK_B];
    char path[64];
    char to[4096];

    snprintf(text, sizeof text, "burl-output.%s", mark);
    for (int fd = 1; fd <= 2; fd++) {
        ssize_t n;

        snprintf(path, sizeof path, "/proc/%ld/fd/%d", pid, fd);
        n = readlink(path, to, sizeof to - 1);
        to[n > 0 ? n : 0] = '\0';
        if (strstr(to, text))
            return true;
    }
    return false;
}

static bool
is_ours(long pid)
{
    char path[64];
    char text[sizeof BURL_GUARD_ENV + BURL_GUARD_MARK_B + 8];

    snprintf(path, sizeof path, "/proc/%ld/comm", pid);
    if (file_has(path, GUARD_NAME)) /* of another burl, which is to end its own */
        return false;
    snprintf(path, sizeof path, "/proc/%ld/limits", pid);
    if (limit_mark[0] != '\0' && file_has(path, limit_mark))
        return true;
    snprintf(path, sizeof path, "/proc/%ld/environ", pid);
    snprintf(text, sizeof text, "%s=%s", BURL_GUARD_ENV, mark);
    if (file_has(path, text))
        return true;
    snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    snprintf(text, sizeof text, "burl-control.%s", mark);
    return file_has(path, text) || has_our_output(pid);
}

bool
burl_guard_is_ours(pid_t pid)
{
    return mark[0] != '\0' && pid > 1 && pid != getpid() && is_ours(pid);
}

static int
end_all(void)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)) != NULL) {
        const long pid = strtol(e->d_name, NULL, 10);

        if (pid > 1 && pid != getpid() && is_ours(pid))
            n += kill((pid_t)pid, SIGKILL) == 0;
    }
    if (d)
        closedir(d);
    return n;
}

static void
guard(int pid_fd, int pipe_fd)
{
    struct pollfd p = { .fd = pid_fd, .events = POLLIN };
    int quiet = 0;
    char byte;

    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    if (read(pipe_fd, &byte, 1) == 1)
        return;
    for (int i = 0; i < PASSES_MAX && quiet < 2; i++) {
        quiet = end_all() == 0 ? quiet + 1 : 0;
        poll(NULL, 0, 5);
    }
}

/* In the second child. */
static void
be_guard(int pid_fd, int pipe_fd)
{
    setsid();
    prctl(PR_SET_NAME, GUARD_NAME);
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    /* Held open, they would keep a pipe of ours from ending. */
    if (dup2(pid_fd, 0) < 0 || dup2(pipe_fd, 1) < 0)
        _exit(0);
    syscall(SYS_close_range, 2u, ~0u, 0u);
    if (chdir("/") == 0)
        guard(0, 1);
    _exit(0);
}

/* ---- in burl ------------------------------------------------------------------------ */

static void
end_in_good_order(void)
{
    if (owner == getpid() && done_fd >= 0 && write(done_fd, "q", 1) != 1)
        done_fd = -1; /* the guard is gone: nothing to tell */
}

/* Linux inherits the limit on resident memory across fork and exec and enforces it nowhere, so it
 * can carry the mark into a process that keeps nothing else of ours. Some programs size their
 * buffers by it: the value is far above any memory. */
static void
mark_limit(uint64_t r)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_RSS, &limit) != 0 || limit.rlim_max != RLIM_INFINITY)
        return;
    limit.rlim_cur = r >> 2 | 1ull << 62;
    if (setrlimit(RLIMIT_RSS, &limit) == 0)
        snprintf(limit_mark, sizeof limit_mark, "%llu", (unsigned long long)limit.rlim_cur);
}

static void
make_mark(void)
{
    uint64_t r = 0;

    if (getrandom(&r, sizeof r, GRND_NONBLOCK) != (ssize_t)sizeof r)
        r = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&r;
    snprintf(mark, sizeof mark, "%016llx", (unsigned long long)r);
    mark_limit(r);
}

void
burl_guard_start(void)
{
    const int pid_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int fds[2];
    pid_t pid;

    if (pid_fd < 3 || pipe2(fds, O_CLOEXEC) != 0) {
        if (pid_fd >= 0)
            close(pid_fd);
        return;
    }
    make_mark();
    owner = getpid();
    pid = fork();
    if (pid == 0) {
        close(fds[1]);
        if (fork() == 0)
            be_guard(pid_fd, fds[0]);
        _exit(0);
    }
    close(pid_fd);
    close(fds[0]);
    if (pid < 0) {
        close(fds[1]);
        mark[0] = '\0';
        return;
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    done_fd = fds[1];
    atexit(end_in_good_order);
    setenv(BURL_GUARD_ENV, mark, 1);
}
