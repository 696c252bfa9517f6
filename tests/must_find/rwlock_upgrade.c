/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Two readers that both want to become the writer wait for each other to stop reading.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct upgradable {
    pthread_mutex_t mutex; /* guards the counts */
    pthread_cond_t changed;
    int readers;
    bool writing;
    bool upgrading;
};

static struct upgradable lock = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};
static int cache_value;
static int n_fills;

static void
read_lock(struct upgradable *l)
{
    pthread_mutex_lock(&l->mutex);
    while (l->writing)
        pthread_cond_wait(&l->changed, &l->mutex);
    l->readers++;
    pthread_mutex_unlock(&l->mutex);
}

static void
read_unlock(struct upgradable *l)
{
    pthread_mutex_lock(&l->mutex);
    l->readers--;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
}

/* The caller is a reader. True: it is now the writer. */
static bool
try_upgrade(struct upgradable *l)
{
    pthread_mutex_lock(&l->mutex);
    l->upgrading = true;
    while (l->readers > 1)
        pthread_cond_wait(&l->changed, &l->mutex);
    l->readers = 0;
    l->upgrading = false;
    l->writing = true;
    pthread_mutex_unlock(&l->mutex);
    return true;
}

static void
write_unlock(struct upgradable *l)
{
    pthread_mutex_lock(&l->mutex);
    l->writing = false;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
}

static void *
use_cache(void *arg)
{
    (void)arg;
    for (;;) {
        read_lock(&lock);
        if (cache_value != 0)
            break;
        if (try_upgrade(&lock)) {
            if (cache_value == 0) {
                cache_value = 42;
                n_fills++;
            }
            write_unlock(&lock);
        } else {
            read_unlock(&lock);
        }
    }
    assert(cache_value == 42);
    read_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use_cache, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(n_fills == 1);
    return 0;
}
