/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frontier.c - the queue of URLs to fetch.
 *
 * Version 2 has choose() as a function of its own and prefers the item that came first.
 */
#include <stdlib.h>

#include "crawler.h"

#define ITEMS_MAX 32

struct frontier {
    struct hosts *hosts;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct item items[ITEMS_MAX];
    unsigned n;
    unsigned peak;
    unsigned in_flight;
    bool closed;
};

struct frontier *
frontier_new(struct hosts *h)
{
    struct frontier *f = calloc(1, sizeof *f);

    if (f == NULL)
        return NULL;
    f->hosts = h;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    return f;
}

void
frontier_free(struct frontier *f)
{
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* The lock is held. */
static bool
insert(struct frontier *f, const struct url *u, unsigned depth)
{
    if (f->closed || f->n == ITEMS_MAX)
        return false;
    f->items[f->n].url = *u;
    f->items[f->n].depth = depth;
    f->n++;
    if (f->n > f->peak)
        f->peak = f->n;
    pthread_cond_signal(&f->changed);
    return true;
}

bool
frontier_push(struct frontier *f, const struct url *u, unsigned depth)
{
    bool ok;

    pthread_mutex_lock(&f->lock);
    ok = insert(f, u, depth);
    pthread_mutex_unlock(&f->lock);
    return ok;
}

#if VERSION >= 2
/* The item to fetch next, of which there is one; advances time to its turn. The lock is held. */
static unsigned
choose(struct frontier *f)
{
    unsigned long now = hosts_now(f->hosts), soonest = 0;
    unsigned best = ITEMS_MAX, first = 0;

    for (unsigned i = 0; i < f->n; i++) {
        unsigned long when = hosts_when(f->hosts, f->items[i].url.host);

        if (i == 0 || when < soonest) {
            soonest = when;
            first = i;
        }
        if (when <= now && (best == ITEMS_MAX || f->items[i].depth < f->items[best].depth))
            best = i;
    }
    if (best != ITEMS_MAX)
        return best;
    hosts_advance(f->hosts, soonest);
    return first;
}
#else
/* The item to fetch next, of which there is one; advances time to its turn. The lock is held. */
static unsigned
choose(struct frontier *f)
{
    unsigned best = 0;
    unsigned long now = hosts_now(f->hosts), best_when = hosts_when(f->hosts, f->items[0].url.host);

    for (unsigned i = 1; i < f->n; i++) {
        unsigned long when = hosts_when(f->hosts, f->items[i].url.host);
        bool sooner = when < best_when && best_when > now;

        if (sooner || (when <= now && f->items[i].depth < f->items[best].depth)) {
            best = i;
            best_when = when;
        }
    }
    hosts_advance(f->hosts, best_when);
    return best;
}
#endif

bool
frontier_next(struct frontier *f, struct item *out)
{
    bool found = false;
    unsigned at;

    pthread_mutex_lock(&f->lock);
    while (f->n == 0 && f->in_flight > 0 && !f->closed)
        pthread_cond_wait(&f->changed, &f->lock);
    if (f->n > 0 && !f->closed) {
        at = choose(f);
        *out = f->items[at];
        f->n--;
        for (unsigned i = at; i < f->n; i++)
            f->items[i] = f->items[i + 1];
        f->in_flight++;
        found = true;
    }
    pthread_mutex_unlock(&f->lock);
    return found;
}

void
frontier_done(struct frontier *f)
{
    pthread_mutex_lock(&f->lock);
    f->in_flight--;
    if (f->in_flight == 0 && f->n == 0)
        pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

void
frontier_requeue(struct frontier *f, const struct item *it)
{
    pthread_mutex_lock(&f->lock);
    f->in_flight--;
    if (!insert(f, &it->url, it->depth))
        pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

#ifdef HARMLESS
unsigned
frontier_peak(struct frontier *f)
{
    unsigned n;

    pthread_mutex_lock(&f->lock);
    n = f->peak;
    pthread_mutex_unlock(&f->lock);
    return n;
}
#endif

void
frontier_close(struct frontier *f)
{
    pthread_mutex_lock(&f->lock);
    f->closed = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

unsigned
frontier_length(struct frontier *f)
{
    unsigned n;

    pthread_mutex_lock(&f->lock);
    n = f->n;
    pthread_mutex_unlock(&f->lock);
    return n;
}

#ifndef HARMLESS
unsigned
frontier_peak(struct frontier *f)
{
    unsigned n;

    pthread_mutex_lock(&f->lock);
    n = f->peak;
    pthread_mutex_unlock(&f->lock);
    return n;
}
#endif
