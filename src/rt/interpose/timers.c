/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.c - alarm, setitimer and POSIX timers on virtual time.
 *
 * Runs in the target. A timer is a virtual time and a signal. It expires when the clock has passed
 * it: the owner of the clock (sched/time.c) counts burl_timers_next() among the deadlines and
 * calls burl_timers_fire(); the functions of time.c do so too after moving the clock.
 *
 * A repeating timer whose last signal was not taken yet does not expire again (it overruns), and
 * one whose signal is ignored never does: otherwise a program in which nothing can happen any
 * more would let virtual time run for ever instead of being a deadlock.
 *
 * SIGEV_THREAD needs a thread that libc would make, and timer descriptors tick in real time in
 * the kernel: both are reported as unsupported (R9).
 */
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"
#include "process_int.h"

#define NS_PER_S 1000000000ull
#define NS_PER_US 1000ull

/* Slots 0..2 are the interval timers by their number (ITIMER_REAL and so on), the rest POSIX
 * timers. Real programs have a handful; one that has more is told EAGAIN, as by a low limit. */
#define N_ITIMERS 3
#define N_TIMERS 64

struct timer {
    bool used;
    bool armed;
    bool silent; /* SIGEV_NONE: only asked for its time */
    int sig;
    int clock;
    int overrun;
    uint64_t at_ns;
    uint64_t interval_ns; /* 0: once */
    union sigval value;
};

static struct timer timers[N_TIMERS];
static uint32_t n_armed; /* so that the common case costs one comparison */
static bool any_used;    /* in this execution; false: all of them are as the reset left them */

static const int itimer_signal[N_ITIMERS] = { SIGALRM, SIGVTALRM, SIGPROF };

void
burl__timers_reset(void)
{
    if (!any_used)
        return;
    for (uint32_t i = 0; i < N_TIMERS; i++)
        timers[i] = (struct timer){ 0 };
    n_armed = 0;
    any_used = false;
}

/* ---- expiry ------------------------------------------------------------------------------ */

/* Would expiring now reach anybody? */
static bool
can_expire(const struct timer *tm)
{
    return tm->armed && !tm->silent && (tm->interval_ns == 0 || burl__signal_takable(tm->sig));
}

uint64_t
burl_timers_next(void)
{
    uint64_t next = BURL_TIME_NEVER;

    if (n_armed == 0)
        return next;
    for (uint32_t i = 0; i < N_TIMERS; i++) {
        if (can_expire(&timers[i]) && timers[i].at_ns < next)
            next = timers[i].at_ns;
    }
    return next;
}

static void
disarm(struct timer *tm)
{
    if (tm->armed)
        n_armed--;
    tm->armed = false;
}

static void
expire(struct timer *tm, uint64_t now)
{
    uint64_t missed;

    if (tm->interval_ns == 0) {
        disarm(tm);
        tm->overrun = 0;
    } else {
        missed = (now - tm->at_ns) / tm->interval_ns;
        tm->at_ns += (missed + 1) * tm->interval_ns;
        tm->overrun = missed > 0x7fffffff ? 0x7fffffff : (int)missed;
    }
    burl__signal_process(tm->sig, tm < timers + N_ITIMERS ? SI_KERNEL : SI_TIMER, tm->value);
}

void
burl_timers_fire(void)
{
    uint64_t now;

    if (n_armed == 0)
        return;
    now = burl_time_peek_ns();
    for (uint32_t i = 0; i < N_TIMERS; i++) {
        if (can_expire(&timers[i]) && timers[i].at_ns <= now)
            expire(&timers[i], now);
    }
}

/* ---- setting and asking ------------------------------------------------------------------ */

static void
arm(struct timer *tm, uint64_t at_ns, uint64_t interval_ns)
{
    if (!tm->armed)
        n_armed++;
    tm->armed = true;
    tm->at_ns = at_ns;
    tm->interval_ns = interval_ns;
    tm->overrun = 0;
}

static uint64_t
left(const struct timer *tm)
{
    uint64_t now = burl_time_peek_ns();

    if (!tm->armed)
        return 0;
    return tm->at_ns > now ? tm->at_ns - now : 1; /* an armed timer never shows zero */
}

