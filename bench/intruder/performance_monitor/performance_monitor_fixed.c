/* SPDX-License-Identifier: Apache-2.0 */
/*
 * performance_monitor_fixed.c - the repaired twin; see performance_monitor.h.
 *
 * One mutex per monitor guards its fields. Each function has one critical section. Functions named
 * *_locked expect the caller to hold the mutex.
 */
#include "performance_monitor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOT_STARTED = -1, MAX_UNIT = 16, MAX_REPORT = 96 };

struct performance_monitor {
    pthread_mutex_t lock;
    char unit[MAX_UNIT]; /* constant */
    int start_time;
    unsigned counter;
    bool printing;
    int last_time;         /* of the last throughput report */
    unsigned last_counter; /* at the last throughput report */
    char report[MAX_REPORT];
    int n_reports;
};

static double
per_second(unsigned n, long long milliseconds)
{
    return milliseconds > 0 ? n * 1000.0 / (double)milliseconds : 0;
}

static void
add_report_locked(struct performance_monitor *m, const char *what, double rate, unsigned total)
{
    snprintf(m->report, sizeof m->report, "%s: %.1f %s/s, total %u", what, rate, m->unit, total);
    m->n_reports++;
}

static bool
is_started_locked(const struct performance_monitor *m)
{
    return m->start_time != NOT_STARTED;
}

static double
rate_locked(const struct performance_monitor *m, int now)
{
    return is_started_locked(m) ? per_second(m->counter, (long long)now - m->start_time) : 0;
}

struct performance_monitor *
performance_monitor_new(const char *unit)
{
    struct performance_monitor *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    snprintf(m->unit, sizeof m->unit, "%s", unit);
    m->start_time = NOT_STARTED;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void
performance_monitor_free(struct performance_monitor *m)
{
    if (m == NULL)
        return;
    pthread_mutex_destroy(&m->lock);
    free(m);
}

bool
performance_monitor_is_started(struct performance_monitor *m)
{
    bool started;

    pthread_mutex_lock(&m->lock);
    started = is_started_locked(m);
    pthread_mutex_unlock(&m->lock);
    return started;
}

static int
start(struct performance_monitor *m, int now, bool printing)
{
    int error = PERFORMANCE_MONITOR_ESTATE;

    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    pthread_mutex_lock(&m->lock);
    if (!is_started_locked(m)) {
        m->start_time = now;
        if (printing) {
            m->last_time = now;
            m->last_counter = m->counter;
            m->printing = true;
        }
        error = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return error;
}

int
performance_monitor_start(struct performance_monitor *m, int now)
{
    return start(m, now, false);
}

int
performance_monitor_start_and_print(struct performance_monitor *m, int now)
{
    return start(m, now, true);
}

int
performance_monitor_increment(struct performance_monitor *m)
{
    return performance_monitor_increment_by(m, 1);
}

int
performance_monitor_increment_by(struct performance_monitor *m, int n)
{
    int error = 0;

    pthread_mutex_lock(&m->lock);
    if (!is_started_locked(m))
        error = PERFORMANCE_MONITOR_ESTATE;
    else if (n < 0)
        error = PERFORMANCE_MONITOR_EINVAL;
    else
        m->counter += (unsigned)n;
    pthread_mutex_unlock(&m->lock);
    return error;
}

int
performance_monitor_counter(struct performance_monitor *m)
{
    int counter;

    pthread_mutex_lock(&m->lock);
    counter = (int)(m->counter & 0x7fffffff);
    pthread_mutex_unlock(&m->lock);
    return counter;
}

double
performance_monitor_rate(struct performance_monitor *m, int now)
{
    double rate;

    pthread_mutex_lock(&m->lock);
    rate = rate_locked(m, now);
    pthread_mutex_unlock(&m->lock);
    return rate;
}

int
performance_monitor_print(struct performance_monitor *m, int now)
{
    int error = PERFORMANCE_MONITOR_ESTATE;

    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    pthread_mutex_lock(&m->lock);
    if (is_started_locked(m) && m->printing) {
        unsigned done = m->counter - m->last_counter;
        long long elapsed = (long long)now - m->last_time;

        add_report_locked(m, "current", per_second(done, elapsed), m->counter);
        m->last_time = now;
        m->last_counter = m->counter;
        error = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return error;
}

int
performance_monitor_end_and_print(struct performance_monitor *m, int now)
{
    int error = PERFORMANCE_MONITOR_ESTATE;

    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    pthread_mutex_lock(&m->lock);
    if (is_started_locked(m)) {
        m->printing = false;
        add_report_locked(m, "average", rate_locked(m, now), m->counter);
        m->start_time = NOT_STARTED;
        error = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return error;
}

int
performance_monitor_reports(struct performance_monitor *m)
{
    int n;

    pthread_mutex_lock(&m->lock);
    n = m->n_reports;
    pthread_mutex_unlock(&m->lock);
    return n;
}

int
performance_monitor_last_report(struct performance_monitor *m, char *out, size_t size)
{
    int length;

    pthread_mutex_lock(&m->lock);
    length = snprintf(out, size, "%s", m->report);
    pthread_mutex_unlock(&m->lock);
    return length;
}
