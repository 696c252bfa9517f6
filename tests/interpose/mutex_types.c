/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
 * BURL-CFLAGS: -D_GNU_SOURCE
 * The types other than normal: recursion is counted, errors that a program asked for come back as
 * codes, and memory that is assigned a static initializer changes its type with no call.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t recursive;
static pthread_mutex_t check;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static int depth_seen;

static void
make(pthread_mutex_t *m, int type)
{
    pthread_mutexattr_t attr;

    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_settype(&attr, type) == 0);
    assert(pthread_mutex_init(m, &attr) == 0);
    assert(pthread_mutexattr_destroy(&attr) == 0);
}

static void *
other(void *arg)
{
    (void)arg;
    assert(pthread_mutex_trylock(&recursive) == EBUSY);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&check) == EPERM);
    assert(pthread_mutex_trylock(&check) == EBUSY);
    return NULL;
}

static void *
wait_for_all_levels(void *arg)
{
    (void)arg;
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(depth_seen == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    return NULL;
}

int
main(void)
{
    pthread_mutex_t local;
    pthread_t t;

    make(&recursive, PTHREAD_MUTEX_RECURSIVE);
    make(&check, PTHREAD_MUTEX_ERRORCHECK);
    for (depth_seen = 1; depth_seen < 4; depth_seen++)
        assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_trylock(&recursive) == 0);
    assert(pthread_mutex_unlock(&check) == EPERM);
    assert(pthread_mutex_lock(&check) == 0);
    assert(pthread_mutex_lock(&check) == EDEADLK);
    assert(pthread_mutex_trylock(&check) == EBUSY);
    assert(pthread_create(&t, NULL, other, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(pthread_mutex_unlock(&check) == 0);

    assert(pthread_create(&t, NULL, wait_for_all_levels, NULL) == 0);
    for (; depth_seen > 1; depth_seen--)
        assert(pthread_mutex_unlock(&recursive) == 0);
    depth_seen = 0;
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);

    assert(pthread_mutex_lock(&adaptive) == 0);
    assert(pthread_mutex_trylock(&adaptive) == EBUSY);
    assert(pthread_mutex_unlock(&adaptive) == 0);

    local = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    assert(pthread_mutex_lock(&local) == 0 && pthread_mutex_lock(&local) == 0);
    assert(pthread_mutex_unlock(&local) == 0 && pthread_mutex_unlock(&local) == 0);
    assert(pthread_mutex_destroy(&local) == 0);
    local = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    assert(pthread_mutex_lock(&local) == 0);
    assert(pthread_mutex_lock(&local) == EDEADLK);
    assert(pthread_mutex_unlock(&local) == 0);
    assert(pthread_mutex_destroy(&local) == 0);
    return 0;
}
