/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashmap.c - chained buckets, a power of two of them, behind one read-write lock per map.
 * Counters that readers change are atomic, since readers hold the lock together.
 *
 * VERSION 2 mixes the bits of hashes, keeps the hash in each node, grows earlier, walks nodes
 * with one function, and removes lists of keys in one critical section.
 */
#include "hashmap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../versions.h"

#ifdef HARMLESS
#define running_total value_of_all
#define bucket_of_key which
/* As if a long comment had been written here. */
#line 200
#endif

struct node {
    struct node *next;
    int key;
    int value;
#if VERSION >= 2
    unsigned hash;
#endif
};

struct hashmap {
    pthread_rwlock_t lock; /* of table, capacity, size, grown and the nodes */
    struct node **table;
    size_t capacity; /* a power of two */
    size_t size;
    unsigned long grown;
#ifdef SEED_3
    unsigned long walks;
#else
    atomic_ulong walks; /* changed by readers */
#endif
};

enum mode { MODE_READ, MODE_WRITE };

static void
lock_for(struct hashmap *m, enum mode mode)
{
    if (mode == MODE_WRITE)
        pthread_rwlock_wrlock(&m->lock);
    else
        pthread_rwlock_rdlock(&m->lock);
}

static void
unlock(struct hashmap *m)
{
    pthread_rwlock_unlock(&m->lock);
}

/* ---- with the lock held --------------------------------------------------------------------- */

static unsigned
hash_of(int key)
{
    unsigned h = (unsigned)key * 2654435761u;

#if VERSION >= 2
    h ^= h >> 16;
#endif
    return h;
}

static struct node **
bucket(const struct hashmap *m, unsigned hash)
{
    const size_t bucket_of_key = hash & (m->capacity - 1);

    return &m->table[bucket_of_key];
}

#if VERSION >= 2 || defined HARMLESS
/* The link to the node of the key, or the one at the end of its bucket. */
static struct node **
find_link(const struct hashmap *m, int key)
{
    struct node **link = bucket(m, hash_of(key));

    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    return link;
}
#endif

static struct node *
find(const struct hashmap *m, int key)
{
    struct node *e = *bucket(m, hash_of(key));

    while (e != NULL && e->key != key)
        e = e->next;
    return e;
}

#if VERSION < 2 && !defined HARMLESS
/* The link to the node of the key, or the one at the end of its bucket. */
static struct node **
find_link(const struct hashmap *m, int key)
{
    struct node **link = bucket(m, hash_of(key));

    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    return link;
}
#endif

static void
grow(struct hashmap *m)
{
    const size_t old = m->capacity;
    struct node **table = calloc(old * 2, sizeof(struct node *));
    struct node **before = m->table;

    if (table == NULL)
        return;
    m->table = table;
    m->capacity = old * 2;
    for (size_t i = 0; i < old; i++) {
        while (before[i] != NULL) {
            struct node *e = before[i];
#if VERSION >= 2
            struct node **to = bucket(m, e->hash);
#else
            struct node **to = bucket(m, hash_of(e->key));
#endif

            before[i] = e->next;
            e->next = *to;
            *to = e;
        }
    }
    m->grown++;
    free(before);
}

static void
insert(struct hashmap *m, int key, int value)
{
    struct node *e = malloc(sizeof *e);
    struct node **to;

    if (e == NULL)
        abort();
#if VERSION >= 2
    /* Three quarters full. */
    if (m->size + 1 > m->capacity - m->capacity / 4)
        grow(m);
    e->hash = hash_of(key);
    to = bucket(m, e->hash);
#else
    if (m->size + 1 > m->capacity)
        grow(m);
    to = bucket(m, hash_of(key));
#endif
    e->key = key;
    e->value = value;
    e->next = *to;
    *to = e;
    m->size++;
}

static bool
take_out(struct hashmap *m, int key)
{
    struct node **link = find_link(m, key);
    struct node *e = *link;

    if (e == NULL)
        return false;
    *link = e->next;
    m->size--;
    free(e);
    return true;
}

#if VERSION >= 2
/* Takes n keys out and returns how many were there. */
static size_t
take_out_all(struct hashmap *m, const int *keys, size_t n)
{
    size_t gone = 0;

    for (size_t i = 0; i < n && m->size > 0; i++) {
        struct node **link = find_link(m, keys[i]);
        struct node *e = *link;

        if (e != NULL) {
            *link = e->next;
            m->size--;
            gone++;
            free(e);
        }
    }
    return gone;
}
#endif

