/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logger.c - a thread-safe logger that keeps its last records in memory.
 *
 * One mutex guards everything. Records lie in a ring of the largest size: no allocation while
 * logging. Handlers run with the lock held, so that they see the records in order; the price is
 * that they must not call the logger.
 */
#include "logger.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CAPACITY 8

struct record {
    enum logger_level level;
    char message[LOGGER_MAX_MESSAGE + 1];
};

struct handler {
    logger_handler call;
    void *arg;
};

struct logger {
    pthread_mutex_t lock; /* of everything below but the name, which never changes */
    char *name;
    enum logger_level level;
    char *filter; /* NULL: everything passes */
    struct handler handlers[LOGGER_MAX_HANDLERS];
    int n_handlers;
    struct record records[LOGGER_MAX_RECORDS]; /* a ring */
    int first;                                 /* index of the oldest record */
    int count;                                 /* <= capacity */
    int capacity;                              /* <= LOGGER_MAX_RECORDS */
    int dropped;
};

/* ---- helpers ------------------------------------------------------------------------------- */

static char *
copy_string(const char *s)
{
    const size_t size = strlen(s) + 1;
    char *copy = malloc(size);

    if (copy != NULL)
        memcpy(copy, s, size);
    return copy;
}

/* As snprintf(buf, cap, "%s", s). */
static int
put_string(char *buf, size_t cap, const char *s)
{
    const size_t len = strlen(s);
    const size_t n = len < cap ? len : cap - 1;

    if (cap > 0) {
        memcpy(buf, s, n);
        buf[n] = '\0';
    }
    return (int)len;
}

static struct record *
record_locked(struct logger *lg, int i)
{
    return &lg->records[(lg->first + i) % LOGGER_MAX_RECORDS];
}

static void
drop_oldest_locked(struct logger *lg)
{
    lg->first = (lg->first + 1) % LOGGER_MAX_RECORDS;
    lg->count--;
    lg->dropped++;
}

static void
append_locked(struct logger *lg, enum logger_level level, const char *message)
{
    struct record *r;

    if (lg->count == lg->capacity)
        drop_oldest_locked(lg);
    r = record_locked(lg, lg->count++);
    r->level = level;
    put_string(r->message, sizeof r->message, message);
    for (int i = 0; i < lg->n_handlers; i++)
        lg->handlers[i].call(lg->handlers[i].arg, level, r->message);
}

