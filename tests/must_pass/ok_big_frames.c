/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=100
 * BURL-ENGINES: both
 * BURL-WHY: Frames of one megabyte, and a thread whose stack size is asked for, are within the
 *   limits.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { FRAME = 1 << 20, PAGE = 4096 };

static int
sum_frame(int seed)
{
    volatile unsigned char frame[FRAME];
    int sum = 0;

    for (int i = 0; i < FRAME; i += PAGE)
        frame[i] = (unsigned char)seed;
    for (int i = 0; i < FRAME; i += PAGE)
        sum += frame[i];
    return sum;
}

static void *
work(void *arg)
{
    int *result = arg;

    *result = sum_frame(*result) + sum_frame(1);
    return NULL;
}

int
main(void)
{
    int results[2] = { 2, 3 };
    pthread_t threads[2];
    pthread_attr_t attr;
    size_t size = 0;

    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, 4 * FRAME) == 0);
    assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 4 * FRAME);
    pthread_create(&threads[0], NULL, work, &results[0]);
    pthread_create(&threads[1], &attr, work, &results[1]);
    pthread_attr_destroy(&attr);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(results[0] == 3 * (FRAME / PAGE));
    assert(results[1] == 4 * (FRAME / PAGE));
    return 0;
}