/* ---- life ----------------------------------------------------------------------------------- */

struct hashmap *
hashmap_new(size_t capacity)
{
    struct hashmap *m = calloc(1, sizeof *m);
    size_t power = 2;

    while (power < capacity)
        power *= 2;
    if (m == NULL)
        abort();
    m->table = calloc(power, sizeof(struct node *));
    if (m->table == NULL)
        abort();
    m->capacity = power;
    pthread_rwlock_init(&m->lock, NULL);
    return m;
}

void
hashmap_free(struct hashmap *m)
{
    hashmap_clear(m);
    pthread_rwlock_destroy(&m->lock);
    free(m->table);
    free(m);
}

/* ---- changes -------------------------------------------------------------------------------- */

bool
hashmap_put(struct hashmap *m, int key, int value)
{
    struct node *e;

    pthread_rwlock_wrlock(&m->lock);
    e = find(m, key);
    if (e != NULL)
        e->value = value;
    else
        insert(m, key, value);
    unlock(m);
    return e == NULL;
}

bool
hashmap_put_if_absent(struct hashmap *m, int key, int value)
{
    bool absent;

#if VERSION >= 2
#ifdef SEED_5
    /* Most keys are there: look with other readers first. */
    pthread_rwlock_rdlock(&m->lock);
    absent = find(m, key) == NULL;
    unlock(m);
    if (absent) {
        pthread_rwlock_wrlock(&m->lock);
        insert(m, key, value);
        unlock(m);
    }
#else
    /* Most keys are there: look with other readers first, then again alone. */
    pthread_rwlock_rdlock(&m->lock);
    absent = find(m, key) == NULL;
    unlock(m);
    if (absent) {
        pthread_rwlock_wrlock(&m->lock);
        absent = find(m, key) == NULL;
        if (absent)
            insert(m, key, value);
        unlock(m);
    }
#endif
#else
    pthread_rwlock_wrlock(&m->lock);
    absent = find(m, key) == NULL;
    if (absent)
        insert(m, key, value);
    unlock(m);
#endif
    return absent;
}

int
hashmap_merge(struct hashmap *m, int key, int delta)
{
    struct node *e;
    int sum = delta;

#if VERSION >= 2
#ifdef SEED_1
    pthread_rwlock_rdlock(&m->lock);
#else
    pthread_rwlock_wrlock(&m->lock);
#endif
    e = find(m, key);
    if (e == NULL) {
        insert(m, key, delta);
    } else {
        e->value += delta;
        sum = e->value;
    }
    unlock(m);
    return sum;
#else
    pthread_rwlock_wrlock(&m->lock);
    e = find(m, key);
    if (e != NULL)
        sum = e->value += delta;
    else
        insert(m, key, delta);
    unlock(m);
    return sum;
#endif
}

bool
hashmap_replace(struct hashmap *m, int key, int old, int value)
{
    struct node *e;
    bool done;

    pthread_rwlock_wrlock(&m->lock);
    e = find(m, key);
    done = e != NULL && e->value == old;
    if (done)
        e->value = value;
    unlock(m);
    return done;
}

bool
hashmap_remove(struct hashmap *m, int key)
{
    bool gone;

    pthread_rwlock_wrlock(&m->lock);
    gone = take_out(m, key);
    unlock(m);
    return gone;
}

bool
hashmap_remove_value(struct hashmap *m, int key, int value)
{
    struct node *e;
    bool gone = false;
#if VERSION >= 2
    enum mode mode = MODE_WRITE;

#ifdef SEED_4
    if (value == 0)
        mode = MODE_READ;
#endif
    lock_for(m, mode);
#else
    pthread_rwlock_wrlock(&m->lock);
#endif
    e = find(m, key);
    if (e != NULL && e->value == value)
        gone = take_out(m, key);
    unlock(m);
    return gone;
}

size_t
hashmap_remove_all(struct hashmap *m, const int *keys, size_t n)
{
    size_t gone = 0;

#if VERSION >= 2
#ifndef SEED_6
    lock_for(m, MODE_WRITE);
#endif
    gone = take_out_all(m, keys, n);
#ifndef SEED_6
    unlock(m);
#endif
#else
    for (size_t i = 0; i < n; i++)
        gone += hashmap_remove(m, keys[i]);
#endif
    return gone;
}

