/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: alarm ualarm setitimer getitimer timer_create timer_settime timer_gettime
 *   timer_getoverrun timer_delete
 * BURL-NATIVE: no
 * BURL-WHY: timers of hours expire on virtual time and interrupt a sleep, a pause, and a wait
 *   for a signal.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600

static volatile sig_atomic_t n_alarms;

static void
on_alarm(int sig)
{
    (void)sig;
    n_alarms++;
}

static void
alarms(void)
{
    assert(alarm(10 * HOUR) == 0);
    assert(alarm(HOUR) >= 10 * HOUR - 1);
    assert(pause() == -1 && errno == EINTR);
    assert(n_alarms == 1);
    assert(alarm(HOUR) == 0);
    assert(alarm(0) >= HOUR - 1);
    assert(sleep(3 * HOUR) == 0); /* nothing comes */
    assert(n_alarms == 1);
    assert(ualarm(500000, 0) == 0);
    assert(pause() == -1 && n_alarms == 2);
}

static void
interval(void)
{
    struct itimerval it = { .it_value = { HOUR, 0 }, .it_interval = { HOUR, 0 } };
    struct itimerval left;

    assert(setitimer(ITIMER_REAL, &it, NULL) == 0);
    assert(getitimer(ITIMER_REAL, &left) == 0);
    assert(left.it_interval.tv_sec == HOUR && left.it_value.tv_sec >= HOUR - 1);
    n_alarms = 0;
    while (n_alarms < 3)
        pause();
    it = (struct itimerval){ 0 };
    assert(setitimer(ITIMER_REAL, &it, &left) == 0);
    assert(left.it_value.tv_sec >= HOUR - 1);
    it.it_value.tv_usec = 1000000;
    assert(setitimer(ITIMER_REAL, &it, NULL) == -1 && errno == EINVAL);
}

static void
posix_timer(void)
{
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    struct itimerspec spec = { .it_value = { HOUR, 0 } };
    siginfo_t info;
    sigset_t set;
    timer_t id;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    ev.sigev_value.sival_int = 77;
    assert(timer_create(CLOCK_MONOTONIC, &ev, &id) == 0);
    assert(timer_settime(id, 0, &spec, NULL) == 0);
    assert(timer_gettime(id, &spec) == 0 && spec.it_value.tv_sec >= HOUR - 1);
    assert(sigwaitinfo(&set, &info) == SIGUSR1);
    assert(info.si_code == SI_TIMER && info.si_value.sival_int == 77);
    assert(timer_getoverrun(id) == 0);
    assert(timer_gettime(id, &spec) == 0 && spec.it_value.tv_sec == 0);
    clock_gettime(CLOCK_MONOTONIC, &spec.it_value);
    spec.it_value.tv_sec += HOUR;
    assert(timer_settime(id, TIMER_ABSTIME, &spec, NULL) == 0);
    assert(sigwaitinfo(&set, &info) == SIGUSR1);
    assert(timer_delete(id) == 0);
    assert(timer_delete(id) == -1 && errno == EINVAL);
}

int
main(void)
{
    struct sigaction sa = { .sa_handler = on_alarm };

    assert(sigaction(SIGALRM, &sa, NULL) == 0);
    alarms();
    interval();
    posix_timer();
    return 0;
}
