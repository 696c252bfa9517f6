/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The flag is tested outside the mutex that is waited with. The signal can come
 *   between the test and the wait, and then the waiter is never woken.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct event {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    atomic_int set;
};

static struct event loaded = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .cond = PTHREAD_COND_INITIALIZER,
};
static int config;

static void
event_wait(struct event *e)
{
    while (!atomic_load(&e->set)) {
        pthread_mutex_lock(&e->mutex);
        pthread_cond_wait(&e->cond, &e->mutex);
        pthread_mutex_unlock(&e->mutex);
    }
}

static void
event_set(struct event *e)
{
    pthread_mutex_lock(&e->mutex);
    atomic_store(&e->set, 1);
    pthread_cond_signal(&e->cond);
    pthread_mutex_unlock(&e->mutex);
}

static void *
load_config(void *arg)
{
    (void)arg;
    config = 8080;
    event_set(&loaded);
    return NULL;
}

static void *
serve(void *arg)
{
    int *port = arg;

    event_wait(&loaded);
    *port = config;
    return NULL;
}

int
main(void)
{
    pthread_t loader;
    pthread_t server;
    int port = 0;

    pthread_create(&server, NULL, serve, &port);
    pthread_create(&loader, NULL, load_config, NULL);
    pthread_join(server, NULL);
    pthread_join(loader, NULL);
    return port == 8080 ? 0 : 1;
}
