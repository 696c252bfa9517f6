/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.c - see vector.h.
 *
 * One recursive mutex per vector, as a Java object has one monitor. Functions named *_locked expect
 * the caller to hold it.
 */
#define _GNU_SOURCE
#include "vector.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 4, MAX_ELEMENTS = 1 << 20 };

struct vector {
    pthread_mutex_t lock;
    int *data;
    int count;
    int capacity;
    int increment;
};

static void
lock(struct vector *v)
{
    pthread_mutex_lock(&v->lock);
}

static void
unlock(struct vector *v)
{
    pthread_mutex_unlock(&v->lock);
}

static int
resize_locked(struct vector *v, int capacity)
{
    int *data = realloc(v->data, (size_t)capacity * sizeof *data);

    if (data == NULL)
        return VECTOR_ENOMEM;
    v->data = data;
    v->capacity = capacity;
    return 0;
}

static int
reserve_locked(struct vector *v, int needed)
{
    int capacity;

    if (needed <= v->capacity)
        return 0;
    if (needed > MAX_ELEMENTS)
        return VECTOR_ENOMEM;
    if (v->increment > 0)
        capacity = v->capacity + v->increment;
    else
        capacity = v->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    return resize_locked(v, capacity);
}

static bool
in_range_locked(const struct vector *v, int index)
{
    return index >= 0 && index < v->count;
}

static int
find_locked(const struct vector *v, int value, int from)
{
    for (int i = from < 0 ? 0 : from; i < v->count; i++)
        if (v->data[i] == value)
            return i;
    return VECTOR_EINDEX;
}

static int
find_last_locked(const struct vector *v, int value, int from)
{
    for (int i = from; i >= 0; i--)
        if (v->data[i] == value)
            return i;
    return VECTOR_EINDEX;
}

/* Opens a gap of n elements at the index. */
static int
open_gap_locked(struct vector *v, int index, int n)
{
    if (index < 0 || index > v->count)
        return VECTOR_EINDEX;
    if (n > MAX_ELEMENTS - v->count || reserve_locked(v, v->count + n) != 0)
        return VECTOR_ENOMEM;
    memmove(v->data + index + n, v->data + index, (size_t)(v->count - index) * sizeof *v->data);
    v->count += n;
    return 0;
}

static void
delete_locked(struct vector *v, int from, int to)
{
    memmove(v->data + from, v->data + to, (size_t)(v->count - to) * sizeof *v->data);
    v->count -= to - from;
}

static int
insert_locked(struct vector *v, int index, int value)
{
    int error = open_gap_locked(v, index, 1);

    if (error == 0)
        v->data[index] = value;
    return error;
}

struct vector *
vector_new(int capacity, int increment)
{
    struct vector *v = calloc(1, sizeof *v);
    pthread_mutexattr_t attr;

    if (v == NULL)
        return NULL;
    if (capacity < MIN_CAPACITY)
        capacity = MIN_CAPACITY;
    if (capacity > MAX_ELEMENTS)
        capacity = MAX_ELEMENTS;
    if (increment > MAX_ELEMENTS)
        increment = MAX_ELEMENTS;
    v->increment = increment;
    if (resize_locked(v, capacity) != 0) {
        free(v);
        return NULL;
    }
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&v->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return v;
}

/* A new vector with the elements [from, to) of another, whose lock the caller holds. */
static struct vector *
copy_range_locked(const struct vector *v, int from, int to)
{
    struct vector *copy = vector_new(to - from, v->increment);

    if (copy == NULL)
        return NULL;
    memcpy(copy->data, v->data + from, (size_t)(to - from) * sizeof *v->data);
    copy->count = to - from;
    return copy;
}

struct vector *
vector_clone(struct vector *v)
{
    struct vector *copy;

    lock(v);
    copy = copy_range_locked(v, 0, v->count);
    unlock(v);
    return copy;
}

struct vector *
vector_new_from(struct vector *other)
{
    struct vector *v = vector_new(0, 0);

    if (v != NULL && vector_add_all(v, other) < 0) {
        vector_free(v);
        return NULL;
    }
    return v;
}

struct vector *
vector_sub_list(struct vector *v, int from, int to)
{
    struct vector *copy = NULL;

    lock(v);
    if (from >= 0 && from <= to && to <= v->count)
        copy = copy_range_locked(v, from, to);
    unlock(v);
    return copy;
}

void
vector_free(struct vector *v)
{
    if (v == NULL)
        return;
    pthread_mutex_destroy(&v->lock);
    free(v->data);
    free(v);
}

int
vector_size(struct vector *v)
{
    int size;

    lock(v);
    size = v->count;
    unlock(v);
    return size;
}

int
vector_capacity(struct vector *v)
{
    int capacity;

    lock(v);
    capacity = v->capacity;
    unlock(v);
    return capacity;
}

