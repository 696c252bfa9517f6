/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: Every timed wait here ends by its time-out, as it should: no thread signals, posts or
 *   unlocks.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER; /* held by main all the time */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER; /* read-locked by main */
static sem_t never;

static struct timespec
soon(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += 2 * 1000 * 1000;
    if (ts.tv_nsec >= 1000 * 1000 * 1000) {
        ts.tv_sec++;
        ts.tv_nsec -= 1000 * 1000 * 1000;
    }
    return ts;
}

static void *
wait_in_vain(void *arg)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    struct timespec ts = soon();
    int err = 0;

    (void)arg;
    pthread_mutex_lock(&mutex);
    while (err == 0)
        err = pthread_cond_timedwait(&cond, &mutex, &ts);
    assert(err == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&cond);
    pthread_mutex_destroy(&mutex);

    ts = soon();
    err = pthread_mutex_timedlock(&held, &ts);
    assert(err == ETIMEDOUT);

    ts = soon();
    err = sem_timedwait(&never, &ts);
    assert(err == -1 && errno == ETIMEDOUT);

    ts = soon();
    err = pthread_rwlock_timedwrlock(&rwlock, &ts);
    assert(err == ETIMEDOUT);
    ts = soon();
    err = pthread_rwlock_timedrdlock(&rwlock, &ts);
    assert(err == 0);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    sem_init(&never, 0, 0);
    pthread_mutex_lock(&held);
    pthread_rwlock_rdlock(&rwlock);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, wait_in_vain, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&held);
    sem_destroy(&never);
    return 0;
}
