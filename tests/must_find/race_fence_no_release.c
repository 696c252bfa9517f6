/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The reader has its acquire fence, but the writer has no release fence before its
 *   relaxed store: one fence alone orders nothing between the threads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static int block[4];
static atomic_int filled;

static void *
fill(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++)
        block[i] = i + 1;
    atomic_store_explicit(&filled, 1, memory_order_relaxed);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int sum = 0;

    pthread_create(&thread, NULL, fill, NULL);
    while (!atomic_load_explicit(&filled, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    for (int i = 0; i < 4; i++)
        sum += block[i];
    pthread_join(thread, NULL);
    return sum == 10 ? 0 : 1;
}
