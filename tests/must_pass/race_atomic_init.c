/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: It is reset with an atomic store.
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
    atomic_store(&epoch, 0);
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
