/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The total is read before the worker was joined.
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
    result = total;
    pthread_join(thread, NULL);
    return result <= 10 ? 0 : 1;
}
