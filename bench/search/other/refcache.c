/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refcache.c - a cache of counted objects: a lookup finds an object under the lock and takes
 * its reference after it; an eviction in between frees what was found. FIXED: the reference
 * is taken under the lock.
 */
#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 4 };

struct object {
    _Atomic int references;
    int key;
    int value;
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *cache[SLOTS];

static void
put_back(struct object *o)
{
    if (--o->references == 0)
        free(o);
}

static struct object *
insert(int key)
{
    struct object *o = calloc(1, sizeof *o);

    o->references = 1;
    o->key = key;
    o->value = key * key;
    pthread_mutex_lock(&cache_lock);
    cache[key % SLOTS] = o;
    pthread_mutex_unlock(&cache_lock);
    return o;
}

static struct object *
look_up(int key)
{
    struct object *o;

    pthread_mutex_lock(&cache_lock);
    o = cache[key % SLOTS];
    if (o != NULL && o->key != key)
        o = NULL;
#ifdef FIXED
    if (o != NULL)
        o->references++;
#endif
    pthread_mutex_unlock(&cache_lock);
#ifndef FIXED
    if (o != NULL)
        o->references++;
#endif
    return o;
}

static void
evict(int key)
{
    struct object *o;

    pthread_mutex_lock(&cache_lock);
    o = cache[key % SLOTS];
    cache[key % SLOTS] = NULL;
    pthread_mutex_unlock(&cache_lock);
    if (o != NULL)
        put_back(o);
}

static void *
reader(void *arg)
{
    int sum = 0;

    for (int key = 0; key < SLOTS; key++) {
        struct object *o = look_up(key);

        if (o == NULL)
            continue;
        sum += o->value;
        put_back(o);
    }
    return sum >= 0 ? arg : NULL;
}

static void *
evictor(void *arg)
{
    for (int key = 0; key < SLOTS; key++)
        evict(key);
    return arg;
}

int
main(void)
{
    pthread_t threads[3];

    for (int key = 0; key < SLOTS; key++)
        insert(key);
    pthread_create(&threads[0], NULL, evictor, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
