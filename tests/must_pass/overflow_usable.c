/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ENGINES: both
 * BURL-WHY: a block may be used up to its usable size once that was asked for.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *
worker(void *arg)
{
    char *p = malloc(10);
    char *q = malloc(10);
    const size_t n = malloc_usable_size(p);

    memset(p, 1, n);
    p[10] = 2;
    free(p);
    free(q);
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
