/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_wait
 * BURL-CFLAGS: -D_GNU_SOURCE
 * Mutexes other than normal with a condition variable: a checking one refuses a thread that does
 * not hold it; a robust one says on waking that its holder died.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t robust;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int signaled;

static void *
signal_and_die(void *arg)
{
    (void)arg;
    assert(pthread_mutex_lock(&robust) == 0);
    signaled = 1;
    assert(pthread_cond_signal(&c) == 0);
    return NULL;
}

int
main(void)
{
    pthread_mutex_t check = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutexattr_t attr;
    pthread_t t;
    int r = 0;

    assert(pthread_cond_wait(&c, &check) == EPERM);

    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutex_init(&robust, &attr) == 0);
    assert(pthread_mutex_lock(&robust) == 0);
    assert(pthread_create(&t, NULL, signal_and_die, NULL) == 0);
    while (!signaled) {
        r = pthread_cond_wait(&c, &robust);
        assert(r == 0 || r == EOWNERDEAD);
    }
    assert(r == EOWNERDEAD);
    assert(pthread_mutex_consistent(&robust) == 0);
    assert(pthread_mutex_unlock(&robust) == 0);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
