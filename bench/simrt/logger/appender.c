/* SPDX-License-Identifier: Apache-2.0 */
/*
 * appender.c - what all appenders have in common, and the appender that keeps lines in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define LINES 8

struct memory {
    struct appender base;
    char lines[LINES][LINE_LENGTH];
    unsigned count; /* all that were written; the last LINES are kept */
};

void
appender_init(struct appender *a, const struct appender_ops *ops, const char *name,
              struct layout *layout)
{
    a->ops = ops;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->layout = layout;
    atomic_init(&a->threshold, LV_ALL);
    pthread_mutex_init(&a->lock, NULL);
    a->closed = false;
    a->accepted = 0;
    a->rejected = 0;
}

void
appender_deinit(struct appender *a)
{
    pthread_mutex_destroy(&a->lock);
}

static size_t
render(struct appender *a, const struct event *ev, char *line, size_t size)
{
    if (a->layout != NULL)
        return layout_format(a->layout, ev, line, size);
    return (size_t)snprintf(line, size, "%s", ev->message);
}

bool
appender_append(struct appender *a, const struct event *ev)
{
    char line[LINE_LENGTH];
    size_t length;
    bool accepted = false;

    if ((int)ev->level < atomic_load_explicit(&a->threshold, memory_order_relaxed)) {
        pthread_mutex_lock(&a->lock);
        a->rejected++;
        pthread_mutex_unlock(&a->lock);
        return false;
    }
    length = render(a, ev, line, sizeof line);
    if (length >= sizeof line)
        length = sizeof line - 1;
    if (a->ops->locks_itself) {
        a->ops->write(a, ev, line, length);
        return true;
    }
    pthread_mutex_lock(&a->lock);
    if (a->closed) {
        a->rejected++;
    } else {
        a->accepted++;
        a->ops->write(a, ev, line, length);
        accepted = true;
    }
    pthread_mutex_unlock(&a->lock);
    return accepted;
}

#ifdef HARMLESS
unsigned
appender_rejected(struct appender *a)
{
    unsigned n;

    /* Counts what the threshold refused, too. */
    pthread_mutex_lock(&a->lock);
    n = a->rejected;
    pthread_mutex_unlock(&a->lock);
    return n;
}
#endif

void
appender_close(struct appender *a)
{
    pthread_mutex_lock(&a->lock);
    if (!a->closed) {
        a->closed = true;
        if (a->ops->stop != NULL)
            a->ops->stop(a);
    }
    pthread_mutex_unlock(&a->lock);
}

bool
appender_is_closed(struct appender *a)
{
    bool closed;

    pthread_mutex_lock(&a->lock);
    closed = a->closed;
    pthread_mutex_unlock(&a->lock);
    return closed;
}

void
appender_set_threshold(struct appender *a, enum level level)
{
    atomic_store_explicit(&a->threshold, (int)level, memory_order_relaxed);
}

unsigned
appender_accepted(struct appender *a)
{
    unsigned n;

    pthread_mutex_lock(&a->lock);
    n = a->accepted;
    pthread_mutex_unlock(&a->lock);
    return n;
}

#ifndef HARMLESS
unsigned
appender_rejected(struct appender *a)
{
    unsigned n;

    pthread_mutex_lock(&a->lock);
    n = a->rejected;
    pthread_mutex_unlock(&a->lock);
    return n;
}
#endif

static void
memory_write(struct appender *a, const struct event *ev, const char *line, size_t length)
{
    struct memory *m = (struct memory *)a;

    (void)ev;
    memcpy(m->lines[m->count % LINES], line, length);
    m->lines[m->count % LINES][length] = 0;
    m->count++;
}

static const struct appender_ops memory_ops = { .write = memory_write };

struct appender *
memory_new(const char *name, struct layout *layout)
{
    struct memory *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    appender_init(&m->base, &memory_ops, name, layout);
    return &m->base;
}

void
memory_free(struct appender *a)
{
    appender_deinit(a);
    free(a);
}

unsigned
memory_count(struct appender *a)
{
    struct memory *m = (struct memory *)a;
    unsigned n;

    pthread_mutex_lock(&a->lock);
    n = m->count;
    pthread_mutex_unlock(&a->lock);
    return n;
}

bool
memory_line(struct appender *a, unsigned back, char *out, size_t size)
{
    struct memory *m = (struct memory *)a;
    bool found;

    pthread_mutex_lock(&a->lock);
    found = back < m->count && back < LINES;
    if (found)
        snprintf(out, size, "%s", m->lines[(m->count - 1 - back) % LINES]);
    pthread_mutex_unlock(&a->lock);
    return found;
}

void
memory_clear(struct appender *a)
{
    struct memory *m = (struct memory *)a;

    pthread_mutex_lock(&a->lock);
    m->count = 0;
    pthread_mutex_unlock(&a->lock);
}
