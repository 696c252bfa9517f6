/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.wait-without-mutex | misuse.unlock-unlocked | misuse.unlock-foreign
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: A consumer that was woken for an item another thread took releases the mutex to
 *   report it, and goes on (to wait, or to take the next item and unlock) without taking the
 *   mutex back.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_CONSUMERS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards items */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int items;
static atomic_int n_spurious;

static void *
consume(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    while (items == 0) {
        pthread_cond_wait(&arrived, &mutex);
        if (items == 0) {
            pthread_mutex_unlock(&mutex);
            atomic_fetch_add(&n_spurious, 1);
        }
    }
    items--;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void
deliver(void)
{
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&mutex);
}

int
main(void)
{
    pthread_t threads[N_CONSUMERS];

    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_create(&threads[i], NULL, consume, NULL);
    for (int i = 0; i < N_CONSUMERS; i++)
        deliver();
    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    assert(items == 0);
    return 0;
}
