/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.relock | deadlock.cycle | deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Only when another thread has stopped the service in the meantime does start call
 *   stop, which takes the lock that start holds.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct service {
    pthread_mutex_t mutex; /* guards the rest */
    bool running;
    bool disabled;
    int n_stops;
};

static struct service service = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
service_stop(struct service *s)
{
    pthread_mutex_lock(&s->mutex);
    s->running = false;
    s->n_stops++;
    pthread_mutex_unlock(&s->mutex);
}

static void
service_start(struct service *s)
{
    pthread_mutex_lock(&s->mutex);
    s->running = true;
    if (s->disabled)
        service_stop(s);
    pthread_mutex_unlock(&s->mutex);
}

static void *
starter(void *arg)
{
    service_start(arg);
    service_stop(arg);
    return NULL;
}

static void *
disabler(void *arg)
{
    struct service *s = arg;

    pthread_mutex_lock(&s->mutex);
    s->disabled = true;
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, starter, &service);
    pthread_create(&b, NULL, disabler, &service);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(service.n_stops >= 1 && !service.running);
    return 0;
}
