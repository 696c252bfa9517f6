/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding
 * BURL-ARGS: --runs=200
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: A worker that finds the queue closed leaves without unlocking it.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool closed;
static int taken;

static void *
worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (closed)
        return NULL;
    taken++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
