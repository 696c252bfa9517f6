/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/rawsleep.c - timeoutTamper for raw system calls: syscall(SYS_nanosleep, ...) and the like.
 *
 * The same rule as for the library functions (tamper.c, interpose/iopoll.c): sleeps, and waits
 * for descriptors without any descriptor and without a signal mask. The system call is made, and
 * not the library function, which is a cancellation point. What the kernel writes back as remaining
 * is corrected by what was cut off.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "noise_int.h"

#define NS_PER_US 1000u

/* ---- epoll ---------------------------------------------------------------------------------- */

static char *
put_number(char *at, unsigned n)
{
    if (n >= 10)
        at = put_number(at, n / 10);
    *at = (char)('0' + n % 10);
    return at + 1;
}

/* The kernel lists what is watched, a line for each: "tfd: 5 events: 1 ...". */
bool
burl_noise_epoll_is_empty(int ep)
{
    char path[40] = "/proc/self/fdinfo/";
    char text[1024];
    long fd;
    long n;

    if (ep < 0)
        return false;
    *put_number(path + strlen(path), (unsigned)ep) = '\0';
    fd = BURL_SYS2(SYS_open, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = BURL_SYS3(SYS_read, fd, text, sizeof text - 1);
    BURL_SYS1(SYS_close, fd);
    if (n < 0)
        return false;
    for (long i = 0; i + 4 <= n; i++) {
        if (memcmp(text + i, "tfd:", 4) == 0)
            return false;
    }
    return true;
}

/* ---- poll and select ------------------------------------------------------------------------- */

bool
burl_noise_polls_nothing(const struct pollfd *fds, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        if (fds[i].fd >= 0)
            return false;
    }
    return true;
}

static bool
is_empty(int n, const fd_set *set)
{
    for (int fd = 0; set != NULL && fd < n; fd++) {
        if (FD_ISSET(fd, set))
            return false;
    }
    return true;
}

bool
burl_noise_selects_nothing(int n, const fd_set *rd, const fd_set *wr, const fd_set *ex)
{
    if (rd == NULL && wr == NULL && ex == NULL)
        return true;
    /* How large other sets are is known to the program alone. */
    return n >= 0 && n <= FD_SETSIZE && is_empty(n, rd) && is_empty(n, wr) && is_empty(n, ex);
}

/* ---- durations ------------------------------------------------------------------------------ */

static bool
is_valid(const struct timespec *ts)
{
    return ts != NULL && ts->tv_sec >= 0 && ts->tv_sec <= INT32_MAX && ts->tv_nsec >= 0 &&
           ts->tv_nsec < (long)BURL_NOISE_NS_PER_S;
}

static uint64_t
to_ns(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec * BURL_NOISE_NS_PER_S + (uint64_t)ts->tv_nsec;
}

/* Writes what remains into the program's time-out. As for the kernel it is no error when that is
 * in memory which cannot be written to. */
static void
put_remaining(void *timeout, const void *remaining, size_t size_b)
{
    struct iovec from = { .iov_base = (void *)(uintptr_t)remaining, .iov_len = size_b };
    struct iovec to = { .iov_base = timeout, .iov_len = size_b };

    BURL_SYS6(SYS_process_vm_writev, BURL_SYS0(SYS_getpid), &from, 1, &to, 1, 0);
}

/* A call whose time-out is the argument `at`. in_out: the kernel writes there what remains;
 * otherwise to *rem, unless that is NULL, when a signal came. */
static long
call_short(long nr, const long *a, unsigned at, bool in_out, struct timespec *rem)
{
    struct timespec *asked = (struct timespec *)a[at];
    const uint64_t ns = to_ns(asked);
    const uint64_t cut = ns - burl_noise_shorten(ns);
    struct timespec part = burl__noise_timespec(ns - cut);
    struct timespec left = { 0 };
    long b[6];
    long r;

    memcpy(b, a, sizeof b);
    b[at] = (long)&part;
    if (!in_out)
        b[at + 1] = (long)&left; /* nanosleep, clock_nanosleep */
    r = burl_sys6(nr, b[0], b[1], b[2], b[3], b[4], b[5]);
    if (in_out) {
        if (r < 0)
            part = burl__noise_timespec(burl__noise_remaining(to_ns(&part), cut, ns));
        put_remaining(asked, &part, sizeof part);
    } else if (r == -EINTR && rem != NULL) {
        *rem = burl__noise_timespec(burl__noise_remaining(to_ns(&left), cut, ns));
    }
    return r;
}

static uint64_t
timeval_ns(const struct timeval *tv)
{
    return (uint64_t)tv->tv_sec * BURL_NOISE_NS_PER_S + (uint64_t)tv->tv_usec * NS_PER_US;
}

static struct timeval
to_timeval(uint64_t ns)
{
    const struct timespec ts = burl__noise_timespec(ns);

    return (struct timeval){ .tv_sec = ts.tv_sec, .tv_usec = ts.tv_nsec / NS_PER_US };
}

