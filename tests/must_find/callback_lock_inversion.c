/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The bus calls its listeners with its own lock held and a listener takes the model's
 *   lock, while the model notifies the bus with the model's lock held.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

typedef void (*listener_fn)(int value);

static pthread_mutex_t bus_mutex = PTHREAD_MUTEX_INITIALIZER;   /* guards n_events */
static pthread_mutex_t model_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the model's values */
static int n_events;
static int model_value;
static int model_seen;

static void
bus_publish(int value, listener_fn listener)
{
    pthread_mutex_lock(&bus_mutex);
    n_events++;
    if (listener != NULL)
        listener(value);
    pthread_mutex_unlock(&bus_mutex);
}

static void
on_event(int value)
{
    pthread_mutex_lock(&model_mutex);
    model_seen += value;
    pthread_mutex_unlock(&model_mutex);
}

static void
model_set(int value)
{
    pthread_mutex_lock(&model_mutex);
    model_value = value;
    bus_publish(value, NULL);
    pthread_mutex_unlock(&model_mutex);
}

static void *
editor(void *arg)
{
    (void)arg;
    model_set(3);
    return NULL;
}

static void *
timer(void *arg)
{
    (void)arg;
    bus_publish(1, on_event);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, editor, NULL);
    pthread_create(&b, NULL, timer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n_events == 2 && model_value == 3 && model_seen == 1);
    return 0;
}
