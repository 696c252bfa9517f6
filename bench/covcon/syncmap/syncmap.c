/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syncmap.c - a thread-safe map from int to int, in order of its keys.
 *
 * A sorted array behind one mutex per map: finding is a binary search, inserting moves what comes
 * after. Good for the hundreds of entries it is meant for. Functions on two maps hold both mutexes,
 * so that they take effect on both at once.
 */
#include "syncmap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int key;
    int value;
};

struct syncmap {
    pthread_mutex_t lock;  /* of everything below */
    struct entry *entries; /* in ascending order of the keys */
    size_t count;
    size_t capacity;
};

/* ---- locks --------------------------------------------------------------------------------- */

static void
lock_both(struct syncmap *m, struct syncmap *other)
{
    pthread_mutex_lock(&m->lock);
    if (other != m)
        pthread_mutex_lock(&other->lock);
}

static void
unlock_both(struct syncmap *m, struct syncmap *other)
{
    if (other != m)
        pthread_mutex_unlock(&other->lock);
    pthread_mutex_unlock(&m->lock);
}

/* ---- with the lock held -------------------------------------------------------------------- */

/* The index of the first entry whose key is not less. */
static size_t
lower_bound_locked(const struct syncmap *m, int key)
{
    size_t low = 0;
    size_t high = m->count;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (m->entries[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* NULL when the key is not there. */
static struct entry *
find_locked(const struct syncmap *m, int key)
{
    const size_t i = lower_bound_locked(m, key);

    return i < m->count && m->entries[i].key == key ? &m->entries[i] : NULL;
}

/* Makes room for n entries in all: 0, -ENOSPC, -ENOMEM. */
static int
reserve_locked(struct syncmap *m, size_t n)
{
    struct entry *entries;
    size_t capacity = m->capacity > 0 ? m->capacity : 4;

    if (n > SYNCMAP_MAX_ENTRIES)
        return -ENOSPC;
    if (n <= m->capacity)
        return 0;
    while (capacity < n)
        capacity *= 2;
    entries = realloc(m->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return -ENOMEM;
    m->entries = entries;
    m->capacity = capacity;
    return 0;
}

/* As syncmap_put(). */
static int
put_locked(struct syncmap *m, int key, int value)
{
    struct entry *e = find_locked(m, key);
    size_t i;
    int rc;

    if (e != NULL) {
        e->value = value;
        return 0;
    }
    rc = reserve_locked(m, m->count + 1);
    if (rc != 0)
        return rc;
    i = lower_bound_locked(m, key);
    memmove(&m->entries[i + 1], &m->entries[i], (m->count - i) * sizeof *m->entries);
    m->entries[i] = (struct entry){ .key = key, .value = value };
    m->count++;
    return 1;
}

static void
remove_locked(struct syncmap *m, struct entry *e)
{
    const size_t after = m->count - (size_t)(e - m->entries) - 1;

    memmove(e, e + 1, after * sizeof *e);
    m->count--;
}

/* How many keys of the other map are not in m. */
static size_t
missing_locked(const struct syncmap *m, const struct syncmap *other)
{
    size_t n = 0;

    for (size_t i = 0; i < other->count; i++)
        n += find_locked(m, other->entries[i].key) == NULL;
    return n;
}

static int
put_all_locked(struct syncmap *m, const struct syncmap *other)
{
    const size_t n_new = missing_locked(m, other);
    const int rc = reserve_locked(m, m->count + n_new);

    if (rc != 0)
        return rc;
    for (size_t i = 0; i < other->count; i++)
        put_locked(m, other->entries[i].key, other->entries[i].value);
    return (int)n_new;
}

/* Removes the entries of m whose keys are (are not) in the other map. */
static int
filter_locked(struct syncmap *m, const struct syncmap *other, bool remove_common)
{
    const size_t before = m->count;
    size_t kept = 0;

    if (m == other) {
        m->count = remove_common ? 0 : before;
        return (int)(before - m->count);
    }
    for (size_t i = 0; i < before; i++) {
        const bool common = find_locked(other, m->entries[i].key) != NULL;

        if (common != remove_common)
            m->entries[kept++] = m->entries[i];
    }
    m->count = kept;
    return (int)(before - kept);
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct syncmap *
syncmap_new(void)
{
    struct syncmap *m = calloc(1, sizeof *m);

    if (m != NULL)
        pthread_mutex_init(&m->lock, NULL);
    return m;
}

struct syncmap *
syncmap_copy(struct syncmap *m)
{
    struct syncmap *copy = syncmap_new();
    int rc;

    if (copy == NULL)
        return NULL;
    /* No other thread knows the copy yet: its own lock is not needed. */
    pthread_mutex_lock(&m->lock);
    rc = put_all_locked(copy, m);
    pthread_mutex_unlock(&m->lock);
    if (rc < 0) {
        syncmap_free(copy);
        return NULL;
    }
    return copy;
}

void
syncmap_free(struct syncmap *m)
{
    if (m == NULL)
        return;
    pthread_mutex_destroy(&m->lock);
    free(m->entries);
    free(m);
}

/* ---- one entry ----------------------------------------------------------------------------- */

int
syncmap_put(struct syncmap *m, int key, int value, int *old)
{
    const struct entry *e;
    int rc;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL && old != NULL)
        *old = e->value;
    rc = put_locked(m, key, value);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int
syncmap_put_if_absent(struct syncmap *m, int key, int value)
{
    int rc = 0;

    pthread_mutex_lock(&m->lock);
    if (find_locked(m, key) == NULL)
        rc = put_locked(m, key, value);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

bool
syncmap_replace(struct syncmap *m, int key, int value)
{
    struct entry *e;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL)
        e->value = value;
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

int
syncmap_add(struct syncmap *m, int key, int delta, int *sum)
{
    struct entry *e;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL) {
        e->value = (int)((unsigned)e->value + (unsigned)delta);
        *sum = e->value;
    }
    pthread_mutex_unlock(&m->lock);
    return e != NULL ? 0 : -ENOENT;
}

bool
syncmap_get(struct syncmap *m, int key, int *value)
{
    const struct entry *e;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL)
        *value = e->value;
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

int
syncmap_get_or(struct syncmap *m, int key, int otherwise)
{
    int value = otherwise;

    syncmap_get(m, key, &value);
    return value;
}

bool
syncmap_remove(struct syncmap *m, int key, int *old)
{
    struct entry *e;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL) {
        if (old != NULL)
            *old = e->value;
        remove_locked(m, e);
    }
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

/* ---- the whole map ------------------------------------------------------------------------- */

int
syncmap_size(struct syncmap *m)
{
    int n;

    pthread_mutex_lock(&m->lock);
    n = (int)m->count;
    pthread_mutex_unlock(&m->lock);
    return n;
}

bool
syncmap_is_empty(struct syncmap *m)
{
    return syncmap_size(m) == 0;
}

int
syncmap_clear(struct syncmap *m)
{
    int n;

    pthread_mutex_lock(&m->lock);
    n = (int)m->count;
    m->count = 0;
    pthread_mutex_unlock(&m->lock);
    return n;
}

bool
syncmap_contains_key(struct syncmap *m, int key)
{
    int ignored;

    return syncmap_get(m, key, &ignored);
}

bool
syncmap_contains_value(struct syncmap *m, int value)
{
    bool found = false;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count && !found; i++)
        found = m->entries[i].value == value;
    pthread_mutex_unlock(&m->lock);
    return found;
}

bool
syncmap_first_key(struct syncmap *m, int *key)
{
    bool any;

    pthread_mutex_lock(&m->lock);
    any = m->count > 0;
    if (any)
        *key = m->entries[0].key;
    pthread_mutex_unlock(&m->lock);
    return any;
}

int
syncmap_keys(struct syncmap *m, int *keys, size_t cap)
{
    int n;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count && i < cap; i++)
        keys[i] = m->entries[i].key;
    n = (int)m->count;
    pthread_mutex_unlock(&m->lock);
    return n;
}

int
syncmap_values(struct syncmap *m, int *values, size_t cap)
{
    int n;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count && i < cap; i++)
        values[i] = m->entries[i].value;
    n = (int)m->count;
    pthread_mutex_unlock(&m->lock);
    return n;
}

unsigned
syncmap_hash(struct syncmap *m)
{
    unsigned h = 0;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count; i++)
        h += (unsigned)m->entries[i].key * 31u ^ (unsigned)m->entries[i].value;
    pthread_mutex_unlock(&m->lock);
    return h;
}

int
syncmap_to_string(struct syncmap *m, char *buf, size_t cap)
{
    size_t len = 0;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count; i++) {
        const struct entry *e = &m->entries[i];

        len += (size_t)snprintf(len < cap ? buf + len : NULL, len < cap ? cap - len : 0, "%s%d=%d",
                                i == 0 ? "{" : ", ", e->key, e->value);
    }
    len += (size_t)snprintf(len < cap ? buf + len : NULL, len < cap ? cap - len : 0, "%s",
                            m->count == 0 ? "{}" : "}");
    pthread_mutex_unlock(&m->lock);
    return (int)len;
}

