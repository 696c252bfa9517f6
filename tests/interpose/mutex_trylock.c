/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_trylock
 * The mutex is held in the model only; libc's trylock would find it free. Trying in a loop must
 * let the holder go on.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t result = PTHREAD_MUTEX_INITIALIZER; /* guards value */
static int value;

static void *
try_once(void *arg)
{
    (void)arg;
    assert(pthread_mutex_trylock(&m) == EBUSY);
    return NULL;
}

static void *
try_until(void *arg)
{
    (void)arg;
    while (pthread_mutex_trylock(&m) != 0)
        continue;
    value = 2;
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(pthread_mutex_trylock(&m) == 0);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_create(&t, NULL, try_once, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);

    assert(pthread_create(&t, NULL, try_until, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&result);
        pthread_mutex_unlock(&result);
    }
    value = 1;
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(value == 2);
    assert(pthread_mutex_destroy(&m) == 0);
    return 0;
}
