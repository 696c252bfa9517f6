/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_shutdown.c - a thread pool is told to stop by an atomic flag and a broadcast, without
 * the lock: a worker that has looked at the flag and not begun to wait misses both, and is
 * waited for for ever. FIXED: the flag is set with the lock held.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { WORKERS = 3, JOBS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int n_waiting;
static int n_done;
static atomic_bool stop;

static void *
worker(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (n_waiting == 0 && !stop)
            pthread_cond_wait(&news, &lock);
        if (n_waiting == 0)
            break;
        n_waiting--;
        pthread_mutex_unlock(&lock);
        /* the job */
        pthread_mutex_lock(&lock);
        n_done++;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void
submit(void)
{
    pthread_mutex_lock(&lock);
    n_waiting++;
    pthread_cond_signal(&news);
    pthread_mutex_unlock(&lock);
}

static void
shut_down(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&lock);
#else
    stop = true;
    pthread_cond_broadcast(&news);
#endif
}

int
main(void)
{
    pthread_t threads[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++)
        submit();
    shut_down();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert(n_done == JOBS);
    return 0;
}
