/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - pages that were fetched.
 *
 * Version 2 keeps the number of bytes instead of adding them up when asked.
 */
#include <stdlib.h>
#include <string.h>

#include "crawler.h"

#define ENTRIES 16

struct entry {
    struct url url;
    const char *body; /* NULL: removed */
    size_t length;
};

struct store {
    pthread_rwlock_t lock; /* guards the rest */
    struct entry entries[ENTRIES];
    unsigned used; /* with removed ones */
    unsigned removed;
    size_t bytes;
};

struct store *
store_new(void)
{
    struct store *s = calloc(1, sizeof *s);

    if (s != NULL)
        pthread_rwlock_init(&s->lock, NULL);
    return s;
}

void
store_free(struct store *s)
{
    pthread_rwlock_destroy(&s->lock);
    free(s);
}

/* The lock is held. */
static struct entry *
find(struct store *s, const struct url *u)
{
    for (unsigned i = 0; i < s->used; i++) {
        if (s->entries[i].body != NULL && url_equal(&s->entries[i].url, u))
            return &s->entries[i];
    }
    return NULL;
}

#if VERSION >= 2
bool
store_put(struct store *s, const struct url *u, const char *body)
{
    size_t length = strlen(body);
    bool added = false;

    pthread_rwlock_wrlock(&s->lock);
    if (s->used < ENTRIES && find(s, u) == NULL) {
        struct entry *e = &s->entries[s->used++];

        e->url = *u;
        e->body = body;
        e->length = length;
        added = true;
#ifndef SEED_1
        s->bytes += length;
#endif
    }
    pthread_rwlock_unlock(&s->lock);
#ifdef SEED_1
    if (added)
        s->bytes += length;
#endif
    return added;
}

bool
store_remove(struct store *s, const struct url *u)
{
    struct entry *e;

    pthread_rwlock_wrlock(&s->lock);
    e = find(s, u);
    if (e != NULL) {
        e->body = NULL;
        s->removed++;
        s->bytes -= e->length;
    }
    pthread_rwlock_unlock(&s->lock);
    return e != NULL;
}

size_t
store_bytes(struct store *s)
{
    size_t sum;

    pthread_rwlock_rdlock(&s->lock);
    sum = s->bytes;
    pthread_rwlock_unlock(&s->lock);
    return sum;
}
#else
bool
store_put(struct store *s, const struct url *u, const char *body)
{
    bool added = false;

    pthread_rwlock_wrlock(&s->lock);
    if (s->used < ENTRIES && find(s, u) == NULL) {
        struct entry *e = &s->entries[s->used++];

        e->url = *u;
        e->body = body;
        e->length = strlen(body);
        added = true;
    }
    pthread_rwlock_unlock(&s->lock);
    return added;
}

bool
store_remove(struct store *s, const struct url *u)
{
    struct entry *e;

    pthread_rwlock_wrlock(&s->lock);
    e = find(s, u);
    if (e != NULL) {
        e->body = NULL;
        s->removed++;
    }
    pthread_rwlock_unlock(&s->lock);
    return e != NULL;
}

size_t
store_bytes(struct store *s)
{
    size_t sum = 0;

    pthread_rwlock_rdlock(&s->lock);
    for (unsigned i = 0; i < s->used; i++) {
        if (s->entries[i].body != NULL)
            sum += s->entries[i].length;
    }
    pthread_rwlock_unlock(&s->lock);
    return sum;
}
#endif

bool
store_has(struct store *s, const struct url *u)
{
    bool found;

    pthread_rwlock_rdlock(&s->lock);
    found = find(s, u) != NULL;
    pthread_rwlock_unlock(&s->lock);
    return found;
}

bool
store_title(struct store *s, const struct url *u, char *out, size_t size)
{
    const struct entry *e;
    bool ok;

    pthread_rwlock_rdlock(&s->lock);
    e = find(s, u);
    ok = e != NULL && parse_title(e->body, out, size);
    pthread_rwlock_unlock(&s->lock);
    return ok;
}

unsigned
store_count(struct store *s)
{
    unsigned n;

    pthread_rwlock_rdlock(&s->lock);
    n = s->used - s->removed;
    pthread_rwlock_unlock(&s->lock);
    return n;
}

unsigned
store_compact(struct store *s)
{
    unsigned gaps = s->removed;
    unsigned to = 0;

    for (unsigned from = 0; from < s->used; from++) {
        if (s->entries[from].body == NULL)
            continue;
        if (to != from)
            s->entries[to] = s->entries[from];
        to++;
    }
    s->used = to;
    s->removed = 0;
    return gaps;
}
