/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ARGS: --runs=1000 --no-spurious
 * BURL-ROWS: pthread_cond_timedwait pthread_cond_clockwait
 * BURL-CFLAGS: -D_GNU_SOURCE
 * A timed wait gives back the mutex that is held in the model, so that the other thread gets
 * in; libc's functions would not. Without a signal it ends with ETIMEDOUT, holding the
 * mutex. The clock is that of the attribute.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t real_time = PTHREAD_COND_INITIALIZER;
static pthread_cond_t mono;
static int entered;

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
enter(void *arg)
{
    (void)arg;
    assert(pthread_mutex_lock(&m) == 0);
    entered++;
    assert(pthread_cond_signal(&real_time) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    struct timespec bad = { .tv_sec = 1, .tv_nsec = -1 };
    pthread_condattr_t attr;
    struct timespec ts;
    pthread_t t;
    int r;

    assert(pthread_condattr_init(&attr) == 0);
    assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    assert(pthread_cond_init(&mono, &attr) == 0);

    assert(pthread_mutex_lock(&m) == 0);
    ts = soon(CLOCK_REALTIME);
    assert(pthread_cond_timedwait(&real_time, &m, &ts) == ETIMEDOUT);
    assert(pthread_mutex_trylock(&m) == EBUSY); /* held again */
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_cond_timedwait(&mono, &m, &ts) == ETIMEDOUT);
    ts = soon(CLOCK_MONOTONIC);
    assert(pthread_cond_clockwait(&real_time, &m, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    assert(pthread_cond_clockwait(&mono, &m, CLOCK_THREAD_CPUTIME_ID, &ts) == EINVAL);
    assert(pthread_cond_timedwait(&mono, &m, &bad) == EINVAL);

    for (int i = 0; i < 2; i++) {
        entered = 0;
        assert(pthread_create(&t, NULL, enter, NULL) == 0);
        while (entered == 0) {
            ts = soon(CLOCK_REALTIME);
            r = i == 0 ? pthread_cond_timedwait(&real_time, &m, &ts)
                       : pthread_cond_clockwait(&real_time, &m, CLOCK_REALTIME, &ts);
            assert(r == 0 || r == ETIMEDOUT);
        }
        assert(pthread_mutex_unlock(&m) == 0);
        assert(pthread_join(t, NULL) == 0);
        assert(pthread_mutex_lock(&m) == 0);
    }
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_cond_destroy(&mono) == 0);
    return 0;
}
