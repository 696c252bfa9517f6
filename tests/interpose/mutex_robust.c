/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_consistent pthread_mutex_destroy
 * A robust mutex whose holder ended tells the next one, waiting or not; repaired it lives on,
 * given back unrepaired it is lost, and destroying it makes the memory good for a new one.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m;

static void *
die_holding(void *arg)
{
    (void)arg;
    assert(pthread_mutex_lock(&m) == 0);
    return NULL;
}

static void
let_one_die(void)
{
    pthread_t t;

    assert(pthread_create(&t, NULL, die_holding, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
}

static void *
wait_for_the_dying(void *arg)
{
    int r = pthread_mutex_lock(&m);

    assert(r == 0 || r == EOWNERDEAD);
    if (r == EOWNERDEAD)
        assert(pthread_mutex_consistent(&m) == 0);
    *(int *)arg += 1;
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t dying;
    pthread_t waiting;
    int entered = 0;

    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutex_init(&m, &attr) == 0);

    let_one_die();
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_consistent(&m) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);

    assert(pthread_create(&dying, NULL, die_holding, NULL) == 0);
    assert(pthread_create(&waiting, NULL, wait_for_the_dying, &entered) == 0);
    assert(pthread_join(dying, NULL) == 0);
    assert(pthread_join(waiting, NULL) == 0);
    assert(entered == 1);
    /* When the waiter came first the mutex is still as the dying one left it. */
    if (pthread_mutex_trylock(&m) == EOWNERDEAD)
        assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);

    let_one_die();
    assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);

    assert(pthread_mutex_destroy(&m) == 0);
    m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_destroy(&m) == 0);
    return 0;
}
