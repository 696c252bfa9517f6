/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portal_statistic.c - see portal_statistic.h.
 *
 * All mutable fields are atomic, as the volatile fields and atomic counters of the original are.
 */
#include "portal_statistic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_NAME = 32 };

struct portal_statistic {
    char name[MAX_NAME]; /* constant */
    atomic_int max;
    atomic_int min;
    atomic_int views;
    atomic_int views_reported; /* by the last portal_statistic_throughput */
    atomic_llong sum;
};

struct portal_statistic *
portal_statistic_new(const char *name)
{
    struct portal_statistic *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    snprintf(p->name, sizeof p->name, "%s", name);
    atomic_init(&p->max, -1);
    atomic_init(&p->min, -1);
    atomic_init(&p->views, 0);
    atomic_init(&p->views_reported, 0);
    atomic_init(&p->sum, 0);
    return p;
}

void
portal_statistic_free(struct portal_statistic *p)
{
    free(p);
}

int
portal_statistic_get_name(struct portal_statistic *p, char *out, size_t size)
{
    return snprintf(out, size, "%s", p->name);
}

int
portal_statistic_log_time(struct portal_statistic *p, int time)
{
    int min;

    if (time < 0)
        return -1;
    atomic_fetch_add(&p->sum, time);
    if (time > atomic_load(&p->max))
        atomic_store(&p->max, time);
    min = atomic_load(&p->min);
    if (min < 0 || time < min)
        atomic_store(&p->min, time);
    atomic_fetch_add(&p->views, 1);
    return 0;
}

int
portal_statistic_max_time(struct portal_statistic *p)
{
    return atomic_load(&p->max);
}

int
portal_statistic_min_time(struct portal_statistic *p)
{
    return atomic_load(&p->min);
}

double
portal_statistic_average_time(struct portal_statistic *p)
{
    long long sum = atomic_load(&p->sum);
    int views = atomic_load(&p->views);

    return views > 0 ? (double)sum / views : -1;
}

int
portal_statistic_views(struct portal_statistic *p)
{
    return atomic_load(&p->views);
}

int
portal_statistic_throughput(struct portal_statistic *p)
{
    int views = atomic_load(&p->views);
    int recent = views - atomic_load(&p->views_reported);

    atomic_store(&p->views_reported, views);
    return recent;
}
