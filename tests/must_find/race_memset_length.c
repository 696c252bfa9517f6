/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The first half is cleared with one byte too many, which belongs to the other thread.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = 16 };

static unsigned char *arena;

static void *
low(void *arg)
{
    memset(arena, 1, HALF + 1);
    return arg;
}

static void *
high(void *arg)
{
    for (int i = HALF; i < 2 * HALF; i++)
        arena[i] = 2;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];
    int first;

    arena = malloc((size_t)2 * HALF);
    pthread_create(&threads[0], NULL, low, NULL);
    pthread_create(&threads[1], NULL, high, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    first = arena[0];
    free(arena);
    return first == 1 ? 0 : 1;
}
