/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portal_statistic.h - request times of a portal, after PortalStatistic of eXo.
 *
 * Every function may be called by any thread at any time and is atomic, except
 * portal_statistic_free, which needs exclusive use of the statistic. Times are milliseconds, given
 * by the caller; -1 stands for "no request yet".
 */
#ifndef PORTAL_STATISTIC_H
#define PORTAL_STATISTIC_H

#include <stddef.h>

struct portal_statistic;

/* The name is copied, cut to 31 characters. NULL if out of memory. */
struct portal_statistic *portal_statistic_new(const char *name) __attribute__((nonnull));
void portal_statistic_free(struct portal_statistic *p);
/* Copies the name and a terminator to `out`, cut to `size`; returns its whole length. */
int portal_statistic_get_name(struct portal_statistic *p, char *out, size_t size)
    __attribute__((nonnull));

/* Logs a request. Zero, or -1 without effect if the time is negative. */
int portal_statistic_log_time(struct portal_statistic *p, int time) __attribute__((nonnull));
int portal_statistic_max_time(struct portal_statistic *p) __attribute__((nonnull));
int portal_statistic_min_time(struct portal_statistic *p) __attribute__((nonnull));
double portal_statistic_average_time(struct portal_statistic *p) __attribute__((nonnull));
int portal_statistic_views(struct portal_statistic *p) __attribute__((nonnull));
/* The number of requests since the previous call of this function. */
int portal_statistic_throughput(struct portal_statistic *p) __attribute__((nonnull));

#endif
