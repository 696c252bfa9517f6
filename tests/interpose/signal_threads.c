/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_kill pthread_sigmask pthread_sigqueue tgkill
 * BURL-WHY: a signal sent to a thread is handled by that thread, under its own mask, and ends its
 *   sleep of hours.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pthread_t target;
static atomic_int handled;
static atomic_int awake;
static atomic_int tid;
static sem_t masked;
static sem_t sent;

static void
on_signal(int sig)
{
    (void)sig;
    assert(pthread_equal(pthread_self(), target));
    atomic_fetch_add(&handled, 1);
}

static void
on_info(int sig, siginfo_t *info, void *context)
{
    (void)context;
    assert(info->si_value.sival_int == 5);
    on_signal(sig);
}

static void *
sleeper(void *arg)
{
    unsigned int left = 1000000;

    target = pthread_self();
    atomic_store(&tid, gettid());
    sem_post(&masked);
    while (atomic_load(&handled) == 0)
        left = sleep(left);
    atomic_store(&awake, 1);
    while (sem_wait(&sent) != 0)
        ;
    return arg;
}

static void *
blocker(void *arg)
{
    sigset_t set;
    sigset_t old;

    target = pthread_self();
    atomic_store(&tid, gettid());
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    assert(sigismember(&old, SIGUSR1) == 0);
    sem_post(&masked);
    while (sem_wait(&sent) != 0)
        ;
    assert(atomic_load(&handled) == 0);
    assert(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
    assert(atomic_load(&handled) == 2);
    assert(pthread_sigmask(99, &old, NULL) == EINVAL);
    return arg;
}

int
main(void)
{
    struct sigaction sa = { .sa_handler = on_signal };
    union sigval value = { .sival_int = 5 };
    pthread_t t;

    assert(sem_init(&masked, 0, 0) == 0);
    assert(sem_init(&sent, 0, 0) == 0);
    assert(sigaction(SIGUSR1, &sa, NULL) == 0);
    sa.sa_sigaction = on_info;
    sa.sa_flags = SA_SIGINFO;
    assert(sigaction(SIGUSR2, &sa, NULL) == 0);

    assert(pthread_create(&t, NULL, sleeper, NULL) == 0);
    sem_wait(&masked);
    while (atomic_load(&awake) == 0) { /* the last one may have come before it slept */
        assert(pthread_kill(t, 0) == 0);
        assert(pthread_kill(t, SIGUSR1) == 0);
        usleep(1000);
    }
    sem_post(&sent);
    assert(pthread_join(t, NULL) == 0);
    assert(atomic_load(&handled) > 0);
    atomic_store(&handled, 0);

    assert(pthread_create(&t, NULL, blocker, NULL) == 0);
    sem_wait(&masked);
    assert(tgkill(getpid(), atomic_load(&tid), SIGUSR1) == 0);
    assert(pthread_sigqueue(t, SIGUSR2, value) == 0);
    assert(pthread_kill(t, 1000) == EINVAL);
    sem_post(&sent);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
