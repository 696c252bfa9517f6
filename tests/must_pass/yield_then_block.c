/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-ENGINES: both
 * BURL-WHY: Yields a hundred times before it blocks; the flag changes under the mutex.
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
    pthread_mutex_lock(&lock);
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(waiter, NULL);
    return 0;
}
