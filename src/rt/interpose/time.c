/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - sleeping, yielding and reading clocks, all on virtual time.
 *
 * A sleep is a wait with a deadline and nothing else to wait for; whether the scheduler keeps a
 * sleeper until all other threads wait is its decision (sched/time.c). Reading a clock moves it
 * (sched/time.c), so that a loop that polls the time ends, and that two threads can tell which read
 * it first; a thread that does nothing else yields. So the clock is memory that each reading
 * changes: readings are scheduling points once two threads were seen to read it (learn/learn.c),
 * and cost nothing in programs in which one does. All clocks of a kind run together: the CPU clocks
 * are the monotonic clock. A search of all interleavings claims nothing when the clock has moved.
 *
 * Before main, and without a supervisor, the real clocks are read.
 */
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"

static bool
sleep_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)o;
    return burl__signal_wakes(t, (uint32_t)(uintptr_t)t->wait_arg);
}

/* Sleeps t for `ns` until `deadline_ns` or a signal (then READY). */
static enum burl_wait_result
sleep_until(struct burl_thread *t, uint64_t deadline_ns, uint64_t ns)
{
    struct burl_op op = burl__op(t, BURL_OP_SLEEP, NULL, ns);
    enum burl_wait_result r;

    if (deadline_ns <= burl_time_peek_ns()) { /* nothing to wait for: programs mean a yield */
        burl_sched_yield(t, &op);
        burl__cancel_point(t);
        return BURL_WAIT_TIMEOUT;
    }
    t->wait_arg = (void *)(uintptr_t)t->sig_count;
    r = burl_sched_wait(t, &op, NULL, sleep_ready, deadline_ns, true);
    if (r == BURL_WAIT_CANCELED)
        burl_thread_unwind(t, (void *)-1);
    burl_timers_fire(); /* time has moved, perhaps past one of them */
    burl__signals_run(t);
    return r;
}

int
burl__sleep_for(struct burl_thread *t, const struct timespec *req, struct timespec *rem)
{
    uint64_t ns;
    uint64_t deadline;

    if (!burl__timespec_ok(req))
        return EINVAL;
    ns = burl__timespec_ns(req);
    deadline = burl_time_after(ns);
    if (sleep_until(t, deadline, ns) == BURL_WAIT_TIMEOUT)
        return 0;
    if (rem != NULL)
        *rem = burl__ns_timespec(burl__time_left(deadline));
    return EINTR;
}

static int
clock_sleep(struct burl_thread *t, clockid_t clock, int flags, const struct timespec *req,
            struct timespec *rem)
{
    uint64_t deadline;

    if (!burl__timespec_ok(req) || clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    if ((flags & TIMER_ABSTIME) == 0)
        return burl__sleep_for(t, req, rem);
    deadline = burl_time_deadline(clock == CLOCK_REALTIME || clock == CLOCK_TAI ? CLOCK_REALTIME
                                                                                : CLOCK_MONOTONIC,
                                  req->tv_sec, req->tv_nsec);
    return sleep_until(t, deadline, burl__time_left(deadline)) == BURL_WAIT_TIMEOUT ? 0 : EINTR;
}

static unsigned int
sleep_seconds(struct burl_thread *t, unsigned int seconds)
{
    struct timespec ts = { .tv_sec = (time_t)seconds };
    struct timespec rem = { 0 };

    (void)burl__sleep_for(t, &ts, &rem);
    return (unsigned int)rem.tv_sec + (rem.tv_nsec >= (long)(BURL__NS_PER_S / 2) ? 1u : 0u);
}

static long
sleep_ns(struct burl_thread *t, uint64_t ns)
{
    struct timespec ts = burl__ns_timespec(ns);

    return -burl__sleep_for(t, &ts, NULL);
}

BURL_INTERPOSE_SYS(int nanosleep(const struct timespec *req, struct timespec *rem),
                   burl_noise_nanosleep(req, rem), -burl__sleep_for(t, req, rem))
BURL_INTERPOSE(int clock_nanosleep(clockid_t clock, int flags, const struct timespec *req,
                                   struct timespec *rem),
               burl_noise_clock_nanosleep(clock, flags, req, rem),
               clock_sleep(t, clock, flags, req, rem))
BURL_INTERPOSE_SYS(int usleep(useconds_t us), burl_noise_usleep(us),
                   sleep_ns(t, (uint64_t)us * 1000u))
BURL_INTERPOSE(unsigned int sleep(unsigned int seconds), burl_noise_sleep(seconds),
               sleep_seconds(t, seconds))
BURL_INTERPOSE(int sched_yield(void), BURL_REAL(sched_yield)(), (burl__yield(t), 0))

/* ---- clocks ------------------------------------------------------------------------------ */

/* Reads of a clock in a row, without progress of the thread in between, before it counts as polling
 * the time. Smaller takes turns away from code that measures durations. */
#define CLOCK_POLLS 16u

/* A thread that polls the time waits for it to pass, and time passes by itself only when no other
 * thread can run. The call still counts as one that may have changed something: the next one
 * returns another value, so such a loop is never proved to hang. */
static void
yield_if_polling(struct burl_thread *t)
{
    if (t->clock_epoch != t->spin_epoch) {
        t->clock_epoch = t->spin_epoch;
        t->clock_polls = 0;
    }
    if (++t->clock_polls <= CLOCK_POLLS)
        return;
    burl__yield(t);
    t->lib_calls++;
}

/* One read of a clock; timers that it steps over expire. */
static uint64_t
read_clock(struct burl_thread *t, bool wall)
{
    uint64_t ns;

    yield_if_polling(t);
    burl__clock_point(t);
    ns = wall ? burl_time_wall_ns() : burl_time_mono_ns();
    burl_timers_fire();
    return ns;
}

static int
get_time(struct burl_thread *t, clockid_t clock, struct timespec *ts)
{
    bool wall = false;

    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        wall = true;
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        break;
    default:
        if (clock >= 0) /* else the CPU clock of a thread or process */
            return -EINVAL;
    }
    *ts = burl__ns_timespec(read_clock(t, wall));
    return 0;
}

static int
get_time_of_day(struct burl_thread *t, struct timeval *tv, struct timezone *tz)
{
    *tv = burl__ns_timeval(read_clock(t, true));
    if (tz != NULL)
        *tz = (struct timezone){ 0 };
    return 0;
}

static time_t
get_seconds(struct burl_thread *t, time_t *out)
{
    time_t now = (time_t)(read_clock(t, true) / BURL__NS_PER_S);

    if (out != NULL)
        *out = now;
    return now;
}

static int
get_utc(struct burl_thread *t, struct timespec *ts, int base)
{
    if (base != TIME_UTC)
        return 0;
    *ts = burl__ns_timespec(read_clock(t, true));
    return base;
}

BURL_INTERPOSE_SYS(int clock_gettime(clockid_t clock, struct timespec *ts),
                   BURL_REAL(clock_gettime)(clock, ts), get_time(t, clock, ts))
BURL_INTERPOSE(int gettimeofday(struct timeval *restrict tv, void *restrict tz),
               BURL_REAL(gettimeofday)(tv, tz), get_time_of_day(t, tv, tz))
BURL_INTERPOSE(time_t time(time_t *out), BURL_REAL(time)(out), get_seconds(t, out))
BURL_INTERPOSE(int timespec_get(struct timespec *ts, int base), BURL_REAL(timespec_get)(ts, base),
               get_utc(t, ts, base))
BURL_INTERPOSE(clock_t clock(void), BURL_REAL(clock)(),
               (clock_t)(read_clock(t, false) / (BURL__NS_PER_S / CLOCKS_PER_SEC)))
