/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A thread that does not get the lock at once counts that as a miss, without the lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards hits */
static int hits;
static int misses;

static void *
poll_once(void *arg)
{
    (void)arg;
    if (pthread_mutex_trylock(&mutex) == 0) {
        hits++;
        pthread_mutex_unlock(&mutex);
    } else {
        misses++;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, poll_once, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return hits > 0 && hits + misses <= 3 ? 0 : 1;
}
