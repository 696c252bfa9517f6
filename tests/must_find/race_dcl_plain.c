/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Double-checked locking with a plain pointer: the first test reads it outside the
 *   lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct config {
    int verbosity;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* serializes the construction */
static struct config *config;

static struct config *
get_config(void)
{
    if (config == NULL) {
        pthread_mutex_lock(&mutex);
        if (config == NULL) {
            struct config *c = malloc(sizeof *c);

            c->verbosity = 3;
            config = c;
        }
        pthread_mutex_unlock(&mutex);
    }
    return config;
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
