/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: A producer waits for room, drops the lock to prepare its item and then stores it
 *   without looking again. Two producers can use the same last slot, and the second writes past
 *   the end of the array.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { CAPACITY = 2, N_PRODUCERS = 2 };

struct buffer {
    pthread_mutex_t mutex; /* guards count and slots */
    pthread_cond_t room;
    size_t count;
    long *slots;
};

static struct buffer buffer = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .room = PTHREAD_COND_INITIALIZER,
};

static long
prepare(long seed)
{
    long x = seed;

    for (int i = 0; i < 3; i++)
        x = x * 31 + 7;
    return x;
}

static void
put(struct buffer *b, long seed)
{
    long item;

    pthread_mutex_lock(&b->mutex);
    while (b->count == CAPACITY)
        pthread_cond_wait(&b->room, &b->mutex);
    pthread_mutex_unlock(&b->mutex);

    item = prepare(seed);

    pthread_mutex_lock(&b->mutex);
    b->slots[b->count++] = item;
    pthread_mutex_unlock(&b->mutex);
}

static void
drain_one(struct buffer *b)
{
    pthread_mutex_lock(&b->mutex);
    b->count--;
    pthread_cond_signal(&b->room);
    pthread_mutex_unlock(&b->mutex);
}

static void *
produce(void *arg)
{
    (void)arg;
    put(&buffer, 5);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_PRODUCERS];

    buffer.slots = calloc(CAPACITY, sizeof *buffer.slots);
    put(&buffer, 1);
    for (int i = 0; i < N_PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce, NULL);
    drain_one(&buffer); /* room for both */
    for (int i = 0; i < N_PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    free(buffer.slots);
    return 0;
}
