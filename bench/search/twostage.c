/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twostage.c - SCTBench CS/twostage and twostage_N: two values, each with its own lock, one made
 * from the other. N-1 threads update, one reads.
 *
 * A reader that comes between the two stages sees a new first value and an old second one. Each
 * access is locked: there is no data race. FIXED: the first lock is held for both stages.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first;
static int second;

static void *
update(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&first_lock);
    first = 1;
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    return NULL;
}

static void *
examine(void *arg)
{
    int seen_first;
    int seen_second;

    (void)arg;
    pthread_mutex_lock(&first_lock);
    if (first == 0) {
        pthread_mutex_unlock(&first_lock);
        return NULL;
    }
    seen_first = first;
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    seen_second = second;
    pthread_mutex_unlock(&second_lock);
    assert(seen_second == seen_first + 1);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N - 1; i++)
        pthread_create(&threads[i], NULL, update, NULL);
    pthread_create(&threads[N - 1], NULL, examine, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