bool
vector_is_empty(struct vector *v)
{
    return vector_size(v) == 0;
}

int
vector_ensure_capacity(struct vector *v, int capacity)
{
    int error;

    lock(v);
    error = reserve_locked(v, capacity);
    unlock(v);
    return error;
}

int
vector_trim_to_size(struct vector *v)
{
    int error;

    lock(v);
    error = resize_locked(v, v->count < MIN_CAPACITY ? MIN_CAPACITY : v->count);
    unlock(v);
    return error;
}

int
vector_set_size(struct vector *v, int size)
{
    int error = 0;

    if (size < 0)
        return VECTOR_EINDEX;
    lock(v);
    if (size > v->count) {
        error = reserve_locked(v, size);
        if (error == 0)
            memset(v->data + v->count, 0, (size_t)(size - v->count) * sizeof *v->data);
    }
    if (error == 0)
        v->count = size;
    unlock(v);
    return error;
}

int
vector_get(struct vector *v, int index)
{
    int value = VECTOR_NONE;

    lock(v);
    if (in_range_locked(v, index))
        value = v->data[index];
    unlock(v);
    return value;
}

int
vector_element_at(struct vector *v, int index)
{
    return vector_get(v, index);
}

int
vector_first_element(struct vector *v)
{
    return vector_get(v, 0);
}

int
vector_last_element(struct vector *v)
{
    int last = vector_size(v) - 1;

    return vector_element_at(v, last);
}

int
vector_set(struct vector *v, int index, int value)
{
    int old = VECTOR_NONE;

    lock(v);
    if (in_range_locked(v, index)) {
        old = v->data[index];
        v->data[index] = value;
    }
    unlock(v);
    return old;
}

int
vector_remove_at(struct vector *v, int index)
{
    int old = VECTOR_NONE;

    lock(v);
    if (in_range_locked(v, index)) {
        old = v->data[index];
        delete_locked(v, index, index + 1);
    }
    unlock(v);
    return old;
}

int
vector_set_element_at(struct vector *v, int value, int index)
{
    int error = VECTOR_EINDEX;

    lock(v);
    if (in_range_locked(v, index)) {
        v->data[index] = value;
        error = 0;
    }
    unlock(v);
    return error;
}

int
vector_remove_element_at(struct vector *v, int index)
{
    int error = VECTOR_EINDEX;

    lock(v);
    if (in_range_locked(v, index)) {
        delete_locked(v, index, index + 1);
        error = 0;
    }
    unlock(v);
    return error;
}

int
vector_insert_element_at(struct vector *v, int value, int index)
{
    int error;

    lock(v);
    error = insert_locked(v, index, value);
    unlock(v);
    return error;
}

int
vector_add_at(struct vector *v, int index, int value)
{
    return vector_insert_element_at(v, value, index);
}

int
vector_swap(struct vector *v, int i, int j)
{
    int error = VECTOR_EINDEX;

    lock(v);
    if (in_range_locked(v, i) && in_range_locked(v, j)) {
        int value = v->data[i];

        v->data[i] = v->data[j];
        v->data[j] = value;
        error = 0;
    }
    unlock(v);
    return error;
}

int
vector_add(struct vector *v, int value)
{
    int result;

    lock(v);
    result = insert_locked(v, v->count, value);
    if (result == 0)
        result = v->count;
    unlock(v);
    return result;
}

int
vector_add_element(struct vector *v, int value)
{
    return vector_add(v, value);
}

bool
vector_add_if_absent(struct vector *v, int value)
{
    bool added;

    lock(v);
    added = find_locked(v, value, 0) < 0 && insert_locked(v, v->count, value) == 0;
    unlock(v);
    return added;
}

bool
vector_remove(struct vector *v, int value)
{
    int index;

    lock(v);
    index = find_locked(v, value, 0);
    if (index >= 0)
        delete_locked(v, index, index + 1);
    unlock(v);
    return index >= 0;
}

bool
vector_remove_element(struct vector *v, int value)
{
    return vector_remove(v, value);
}

bool
vector_contains(struct vector *v, int value)
{
    return vector_index_of(v, value) >= 0;
}

int
vector_index_of(struct vector *v, int value)
{
    return vector_index_of_from(v, value, 0);
}

int
vector_index_of_from(struct vector *v, int value, int from)
{
    int index;

    lock(v);
    index = find_locked(v, value, from);
    unlock(v);
    return index;
}

int
vector_last_index_of(struct vector *v, int value)
{
    return vector_last_index_of_from(v, value, vector_size(v) - 1);
}

int
vector_last_index_of_from(struct vector *v, int value, int from)
{
    int index = VECTOR_EINDEX;

    lock(v);
    if (from < v->count)
        index = find_last_locked(v, value, from);
    unlock(v);
    return index;
}

