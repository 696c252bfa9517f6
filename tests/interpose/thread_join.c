/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_create pthread_join pthread_tryjoin_np pthread_timedjoin_np
 *   pthread_clockjoin_np pthread_detach
 * BURL-CFLAGS: -D_GNU_SOURCE
 * BURL-WHY: every join waits for a thread that must be scheduled to end, on a clock that jumps; the
 *   handles are those of the threads themselves, and results come through.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static sem_t go;
static sem_t detached_done;
static pthread_t seen[4];

static void *
answer(void *arg)
{
    seen[(intptr_t)arg] = pthread_self();
    while (sem_wait(&go) != 0)
        continue;
    return (void *)((intptr_t)arg + 100);
}

static void *
short_lived(void *arg)
{
    sem_post(&detached_done);
    return arg;
}

static struct timespec
soon(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    ts.tv_nsec += 20000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_nsec -= 1000000000;
        ts.tv_sec++;
    }
    return ts;
}

int
main(void)
{
    pthread_t threads[4];
    pthread_t loose;
    struct timespec ts;
    void *result = NULL;

    sem_init(&go, 0, 0);
    sem_init(&detached_done, 0, 0);
    for (intptr_t i = 0; i < 4; i++)
        assert(pthread_create(&threads[i], NULL, answer, (void *)i) == 0);
    assert(pthread_tryjoin_np(threads[0], &result) == EBUSY);
    ts = soon(CLOCK_REALTIME);
    assert(pthread_timedjoin_np(threads[1], &result, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_clockjoin_np(threads[2], &result, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    for (int i = 0; i < 4; i++)
        sem_post(&go);
    for (intptr_t i = 0; i < 4; i++) {
        assert(pthread_join(threads[i], &result) == 0);
        assert(result == (void *)(i + 100));
        assert(pthread_equal(seen[i], threads[i]));
    }
    assert(pthread_create(&loose, NULL, short_lived, NULL) == 0);
    assert(pthread_detach(loose) == 0);
    while (sem_wait(&detached_done) != 0)
        continue;
    return 0;
}
