/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reorder.c - SCTBench CS/reorder_N: N-1 threads set a pair of variables, one thread checks them.
 *
 * The checker must run when the first setter is between its two stores and no other setter is
 * through; with many setters hardly any random schedule does that. FIXED: a lock for the pair.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static int a;
static int b;
static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER;

static void
pair_enter(void)
{
#ifdef FIXED
    pthread_mutex_lock(&pair_lock);
#endif
}

static void
pair_leave(void)
{
#ifdef FIXED
    pthread_mutex_unlock(&pair_lock);
#endif
}

static void *
set(void *arg)
{
    (void)arg;
    pair_enter();
    a = 1;
    b = -1;
    pair_leave();
    return NULL;
}

static void *
check(void *arg)
{
    (void)arg;
    pair_enter();
    if (!((a == 0 && b == 0) || (a == 1 && b == -1)))
        assert(!"half of the pair is set");
    pair_leave();
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N - 1; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    pthread_create(&threads[N - 1], NULL, check, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&pair_lock);
    return 0;
}
