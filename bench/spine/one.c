/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/spine/one.c - the smallest program with something to interleave: two threads, one lock
 * each. What one of its executions costs is what any execution costs before it does anything.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    return pthread_join(t, NULL);
}
