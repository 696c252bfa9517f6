/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=reads-from --runs=300
 * BURL-WHY: As its twin in must_find, but both values are published in one critical section: what
 *   is proposed cannot be met, and nothing that the proposals do may look like a deadlock.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N 40

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head, tail;

static void *
publish(void *arg)
{
    pthread_mutex_lock(&lock);
    head = 1;
    tail = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *
look(void *arg)
{
    pthread_mutex_lock(&lock);
    if (head == 1)
        assert(tail == 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

int
main(void)
{
    pthread_t t[N + 1];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, publish, NULL);
    pthread_create(&t[N], NULL, look, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
