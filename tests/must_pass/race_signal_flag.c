/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The flag is a lock-free atomic, which serves handlers and threads alike.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stop;

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
