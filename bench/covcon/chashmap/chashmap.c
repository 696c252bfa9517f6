/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chashmap.c - a hash map from strings to ints for many threads at once.
 *
 * The hash chooses a segment, then a bucket of it. A function on one key holds the lock of its
 * segment only; one on the whole map, or on two keys, holds all of them, taken in ascending order.
 * Buckets are chains of fixed number: segments, not resizing, are what spreads the load here.
 */
#include "chashmap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SEGMENTS 4
#define MAX_SEGMENTS 64
#define N_BUCKETS 8

struct entry {
    struct entry *next;
    int value;
    char key[];
};

struct segment {
    pthread_mutex_t lock; /* of the buckets; those of two segments in ascending order only */
    struct entry *buckets[N_BUCKETS];
    int count;
};

struct chashmap {
    int n_segments;
    struct segment segments[];
};

/* ---- finding ------------------------------------------------------------------------------- */

static unsigned
hash_key(const char *key)
{
    unsigned h = 5381;

    while (*key != '\0')
        h = h * 33 + (unsigned char)*key++;
    return h ^ h >> 16;
}

static struct segment *
segment_of(struct chashmap *m, const char *key)
{
    return &m->segments[hash_key(key) % (unsigned)m->n_segments];
}

/* The link that points at the entry of the key, or the empty one at the end of its chain. */
static struct entry **
find_locked(struct segment *s, const char *key)
{
    struct entry **link = &s->buckets[hash_key(key) / MAX_SEGMENTS % N_BUCKETS];

    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

/* A new entry at an empty link: 1 or -ENOMEM. */
static int
insert_locked(struct segment *s, struct entry **link, const char *key, int value)
{
    const size_t size = strlen(key) + 1;
    struct entry *e = malloc(sizeof *e + size);

    if (e == NULL)
        return -ENOMEM;
    e->next = NULL;
    e->value = value;
    memcpy(e->key, key, size);
    *link = e;
    s->count++;
    return 1;
}

static void
remove_locked(struct segment *s, struct entry **link)
{
    struct entry *e = *link;

    *link = e->next;
    s->count--;
    free(e);
}

static void
lock_all(struct chashmap *m)
{
    for (int i = 0; i < m->n_segments; i++)
        pthread_mutex_lock(&m->segments[i].lock);
}

static void
unlock_all(struct chashmap *m)
{
    for (int i = m->n_segments - 1; i >= 0; i--)
        pthread_mutex_unlock(&m->segments[i].lock);
}

static int
n_chains(const struct chashmap *m)
{
    return m->n_segments * N_BUCKETS;
}

/* Chain i of all chains of the map. */
static struct entry **
chain_locked(struct chashmap *m, int i)
{
    return &m->segments[i / N_BUCKETS].buckets[i % N_BUCKETS];
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct chashmap *
chashmap_new(int n_segments)
{
    struct chashmap *m;

    if (n_segments < 1 || n_segments > MAX_SEGMENTS)
        return NULL;
    m = calloc(1, sizeof *m + (size_t)n_segments * sizeof m->segments[0]);
    if (m == NULL)
        return NULL;
    m->n_segments = n_segments;
    for (int i = 0; i < n_segments; i++)
        pthread_mutex_init(&m->segments[i].lock, NULL);
    return m;
}

struct chashmap *
chashmap_new_default(void)
{
    return chashmap_new(DEFAULT_SEGMENTS);
}

void
chashmap_free(struct chashmap *m)
{
    if (m == NULL)
        return;
    chashmap_clear(m);
    for (int i = 0; i < m->n_segments; i++)
        pthread_mutex_destroy(&m->segments[i].lock);
    free(m);
}

/* ---- one entry ----------------------------------------------------------------------------- */

bool
chashmap_get(struct chashmap *m, const char *key, int *value)
{
    struct segment *s = segment_of(m, key);
    const struct entry *e;

    pthread_mutex_lock(&s->lock);
    e = *find_locked(s, key);
    if (e != NULL)
        *value = e->value;
    pthread_mutex_unlock(&s->lock);
    return e != NULL;
}

int
chashmap_get_or(struct chashmap *m, const char *key, int otherwise)
{
    int value = otherwise;

    chashmap_get(m, key, &value);
    return value;
}

bool
chashmap_contains(struct chashmap *m, const char *key)
{
    int ignored;

    return chashmap_get(m, key, &ignored);
}

int
chashmap_put(struct chashmap *m, const char *key, int value, int *old)
{
    struct segment *s = segment_of(m, key);
    struct entry **link;
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    link = find_locked(s, key);
    if (*link == NULL) {
        rc = insert_locked(s, link, key, value);
    } else {
        if (old != NULL)
            *old = (*link)->value;
        (*link)->value = value;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
chashmap_put_if_absent(struct chashmap *m, const char *key, int value, int *old)
{
    struct segment *s = segment_of(m, key);
    struct entry **link;
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    link = find_locked(s, key);
    if (*link == NULL)
        rc = insert_locked(s, link, key, value);
    else if (old != NULL)
        *old = (*link)->value;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
chashmap_add(struct chashmap *m, const char *key, int delta, int *sum)
{
    const int value = (int)((unsigned)chashmap_get_or(m, key, 0) + (unsigned)delta);
    const int rc = chashmap_put(m, key, value, NULL);

    if (rc < 0)
        return rc;
    *sum = value;
    return 0;
}

bool
chashmap_replace(struct chashmap *m, const char *key, int value, int *old)
{
    struct segment *s = segment_of(m, key);
    struct entry *e;

    pthread_mutex_lock(&s->lock);
    e = *find_locked(s, key);
    if (e != NULL) {
        if (old != NULL)
            *old = e->value;
        e->value = value;
    }
    pthread_mutex_unlock(&s->lock);
    return e != NULL;
}

bool
chashmap_compare_replace(struct chashmap *m, const char *key, int expected, int value)
{
    struct segment *s = segment_of(m, key);
    struct entry *e;
    bool done;

    pthread_mutex_lock(&s->lock);
    e = *find_locked(s, key);
    done = e != NULL && e->value == expected;
    if (done)
        e->value = value;
    pthread_mutex_unlock(&s->lock);
    return done;
}

bool
chashmap_remove(struct chashmap *m, const char *key, int *old)
{
    struct segment *s = segment_of(m, key);
    struct entry **link;
    bool found;

    pthread_mutex_lock(&s->lock);
    link = find_locked(s, key);
    found = *link != NULL;
    if (found) {
        if (old != NULL)
            *old = (*link)->value;
        remove_locked(s, link);
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

bool
chashmap_compare_remove(struct chashmap *m, const char *key, int expected)
{
    struct segment *s = segment_of(m, key);
    struct entry **link;
    bool done;

    pthread_mutex_lock(&s->lock);
    link = find_locked(s, key);
    done = *link != NULL && (*link)->value == expected;
    if (done)
        remove_locked(s, link);
    pthread_mutex_unlock(&s->lock);
    return done;
}

int
chashmap_rename(struct chashmap *m, const char *from, const char *to)
{
    struct segment *s_from = segment_of(m, from);
    struct segment *s_to = segment_of(m, to);
    struct entry *source;
    struct entry **dest;
    int rc = 0;

    lock_all(m);
    source = *find_locked(s_from, from);
    dest = find_locked(s_to, to);
    if (source == NULL)
        rc = -ENOENT;
    else if (*dest != NULL)
        (*dest)->value = source->value;
    else
        rc = insert_locked(s_to, dest, to, source->value);
    if (rc >= 0 && strcmp(from, to) != 0)
        remove_locked(s_from, find_locked(s_from, from));
    unlock_all(m);
    return rc < 0 ? rc : 0;
}

/* ---- the whole map ------------------------------------------------------------------------- */

int
chashmap_size(struct chashmap *m)
{
    int n = 0;

    lock_all(m);
    for (int i = 0; i < m->n_segments; i++)
        n += m->segments[i].count;
    unlock_all(m);
    return n;
}

bool
chashmap_is_empty(struct chashmap *m)
{
    return chashmap_size(m) == 0;
}

int
chashmap_clear(struct chashmap *m)
{
    int n = 0;

    lock_all(m);
    for (int i = 0; i < n_chains(m); i++) {
        struct entry **link = chain_locked(m, i);

        while (*link != NULL) {
            remove_locked(&m->segments[i / N_BUCKETS], link);
            n++;
        }
    }
    unlock_all(m);
    return n;
}

bool
chashmap_contains_value(struct chashmap *m, int value)
{
    return chashmap_count_value(m, value) > 0;
}

int
chashmap_count_value(struct chashmap *m, int value)
{
    int n = 0;

    lock_all(m);
    for (int i = 0; i < n_chains(m); i++)
        for (const struct entry *e = *chain_locked(m, i); e != NULL; e = e->next)
            n += e->value == value;
    unlock_all(m);
    return n;
}

int
chashmap_sum(struct chashmap *m)
{
    unsigned sum = 0;

    lock_all(m);
    for (int i = 0; i < n_chains(m); i++)
        for (const struct entry *e = *chain_locked(m, i); e != NULL; e = e->next)
            sum += (unsigned)e->value;
    unlock_all(m);
    return (int)sum;
}

int
chashmap_remove_value(struct chashmap *m, int value)
{
    int n = 0;

    lock_all(m);
    for (int i = 0; i < n_chains(m); i++) {
        struct entry **link = chain_locked(m, i);

        while (*link != NULL) {
            if ((*link)->value == value) {
                remove_locked(&m->segments[i / N_BUCKETS], link);
                n++;
            } else {
                link = &(*link)->next;
            }
        }
    }
    unlock_all(m);
    return n;
}

int
chashmap_values(struct chashmap *m, int *values, size_t cap)
{
    size_t n = 0;

    lock_all(m);
    for (int i = 0; i < n_chains(m); i++) {
        for (const struct entry *e = *chain_locked(m, i); e != NULL; e = e->next) {
            if (n < cap)
                values[n] = e->value;
            n++;
        }
    }
    unlock_all(m);
    return (int)n;
}

int
chashmap_foreach(struct chashmap *m, chashmap_visit visit, void *arg)
{
    bool more = true;
    int n = 0;

    lock_all(m);
    for (int i = 0; more && i < n_chains(m); i++) {
        for (const struct entry *e = *chain_locked(m, i); more && e != NULL; e = e->next) {
            more = visit(arg, e->key, e->value);
            n++;
        }
    }
    unlock_all(m);
    return n;
}

int
chashmap_segments(struct chashmap *m)
{
    return m->n_segments;
}