static struct timer *
itimer(int which)
{
    struct timer *tm = &timers[which];

    tm->used = true;
    any_used = true;
    tm->sig = itimer_signal[which];
    return tm;
}

/* Seconds left of the old alarm, rounded as the kernel does. */
static unsigned int
set_alarm(uint64_t ns, uint64_t interval_ns, uint64_t unit_ns)
{
    struct timer *tm = itimer(ITIMER_REAL);
    uint64_t old = left(tm);
    uint64_t units = (old + unit_ns / 2) / unit_ns;

    if (old != 0 && units == 0)
        units = 1;
    if (ns == 0)
        disarm(tm);
    else
        arm(tm, burl_time_after(ns), interval_ns);
    return (unsigned int)units;
}

BURL_EXPORT unsigned int
alarm(unsigned int seconds)
{
    struct burl_thread *t = burl_rt_enter();
    unsigned int r;

    if (t == NULL)
        return BURL_REAL(alarm)(seconds);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    r = set_alarm(seconds * NS_PER_S, 0, NS_PER_S);
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT useconds_t
ualarm(useconds_t value, useconds_t interval)
{
    struct burl_thread *t = burl_rt_enter();
    useconds_t r;

    if (t == NULL)
        return BURL_REAL(ualarm)(value, interval);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    r = set_alarm(value * NS_PER_US, interval * NS_PER_US, NS_PER_US);
    burl_rt_leave(t);
    return r;
}

static bool
timeval_ns(const struct timeval *tv, uint64_t *out)
{
    if (tv->tv_sec < 0 || tv->tv_usec < 0 || tv->tv_usec >= 1000000)
        return false;
    *out = (uint64_t)tv->tv_sec * NS_PER_S + (uint64_t)tv->tv_usec * NS_PER_US;
    return true;
}

static struct timeval
ns_timeval(uint64_t ns)
{
    return (struct timeval){ .tv_sec = (time_t)(ns / NS_PER_S),
                             .tv_usec = (suseconds_t)(ns % NS_PER_S / NS_PER_US) };
}

static int
get_itimer(int which, struct itimerval *out)
{
    const struct timer *tm = &timers[which];

    out->it_value = ns_timeval((left(tm) + NS_PER_US - 1) / NS_PER_US * NS_PER_US);
    out->it_interval = ns_timeval(tm->armed ? tm->interval_ns : 0);
    return 0;
}

BURL_EXPORT int
getitimer(__itimer_which_t which, struct itimerval *out)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_REAL(getitimer)(which, out);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    r = (unsigned)which < N_ITIMERS ? get_itimer((int)which, out) : -EINVAL;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

static int
set_itimer(int which, const struct itimerval *in, struct itimerval *old)
{
    uint64_t value;
    uint64_t interval;

    if ((unsigned)which >= N_ITIMERS || !timeval_ns(&in->it_value, &value) ||
        !timeval_ns(&in->it_interval, &interval))
        return -EINVAL;
    if (old != NULL)
        (void)get_itimer(which, old);
    if (value == 0)
        disarm(itimer(which));
    else
        arm(itimer(which), burl_time_after(value), interval);
    return 0;
}

BURL_EXPORT int
setitimer(__itimer_which_t which, const struct itimerval *restrict in,
          struct itimerval *restrict old)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_REAL(setitimer)(which, in, old);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    r = set_itimer((int)which, in, old);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* ---- POSIX timers ------------------------------------------------------------------------ */

/* A timer_t is the slot's number; never 0, which programs take for "none". */
static struct timer *
timer_of(timer_t id)
{
    uintptr_t i = (uintptr_t)id;

    if (i < N_ITIMERS || i >= N_TIMERS || !timers[i].used)
        return NULL;
    return &timers[i];
}

static int
create_timer(clockid_t clock, const struct sigevent *ev, timer_t *out)
{
    for (uintptr_t i = N_ITIMERS; i < N_TIMERS; i++) {
        struct timer *tm = &timers[i];

        if (tm->used)
            continue;
        *tm = (struct timer){ .used = true, .sig = SIGALRM, .clock = clock };
        any_used = true;
        if (ev != NULL) {
            tm->sig = ev->sigev_signo;
            tm->value = ev->sigev_value;
            tm->silent = ev->sigev_notify == SIGEV_NONE;
        } else {
            tm->value.sival_int = (int)i;
        }
        *out = (timer_t)i;
        return 0;
    }
    return -EAGAIN;
}

BURL_EXPORT int
timer_create(clockid_t clock, struct sigevent *restrict ev, timer_t *restrict out)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_REAL(timer_create)(clock, ev, out);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    if (ev != NULL && ev->sigev_notify != SIGEV_NONE && ev->sigev_notify != SIGEV_SIGNAL)
        burl_rt_unsupported("timer_create with SIGEV_THREAD");
    r = create_timer(clock, ev, out);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

static struct itimerspec
timer_state(const struct timer *tm)
{
    uint64_t value = left(tm);
    uint64_t interval = tm->armed ? tm->interval_ns : 0;

    return (struct itimerspec){
        .it_value = { (time_t)(value / NS_PER_S), (long)(value % NS_PER_S) },
        .it_interval = { (time_t)(interval / NS_PER_S), (long)(interval % NS_PER_S) },
    };
}

static int
set_timer(struct timer *tm, int flags, const struct itimerspec *in)
{
    const struct timespec *v = &in->it_value;
    const struct timespec *i = &in->it_interval;
    uint64_t at;

    if (v->tv_sec < 0 || v->tv_nsec < 0 || v->tv_nsec >= (long)NS_PER_S || i->tv_sec < 0 ||
        i->tv_nsec < 0 || i->tv_nsec >= (long)NS_PER_S)
        return -EINVAL;
    if (v->tv_sec == 0 && v->tv_nsec == 0) {
        disarm(tm);
        return 0;
    }
    if ((flags & TIMER_ABSTIME) != 0)
        at = burl_time_deadline(tm->clock == CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                v->tv_sec, v->tv_nsec);
    else
        at = burl_time_after((uint64_t)v->tv_sec * NS_PER_S + (uint64_t)v->tv_nsec);
    arm(tm, at, (uint64_t)i->tv_sec * NS_PER_S + (uint64_t)i->tv_nsec);
    return 0;
}

BURL_EXPORT int
timer_settime(timer_t id, int flags, const struct itimerspec *restrict in,
              struct itimerspec *restrict old)
{
    struct burl_thread *t = burl_rt_enter();
    struct timer *tm;
    int r = -EINVAL;

    if (t == NULL)
        return BURL_REAL(timer_settime)(id, flags, in, old);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    tm = timer_of(id);
    if (tm != NULL) {
        if (old != NULL)
            *old = timer_state(tm);
        r = set_timer(tm, flags, in);
    }
    burl_timers_fire();
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
timer_gettime(timer_t id, struct itimerspec *out)
{
    struct burl_thread *t = burl_rt_enter();
    struct timer *tm;

    if (t == NULL)
        return BURL_REAL(timer_gettime)(id, out);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    tm = timer_of(id);
    if (tm != NULL)
        *out = timer_state(tm);
    burl_rt_leave(t);
    return (int)burl__result(tm != NULL ? 0 : -EINVAL);
}

BURL_EXPORT int
timer_getoverrun(timer_t id)
{
    struct burl_thread *t = burl_rt_enter();
    struct timer *tm;
    int r;

    if (t == NULL)
        return BURL_REAL(timer_getoverrun)(id);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    tm = timer_of(id);
    r = tm != NULL ? tm->overrun : -EINVAL;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
timer_delete(timer_t id)
{
    struct burl_thread *t = burl_rt_enter();
    struct timer *tm;

    if (t == NULL)
        return BURL_REAL(timer_delete)(id);
    burl__state_doubt(t, BURL__STATE_TIMERS);
    tm = timer_of(id);
    if (tm != NULL) {
        disarm(tm);
        tm->used = false;
    }
    burl_rt_leave(t);
    return (int)burl__result(tm != NULL ? 0 : -EINVAL);
}

BURL_EXPORT int
timerfd_create(clockid_t clock, int flags)
{
    if (burl_self != NULL)
        burl_rt_unsupported("timerfd_create");
    return BURL_REAL(timerfd_create)(clock, flags);
}
