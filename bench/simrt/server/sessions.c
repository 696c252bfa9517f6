/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sessions.c - users that have logged in.
 *
 * Version 2 finds a free slot in a function of its own and counts renewals.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "server.h"

#define SLOTS 4

struct session {
    unsigned id; /* 0: free */
    char user[USER_LENGTH];
    unsigned long expires;
};

struct sessions {
    unsigned lifetime;
    pthread_mutex_t lock; /* guards the rest */
    struct session slots[SLOTS];
    unsigned last_id;
    unsigned long now;
    unsigned renewals;
};

struct sessions *
sessions_new(unsigned lifetime)
{
    struct sessions *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->lifetime = lifetime;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
sessions_free(struct sessions *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* The lock is held. */
static unsigned
occupy(struct sessions *s, struct session *slot, const char *user)
{
    assert(slot->id == 0);
    slot->id = ++s->last_id;
    slot->expires = s->now + s->lifetime;
    snprintf(slot->user, sizeof slot->user, "%s", user);
    return slot->id;
}

#if VERSION >= 2
/* The lock is held. */
static struct session *
free_slot(struct sessions *s)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (s->slots[i].id == 0)
            return &s->slots[i];
    }
    return NULL;
}

unsigned
sessions_open(struct sessions *s, const char *user)
{
    struct session *slot;
    unsigned id = 0;

    pthread_mutex_lock(&s->lock);
    slot = free_slot(s);
#ifdef SEED_10
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
#endif
    if (slot != NULL)
        id = occupy(s, slot, user);
    pthread_mutex_unlock(&s->lock);
    return id;
}
#else
unsigned
sessions_open(struct sessions *s, const char *user)
{
    unsigned id = 0;

    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < SLOTS && id == 0; i++) {
        if (s->slots[i].id == 0)
            id = occupy(s, &s->slots[i], user);
    }
    pthread_mutex_unlock(&s->lock);
    return id;
}
#endif

/* The lock is held. */
static struct session *
find(struct sessions *s, unsigned id)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (id != 0 && s->slots[i].id == id)
            return &s->slots[i];
    }
    return NULL;
}

bool
sessions_user(struct sessions *s, unsigned id, char *out, size_t size)
{
    struct session *slot;

#ifdef SEED_1
    s->renewals++;
#endif
    pthread_mutex_lock(&s->lock);
    slot = find(s, id);
    if (slot != NULL) {
        slot->expires = s->now + s->lifetime;
#if VERSION >= 2 && !defined(SEED_1)
        s->renewals++;
#endif
        snprintf(out, size, "%s", slot->user);
    }
    pthread_mutex_unlock(&s->lock);
    return slot != NULL;
}

bool
sessions_close(struct sessions *s, unsigned id)
{
    struct session *slot;

    pthread_mutex_lock(&s->lock);
    slot = find(s, id);
    if (slot != NULL)
        slot->id = 0;
    pthread_mutex_unlock(&s->lock);
    return slot != NULL;
}

unsigned
sessions_tick(struct sessions *s, unsigned long by)
{
    unsigned n = 0;

    pthread_mutex_lock(&s->lock);
    s->now += by;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (s->slots[i].id != 0 && s->slots[i].expires < s->now) {
            s->slots[i].id = 0;
            n++;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

unsigned
sessions_count(struct sessions *s)
{
    unsigned n = 0;

    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < SLOTS; i++)
        n += s->slots[i].id != 0 ? 1 : 0;
    pthread_mutex_unlock(&s->lock);
    return n;
}
