/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A relaxed atomic is as cheap as it needs to be.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint calls;

static int
twice(int x)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return 2 * x;
}

static void *
compute(void *arg)
{
    int *x = arg;

    *x = twice(*x);
    *x = twice(*x);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int numbers[2] = { 1, 2 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return numbers[0] == 4 && numbers[1] == 8 && calls <= 4 ? 0 : 1;
}