static long
select_short(const long *a)
{
    struct timeval *tv = (struct timeval *)a[4];
    const uint64_t ns = timeval_ns(tv);
    const uint64_t part = burl_noise_shorten(ns) / NS_PER_US * NS_PER_US;
    struct timeval left = to_timeval(part);
    const long r = BURL_SYS5(SYS_select, a[0], a[1], a[2], a[3], &left);

    if (r < 0)
        left = to_timeval(burl__noise_remaining(timeval_ns(&left), ns - part, ns));
    put_remaining(tv, &left, sizeof left);
    return r;
}

/* The deadline of a clock comes nearer. */
static long
until_short(const long *a)
{
    const uint64_t now = burl__noise_now((clockid_t)a[0]);
    const uint64_t asked = to_ns((const struct timespec *)a[2]);
    struct timespec until = *(const struct timespec *)a[2];

    if (asked > now)
        until = burl__noise_timespec(now + burl_noise_shorten(asked - now));
    return BURL_SYS4(SYS_clock_nanosleep, a[0], a[1], &until, a[3]);
}

static long
ms_short(long nr, const long *a, unsigned at)
{
    long b[6];

    memcpy(b, a, sizeof b);
    b[at] =
        (long)(burl_noise_shorten((uint64_t)a[at] * BURL_NOISE_NS_PER_MS) / BURL_NOISE_NS_PER_MS);
    return burl_sys6(nr, b[0], b[1], b[2], b[3], b[4], b[5]);
}

/* An event that was added meanwhile is waited for as long as the program asked for. */
static long
epoll_ms_short(long nr, const long *a)
{
    const int ms = (int)a[3];
    const int part =
        (int)(burl_noise_shorten((uint64_t)ms * BURL_NOISE_NS_PER_MS) / BURL_NOISE_NS_PER_MS);
    const long r = burl_sys6(nr, a[0], a[1], a[2], part, a[4], a[5]);

    if (r != 0 || burl_noise_epoll_is_empty((int)a[0]))
        return r;
    return burl_sys6(nr, a[0], a[1], a[2], ms - part, a[4], a[5]);
}

static long
epoll_short(const long *a)
{
    const uint64_t asked = to_ns((const struct timespec *)a[3]);
    const uint64_t part = burl_noise_shorten(asked);
    struct timespec ts = burl__noise_timespec(part);
    const long r = BURL_SYS6(SYS_epoll_pwait2, a[0], a[1], a[2], &ts, a[4], a[5]);

    if (r != 0 || burl_noise_epoll_is_empty((int)a[0]))
        return r;
    ts = burl__noise_timespec(asked - part);
    return BURL_SYS6(SYS_epoll_pwait2, a[0], a[1], a[2], &ts, a[4], a[5]);
}

static bool
is_wall_clock(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_TAI;
}

static bool
is_valid_timeval(const struct timeval *tv)
{
    return tv != NULL && tv->tv_sec >= 0 && tv->tv_sec <= INT32_MAX && tv->tv_usec >= 0 &&
           tv->tv_usec < 1000000;
}

static bool
polls_nothing(const long *a)
{
    return burl_noise_polls_nothing((const struct pollfd *)a[0], (unsigned)a[1]);
}

/* pselect6 takes a pointer to the mask and its size. */
static bool
has_select_mask(const long *a)
{
    return a[5] != 0 && *(const long *)a[5] != 0;
}

static bool
selects_nothing(const long *a)
{
    return burl_noise_selects_nothing((int)a[0], (const fd_set *)a[1], (const fd_set *)a[2],
                                      (const fd_set *)a[3]);
}

bool
burl_noise_raw_sleep(long nr, const long *a, long *r)
{
    if (!burl_noise_tampers())
        return false;
    if (nr == SYS_nanosleep && is_valid((const struct timespec *)a[0]))
        *r = call_short(nr, a, 0, false, (struct timespec *)a[1]);
    else if (nr == SYS_clock_nanosleep && is_wall_clock((int)a[0]) &&
             is_valid((const struct timespec *)a[2]))
        *r = ((int)a[1] & TIMER_ABSTIME) != 0
                 ? until_short(a)
                 : call_short(nr, a, 2, false, (struct timespec *)a[3]);
    else if (nr == SYS_poll && (int)a[2] > 0 && polls_nothing(a))
        *r = ms_short(nr, a, 2);
    else if (nr == SYS_ppoll && a[3] == 0 && is_valid((const struct timespec *)a[2]) &&
             polls_nothing(a))
        *r = call_short(nr, a, 2, true, NULL);
    else if (nr == SYS_select && is_valid_timeval((const struct timeval *)a[4]) &&
             selects_nothing(a))
        *r = select_short(a);
    else if (nr == SYS_pselect6 && !has_select_mask(a) && is_valid((const struct timespec *)a[4]) &&
             selects_nothing(a))
        *r = call_short(nr, a, 4, true, NULL);
    else if ((nr == SYS_epoll_wait || (nr == SYS_epoll_pwait && a[4] == 0)) && (int)a[3] > 0 &&
             burl_noise_epoll_is_empty((int)a[0]))
        *r = epoll_ms_short(nr, a);
    else if (nr == SYS_epoll_pwait2 && a[4] == 0 && is_valid((const struct timespec *)a[3]) &&
             burl_noise_epoll_is_empty((int)a[0]))
        *r = epoll_short(a);
    else
        return false;
    return true;
}
