/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The wait is not in a loop. No thread takes the flag away, so only a wakeup without a
 *   signal shows it, which POSIX allows.
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
    if (!ready)
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
