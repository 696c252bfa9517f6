/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Each thread computes its cell and reads its neighbor's in the same phase.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 3 };

static pthread_barrier_t barrier;
static int old_cells[N];
static int new_cells[N];

static void *
step(void *arg)
{
    int me = *(int *)arg;

    old_cells[me] = me * 10;
    new_cells[me] = old_cells[me] + old_cells[(me + 1) % N];
    pthread_barrier_wait(&barrier);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];
    int ids[N] = { 0, 1, 2 };

    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, step, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return new_cells[0] <= 10 ? 0 : 1;
}
