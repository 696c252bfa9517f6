/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Per-thread counters lie side by side; the numbering of the threads starts at one, so
 *   that the last thread shares a slot with the totals.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 2, TOTALS = N };

static long counters[N + 1];

static void *
count(void *arg)
{
    int me = *(int *)arg;

    counters[me + 1]++;
    return NULL;
}

static void *
count_all(void *arg)
{
    counters[TOTALS] += 5;
    return arg;
}

int
main(void)
{
    pthread_t threads[N + 1];
    int ids[N] = { 0, 1 };

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, &ids[i]);
    pthread_create(&threads[N], NULL, count_all, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return counters[TOTALS] <= 6 ? 0 : 1;
}
