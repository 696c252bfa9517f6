/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Two threads find the registry missing and each makes one; what was registered in the
 *   first is lost with it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { MAX_PLUGINS = 8 };

struct registry {
    pthread_mutex_t mutex; /* guards count and ids */
    int count;
    int ids[MAX_PLUGINS];
};

static struct registry *_Atomic registry;

static void
make_registry(void)
{
    struct registry *r = calloc(1, sizeof *r);

    pthread_mutex_init(&r->mutex, NULL);
    atomic_store(&registry, r);
}

static struct registry *
get_registry(void)
{
    if (atomic_load(&registry) == NULL)
        make_registry();
    return atomic_load(&registry);
}

static void *
register_plugin(void *arg)
{
    struct registry *r = get_registry();

    pthread_mutex_lock(&r->mutex);
    r->ids[r->count++] = *(int *)arg;
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 11, 22 };
    struct registry *r;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, register_plugin, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    r = atomic_load(&registry);
    assert(r->count == 2);
    pthread_mutex_destroy(&r->mutex);
    free(r);
    return 0;
}
