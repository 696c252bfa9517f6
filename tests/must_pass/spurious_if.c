/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The wait is in a loop, so a wakeup without a signal changes nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards ready */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *
consumer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    assert(ready);
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
