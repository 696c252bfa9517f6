/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Recursive and error-checking mutexes used as they are meant: nested locking, and
 *   errors that are returned instead of being bugs.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t recursive; /* guards depth_sum */
static pthread_mutex_t checking;  /* guards n_checks */
static int depth_sum;
static int n_checks;

static void
init(pthread_mutex_t *m, int type)
{
    pthread_mutexattr_t attr;
    int got;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_gettype(&attr, &got);
    assert(got == type);
    pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void
descend(int depth)
{
    pthread_mutex_lock(&recursive);
    depth_sum += depth;
    if (depth > 0)
        descend(depth - 1);
    pthread_mutex_unlock(&recursive);
}

static void *
work(void *arg)
{
    int err;

    (void)arg;
    descend(3);

    err = pthread_mutex_lock(&checking);
    assert(err == 0);
    err = pthread_mutex_lock(&checking);
    assert(err == EDEADLK);
    err = pthread_mutex_trylock(&checking);
    assert(err == EBUSY);
    n_checks++;
    err = pthread_mutex_unlock(&checking);
    assert(err == 0);

    err = pthread_mutex_trylock(&recursive);
    assert(err == 0 || err == EBUSY);
    if (err == 0) {
        err = pthread_mutex_trylock(&recursive);
        assert(err == 0);
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&recursive);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checking, PTHREAD_MUTEX_ERRORCHECK);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(depth_sum == 12 && n_checks == 2);
    pthread_mutex_destroy(&recursive);
    pthread_mutex_destroy(&checking);
    return 0;
}
