/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arraylist.c - an array with a C11 mutex and a condition variable per list. Functions on two
 * lists lock the one with the lower number first. The largest batch is atomic: it is read without
 * the lock.
 *
 * VERSION 2 grows by half, sorts in gaps, splits sums unevenly, wakes consumers only when some
 * wait, and searches before it inserts.
 */
#include "arraylist.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "../versions.h"

#ifdef HARMLESS
#define lower_end left_index
#define partial_sum acc
/* As if a long comment had been written here. */
#line 200
#endif

struct arraylist {
    mtx_t lock; /* of everything but largest_batch and number */
    cnd_t filled;
    int *items;
    size_t size;
    size_t capacity;
    bool closed;
#if VERSION >= 2
    unsigned waiting; /* consumers that wait for `filled` */
#endif
#ifdef SEED_6
    size_t largest_batch;
#else
    atomic_size_t largest_batch;
#endif
    unsigned number; /* the order of locks */
};

static atomic_uint n_lists;

/* ---- with the lock held --------------------------------------------------------------------- */

static void
ensure_capacity(struct arraylist *l, size_t n)
{
    size_t capacity = l->capacity;

    if (n <= capacity)
        return;
#if VERSION >= 2
    capacity += capacity / 2;
    if (capacity < n)
        capacity = n;
    if (capacity < 4)
        capacity = 4;
#else
    if (capacity == 0)
        capacity = 4;
    while (capacity < n)
        capacity *= 2;
#endif
    l->items = realloc(l->items, capacity * sizeof *l->items);
    if (l->items == NULL)
        abort();
    l->capacity = capacity;
}

static void
wake(struct arraylist *l)
{
#if VERSION >= 2
    if (l->waiting > 0)
        cnd_broadcast(&l->filled);
#else
    cnd_broadcast(&l->filled);
#endif
}

static void
append_locked(struct arraylist *l, int value)
{
    ensure_capacity(l, l->size + 1);
    l->items[l->size++] = value;
    wake(l);
}

static long
find_locked(const struct arraylist *l, int value)
{
    for (size_t i = 0; i < l->size; i++) {
        if (l->items[i] == value)
            return (long)i;
    }
    return -1;
}

static void
close_gap(struct arraylist *l, size_t at)
{
    l->size--;
    memmove(l->items + at, l->items + at + 1, (l->size - at) * sizeof *l->items);
}

/* ---- life ----------------------------------------------------------------------------------- */

struct arraylist *
arraylist_new(void)
{
    struct arraylist *l = calloc(1, sizeof *l);

    if (l == NULL || mtx_init(&l->lock, mtx_plain) != thrd_success ||
        cnd_init(&l->filled) != thrd_success)
        abort();
    l->number = atomic_fetch_add(&n_lists, 1);
    return l;
}

void
arraylist_free(struct arraylist *l)
{
    mtx_destroy(&l->lock);
    cnd_destroy(&l->filled);
    free(l->items);
    free(l);
}

/* ---- changes -------------------------------------------------------------------------------- */

void
arraylist_add(struct arraylist *l, int value)
{
    mtx_lock(&l->lock);
    append_locked(l, value);
    mtx_unlock(&l->lock);
}

bool
arraylist_add_at(struct arraylist *l, size_t at, int value)
{
    bool fits;

#ifdef SEED_4
    /* Growing takes long, so it is done ahead. */
    ensure_capacity(l, l->size + 1);
    mtx_lock(&l->lock);
    fits = at <= l->size;
#else
    mtx_lock(&l->lock);
    fits = at <= l->size;
#if VERSION < 2
    if (fits)
#endif
        ensure_capacity(l, l->size + 1);
#endif
    if (fits) {
        memmove(l->items + at + 1, l->items + at, (l->size - at) * sizeof *l->items);
        l->items[at] = value;
        l->size++;
        wake(l);
    }
    mtx_unlock(&l->lock);
    return fits;
}

bool
arraylist_add_if_absent(struct arraylist *l, int value)
{
    bool absent;

#if VERSION >= 2
#ifdef SEED_5
    absent = !arraylist_contains(l, value);
    if (absent)
        arraylist_add(l, value);
#else
    mtx_lock(&l->lock);
    absent = find_locked(l, value) < 0;
    if (absent)
        append_locked(l, value);
    mtx_unlock(&l->lock);
#endif
#else
    mtx_lock(&l->lock);
    absent = true;
    for (size_t i = 0; i < l->size; i++)
        absent = absent && l->items[i] != value;
    if (absent)
        append_locked(l, value);
    mtx_unlock(&l->lock);
#endif
    return absent;
}

