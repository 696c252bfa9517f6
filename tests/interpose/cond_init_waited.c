/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_init
 * BURL-KIND: misuse.other
 * BURL-NATIVE: no
 * Initializing a condition variable that a thread waits on.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *
wait_ready(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(pthread_create(&t, NULL, wait_ready, NULL) == 0);
    pthread_mutex_lock(&m);
    assert(pthread_cond_init(&c, NULL) == 0);
    ready = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
