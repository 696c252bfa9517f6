/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ARGS: --runs=1000 --no-spurious
 * BURL-ROWS: pthread_mutex_timedlock pthread_mutex_clocklock pthread_cond_timedwait
 *   pthread_cond_clockwait pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
 *   pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock sem_timedwait sem_clockwait
 *   mtx_timedlock cnd_timedwait
 * BURL-CFLAGS: -D_GNU_SOURCE
 * BURL-NATIVE: no
 * Deadlines are on virtual time: each of these waits an hour, and the clock shows it.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

#define HOUR_S 3600

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static mtx_t mtx;
static mtx_t mtx_mine;
static cnd_t cnd;
static struct timespec deadline; /* of CLOCK_REALTIME */

static const struct timespec *
in_an_hour(void)
{
    assert(clock_gettime(CLOCK_REALTIME, &deadline) == 0);
    deadline.tv_sec += HOUR_S;
    return &deadline;
}

static void
check_passed(void)
{
    struct timespec now;

    assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
    assert(now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
}

#define TIMES_OUT(call, code)   \
    do {                        \
        in_an_hour();           \
        assert((call) == code); \
        check_passed();         \
    } while (0)

static void *
wait_hours(void *arg)
{
    struct timespec mono;

    (void)arg;
    TIMES_OUT(pthread_mutex_timedlock(&m, &deadline), ETIMEDOUT);
    TIMES_OUT(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &deadline), ETIMEDOUT);
    TIMES_OUT(pthread_rwlock_timedrdlock(&rw, &deadline), ETIMEDOUT);
    TIMES_OUT(pthread_rwlock_timedwrlock(&rw, &deadline), ETIMEDOUT);
    TIMES_OUT(pthread_rwlock_clockrdlock(&rw, CLOCK_REALTIME, &deadline), ETIMEDOUT);
    TIMES_OUT(pthread_rwlock_clockwrlock(&rw, CLOCK_REALTIME, &deadline), ETIMEDOUT);
    TIMES_OUT(mtx_timedlock(&mtx, &deadline), thrd_timedout);
    TIMES_OUT(sem_timedwait(&s, &deadline), -1);
    TIMES_OUT(sem_clockwait(&s, CLOCK_REALTIME, &deadline), -1);

    assert(pthread_mutex_lock(&mine) == 0);
    TIMES_OUT(pthread_cond_timedwait(&c, &mine, &deadline), ETIMEDOUT);
    assert(clock_gettime(CLOCK_MONOTONIC, &mono) == 0);
    mono.tv_sec += HOUR_S;
    TIMES_OUT(pthread_cond_clockwait(&c, &mine, CLOCK_MONOTONIC, &mono), ETIMEDOUT);
    assert(pthread_mutex_unlock(&mine) == 0);
    assert(mtx_lock(&mtx_mine) == thrd_success);
    TIMES_OUT(cnd_timedwait(&cnd, &mtx_mine, &deadline), thrd_timedout);
    assert(mtx_unlock(&mtx_mine) == thrd_success);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(sem_init(&s, 0, 0) == 0);
    assert(mtx_init(&mtx, mtx_timed) == thrd_success && mtx_lock(&mtx) == thrd_success);
    assert(mtx_init(&mtx_mine, mtx_plain) == thrd_success && cnd_init(&cnd) == thrd_success);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_rwlock_wrlock(&rw) == 0);
    assert(pthread_create(&t, NULL, wait_hours, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
