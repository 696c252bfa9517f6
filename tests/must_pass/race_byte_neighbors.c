/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Neighboring bytes are different memory locations: each thread marks its own.
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
        seen[me] = 2;
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
