/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=reads-from --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: As its twin in must_find, but the writers go from one critical section into the other
 *   without letting go, and so do the readers. Proposals hold threads at both locks.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N 20

static pthread_mutex_t lock_total = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_index = PTHREAD_MUTEX_INITIALIZER;
static int total, last_index;

static void *
insert(void *arg)
{
    pthread_mutex_lock(&lock_total);
    total = 1;
    pthread_mutex_lock(&lock_index);
    pthread_mutex_unlock(&lock_total);
    last_index = 1;
    pthread_mutex_unlock(&lock_index);
    return arg;
}

static void *
check(void *arg)
{
    int n, i;

    pthread_mutex_lock(&lock_total);
    n = total;
    pthread_mutex_lock(&lock_index);
    pthread_mutex_unlock(&lock_total);
    i = last_index;
    pthread_mutex_unlock(&lock_index);
    assert(i == n);
    return arg;
}

int
main(void)
{
    pthread_t t[2 * N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, insert, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&t[N + i], NULL, check, NULL);
    for (int i = 0; i < 2 * N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
