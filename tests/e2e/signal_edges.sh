#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/signal_edges.sh - what a thread wrote before it set a handler, armed a timer, sent a
# signal or started a process that sends one is ordered with the handler, or with the thread that
# waits for the signal; what it writes afterwards is not.
. "$(dirname "$0")/run_lib.inc"

cat >edges.c <<'SRC'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void (*bsd_signal(int sig, void (*handler)(int)))(int);

static int data;
static int up, done;
static const char *how;

static int
is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void
use(int sig)
{
    (void)sig;
    if (data != 42)
        abort();
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
}

static void
use_info(int sig, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    use(sig);
}

static void
use_value(union sigval v)
{
    use(v.sival_int);
}

static int
is_done(void)
{
    return __atomic_load_n(&done, __ATOMIC_RELAXED);
}

static void *
receiver(void *arg)
{
    struct signalfd_siginfo si;
    siginfo_t info;
    sigset_t set;
    int sig;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    __atomic_store_n(&up, 1, __ATOMIC_RELAXED);
    if (is("sigwait")) {
        sigwait(&set, &sig);
    } else if (is("sigwaitinfo")) {
        sigwaitinfo(&set, &info);
    } else if (strncmp(how, "signalfd", 8) == 0) {
        struct pollfd p = { .fd = signalfd(-1, &set, 0), .events = POLLIN };

        if (is("signalfd_poll"))
            poll(&p, 1, -1);
        if (read(p.fd, &si, sizeof si) != sizeof si)
            abort();
    } else {
        while (!is_done())
            usleep(500);
        return arg;
    }
    use(0);
    return arg;
}

/* With a handler set and `data` written, in that order or the other. */
static void
cause(pthread_t t)
{
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    struct itimerspec soon = { .it_value = { 0, 1000000 } };
    struct itimerval soon_us = { .it_value = { 0, 1000 } };
    union sigval none = { 0 };
    timer_t timer;

    if (is("itimer"))
        setitimer(ITIMER_REAL, &soon_us, NULL);
    else if (is("ualarm"))
        ualarm(1000, 0);
    else if (is("timer")) {
        timer_create(CLOCK_MONOTONIC, &ev, &timer);
        timer_settime(timer, 0, &soon, NULL);
    } else if (is("timer_thread")) {
        ev.sigev_notify = SIGEV_THREAD;
        ev.sigev_notify_function = use_value;
        timer_create(CLOCK_MONOTONIC, &ev, &timer);
        timer_settime(timer, 0, &soon, NULL);
    } else if (is("raw"))
        syscall(SYS_kill, getpid(), SIGUSR1);
    else if (is("raw_queue"))
        syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1,
                &(siginfo_t){ .si_code = SI_QUEUE, .si_signo = SIGUSR1 });
    else if (is("killpg"))
        killpg(getpgrp(), SIGUSR1);
    else if (is("sigqueue"))
        sigqueue(getpid(), SIGUSR1, none);
    else if (is("pthread_kill") || is("after"))
        pthread_kill(t, SIGUSR1);
    else if (is("child")) {
        if (fork() == 0) {
            kill(getppid(), SIGUSR1);
            _exit(0);
        }
    } else
        kill(getpid(), SIGUSR1);
}

static void
set_handler(void)
{
    struct sigaction sa = { .sa_handler = use };

    if (is("signal"))
        signal(SIGUSR1, use);
    else if (is("bsd_signal"))
        bsd_signal(SIGUSR1, use);
    else if (is("ssignal"))
        ssignal(SIGUSR1, use);
    else if (is("sysv_signal"))
        sysv_signal(SIGUSR1, use);
    else if (is("sigset")) {
        sigset(SIGUSR1, use);
        sighold(SIGUSR1);
    } else if (is("siginfo")) {
        sa.sa_sigaction = use_info;
        sa.sa_flags = SA_SIGINFO;
        sigaction(SIGUSR1, &sa, NULL);
    } else {
        sigaction(SIGUSR1, &sa, NULL);
        sigaction(SIGALRM, &sa, NULL);
    }
}

int
main(int argc, char **argv)
{
    int waits;
    sigset_t set;
    pthread_t t;

    how = argc > 1 ? argv[1] : "";
    waits = strncmp(how, "sigwait", 7) == 0 || strncmp(how, "signalfd", 8) == 0;
    if (is("killpg"))
        setpgid(0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGALRM);
    if (waits)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, receiver, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* the other thread gets it */
    while (!__atomic_load_n(&up, __ATOMIC_RELAXED))
        usleep(100);
    /* Twice: before the handler is set, and between that and the signal. */
    if (argc > 2)
        data = 42;
    if (!waits)
        set_handler();
    if (argc <= 2)
        data = 42;
    cause(t);
    if (is("after"))
        data = 42;
    while (!is_done())
        usleep(500);
    pthread_join(t, NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 -Wno-deprecated-declarations edges.c -o edges || fail "edges.c"

sends="kill raw raw_queue sigqueue pthread_kill child itimer ualarm timer"
sets="sigaction signal bsd_signal ssignal sysv_signal sigset siginfo"
for how in $sends killpg timer_thread sigwait sigwaitinfo signalfd signalfd_poll; do
    run 0 "$BURL" run ./edges $how
    has err 'nothing found'
done
for how in $sets; do
    run 0 "$BURL" run ./edges $how first
done
for how in $sends $sets sigwait sigwaitinfo; do
    run 0 "$BURL" test --runs=30 ./edges $how
done
# What is written after the signal was sent.
for i in 1 2 3 4 5; do
    "$BURL" run ./edges after >out 2>err && continue
    has err 'race.data'
    found=yes
    break
done
[ -n "${found:-}" ] || fail "no race in burl run"
run 1 "$BURL" test --runs=300 ./edges after
has out 'data race on data'
