/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Two threads wait for one broadcast, without a loop: a barrier that a spurious wakeup
 *   leaves early.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards arrived */
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;

static void
meet(void)
{
    pthread_mutex_lock(&mutex);
    if (++arrived == N) {
        pthread_cond_broadcast(&all_here);
    } else {
        if (arrived < N)
            pthread_cond_wait(&all_here, &mutex);
    }
    assert(arrived == N);
    pthread_mutex_unlock(&mutex);
}

static void *
worker(void *arg)
{
    (void)arg;
    meet();
    return NULL;
}

int
main(void)
{
    pthread_t t[N - 1];

    for (int i = 0; i < N - 1; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    meet();
    for (int i = 0; i < N - 1; i++)
        pthread_join(t[i], NULL);
    return 0;
}
