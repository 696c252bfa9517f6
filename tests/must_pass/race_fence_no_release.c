/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A release fence before the relaxed store and an acquire fence after the relaxed load
 *   that read it synchronize.
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
    atomic_thread_fence(memory_order_release);
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
