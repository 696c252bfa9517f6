/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Each thread marks its own byte, but the last one also clears "its" two.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 4 };

static unsigned char seen[N];

static void *
mark(void *arg)
{
    int me = *(int *)arg;

    seen[me] = 1;
    if (me == N - 1)
        seen[me - 1] = 1;
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];
    int ids[N] = { 0, 1, 2, 3 };

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, mark, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return seen[0] == 1 ? 0 : 1;
}
