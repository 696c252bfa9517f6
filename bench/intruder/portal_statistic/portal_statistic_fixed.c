/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portal_statistic_fixed.c - the repaired twin; see portal_statistic.h.
 *
 * One mutex per statistic guards its fields. Each function has one critical section.
 */
#include "portal_statistic.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_NAME = 32 };

struct portal_statistic {
    pthread_mutex_t lock;
    char name[MAX_NAME]; /* constant */
    int max;
    int min;
    int views;
    int views_reported; /* by the last portal_statistic_throughput */
    long long sum;
};

struct portal_statistic *
portal_statistic_new(const char *name)
{
    struct portal_statistic *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    snprintf(p->name, sizeof p->name, "%s", name);
    p->max = -1;
    p->min = -1;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void
portal_statistic_free(struct portal_statistic *p)
{
    if (p == NULL)
        return;
    pthread_mutex_destroy(&p->lock);
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
    if (time < 0)
        return -1;
    pthread_mutex_lock(&p->lock);
    p->sum += time;
    if (time > p->max)
        p->max = time;
    if (p->min < 0 || time < p->min)
        p->min = time;
    p->views++;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static int
get(struct portal_statistic *p, const int *field)
{
    int value;

    pthread_mutex_lock(&p->lock);
    value = *field;
    pthread_mutex_unlock(&p->lock);
    return value;
}

int
portal_statistic_max_time(struct portal_statistic *p)
{
    return get(p, &p->max);
}

int
portal_statistic_min_time(struct portal_statistic *p)
{
    return get(p, &p->min);
}

double
portal_statistic_average_time(struct portal_statistic *p)
{
    double average;

    pthread_mutex_lock(&p->lock);
    average = p->views > 0 ? (double)p->sum / p->views : -1;
    pthread_mutex_unlock(&p->lock);
    return average;
}

int
portal_statistic_views(struct portal_statistic *p)
{
    return get(p, &p->views);
}

int
portal_statistic_throughput(struct portal_statistic *p)
{
    int recent;

    pthread_mutex_lock(&p->lock);
    recent = p->views - p->views_reported;
    p->views_reported = p->views;
    pthread_mutex_unlock(&p->lock);
    return recent;
}
