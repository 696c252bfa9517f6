/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: The barrier counts main, but main only joins and never arrives, so the workers wait
 *   for ever in every schedule.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_WORKERS = 2 };

static pthread_barrier_t phase;
static int partial[N_WORKERS];
static int total[N_WORKERS];

static void *
work(void *arg)
{
    int self = (int)((int *)arg - total);

    partial[self] = 10 * (self + 1);
    pthread_barrier_wait(&phase);
    for (int i = 0; i < N_WORKERS; i++)
        total[self] += partial[i];
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_WORKERS];

    pthread_barrier_init(&phase, NULL, N_WORKERS + 1);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, work, &total[i]);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_WORKERS; i++)
        assert(total[i] == 30);
    pthread_barrier_destroy(&phase);
    return 0;
}
