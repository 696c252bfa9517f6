/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A recursive lock that its owner takes again inside another lock makes no cycle.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t outer; /* recursive */
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void
touch(void)
{
    pthread_mutex_lock(&outer);
    n++;
    pthread_mutex_unlock(&outer);
}

static void *
first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    touch();
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return NULL;
}

static void *
second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    touch();
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[2];

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&outer, &attr);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return n == 2 ? 0 : 1;
}
