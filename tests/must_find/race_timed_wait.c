/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: When the wait times out, the caller takes the result without the lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards is_done and result */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_done;
static int result;

static void *
work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    result = 1;
    is_done = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    struct timespec until;
    pthread_t thread;
    int err = 0;
    int seen;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (!is_done && err != ETIMEDOUT)
        err = pthread_cond_timedwait(&changed, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    seen = result;
    pthread_join(thread, NULL);
    return seen <= 1 ? 0 : 1;
}
