/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.signal
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The pointer is read twice, once to see whether it is there and once to use it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct plugin {
    atomic_int calls;
};

static struct plugin the_plugin;
static struct plugin *_Atomic plugin = &the_plugin;
static atomic_int stopping;

static void *
call(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2 && !atomic_load(&stopping); i++) {
        if (atomic_load(&plugin) != NULL)
            atomic_fetch_add(&atomic_load(&plugin)->calls, 1);
    }
    return NULL;
}

static void *
unload(void *arg)
{
    (void)arg;
    atomic_store(&plugin, NULL);
    atomic_store(&stopping, 1);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, call, NULL);
    pthread_create(&threads[1], NULL, unload, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return the_plugin.calls <= 2 ? 0 : 1;
}
