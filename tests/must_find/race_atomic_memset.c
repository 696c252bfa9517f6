/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The statistics are atomic, but they are cleared with memset while the workers count.
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
    memset(&stats, 0, sizeof stats);
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
