/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The spinlock tests and sets in two steps, so two threads can both find it free.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_THREADS = 2, N_ROUNDS = 2 };

struct spinlock {
    atomic_int locked;
};

static struct spinlock lock;
static int balance; /* guarded by lock */

static void
spin_lock(struct spinlock *l)
{
    while (atomic_load(&l->locked))
        ;
    atomic_store(&l->locked, 1);
}

static void
spin_unlock(struct spinlock *l)
{
    atomic_store(&l->locked, 0);
}

static void *
deposit(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_ROUNDS; i++) {
        spin_lock(&lock);
        balance += 10;
        spin_unlock(&lock);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, deposit, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(balance == 10 * N_THREADS * N_ROUNDS);
    return 0;
}