int
vector_count_of(struct vector *v, int value)
{
    int n = 0;

    lock(v);
    for (int i = 0; i < v->count; i++)
        n += v->data[i] == value;
    unlock(v);
    return n;
}

void
vector_clear(struct vector *v)
{
    lock(v);
    v->count = 0;
    unlock(v);
}

void
vector_remove_all_elements(struct vector *v)
{
    vector_clear(v);
}

int
vector_remove_range(struct vector *v, int from, int to)
{
    int error = VECTOR_EINDEX;

    lock(v);
    if (from >= 0 && from <= to && to <= v->count) {
        delete_locked(v, from, to);
        error = 0;
    }
    unlock(v);
    return error;
}

int
vector_replace_all(struct vector *v, int from, int to)
{
    int n = 0;

    lock(v);
    for (int i = 0; i < v->count; i++) {
        if (v->data[i] == from) {
            v->data[i] = to;
            n++;
        }
    }
    unlock(v);
    return n;
}

static int
compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;

    return (x > y) - (x < y);
}

void
vector_sort(struct vector *v)
{
    lock(v);
    qsort(v->data, (size_t)v->count, sizeof *v->data, compare_ints);
    unlock(v);
}

void
vector_reverse(struct vector *v)
{
    lock(v);
    for (int i = 0, j = v->count - 1; i < j; i++, j--) {
        int value = v->data[i];

        v->data[i] = v->data[j];
        v->data[j] = value;
    }
    unlock(v);
}

long long
vector_sum(struct vector *v)
{
    long long sum = 0;

    lock(v);
    for (int i = 0; i < v->count; i++)
        sum += v->data[i];
    unlock(v);
    return sum;
}

unsigned
vector_hash_code(struct vector *v)
{
    unsigned hash = 1;

    lock(v);
    for (int i = 0; i < v->count; i++)
        hash = 31 * hash + (unsigned)v->data[i];
    unlock(v);
    return hash;
}

int
vector_copy_into(struct vector *v, int *out, size_t max)
{
    int n;

    lock(v);
    n = max < (size_t)v->count ? (int)max : v->count;
    memcpy(out, v->data, (size_t)n * sizeof *out);
    unlock(v);
    return n;
}

int
vector_add_all(struct vector *v, struct vector *other)
{
    int result;

    lock(v);
    result = vector_add_all_at(v, v->count, other);
    unlock(v);
    return result;
}

int
vector_add_all_at(struct vector *v, int index, struct vector *other)
{
    int n;
    int result;
    int *copy;

    lock(v);
    n = vector_size(other);
    copy = malloc((size_t)(n + 1) * sizeof *copy);
    result = VECTOR_ENOMEM;
    if (copy != NULL) {
        for (int i = 0; i < n; i++)
            copy[i] = vector_get(other, i);
        result = open_gap_locked(v, index, n);
    }
    if (result == 0) {
        memcpy(v->data + index, copy, (size_t)n * sizeof *copy);
        result = n;
    }
    free(copy);
    unlock(v);
    return result;
}

/* Whether `other` contains the value, with one call per element, as an iterator does. */
static bool
iterate_to(struct vector *other, int value)
{
    int n = vector_size(other);

    for (int i = 0; i < n; i++)
        if (vector_get(other, i) == value)
            return true;
    return false;
}

/* Removes the elements for which membership in `other` is as wanted. */
static int
filter_locked(struct vector *v, struct vector *other, bool remove_members)
{
    int n = v->count;
    bool *drop = calloc((size_t)n + 1, sizeof *drop);
    int kept = 0;

    if (drop == NULL)
        return VECTOR_ENOMEM;
    for (int i = 0; i < n; i++)
        drop[i] = iterate_to(other, v->data[i]) == remove_members;
    for (int i = 0; i < n; i++)
        if (!drop[i])
            v->data[kept++] = v->data[i];
    v->count = kept;
    free(drop);
    return n - kept;
}

int
vector_remove_all(struct vector *v, struct vector *other)
{
    int removed;

    lock(v);
    removed = filter_locked(v, other, true);
    unlock(v);
    return removed;
}

int
vector_retain_all(struct vector *v, struct vector *other)
{
    int removed;

    lock(v);
    removed = filter_locked(v, other, false);
    unlock(v);
    return removed;
}

bool
vector_contains_all(struct vector *v, struct vector *other)
{
    bool all = true;
    int n;

    lock(v);
    n = vector_size(other);
    for (int i = 0; i < n && all; i++)
        all = find_locked(v, vector_get(other, i), 0) >= 0;
    unlock(v);
    return all;
}

bool
vector_equals(struct vector *v, struct vector *other)
{
    bool equal;

    lock(v);
    equal = v->count == vector_size(other);
    for (int i = 0; i < v->count && equal; i++)
        equal = v->data[i] == vector_get(other, i);
    unlock(v);
    return equal;
}
