/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The handler runs in main and sets a plain flag; sig_atomic_t is for a handler and
 *   its own thread, the worker is another one.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
    (void)sig;
    stop = 1;
}

static void *
work(void *arg)
{
    int *rounds = arg;

    for (int i = 0; i < 3 && !stop; i++)
        ++*rounds;
    return NULL;
}

int
main(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    pthread_t thread;
    int rounds = 0;

    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, work, &rounds);
    raise(SIGUSR1);
    pthread_join(thread, NULL);
    return rounds <= 3 && stop ? 0 : 1;
}
