/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: main sleeps for a while and takes it for granted that the settings have been loaded
 *   by then.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

struct settings {
    atomic_int port;
    atomic_int workers;
};

static struct settings settings;

static void *
load(void *arg)
{
    struct settings *s = arg;

    atomic_store(&s->port, 8080);
    atomic_store(&s->workers, 4);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, load, &settings);
    usleep(50 * 1000);
    assert(atomic_load(&settings.port) == 8080);
    assert(atomic_load(&settings.workers) == 4);
    pthread_join(thread, NULL);
    return 0;
}
