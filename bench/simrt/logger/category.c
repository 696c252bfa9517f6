/* SPDX-License-Identifier: Apache-2.0 */
/*
 * category.c - the hierarchy of categories, and the way of an event to the appenders.
 *
 * Lock order: the lock of the hierarchy, then that of an appender.
 * Version 2 retires an appender in one critical section and walks the tree without recursion.
 */
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define APPENDERS_MAX 4
#define CATEGORIES_MAX 24

struct category {
    char name[NAME_MAX_LENGTH];
    struct category *parent;
    _Atomic int level; /* LV_INHERIT: that of the parent */
    bool additive;
    struct appender *appenders[APPENDERS_MAX];
    unsigned n_appenders;
};

struct hierarchy {
    pthread_rwlock_t lock; /* guards the tree and the lists of appenders */
    struct category *all[CATEGORIES_MAX];
    unsigned n; /* all[0] is the root */
    _Atomic int threshold;
    struct stats *stats;
};

static struct category *
category_new(const char *name, size_t length, struct category *parent, int level)
{
    struct category *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    if (length >= sizeof c->name)
        length = sizeof c->name - 1;
    memcpy(c->name, name, length);
    c->parent = parent;
    c->additive = true;
    atomic_init(&c->level, level);
    return c;
}

struct hierarchy *
hierarchy_new(void)
{
    struct hierarchy *h = calloc(1, sizeof *h);

    if (h == NULL)
        return NULL;
    pthread_rwlock_init(&h->lock, NULL);
    h->all[0] = category_new("", 0, NULL, LV_DEBUG);
    h->n = 1;
    atomic_init(&h->threshold, LV_ALL);
    return h;
}

void
hierarchy_free(struct hierarchy *h)
{
    for (unsigned i = 0; i < h->n; i++)
        free(h->all[i]);
    pthread_rwlock_destroy(&h->lock);
    free(h);
}

void
hierarchy_set_stats(struct hierarchy *h, struct stats *s)
{
    h->stats = s;
}

void
hierarchy_set_threshold(struct hierarchy *h, enum level level)
{
    atomic_store(&h->threshold, (int)level);
}

unsigned
hierarchy_size(struct hierarchy *h)
{
    unsigned n;

    pthread_rwlock_rdlock(&h->lock);
    n = h->n;
    pthread_rwlock_unlock(&h->lock);
    return n;
}

struct category *
hierarchy_root(struct hierarchy *h)
{
    return h->all[0];
}

/* The lock is held. */
static struct category *
lookup(struct hierarchy *h, const char *name, size_t length)
{
    for (unsigned i = 0; i < h->n; i++) {
        if (strlen(h->all[i]->name) == length && memcmp(h->all[i]->name, name, length) == 0)
            return h->all[i];
    }
    return NULL;
}

#if VERSION >= 2
/* Finds or makes a category; the lock is held for writing. */
static struct category *
ensure(struct hierarchy *h, const char *name, size_t length)
{
    struct category *at = h->all[0];
    size_t end = 0;

    while (end < length) {
        struct category *next;

        do
            end++;
        while (end < length && name[end] != '.');
        next = lookup(h, name, end);
        if (next == NULL) {
            if (h->n == CATEGORIES_MAX)
                return at;
            next = category_new(name, end, at, LV_INHERIT);
            h->all[h->n++] = next;
        }
        at = next;
    }
    return at;
}
#else
/* Finds or makes a category; the lock is held for writing. */
static struct category *
ensure(struct hierarchy *h, const char *name, size_t length)
{
    struct category *c = lookup(h, name, length);
    struct category *parent;
    size_t end = length;

    if (c != NULL)
        return c;
    while (end > 0 && name[end - 1] != '.')
        end--;
    parent = end == 0 ? h->all[0] : ensure(h, name, end - 1);
    if (h->n == CATEGORIES_MAX)
        return parent;
    c = category_new(name, length, parent, LV_INHERIT);
    h->all[h->n++] = c;
    return c;
}
#endif

struct category *
category_find(struct hierarchy *h, const char *name)
{
    struct category *c;

    pthread_rwlock_rdlock(&h->lock);
    c = lookup(h, name, strlen(name));
    pthread_rwlock_unlock(&h->lock);
    return c;
}

struct category *
category_get(struct hierarchy *h, const char *name)
{
    struct category *c = category_find(h, name);

    if (c != NULL)
        return c;
    pthread_rwlock_wrlock(&h->lock);
    c = ensure(h, name, strlen(name));
    pthread_rwlock_unlock(&h->lock);
    return c;
}

