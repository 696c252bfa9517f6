/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asmap.c - see asmap.h.
 *
 * One mutex per map; two maps are locked in order of their addresses. Maps are small, so entries
 * are an array that is searched from the front. An entry always has a value: removing the last
 * one removes the entry. Functions named _locked expect the lock held.
 */
#include "asmap.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Values of one key; no size computation overflows below it. */
#define MAX_VALUES (1 << 20)

struct entry {
    int key;
    int count; /* of values; never 0 in the map */
    int *values;
};

struct asmap {
    pthread_mutex_t lock;
    struct entry *entries;
    int count;
    int capacity;
};

static struct entry *
find_locked(const struct asmap *m, int key)
{
    for (int i = 0; i < m->count; i++)
        if (m->entries[i].key == key)
            return &m->entries[i];
    return NULL;
}

static int
find_value_locked(const struct entry *e, int value)
{
    for (int i = 0; i < e->count; i++)
        if (e->values[i] == value)
            return i;
    return ASMAP_ENOENT;
}

static void
remove_entry_locked(struct asmap *m, struct entry *e)
{
    free(e->values);
    m->count--;
    memmove(e, e + 1, (size_t)(m->entries + m->count - e) * sizeof *e);
}

/* An entry without values at the end, which the caller must fill. */
static struct entry *
add_entry_locked(struct asmap *m, int key)
{
    struct entry *e;

    if (m->count == m->capacity) {
        int capacity = m->capacity == 0 ? 4 : m->capacity * 2;
        struct entry *entries = realloc(m->entries, (size_t)capacity * sizeof *entries);

        if (entries == NULL)
            return NULL;
        m->entries = entries;
        m->capacity = capacity;
    }
    e = &m->entries[m->count++];
    e->key = key;
    e->count = 0;
    e->values = NULL;
    return e;
}

/* How many values the key has then, or ASMAP_ENOMEM and nothing has changed. */
static int
append_locked(struct asmap *m, int key, const int *values, size_t n_values)
{
    struct entry *e = find_locked(m, key);
    size_t had = e != NULL ? (size_t)e->count : 0;
    int *bigger;

    if (n_values == 0)
        return (int)had;
    if (n_values > MAX_VALUES || had + n_values > MAX_VALUES)
        return ASMAP_ENOMEM;
    bigger = malloc((had + n_values) * sizeof *bigger);
    if (bigger == NULL)
        return ASMAP_ENOMEM;
    if (e == NULL)
        e = add_entry_locked(m, key);
    if (e == NULL) {
        free(bigger);
        return ASMAP_ENOMEM;
    }
    if (had > 0)
        memcpy(bigger, e->values, had * sizeof *bigger);
    memcpy(bigger + had, values, n_values * sizeof *bigger);
    free(e->values);
    e->values = bigger;
    e->count = (int)(had + n_values);
    return e->count;
}

struct asmap *
asmap_new(void)
{
    struct asmap *m = calloc(1, sizeof *m);

    if (m != NULL)
        pthread_mutex_init(&m->lock, NULL);
    return m;
}

void
asmap_free(struct asmap *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < m->count; i++)
        free(m->entries[i].values);
    free(m->entries);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

int
asmap_put(struct asmap *m, int key, int value)
{
    return asmap_put_all(m, key, &value, 1);
}

int
asmap_put_all(struct asmap *m, int key, const int *values, size_t n_values)
{
    int count;

    pthread_mutex_lock(&m->lock);
    count = append_locked(m, key, values, n_values);
    pthread_mutex_unlock(&m->lock);
    return count;
}

int
asmap_replace(struct asmap *m, int key, const int *values, size_t n_values)
{
    struct entry *e;
    int *copy = NULL;
    int had = 0;

    if (n_values > MAX_VALUES)
        return ASMAP_ENOMEM;
    if (n_values > 0) {
        copy = malloc(n_values * sizeof *copy);
        if (copy == NULL)
            return ASMAP_ENOMEM;
        memcpy(copy, values, n_values * sizeof *copy);
    }
    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL)
        had = e->count;
    if (e != NULL && copy == NULL)
        remove_entry_locked(m, e);
    if (e == NULL && copy != NULL) {
        e = add_entry_locked(m, key);
        if (e == NULL) {
            free(copy);
            copy = NULL;
            had = ASMAP_ENOMEM;
        }
    }
    if (copy != NULL) {
        free(e->values);
        e->values = copy;
        e->count = (int)n_values;
    }
    pthread_mutex_unlock(&m->lock);
    return had;
}

static bool
remove_value_locked(struct asmap *m, struct entry *e, int value)
{
    int i = find_value_locked(e, value);

    if (i < 0)
        return false;
    e->count--;
    memmove(e->values + i, e->values + i + 1, (size_t)(e->count - i) * sizeof *e->values);
    if (e->count == 0)
        remove_entry_locked(m, e);
    return true;
}

bool
asmap_remove(struct asmap *m, int key, int value)
{
    struct entry *e;
    bool removed;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    removed = e != NULL && remove_value_locked(m, e, value);
    pthread_mutex_unlock(&m->lock);
    return removed;
}

int
asmap_remove_key(struct asmap *m, int key)
{
    struct entry *e;
    int had = 0;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL) {
        had = e->count;
        remove_entry_locked(m, e);
    }
    pthread_mutex_unlock(&m->lock);
    return had;
}

