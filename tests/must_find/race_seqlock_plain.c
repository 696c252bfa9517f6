/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The sequence numbers of the seqlock tell the reader to try again, but its data are
 *   plain: reading them while they are written is a data race all the same.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static int x;
static int y;

static void *
move(void *arg)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);

    (void)arg;
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    x = 3;
    y = 4;
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return NULL;
}

static void *
locate(void *arg)
{
    int *distance = arg;
    unsigned before;
    unsigned after;
    int dx;
    int dy;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        dx = x;
        dy = y;
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
        if (before != after || before % 2 != 0)
            sched_yield();
    } while (before != after || before % 2 != 0);
    *distance = dx * dx + dy * dy;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int distance = -1;

    pthread_create(&threads[0], NULL, move, NULL);
    pthread_create(&threads[1], NULL, locate, &distance);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return distance == 0 || distance == 25 ? 0 : 1;
}
