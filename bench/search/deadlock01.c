/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock01.c - SCTBench CS/deadlock01: two locks, taken in opposite orders by two threads.
 * FIXED: the same order in both.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int counter = 1;

static void
with_both(pthread_mutex_t *outer, pthread_mutex_t *inner, int by)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    counter += by;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *
up(void *arg)
{
    (void)arg;
    with_both(&a, &b, 1);
    return NULL;
}

static void *
down(void *arg)
{
    (void)arg;
#ifdef FIXED
    with_both(&a, &b, -1);
#else
    with_both(&b, &a, -1);
#endif
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, up, NULL);
    pthread_create(&threads[1], NULL, down, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
