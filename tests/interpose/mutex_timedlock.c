/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_timedlock pthread_mutex_clocklock
 * BURL-CFLAGS: -D_GNU_SOURCE
 * The mutex is held in the model only: libc's functions would take it at once.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

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
give_up(void *arg)
{
    struct timespec ts = soon(CLOCK_REALTIME);
    struct timespec bad = { .tv_sec = 1, .tv_nsec = 1000000000 };

    (void)arg;
    assert(pthread_mutex_timedlock(&m, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_REALTIME);
    assert(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &ts) == ETIMEDOUT);
    assert(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &ts) == EINVAL);
    assert(pthread_mutex_timedlock(&m, &bad) == EINVAL);
    return NULL;
}

static void *
get_it(void *arg)
{
    struct timespec ts;

    (void)arg;
    assert(clock_gettime(CLOCK_REALTIME, &ts) == 0);
    ts.tv_sec += 100000000;
    assert(pthread_mutex_timedlock(&m, &ts) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    struct timespec past = { .tv_sec = 0, .tv_nsec = 0 };
    struct timespec ts;
    pthread_t t;

    assert(pthread_mutex_lock(&m) == 0);
    ts = soon(CLOCK_REALTIME);
    assert(pthread_mutex_timedlock(&m, &ts) == ETIMEDOUT); /* its own: no deadlock, it has an end */
    assert(pthread_create(&t, NULL, give_up, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_timedlock(&m, &past) == 0); /* free: the time is not looked at */
    assert(pthread_mutex_unlock(&m) == 0);

    assert(pthread_create(&t, NULL, get_it, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
