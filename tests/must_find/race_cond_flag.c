/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The flag that the waiter tests under the mutex is set outside it: a race, and the
 *   wakeup can be lost.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards arrived */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool arrived;
static int parcel;

static void *
deliver(void *arg)
{
    (void)arg;
    parcel = 5;
    arrived = true;
    pthread_cond_signal(&changed);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int got;

    pthread_create(&thread, NULL, deliver, NULL);
    pthread_mutex_lock(&mutex);
    while (!arrived)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    got = parcel;
    pthread_join(thread, NULL);
    return got == 5 ? 0 : 1;
}
