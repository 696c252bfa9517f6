/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The store covers four flags, the other thread sets one beyond them.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static union {
    uint8_t flags[8];
    uint32_t halves[2];
    uint64_t all;
} state = { .all = UINT64_MAX };

static void *
clear(void *arg)
{
    state.halves[0] = 0;
    return arg;
}

static void *
set_last(void *arg)
{
    state.flags[7] = 1;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, clear, NULL);
    pthread_create(&threads[1], NULL, set_last, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return state.flags[0] == 0 ? 0 : 1;
}
