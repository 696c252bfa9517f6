/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/failn.c - preloaded into burl: the n-th system call of a class fails.
 *
 * BURL_FAILN=n counts calls that create or change files; the n-th fails with
 * BURL_FAILN_ERRNO, and every later one too (a disk stays full). Only the
 * process named by BURL_FAILN_EXE is meant: children start clean. At exit the
 * file BURL_FAILN_LOG says whether the n-th call was reached.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long left = -1; /* calls until the failure; negative: off */
static _Atomic int reached;
static int fail_errno = ENOSPC;
static pid_t owner;

__attribute__((constructor)) static void
start(void)
{
    const char *n = getenv("BURL_FAILN");
    const char *exe = getenv("BURL_FAILN_EXE");
    const char *e = getenv("BURL_FAILN_ERRNO");
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    if (!n || !exe || len < 0)
        return;
    self[len] = '\0';
    if (strcmp(self, exe) != 0)
        return; /* a wrapper on the way to it */
    unsetenv("LD_PRELOAD");
    owner = getpid();
    if (e)
        fail_errno = (int)strtol(e, NULL, 10);
    left = strtol(n, NULL, 10);
}

__attribute__((destructor)) static void
finish(void)
{
    const char *log = getenv("BURL_FAILN_LOG");
    long fd;

    if (!log || !reached || getpid() != owner)
        return;
    fd = syscall(SYS_open, log, O_WRONLY | O_CREAT, 0666);
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* Whether this call fails; counts it. */
static int
fails(void)
{
    long now;

    /* A child between fork and exec shares our memory image, not our plan. */
    if (left < 0 || getpid() != owner)
        return 0;
    now = atomic_load(&left);
    if (now > 1) {
        atomic_fetch_sub(&left, 1);
        return 0;
    }
    if (now == 0)
        return 0;
    if (!atomic_exchange(&reached, 1)) {
        /* Told at once: a process that is killed runs no destructor. */
        const char *log = getenv("BURL_FAILN_LOG");
        long fd = log ? syscall(SYS_open, log, O_WRONLY | O_CREAT, 0666) : -1;

        if (fd >= 0)
            syscall(SYS_close, fd);
    }
    errno = fail_errno;
    return 1;
}

#define REAL(type, name, ...)                                     \
    static type (*real)(__VA_ARGS__);                             \
    if (!real)                                                    \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Standard output and error are the report of the failure, not the disk. */
ssize_t
write(int fd, const void *p, size_t n)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    return fd > 2 && fails() ? -1 : real(fd, p, n);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return fails() ? -1 : real(fd, p, n, at);
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return fails() ? -1 : real(fd, p, n, at);
}

int
fsync(int fd)
{
    REAL(int, "fsync", int);
    return fails() ? -1 : real(fd);
}

int
fdatasync(int fd)
{
    REAL(int, "fdatasync", int);
    return fails() ? -1 : real(fd);
}

int
ftruncate(int fd, off_t n)
{
    REAL(int, "ftruncate", int, off_t);
    return fails() ? -1 : real(fd, n);
}

int
ftruncate64(int fd, off64_t n)
{
    REAL(int, "ftruncate64", int, off64_t);
    return fails() ? -1 : real(fd, n);
}

int
rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return fails() ? -1 : real(from, to);
}

int
mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    return fails() ? -1 : real(path, mode);
}

int
pipe2(int fds[2], int flags)
{
    REAL(int, "pipe2", int *, int);
    return fails() ? -1 : real(fds, flags);
}

int
memfd_create(const char *name, unsigned flags)
{
    REAL(int, "memfd_create", const char *, unsigned);
    return fails() ? -1 : real(name, flags);
}

pid_t
fork(void)
{
    static pid_t (*real)(void);

    if (!real)
        real = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    return fails() ? -1 : real();
}

static int
open_common(const char *name, const char *path, int flags, mode_t mode)
{
    int (*real)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);

    if ((flags & O_CREAT) && fails())
        return -1;
    return real(path, flags, mode);
}

static mode_t
mode_of(int flags, va_list ap)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int
open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return open_common("open", path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return open_common("open64", path, flags, mode);
}
