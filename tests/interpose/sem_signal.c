/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_wait
 * A signal handler interrupts the wait for a semaphore, unless it was set to restart it.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static sem_t s;
static atomic_int handled;
static atomic_int interrupted;

static void
on_signal(int sig)
{
    (void)sig;
    atomic_fetch_add(&handled, 1);
}

static void *
wait_twice(void *arg)
{
    sigset_t set;

    (void)arg;
    assert(sem_wait(&s) == -1 && errno == EINTR);
    assert(atomic_load(&handled) >= 1);
    /* What was sent too much must not interrupt the second wait. */
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    atomic_store(&interrupted, 1);
    assert(sem_wait(&s) == 0);
    return NULL;
}

int
main(void)
{
    struct sigaction sa = { .sa_handler = on_signal };
    pthread_t t;
    int before;

    assert(sem_init(&s, 0, 0) == 0);
    assert(sigaction(SIGUSR1, &sa, NULL) == 0);
    sa.sa_flags = SA_RESTART;
    assert(sigaction(SIGUSR2, &sa, NULL) == 0);
    assert(pthread_create(&t, NULL, wait_twice, NULL) == 0);
    while (atomic_load(&interrupted) == 0) {
        assert(pthread_kill(t, SIGUSR1) == 0);
        usleep(1000);
    }
    before = atomic_load(&handled);
    assert(pthread_kill(t, SIGUSR2) == 0);
    while (atomic_load(&handled) == before)
        sched_yield();
    assert(sem_post(&s) == 0);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
