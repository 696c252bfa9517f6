/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userpool_fixed.c - see userpool.h.
 *
 * One mutex guards the whole data source. Settings of users are kept in one table for each
 * kind of setting, made with the first one, as most users have none. Functions named _locked expect
 * the lock held.
 */
#include "userpool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum setting { MAX_ACTIVE, MAX_IDLE, READ_ONLY, ISOLATION, N_SETTINGS };

struct override {
    char *user;
    int value;
};

struct table {
    struct override *items;
    int count;
    int capacity;
};

struct connection {
    char *user; /* NULL: there is no such connection */
    bool active;
};

struct userpool {
    pthread_mutex_t lock;
    int defaults[N_SETTINGS];
    struct table *users[N_SETTINGS]; /* NULL: no user has a setting of this kind */
    struct connection connections[USERPOOL_MAX_CONNECTIONS];
    bool closed;
};

static const char *
name_of(const char *user)
{
    return user != NULL ? user : "";
}

static char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static struct override *
find_override(const struct table *t, const char *user)
{
    for (int i = 0; t != NULL && i < t->count; i++)
        if (strcmp(t->items[i].user, user) == 0)
            return &t->items[i];
    return NULL;
}

static void
free_table(struct table *t)
{
    if (t == NULL)
        return;
    for (int i = 0; i < t->count; i++)
        free(t->items[i].user);
    free(t->items);
    free(t);
}

static int
add_override_locked(struct table *t, const char *user, int value)
{
    char *copy;

    if (t == NULL)
        return USERPOOL_ENOMEM;
    if (t->count == t->capacity) {
        int capacity = t->capacity == 0 ? 1 : t->capacity * 2;
        struct override *items = realloc(t->items, (size_t)capacity * sizeof *items);

        if (items == NULL)
            return USERPOOL_ENOMEM;
        t->items = items;
        t->capacity = capacity;
    }
    copy = copy_text(user);
    if (copy == NULL)
        return USERPOOL_ENOMEM;
    t->items[t->count].user = copy;
    t->items[t->count].value = value;
    t->count++;
    return 0;
}

static int
setting_locked(const struct userpool *p, enum setting setting, const char *user)
{
    const struct override *o = find_override(p->users[setting], name_of(user));

    return o != NULL ? o->value : p->defaults[setting];
}

static int
get_setting(struct userpool *p, enum setting setting, const char *user)
{
    int value;

    pthread_mutex_lock(&p->lock);
    value = setting_locked(p, setting, user);
    pthread_mutex_unlock(&p->lock);
    return value;
}

static int
set_setting(struct userpool *p, enum setting setting, const char *user, int value)
{
    struct override *o;
    int result = 0;

    pthread_mutex_lock(&p->lock);
    if (p->users[setting] == NULL)
        p->users[setting] = calloc(1, sizeof *p->users[setting]);
    o = find_override(p->users[setting], name_of(user));
    if (o != NULL)
        o->value = value;
    else
        result = add_override_locked(p->users[setting], name_of(user), value);
    pthread_mutex_unlock(&p->lock);
    return result;
}

static int
get_default(struct userpool *p, enum setting setting)
{
    int value;

    pthread_mutex_lock(&p->lock);
    value = p->defaults[setting];
    pthread_mutex_unlock(&p->lock);
    return value;
}

static void
set_default(struct userpool *p, enum setting setting, int value)
{
    pthread_mutex_lock(&p->lock);
    p->defaults[setting] = value;
    pthread_mutex_unlock(&p->lock);
}

static void
drop_locked(struct connection *c)
{
    free(c->user);
    c->user = NULL;
    c->active = false;
}

static int
evict_locked(struct userpool *p)
{
    int n = 0;

    for (int i = 0; i < USERPOOL_MAX_CONNECTIONS; i++)
        if (p->connections[i].user != NULL && !p->connections[i].active) {
            drop_locked(&p->connections[i]);
            n++;
        }
    return n;
}

static int
count_locked(const struct userpool *p, const char *user, bool active)
{
    int n = 0;

    for (int i = 0; i < USERPOOL_MAX_CONNECTIONS; i++) {
        const struct connection *c = &p->connections[i];

        n += c->user != NULL && c->active == active && strcmp(c->user, user) == 0;
    }
    return n;
}

