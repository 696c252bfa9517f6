/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_setcancelstate pthread_setcanceltype
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ready;
static sem_t go;
static int reached;

static void *
disabled(void *arg)
{
    int old;

    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcancelstate(7, NULL) == EINVAL);
    sem_post(&ready);
    sem_wait(&go); /* the request is there, and must wait */
    pthread_testcancel();
    reached = 1;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    pthread_testcancel();
    reached = 2;
    return arg;
}

static void *
asynchronous(void *arg)
{
    int old;

    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    assert(pthread_setcanceltype(7, NULL) == EINVAL);
    for (;;)
        sched_yield(); /* no cancellation point */
    return arg;
}

int
main(void)
{
    pthread_t t;
    void *result;

    assert(sem_init(&ready, 0, 0) == 0);
    assert(sem_init(&go, 0, 0) == 0);
    assert(pthread_create(&t, NULL, disabled, NULL) == 0);
    sem_wait(&ready);
    assert(pthread_cancel(t) == 0);
    sem_post(&go);
    assert(pthread_join(t, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    assert(reached == 1);
    assert(pthread_create(&t, NULL, asynchronous, NULL) == 0);
    assert(pthread_cancel(t) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