/* ---- two maps ------------------------------------------------------------------------------ */

bool
syncmap_equals(struct syncmap *m, struct syncmap *other)
{
    bool equal;

    lock_both(m, other);
    equal = m->count == other->count;
    for (size_t i = 0; equal && i < m->count; i++)
        equal = m->entries[i].key == other->entries[i].key &&
                m->entries[i].value == other->entries[i].value;
    unlock_both(m, other);
    return equal;
}

bool
syncmap_contains_all(struct syncmap *m, struct syncmap *other)
{
    bool all;

    lock_both(m, other);
    all = missing_locked(m, other) == 0;
    unlock_both(m, other);
    return all;
}

int
syncmap_put_all(struct syncmap *m, struct syncmap *other)
{
    int rc;

    lock_both(m, other);
    rc = put_all_locked(m, other);
    unlock_both(m, other);
    return rc;
}

int
syncmap_copy_to(struct syncmap *m, struct syncmap *dest)
{
    return syncmap_put_all(dest, m);
}

int
syncmap_remove_all(struct syncmap *m, struct syncmap *other)
{
    int n;

    lock_both(m, other);
    n = filter_locked(m, other, true);
    unlock_both(m, other);
    return n;
}

int
syncmap_retain_all(struct syncmap *m, struct syncmap *other)
{
    int n;

    lock_both(m, other);
    n = filter_locked(m, other, false);
    unlock_both(m, other);
    return n;
}
