/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=20000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Yields a hundred times before it blocks; the signal comes without the mutex between
 *   the check and the wait, and is lost. No strategy may keep the thread from the end of its loop.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define TRIES 100

static atomic_int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *
await(void *arg)
{
    (void)arg;
    for (int i = 0; i < TRIES && atomic_load(&ready) == 0; i++)
        sched_yield();
    pthread_mutex_lock(&lock);
    while (atomic_load(&ready) == 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t waiter;

    pthread_create(&waiter, NULL, await, NULL);
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    pthread_join(waiter, NULL);
    return 0;
}
