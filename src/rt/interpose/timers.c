/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.c - alarm, setitimer and POSIX timers on virtual time.
 *
 * A timer is a virtual time and a signal. It expires when the clock has passed it: the owner of the
 * clock (sched/time.c) counts burl_timers_next() among the deadlines and calls burl_timers_fire();
 * the functions of time.c do so too after moving the clock.
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

#define NS_PER_US 1000ull

/* Slots 0..2 are the interval timers by their number (ITIMER_REAL and so on), the rest POSIX
 * timers. Real programs have a handful; creating more fails with EAGAIN, as under a low limit. */
#define N_ITIMERS 3
#define N_TIMERS 64

struct timer {
    bool used;
    bool armed;
    bool silent; /* SIGEV_NONE: only its time is read */
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

/* Would a thread get the signal if it expired now? */
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
timer_disarm(struct timer *tm)
{
    if (tm->armed)
        n_armed--;
    tm->armed = false;
}

static void
timer_expire(struct timer *tm, uint64_t now)
{
    uint64_t missed;

    if (tm->interval_ns == 0) {
        timer_disarm(tm);
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
            timer_expire(&timers[i], now);
    }
}

/* ---- setting and asking ------------------------------------------------------------------ */

static void
timer_arm(struct timer *tm, uint64_t at_ns, uint64_t interval_ns)
{
    if (!tm->armed)
        n_armed++;
    if (burl_self != NULL) /* arming comes before the handler */
        burl__notify_send_order(burl_self, &burl_ob_channel_signal);
    tm->armed = true;
    tm->at_ns = at_ns;
    tm->interval_ns = interval_ns;
    tm->overrun = 0;
}

static uint64_t
timer_left(const struct timer *tm)
{
    uint64_t now = burl_time_peek_ns();

    if (!tm->armed)
        return 0;
    return tm->at_ns > now ? tm->at_ns - now : 1; /* an armed timer never shows zero */
}

static struct timer *
itimer_slot(int which)
{
    struct timer *tm = &timers[which];

    tm->used = true;
    any_used = true;
    tm->sig = itimer_signal[which];
    return tm;
}

/* Units left of the old alarm, rounded as the kernel does. */
static unsigned int
set_alarm(uint64_t value, uint64_t interval, uint64_t unit_ns)
{
    struct timer *tm = itimer_slot(ITIMER_REAL);
    uint64_t old = timer_left(tm);
    uint64_t units = (old + unit_ns / 2) / unit_ns;

    if (old != 0 && units == 0)
        units = 1;
    if (value == 0)
        timer_disarm(tm);
    else
        timer_arm(tm, burl_time_after(value * unit_ns), interval * unit_ns);
    return (unsigned int)units;
}

/* The timers are state that all threads share. */
#define INTERPOSE_TIMER(prototype, uncontrolled, controlled) \
    BURL_INTERPOSE_SYS(prototype, uncontrolled,              \
                       (burl__state_doubt(t, BURL__STATE_TIMERS), controlled))

#define ARMS(call) (burl_free_signal_cause(), call)

INTERPOSE_TIMER(unsigned int alarm(unsigned int seconds), ARMS(BURL_REAL(alarm)(seconds)),
                set_alarm(seconds, 0, BURL__NS_PER_S))
INTERPOSE_TIMER(useconds_t ualarm(useconds_t value, useconds_t interval),
                ARMS(BURL_REAL(ualarm)(value, interval)), set_alarm(value, interval, NS_PER_US))

static bool
timeval_ns(const struct timeval *tv, uint64_t *out)
{
    if (tv->tv_sec < 0 || tv->tv_usec < 0 || tv->tv_usec >= 1000000)
        return false;
    *out = (uint64_t)tv->tv_sec * BURL__NS_PER_S + (uint64_t)tv->tv_usec * NS_PER_US;
    return true;
}

static int
get_itimer(int which, struct itimerval *out)
{
    const struct timer *tm;

    if ((unsigned)which >= N_ITIMERS)
        return -EINVAL;
    tm = &timers[which];
    out->it_value = burl__ns_timeval((timer_left(tm) + NS_PER_US - 1) / NS_PER_US * NS_PER_US);
    out->it_interval = burl__ns_timeval(tm->armed ? tm->interval_ns : 0);
    return 0;
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
        timer_disarm(itimer_slot(which));
    else
        timer_arm(itimer_slot(which), burl_time_after(value), interval);
    return 0;
}

INTERPOSE_TIMER(int getitimer(__itimer_which_t which, struct itimerval *out),
                BURL_REAL(getitimer)(which, out), get_itimer((int)which, out))
INTERPOSE_TIMER(int setitimer(__itimer_which_t which, const struct itimerval *restrict in,
                              struct itimerval *restrict old),
                ARMS(BURL_REAL(setitimer)(which, in, old)), set_itimer((int)which, in, old))

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
    if (ev != NULL && ev->sigev_notify != SIGEV_NONE && ev->sigev_notify != SIGEV_SIGNAL)
        burl_rt_unsupported("timer_create with SIGEV_THREAD");
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

static struct itimerspec
timer_state(const struct timer *tm)
{
    return (struct itimerspec){
        .it_value = burl__ns_timespec(timer_left(tm)),
        .it_interval = burl__ns_timespec(tm->armed ? tm->interval_ns : 0),
    };
}

static int
arm_timer(struct timer *tm, int flags, const struct itimerspec *in)
{
    const struct timespec *v = &in->it_value;

    if (!burl__timespec_ok(v) || !burl__timespec_ok(&in->it_interval))
        return -EINVAL;
    if (v->tv_sec == 0 && v->tv_nsec == 0)
        timer_disarm(tm);
    else
        timer_arm(
            tm,
            (flags & TIMER_ABSTIME) == 0
                ? burl_time_after(burl__timespec_ns(v))
                : burl_time_deadline(tm->clock == CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                     v->tv_sec, v->tv_nsec),
            burl__timespec_ns(&in->it_interval));
    return 0;
}

static int
set_timer(struct timer *tm, int flags, const struct itimerspec *in, struct itimerspec *old)
{
    int r = -EINVAL;

    if (tm != NULL) {
        if (old != NULL)
            *old = timer_state(tm);
        r = arm_timer(tm, flags, in);
    }
    burl_timers_fire();
    return r;
}

static int
delete_timer(struct timer *tm)
{
    timer_disarm(tm);
    tm->used = false;
    return 0;
}

/* `action` on the timer tm of the id. */
#define ON_TIMER(id, action)             \
    ({                                   \
        struct timer *tm = timer_of(id); \
                                         \
        tm != NULL ? (action) : -EINVAL; \
    })

INTERPOSE_TIMER(int timer_create(clockid_t clock, struct sigevent *restrict ev,
                                 timer_t *restrict out),
                BURL_REAL(timer_create)(clock, ev, out), create_timer(clock, ev, out))
INTERPOSE_TIMER(int timer_settime(timer_t id, int flags, const struct itimerspec *restrict in,
                                  struct itimerspec *restrict old),
                ARMS(BURL_REAL(timer_settime)(id, flags, in, old)),
                set_timer(timer_of(id), flags, in, old))
INTERPOSE_TIMER(int timer_gettime(timer_t id, struct itimerspec *out),
                BURL_REAL(timer_gettime)(id, out), ON_TIMER(id, (*out = timer_state(tm), 0)))
INTERPOSE_TIMER(int timer_getoverrun(timer_t id), BURL_REAL(timer_getoverrun)(id),
                ON_TIMER(id, tm->overrun))
INTERPOSE_TIMER(int timer_delete(timer_t id), BURL_REAL(timer_delete)(id),
                ON_TIMER(id, delete_timer(tm)))

BURL_INTERPOSE_UNSUPPORTED(int timerfd_create(clockid_t clock, int flags), "timerfd_create",
                           BURL_REAL(timerfd_create)(clock, flags))
