/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The result is written before the byte goes through the pipe: what was done before a
 *   write happens before the read that gets it.
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
    result[1] = 7;
    if (write(ends[1], &done, 1) != 1)
        return NULL;
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
