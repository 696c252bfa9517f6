/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector1_fixed.c - see vector1.h.
 *
 * One mutex per vector guards all its members. Functions named _locked expect it held. Two vectors
 * are locked in order of their addresses. Callbacks see a copy, so that they may use the vector.
 */
#include "vector1.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any use, short enough that no size computation overflows. */
#define MAX_COUNT (1 << 20)
#define DEFAULT_CAPACITY 10

static int
reallocate_locked(struct vector1 *v, int capacity)
{
    int *data = realloc(v->data, (size_t)(capacity > 0 ? capacity : 1) * sizeof *data);

    if (data == NULL)
        return VECTOR1_ENOMEM;
    v->data = data;
    v->capacity = capacity;
    return VECTOR1_OK;
}

static int
grow_locked(struct vector1 *v, int needed)
{
    int capacity;

    if (needed > MAX_COUNT)
        return VECTOR1_ENOMEM;
    if (needed <= v->capacity)
        return VECTOR1_OK;
    capacity = v->increment > 0 ? v->capacity + v->increment : v->capacity * 2;
    return reallocate_locked(v, capacity < needed ? needed : capacity);
}

static void
remove_locked(struct vector1 *v, int from, int to)
{
    memmove(v->data + from, v->data + to, (size_t)(v->count - to) * sizeof *v->data);
    v->count -= to - from;
}

static int
find_locked(const struct vector1 *v, int value, int from)
{
    for (int i = from; i < v->count; i++)
        if (v->data[i] == value)
            return i;
    return VECTOR1_NONE;
}

static int
find_last_locked(const struct vector1 *v, int value, int index)
{
    for (int i = index; i >= 0; i--)
        if (v->data[i] == value)
            return i;
    return VECTOR1_NONE;
}

static bool
occurs(int value, const int *values, size_t n_values)
{
    for (size_t i = 0; i < n_values; i++)
        if (values[i] == value)
            return true;
    return false;
}

int
vector1_init(struct vector1 *v, int capacity, int increment)
{
    if (capacity > MAX_COUNT)
        return VECTOR1_ENOMEM;
    memset(v, 0, sizeof *v);
    v->increment = increment > MAX_COUNT ? MAX_COUNT : increment;
    if (reallocate_locked(v, capacity > 0 ? capacity : DEFAULT_CAPACITY) != VECTOR1_OK)
        return VECTOR1_ENOMEM;
    pthread_mutex_init(&v->lock, NULL);
    return VECTOR1_OK;
}

void
vector1_destroy(struct vector1 *v)
{
    pthread_mutex_destroy(&v->lock);
    free(v->data);
    v->data = NULL;
}

int
vector1_size(struct vector1 *v)
{
    int count;

    pthread_mutex_lock(&v->lock);
    count = v->count;
    pthread_mutex_unlock(&v->lock);
    return count;
}

bool
vector1_is_empty(struct vector1 *v)
{
    return vector1_size(v) == 0;
}

int
vector1_capacity(struct vector1 *v)
{
    int capacity;

    pthread_mutex_lock(&v->lock);
    capacity = v->capacity;
    pthread_mutex_unlock(&v->lock);
    return capacity;
}

