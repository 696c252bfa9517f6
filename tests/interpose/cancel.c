/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cancel pthread_testcancel pthread_exit __pthread_register_cancel
 *   __pthread_unregister_cancel __pthread_unwind_next
 * BURL-WHY: cleanup handlers run from the innermost outwards, also across frames and also from
 *   pthread_exit in a nested call; a blocked thread wakes up to be canceled.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int order;
static int key_gone;

static void
digit(void *arg)
{
    order = order * 10 + (int)(intptr_t)arg;
}

static void
unlock(void *arg)
{
    digit((void *)1);
    pthread_mutex_unlock(arg);
}

static void
on_key(void *arg)
{
    (void)arg;
    key_gone++;
}

static void *
wait_for_ever(void *arg)
{
    pthread_setspecific(key, &key);
    pthread_cleanup_push(digit, (void *)3);
    pthread_cleanup_push(digit, (void *)2);
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return arg;
}

static void
leave_now(void)
{
    pthread_cleanup_push(digit, (void *)1);
    pthread_exit((void *)99);
    pthread_cleanup_pop(0);
}

static void
leave_deeper(void)
{
    pthread_cleanup_push(digit, (void *)3);
    pthread_cleanup_push(digit, (void *)2);
    leave_now();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

static void *
leave(void *arg)
{
    pthread_cleanup_push(digit, (void *)9); /* left in the normal way: not run */
    pthread_cleanup_pop(0);
    pthread_cleanup_push(digit, (void *)8);
    pthread_cleanup_pop(1);
    leave_deeper();
    return arg;
}

static void *
spin(void *arg)
{
    for (;;)
        pthread_testcancel();
    return arg;
}

static void *
sleeper(void *arg)
{
    pthread_cleanup_push(digit, (void *)5);
    for (;;)
        sleep(1000000);
    pthread_cleanup_pop(0);
    return arg;
}

/* Cancels a thread of this kind; the handlers' order of running is the answer. */
static int
canceled(void *(*start)(void *))
{
    pthread_t t;
    void *result;

    order = 0;
    assert(pthread_create(&t, NULL, start, NULL) == 0);
    assert(pthread_cancel(t) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    return order;
}

int
main(void)
{
    pthread_t t;
    void *result;
    int r;

    assert(pthread_key_create(&key, on_key) == 0);
    r = canceled(wait_for_ever);
    assert(r == 123);
    assert(key_gone == 1);
    assert(pthread_mutex_trylock(&m) == 0); /* the handler unlocked it */
    assert(pthread_mutex_unlock(&m) == 0);
    assert(canceled(spin) == 0);
    assert(canceled(sleeper) == 5);
    order = 0;
    assert(pthread_create(&t, NULL, leave, NULL) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == (void *)99);
    assert(order == 8123);
    return 0;
}