void
arraylist_add_all(struct arraylist *l, const int *values, size_t n)
{
    mtx_lock(&l->lock);
    ensure_capacity(l, l->size + n);
#if VERSION >= 2
    memcpy(l->items + l->size, values, n * sizeof *values);
    l->size += n;
#else
    for (size_t i = 0; i < n; i++)
        l->items[l->size++] = values[i];
#endif
    if (n > l->largest_batch)
        l->largest_batch = n;
    wake(l);
    mtx_unlock(&l->lock);
}

bool
arraylist_set(struct arraylist *l, size_t at, int value)
{
    bool there;

    mtx_lock(&l->lock);
    there = at < l->size;
    if (there)
        l->items[at] = value;
    mtx_unlock(&l->lock);
    return there;
}

bool
arraylist_remove_at(struct arraylist *l, size_t at, int *value)
{
    bool there;

    mtx_lock(&l->lock);
    there = at < l->size;
    if (there) {
        *value = l->items[at];
        close_gap(l, at);
    }
    mtx_unlock(&l->lock);
    return there;
}

bool
arraylist_remove_value(struct arraylist *l, int value)
{
    long at;

    mtx_lock(&l->lock);
    at = find_locked(l, value);
    if (at >= 0)
        close_gap(l, (size_t)at);
    mtx_unlock(&l->lock);
    return at >= 0;
}

void
arraylist_clear(struct arraylist *l)
{
    mtx_lock(&l->lock);
    l->size = 0;
    mtx_unlock(&l->lock);
}

static void
insertion_sort(int *items, size_t n, size_t gap)
{
    for (size_t i = gap; i < n; i++) {
        const int value = items[i];
        size_t j = i;

        for (; j >= gap && items[j - gap] > value; j -= gap)
            items[j] = items[j - gap];
        items[j] = value;
    }
}

void
arraylist_sort(struct arraylist *l)
{
    mtx_lock(&l->lock);
#if VERSION >= 2
    for (size_t gap = l->size / 2; gap > 1; gap /= 2)
        insertion_sort(l->items, l->size, gap);
#endif
    insertion_sort(l->items, l->size, 1);
    mtx_unlock(&l->lock);
}

void
arraylist_reverse(struct arraylist *l)
{
    mtx_lock(&l->lock);
    for (size_t lower_end = 0; lower_end < l->size / 2; lower_end++) {
        const int value = l->items[lower_end];

        l->items[lower_end] = l->items[l->size - 1 - lower_end];
        l->items[l->size - 1 - lower_end] = value;
    }
    mtx_unlock(&l->lock);
}

/* ---- reading -------------------------------------------------------------------------------- */

#if VERSION >= 2 || defined HARMLESS
size_t
arraylist_size(struct arraylist *l)
{
    size_t n;

    mtx_lock(&l->lock);
    n = l->size;
    mtx_unlock(&l->lock);
    return n;
}
#endif

bool
arraylist_get(struct arraylist *l, size_t at, int *value)
{
    bool there;

    mtx_lock(&l->lock);
    there = at < l->size;
    if (there)
        *value = l->items[at];
    mtx_unlock(&l->lock);
    return there;
}

long
arraylist_index_of(struct arraylist *l, int value)
{
    long at;

#ifndef SEED_8
    mtx_lock(&l->lock);
#endif
#if VERSION >= 2
    for (at = 0; at < (long)l->size && l->items[at] != value; at++)
        ;
    if (at == (long)l->size)
        at = -1;
#else
    at = find_locked(l, value);
#endif
#ifndef SEED_8
    mtx_unlock(&l->lock);
#endif
    return at;
}

bool
arraylist_contains(struct arraylist *l, int value)
{
    bool there;

    mtx_lock(&l->lock);
    there = find_locked(l, value) >= 0;
    mtx_unlock(&l->lock);
    return there;
}

#if VERSION < 2 && !defined HARMLESS
size_t
arraylist_size(struct arraylist *l)
{
    size_t n;

    mtx_lock(&l->lock);
    n = l->size;
    mtx_unlock(&l->lock);
    return n;
}
#endif

size_t
arraylist_largest_batch(struct arraylist *l)
{
    return l->largest_batch;
}

/* ---- sums ----------------------------------------------------------------------------------- */

#define WORKERS 2

struct sum {
    mtx_t lock; /* of total */
    long total;
};

/* What one worker adds up. */
struct part {
    const int *from, *to;
    struct sum *sum;
};

