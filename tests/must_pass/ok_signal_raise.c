/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: raise() runs the handler in the calling thread before it returns; the handler
 *   touches only a thread-local flag.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

static _Thread_local volatile sig_atomic_t caught;

static void
on_signal(int number)
{
    caught = number;
}

static void *
work(void *arg)
{
    (void)arg;
    assert(caught == 0);
    raise(SIGUSR1);
    assert(caught == SIGUSR1);
    caught = 0;
    raise(SIGUSR2);
    assert(caught == SIGUSR2);
    return NULL;
}

int
main(void)
{
    struct sigaction action;
    pthread_t threads[2];

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(caught == 0);
    return 0;
}
