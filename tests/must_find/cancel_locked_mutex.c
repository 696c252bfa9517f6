/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding | deadlock.stuck | deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: A thread that is canceled in pthread_cond_wait owns the mutex again when it ends;
 *   without a cleanup handler it stays locked.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards stop and jobs */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool stop;
static int jobs;

static void *
worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    while (jobs == 0 && !stop)
        pthread_cond_wait(&arrived, &mutex);
    pthread_mutex_unlock(&mutex);
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
