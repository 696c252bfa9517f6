/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - politeness: how often and when each host may be asked, in virtual time.
 *
 * Lock order: the lock of the frontier, that of the table, that of a host.
 * Version 2 lets the delay of a host grow with its failures.
 */
#include <stdlib.h>
#include <string.h>

#include "crawler.h"

#define HOSTS_MAX 8
#define FAILURES_MAX 3

struct host {
    char name[HOST_LENGTH];
    pthread_mutex_t lock; /* guards the rest */
    unsigned long next_time;
    unsigned requests;
    unsigned failures;
};

struct hosts {
    unsigned delay;
    unsigned limit;
    _Atomic unsigned long now;
    pthread_rwlock_t lock; /* guards the table; hosts are never removed */
    struct host *table[HOSTS_MAX];
    unsigned n;
};

struct hosts *
hosts_new(unsigned delay, unsigned limit)
{
    struct hosts *h = calloc(1, sizeof *h);

    if (h == NULL)
        return NULL;
    h->delay = delay;
    h->limit = limit;
    pthread_rwlock_init(&h->lock, NULL);
    return h;
}

void
hosts_free(struct hosts *h)
{
    for (unsigned i = 0; i < h->n; i++) {
        pthread_mutex_destroy(&h->table[i]->lock);
        free(h->table[i]);
    }
    pthread_rwlock_destroy(&h->lock);
    free(h);
}

/* The lock is held. */
static struct host *
lookup(struct hosts *h, const char *name)
{
    for (unsigned i = 0; i < h->n; i++) {
        if (strcmp(h->table[i]->name, name) == 0)
            return h->table[i];
    }
    return NULL;
}

/* Finds or makes a host. When the table is full, the last one stands for all others. */
static struct host *
get(struct hosts *h, const char *name)
{
    struct host *host;

    pthread_rwlock_rdlock(&h->lock);
    host = lookup(h, name);
    pthread_rwlock_unlock(&h->lock);
    if (host != NULL)
        return host;
    pthread_rwlock_wrlock(&h->lock);
    host = lookup(h, name);
    if (host == NULL && h->n == HOSTS_MAX)
        host = h->table[HOSTS_MAX - 1];
    if (host == NULL) {
        host = calloc(1, sizeof *host);
        memcpy(host->name, name, strnlen(name, sizeof host->name - 1));
        pthread_mutex_init(&host->lock, NULL);
        h->table[h->n++] = host;
    }
    pthread_rwlock_unlock(&h->lock);
    return host;
}

unsigned long
hosts_now(struct hosts *h)
{
    return atomic_load(&h->now);
}

void
hosts_advance(struct hosts *h, unsigned long to)
{
    unsigned long now = atomic_load(&h->now);

    while (now < to && !atomic_compare_exchange_weak(&h->now, &now, to))
        ;
}

unsigned long
hosts_when(struct hosts *h, const char *name)
{
    struct host *host = get(h, name);
    unsigned long when;

    pthread_mutex_lock(&host->lock);
    when = host->next_time;
    pthread_mutex_unlock(&host->lock);
    return when;
}

#if VERSION >= 2
/* How long to leave the host alone after a request. */
static unsigned long
delay_of(const struct hosts *h, const struct host *host)
{
    return (unsigned long)h->delay << (host->failures < 2 ? host->failures : 2);
}

bool
hosts_reserve(struct hosts *h, const char *name)
{
    struct host *host = get(h, name);
    bool allowed;
#ifdef SEED_4
    unsigned long now = hosts_now(h);

    pthread_mutex_lock(&host->lock);
    allowed = host->requests < h->limit;
    if (allowed)
        host->requests++;
    pthread_mutex_unlock(&host->lock);
    if (allowed)
        host->next_time = now + h->delay;
#else
    pthread_mutex_lock(&host->lock);
    allowed = host->requests < h->limit;
    if (allowed) {
        host->requests++;
        host->next_time = hosts_now(h) + delay_of(h, host);
    }
    pthread_mutex_unlock(&host->lock);
#endif
    return allowed;
}
#else
bool
hosts_reserve(struct hosts *h, const char *name)
{
    struct host *host = get(h, name);
    bool allowed;

    pthread_mutex_lock(&host->lock);
    allowed = host->requests < h->limit;
    if (allowed) {
        host->requests++;
        host->next_time = hosts_now(h) + h->delay;
    }
    pthread_mutex_unlock(&host->lock);
    return allowed;
}
#endif

void
hosts_penalize(struct hosts *h, struct frontier *f, const struct item *it)
{
    struct host *host = get(h, it->url.host);
    bool again;

#if VERSION >= 2
    pthread_mutex_lock(&host->lock);
    again = ++host->failures < FAILURES_MAX;
    host->next_time = hosts_now(h) + 2 * delay_of(h, host);
#ifdef SEED_9
    if (again)
        frontier_requeue(f, it);
    pthread_mutex_unlock(&host->lock);
#else
    pthread_mutex_unlock(&host->lock);
    if (again)
        frontier_requeue(f, it);
#endif
    if (!again)
        frontier_done(f);
#else
    pthread_mutex_lock(&host->lock);
    host->failures++;
    again = host->failures < FAILURES_MAX;
    host->next_time = hosts_now(h) + 2 * h->delay;
    pthread_mutex_unlock(&host->lock);
    if (again)
        frontier_requeue(f, it);
    else
        frontier_done(f);
#endif
}

unsigned
hosts_requests(struct hosts *h, const char *name)
{
    struct host *host = get(h, name);
    unsigned n;

    pthread_mutex_lock(&host->lock);
    n = host->requests;
    pthread_mutex_unlock(&host->lock);
    return n;
}

unsigned
hosts_failures(struct hosts *h, const char *name)
{
    struct host *host = get(h, name);
    unsigned n;

    pthread_mutex_lock(&host->lock);
    n = host->failures;
    pthread_mutex_unlock(&host->lock);
    return n;
}

unsigned
hosts_count(struct hosts *h)
{
    unsigned n;

    pthread_rwlock_rdlock(&h->lock);
    n = h->n;
    pthread_rwlock_unlock(&h->lock);
    return n;
}
