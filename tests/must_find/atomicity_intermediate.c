/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The level dips below zero between two atomic updates, and the other thread may look
 *   just then (W-R-W).
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int level = 5;

static void *
exchange(void *arg)
{
    (void)arg;
    atomic_fetch_sub(&level, 8);
    atomic_fetch_add(&level, 10);
    return NULL;
}

static void *
look(void *arg)
{
    (void)arg;
    assert(atomic_load(&level) >= 0);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, exchange, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&level) == 7);
    return 0;
}
