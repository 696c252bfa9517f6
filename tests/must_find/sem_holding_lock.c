/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck | deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The consumer waits for the semaphore while it holds the lock that the producer needs
 *   before it can post.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { N_ITEMS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards items and count */
static sem_t available;
static int items[N_ITEMS];
static int count;

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        items[count++] = i + 1;
        pthread_mutex_unlock(&mutex);
        sem_post(&available);
    }
    return NULL;
}

static void *
consume(void *arg)
{
    int *sum = arg;

    for (int i = 0; i < N_ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        sem_wait(&available);
        *sum += items[--count];
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int
main(void)
{
    pthread_t producer;
    pthread_t consumer;
    int sum = 0;

    sem_init(&available, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, &sum);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    assert(sum == 3);
    sem_destroy(&available);
    return 0;
}
