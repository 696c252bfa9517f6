/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - counters of events. Each thread has a stripe of its own, so that recording needs no
 * lock; counters by level are atomic; the peak has a lock.
 *
 * Version 2 spreads the threads over the stripes and reads the peak before it locks.
 */
#include <stdlib.h>

#include "logger.h"

#define STRIPES 16

struct stripe {
    unsigned long events;
    unsigned long bytes;
};

struct stats {
    struct stripe stripes[STRIPES];
    _Atomic unsigned by_level[N_LEVELS];
    pthread_mutex_t lock; /* for changes of peak */
    _Atomic size_t peak;
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

static void
raise_peak(struct stats *s, size_t bytes)
{
#if VERSION >= 2
    if (atomic_load_explicit(&s->peak, memory_order_relaxed) >= bytes)
        return;
#endif
    pthread_mutex_lock(&s->lock);
    if (atomic_load_explicit(&s->peak, memory_order_relaxed) < bytes)
        atomic_store_explicit(&s->peak, bytes, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
}

void
stats_record(struct stats *s, enum level level, size_t bytes)
{
    unsigned id = context_thread();
#if VERSION >= 2
#ifdef SEED_7
    unsigned index = id * 16 % STRIPES;
#else
    unsigned index = id * 5 % STRIPES;
#endif
#else
    unsigned index = id % STRIPES;
#endif

    s->stripes[index].events++;
    s->stripes[index].bytes += bytes;
    atomic_fetch_add_explicit(&s->by_level[level], 1, memory_order_relaxed);
    raise_peak(s, bytes);
}

unsigned
stats_level(struct stats *s, enum level level)
{
    return atomic_load_explicit(&s->by_level[level], memory_order_relaxed);
}

size_t
stats_peak(struct stats *s)
{
    return atomic_load_explicit(&s->peak, memory_order_relaxed);
}

unsigned long
stats_events(struct stats *s)
{
    unsigned long sum = 0;

    for (int i = 0; i < STRIPES; i++)
        sum += s->stripes[i].events;
    return sum;
}

unsigned long
stats_bytes(struct stats *s)
{
    unsigned long sum = 0;

    for (int i = 0; i < STRIPES; i++)
        sum += s->stripes[i].bytes;
    return sum;
}
