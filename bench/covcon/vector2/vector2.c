/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector2.c - see vector2.h.
 *
 * One mutex per vector guards its array. A comparison of two vectors locks the one at the lower
 * address first.
 */
#include "vector2.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COUNT (1 << 20)

struct vector2 {
    pthread_mutex_t lock;
    int *data;
    int count;
    int capacity; /* of data; at least one */
};

static void
lock_pair(struct vector2 *a, struct vector2 *b)
{
    if ((uintptr_t)a > (uintptr_t)b) {
        struct vector2 *t = a;

        a = b;
        b = t;
    }
    pthread_mutex_lock(&a->lock);
    if (a != b)
        pthread_mutex_lock(&b->lock);
}

static void
unlock_pair(struct vector2 *a, struct vector2 *b)
{
    pthread_mutex_unlock(&a->lock);
    if (a != b)
        pthread_mutex_unlock(&b->lock);
}

static int
grow_locked(struct vector2 *v, int needed)
{
    int capacity = v->capacity;
    int *data;

    if (needed <= capacity)
        return 0;
    if (needed > MAX_COUNT)
        return VECTOR2_ENOMEM;
    while (capacity < needed)
        capacity *= 2;
    data = realloc(v->data, (size_t)capacity * sizeof *data);
    if (data == NULL)
        return VECTOR2_ENOMEM;
    v->data = data;
    v->capacity = capacity;
    return 0;
}

static int
append_locked(struct vector2 *v, const int *values, int n_values)
{
    if (grow_locked(v, v->count + n_values) != 0)
        return VECTOR2_ENOMEM;
    memcpy(v->data + v->count, values, (size_t)n_values * sizeof *values);
    v->count += n_values;
    return v->count;
}

static int
find_locked(const struct vector2 *v, int value)
{
    for (int i = 0; i < v->count; i++)
        if (v->data[i] == value)
            return i;
    return VECTOR2_EINDEX;
}

static bool
inside_locked(const struct vector2 *v, int index)
{
    return index >= 0 && index < v->count;
}

struct vector2 *
vector2_new(int capacity)
{
    struct vector2 *v = calloc(1, sizeof *v);

    if (v == NULL)
        return NULL;
    v->capacity = capacity < 1 ? 4 : capacity > MAX_COUNT ? MAX_COUNT : capacity;
    v->data = malloc((size_t)v->capacity * sizeof *v->data);
    if (v->data == NULL) {
        free(v);
        return NULL;
    }
    pthread_mutex_init(&v->lock, NULL);
    return v;
}

static void
copy_elements(struct vector2 *v, int *out)
{
    pthread_mutex_lock(&v->lock);
    memcpy(out, v->data, (size_t)v->count * sizeof *out);
    pthread_mutex_unlock(&v->lock);
}

/* The elements of a vector, for the caller to free; NULL when out of memory. */
static int *
take_elements(struct vector2 *v, int *n)
{
    int *copy;

    *n = vector2_size(v);
    copy = calloc((size_t)(*n > 0 ? *n : 1), sizeof *copy);
    if (copy != NULL)
        copy_elements(v, copy);
    return copy;
}

struct vector2 *
vector2_copy(struct vector2 *src)
{
    struct vector2 *v;
    int n;
    int *elements = take_elements(src, &n);

    if (elements == NULL)
        return NULL;
    v = vector2_new(n);
    if (v != NULL)
        append_locked(v, elements, n);
    free(elements);
    return v;
}

void
vector2_free(struct vector2 *v)
{
    if (v == NULL)
        return;
    pthread_mutex_destroy(&v->lock);
    free(v->data);
    free(v);
}

int
vector2_size(struct vector2 *v)
{
    int count;

    pthread_mutex_lock(&v->lock);
    count = v->count;
    pthread_mutex_unlock(&v->lock);
    return count;
}

bool
vector2_is_empty(struct vector2 *v)
{
    return vector2_size(v) == 0;
}

