/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each thread gets a local variable of its own; the threads' own stacks may be used
 *   again by the next ones.
 */
#include <pthread.h>
#include <stddef.h>

static void
square(int *x)
{
    int local[8];

    for (int i = 0; i < 8; i++)
        local[i] = *x;
    *x = local[7] * local[0];
}

static void *
work(void *arg)
{
    square(arg);
    return NULL;
}

int
main(void)
{
    int ok = 1;

    for (int round = 0; round < 2; round++) {
        pthread_t threads[2];
        int numbers[2] = { 2, 2 };

        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, work, &numbers[i]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        ok &= numbers[0] >= 4;
    }
    return ok ? 0 : 1;
}
