/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: Two threads sort their own arrays with a callback that counts with an atomic.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { N = 8 };

static atomic_int n_compares;

static int
compare(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;

    atomic_fetch_add(&n_compares, 1);
    return (x > y) - (x < y);
}

static void *
sort(void *arg)
{
    int *values = arg;
    int key = 4;

    qsort(values, N, sizeof *values, compare);
    for (int i = 0; i < N; i++)
        assert(values[i] == i);
    assert(bsearch(&key, values, N, sizeof *values, compare) == &values[4]);
    return NULL;
}

int
main(void)
{
    int values[2][N] = { { 7, 6, 5, 4, 3, 2, 1, 0 }, { 3, 1, 4, 0, 5, 2, 6, 7 } };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort, values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&n_compares) > 0);
    return 0;
}
