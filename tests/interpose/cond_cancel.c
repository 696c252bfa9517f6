/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_wait pthread_cond_timedwait
 * A wait is a cancellation point, and a canceled waiter holds the mutex in its handlers.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_cond_t begun_changed = PTHREAD_COND_INITIALIZER;
static int begun;
static int cleaned;

static void
clean_up(void *arg)
{
    (void)arg;
    assert(pthread_mutex_trylock(&m) == EBUSY);
    cleaned++;
    assert(pthread_mutex_unlock(&m) == 0);
}

static void *
wait_for_ever(void *arg)
{
    struct timespec ts;

    assert(pthread_mutex_lock(&m) == 0);
    pthread_cleanup_push(clean_up, NULL);
    begun = 1;
    assert(pthread_cond_signal(&begun_changed) == 0);
    for (;;) {
        assert(clock_gettime(CLOCK_REALTIME, &ts) == 0);
        ts.tv_sec += 1000000; /* may pass: time is virtual */
        if (arg != NULL)
            pthread_cond_timedwait(&never, &m, &ts);
        else
            pthread_cond_wait(&never, &m);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int
main(void)
{
    pthread_t t;
    void *result;

    for (int i = 0; i < 2; i++) {
        begun = 0;
        assert(pthread_create(&t, NULL, wait_for_ever, i == 0 ? NULL : &m) == 0);
        assert(pthread_mutex_lock(&m) == 0);
        while (begun == 0)
            assert(pthread_cond_wait(&begun_changed, &m) == 0);
        assert(pthread_cancel(t) == 0);
        assert(cleaned == i); /* it cannot have the mutex yet */
        assert(pthread_mutex_unlock(&m) == 0);
        assert(pthread_join(t, &result) == 0);
        assert(result == PTHREAD_CANCELED);
        assert(cleaned == i + 1);
    }
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
