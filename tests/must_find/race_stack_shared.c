/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Both threads get the address of the same local variable of main.
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
            pthread_create(&threads[i], NULL, work, &numbers[0]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        ok &= numbers[0] >= 4;
    }
    return ok ? 0 : 1;
}
