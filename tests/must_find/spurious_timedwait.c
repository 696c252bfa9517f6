/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: A timed wait that does not time out is taken for a signal.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards ready */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *
consumer(void *arg)
{
    struct timespec until;
    int r = 0;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&mutex);
    if (!ready)
        r = pthread_cond_timedwait(&changed, &mutex, &until);
    assert(r == ETIMEDOUT || ready);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, consumer, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