void
hashmap_clear(struct hashmap *m)
{
    pthread_rwlock_wrlock(&m->lock);
    for (size_t i = 0; i < m->capacity; i++) {
        while (m->table[i] != NULL) {
            struct node *e = m->table[i];

            m->table[i] = e->next;
            free(e);
        }
    }
    m->size = 0;
    unlock(m);
}

void
hashmap_put_all(struct hashmap *m, struct hashmap *from)
{
    struct entry {
        int key, value;
    } *entries;
    size_t n = 0;

    if (m == from)
        return;
    lock_for(from, MODE_READ);
    entries = calloc(from->size + 1, sizeof *entries);
    if (entries == NULL)
        abort();
    for (size_t i = 0; i < from->capacity; i++) {
        for (const struct node *e = from->table[i]; e != NULL; e = e->next)
            entries[n++] = (struct entry){ e->key, e->value };
    }
    unlock(from);
    for (size_t i = 0; i < n; i++)
        hashmap_put(m, entries[i].key, entries[i].value);
    free(entries);
}

/* ---- reading -------------------------------------------------------------------------------- */

bool
hashmap_get(struct hashmap *m, int key, int *value)
{
    const struct node *e;

    lock_for(m, MODE_READ);
    e = find(m, key);
    if (e != NULL)
        *value = e->value;
    unlock(m);
    return e != NULL;
}

int
hashmap_get_or(struct hashmap *m, int key, int other)
{
    int value = other;

    hashmap_get(m, key, &value);
    return value;
}

bool
hashmap_contains_key(struct hashmap *m, int key)
{
    bool there;

    lock_for(m, MODE_READ);
    there = find(m, key) != NULL;
    unlock(m);
    return there;
}

bool
hashmap_contains_value(struct hashmap *m, int value)
{
    bool there = false;

#ifdef SEED_2
    if (m->size == 0)
        return false;
#endif
    lock_for(m, MODE_READ);
#if VERSION >= 2
    for (size_t i = 0; m->size > 0 && i < m->capacity && !there; i++) {
#else
    for (size_t i = 0; i < m->capacity && !there; i++) {
#endif
        for (const struct node *e = m->table[i]; e != NULL && !there; e = e->next)
            there = e->value == value;
    }
    unlock(m);
    return there;
}

size_t
hashmap_size(struct hashmap *m)
{
    size_t n;

    lock_for(m, MODE_READ);
    n = m->size;
    unlock(m);
    return n;
}

#if VERSION >= 2
/* The node after e, of the first one for NULL. Needs the lock. */
static const struct node *
next_node(const struct hashmap *m, const struct node *e)
{
    size_t i = 0;

    if (e != NULL && e->next != NULL)
        return e->next;
    if (e != NULL)
        i = (e->hash & (m->capacity - 1)) + 1;
    for (; i < m->capacity; i++) {
        if (m->table[i] != NULL)
            return m->table[i];
    }
    return NULL;
}
#endif

size_t
hashmap_keys(struct hashmap *m, int *keys, size_t max)
{
    size_t n = 0;

    lock_for(m, MODE_READ);
    m->walks++;
#if VERSION >= 2
    for (const struct node *e = next_node(m, NULL); e != NULL; e = next_node(m, e)) {
        if (n < max)
            keys[n] = e->key;
        n++;
    }
#else
    for (size_t i = 0; i < m->capacity; i++) {
        for (const struct node *e = m->table[i]; e != NULL; e = e->next) {
            if (n < max)
                keys[n] = e->key;
            n++;
        }
    }
#endif
    unlock(m);
    return n;
}

long
hashmap_sum(struct hashmap *m)
{
    long running_total = 0;

    lock_for(m, MODE_READ);
    m->walks++;
    for (size_t i = 0; i < m->capacity; i++) {
        for (const struct node *e = m->table[i]; e != NULL; e = e->next)
            running_total += e->value;
    }
    unlock(m);
    return running_total;
}

struct hashmap_stats
hashmap_stats(struct hashmap *m)
{
    struct hashmap_stats s;

    lock_for(m, MODE_READ);
    s.grown = m->grown;
    unlock(m);
    s.walks = m->walks;
    return s;
}
