/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - connections in memory, and a pool of them.
 *
 * Version 2 has one function that waits for a slot, and counts messages.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server.h"

#define TEXT_LENGTH 96
#define POOL_MAX 4

struct slot {
    bool full;
    char text[TEXT_LENGTH];
};

struct connection {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct slot request, response;
    bool closed;
    unsigned messages;
};

struct connection *
connection_new(void)
{
    struct connection *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    return c;
}

void
connection_free(struct connection *c)
{
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void
fill(struct connection *c, struct slot *s, const char *text)
{
    pthread_mutex_lock(&c->lock);
    while (s->full && !c->closed)
        pthread_cond_wait(&c->changed, &c->lock);
    if (!c->closed) {
        snprintf(s->text, sizeof s->text, "%s", text);
        s->full = true;
#if VERSION >= 2
        c->messages++;
#endif
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
}

static bool
empty(struct connection *c, struct slot *s, char *out, size_t size)
{
    bool got;

    pthread_mutex_lock(&c->lock);
    while (!s->full && !c->closed)
        pthread_cond_wait(&c->changed, &c->lock);
    got = s->full;
    if (got) {
        snprintf(out, size, "%s", s->text);
        s->full = false;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return got;
}

void
connection_send(struct connection *c, const char *text)
{
    fill(c, &c->request, text);
}

bool
connection_receive(struct connection *c, char *out, size_t size)
{
    return empty(c, &c->response, out, size);
}

bool
connection_read(struct connection *c, char *out, size_t size)
{
    return empty(c, &c->request, out, size);
}

void
connection_write(struct connection *c, const char *text)
{
    fill(c, &c->response, text);
}

void
connection_close(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    c->closed = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

struct pool {
    sem_t available;
    pthread_mutex_t lock; /* guards the rest */
    struct connection *idle[POOL_MAX];
    unsigned n_idle;
};

struct pool *
pool_new(unsigned n)
{
    struct pool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    if (n > POOL_MAX)
        n = POOL_MAX;
    sem_init(&p->available, 0, n);
    pthread_mutex_init(&p->lock, NULL);
    for (unsigned i = 0; i < n; i++)
        p->idle[p->n_idle++] = connection_new();
    return p;
}

void
pool_free(struct pool *p)
{
    for (unsigned i = 0; i < p->n_idle; i++)
        connection_free(p->idle[i]);
    sem_destroy(&p->available);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* One was reserved with the semaphore. */
static struct connection *
pick(struct pool *p)
{
    struct connection *c;

    pthread_mutex_lock(&p->lock);
    c = p->idle[--p->n_idle];
    pthread_mutex_unlock(&p->lock);
    return c;
}

struct connection *
pool_take(struct pool *p)
{
    while (sem_wait(&p->available) != 0)
        ;
    return pick(p);
}

struct connection *
pool_try_take(struct pool *p)
{
    if (sem_trywait(&p->available) != 0)
        return NULL;
    return pick(p);
}

void
pool_give(struct pool *p, struct connection *c)
{
    pthread_mutex_lock(&p->lock);
    p->idle[p->n_idle++] = c;
    pthread_mutex_unlock(&p->lock);
    sem_post(&p->available);
}
