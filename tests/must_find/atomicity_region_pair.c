/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: atomicity.region
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The two counters have a lock each and there is no data race; but the transfer,
 *   marked as atomic, can be seen half done by a thread that reads both.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t from_lock = PTHREAD_MUTEX_INITIALIZER; /* guards from */
static pthread_mutex_t to_lock = PTHREAD_MUTEX_INITIALIZER;   /* guards to */
static int from = 10;
static int to;

static void *
transfer(void *arg)
{
    (void)arg;
    BURL_ATOMIC_BEGIN("transfer");
    pthread_mutex_lock(&from_lock);
    from -= 4;
    pthread_mutex_unlock(&from_lock);
    pthread_mutex_lock(&to_lock);
    to += 4;
    pthread_mutex_unlock(&to_lock);
    BURL_ATOMIC_END();
    return NULL;
}

static void *
audit(void *arg)
{
    int *sum = arg;

    pthread_mutex_lock(&from_lock);
    *sum = from;
    pthread_mutex_unlock(&from_lock);
    pthread_mutex_lock(&to_lock);
    *sum += to;
    pthread_mutex_unlock(&to_lock);
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
