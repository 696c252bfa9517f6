/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each statistic is cleared with an atomic store.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static struct {
    atomic_uint reads;
    atomic_uint writes;
} stats;

static void *
work(void *arg)
{
    atomic_fetch_add_explicit(&stats.reads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&stats.writes, 1, memory_order_relaxed);
    return arg;
}

static void *
clear(void *arg)
{
    atomic_store_explicit(&stats.reads, 0, memory_order_relaxed);
    atomic_store_explicit(&stats.writes, 0, memory_order_relaxed);
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, clear, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&stats.reads) <= 1 ? 0 : 1;
}
