/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener.c - connections that wait for a worker, in a ring.
 */
#include <stdlib.h>

#include "server.h"

#define BACKLOG_MAX 8

struct listener {
    unsigned backlog;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct connection *waiting[BACKLOG_MAX];
    unsigned first;
    unsigned n;
    unsigned refused;
    bool stopped;
};

struct listener *
listener_new(unsigned backlog)
{
    struct listener *l = calloc(1, sizeof *l);

    if (l == NULL)
        return NULL;
    l->backlog = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    return l;
}

void
listener_free(struct listener *l)
{
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

bool
listener_connect(struct listener *l, struct connection *c)
{
    bool accepted;

    pthread_mutex_lock(&l->lock);
    accepted = !l->stopped && l->n < l->backlog;
    if (accepted) {
        l->waiting[(l->first + l->n) % BACKLOG_MAX] = c;
        l->n++;
        pthread_cond_signal(&l->changed);
    } else {
        l->refused++;
    }
    pthread_mutex_unlock(&l->lock);
    return accepted;
}

struct connection *
listener_accept(struct listener *l)
{
    struct connection *c = NULL;

    pthread_mutex_lock(&l->lock);
    while (l->n == 0 && !l->stopped)
        pthread_cond_wait(&l->changed, &l->lock);
    if (l->n > 0) {
        c = l->waiting[l->first];
        l->first = (l->first + 1) % BACKLOG_MAX;
        l->n--;
    }
    pthread_mutex_unlock(&l->lock);
    return c;
}

#ifdef HARMLESS
unsigned
listener_refused(struct listener *l)
{
    unsigned number;

    pthread_mutex_lock(&l->lock);
    number = l->refused;
    pthread_mutex_unlock(&l->lock);
    return number;
}
#endif

void
listener_stop(struct listener *l)
{
    pthread_mutex_lock(&l->lock);
    l->stopped = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

#ifndef HARMLESS
unsigned
listener_refused(struct listener *l)
{
    unsigned n;

    pthread_mutex_lock(&l->lock);
    n = l->refused;
    pthread_mutex_unlock(&l->lock);
    return n;
}
#endif
