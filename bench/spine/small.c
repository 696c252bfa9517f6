/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/spine/small.c - the small test of the aim for executions per second: two threads, each
 * with two increments under a lock, and a check at the end.
 */
#include <pthread.h>
#include <stddef.h>

enum { N_INCREMENTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter; /* guarded by lock */

static void *
work(void *arg)
{
    for (int i = 0; i < N_INCREMENTS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return counter == 2 * N_INCREMENTS ? 0 : 1;
}
