/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: An error-checking mutex refuses an unlock by a thread that does not hold it; that is
 *   an answer, not a misuse, and the program relies on it.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex; /* guards n_owned */
static int n_owned;

static void *
unlock_if_owned(void *arg)
{
    int err = pthread_mutex_unlock(&mutex);

    (void)arg;
    assert(err == EPERM);
    pthread_mutex_lock(&mutex);
    n_owned++;
    err = pthread_mutex_unlock(&mutex);
    assert(err == 0);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[2];

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, unlock_if_owned, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(n_owned == 2);
    pthread_mutex_destroy(&mutex);
    return 0;
}
