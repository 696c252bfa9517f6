/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsc_ring.c - many producers, one consumer: a producer reserves a slot by a fetch-and-add,
 * fills it, and counts it as published. The count does not say which slots: when the second
 * to reserve is the first to publish, the consumer reads a slot that is not filled. FIXED:
 * each slot says itself whether it is filled.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { PRODUCERS = 2, EACH = 3, SLOTS = 8 };

static _Atomic unsigned reserved;
static _Atomic unsigned published;
static struct {
    _Atomic int message; /* 0: none */
    atomic_bool filled;
} slots[SLOTS];

static void
send(int message)
{
    unsigned at = atomic_fetch_add(&reserved, 1);

    slots[at].message = message;
    slots[at].filled = true;
    atomic_fetch_add(&published, 1);
}

static bool
is_there(unsigned at)
{
#ifdef FIXED
    return slots[at].filled;
#else
    return at < published;
#endif
}

static void *
producer(void *arg)
{
    for (int i = 1; i <= EACH; i++)
        send(i);
    return arg;
}

static void *
consumer(void *arg)
{
    for (unsigned at = 0; at < PRODUCERS * EACH; at++) {
        while (!is_there(at))
            sched_yield();
        assert(slots[at].message != 0);
    }
    return arg;
}

int
main(void)
{
    pthread_t threads[PRODUCERS + 1];

    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, NULL);
    pthread_create(&threads[PRODUCERS], NULL, consumer, NULL);
    for (int i = 0; i <= PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
