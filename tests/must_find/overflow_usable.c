/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow
 * BURL-SEQUENTIAL: yes
 * BURL-ENGINES: both
 * BURL-WHY: the usable size of one block says nothing about another of the same size: bytes that
 *   were not asked for are only the program's after malloc_usable_size() of their block.
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
    q[10] = 2;
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
