/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c - ck_hs as a set of numbers; see set.h. Compiled together with ck_hs.c of the package's
 * source, so that all of it is watched access by access.
 */
#include "set.h"

#include <ck_hs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct set {
    ck_hs_t hs;
    pthread_mutex_t writing;
};

static void *
get_memory(size_t n)
{
    return malloc(n);
}

/* Readers may still be in there. */
static void
keep_memory(void *p, size_t n, bool defer)
{
    if (!defer)
        free(p);
    (void)n;
}

static struct ck_malloc allocator = { .malloc = get_memory, .free = keep_memory };

static unsigned long
hash(const void *key, unsigned long seed)
{
    return ((uintptr_t)key + seed) * 0x9e3779b97f4a7c15ul;
}

static bool
is_same(const void *a, const void *b)
{
    return a == b;
}

/* The values 0 and all ones mean empty and deleted to ck_hs. */
static void *
to_key(unsigned char key)
{
    return (void *)((uintptr_t)key + 1);
}

struct set *
set_new(void)
{
    struct set *s = malloc(sizeof *s);

    if (s == NULL)
        return NULL;
    if (!ck_hs_init(&s->hs, CK_HS_MODE_SPMC | CK_HS_MODE_DIRECT, hash, is_same, &allocator, 8, 1))
        abort();
    pthread_mutex_init(&s->writing, NULL);
    return s;
}

void
set_free(struct set *s)
{
    ck_hs_destroy(&s->hs);
    pthread_mutex_destroy(&s->writing);
    free(s);
}

bool
set_put_bare(struct set *s, unsigned char key)
{
    void *k = to_key(key);

    return ck_hs_put(&s->hs, CK_HS_HASH(&s->hs, hash, k), k);
}

bool
set_remove_bare(struct set *s, unsigned char key)
{
    void *k = to_key(key);

    return ck_hs_remove(&s->hs, CK_HS_HASH(&s->hs, hash, k), k) != NULL;
}

bool
set_put(struct set *s, unsigned char key)
{
    bool put;

    pthread_mutex_lock(&s->writing);
    put = set_put_bare(s, key);
    pthread_mutex_unlock(&s->writing);
    return put;
}

bool
set_remove(struct set *s, unsigned char key)
{
    bool removed;

    pthread_mutex_lock(&s->writing);
    removed = set_remove_bare(s, key);
    pthread_mutex_unlock(&s->writing);
    return removed;
}

bool
set_grow(struct set *s)
{
    bool grown;

    pthread_mutex_lock(&s->writing);
    grown = ck_hs_grow(&s->hs, 32);
    pthread_mutex_unlock(&s->writing);
    return grown;
}

bool
set_rebuild(struct set *s)
{
    bool done;

    pthread_mutex_lock(&s->writing);
    done = ck_hs_rebuild(&s->hs);
    pthread_mutex_unlock(&s->writing);
    return done;
}

bool
set_has(struct set *s, unsigned char key)
{
    void *k = to_key(key);

    return ck_hs_get(&s->hs, CK_HS_HASH(&s->hs, hash, k), k) != NULL;
}

unsigned long
set_count(struct set *s)
{
    unsigned long n;

    pthread_mutex_lock(&s->writing);
    n = ck_hs_count(&s->hs);
    pthread_mutex_unlock(&s->writing);
    return n;
}