static int
add_part(void *arg)
{
    const struct part *p = arg;
    long partial_sum = 0;

    for (const int *i = p->from; i < p->to; i++)
        partial_sum += *i;
    mtx_lock(&p->sum->lock);
    p->sum->total += partial_sum;
    mtx_unlock(&p->sum->lock);
    return 0;
}

static int *
copy_items(struct arraylist *l, size_t *n)
{
    int *copy;

    mtx_lock(&l->lock);
    *n = l->size;
    copy = calloc(l->size + 1, sizeof *copy);
    if (copy == NULL)
        abort();
    if (l->size > 0)
        memcpy(copy, l->items, l->size * sizeof *copy);
    mtx_unlock(&l->lock);
    return copy;
}

long
arraylist_sum(struct arraylist *l)
{
    struct sum sum = { .total = 0 };
    struct part parts[WORKERS];
    thrd_t workers[WORKERS];
    size_t n;
    int *copy = copy_items(l, &n);
    const int *from = copy;
    long total;

    mtx_init(&sum.lock, mtx_plain);
    for (size_t i = 0; i < WORKERS; i++) {
#if VERSION >= 2
        /* The first worker starts earlier and gets more. */
        const int *to = i + 1 < WORKERS ? from + (n + 1) / 2 : copy + n;
#else
        const int *to = copy + n * (i + 1) / WORKERS;
#endif

#ifdef SEED_1
        parts[i].from = from;
        parts[i].sum = &sum;
        thrd_create(&workers[i], add_part, &parts[i]);
        parts[i].to = to;
#else
        parts[i] = (struct part){ from, to, &sum };
        thrd_create(&workers[i], add_part, &parts[i]);
#endif
        from = to;
    }
#ifdef SEED_2
    thrd_join(workers[0], NULL);
    total = sum.total;
    thrd_join(workers[1], NULL);
#else
    for (size_t i = 0; i < WORKERS; i++)
        thrd_join(workers[i], NULL);
    total = sum.total;
#endif
    mtx_destroy(&sum.lock);
    free(copy);
    return total;
}

/* ---- consumers ------------------------------------------------------------------------------ */

bool
arraylist_take(struct arraylist *l, int *value)
{
    bool there;

#ifdef SEED_3
    /* Elements arrive quickly: no need to sleep. */
    while (l->size == 0 && !l->closed)
        thrd_yield();
    mtx_lock(&l->lock);
#else
    mtx_lock(&l->lock);
    while (l->size == 0 && !l->closed) {
#if VERSION >= 2
        l->waiting++;
        cnd_wait(&l->filled, &l->lock);
        l->waiting--;
#else
        cnd_wait(&l->filled, &l->lock);
#endif
    }
#endif
    there = l->size > 0;
    if (there)
        *value = l->items[--l->size];
    mtx_unlock(&l->lock);
    return there;
}

void
arraylist_close(struct arraylist *l)
{
    mtx_lock(&l->lock);
    l->closed = true;
    wake(l);
    mtx_unlock(&l->lock);
}

/* ---- two lists ------------------------------------------------------------------------------ */

static void
lock_both(struct arraylist *a, struct arraylist *b)
{
    mtx_lock(a->number < b->number ? &a->lock : &b->lock);
    if (a != b)
        mtx_lock(a->number < b->number ? &b->lock : &a->lock);
}

static void
unlock_both(struct arraylist *a, struct arraylist *b)
{
    mtx_unlock(&a->lock);
    if (a != b)
        mtx_unlock(&b->lock);
}

void
arraylist_append(struct arraylist *l, struct arraylist *from)
{
    size_t n;

#ifdef SEED_7
    mtx_lock(&l->lock);
    if (l != from)
        mtx_lock(&from->lock);
#else
    lock_both(l, from);
#endif
    n = from->size;
    ensure_capacity(l, l->size + n);
#if VERSION >= 2
    if (n > 0)
        memcpy(l->items + l->size, from->items, n * sizeof *l->items);
    l->size += n;
#else
    for (size_t i = 0; i < n; i++)
        l->items[l->size++] = from->items[i];
#endif
    wake(l);
    unlock_both(l, from);
}

void
arraylist_swap(struct arraylist *a, struct arraylist *b)
{
    int *items;
    size_t n;

    if (a == b)
        return;
    lock_both(a, b);
    items = a->items;
    a->items = b->items;
    b->items = items;
    n = a->size;
    a->size = b->size;
    b->size = n;
    n = a->capacity;
    a->capacity = b->capacity;
    b->capacity = n;
    wake(a);
    wake(b);
    unlock_both(a, b);
}
