/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A home-made lock on a volatile variable: volatile is not synchronization, and
 *   testing and setting it are two steps.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int taken;
static int tickets = 10;

static void
lock(void)
{
    while (taken)
        sched_yield();
    taken = 1;
}

static void
unlock(void)
{
    taken = 0;
}

static void *
sell(void *arg)
{
    (void)arg;
    lock();
    tickets--;
    unlock();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return tickets <= 9 ? 0 : 1;
}
