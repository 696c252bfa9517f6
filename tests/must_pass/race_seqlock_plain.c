/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The data of the seqlock are relaxed atomics, ordered by fences.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int x;
static atomic_int y;

static void *
move(void *arg)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);

    (void)arg;
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, 3, memory_order_relaxed);
    atomic_store_explicit(&y, 4, memory_order_relaxed);
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
        dx = atomic_load_explicit(&x, memory_order_relaxed);
        dy = atomic_load_explicit(&y, memory_order_relaxed);
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
