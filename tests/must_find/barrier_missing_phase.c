/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: One barrier per round separates writing the task from reading it, but nothing
 *   separates reading it from writing the next one: a slow worker sees the task of the following
 *   round.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_WORKERS = 2, N_ROUNDS = 2 };

static pthread_barrier_t barrier;
static int task; /* written by the leader only */
static int done[N_WORKERS];

static void *
work(void *arg)
{
    int self = (int)((int *)arg - done);

    for (int round = 1; round <= N_ROUNDS; round++) {
        if (self == 0)
            task = round * 100;
        pthread_barrier_wait(&barrier);
        assert(task == round * 100);
        done[self] += task;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_WORKERS];

    pthread_barrier_init(&barrier, NULL, N_WORKERS);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, work, &done[i]);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    assert(done[0] == 300 && done[1] == 300);
    return 0;
}
