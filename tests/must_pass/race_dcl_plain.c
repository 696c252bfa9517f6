/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The pointer is stored with release and first tested with acquire.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct config {
    int verbosity;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* serializes the construction */
static struct config *_Atomic config;

static struct config *
get_config(void)
{
    struct config *c = atomic_load_explicit(&config, memory_order_acquire);

    if (c == NULL) {
        pthread_mutex_lock(&mutex);
        c = atomic_load_explicit(&config, memory_order_relaxed);
        if (c == NULL) {
            c = malloc(sizeof *c);
            c->verbosity = 3;
            atomic_store_explicit(&config, c, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return c;
}

static void *
use(void *arg)
{
    return get_config()->verbosity == 3 ? NULL : arg;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(config);
    return 0;
}
