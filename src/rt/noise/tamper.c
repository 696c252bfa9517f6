/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/tamper.c - timeoutTamper: the program's own sleeps are shortened by a random factor.
 *
 * For programs that use a sleep where they should wait for something. A sleep is never lengthened:
 * the factor is in [0, 1), and a deadline in the past stays as it is. When a signal ends a sleep,
 * what it reports as remaining is that of the sleep which the program asked for: what remains of
 * ours, and what was cut off. It is rounded as libc rounds it, so a loop that sleeps again for the
 * remainder sleeps no longer than it would have. Waits for something else (condition variables,
 * semaphores, descriptors, signals) are untouched. A wait for descriptors that has none to wait for
 * is a sleep (interpose/iopoll.c), and so is its raw system call (rawsleep.c); with a signal mask
 * it is a wait for a signal.
 */
#include <errno.h>
#include <limits.h>
#include <threads.h>
#include <unistd.h>

#include "noise_int.h"
#include "rt/core/real.h"

static bool
is_valid(const struct timespec *ts)
{
    return ts != NULL && ts->tv_sec >= 0 && ts->tv_nsec >= 0 &&
           ts->tv_nsec < (long)BURL_NOISE_NS_PER_S &&
           (uint64_t)ts->tv_sec < UINT64_MAX / BURL_NOISE_NS_PER_S - 1;
}

static uint64_t
to_ns(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec * BURL_NOISE_NS_PER_S + (uint64_t)ts->tv_nsec;
}

bool
burl_noise_tampers(void)
{
    return BURL_UNLIKELY(burl_noise_on) && burl__noise.tamper != 0 && burl_free_me != NULL &&
           burl__noise_may(burl_free_me);
}

uint64_t
burl_noise_shorten(uint64_t ns)
{
    struct burl_free_thread *f = burl_free_me;
    const uint64_t factor = burl__noise_draw(f) >> 32;

    burl__noise_count(&burl__noise_counts(f)->tampered);
    return (uint64_t)((unsigned __int128)ns * factor >> 32);
}

uint64_t
burl__noise_remaining(uint64_t left, uint64_t cut, uint64_t asked)
{
    /* The kernel counts its slack, too. */
    return left < asked - cut ? left + cut : asked;
}

/* Sleeps for a part of *req, 0 or EINTR; then *rem (may be NULL) is what the program thinks is
 * left. */
static int
sleep_short(clockid_t clock, const struct timespec *req, struct timespec *rem)
{
    const uint64_t asked = to_ns(req);
    const uint64_t cut = asked - burl_noise_shorten(asked);
    struct timespec part = burl__noise_timespec(asked - cut);
    struct timespec left = { 0 };
    /* libc's, for it is a cancellation point. */
    int r = BURL_REAL(clock_nanosleep)(clock, 0, &part, &left);

    if (r == EINTR && rem != NULL)
        *rem = burl__noise_timespec(burl__noise_remaining(to_ns(&left), cut, asked));
    return r;
}

int
burl_noise_nanosleep(const struct timespec *req, struct timespec *rem)
{
    int r;

    if (!burl_noise_tampers() || !is_valid(req))
        return BURL_REAL(nanosleep)(req, rem);
    r = sleep_short(CLOCK_REALTIME, req, rem);
    return (int)burl__result(-r);
}

/* An absolute deadline comes nearer; one that has passed, or of a clock that counts processor time,
 * stays. */
static int
sleep_until(clockid_t clock, const struct timespec *req)
{
    const uint64_t now = burl__noise_now(clock);
    const uint64_t asked = to_ns(req);
    struct timespec until;

    if (asked <= now)
        return BURL_REAL(clock_nanosleep)(clock, TIMER_ABSTIME, req, NULL);
    until = burl__noise_timespec(now + burl_noise_shorten(asked - now));
    return BURL_REAL(clock_nanosleep)(clock, TIMER_ABSTIME, &until, NULL);
}

int
burl_noise_clock_nanosleep(clockid_t clock, int flags, const struct timespec *req,
                           struct timespec *rem)
{
    const bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
                         clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;

    if (!burl_noise_tampers() || !is_wall || !is_valid(req))
        return BURL_REAL(clock_nanosleep)(clock, flags, req, rem);
    return (flags & TIMER_ABSTIME) != 0 ? sleep_until(clock, req) : sleep_short(clock, req, rem);
}

int
burl_noise_usleep(unsigned int us)
{
    struct timespec ts = burl__noise_timespec((uint64_t)us * 1000u);

    if (!burl_noise_tampers())
        return BURL_REAL(usleep)(us);
    return (int)burl__result(-sleep_short(CLOCK_REALTIME, &ts, NULL));
}

/* Whole seconds remain, rounded down, and errno is set: as in glibc. */
unsigned int
burl_noise_sleep(unsigned int seconds)
{
    struct timespec ts = { .tv_sec = (time_t)seconds };
    struct timespec rem = { 0 };

    if (!burl_noise_tampers())
        return BURL_REAL(sleep)(seconds);
    if (burl__result(-sleep_short(CLOCK_REALTIME, &ts, &rem)) == 0)
        return 0;
    return (unsigned int)rem.tv_sec;
}

int
burl_noise_thrd_sleep(const struct timespec *req, struct timespec *rem)
{
    if (!burl_noise_tampers() || !is_valid(req))
        return BURL_REAL(thrd_sleep)(req, rem);
    return sleep_short(CLOCK_REALTIME, req, rem) == 0 ? 0 : -1;
}
