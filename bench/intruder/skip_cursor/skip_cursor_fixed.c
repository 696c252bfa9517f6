/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_cursor_fixed.c - the repaired twin; see skip_cursor.h.
 *
 * Each cursor has a mutex, and so has each source. An operation locks its cursor, then the source,
 * and accesses the source in one critical section. No function locks a cursor while it holds a
 * source, so the order is the same everywhere.
 */
#include "skip_cursor.h"

#include <pthread.h>
#include <stdlib.h>

struct skip_source {
    pthread_mutex_t lock;
    int first;
    int count;
    int position; /* from 0 to count */
};

struct skip_cursor {
    pthread_mutex_t lock;
    struct skip_source *source;
    int skip; /* pending: not yet applied to the source */
};

/* The position n elements further, or the end. */
static int
advanced(const struct skip_source *source, int position, int n)
{
    return n < source->count - position ? position + n : source->count;
}

/* Advances the source by n elements; returns the position before. */
static int
advance(struct skip_source *source, int n)
{
    int position;

    pthread_mutex_lock(&source->lock);
    position = source->position;
    source->position = advanced(source, position, n);
    pthread_mutex_unlock(&source->lock);
    return position;
}

static int
add_clamped(int a, int b)
{
    return a > INT_MAX - b ? INT_MAX : a + b;
}

/* The pending skip, which is consumed. */
static int
take_skip_locked(struct skip_cursor *c)
{
    int skip = c->skip;

    c->skip = 0;
    return skip;
}

struct skip_source *
skip_source_new(int first, int count)
{
    struct skip_source *source;

    if (count < 0 || first == SKIP_CURSOR_END || first > INT_MAX - count)
        return NULL;
    source = calloc(1, sizeof *source);
    if (source == NULL)
        return NULL;
    source->first = first;
    source->count = count;
    pthread_mutex_init(&source->lock, NULL);
    return source;
}

void
skip_source_free(struct skip_source *source)
{
    if (source == NULL)
        return;
    pthread_mutex_destroy(&source->lock);
    free(source);
}

int
skip_source_position(struct skip_source *source)
{
    int position;

    pthread_mutex_lock(&source->lock);
    position = source->position;
    pthread_mutex_unlock(&source->lock);
    return position;
}

struct skip_cursor *
skip_cursor_new(struct skip_source *source, int skip)
{
    struct skip_cursor *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->source = source;
    c->skip = skip > 0 ? skip : 0;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void
skip_cursor_free(struct skip_cursor *c)
{
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void
skip_cursor_set_source(struct skip_cursor *c, struct skip_source *source)
{
    pthread_mutex_lock(&c->lock);
    c->source = source;
    pthread_mutex_unlock(&c->lock);
}

bool
skip_cursor_has_next(struct skip_cursor *c)
{
    int skip;
    bool result;

    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    result = advanced(c->source, advance(c->source, skip), skip) < c->source->count;
    pthread_mutex_unlock(&c->lock);
    return result;
}

int
skip_cursor_next(struct skip_cursor *c)
{
    int position;
    int skip;
    int result = SKIP_CURSOR_END;

    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    position = advance(c->source, add_clamped(skip, 1));
    if (skip < c->source->count - position)
        result = c->source->first + position + skip;
    pthread_mutex_unlock(&c->lock);
    return result;
}

int
skip_cursor_skip_next(struct skip_cursor *c, int amount)
{
    int skip;
    int start;
    int result;

    if (amount < 0)
        amount = 0;
    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    start = advanced(c->source, advance(c->source, add_clamped(skip, amount)), skip);
    result = advanced(c->source, start, amount) - start;
    pthread_mutex_unlock(&c->lock);
    return result;
}

void
skip_cursor_close(struct skip_cursor *c)
{
    pthread_mutex_lock(&c->lock);
    take_skip_locked(c);
    advance(c->source, c->source->count);
    pthread_mutex_unlock(&c->lock);
}
