/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A cleanup handler unlocks the mutex when the wait is canceled.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards stop and jobs */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool stop;
static int jobs;

static void
unlock(void *arg)
{
    pthread_mutex_unlock(arg);
}

static void *
worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (jobs == 0 && !stop)
        pthread_cond_wait(&arrived, &mutex);
    pthread_cleanup_pop(1);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    stop = true;
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    jobs = 0;
    pthread_mutex_unlock(&mutex);
    return 0;
}
