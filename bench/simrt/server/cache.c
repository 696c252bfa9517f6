/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - bodies of resources, with eviction of what was used longest ago.
 *
 * Version 2 has the choice of the victim as a function of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define ENTRIES 4

struct cached {
    bool used;
    unsigned long stamp;
    char path[PATH_LENGTH];
    char body[BODY_LENGTH];
};

struct cache {
    unsigned capacity;
    pthread_mutex_t lock; /* guards the rest */
    struct cached entries[ENTRIES];
    unsigned long clock;
    unsigned hits;
    unsigned evictions;
};

struct cache *
cache_new(unsigned capacity)
{
    struct cache *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->capacity = capacity < ENTRIES ? capacity : ENTRIES;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void
cache_free(struct cache *c)
{
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* The lock is held. */
static struct cached *
find(struct cache *c, const char *path)
{
    for (unsigned i = 0; i < c->capacity; i++) {
        if (c->entries[i].used && strcmp(c->entries[i].path, path) == 0)
            return &c->entries[i];
    }
    return NULL;
}

bool
cache_get(struct cache *c, const char *path, char *out, size_t size)
{
    struct cached *e;

    pthread_mutex_lock(&c->lock);
    e = find(c, path);
    if (e != NULL) {
        e->stamp = ++c->clock;
        c->hits++;
        snprintf(out, size, "%s", e->body);
    }
    pthread_mutex_unlock(&c->lock);
    return e != NULL;
}

#if VERSION >= 2
/* A free entry, or the one that was used longest ago. */
static struct cached *
oldest(struct cache *c)
{
    struct cached *victim = &c->entries[0];

    for (unsigned i = 0; i < c->capacity; i++) {
        struct cached *e = &c->entries[i];

        if (!e->used)
            return e;
        if (e->stamp < victim->stamp)
            victim = e;
    }
    return victim;
}

void
cache_put(struct cache *c, const char *path, const char *body)
{
    struct cached *e;

    if (c->capacity == 0)
        return;
#ifdef SEED_4
    e = oldest(c);
    pthread_mutex_lock(&c->lock);
    if (find(c, path) != NULL)
        e = find(c, path);
#else
    pthread_mutex_lock(&c->lock);
    e = find(c, path);
    if (e == NULL)
        e = oldest(c);
#endif
    if (e->used && strcmp(e->path, path) != 0)
        c->evictions++;
    e->used = true;
    e->stamp = ++c->clock;
    snprintf(e->path, sizeof e->path, "%s", path);
    snprintf(e->body, sizeof e->body, "%s", body);
    pthread_mutex_unlock(&c->lock);
}
#else
void
cache_put(struct cache *c, const char *path, const char *body)
{
#ifdef HARMLESS
#define victim entry_to_fill
#endif
    struct cached *victim;

    if (c->capacity == 0)
        return;
    pthread_mutex_lock(&c->lock);
    victim = find(c, path);
    if (victim == NULL) {
        victim = &c->entries[0];
        for (unsigned i = 1; i < c->capacity && victim->used; i++) {
            if (!c->entries[i].used || c->entries[i].stamp < victim->stamp)
                victim = &c->entries[i];
        }
        if (victim->used)
            c->evictions++;
    }
    victim->used = true;
    victim->stamp = ++c->clock;
    snprintf(victim->path, sizeof victim->path, "%s", path);
    snprintf(victim->body, sizeof victim->body, "%s", body);
    pthread_mutex_unlock(&c->lock);
}
#undef victim
#endif

void
cache_drop(struct cache *c, const char *path)
{
    struct cached *e;

    pthread_mutex_lock(&c->lock);
    e = find(c, path);
    if (e != NULL)
        e->used = false;
    pthread_mutex_unlock(&c->lock);
}

unsigned
cache_size(struct cache *c)
{
    unsigned n = 0;

    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->capacity; i++)
        n += c->entries[i].used ? 1 : 0;
    pthread_mutex_unlock(&c->lock);
    return n;
}

unsigned
cache_hits(struct cache *c)
{
    unsigned n;

    pthread_mutex_lock(&c->lock);
    n = c->hits;
    pthread_mutex_unlock(&c->lock);
    return n;
}

unsigned
cache_evictions(struct cache *c)
{
    unsigned n;

    pthread_mutex_lock(&c->lock);
    n = c->evictions;
    pthread_mutex_unlock(&c->lock);
    return n;
}
