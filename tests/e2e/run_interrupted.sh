#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_interrupted.sh - operations of the runtime that a handler interrupts, that a jump out
# of a handler leaves for good, that a cancellation ends, or in which a handler forks, keep no lock:
# the program goes on, with every detector and every metric.
. "$(dirname "$0")/run_lib.inc"

cat >hits.c <<'SRC'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long shared, hits;
static atomic_int stop;
static volatile sig_atomic_t is_child;
static sigjmp_buf out;
static const char *how;
static long guarded;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* The child returns into what was interrupted, and ends in the loop of main. */
static void
fork_some(void)
{
    static int n;
    pid_t child;

    if (n++ % 16 != 0)
        return;
    child = fork();
    if (child == 0)
        is_child = 1;
    else
        waitpid(child, NULL, 0);
}

static void
on_alarm(int sig)
{
    (void)sig;
    atomic_fetch_add(&shared, 1);
    atomic_fetch_add(&hits, 1);
    if (strcmp(how, "fork") == 0)
        fork_some();
    if (strcmp(how, "jump") == 0)
        siglongjmp(out, 1);
}

static void
mask_alarm(int what)
{
    sigset_t alarm_set;

    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(what, &alarm_set, NULL);
}

/* Needs what the interrupted thread may have left locked. */
static void *
other(void *arg)
{
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&shared, 1);
        atomic_store(&hits, atomic_load(&hits));
        pthread_mutex_lock(&m);
        guarded++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *
endless(void *arg)
{
    int old;

    if (strcmp(how, "both") == 0)
        mask_alarm(SIG_UNBLOCK);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (;;) {
        atomic_fetch_add(&shared, 1);
        (void)atomic_load(&hits);
    }
    return arg;
}

static void
cancel_some(int n)
{
    for (int i = 0; i < n; i++) {
        long before = atomic_load(&shared);
        pthread_t t;

        pthread_create(&t, NULL, endless, NULL);
        while (atomic_load(&shared) < before + 50)
            ;
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
}

/* A lock of the program must not be held when a handler jumps away or forks. */
static void
work(void)
{
    atomic_fetch_add(&shared, 1);
    (void)atomic_load(&hits);
    if (strcmp(how, "handle") != 0)
        return;
    pthread_mutex_lock(&m);
    guarded++;
    pthread_mutex_unlock(&m);
}

static void
set_alarms(int interval_us)
{
    struct itimerval often = { { 0, interval_us }, { 0, interval_us } };
    struct sigaction sa = { .sa_handler = on_alarm };

    if (interval_us != 0)
        sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    if (interval_us == 0)
        signal(SIGALRM, SIG_IGN);
}

static void
interrupt_some(int n)
{
    volatile int taken = 0;

    if (sigsetjmp(out, 1) != 0)
        taken++;
    else
        set_alarms(100);
    while (taken < n) {
        work();
        if (is_child)
            _exit(0);
        if (strcmp(how, "jump") != 0)
            taken += atomic_exchange(&hits, 0) > 0;
    }
    set_alarms(0);
}

int
main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 2 ? atoi(argv[2]) : 200;

    how = argc > 1 ? argv[1] : "";
    mask_alarm(SIG_BLOCK);
    pthread_create(&t, NULL, other, NULL);
    if (strcmp(how, "both") == 0) {
        set_alarms(50); /* taken by the threads to be canceled */
        cancel_some(n);
        set_alarms(0);
    }
    mask_alarm(SIG_UNBLOCK);
    if (strcmp(how, "cancel") == 0)
        cancel_some(n);
    else if (strcmp(how, "both") != 0)
        interrupt_some(n);
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    return 0;
}
SRC
build hits
for how in 'handle 1000' 'jump 1000' 'cancel 60' 'both 20' 'fork 200'; do
    for detect in race race,lockset race,lockset,triple,lockorder,signals; do
        run 0 timeout 60 "$BURL" run --detect=$detect ./hits $how
        has err 'nothing found'
    done
    run 0 timeout 60 "$BURL" cover -e free -n 1 -t 0 --no-target -m LP,SYNC,HB,AVIO,GLSC -q ./hits $how
done
# Lost cancellations were rare.
run 0 timeout 60 "$BURL" run --detect=race ./hits both 300

# A handler of a fault runs at once: the operation it repairs has not happened yet. One that is put
# off keeps its data, its mask and its stack.
cat >fault.c <<'SRC'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static atomic_long *page;
static atomic_long faults, queued, sum;
static atomic_int stop;
static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    atomic_fetch_add(&faults, 1);
    atomic_fetch_add(&sum, 1);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    if (info->si_addr != (void *)page)
        abort();
}
static void on_queued(int sig, siginfo_t *info, void *context)
{
    sigset_t now;
    char here;
    stack_t alt;
    (void)sig, (void)context;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    sigaltstack(NULL, &alt);
    if (!sigismember(&now, SIGUSR2) || !sigismember(&now, SIGRTMIN) ||
        sigismember(&now, SIGTERM) || (alt.ss_flags & SS_ONSTACK) == 0 ||
        &here < (char *)alt.ss_sp || info->si_value.sival_int != 7 || info->si_pid != getpid())
        abort();
    atomic_fetch_add(&sum, 1);
    atomic_fetch_add(&queued, 1);
}
static void *other(void *arg)
{
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&sum, 1);
        atomic_load(page);
    }
    return arg;
}
static void *sender(void *arg)
{
    pthread_t to = *(pthread_t *)arg;
    for (long i = 0; i < 300; i++) {
        union sigval v = { .sival_int = 7 };
        pthread_sigqueue(to, SIGRTMIN, v);
        while (atomic_load(&queued) <= i)
            ;
    }
    atomic_store(&stop, 1);
    return arg;
}
int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    stack_t alt = { .ss_sp = malloc(65536), .ss_size = 65536 };
    pthread_t me = pthread_self(), t, s;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &sa, NULL);
    sa.sa_sigaction = on_queued;
    sa.sa_flags |= SA_ONSTACK;
    sigemptyset(&sa.sa_mask);
    sigaddset(&sa.sa_mask, SIGUSR2);
    sigaction(SIGRTMIN, &sa, NULL);
    sigaltstack(&alt, NULL);
    pthread_create(&t, NULL, other, NULL);
    pthread_create(&s, NULL, sender, &me);
    for (long i = 0; !atomic_load(&stop); i++) {
        if (i % 16 == 0)
            mprotect(page, 4096, PROT_READ);
        atomic_fetch_add(page, 1);
        atomic_fetch_add(&sum, 1);
    }
    pthread_join(t, NULL);
    pthread_join(s, NULL);
    return atomic_load(&faults) == 0 || atomic_load(&queued) != 300;
}
SRC
build fault
for detect in race race,lockset; do
    run 0 timeout 60 "$BURL" run --detect=$detect ./fault
    has err 'nothing found'
done
