/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The counter is reset with atomic_init, which is not an atomic operation, while
 *   others use it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int epoch = 5;

static void *
advance(void *arg)
{
    (void)arg;
    atomic_fetch_add(&epoch, 1);
    return NULL;
}

static void *
reset(void *arg)
{
    (void)arg;
    atomic_init(&epoch, 0);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, advance, NULL);
    pthread_create(&threads[1], NULL, reset, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&epoch) <= 1 ? 0 : 1;
}
