/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: When the permit is not to be had at once the worker skips the section but still
 *   posts at the end, so one permit too many exists and two workers get in.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_WORKERS = 3, N_TRIES = 2 };

static sem_t permit;
static atomic_int inside;

static void
use_printer(void)
{
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void *
worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_TRIES; i++) {
        if (sem_trywait(&permit) == 0)
            use_printer();
        sem_post(&permit);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_WORKERS];

    sem_init(&permit, 0, 1);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&permit);
    return 0;
}
