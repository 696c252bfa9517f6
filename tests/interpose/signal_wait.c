/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sigwait sigwaitinfo sigtimedwait sigsuspend pause
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static atomic_int handled;
static atomic_int done;
static sigset_t set;

static void
on_signal(int sig)
{
    (void)sig;
    atomic_fetch_add(&handled, 1);
}

static void *
waiter(void *arg)
{
    siginfo_t info;
    int sig;

    assert(sigwait(&set, &sig) == 0);
    assert(sig == SIGUSR1);
    atomic_store(&done, 1);
    assert(sigwaitinfo(&set, &info) == SIGUSR2);
    assert(info.si_signo == SIGUSR2);
    return arg;
}

static void *
pauser(void *arg)
{
    assert(pause() == -1 && errno == EINTR);
    atomic_store(&done, 1);
    return arg;
}

static void *
suspender(void *arg)
{
    sigset_t none;

    /* Blocked until here, so that the signal cannot be missed. */
    sigemptyset(&none);
    while (atomic_load(&handled) == 0)
        assert(sigsuspend(&none) == -1 && errno == EINTR);
    return arg;
}

int
main(void)
{
    struct timespec ts = { 0, 1000000 };
    struct timespec late = { 1000, 0 };
    pthread_t t;
    sigset_t hup;

    signal(SIGHUP, on_signal);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    assert(sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN);
    assert(raise(SIGUSR2) == 0);
    assert(sigtimedwait(&set, NULL, &late) == SIGUSR2);

    assert(pthread_create(&t, NULL, waiter, NULL) == 0);
    assert(kill(getpid(), SIGUSR1) == 0); /* to the process: the waiter takes it */
    while (atomic_load(&done) == 0)
        usleep(1000);
    assert(pthread_kill(t, SIGUSR2) == 0);
    assert(pthread_join(t, NULL) == 0);

    atomic_store(&done, 0);
    assert(pthread_create(&t, NULL, pauser, NULL) == 0);
    while (atomic_load(&done) == 0) { /* a signal before pause() does not end it */
        assert(pthread_kill(t, SIGHUP) == 0);
        usleep(1000);
    }
    assert(pthread_join(t, NULL) == 0);

    atomic_store(&handled, 0);
    sigemptyset(&hup);
    sigaddset(&hup, SIGHUP);
    assert(pthread_sigmask(SIG_BLOCK, &hup, NULL) == 0);
    assert(pthread_create(&t, NULL, suspender, NULL) == 0);
    assert(pthread_kill(t, SIGHUP) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(atomic_load(&handled) == 1);
    return 0;
}
