/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The byte that announces the result goes through the pipe before the result is there.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static int result[2];

static void *
compute(void *arg)
{
    char done = 1;

    (void)arg;
    result[0] = 6;
    if (write(ends[1], &done, 1) != 1)
        return NULL;
    result[1] = 7;
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    char done = 0;
    int product;

    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, compute, NULL);
    if (read(ends[0], &done, 1) != 1)
        return 2;
    product = result[0] * result[1];
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
    return product == 42 || product == 0 ? 0 : 1;
}
