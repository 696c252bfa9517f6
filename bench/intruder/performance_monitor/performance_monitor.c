/* SPDX-License-Identifier: Apache-2.0 */
/*
 * performance_monitor.c - see performance_monitor.h.
 *
 * The state is in atomic variables, as the volatile fields of the original are. The reports have a
 * mutex, as a Java PrintStream has.
 */
#include "performance_monitor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOT_STARTED = -1, MAX_UNIT = 16, MAX_REPORT = 96 };

struct performance_monitor {
    char unit[MAX_UNIT]; /* constant */
    atomic_int start_time;
    atomic_uint counter;
    atomic_bool printing;
    atomic_int last_time;     /* of the last throughput report */
    atomic_uint last_counter; /* at the last throughput report */
    pthread_mutex_t report_lock;
    char report[MAX_REPORT]; /* guarded by report_lock, as n_reports */
    int n_reports;
};

static double
per_second(unsigned n, long long milliseconds)
{
    return milliseconds > 0 ? n * 1000.0 / (double)milliseconds : 0;
}

static void
add_report(struct performance_monitor *m, const char *what, double rate, unsigned total)
{
    pthread_mutex_lock(&m->report_lock);
    snprintf(m->report, sizeof m->report, "%s: %.1f %s/s, total %u", what, rate, m->unit, total);
    m->n_reports++;
    pthread_mutex_unlock(&m->report_lock);
}

struct performance_monitor *
performance_monitor_new(const char *unit)
{
    struct performance_monitor *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    snprintf(m->unit, sizeof m->unit, "%s", unit);
    atomic_init(&m->start_time, NOT_STARTED);
    atomic_init(&m->counter, 0);
    atomic_init(&m->printing, false);
    atomic_init(&m->last_time, 0);
    atomic_init(&m->last_counter, 0);
    pthread_mutex_init(&m->report_lock, NULL);
    return m;
}

void
performance_monitor_free(struct performance_monitor *m)
{
    if (m == NULL)
        return;
    pthread_mutex_destroy(&m->report_lock);
    free(m);
}

bool
performance_monitor_is_started(struct performance_monitor *m)
{
    return atomic_load(&m->start_time) != NOT_STARTED;
}

int
performance_monitor_start(struct performance_monitor *m, int now)
{
    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    if (performance_monitor_is_started(m))
        return PERFORMANCE_MONITOR_ESTATE;
    atomic_store(&m->start_time, now);
    return 0;
}

int
performance_monitor_start_and_print(struct performance_monitor *m, int now)
{
    int error = performance_monitor_start(m, now);

    if (error != 0)
        return error;
    atomic_store(&m->last_time, now);
    atomic_store(&m->last_counter, atomic_load(&m->counter));
    atomic_store(&m->printing, true);
    return 0;
}

int
performance_monitor_increment(struct performance_monitor *m)
{
    return performance_monitor_increment_by(m, 1);
}

int
performance_monitor_increment_by(struct performance_monitor *m, int n)
{
    if (!performance_monitor_is_started(m))
        return PERFORMANCE_MONITOR_ESTATE;
    if (n < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    /* "counter += n" of a volatile field in Java: a load and a store. */
    atomic_store(&m->counter, atomic_load(&m->counter) + (unsigned)n);
    return 0;
}

int
performance_monitor_counter(struct performance_monitor *m)
{
    return (int)(atomic_load(&m->counter) & 0x7fffffff);
}

double
performance_monitor_rate(struct performance_monitor *m, int now)
{
    long long start = atomic_load(&m->start_time);

    return start != NOT_STARTED ? per_second(atomic_load(&m->counter), now - start) : 0;
}

int
performance_monitor_print(struct performance_monitor *m, int now)
{
    long long elapsed;
    unsigned counter;
    unsigned done;

    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    if (!performance_monitor_is_started(m) || !atomic_load(&m->printing))
        return PERFORMANCE_MONITOR_ESTATE;
    counter = atomic_load(&m->counter);
    done = counter - atomic_load(&m->last_counter);
    elapsed = (long long)now - atomic_load(&m->last_time);
    add_report(m, "current", per_second(done, elapsed), counter);
    atomic_store(&m->last_time, now);
    atomic_store(&m->last_counter, counter);
    return 0;
}

int
performance_monitor_end_and_print(struct performance_monitor *m, int now)
{
    double average;

    if (now < 0)
        return PERFORMANCE_MONITOR_EINVAL;
    if (!performance_monitor_is_started(m))
        return PERFORMANCE_MONITOR_ESTATE;
    atomic_store(&m->printing, false);
    average = performance_monitor_rate(m, now);
    add_report(m, "average", average, atomic_load(&m->counter));
    atomic_store(&m->start_time, NOT_STARTED);
    return 0;
}

int
performance_monitor_reports(struct performance_monitor *m)
{
    int n;

    pthread_mutex_lock(&m->report_lock);
    n = m->n_reports;
    pthread_mutex_unlock(&m->report_lock);
    return n;
}

int
performance_monitor_last_report(struct performance_monitor *m, char *out, size_t size)
{
    int length;

    pthread_mutex_lock(&m->report_lock);
    length = snprintf(out, size, "%s", m->report);
    pthread_mutex_unlock(&m->report_lock);
    return length;
}
