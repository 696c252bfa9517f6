/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle | deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: One thread runs the initializer, which needs the lock; another holds the lock and
 *   waits for the initializer to end.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex; /* recursive; guards the rest */
static int limit;
static int used;

static void
read_limit(void)
{
    pthread_mutex_lock(&mutex);
    limit = 10;
    pthread_mutex_unlock(&mutex);
}

static void *
reserve(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_once(&once, read_limit);
    if (used < limit)
        used++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
warm_up(void *arg)
{
    (void)arg;
    pthread_once(&once, read_limit);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t a;
    pthread_t b;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, reserve, NULL);
    pthread_create(&b, NULL, warm_up, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(limit == 10 && used == 1);
    return 0;
}
