/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bluetooth_driver.c - SCTBench CS/bluetooth_driver; first in KISS (Qadeer and Wu, PLDI 2004): a
 * driver counts the requests in it, and stops when the count is zero.
 *
 * A request looks whether the driver is stopping, and counts itself only then: a stop that goes
 * all the way in between leaves it with a stopped device. FIXED: look and count under the lock
 * with which stopping begins.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct device {
    pthread_mutex_t lock;
    int pending; /* requests, and one for the device itself */
    bool stopping;
    bool none_pending;
    bool stopped;
};

static bool
request_begin(struct device *d)
{
    bool refused;

#ifdef FIXED
    pthread_mutex_lock(&d->lock);
    refused = d->stopping;
    if (!refused)
        d->pending++;
    pthread_mutex_unlock(&d->lock);
#else
    refused = d->stopping;
    if (!refused) {
        pthread_mutex_lock(&d->lock);
        d->pending++;
        pthread_mutex_unlock(&d->lock);
    }
#endif
    return !refused;
}

static void
request_end(struct device *d)
{
    pthread_mutex_lock(&d->lock);
    d->pending--;
    if (d->pending == 0)
        d->none_pending = true;
    pthread_mutex_unlock(&d->lock);
}

static bool
is_stopped(struct device *d)
{
    bool stopped;

    pthread_mutex_lock(&d->lock);
    stopped = d->stopped;
    pthread_mutex_unlock(&d->lock);
    return stopped;
}

static void *
stop(void *arg)
{
    struct device *d = arg;

#ifdef FIXED
    pthread_mutex_lock(&d->lock);
    d->stopping = true;
    pthread_mutex_unlock(&d->lock);
#else
    d->stopping = true;
#endif
    request_end(d);
    /* The original waits for the event; one that has to wait has nothing to show. */
    pthread_mutex_lock(&d->lock);
    if (d->none_pending)
        d->stopped = true;
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

int
main(void)
{
    struct device *d = calloc(1, sizeof *d);
    pthread_t stopper;

    pthread_mutex_init(&d->lock, NULL);
    d->pending = 1;
    pthread_create(&stopper, NULL, stop, d);
    if (request_begin(d)) {
        assert(!is_stopped(d));
        request_end(d);
    }
    pthread_join(stopper, NULL);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return 0;
}
