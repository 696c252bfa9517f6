/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=reads-from --runs=30 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Each value has its lock and there is no race, but between the two critical sections of
 *   every writer a reader sees the first value without the second. To show it all writers must be
 *   held where they take the second lock, not inside.
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
    pthread_mutex_unlock(&lock_total);
    pthread_mutex_lock(&lock_index);
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
    pthread_mutex_unlock(&lock_total);
    if (n == 0)
        return arg;
    pthread_mutex_lock(&lock_index);
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
