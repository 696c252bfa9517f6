/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_cursor.c - see skip_cursor.h.
 *
 * Each cursor has a mutex. A source has none: its only mutable field is an atomic position. The
 * position only grows, and every operation takes effect in one atomic step on it. An operation
 * reads the position several times, which looks like an atomicity violation if another cursor moves
 * the source in between, but the compare-and-exchange fails then and the operation retries.
 */
#include "skip_cursor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct skip_source {
    int first;
    int count;
    atomic_int position; /* from 0 to count */
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

static bool
is_exhausted(struct skip_source *source)
{
    return atomic_load(&source->position) == source->count;
}

/* Advances the source by n elements; returns the position before. */
static int
advance(struct skip_source *source, int n)
{
    int position = atomic_load(&source->position);

    while (!atomic_compare_exchange_strong(&source->position, &position,
                                           advanced(source, position, n)))
        continue;
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
    atomic_init(&source->position, 0);
    return source;
}

void
skip_source_free(struct skip_source *source)
{
    free(source);
}

int
skip_source_position(struct skip_source *source)
{
    return atomic_load(&source->position);
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
    bool result = false;

    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    if (!is_exhausted(c->source))
        result = advanced(c->source, advance(c->source, skip), skip) < c->source->count;
    pthread_mutex_unlock(&c->lock);
    return result;
}

int
skip_cursor_next(struct skip_cursor *c)
{
    int skip;
    int result = SKIP_CURSOR_END;

    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    if (!is_exhausted(c->source)) {
        int position = advance(c->source, add_clamped(skip, 1));

        if (skip < c->source->count - position)
            result = c->source->first + position + skip;
    }
    pthread_mutex_unlock(&c->lock);
    return result;
}

int
skip_cursor_skip_next(struct skip_cursor *c, int amount)
{
    int skip;
    int result = 0;

    if (amount < 0)
        amount = 0;
    pthread_mutex_lock(&c->lock);
    skip = take_skip_locked(c);
    if (!is_exhausted(c->source)) {
        int position = advance(c->source, add_clamped(skip, amount));
        int start = advanced(c->source, position, skip);

        result = advanced(c->source, start, amount) - start;
    }
    pthread_mutex_unlock(&c->lock);
    return result;
}

void
skip_cursor_close(struct skip_cursor *c)
{
    pthread_mutex_lock(&c->lock);
    take_skip_locked(c);
    if (!is_exhausted(c->source))
        advance(c->source, c->source->count);
    pthread_mutex_unlock(&c->lock);
}
