/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/rawsleep.c - timeoutTamper for raw system calls: syscall(SYS_nanosleep, ...) and the like.
 *
 * The same rule as for the library functions (tamper.c, interpose/iopoll.c): sleeps, and waits
 * for descriptors without any descriptor. The system call is made, and not the library
 * function, which is a cancellation point. What the kernel writes back as remaining is corrected
 * by what was cut off.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>

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
    if (in_out)
        *asked = burl__noise_timespec(to_ns(&part) + (r == -EINTR ? cut : 0));
    else if (r == -EINTR && rem != NULL)
        *rem = burl__noise_timespec(to_ns(&left) + cut);
    return r;
}

static long
select_short(const long *a)
{
    struct timeval *tv = (struct timeval *)a[4];
    const uint64_t ns =
        (uint64_t)tv->tv_sec * BURL_NOISE_NS_PER_S + (uint64_t)tv->tv_usec * NS_PER_US;
    const uint64_t part = burl_noise_shorten(ns) / NS_PER_US * NS_PER_US;
    struct timespec left;
    long r;

    left = burl__noise_timespec(part);
    *tv = (struct timeval){ .tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / NS_PER_US };
    r = BURL_SYS5(SYS_select, a[0], NULL, NULL, NULL, tv);
    if (r == -EINTR) {
        left = burl__noise_timespec((uint64_t)tv->tv_sec * BURL_NOISE_NS_PER_S +
                                    (uint64_t)tv->tv_usec * NS_PER_US + ns - part);
        *tv = (struct timeval){ .tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / NS_PER_US };
    }
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

bool
burl_noise_raw_sleep(long nr, const long *a, long *r)
{
    const bool no_sets = a[1] == 0 && a[2] == 0 && a[3] == 0;

    if (!burl_noise_tampers())
        return false;
    if (nr == SYS_nanosleep && is_valid((const struct timespec *)a[0]))
        *r = call_short(nr, a, 0, false, (struct timespec *)a[1]);
    else if (nr == SYS_clock_nanosleep && is_wall_clock((int)a[0]) &&
             is_valid((const struct timespec *)a[2]))
        *r = ((int)a[1] & TIMER_ABSTIME) != 0
                 ? until_short(a)
                 : call_short(nr, a, 2, false, (struct timespec *)a[3]);
    else if (nr == SYS_poll && a[1] == 0 && (int)a[2] > 0)
        *r = ms_short(nr, a, 2);
    else if (nr == SYS_ppoll && a[1] == 0 && is_valid((const struct timespec *)a[2]))
        *r = call_short(nr, a, 2, true, NULL);
    else if (nr == SYS_select && no_sets && is_valid_timeval((const struct timeval *)a[4]))
        *r = select_short(a);
    else if (nr == SYS_pselect6 && no_sets && is_valid((const struct timespec *)a[4]))
        *r = call_short(nr, a, 4, true, NULL);
    else if ((nr == SYS_epoll_wait || nr == SYS_epoll_pwait) && (int)a[3] > 0 &&
             burl_noise_epoll_is_empty((int)a[0]))
        *r = epoll_ms_short(nr, a);
    else if (nr == SYS_epoll_pwait2 && is_valid((const struct timespec *)a[3]) &&
             burl_noise_epoll_is_empty((int)a[0]))
        *r = epoll_short(a);
    else
        return false;
    return true;
}
