/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The producer moves the tail before it has written the item, so the consumer can read
 *   a slot that is not filled yet.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { CAPACITY = 4, N_ITEMS = 3 };

struct ring {
    int slots[CAPACITY];
    atomic_uint head; /* written by the consumer */
    atomic_uint tail; /* written by the producer */
};

static struct ring ring;

static void
ring_put(struct ring *r, int item)
{
    unsigned tail = atomic_load(&r->tail);

    while (tail - atomic_load(&r->head) == CAPACITY)
        sched_yield();
    atomic_store(&r->tail, tail + 1);
    r->slots[tail % CAPACITY] = item;
}

static int
ring_get(struct ring *r)
{
    unsigned head = atomic_load(&r->head);
    int item;

    while (atomic_load(&r->tail) == head)
        sched_yield();
    item = r->slots[head % CAPACITY];
    atomic_store(&r->head, head + 1);
    return item;
}

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= N_ITEMS; i++)
        ring_put(&ring, i);
    return NULL;
}

static void *
consume(void *arg)
{
    (void)arg;
    for (int i = 1; i <= N_ITEMS; i++)
        assert(ring_get(&ring) == i);
    return NULL;
}

int
main(void)
{
    pthread_t producer;
    pthread_t consumer;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