int
asmap_remove_value(struct asmap *m, int value)
{
    int n = 0;

    pthread_mutex_lock(&m->lock);
    /* From the end, so that an entry that goes moves only entries that are done. */
    for (int i = m->count - 1; i >= 0; i--) {
        int left = m->entries[i].count;

        while (left-- > 0 && remove_value_locked(m, &m->entries[i], value))
            n++;
    }
    pthread_mutex_unlock(&m->lock);
    return n;
}

void
asmap_clear(struct asmap *m)
{
    pthread_mutex_lock(&m->lock);
    while (m->count > 0)
        remove_entry_locked(m, &m->entries[m->count - 1]);
    pthread_mutex_unlock(&m->lock);
}

int
asmap_size(struct asmap *m)
{
    int count;

    pthread_mutex_lock(&m->lock);
    count = m->count;
    pthread_mutex_unlock(&m->lock);
    return count;
}

int
asmap_total(struct asmap *m)
{
    int n = 0;

    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < m->count; i++)
        n += m->entries[i].count;
    pthread_mutex_unlock(&m->lock);
    return n;
}

int
asmap_count(struct asmap *m, int key)
{
    const struct entry *e;
    int count;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    count = e != NULL ? e->count : 0;
    pthread_mutex_unlock(&m->lock);
    return count;
}

bool
asmap_is_empty(struct asmap *m)
{
    return asmap_size(m) == 0;
}

bool
asmap_contains_key(struct asmap *m, int key)
{
    return asmap_count(m, key) > 0;
}

bool
asmap_contains_value(struct asmap *m, int value)
{
    bool found = false;

    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < m->count && !found; i++)
        found = find_value_locked(&m->entries[i], value) >= 0;
    pthread_mutex_unlock(&m->lock);
    return found;
}

bool
asmap_contains_entry(struct asmap *m, int key, int value)
{
    const struct entry *e;
    bool found;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    found = e != NULL && find_value_locked(e, value) >= 0;
    pthread_mutex_unlock(&m->lock);
    return found;
}

int
asmap_first(struct asmap *m, int key, int *value)
{
    return asmap_get(m, key, value, 1) == 1 ? 0 : ASMAP_ENOENT;
}

int
asmap_key_at(struct asmap *m, int index, int *key)
{
    int result = ASMAP_ENOENT;

    pthread_mutex_lock(&m->lock);
    if (index >= 0 && index < m->count) {
        *key = m->entries[index].key;
        result = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return result;
}

int
asmap_index_of(struct asmap *m, int key)
{
    const struct entry *e;
    int index;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    index = e != NULL ? (int)(e - m->entries) : ASMAP_ENOENT;
    pthread_mutex_unlock(&m->lock);
    return index;
}

int
asmap_get(struct asmap *m, int key, int *out, size_t max)
{
    const struct entry *e;
    size_t n = 0;

    pthread_mutex_lock(&m->lock);
    e = find_locked(m, key);
    if (e != NULL) {
        n = (size_t)e->count < max ? (size_t)e->count : max;
        memcpy(out, e->values, n * sizeof *out);
    }
    pthread_mutex_unlock(&m->lock);
    return (int)n;
}

int
asmap_keys(struct asmap *m, int *out, size_t max)
{
    int n;

    pthread_mutex_lock(&m->lock);
    for (n = 0; n < m->count && (size_t)n < max; n++)
        out[n] = m->entries[n].key;
    pthread_mutex_unlock(&m->lock);
    return n;
}

int
asmap_each(struct asmap *m, asmap_visit visit, void *arg)
{
    struct entry *copy;
    int count;
    int n = 0;

    /* The callback may use the map, so that it is called for a copy, without the lock. */
    pthread_mutex_lock(&m->lock);
    count = m->count;
    copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, m->entries, (size_t)count * sizeof *copy);
    pthread_mutex_unlock(&m->lock);
    if (copy == NULL)
        return ASMAP_ENOMEM;
    while (n < count) {
        const struct entry *e = &copy[n++];

        if (!visit(e->key, e->count, arg))
            break;
    }
    free(copy);
    return n;
}

unsigned
asmap_hash(struct asmap *m)
{
    unsigned hash = 0;
    int key;

    for (int i = 0; asmap_key_at(m, i, &key) == 0; i++) {
        int count = asmap_count(m, key);

        assert(count > 0);
        hash += (unsigned)key * 31 ^ (unsigned)count;
    }
    return hash;
}

static bool
equals_locked(const struct asmap *m, const struct asmap *other)
{
    if (m->count != other->count)
        return false;
    for (int i = 0; i < m->count; i++) {
        const struct entry *e = &m->entries[i];
        const struct entry *f = find_locked(other, e->key);

        if (f == NULL || e->count != f->count ||
            memcmp(e->values, f->values, (size_t)e->count * sizeof *e->values) != 0)
            return false;
    }
    return true;
}

bool
asmap_equals(struct asmap *m, struct asmap *other)
{
    struct asmap *first = (uintptr_t)m < (uintptr_t)other ? m : other;
    struct asmap *second = first == m ? other : m;
    bool equal;

    if (m == other || other == NULL)
        return m == other;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    equal = equals_locked(m, other);
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return equal;
}
