/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - what a crawl did, summed up over its workers.
 *
 * Version 2 has a function that adds counters, for more callers to come.
 */
#include <stdlib.h>

#include "crawler.h"

struct stats {
    pthread_mutex_t lock;
    struct counters total;
    unsigned flushes;
};

struct stats *
stats_new(void)
{
    struct stats *s = calloc(1, sizeof *s);

    if (s != NULL)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
stats_free(struct stats *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}

#if VERSION >= 2
static void
stats_merge(struct stats *s, const struct counters *own)
{
#ifndef SEED_2
    pthread_mutex_lock(&s->lock);
#endif
    s->total.fetched += own->fetched;
    s->total.missing += own->missing;
    s->total.retried += own->retried;
    s->total.refused += own->refused;
    s->total.links += own->links;
#ifndef SEED_2
    pthread_mutex_unlock(&s->lock);
#endif
}

void
stats_flush(struct stats *s, const struct counters *own)
{
    stats_merge(s, own);
    pthread_mutex_lock(&s->lock);
    s->flushes++;
    pthread_mutex_unlock(&s->lock);
}
#else
void
stats_flush(struct stats *s, const struct counters *own)
{
    pthread_mutex_lock(&s->lock);
    s->total.fetched += own->fetched;
    s->total.missing += own->missing;
    s->total.retried += own->retried;
    s->total.refused += own->refused;
    s->total.links += own->links;
    s->flushes++;
    pthread_mutex_unlock(&s->lock);
}
#endif

void
stats_get(struct stats *s, struct counters *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->total;
    pthread_mutex_unlock(&s->lock);
}