int
vector1_ensure_capacity(struct vector1 *v, int capacity)
{
    int result;

    pthread_mutex_lock(&v->lock);
    result = grow_locked(v, capacity);
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_trim_to_size(struct vector1 *v)
{
    int result;

    pthread_mutex_lock(&v->lock);
    result = reallocate_locked(v, v->count);
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_set_size(struct vector1 *v, int size)
{
    int result;

    if (size < 0)
        return VECTOR1_ERANGE;
    pthread_mutex_lock(&v->lock);
    result = grow_locked(v, size);
    if (result == VECTOR1_OK) {
        for (int i = v->count; i < size; i++)
            v->data[i] = 0;
        v->count = size;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_add(struct vector1 *v, int value)
{
    int result;

    pthread_mutex_lock(&v->lock);
    result = grow_locked(v, v->count + 1);
    if (result == VECTOR1_OK)
        v->data[v->count++] = value;
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_add_all(struct vector1 *v, const int *values, size_t n_values)
{
    int result;

    if (n_values > MAX_COUNT)
        return VECTOR1_ENOMEM;
    pthread_mutex_lock(&v->lock);
    result = grow_locked(v, v->count + (int)n_values);
    if (result == VECTOR1_OK) {
        memcpy(v->data + v->count, values, n_values * sizeof *values);
        v->count += (int)n_values;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_insert_at(struct vector1 *v, int index, int value)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (index >= 0 && index <= v->count)
        result = grow_locked(v, v->count + 1);
    if (result == VECTOR1_OK) {
        memmove(v->data + index + 1, v->data + index, (size_t)(v->count - index) * sizeof *v->data);
        v->data[index] = value;
        v->count++;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_get(struct vector1 *v, int index, int *value)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (index >= 0 && index < v->count) {
        *value = v->data[index];
        result = VECTOR1_OK;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_first(struct vector1 *v, int *value)
{
    return vector1_get(v, 0, value);
}

int
vector1_last(struct vector1 *v, int *value)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (v->count > 0) {
        *value = v->data[v->count - 1];
        result = VECTOR1_OK;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_set(struct vector1 *v, int index, int value, int *old)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (index >= 0 && index < v->count) {
        if (old != NULL)
            *old = v->data[index];
        v->data[index] = value;
        result = VECTOR1_OK;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector1_remove_at(struct vector1 *v, int index, int *old)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (index >= 0 && index < v->count) {
        if (old != NULL)
            *old = v->data[index];
        remove_locked(v, index, index + 1);
        result = VECTOR1_OK;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

bool
vector1_remove(struct vector1 *v, int value)
{
    int index;

    pthread_mutex_lock(&v->lock);
    index = find_locked(v, value, 0);
    if (index >= 0)
        remove_locked(v, index, index + 1);
    pthread_mutex_unlock(&v->lock);
    return index >= 0;
}

int
vector1_remove_range(struct vector1 *v, int from, int to)
{
    int result = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (from >= 0 && from <= to && to <= v->count) {
        remove_locked(v, from, to);
        result = VECTOR1_OK;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

/* Keeps the elements whose being in `values` is `wanted`; how many it removed. */
static int
filter(struct vector1 *v, const int *values, size_t n_values, bool wanted)
{
    int kept = 0;
    int removed;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        if (occurs(v->data[i], values, n_values) == wanted)
            v->data[kept++] = v->data[i];
    removed = v->count - kept;
    v->count = kept;
    pthread_mutex_unlock(&v->lock);
    return removed;
}

int
vector1_remove_all(struct vector1 *v, const int *values, size_t n_values)
{
    return filter(v, values, n_values, false);
}

int
vector1_retain_all(struct vector1 *v, const int *values, size_t n_values)
{
    return filter(v, values, n_values, true);
}

void
vector1_clear(struct vector1 *v)
{
    pthread_mutex_lock(&v->lock);
    v->count = 0;
    pthread_mutex_unlock(&v->lock);
}

bool
vector1_contains(struct vector1 *v, int value)
{
    return vector1_index_of(v, value) >= 0;
}

bool
vector1_contains_all(struct vector1 *v, const int *values, size_t n_values)
{
    bool all = true;

    pthread_mutex_lock(&v->lock);
    for (size_t i = 0; i < n_values && all; i++)
        all = find_locked(v, values[i], 0) >= 0;
    pthread_mutex_unlock(&v->lock);
    return all;
}

int
vector1_index_of(struct vector1 *v, int value)
{
    return vector1_index_of_from(v, value, 0);
}

int
vector1_index_of_from(struct vector1 *v, int value, int index)
{
    int found;

    if (index < 0)
        return VECTOR1_ERANGE;
    pthread_mutex_lock(&v->lock);
    found = find_locked(v, value, index);
    pthread_mutex_unlock(&v->lock);
    return found;
}

int
vector1_last_index_of(struct vector1 *v, int value)
{
    int found;

    pthread_mutex_lock(&v->lock);
    found = find_last_locked(v, value, v->count - 1);
    pthread_mutex_unlock(&v->lock);
    return found;
}

int
vector1_last_index_of_from(struct vector1 *v, int value, int index)
{
    int found = VECTOR1_ERANGE;

    pthread_mutex_lock(&v->lock);
    if (index < v->count)
        found = find_last_locked(v, value, index);
    pthread_mutex_unlock(&v->lock);
    return found;
}

int
vector1_to_array(struct vector1 *v, int *out, size_t max)
{
    size_t n;

    pthread_mutex_lock(&v->lock);
    n = (size_t)v->count < max ? (size_t)v->count : max;
    memcpy(out, v->data, n * sizeof *out);
    pthread_mutex_unlock(&v->lock);
    return (int)n;
}

int
vector1_each(struct vector1 *v, vector1_visit visit, void *arg)
{
    int *copy = NULL;
    int count;
    int calls = 0;

    pthread_mutex_lock(&v->lock);
    count = v->count;
    copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, v->data, (size_t)count * sizeof *copy);
    pthread_mutex_unlock(&v->lock);
    if (copy == NULL)
        return VECTOR1_ENOMEM;
    while (calls < count)
        if (!visit(copy[calls++], arg))
            break;
    free(copy);
    return calls;
}

int
vector1_to_string(struct vector1 *v, char *buf, size_t size)
{
    char number[16];
    size_t len = 0;

#define PUT(text)                                               \
    do {                                                        \
        for (const char *c_ = (text); *c_ != '\0'; c_++, len++) \
            if (len + 1 < size)                                 \
                buf[len] = *c_;                                 \
    } while (0)

    pthread_mutex_lock(&v->lock);
    PUT("[");
    for (int i = 0; i < v->count; i++) {
        snprintf(number, sizeof number, i == 0 ? "%d" : ", %d", v->data[i]);
        PUT(number);
    }
    PUT("]");
    pthread_mutex_unlock(&v->lock);
#undef PUT
    if (size > 0)
        buf[len < size ? len : size - 1] = '\0';
    return (int)len;
}

bool
vector1_equals(struct vector1 *v, struct vector1 *other)
{
    struct vector1 *first = (uintptr_t)v < (uintptr_t)other ? v : other;
    struct vector1 *second = first == v ? other : v;
    bool equal;

    if (other == NULL)
        return false;
    if (other == v)
        return true;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    equal = v->count == other->count &&
            memcmp(v->data, other->data, (size_t)v->count * sizeof *v->data) == 0;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return equal;
}

unsigned
vector1_hash(struct vector1 *v)
{
    unsigned hash = 1;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        hash = hash * 31 + (unsigned)v->data[i];
    pthread_mutex_unlock(&v->lock);
    return hash;
}
