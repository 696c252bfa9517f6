#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_interrupted.sh - operations of the runtime that a handler interrupts, that a jump out
# of a handler leaves for good, or that a cancellation ends, keep no lock: the program goes on.
. "$(dirname "$0")/run_lib.inc"

cat >hits.c <<'SRC'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_long shared, hits;
static atomic_int stop;
static sigjmp_buf out;
static const char *how;

static void
on_alarm(int sig)
{
    (void)sig;
    atomic_fetch_add(&shared, 1);
    atomic_fetch_add(&hits, 1);
    if (strcmp(how, "jump") == 0)
        siglongjmp(out, 1);
}

/* Needs what the interrupted thread may have left locked. */
static void *
other(void *arg)
{
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&shared, 1);
        atomic_store(&hits, atomic_load(&hits));
    }
    return arg;
}

static void *
endless(void *arg)
{
    int old;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (;;) {
        atomic_fetch_add(&shared, 1);
        (void)atomic_load(&hits);
    }
    return arg;
}

static void
cancel_some(void)
{
    for (int i = 0; i < 60; i++) {
        long before = atomic_load(&shared);
        pthread_t t;

        pthread_create(&t, NULL, endless, NULL);
        while (atomic_load(&shared) < before + 50)
            ;
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
}

static void
interrupt_some(int n)
{
    struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };
    struct sigaction sa = { .sa_handler = on_alarm };
    volatile int taken = 0;

    sigaction(SIGALRM, &sa, NULL);
    if (sigsetjmp(out, 1) != 0)
        taken++;
    else
        setitimer(ITIMER_REAL, &often, NULL);
    while (taken < n) {
        atomic_fetch_add(&shared, 1);
        (void)atomic_load(&hits);
        if (strcmp(how, "jump") != 0)
            taken += atomic_exchange(&hits, 0) > 0;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
}

int
main(int argc, char **argv)
{
    sigset_t alarm_set;
    pthread_t t;

    how = argc > 1 ? argv[1] : "";
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    pthread_create(&t, NULL, other, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    if (strcmp(how, "cancel") == 0)
        cancel_some();
    else
        interrupt_some(200);
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    return 0;
}
SRC
build hits
for how in handle jump cancel; do
    run 0 timeout 60 "$BURL" run ./hits $how
    has err 'nothing found'
done