const char *
category_name(const struct category *c)
{
    return c->name;
}

void
category_set_level(struct category *c, enum level level)
{
    atomic_store_explicit(&c->level, (int)level, memory_order_relaxed);
}

enum level
category_level(const struct category *c)
{
#ifdef HARMLESS
#define own effective
#endif
    int own = LV_INHERIT;

    for (; c != NULL && own == LV_INHERIT; c = c->parent)
        own = atomic_load_explicit(&((struct category *)c)->level, memory_order_relaxed);
    return (enum level)own;
}
#undef own

bool
category_add_appender(struct hierarchy *h, struct category *c, struct appender *a)
{
    bool room;

#if VERSION >= 2
    bool known = false;

#ifdef SEED_4
    pthread_rwlock_rdlock(&h->lock);
#else
    pthread_rwlock_wrlock(&h->lock);
#endif
    for (unsigned i = 0; i < c->n_appenders; i++)
        known = known || c->appenders[i] == a;
    room = known || c->n_appenders < APPENDERS_MAX;
    if (room && !known)
        c->appenders[c->n_appenders++] = a;
#else
    pthread_rwlock_wrlock(&h->lock);
    room = c->n_appenders < APPENDERS_MAX;
    if (room)
        c->appenders[c->n_appenders++] = a;
#endif
    pthread_rwlock_unlock(&h->lock);
    return room;
}

/* The lock is held for writing. */
static bool
drop(struct category *c, struct appender *a)
{
    for (unsigned i = 0; i < c->n_appenders; i++) {
        if (c->appenders[i] == a) {
            c->appenders[i] = c->appenders[--c->n_appenders];
            return true;
        }
    }
    return false;
}

bool
category_remove_appender(struct hierarchy *h, struct category *c, struct appender *a)
{
    bool found;

    pthread_rwlock_wrlock(&h->lock);
    found = drop(c, a);
    pthread_rwlock_unlock(&h->lock);
    return found;
}

unsigned
category_appenders(struct hierarchy *h, struct category *c)
{
    unsigned n;

    pthread_rwlock_rdlock(&h->lock);
    n = c->n_appenders;
    pthread_rwlock_unlock(&h->lock);
    return n;
}

void
category_set_additive(struct hierarchy *h, struct category *c, bool additive)
{
    pthread_rwlock_wrlock(&h->lock);
    c->additive = additive;
    pthread_rwlock_unlock(&h->lock);
}

unsigned
category_log(struct hierarchy *h, struct category *c, enum level level, const char *message)
{
    struct event ev = { .level = level, .category = c->name, .message = message };
    unsigned n = 0;

    if ((int)level < atomic_load(&h->threshold) || level < category_level(c))
        return 0;
    ev.context = context_top();
    ev.thread = context_thread();
    pthread_rwlock_rdlock(&h->lock);
    for (const struct category *k = c; k != NULL; k = k->parent) {
        for (unsigned i = 0; i < k->n_appenders; i++)
            n += appender_append(k->appenders[i], &ev) ? 1 : 0;
        if (!k->additive)
            break;
    }
    pthread_rwlock_unlock(&h->lock);
    if (h->stats != NULL)
        stats_record(h->stats, level, strlen(message));
    return n;
}

#if VERSION >= 2
unsigned
hierarchy_retire(struct hierarchy *h, struct appender *a)
{
    unsigned n = 0;

#ifdef SEED_9
    pthread_mutex_lock(&a->lock);
    pthread_rwlock_wrlock(&h->lock);
#else
    pthread_rwlock_wrlock(&h->lock);
    pthread_mutex_lock(&a->lock);
#endif
    for (unsigned i = 0; i < h->n; i++)
        n += drop(h->all[i], a) ? 1 : 0;
    if (!a->closed) {
        a->closed = true;
        if (a->ops->stop != NULL)
            a->ops->stop(a);
    }
    pthread_mutex_unlock(&a->lock);
    pthread_rwlock_unlock(&h->lock);
    return n;
}
#else
unsigned
hierarchy_retire(struct hierarchy *h, struct appender *a)
{
    unsigned n = 0;

    pthread_rwlock_wrlock(&h->lock);
    for (unsigned i = 0; i < h->n; i++)
        n += drop(h->all[i], a) ? 1 : 0;
    pthread_rwlock_unlock(&h->lock);
    appender_close(a);
    return n;
}
#endif
