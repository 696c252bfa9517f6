/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The total is read after the join.
 */
#include <pthread.h>
#include <stddef.h>

static long total;

static void *
sum(void *arg)
{
    (void)arg;
    for (long i = 1; i <= 4; i++)
        total += i;
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    long result;

    pthread_create(&thread, NULL, sum, NULL);
    pthread_join(thread, NULL);
    result = total;
    return result <= 10 ? 0 : 1;
}
