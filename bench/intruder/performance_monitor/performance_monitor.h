/* SPDX-License-Identifier: Apache-2.0 */
/*
 * performance_monitor.h - counts work and reports its rate, after PerformanceMonitor of OpenNLP.
 *
 * The caller gives the time in milliseconds, and calls performance_monitor_print where the original
 * has a timer thread. Reports are kept in the monitor; it prints nothing.
 *
 * Every function may be called by any thread at any time and is atomic, except
 * performance_monitor_free, which needs exclusive use of the monitor.
 */
#ifndef PERFORMANCE_MONITOR_H
#define PERFORMANCE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

struct performance_monitor;

enum performance_monitor_error {
    PERFORMANCE_MONITOR_ESTATE = -1, /* started already, or not started */
    PERFORMANCE_MONITOR_EINVAL = -2  /* a negative time or increment */
};

/* The unit is copied, cut to 15 characters. NULL if out of memory. */
struct performance_monitor *performance_monitor_new(const char *unit) __attribute__((nonnull));
void performance_monitor_free(struct performance_monitor *m);

bool performance_monitor_is_started(struct performance_monitor *m) __attribute__((nonnull));
/* Zero or an error. */
int performance_monitor_start(struct performance_monitor *m, int now) __attribute__((nonnull));
/* Starts, and lets performance_monitor_print write reports. */
int performance_monitor_start_and_print(struct performance_monitor *m, int now)
    __attribute__((nonnull));
/* Zero or an error. */
int performance_monitor_increment(struct performance_monitor *m) __attribute__((nonnull));
int performance_monitor_increment_by(struct performance_monitor *m, int n) __attribute__((nonnull));
int performance_monitor_counter(struct performance_monitor *m) __attribute__((nonnull));
/* Units per second since the start; zero if not started. */
double performance_monitor_rate(struct performance_monitor *m, int now) __attribute__((nonnull));
/* Reports the throughput since the last report. Zero or an error. */
int performance_monitor_print(struct performance_monitor *m, int now) __attribute__((nonnull));
/* Reports the average rate and stops. Zero or an error. */
int performance_monitor_end_and_print(struct performance_monitor *m, int now)
    __attribute__((nonnull));
/* The number of reports. */
int performance_monitor_reports(struct performance_monitor *m) __attribute__((nonnull));
/* Copies the last report and a terminator to `out`, cut to `size`; returns its whole length. */
int performance_monitor_last_report(struct performance_monitor *m, char *out, size_t size)
    __attribute__((nonnull));

#endif
