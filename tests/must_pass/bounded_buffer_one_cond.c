/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Every arrival signals, so there is a wakeup for each item.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 4, N_CONSUMERS = 2 };

struct buffer {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t not_empty;
    int items[CAPACITY];
    int head;
    int count;
};

static struct buffer buffer = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
};

static void
buffer_put(struct buffer *b, int item)
{
    pthread_mutex_lock(&b->mutex);
    assert(b->count < CAPACITY);
    b->items[(b->head + b->count) % CAPACITY] = item;
    b->count++;
    pthread_cond_signal(&b->not_empty);
    pthread_mutex_unlock(&b->mutex);
}

static int
buffer_get(struct buffer *b)
{
    int item;

    pthread_mutex_lock(&b->mutex);
    while (b->count == 0)
        pthread_cond_wait(&b->not_empty, &b->mutex);
    item = b->items[b->head];
    b->head = (b->head + 1) % CAPACITY;
    b->count--;
    pthread_mutex_unlock(&b->mutex);
    return item;
}

static void *
consume(void *arg)
{
    *(int *)arg = buffer_get(&buffer);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CONSUMERS];
    int got[N_CONSUMERS] = { 0 };

    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_create(&threads[i], NULL, consume, &got[i]);
    for (int i = 0; i < N_CONSUMERS; i++)
        buffer_put(&buffer, i + 1);
    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    assert(got[0] + got[1] == 3);
    return 0;
}
