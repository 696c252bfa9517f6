/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free | memory.double-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: The cache hands out a pointer and releases its lock before the user has a reference
 *   of its own; an eviction in between frees the entry.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct entry {
    atomic_int refs;
    int value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards cached */
static struct entry *cached;

static void
entry_unref(struct entry *e)
{
    if (atomic_fetch_sub(&e->refs, 1) == 1)
        free(e);
}

static struct entry *
cache_get(void)
{
    struct entry *e;

    pthread_mutex_lock(&mutex);
    e = cached;
    pthread_mutex_unlock(&mutex);
    if (e != NULL)
        atomic_fetch_add(&e->refs, 1);
    return e;
}

static void
cache_evict(void)
{
    struct entry *e;

    pthread_mutex_lock(&mutex);
    e = cached;
    cached = NULL;
    pthread_mutex_unlock(&mutex);
    if (e != NULL)
        entry_unref(e);
}

static void *
user(void *arg)
{
    struct entry *e = cache_get();

    (void)arg;
    if (e != NULL) {
        assert(e->value == 5);
        entry_unref(e);
    }
    return NULL;
}

static void *
evictor(void *arg)
{
    (void)arg;
    cache_evict();
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    cached = malloc(sizeof *cached);
    atomic_init(&cached->refs, 1);
    cached->value = 5;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, evictor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
