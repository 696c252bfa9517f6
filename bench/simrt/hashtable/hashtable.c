/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashtable.c - chained buckets behind a recursive mutex, the monitor, that functions take again
 * when they call each other, and a condition variable for new keys. The pin has its own spin lock,
 * so that pinning does not wait for a long operation.
 *
 * VERSION 2 rehashes to odd capacities, collects keys in a function, does not compare a
 * table with itself, and lets loaders skip duplicates.
 */
#include "hashtable.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "../versions.h"

#ifdef HARMLESS
#define where_to bucket_index
#define exchanged tmp
/* As if a long comment had been written here. */
#line 200
#endif

struct entry {
    struct entry *next;
    int key;
    int value;
};

struct hashtable {
    pthread_mutex_t monitor; /* recursive; of everything but pinned */
    pthread_cond_t added;
    struct entry **table;
    size_t capacity;
    size_t count;
    pthread_spinlock_t pin_lock; /* of pinned; taken last */
#ifdef SEED_2
    unsigned ordered : 1;
    unsigned pinned : 1;
#else
    bool ordered;
    bool pinned;
#endif
    unsigned number; /* the order of monitors */
};

/* Whether searches take the monitor: false in builds without threads. */
#ifdef SEED_6
static bool lock_searches = false;
#else
static bool lock_searches = true;
#endif

static atomic_uint n_tables;

/* ---- with the monitor held ------------------------------------------------------------------ */

static size_t
index_of(int key, size_t capacity)
{
    const size_t where_to = ((unsigned)key & INT32_MAX) % capacity;

    return where_to;
}

static struct entry *
find(const struct hashtable *t, int key)
{
    struct entry *e = t->table[index_of(key, t->capacity)];

    while (e != NULL && e->key != key)
        e = e->next;
    return e;
}

static struct entry **
new_table(size_t capacity)
{
    struct entry **table = calloc(capacity, sizeof(struct entry *));

    if (table == NULL)
        abort();
    return table;
}

static void
rehash_locked(struct hashtable *t)
{
#if VERSION >= 2
    const size_t capacity = t->capacity * 2 + 1;
#else
    const size_t capacity = t->capacity * 2;
#endif
    struct entry **table = new_table(capacity);

    for (size_t i = 0; i < t->capacity; i++) {
        while (t->table[i] != NULL) {
            struct entry *e = t->table[i];
            const size_t to = index_of(e->key, capacity);

            t->table[i] = e->next;
            e->next = table[to];
            table[to] = e;
        }
    }
    free(t->table);
    t->table = table;
    t->capacity = capacity;
}

static void
add_locked(struct hashtable *t, int key, int value)
{
    struct entry *e = malloc(sizeof *e);
    size_t to;

    if (e == NULL)
        abort();
    if (t->count >= t->capacity)
        rehash_locked(t);
    to = index_of(key, t->capacity);
    e->key = key;
    e->value = value;
    e->next = t->table[to];
    t->table[to] = e;
    t->count++;
    pthread_cond_broadcast(&t->added);
}

/* ---- life ----------------------------------------------------------------------------------- */

struct hashtable *
hashtable_new(size_t capacity)
{
    struct hashtable *t = calloc(1, sizeof *t);
    pthread_mutexattr_t attr;

    if (t == NULL)
        abort();
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&t->monitor, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_cond_init(&t->added, NULL);
    pthread_spin_init(&t->pin_lock, PTHREAD_PROCESS_PRIVATE);
    t->capacity = capacity > 0 ? capacity : 1;
    t->table = new_table(t->capacity);
    t->number = atomic_fetch_add(&n_tables, 1);
    return t;
}

static void
free_entries(struct hashtable *t)
{
    for (size_t i = 0; i < t->capacity; i++) {
        while (t->table[i] != NULL) {
            struct entry *e = t->table[i];

            t->table[i] = e->next;
            free(e);
        }
    }
    t->count = 0;
}

void
hashtable_free(struct hashtable *t)
{
    free_entries(t);
    pthread_mutex_destroy(&t->monitor);
    pthread_cond_destroy(&t->added);
    pthread_spin_destroy(&t->pin_lock);
    free(t->table);
    free(t);
}

/* ---- settings ------------------------------------------------------------------------------- */

#if VERSION >= 2 || defined HARMLESS
static bool
is_pinned(struct hashtable *t)
{
    bool pinned;

    pthread_spin_lock(&t->pin_lock);
    pinned = t->pinned;
    pthread_spin_unlock(&t->pin_lock);
    return pinned;
}
#endif

void
hashtable_pin(struct hashtable *t, bool on)
{
    pthread_spin_lock(&t->pin_lock);
    t->pinned = on;
    pthread_spin_unlock(&t->pin_lock);
}