static bool
is_message_level(enum logger_level level)
{
    return (int)level >= LOGGER_FINE && level < LOGGER_OFF;
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct logger *
logger_new(const char *name)
{
    struct logger *lg = calloc(1, sizeof *lg);

    if (lg == NULL)
        return NULL;
    lg->name = copy_string(name != NULL ? name : "");
    if (lg->name == NULL) {
        free(lg);
        return NULL;
    }
    lg->level = LOGGER_INFO;
    lg->capacity = DEFAULT_CAPACITY;
    pthread_mutex_init(&lg->lock, NULL);
    return lg;
}

void
logger_free(struct logger *lg)
{
    if (lg == NULL)
        return;
    pthread_mutex_destroy(&lg->lock);
    free(lg->filter);
    free(lg->name);
    free(lg);
}

int
logger_get_name(struct logger *lg, char *buf, size_t cap)
{
    return put_string(buf, cap, lg->name);
}

/* ---- level and filter ---------------------------------------------------------------------- */

int
logger_set_level(struct logger *lg, enum logger_level level)
{
    if (!is_message_level(level) && level != LOGGER_OFF)
        return -EINVAL;
    pthread_mutex_lock(&lg->lock);
    lg->level = level;
    pthread_mutex_unlock(&lg->lock);
    return 0;
}

enum logger_level
logger_get_level(struct logger *lg)
{
    enum logger_level level;

    pthread_mutex_lock(&lg->lock);
    level = lg->level;
    pthread_mutex_unlock(&lg->lock);
    return level;
}

bool
logger_is_loggable(struct logger *lg, enum logger_level level)
{
    return is_message_level(level) && level >= logger_get_level(lg);
}

int
logger_set_filter(struct logger *lg, const char *text)
{
    char *copy = NULL;
    char *old;

    if (text != NULL) {
        copy = copy_string(text);
        if (copy == NULL)
            return -ENOMEM;
    }
    pthread_mutex_lock(&lg->lock);
    old = lg->filter;
    lg->filter = copy;
    pthread_mutex_unlock(&lg->lock);
    free(old);
    return 0;
}

bool
logger_clear_filter(struct logger *lg)
{
    char *old;

    pthread_mutex_lock(&lg->lock);
    old = lg->filter;
    lg->filter = NULL;
    pthread_mutex_unlock(&lg->lock);
    free(old);
    return old != NULL;
}

bool
logger_has_filter(struct logger *lg)
{
    bool has;

    pthread_mutex_lock(&lg->lock);
    has = lg->filter != NULL;
    pthread_mutex_unlock(&lg->lock);
    return has;
}

int
logger_get_filter(struct logger *lg, char *buf, size_t cap)
{
    int len = -ENOENT;

    pthread_mutex_lock(&lg->lock);
    if (lg->filter != NULL)
        len = put_string(buf, cap, lg->filter);
    pthread_mutex_unlock(&lg->lock);
    return len;
}

/* ---- logging ------------------------------------------------------------------------------- */

/* Searching the text takes a while: it is done before the record's turn comes. */
static bool
passes_filter(struct logger *lg, const char *message)
{
    bool passes;

    if (!logger_has_filter(lg))
        return true;
    pthread_mutex_lock(&lg->lock);
    passes = strstr(message, lg->filter) != NULL;
    pthread_mutex_unlock(&lg->lock);
    return passes;
}

int
logger_log(struct logger *lg, enum logger_level level, const char *message)
{
    int recorded = 0;

    if (!is_message_level(level))
        return -EINVAL;
    if (!passes_filter(lg, message))
        return 0;
    pthread_mutex_lock(&lg->lock);
    if (level >= lg->level) {
        append_locked(lg, level, message);
        recorded = 1;
    }
    pthread_mutex_unlock(&lg->lock);
    return recorded;
}

int
logger_severe(struct logger *lg, const char *message)
{
    return logger_log(lg, LOGGER_SEVERE, message);
}

int
logger_warning(struct logger *lg, const char *message)
{
    return logger_log(lg, LOGGER_WARNING, message);
}

int
logger_info(struct logger *lg, const char *message)
{
    return logger_log(lg, LOGGER_INFO, message);
}

int
logger_fine(struct logger *lg, const char *message)
{
    return logger_log(lg, LOGGER_FINE, message);
}

/* ---- handlers ------------------------------------------------------------------------------ */

int
logger_add_handler(struct logger *lg, logger_handler handler, void *arg)
{
    int rc = -ENOSPC;

    pthread_mutex_lock(&lg->lock);
    if (lg->n_handlers < LOGGER_MAX_HANDLERS) {
        lg->handlers[lg->n_handlers].call = handler;
        lg->handlers[lg->n_handlers].arg = arg;
        lg->n_handlers++;
        rc = 0;
    }
    pthread_mutex_unlock(&lg->lock);
    return rc;
}

bool
logger_remove_handler(struct logger *lg)
{
    bool removed;

    pthread_mutex_lock(&lg->lock);
    removed = lg->n_handlers > 0;
    if (removed)
        lg->n_handlers--;
    pthread_mutex_unlock(&lg->lock);
    return removed;
}

int
logger_handler_count(struct logger *lg)
{
    int n;

    pthread_mutex_lock(&lg->lock);
    n = lg->n_handlers;
    pthread_mutex_unlock(&lg->lock);
    return n;
}

/* ---- records ------------------------------------------------------------------------------- */

int
logger_count(struct logger *lg)
{
    int n;

    pthread_mutex_lock(&lg->lock);
    n = lg->count;
    pthread_mutex_unlock(&lg->lock);
    return n;
}

int
logger_count_level(struct logger *lg, enum logger_level level)
{
    int n = 0;

    pthread_mutex_lock(&lg->lock);
    for (int i = 0; i < lg->count; i++)
        n += (int)record_locked(lg, i)->level >= (int)level;
    pthread_mutex_unlock(&lg->lock);
    return n;
}

int
logger_get_record(struct logger *lg, int i, enum logger_level *level, char *buf, size_t cap)
{
    int len = -ERANGE;

    pthread_mutex_lock(&lg->lock);
    if (i >= 0 && i < lg->count) {
        const struct record *r = record_locked(lg, i);

        if (level != NULL)
            *level = r->level;
        len = put_string(buf, cap, r->message);
    }
    pthread_mutex_unlock(&lg->lock);
    return len;
}

int
logger_find(struct logger *lg, const char *text)
{
    int found = -ENOENT;

    pthread_mutex_lock(&lg->lock);
    for (int i = 0; i < lg->count && found < 0; i++)
        if (strstr(record_locked(lg, i)->message, text) != NULL)
            found = i;
    pthread_mutex_unlock(&lg->lock);
    return found;
}

int
logger_clear(struct logger *lg)
{
    int n;

    pthread_mutex_lock(&lg->lock);
    n = lg->count;
    lg->first = 0;
    lg->count = 0;
    pthread_mutex_unlock(&lg->lock);
    return n;
}

int
logger_set_capacity(struct logger *lg, int n)
{
    if (n < 1 || n > LOGGER_MAX_RECORDS)
        return -EINVAL;
    pthread_mutex_lock(&lg->lock);
    lg->capacity = n;
    while (lg->count > n)
        drop_oldest_locked(lg);
    pthread_mutex_unlock(&lg->lock);
    return 0;
}

int
logger_get_capacity(struct logger *lg)
{
    int n;

    pthread_mutex_lock(&lg->lock);
    n = lg->capacity;
    pthread_mutex_unlock(&lg->lock);
    return n;
}

int
logger_dropped(struct logger *lg)
{
    int n;

    pthread_mutex_lock(&lg->lock);
    n = lg->dropped;
    pthread_mutex_unlock(&lg->lock);
    return n;
}
