/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application_statistic.h - execution times of an application, after ApplicationStatistic of eXo.
 *
 * Every function may be called by any thread at any time and is atomic, except
 * application_statistic_free, which needs exclusive use of the statistic. Times are milliseconds;
 * -1 stands for "no execution yet".
 */
#ifndef APPLICATION_STATISTIC_H
#define APPLICATION_STATISTIC_H

#include <stddef.h>

struct application_statistic;

/* The name is copied, cut to 31 characters. NULL if out of memory. */
struct application_statistic *application_statistic_new(const char *app_id)
    __attribute__((nonnull));
void application_statistic_free(struct application_statistic *s);
/* Copies the name and a terminator to `out`, cut to `size`; returns its whole length. */
int application_statistic_get_app_id(struct application_statistic *s, char *out, size_t size)
    __attribute__((nonnull));

/* Logs an execution. Zero, or -1 without effect if the time is negative. */
int application_statistic_log_time(struct application_statistic *s, int time)
    __attribute__((nonnull));
int application_statistic_max_time(struct application_statistic *s) __attribute__((nonnull));
int application_statistic_min_time(struct application_statistic *s) __attribute__((nonnull));
/* Over the last 100 executions. */
double application_statistic_average_time(struct application_statistic *s)
    __attribute__((nonnull));
long application_statistic_executions(struct application_statistic *s) __attribute__((nonnull));
/* The sum of the last 100 times. */
long long application_statistic_recent_time(struct application_statistic *s)
    __attribute__((nonnull));

#endif
