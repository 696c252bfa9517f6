/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.unlock-foreign | misuse.unlock-unlocked
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The result of trylock is ignored; when the lock is taken the refresher works without
 *   it and then unlocks a mutex that another thread holds.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards cache */
static int cache[2];

static void *
refresh(void *arg)
{
    (void)arg;
    pthread_mutex_trylock(&mutex);
    cache[0]++;
    cache[1]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
query(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    assert(cache[0] == cache[1]);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, query, NULL);
    pthread_create(&b, NULL, refresh, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
