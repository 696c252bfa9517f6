/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intrange_fixed.c - see intrange.h.
 *
 * The bounds are set before a range is shared and need no lock. Hash and text are computed when
 * first asked for, as most ranges are never asked: the hash is one atomic number, the text
 * is made under a lock.
 */
#include "intrange.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VISITS 100

struct intrange {
    int min;
    int max;
    _Atomic unsigned hash; /* 0: not computed yet */
    pthread_mutex_t text_lock;
    char *text; /* NULL: not made yet; never changed after that */
};

struct intrange *
intrange_new(int a, int b)
{
    struct intrange *r = calloc(1, sizeof *r);

    if (r == NULL)
        return NULL;
    r->min = a < b ? a : b;
    r->max = a < b ? b : a;
    pthread_mutex_init(&r->text_lock, NULL);
    return r;
}

struct intrange *
intrange_new_single(int value)
{
    return intrange_new(value, value);
}

void
intrange_free(struct intrange *r)
{
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->text_lock);
    free(r->text);
    free(r);
}

int
intrange_min(struct intrange *r)
{
    return r->min;
}

int
intrange_max(struct intrange *r)
{
    return r->max;
}

bool
intrange_is_single(struct intrange *r)
{
    return r->min == r->max;
}

long long
intrange_length(struct intrange *r)
{
    return (long long)r->max - r->min + 1;
}

bool
intrange_contains(struct intrange *r, int value)
{
    return value >= r->min && value <= r->max;
}

enum intrange_side
intrange_side(struct intrange *r, int value)
{
    if (value < r->min)
        return INTRANGE_BELOW;
    return value > r->max ? INTRANGE_ABOVE : INTRANGE_INSIDE;
}

int
intrange_clamp(struct intrange *r, int value)
{
    if (value < r->min)
        return r->min;
    return value > r->max ? r->max : value;
}

int
intrange_at(struct intrange *r, int index, int *value)
{
    if (index < 0 || index >= intrange_length(r))
        return INTRANGE_EINDEX;
    *value = (int)((long long)r->min + index);
    return 0;
}

int
intrange_to_array(struct intrange *r, int *out, size_t max)
{
    long long value = r->min;
    int n = 0;

    while ((size_t)n < max && n < INT_MAX && value <= r->max)
        out[n++] = (int)value++;
    return n;
}

int
intrange_count(struct intrange *r, const int *values, size_t n_values)
{
    int n = 0;

    for (size_t i = 0; i < n_values; i++)
        n += intrange_contains(r, values[i]);
    return n;
}

int
intrange_each(struct intrange *r, int step, intrange_visit visit, void *arg)
{
    int n = 0;

    if (step < 1)
        return INTRANGE_EVALUE;
    for (long long value = r->min; value <= r->max && n < MAX_VISITS; value += step) {
        n++;
        if (!visit((int)value, arg))
            break;
    }
    return n;
}

bool
intrange_contains_range(struct intrange *r, struct intrange *other)
{
    return other != NULL && other->min >= r->min && other->max <= r->max;
}

bool
intrange_overlaps(struct intrange *r, struct intrange *other)
{
    return other != NULL && other->min <= r->max && other->max >= r->min;
}

struct intrange *
intrange_intersect(struct intrange *r, struct intrange *other)
{
    if (!intrange_overlaps(r, other))
        return NULL;
    return intrange_new(r->min > other->min ? r->min : other->min,
                        r->max < other->max ? r->max : other->max);
}

struct intrange *
intrange_span(struct intrange *r, struct intrange *other)
{
    if (other == NULL)
        return NULL;
    return intrange_new(r->min < other->min ? r->min : other->min,
                        r->max > other->max ? r->max : other->max);
}

bool
intrange_equals(struct intrange *r, struct intrange *other)
{
    if (r == other)
        return true;
    return other != NULL && r->min == other->min && r->max == other->max;
}

unsigned
intrange_hash(struct intrange *r)
{
    unsigned hash = r->hash;

    if (hash == 0) {
        hash = 17;
        hash = 37 * hash + (unsigned)r->min;
        hash = 37 * hash + (unsigned)r->max;
        r->hash = hash;
    }
    return hash;
}

/* The text of a range, made once; NULL when out of memory. */
static const char *
text_of(struct intrange *r)
{
    const char *text;

    pthread_mutex_lock(&r->text_lock);
    if (r->text == NULL) {
        char made[48];
        int length = snprintf(made, sizeof made, "Range[%d,%d]", r->min, r->max);

        r->text = malloc((size_t)length + 1);
        if (r->text != NULL)
            memcpy(r->text, made, (size_t)length + 1);
    }
    text = r->text;
    pthread_mutex_unlock(&r->text_lock);
    return text;
}

int
intrange_to_string(struct intrange *r, char *buf, size_t size)
{
    const char *text = text_of(r);
    size_t full;

    if (text == NULL)
        return INTRANGE_ENOMEM;
    full = strlen(text);
    if (size > 0) {
        size_t n = full < size ? full : size - 1;

        memcpy(buf, text, n);
        buf[n] = '\0';
    }
    return (int)full;
}
