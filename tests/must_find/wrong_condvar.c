/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The sender signals the condition variable of the senders; a receiver that is already
 *   asleep is never woken.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 4, N_ITEMS = 2 };

struct queue {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    int items[CAPACITY];
    int head;
    int count;
};

static struct queue queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
};

static void
queue_put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->mutex);
    q->items[(q->head + q->count++) % CAPACITY] = item;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
}

static int
queue_get(struct queue *q)
{
    int item;

    pthread_mutex_lock(&q->mutex);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    item = q->items[q->head];
    q->head = (q->head + 1) % CAPACITY;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
    return item;
}

static void *
receive(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_ITEMS; i++)
        assert(queue_get(&queue) == i);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, receive, NULL);
    for (int i = 0; i < N_ITEMS; i++)
        queue_put(&queue, i);
    pthread_join(thread, NULL);
    return 0;
}
