/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A 16-byte value is stored at once; another thread adds to its upper half.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static struct {
    unsigned __int128 big;
    uint64_t next[2];
} numbers;

static void *
store(void *arg)
{
    numbers.big = ((unsigned __int128)1 << 100) + 1;
    return arg;
}

static void *
add(void *arg)
{
    uint64_t *upper = (uint64_t *)(void *)&numbers.big + 1;

    *upper += 2;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return (uint64_t)numbers.big == 1 ? 0 : 1;
}
