/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A second barrier holds the others until the elected thread has swapped the buffers.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 2 };

static pthread_barrier_t barrier;
static int buffers[2][N];
static int current;

static void *
run(void *arg)
{
    int me = *(int *)arg;

    for (int round = 0; round < 2; round++) {
        buffers[current][me] = round;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            current = 1 - current;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];
    int ids[N] = { 0, 1 };

    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, run, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return current == 0 ? 0 : 1;
}
