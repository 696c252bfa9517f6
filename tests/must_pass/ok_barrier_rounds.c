/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: One barrier used for ten rounds by three threads; exactly one of them is the serial
 *   thread in each round.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_THREADS = 3, N_ROUNDS = 10 };

static pthread_barrier_t barrier;
static atomic_int serial[N_ROUNDS];
static int cells[N_THREADS][N_ROUNDS];

static void *
run(void *arg)
{
    int *mine = arg;

    for (int r = 0; r < N_ROUNDS; r++) {
        mine[r] = r + 1;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            atomic_fetch_add(&serial[r], 1);
        for (int t = 0; t < N_THREADS; t++)
            assert(cells[t][r] == r + 1);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    pthread_barrier_init(&barrier, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, run, cells[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int r = 0; r < N_ROUNDS; r++)
        assert(atomic_load(&serial[r]) == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
