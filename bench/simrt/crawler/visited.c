/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visited.c - the set of URLs that were seen. Eight buckets share four locks; each lock has a
 * counter.
 *
 * Version 2 looks at the bucket in one function for both operations.
 */
#include <stdlib.h>

#include "crawler.h"

#define BUCKETS 8
#define GROUPS 4
#define PER_BUCKET 8

struct bucket {
    struct url urls[PER_BUCKET];
    unsigned used;
};

struct visited {
    pthread_mutex_t locks[BUCKETS];
    struct bucket buckets[BUCKETS];
    unsigned members[GROUPS]; /* of the buckets with this number modulo GROUPS */
};

/* The lock of a bucket. It guards the counter of the group, too. */
#ifdef SEED_8
static const unsigned char lock_of[BUCKETS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#else
static const unsigned char lock_of[BUCKETS] = { 0, 1, 2, 3, 0, 1, 2, 3 };
#endif

struct visited *
visited_new(void)
{
    struct visited *v = calloc(1, sizeof *v);

    for (unsigned i = 0; v != NULL && i < BUCKETS; i++)
        pthread_mutex_init(&v->locks[i], NULL);
    return v;
}

void
visited_free(struct visited *v)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        pthread_mutex_destroy(&v->locks[i]);
    free(v);
}

/* The lock is held. */
static bool
contains(const struct bucket *b, const struct url *u)
{
    for (unsigned i = 0; i < b->used; i++) {
        if (url_equal(&b->urls[i], u))
            return true;
    }
    return false;
}

#if VERSION >= 2
/* Looks for a URL and adds it if it is not there and `add`. Returns whether it was there. */
static bool
find_or_add(struct visited *v, const struct url *u, bool add)
{
    unsigned number = url_hash(u) % BUCKETS;
    pthread_mutex_t *lock = &v->locks[lock_of[number]];
    struct bucket *bucket = &v->buckets[number];
    bool known;

    pthread_mutex_lock(lock);
    known = contains(bucket, u);
    if (!known && add && bucket->used < PER_BUCKET) {
        bucket->urls[bucket->used++] = *u;
        v->members[number % GROUPS]++;
    }
    pthread_mutex_unlock(lock);
    return known;
}

bool
visited_add(struct visited *v, const struct url *u)
{
    return !find_or_add(v, u, true);
}

bool
visited_has(struct visited *v, const struct url *u)
{
    return find_or_add(v, u, false);
}
#else
bool
visited_add(struct visited *v, const struct url *u)
{
    unsigned number = url_hash(u) % BUCKETS;
    struct bucket *b = &v->buckets[number];
    bool added;

    pthread_mutex_lock(&v->locks[lock_of[number]]);
    added = !contains(b, u);
    if (added && b->used < PER_BUCKET) {
        b->urls[b->used++] = *u;
        v->members[number % GROUPS]++;
    }
    pthread_mutex_unlock(&v->locks[lock_of[number]]);
    return added;
}

bool
visited_has(struct visited *v, const struct url *u)
{
    unsigned number = url_hash(u) % BUCKETS;
    bool found;

    pthread_mutex_lock(&v->locks[lock_of[number]]);
    found = contains(&v->buckets[number], u);
    pthread_mutex_unlock(&v->locks[lock_of[number]]);
    return found;
}
#endif

unsigned
visited_count(struct visited *v)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < GROUPS; i++) {
        pthread_mutex_lock(&v->locks[lock_of[i]]);
        sum += v->members[i];
        pthread_mutex_unlock(&v->locks[lock_of[i]]);
    }
    return sum;
}
