/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - sleeping, yielding and reading clocks, all on virtual time.
 *
 * Runs in the target. A sleep is a wait with a deadline and nothing else to wait for; whether the
 * scheduler keeps a sleeper until everybody else waits is its decision (sched/time.c). Reading
 * a clock moves it (sched/time.c), so that a loop that polls the time ends, and that two threads
 * can tell which read it first; a thread that does nothing else yields. So the clock is memory
 * that each reading changes: readings are scheduling points once two threads were seen to read it
 * (learn/learn.c), and cost nothing in programs in which one does. All clocks of a kind run
 * together: the CPU clocks are the monotonic clock. A search of all interleavings claims nothing
 * when the clock has moved.
 *
 * Before main, and without a supervisor, the real clocks are read.
 */
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"
#include "process_int.h"
#include "rt/core/sys.h"

#define NS_PER_S 1000000000ull

static bool
sleep_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)o;
    return burl__signal_wakes(t, (uint32_t)(uintptr_t)t->wait_arg);
}

enum burl_wait_result
burl__sleep_until(struct burl_thread *t, uint64_t deadline_ns, uint64_t ns)
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

static bool
valid(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)NS_PER_S;
}

static uint64_t
to_ns(const struct timespec *ts)
{
    if ((uint64_t)ts->tv_sec > UINT64_MAX / NS_PER_S - 1)
        return UINT64_MAX - 1;
    return (uint64_t)ts->tv_sec * NS_PER_S + (uint64_t)ts->tv_nsec;
}

static struct timespec
to_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

/* What is left until `deadline_ns`, 0 when it has passed. */
static uint64_t
left_until(uint64_t deadline_ns)
{
    uint64_t now = burl_time_peek_ns();

    return deadline_ns > now ? deadline_ns - now : 0;
}

/* A relative sleep: 0, or EINTR with what is left in *rem. */
static int
sleep_for(struct burl_thread *t, const struct timespec *req, struct timespec *rem)
{
    uint64_t ns = to_ns(req);
    uint64_t deadline = burl_time_after(ns);

    if (burl__sleep_until(t, deadline, ns) == BURL_WAIT_TIMEOUT)
        return 0;
    if (rem != NULL)
        *rem = to_timespec(left_until(deadline));
    return EINTR;
}

BURL_EXPORT int
nanosleep(const struct timespec *req, struct timespec *rem)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_REAL(nanosleep)(req, rem);
    r = valid(req) ? sleep_for(t, req, rem) : EINVAL;
    burl_rt_leave(t);
    return (int)burl__result(-r);
}

BURL_EXPORT int
clock_nanosleep(clockid_t clock, int flags, const struct timespec *req, struct timespec *rem)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t deadline;
    int r = 0;

    if (t == NULL)
        return BURL_REAL(clock_nanosleep)(clock, flags, req, rem);
    if (!valid(req) || clock == CLOCK_THREAD_CPUTIME_ID) {
        r = EINVAL;
    } else if ((flags & TIMER_ABSTIME) == 0) {
        r = sleep_for(t, req, rem);
    } else {
        deadline = burl_time_deadline(
            clock == CLOCK_REALTIME || clock == CLOCK_TAI ? CLOCK_REALTIME : CLOCK_MONOTONIC,
            req->tv_sec, req->tv_nsec);
        if (burl__sleep_until(t, deadline, left_until(deadline)) != BURL_WAIT_TIMEOUT)
            r = EINTR;
    }
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT int
usleep(useconds_t us)
{
    struct burl_thread *t = burl_rt_enter();
    struct timespec ts = to_timespec((uint64_t)us * 1000u);
    int r;

    if (t == NULL)
        return BURL_REAL(usleep)(us);
    r = sleep_for(t, &ts, NULL);
    burl_rt_leave(t);
    return (int)burl__result(-r);
}

BURL_EXPORT unsigned int
sleep(unsigned int seconds)
{
    struct burl_thread *t = burl_rt_enter();
    struct timespec ts = { .tv_sec = (time_t)seconds };
    struct timespec rem = { 0 };

    if (t == NULL)
        return BURL_REAL(sleep)(seconds);
    (void)sleep_for(t, &ts, &rem);
    burl_rt_leave(t);
    return (unsigned int)rem.tv_sec + (rem.tv_nsec >= (long)(NS_PER_S / 2) ? 1u : 0u);
}

BURL_EXPORT int
sched_yield(void)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_op op;

    if (t == NULL)
        return BURL_REAL(sched_yield)();
    op = burl__op(t, BURL_OP_YIELD, NULL, 0);
    burl_sched_yield(t, &op);
    burl_rt_leave(t);
    return 0;
}

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
    struct burl_op op;

    if (t->clock_epoch != t->spin_epoch) {
        t->clock_epoch = t->spin_epoch;
        t->clock_polls = 0;
    }
    if (++t->clock_polls <= CLOCK_POLLS)
        return;
    op = burl__op(t, BURL_OP_YIELD, NULL, 0);
    burl_sched_yield(t, &op);
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

BURL_EXPORT int
clock_gettime(clockid_t clock, struct timespec *ts)
{
    struct burl_thread *t = burl_rt_enter();
    int r = 0;

    if (t == NULL)
        return BURL_REAL(clock_gettime)(clock, ts);
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *ts = to_timespec(read_clock(t, true));
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *ts = to_timespec(read_clock(t, false));
        break;
    default:
        if (clock < 0) /* CPU clock of a thread or process */
            *ts = to_timespec(read_clock(t, false));
        else
            r = EINVAL;
    }
    burl_rt_leave(t);
    return (int)burl__result(-r);
}

BURL_EXPORT int
gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t ns;

    if (t == NULL)
        return BURL_REAL(gettimeofday)(tv, tz);
    ns = read_clock(t, true);
    tv->tv_sec = (time_t)(ns / NS_PER_S);
    tv->tv_usec = (suseconds_t)(ns % NS_PER_S / 1000u);
    if (tz != NULL)
        *(struct timezone *)tz = (struct timezone){ 0 };
    burl_rt_leave(t);
    return 0;
}

BURL_EXPORT time_t
time(time_t *out)
{
    struct burl_thread *t = burl_rt_enter();
    time_t now;

    if (t == NULL)
        return BURL_REAL(time)(out);
    now = (time_t)(read_clock(t, true) / NS_PER_S);
    if (out != NULL)
        *out = now;
    burl_rt_leave(t);
    return now;
}

BURL_EXPORT int
timespec_get(struct timespec *ts, int base)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return BURL_REAL(timespec_get)(ts, base);
    if (base == TIME_UTC)
        *ts = to_timespec(read_clock(t, true));
    else
        base = 0;
    burl_rt_leave(t);
    return base;
}

BURL_EXPORT clock_t
clock(void)
{
    struct burl_thread *t = burl_rt_enter();
    clock_t now;

    if (t == NULL)
        return BURL_REAL(clock)();
    now = (clock_t)(read_clock(t, false) / (NS_PER_S / CLOCKS_PER_SEC));
    burl_rt_leave(t);
    return now;
}
