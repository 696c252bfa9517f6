/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock pthread_rwlock_timedwrlock
 *   pthread_rwlock_clockwrlock
 * BURL-CFLAGS: -D_GNU_SOURCE
 * The lock is held in the model only: libc's functions would take it at once.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec
soon(clockid_t clock)
{
    struct timespec ts;

    assert(clock_gettime(clock, &ts) == 0);
    ts.tv_nsec += 20000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_nsec -= 1000000000;
        ts.tv_sec++;
    }
    return ts;
}

static void *
fail_all(void *arg)
{
    struct timespec ts = soon(CLOCK_REALTIME);

    (void)arg;
    assert(pthread_rwlock_timedrdlock(&rw, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_REALTIME);
    assert(pthread_rwlock_timedwrlock(&rw, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    assert(pthread_rwlock_clockrdlock(&rw, CLOCK_THREAD_CPUTIME_ID, &ts) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&rw, CLOCK_THREAD_CPUTIME_ID, &ts) == EINVAL);
    return NULL;
}

static void *
read_all(void *arg)
{
    struct timespec ts = { .tv_sec = 1 };

    (void)arg;
    assert(pthread_rwlock_timedrdlock(&rw, &ts) == 0);
    assert(pthread_rwlock_clockrdlock(&rw, CLOCK_REALTIME, &ts) == 0);
    assert(pthread_rwlock_timedwrlock(&rw, &ts) == ETIMEDOUT);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

static void
run(void *(*fn)(void *))
{
    pthread_t t;

    assert(pthread_create(&t, NULL, fn, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
}

int
main(void)
{
    struct timespec ts = soon(CLOCK_REALTIME);

    assert(pthread_rwlock_timedwrlock(&rw, &ts) == 0);
    run(fail_all);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_clockwrlock(&rw, CLOCK_REALTIME, &ts) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_rdlock(&rw) == 0);
    run(read_all);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_destroy(&rw) == 0);
    return 0;
}