struct userpool *
userpool_new(void)
{
    struct userpool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->defaults[MAX_ACTIVE] = 8;
    p->defaults[MAX_IDLE] = 8;
    p->defaults[ISOLATION] = USERPOOL_READ_COMMITTED;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void
userpool_free(struct userpool *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < USERPOOL_MAX_CONNECTIONS; i++)
        free(p->connections[i].user);
    for (int s = 0; s < N_SETTINGS; s++)
        free_table(p->users[s]);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void
userpool_set_default_max_active(struct userpool *p, int n)
{
    set_default(p, MAX_ACTIVE, n);
}

int
userpool_default_max_active(struct userpool *p)
{
    return get_default(p, MAX_ACTIVE);
}

void
userpool_set_default_max_idle(struct userpool *p, int n)
{
    set_default(p, MAX_IDLE, n);
}

int
userpool_default_max_idle(struct userpool *p)
{
    return get_default(p, MAX_IDLE);
}

void
userpool_set_default_read_only(struct userpool *p, bool read_only)
{
    set_default(p, READ_ONLY, read_only);
}

bool
userpool_default_read_only(struct userpool *p)
{
    return get_default(p, READ_ONLY) != 0;
}

int
userpool_set_user_max_active(struct userpool *p, const char *user, int n)
{
    return set_setting(p, MAX_ACTIVE, user, n);
}

int
userpool_user_max_active(struct userpool *p, const char *user)
{
    return get_setting(p, MAX_ACTIVE, user);
}

int
userpool_set_user_max_idle(struct userpool *p, const char *user, int n)
{
    return set_setting(p, MAX_IDLE, user, n);
}

int
userpool_user_max_idle(struct userpool *p, const char *user)
{
    return get_setting(p, MAX_IDLE, user);
}

int
userpool_set_user_read_only(struct userpool *p, const char *user, bool read_only)
{
    return set_setting(p, READ_ONLY, user, read_only);
}

bool
userpool_user_read_only(struct userpool *p, const char *user)
{
    return get_setting(p, READ_ONLY, user) != 0;
}

int
userpool_set_user_isolation(struct userpool *p, const char *user, enum userpool_isolation isolation)
{
    return set_setting(p, ISOLATION, user, (int)isolation);
}

enum userpool_isolation
userpool_user_isolation(struct userpool *p, const char *user)
{
    return (enum userpool_isolation)get_setting(p, ISOLATION, user);
}

int
userpool_clear_user(struct userpool *p, const char *user)
{
    int n = 0;

    pthread_mutex_lock(&p->lock);
    for (int s = 0; s < N_SETTINGS; s++) {
        struct table *t = p->users[s];
        struct override *o = find_override(t, name_of(user));

        if (o != NULL) {
            free(o->user);
            *o = t->items[--t->count];
            n++;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return n;
}

/* The number of a connection the user may have now, made if need be. */
static int
borrow_locked(struct userpool *p, const char *user)
{
    int limit = setting_locked(p, MAX_ACTIVE, user);
    int empty = USERPOOL_EEXHAUSTED;

    if (p->closed)
        return USERPOOL_ECLOSED;
    if (limit >= 0 && count_locked(p, user, true) >= limit)
        return USERPOOL_EEXHAUSTED;
    for (int i = 0; i < USERPOOL_MAX_CONNECTIONS; i++) {
        struct connection *c = &p->connections[i];

        if (c->user == NULL) {
            if (empty < 0)
                empty = i;
        } else if (!c->active && strcmp(c->user, user) == 0) {
            c->active = true;
            return i + 1;
        }
    }
    if (empty < 0)
        return empty;
    p->connections[empty].user = copy_text(user);
    if (p->connections[empty].user == NULL)
        return USERPOOL_ENOMEM;
    p->connections[empty].active = true;
    return empty + 1;
}

int
userpool_borrow(struct userpool *p, const char *user)
{
    int connection;

    pthread_mutex_lock(&p->lock);
    connection = borrow_locked(p, name_of(user));
    pthread_mutex_unlock(&p->lock);
    return connection;
}

int
userpool_give_back(struct userpool *p, int connection)
{
    struct connection *c;
    int result = USERPOOL_EUNKNOWN;

    if (connection < 1 || connection > USERPOOL_MAX_CONNECTIONS)
        return USERPOOL_EUNKNOWN;
    pthread_mutex_lock(&p->lock);
    c = &p->connections[connection - 1];
    if (c->user != NULL && c->active) {
        int limit = setting_locked(p, MAX_IDLE, c->user);

        c->active = false;
        if (p->closed || (limit >= 0 && count_locked(p, c->user, false) > limit))
            drop_locked(c);
        result = 0;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

int
userpool_num_active(struct userpool *p, const char *user)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = count_locked(p, name_of(user), true);
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
userpool_num_idle(struct userpool *p, const char *user)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = count_locked(p, name_of(user), false);
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
userpool_total(struct userpool *p)
{
    int n = 0;

    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < USERPOOL_MAX_CONNECTIONS; i++)
        n += p->connections[i].user != NULL;
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
userpool_user_of(struct userpool *p, int connection, char *buf, size_t size)
{
    const char *user;
    int length = USERPOOL_EUNKNOWN;

    if (connection < 1 || connection > USERPOOL_MAX_CONNECTIONS)
        return USERPOOL_EUNKNOWN;
    pthread_mutex_lock(&p->lock);
    user = p->connections[connection - 1].user;
    if (user != NULL) {
        size_t full = strlen(user);

        if (size > 0) {
            size_t n = full < size ? full : size - 1;

            memcpy(buf, user, n);
            buf[n] = '\0';
        }
        length = (int)full;
    }
    pthread_mutex_unlock(&p->lock);
    return length;
}

int
userpool_evict(struct userpool *p)
{
    int n;

    pthread_mutex_lock(&p->lock);
    n = evict_locked(p);
    pthread_mutex_unlock(&p->lock);
    return n;
}

void
userpool_close(struct userpool *p)
{
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    evict_locked(p);
    pthread_mutex_unlock(&p->lock);
}

bool
userpool_is_closed(struct userpool *p)
{
    bool closed;

    pthread_mutex_lock(&p->lock);
    closed = p->closed;
    pthread_mutex_unlock(&p->lock);
    return closed;
}
