/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wronglock.c - SCTBench CS/wronglock and wronglock_N: one thread increments under the data's lock
 * and compares with what it read before, N others increment under another lock.
 * FIXED: all use the data's.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 7
#endif

static int value;
static pthread_mutex_t value_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define other_lock value_lock
#else
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *
right(void *arg)
{
    int before;

    (void)arg;
    pthread_mutex_lock(&value_lock);
    before = value;
    value++;
    assert(value == before + 1);
    pthread_mutex_unlock(&value_lock);
    return NULL;
}

static void *
wrong(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&other_lock);
    value++;
    pthread_mutex_unlock(&other_lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[0], NULL, right, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, wrong, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
