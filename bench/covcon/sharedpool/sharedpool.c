/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharedpool.c - see sharedpool.h.
 *
 * A mutex per data source guards its members, registry_lock the list of open ones. A call with both
 * takes the data source's first. A data source is in the registry if and only if it is open.
 */
#include "sharedpool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct sharedpool {
    pthread_mutex_t lock;
    int max_active;
    int max_idle;
    int login_timeout;
    bool auto_commit;
    bool closed;
    enum sharedpool_isolation isolation;
    char description[SHAREDPOOL_MAX_TEXT];
    char validation_query[SHAREDPOOL_MAX_TEXT];
    enum { ABSENT, IDLE, ACTIVE } connections[SHAREDPOOL_MAX_CONNECTIONS];
};

struct instance {
    struct instance *next;
    const struct sharedpool *pool;
    int key;
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance *registry;

/* Enters a data source under the next key that is higher than all in use. */
static int
register_instance(const struct sharedpool *p)
{
    struct instance *entry = malloc(sizeof *entry);

    if (entry == NULL)
        return SHAREDPOOL_ENOMEM;
    entry->pool = p;
    entry->key = 1;
    pthread_mutex_lock(&registry_lock);
    for (const struct instance *i = registry; i != NULL; i = i->next)
        if (i->key >= entry->key)
            entry->key = i->key + 1;
    entry->next = registry;
    registry = entry;
    pthread_mutex_unlock(&registry_lock);
    return 0;
}

static void
remove_instance(const struct sharedpool *p)
{
    struct instance **link = &registry;
    struct instance *entry;

    while (*link != NULL && (*link)->pool != p)
        link = &(*link)->next;
    entry = *link;
    if (entry != NULL) {
        *link = entry->next;
        free(entry);
    }
}

static void
set_text(struct sharedpool *p, char *to, const char *text)
{
    size_t n = text != NULL ? strlen(text) : 0;

    if (n >= SHAREDPOOL_MAX_TEXT)
        n = SHAREDPOOL_MAX_TEXT - 1;
    pthread_mutex_lock(&p->lock);
    if (n > 0)
        memcpy(to, text, n);
    to[n] = '\0';
    pthread_mutex_unlock(&p->lock);
}

static int
get_text(struct sharedpool *p, const char *text, char *buf, size_t size)
{
    size_t full;

    pthread_mutex_lock(&p->lock);
    full = strlen(text);
    if (size > 0) {
        size_t n = full < size ? full : size - 1;

        memcpy(buf, text, n);
        buf[n] = '\0';
    }
    pthread_mutex_unlock(&p->lock);
    return (int)full;
}

static void
set_number(struct sharedpool *p, int *member, int value)
{
    pthread_mutex_lock(&p->lock);
    *member = value;
    pthread_mutex_unlock(&p->lock);
}

static int
get_number(struct sharedpool *p, const int *member)
{
    int value;

    pthread_mutex_lock(&p->lock);
    value = *member;
    pthread_mutex_unlock(&p->lock);
    return value;
}

static int
count_locked(const struct sharedpool *p, int state)
{
    int n = 0;

    for (int i = 0; i < SHAREDPOOL_MAX_CONNECTIONS; i++)
        n += (int)p->connections[i] == state;
    return n;
}

static int
evict_locked(struct sharedpool *p)
{
    int n = 0;

    for (int i = 0; i < SHAREDPOOL_MAX_CONNECTIONS; i++)
        if (p->connections[i] == IDLE) {
            p->connections[i] = ABSENT;
            n++;
        }
    return n;
}

struct sharedpool *
sharedpool_new(const char *description)
{
    struct sharedpool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->max_active = 8;
    p->max_idle = 8;
    p->auto_commit = true;
    p->isolation = SHAREDPOOL_READ_COMMITTED;
    pthread_mutex_init(&p->lock, NULL);
    set_text(p, p->description, description);
    if (register_instance(p) != 0) {
        pthread_mutex_destroy(&p->lock);
        free(p);
        return NULL;
    }
    return p;
}

void
sharedpool_free(struct sharedpool *p)
{
    if (p == NULL)
        return;
    sharedpool_close(p);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int
sharedpool_instances(void)
{
    int n = 0;

    pthread_mutex_lock(&registry_lock);
    for (const struct instance *i = registry; i != NULL; i = i->next)
        n++;
    pthread_mutex_unlock(&registry_lock);
    return n;
}

void
sharedpool_set_max_active(struct sharedpool *p, int n)
{
    set_number(p, &p->max_active, n);
}

int
sharedpool_max_active(struct sharedpool *p)
{
    return get_number(p, &p->max_active);
}

void
sharedpool_set_max_idle(struct sharedpool *p, int n)
{
    set_number(p, &p->max_idle, n);
}

int
sharedpool_max_idle(struct sharedpool *p)
{
    return get_number(p, &p->max_idle);
}

void
sharedpool_set_login_timeout(struct sharedpool *p, int seconds)
{
    set_number(p, &p->login_timeout, seconds > 0 ? seconds : 0);
}

int
sharedpool_login_timeout(struct sharedpool *p)
{
    return get_number(p, &p->login_timeout);
}

void
sharedpool_set_auto_commit(struct sharedpool *p, bool on)
{
    pthread_mutex_lock(&p->lock);
    p->auto_commit = on;
    pthread_mutex_unlock(&p->lock);
}

bool
sharedpool_auto_commit(struct sharedpool *p)
{
    bool on;

    pthread_mutex_lock(&p->lock);
    on = p->auto_commit;
    pthread_mutex_unlock(&p->lock);
    return on;
}

void
sharedpool_set_isolation(struct sharedpool *p, enum sharedpool_isolation isolation)
{
    pthread_mutex_lock(&p->lock);
    p->isolation = isolation;
    pthread_mutex_unlock(&p->lock);
}

enum sharedpool_isolation
sharedpool_isolation(struct sharedpool *p)
{
    enum sharedpool_isolation isolation;

    pthread_mutex_lock(&p->lock);
    isolation = p->isolation;
    pthread_mutex_unlock(&p->lock);
    return isolation;
}

void
sharedpool_set_description(struct sharedpool *p, const char *text)
{
    set_text(p, p->description, text);
}

int
sharedpool_description(struct sharedpool *p, char *buf, size_t size)
{
    return get_text(p, p->description, buf, size);
}

void
sharedpool_set_validation_query(struct sharedpool *p, const char *text)
{
    set_text(p, p->validation_query, text);
}

int
sharedpool_validation_query(struct sharedpool *p, char *buf, size_t size)
{
    return get_text(p, p->validation_query, buf, size);
}

/* An idle connection, else the first number that is free; as an index, or below zero. */
static int
choose_locked(const struct sharedpool *p)
{
    int absent = SHAREDPOOL_EEXHAUSTED;

    for (int i = SHAREDPOOL_MAX_CONNECTIONS - 1; i >= 0; i--) {
        if (p->connections[i] == IDLE)
            return i;
        if (p->connections[i] == ABSENT)
            absent = i;
    }
    return absent;
}

int
sharedpool_borrow(struct sharedpool *p)
{
    int result = SHAREDPOOL_EEXHAUSTED;

    pthread_mutex_lock(&p->lock);
    if (p->closed) {
        result = SHAREDPOOL_ECLOSED;
    } else if (p->max_active < 0 || count_locked(p, ACTIVE) < p->max_active) {
        int index = choose_locked(p);

        if (index >= 0) {
            p->connections[index] = ACTIVE;
            result = index + 1;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

int
sharedpool_give_back(struct sharedpool *p, int connection)
{
    int result = SHAREDPOOL_EUNKNOWN;

    if (connection < 1 || connection > SHAREDPOOL_MAX_CONNECTIONS)
        return SHAREDPOOL_EUNKNOWN;
    pthread_mutex_lock(&p->lock);
    if (p->connections[connection - 1] == ACTIVE) {
        bool keep = !p->closed && (p->max_idle < 0 || count_locked(p, IDLE) < p->max_idle);

        p->connections[connection - 1] = keep ? IDLE : ABSENT;
        result = 0;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

int
sharedpool_num_active(struct sharedpool *p)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = count_locked(p, ACTIVE);
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
sharedpool_num_idle(struct sharedpool *p)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = count_locked(p, IDLE);
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
sharedpool_evict(struct sharedpool *p)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = evict_locked(p);
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
sharedpool_reference(struct sharedpool *p)
{
    int key = SHAREDPOOL_ECLOSED;

    pthread_mutex_lock(&registry_lock);
    for (const struct instance *i = registry; i != NULL && key < 0; i = i->next)
        if (i->pool == p)
            key = i->key;
    pthread_mutex_unlock(&registry_lock);
    return key;
}

int
sharedpool_close(struct sharedpool *p)
{
    int result = SHAREDPOOL_ECLOSED;

    pthread_mutex_lock(&p->lock);
    if (!p->closed) {
        p->closed = true;
        evict_locked(p);
        remove_instance(p);
        result = 0;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

int
sharedpool_reopen(struct sharedpool *p)
{
    int result = 0;

    pthread_mutex_lock(&p->lock);
    if (p->closed) {
        result = register_instance(p);
        p->closed = result != 0;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

bool
sharedpool_is_closed(struct sharedpool *p)
{
    bool closed;

    pthread_mutex_lock(&p->lock);
    closed = p->closed;
    pthread_mutex_unlock(&p->lock);
    return closed;
}