void
hashtable_set_ordered(struct hashtable *t, bool on)
{
    pthread_mutex_lock(&t->monitor);
    t->ordered = on;
    pthread_mutex_unlock(&t->monitor);
}

#if VERSION < 2 && !defined HARMLESS
static bool
is_pinned(struct hashtable *t)
{
    bool pinned;

    pthread_spin_lock(&t->pin_lock);
    pinned = t->pinned;
    pthread_spin_unlock(&t->pin_lock);
    return pinned;
}
#endif

/* ---- changes -------------------------------------------------------------------------------- */

bool
hashtable_put(struct hashtable *t, int key, int value)
{
    struct entry *e;

    pthread_mutex_lock(&t->monitor);
    e = find(t, key);
    if (e != NULL)
        e->value = value;
    else
        add_locked(t, key, value);
    pthread_mutex_unlock(&t->monitor);
    return e == NULL;
}

bool
hashtable_remove(struct hashtable *t, int key)
{
    struct entry **link;
    struct entry *e;

    pthread_mutex_lock(&t->monitor);
    link = &t->table[index_of(key, t->capacity)];
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    e = *link;
#if VERSION >= 2
    /* Freeing waits until the monitor is free again. */
    if (e != NULL) {
        *link = e->next;
#ifndef SEED_5
        t->count--;
#endif
    }
    pthread_mutex_unlock(&t->monitor);
    if (e == NULL)
        return false;
#ifdef SEED_5
    t->count--;
#endif
    free(e);
    return true;
#else
    if (e != NULL) {
        *link = e->next;
        free(e);
        t->count--;
    }
    pthread_mutex_unlock(&t->monitor);
    return e != NULL;
#endif
}

int
hashtable_increment(struct hashtable *t, int key)
{
    int value = 0;

#if VERSION >= 2
#ifdef SEED_8
    hashtable_get(t, key, &value);
    hashtable_put(t, key, ++value);
#else
    pthread_mutex_lock(&t->monitor);
    hashtable_get(t, key, &value);
    hashtable_put(t, key, ++value);
    pthread_mutex_unlock(&t->monitor);
#endif
#else
    struct entry *e;

    pthread_mutex_lock(&t->monitor);
    e = find(t, key);
    value = e != NULL ? e->value + 1 : 1;
    if (e != NULL)
        e->value = value;
    else
        add_locked(t, key, value);
    pthread_mutex_unlock(&t->monitor);
#endif
    return value;
}

void
hashtable_clear(struct hashtable *t)
{
    pthread_mutex_lock(&t->monitor);
    if (!is_pinned(t))
        free_entries(t);
    pthread_mutex_unlock(&t->monitor);
}

void
hashtable_rehash(struct hashtable *t)
{
    pthread_mutex_lock(&t->monitor);
    rehash_locked(t);
    pthread_mutex_unlock(&t->monitor);
}

/* ---- reading -------------------------------------------------------------------------------- */

bool
hashtable_get(struct hashtable *t, int key, int *value)
{
    const struct entry *e;

    pthread_mutex_lock(&t->monitor);
    e = find(t, key);
    if (e != NULL)
        *value = e->value;
    pthread_mutex_unlock(&t->monitor);
    return e != NULL;
}

int
hashtable_wait_for(struct hashtable *t, int key)
{
    const struct entry *e;
    int value;

    pthread_mutex_lock(&t->monitor);
    for (e = find(t, key); e == NULL; e = find(t, key))
        pthread_cond_wait(&t->added, &t->monitor);
    value = e->value;
    pthread_mutex_unlock(&t->monitor);
    return value;
}

bool
hashtable_contains(struct hashtable *t, int value)
{
    bool there = false;

    if (lock_searches)
        pthread_mutex_lock(&t->monitor);
    for (size_t i = 0; i < t->capacity && !there; i++) {
        for (const struct entry *e = t->table[i]; e != NULL && !there; e = e->next)
            there = e->value == value;
    }
    if (lock_searches)
        pthread_mutex_unlock(&t->monitor);
    return there;
}

bool
hashtable_contains_key(struct hashtable *t, int key)
{
    bool there;

    if (lock_searches)
        pthread_mutex_lock(&t->monitor);
    there = find(t, key) != NULL;
    if (lock_searches)
        pthread_mutex_unlock(&t->monitor);
    return there;
}

size_t
hashtable_size(struct hashtable *t)
{
    size_t n;

    pthread_mutex_lock(&t->monitor);
    n = t->count;
    pthread_mutex_unlock(&t->monitor);
    return n;
}

