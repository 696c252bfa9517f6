/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application_statistic.c - see application_statistic.h.
 *
 * One mutex per statistic guards its fields. The original has a concurrent queue and volatile
 * fields instead: each of them is consistent on its own.
 */
#include "application_statistic.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 100, MAX_NAME = 32 };

struct application_statistic {
    pthread_mutex_t lock;
    char app_id[MAX_NAME]; /* constant */
    int times[WINDOW];     /* a ring of the last times */
    int next;              /* where the next time goes */
    int n_times;
    int max;
    int min;
    long executions;
};

struct application_statistic *
application_statistic_new(const char *app_id)
{
    struct application_statistic *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    snprintf(s->app_id, sizeof s->app_id, "%s", app_id);
    s->max = -1;
    s->min = -1;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
application_statistic_free(struct application_statistic *s)
{
    if (s == NULL)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int
application_statistic_get_app_id(struct application_statistic *s, char *out, size_t size)
{
    return snprintf(out, size, "%s", s->app_id);
}

static int
get(struct application_statistic *s, const int *field)
{
    int value;

    pthread_mutex_lock(&s->lock);
    value = *field;
    pthread_mutex_unlock(&s->lock);
    return value;
}

static void
set(struct application_statistic *s, int *field, int value)
{
    pthread_mutex_lock(&s->lock);
    *field = value;
    pthread_mutex_unlock(&s->lock);
}

static void
offer_locked(struct application_statistic *s, int time)
{
    s->times[s->next] = time;
    s->next = (s->next + 1) % WINDOW;
    if (s->n_times < WINDOW)
        s->n_times++;
}

static long long
sum_locked(const struct application_statistic *s)
{
    long long sum = 0;

    for (int i = 0; i < s->n_times; i++)
        sum += s->times[i];
    return sum;
}

int
application_statistic_log_time(struct application_statistic *s, int time)
{
    int min;

    if (time < 0)
        return -1;
    pthread_mutex_lock(&s->lock);
    offer_locked(s, time);
    s->executions++;
    pthread_mutex_unlock(&s->lock);
    if (time > get(s, &s->max))
        set(s, &s->max, time);
    min = get(s, &s->min);
    if (min < 0 || time < min)
        set(s, &s->min, time);
    return 0;
}

int
application_statistic_max_time(struct application_statistic *s)
{
    return get(s, &s->max);
}

int
application_statistic_min_time(struct application_statistic *s)
{
    return get(s, &s->min);
}

double
application_statistic_average_time(struct application_statistic *s)
{
    long long sum = application_statistic_recent_time(s);
    int n = get(s, &s->n_times);

    return n > 0 ? (double)sum / n : -1;
}

long
application_statistic_executions(struct application_statistic *s)
{
    long executions;

    pthread_mutex_lock(&s->lock);
    executions = s->executions;
    pthread_mutex_unlock(&s->lock);
    return executions;
}

long long
application_statistic_recent_time(struct application_statistic *s)
{
    long long sum;

    pthread_mutex_lock(&s->lock);
    sum = sum_locked(s);
    pthread_mutex_unlock(&s->lock);
    return sum;
}
