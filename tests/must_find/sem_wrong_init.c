/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The semaphore that is meant as a lock starts with two permits, so it does not
 *   exclude any thread.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { N_THREADS = 2, N_DEPOSITS = 2 };

struct till {
    sem_t lock; /* guards coins */
    int coins;
};

static struct till till;

static void
deposit(struct till *t, int n)
{
    sem_wait(&t->lock);
    t->coins += n;
    sem_post(&t->lock);
}

static void *
customer(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_DEPOSITS; i++)
        deposit(&till, 5);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    sem_init(&till.lock, 0, 2);
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, customer, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(till.coins == 5 * N_THREADS * N_DEPOSITS);
    sem_destroy(&till.lock);
    return 0;
}