int
vector2_reserve(struct vector2 *v, int capacity)
{
    int result;

    pthread_mutex_lock(&v->lock);
    result = grow_locked(v, capacity);
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_truncate(struct vector2 *v, int size)
{
    int removed = 0;

    pthread_mutex_lock(&v->lock);
    if (size < v->count) {
        removed = v->count - (size > 0 ? size : 0);
        v->count -= removed;
    }
    pthread_mutex_unlock(&v->lock);
    return removed;
}

void
vector2_clear(struct vector2 *v)
{
    vector2_truncate(v, 0);
}

int
vector2_push(struct vector2 *v, int value)
{
    return vector2_push_array(v, &value, 1);
}

int
vector2_pop(struct vector2 *v, int *value)
{
    int result = VECTOR2_EMPTY;

    pthread_mutex_lock(&v->lock);
    if (v->count > 0) {
        *value = v->data[--v->count];
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_peek(struct vector2 *v, int *value)
{
    int result = VECTOR2_EMPTY;

    pthread_mutex_lock(&v->lock);
    if (v->count > 0) {
        *value = v->data[v->count - 1];
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_get(struct vector2 *v, int index, int *value)
{
    int result = VECTOR2_EINDEX;

    pthread_mutex_lock(&v->lock);
    if (inside_locked(v, index)) {
        *value = v->data[index];
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_set(struct vector2 *v, int index, int value)
{
    int result = VECTOR2_EINDEX;

    pthread_mutex_lock(&v->lock);
    if (inside_locked(v, index)) {
        v->data[index] = value;
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_swap(struct vector2 *v, int i, int j)
{
    int result = VECTOR2_EINDEX;

    pthread_mutex_lock(&v->lock);
    if (inside_locked(v, i) && inside_locked(v, j)) {
        int t = v->data[i];

        v->data[i] = v->data[j];
        v->data[j] = t;
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_remove_at(struct vector2 *v, int index)
{
    int result = VECTOR2_EINDEX;

    pthread_mutex_lock(&v->lock);
    if (inside_locked(v, index)) {
        v->count--;
        memmove(v->data + index, v->data + index + 1, (size_t)(v->count - index) * sizeof *v->data);
        result = 0;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_insert(struct vector2 *v, int index, int value)
{
    int result = VECTOR2_EINDEX;

    pthread_mutex_lock(&v->lock);
    if (index == v->count || inside_locked(v, index))
        result = grow_locked(v, v->count + 1);
    if (result == 0) {
        memmove(v->data + index + 1, v->data + index, (size_t)(v->count - index) * sizeof *v->data);
        v->data[index] = value;
        result = ++v->count;
    }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_push_array(struct vector2 *v, const int *values, size_t n_values)
{
    int size;

    if (n_values > MAX_COUNT)
        return VECTOR2_ENOMEM;
    pthread_mutex_lock(&v->lock);
    size = append_locked(v, values, (int)n_values);
    pthread_mutex_unlock(&v->lock);
    return size;
}

int
vector2_add_all(struct vector2 *v, struct vector2 *src)
{
    int size;
    int n;
    int *elements = take_elements(src, &n);

    if (elements == NULL)
        return VECTOR2_ENOMEM;
    size = vector2_push_array(v, elements, (size_t)n);
    free(elements);
    return size;
}

int
vector2_index_of(struct vector2 *v, int value)
{
    int index;

    pthread_mutex_lock(&v->lock);
    index = find_locked(v, value);
    pthread_mutex_unlock(&v->lock);
    return index;
}

bool
vector2_contains(struct vector2 *v, int value)
{
    return vector2_index_of(v, value) >= 0;
}

int
vector2_count_of(struct vector2 *v, int value)
{
    int n = 0;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        n += v->data[i] == value;
    pthread_mutex_unlock(&v->lock);
    return n;
}

int
vector2_replace(struct vector2 *v, int from, int to)
{
    int n = 0;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        if (v->data[i] == from) {
            v->data[i] = to;
            n++;
        }
    pthread_mutex_unlock(&v->lock);
    return n;
}

int
vector2_remove_value(struct vector2 *v, int value)
{
    int kept = 0;
    int removed;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        if (v->data[i] != value)
            v->data[kept++] = v->data[i];
    removed = v->count - kept;
    v->count = kept;
    pthread_mutex_unlock(&v->lock);
    return removed;
}

/* The largest or the smallest element into *value. */
static int
extreme(struct vector2 *v, int *value, bool largest)
{
    int result = VECTOR2_EMPTY;

    pthread_mutex_lock(&v->lock);
    for (int i = 0; i < v->count; i++)
        if (result != 0 || (largest ? v->data[i] > *value : v->data[i] < *value)) {
            *value = v->data[i];
            result = 0;
        }
    pthread_mutex_unlock(&v->lock);
    return result;
}

int
vector2_min(struct vector2 *v, int *value)
{
    return extreme(v, value, false);
}

int
vector2_max(struct vector2 *v, int *value)
{
    return extreme(v, value, true);
}

static int
by_value(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;

    return (x > y) - (x < y);
}

void
vector2_sort(struct vector2 *v)
{
    pthread_mutex_lock(&v->lock);
    qsort(v->data, (size_t)v->count, sizeof *v->data, by_value);
    pthread_mutex_unlock(&v->lock);
}

void
vector2_reverse(struct vector2 *v)
{
    pthread_mutex_lock(&v->lock);
    for (int i = 0, j = v->count - 1; i < j; i++, j--) {
        int t = v->data[i];

        v->data[i] = v->data[j];
        v->data[j] = t;
    }
    pthread_mutex_unlock(&v->lock);
}

int
vector2_to_array(struct vector2 *v, int *out, size_t max)
{
    size_t n;

    pthread_mutex_lock(&v->lock);
    n = (size_t)v->count < max ? (size_t)v->count : max;
    memcpy(out, v->data, n * sizeof *out);
    pthread_mutex_unlock(&v->lock);
    return (int)n;
}

bool
vector2_equals(struct vector2 *v, struct vector2 *other)
{
    return vector2_compare(v, other) == 0;
}

int
vector2_compare(struct vector2 *v, struct vector2 *other)
{
    int order = 0;

    lock_pair(v, other);
    for (int i = 0; i < v->count && i < other->count && order == 0; i++)
        order = by_value(&v->data[i], &other->data[i]);
    if (order == 0)
        order = by_value(&v->count, &other->count);
    unlock_pair(v, other);
    return order;
}
