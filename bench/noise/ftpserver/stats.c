/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - the server's counts.
 *
 * The bug: counts are added without the lock, which is a data race; counts get lost. The twin
 * takes the lock.
 */
#include "ftp.h"

void
stats_init(struct stats *s)
{
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
}

void
stats_deinit(struct stats *s)
{
    pthread_mutex_destroy(&s->lock);
}

void
stats_add(struct stats *s, enum count which, unsigned long n)
{
    if (TWIN)
        pthread_mutex_lock(&s->lock);
    s->counts[which] += n;
    if (TWIN)
        pthread_mutex_unlock(&s->lock);
}

unsigned long
stats_get(struct stats *s, enum count which)
{
    unsigned long n;

    pthread_mutex_lock(&s->lock);
    n = s->counts[which];
    pthread_mutex_unlock(&s->lock);
    return n;
}
