/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding | deadlock.stuck | deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: On a cache miss the nested look-up returns without undoing its own level of the
 *   recursive lock, so the thread ends with the lock still held and the next one waits for ever.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex; /* recursive; guards the rest */
static bool cached = true;
static int n_reads;

/* Takes the lock for itself too, because it is also called from outside. */
static bool
look_up(void)
{
    pthread_mutex_lock(&mutex);
    if (!cached) {
        return false;
    }
    pthread_mutex_unlock(&mutex);
    return true;
}

static void *
read_item(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    if (!look_up())
        cached = true;
    n_reads++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
evict(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    cached = false;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[3];

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&threads[0], NULL, read_item, NULL);
    pthread_create(&threads[1], NULL, read_item, NULL);
    pthread_create(&threads[2], NULL, evict, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return n_reads == 2 ? 0 : 1;
}
