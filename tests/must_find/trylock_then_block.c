/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=20000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: An adaptive lock: tries a number of times, yields in between, then blocks. Two threads
 *   take two of them in opposite orders; both must be past their attempts to deadlock.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#define TRIES 40

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void
take(pthread_mutex_t *m)
{
    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(m) == 0)
            return;
        sched_yield();
    }
    pthread_mutex_lock(m);
}

static void *
other_way(void *arg)
{
    (void)arg;
    take(&b);
    take(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, other_way, NULL);
    take(&a);
    take(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}
