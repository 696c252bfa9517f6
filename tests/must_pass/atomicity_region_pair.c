/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: One lock is held over the whole marked region and by the reader of both counters.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards from and to */
static int from = 10;
static int to;

static void *
transfer(void *arg)
{
    (void)arg;
    BURL_ATOMIC_BEGIN("transfer");
    pthread_mutex_lock(&lock);
    from -= 4;
    to += 4;
    pthread_mutex_unlock(&lock);
    BURL_ATOMIC_END();
    return NULL;
}

static void *
audit(void *arg)
{
    int *sum = arg;

    pthread_mutex_lock(&lock);
    *sum = from + to;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int sum = 0;

    pthread_create(&threads[0], NULL, transfer, NULL);
    pthread_create(&threads[1], NULL, audit, &sum);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum > 0 ? 0 : 1;
}
