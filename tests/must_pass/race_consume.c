/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The pointer is loaded with consume, and what it points to is reached through it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct route {
    int metric;
    int gateway;
};

static struct route *_Atomic best;

static void *
update(void *arg)
{
    struct route *r = malloc(sizeof *r);

    (void)arg;
    r->metric = 10;
    r->gateway = 254;
    atomic_store_explicit(&best, r, memory_order_release);
    return NULL;
}

static void *
forward(void *arg)
{
    int *gateway = arg;
    struct route *r = atomic_load_explicit(&best, memory_order_consume);

    if (r != NULL)
        *gateway = r->gateway;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int gateway = 0;

    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, forward, &gateway);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&best));
    return gateway == 0 || gateway == 254 ? 0 : 1;
}
