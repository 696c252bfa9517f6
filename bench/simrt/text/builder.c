/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - string builders. Each has a mutex; functions on two builders lock both, the one
 * with the lower number first.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../versions.h"
#include "text.h"

#ifdef HARMLESS
#define equal same_text
/* As if a long comment had been written here. */
#line 200
#endif

struct text_builder {
    pthread_mutex_t lock; /* of data, length and capacity */
    char *data;           /* not terminated */
    size_t length;
    size_t capacity;
    unsigned number; /* the order of locks */
};

static atomic_uint n_builders;

struct text_builder *
text_builder_new(void)
{
    struct text_builder *b = calloc(1, sizeof *b);

    if (b == NULL)
        abort();
    pthread_mutex_init(&b->lock, NULL);
    b->number = atomic_fetch_add(&n_builders, 1);
    return b;
}

void
text_builder_free(struct text_builder *b)
{
    pthread_mutex_destroy(&b->lock);
    free(b->data);
    free(b);
}

/* ---- with the lock held --------------------------------------------------------------------- */

static void
reserve(struct text_builder *b, size_t more)
{
    size_t capacity = b->capacity > 0 ? b->capacity : 8;

    if (b->length + more <= b->capacity)
        return;
    while (capacity < b->length + more) {
#if VERSION >= 2
        capacity += capacity / 2;
#else
        capacity *= 2;
#endif
    }
    b->data = realloc(b->data, capacity);
    if (b->data == NULL)
        abort();
    b->capacity = capacity;
}

static void
append_bytes(struct text_builder *b, const char *s, size_t n)
{
    reserve(b, n);
    memcpy(b->data + b->length, s, n);
    b->length += n;
}

#if VERSION >= 2
/* Decimal digits without a buffer: written in reverse, then turned. */
static void
append_digits(struct text_builder *b, unsigned value, bool negative)
{
    size_t first = b->length;
    size_t last;

    reserve(b, 11);
    do {
        b->data[b->length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (negative)
        b->data[b->length++] = '-';
    for (last = b->length - 1; first < last; first++, last--) {
        const char c = b->data[first];

        b->data[first] = b->data[last];
        b->data[last] = c;
    }
}
#endif

/* ---- one builder ---------------------------------------------------------------------------- */

void
text_builder_append(struct text_builder *b, const char *s)
{
    pthread_mutex_lock(&b->lock);
    append_bytes(b, s, strlen(s));
    pthread_mutex_unlock(&b->lock);
}

void
text_builder_append_int(struct text_builder *b, int value)
{
#if VERSION >= 2
    const bool negative = value < 0;

#ifdef SEED_2
    append_digits(b, negative ? 0u - (unsigned)value : (unsigned)value, negative);
#else
    pthread_mutex_lock(&b->lock);
    append_digits(b, negative ? 0u - (unsigned)value : (unsigned)value, negative);
    pthread_mutex_unlock(&b->lock);
#endif
#else
    char digits[16];
    const int n = snprintf(digits, sizeof digits, "%d", value);

    pthread_mutex_lock(&b->lock);
    append_bytes(b, digits, (size_t)n);
    pthread_mutex_unlock(&b->lock);
#endif
}

void
text_builder_insert(struct text_builder *b, size_t at, const char *s)
{
    const size_t n = strlen(s);

    pthread_mutex_lock(&b->lock);
    if (at > b->length)
        at = b->length;
    reserve(b, n);
#if VERSION >= 2
#ifdef SEED_3
    /* Only reserve() replaces memory; moving bytes does not need the lock. */
    pthread_mutex_unlock(&b->lock);
#endif
    if (n > 0) {
        const size_t tail_length = b->length - at;

        memmove(b->data + at + n, b->data + at, tail_length);
        memcpy(b->data + at, s, n);
        b->length += n;
    }
#ifndef SEED_3
    pthread_mutex_unlock(&b->lock);
#endif
#else
    memmove(b->data + at + n, b->data + at, b->length - at);
    memcpy(b->data + at, s, n);
    b->length += n;
    pthread_mutex_unlock(&b->lock);
#endif
}

void
text_builder_delete(struct text_builder *b, size_t from, size_t to)
{
    pthread_mutex_lock(&b->lock);
    if (to > b->length)
        to = b->length;
    if (from < to) {
        memmove(b->data + from, b->data + to, b->length - to);
        b->length -= to - from;
    }
    pthread_mutex_unlock(&b->lock);
}

void
text_builder_turn(struct text_builder *b)
{
    pthread_mutex_lock(&b->lock);
    for (size_t i = 0; i < b->length / 2; i++) {
        const char c = b->data[i];

        b->data[i] = b->data[b->length - 1 - i];
        b->data[b->length - 1 - i] = c;
    }
    pthread_mutex_unlock(&b->lock);
}

void
text_builder_clear(struct text_builder *b)
{
    pthread_mutex_lock(&b->lock);
    b->length = 0;
    pthread_mutex_unlock(&b->lock);
}

size_t
text_builder_length(struct text_builder *b)
{
    size_t n;

    pthread_mutex_lock(&b->lock);
    n = b->length;
    pthread_mutex_unlock(&b->lock);
    return n;
}

char *
text_builder_string(struct text_builder *b)
{
    char *s;

    pthread_mutex_lock(&b->lock);
    s = malloc(b->length + 1);
    if (s == NULL)
        abort();
    if (b->length > 0)
        memcpy(s, b->data, b->length);
    s[b->length] = '\0';
    pthread_mutex_unlock(&b->lock);
    return s;
}

/* ---- two builders --------------------------------------------------------------------------- */

static void
lock_both(struct text_builder *a, struct text_builder *b)
{
    struct text_builder *first = a->number < b->number ? a : b;

    pthread_mutex_lock(&first->lock);
    if (a != b)
        pthread_mutex_lock(first == a ? &b->lock : &a->lock);
}

static void
unlock_both(struct text_builder *a, struct text_builder *b)
{
    pthread_mutex_unlock(&a->lock);
    if (a != b)
        pthread_mutex_unlock(&b->lock);
}

bool
text_builder_equals(struct text_builder *a, struct text_builder *b)
{
    bool equal;

    lock_both(a, b);
    equal = a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
    unlock_both(a, b);
    return equal;
}

void
text_builder_append_builder(struct text_builder *to, struct text_builder *from)
{
    size_t n;

#if defined SEED_8
    /* The lock order is stated here, where both are known. */
    pthread_mutex_lock(&from->lock);
    if (to != from)
        pthread_mutex_lock(&to->lock);
#else
    lock_both(to, from);
#endif
    n = from->length;
#if VERSION >= 2
    if (n > 0) {
        reserve(to, n);
        memcpy(to->data + to->length, from->data, n);
        to->length += n;
    }
#else
    reserve(to, n);
    memcpy(to->data + to->length, from->data, n);
    to->length += n;
#endif
    unlock_both(to, from);
}
