/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: When the time is up the sampler goes without a sample.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards gauge */
static int gauge;

static void *
update(void *arg)
{
    struct timespec pause = { 0, 1000000 };

    pthread_mutex_lock(&mutex);
    gauge = 1;
    nanosleep(&pause, NULL);
    gauge = 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *
sample(void *arg)
{
    int *seen = arg;
    struct timespec until;
    int err;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    err = pthread_mutex_timedlock(&mutex, &until);
    if (err == ETIMEDOUT)
        return NULL;
    *seen = gauge;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int seen = 0;

    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, sample, &seen);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return seen <= 2 ? 0 : 1;
}
