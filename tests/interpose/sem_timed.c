/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_timedwait sem_clockwait
 * BURL-CFLAGS: -D_GNU_SOURCE
 * The value in the program's memory stays 1 under control: libc's functions would not wait.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t s;

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
post_once(void *arg)
{
    (void)arg;
    assert(sem_post(&s) == 0);
    return NULL;
}

int
main(void)
{
    struct timespec past = { .tv_sec = 1 };
    struct timespec bad = { .tv_nsec = 1000000000 };
    struct timespec ts;
    pthread_t t;

    assert(sem_init(&s, 0, 1) == 0);
    assert(sem_wait(&s) == 0);
    ts = soon(CLOCK_REALTIME);
    assert(sem_timedwait(&s, &ts) == -1 && errno == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    errno = 0;
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &ts) == -1 && errno == ETIMEDOUT);
    assert(sem_clockwait(&s, CLOCK_THREAD_CPUTIME_ID, &ts) == -1 && errno == EINVAL);
    errno = 0;
    assert(sem_timedwait(&s, &bad) == -1 && errno == EINVAL);

    for (int i = 0; i < 2; i++) {
        assert(pthread_create(&t, NULL, post_once, NULL) == 0);
        do
            ts = soon(CLOCK_REALTIME);
        while ((i == 0 ? sem_timedwait(&s, &ts) : sem_clockwait(&s, CLOCK_REALTIME, &ts)) != 0);
        assert(pthread_join(t, NULL) == 0);
    }
    assert(sem_post(&s) == 0);
    assert(sem_timedwait(&s, &past) == 0); /* need not wait: the time does not matter */
    assert(sem_destroy(&s) == 0);
    return 0;
}
