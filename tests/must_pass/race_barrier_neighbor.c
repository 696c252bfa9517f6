/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: All cells are written before the barrier and neighbors read after it.
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
    pthread_barrier_wait(&barrier);
    new_cells[me] = old_cells[me] + old_cells[(me + 1) % N];
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
