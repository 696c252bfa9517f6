/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: a watchdog that sleeps half a minute and then aborts, and a wait of ten seconds that
 * must
 *   not time out, are ordinary guards: they never fire while the work can still get done.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards n_done */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int n_done;

static void *
watch(void *arg)
{
    (void)arg;
    sleep(30);
    abort();
}

static void *
work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        n_done++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int
main(void)
{
    struct timespec until;
    pthread_t watchdog;
    pthread_t worker;

    pthread_create(&watchdog, NULL, watch, NULL);
    pthread_detach(watchdog);
    pthread_create(&worker, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&mutex);
    while (n_done < ROUNDS)
        assert(pthread_cond_timedwait(&changed, &mutex, &until) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(worker, NULL);
    return 0;
}