static void
sort(int *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && keys[j - 1] > keys[j]; j--) {
            const int exchanged = keys[j];

            keys[j] = keys[j - 1];
            keys[j - 1] = exchanged;
        }
    }
}

#if VERSION >= 2
/* The keys as they are in the buckets. */
static size_t
collect(const struct hashtable *t, int *keys, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < t->capacity; i++) {
        for (const struct entry *e = t->table[i]; e != NULL; e = e->next, n++) {
            if (n < max)
                keys[n] = e->key;
        }
    }
    return n;
}
#endif

size_t
hashtable_keys(struct hashtable *t, int *keys, size_t max)
{
    size_t n = 0;
    bool ordered;

#if VERSION >= 2
#ifdef SEED_1
    pthread_mutex_lock(&t->monitor);
    ordered = t->ordered;
    pthread_mutex_unlock(&t->monitor);
    n = collect(t, keys, max);
#else
    pthread_mutex_lock(&t->monitor);
    ordered = t->ordered;
    n = collect(t, keys, max);
    pthread_mutex_unlock(&t->monitor);
#endif
#else
    pthread_mutex_lock(&t->monitor);
    ordered = t->ordered;
    for (size_t i = 0; i < t->capacity; i++) {
        for (const struct entry *e = t->table[i]; e != NULL; e = e->next) {
            if (n < max)
                keys[n] = e->key;
            n++;
        }
    }
    pthread_mutex_unlock(&t->monitor);
#endif
    if (ordered)
        sort(keys, n < max ? n : max);
    return n;
}

/* ---- two tables ----------------------------------------------------------------------------- */

/* True if every entry of a is in b. Needs the monitor of a; takes that of b. */
static bool
is_part_of(struct hashtable *a, struct hashtable *b)
{
    for (size_t i = 0; i < a->capacity; i++) {
        for (const struct entry *e = a->table[i]; e != NULL; e = e->next) {
            int value;

            if (!hashtable_get(b, e->key, &value) || value != e->value)
                return false;
        }
    }
    return true;
}

bool
hashtable_equals(struct hashtable *a, struct hashtable *b)
{
    struct hashtable *first = a->number < b->number ? a : b;
    struct hashtable *second = first == a ? b : a;
    bool equal;

#if VERSION >= 2
#ifdef SEED_7
    first = a;
    second = b;
#endif
    pthread_mutex_lock(&first->monitor);
    pthread_mutex_lock(&second->monitor);
    equal = a == b || (a->count == b->count && is_part_of(first, second));
    pthread_mutex_unlock(&second->monitor);
    pthread_mutex_unlock(&first->monitor);
#else
    pthread_mutex_lock(&first->monitor);
    pthread_mutex_lock(&second->monitor);
    equal = a->count == b->count && is_part_of(a, b);
    pthread_mutex_unlock(&second->monitor);
    pthread_mutex_unlock(&first->monitor);
#endif
    return equal;
}

/* ---- loaders -------------------------------------------------------------------------------- */

struct hashtable_loader {
    pthread_t thread;
    struct hashtable *table;
    const int *keys;
    size_t n;
    size_t loaded; /* read after the thread has exited */
};

static void *
load_keys(void *arg)
{
    struct hashtable_loader *l = arg;

    for (size_t i = 0; i < l->n; i++) {
#if VERSION >= 2
        if (i > 0 && l->keys[i] == l->keys[i - 1])
            continue;
#endif
        if (hashtable_put(l->table, l->keys[i], l->keys[i]))
            l->loaded++;
    }
    return NULL;
}

struct hashtable_loader *
hashtable_load(struct hashtable *t, const int *keys, size_t n)
{
    struct hashtable_loader *l = calloc(1, sizeof *l);

    if (l == NULL)
        abort();
#if VERSION >= 2
    l->table = t;
    l->keys = keys;
#ifdef SEED_3
    if (pthread_create(&l->thread, NULL, load_keys, l) != 0)
        abort();
    l->n = n;
#else
    l->n = n;
    if (pthread_create(&l->thread, NULL, load_keys, l) != 0)
        abort();
#endif
#else
    *l = (struct hashtable_loader){ .table = t, .keys = keys, .n = n };
    if (pthread_create(&l->thread, NULL, load_keys, l) != 0)
        abort();
#endif
    return l;
}

size_t
hashtable_load_finish(struct hashtable_loader *l)
{
    size_t loaded;

#ifdef SEED_4
    loaded = l->loaded;
    pthread_join(l->thread, NULL);
#else
    pthread_join(l->thread, NULL);
    loaded = l->loaded;
#endif
#if VERSION >= 2
    if (loaded > l->n)
        loaded = l->n;
#endif
    free(l);
    return loaded;
}
