/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The home-made barrier lets its waiters go when the count is back at zero. A thread
 *   that is fast enough enters the next round and raises the count again before a waiter has
 *   looked.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { N_THREADS = 2, N_ROUNDS = 2 };

struct gate {
    pthread_mutex_t mutex; /* guards the counts */
    pthread_cond_t opened;
    int arrived;
    int generation;
};

static struct gate gate = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .opened = PTHREAD_COND_INITIALIZER,
};
static int rounds[N_THREADS];

static void
gate_wait(struct gate *g)
{
    int generation;

    pthread_mutex_lock(&g->mutex);
    generation = g->generation;
    if (++g->arrived == N_THREADS) {
        g->arrived = 0;
        g->generation = generation + 1;
        pthread_cond_broadcast(&g->opened);
    } else {
        while (g->arrived != 0)
            pthread_cond_wait(&g->opened, &g->mutex);
    }
    pthread_mutex_unlock(&g->mutex);
}

static void *
run_rounds(void *arg)
{
    int *n = arg;

    for (int i = 0; i < N_ROUNDS; i++) {
        gate_wait(&gate);
        usleep(2000); /* the work of one round */
        ++*n;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, run_rounds, &rounds[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(rounds[0] == N_ROUNDS && rounds[1] == N_ROUNDS);
    return 0;
}
