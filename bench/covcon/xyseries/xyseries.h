/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xyseries.h - a thread-safe series of points, in order of x or of their arrival.
 *
 * The caller owns the struct and looks at it through the functions only. Between xyseries_init()
 * and xyseries_destroy() all of them may be called from any thread at any time; each takes effect
 * at once. x and y must be finite: other values are refused with -EINVAL.
 */
#ifndef XYSERIES_H
#define XYSERIES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The most points of any series. */
#define XYSERIES_MAX_POINTS 4096

struct xyseries_point {
    double x;
    double y;
};

struct xyseries {
    pthread_mutex_t lock; /* of everything below */
    struct xyseries_point *points;
    int count;
    int capacity;
    int max_count;
    bool sorted;
    bool duplicates;
};

/* sorted: in order of x; duplicates: points of the same x are allowed. 0. */
int xyseries_init(struct xyseries *s, bool sorted, bool duplicates) __attribute__((nonnull));

/* Gives the points back; no other thread may still use the series. */
void xyseries_destroy(struct xyseries *s) __attribute__((nonnull));

bool xyseries_is_sorted(struct xyseries *s) __attribute__((nonnull));
bool xyseries_allows_duplicates(struct xyseries *s) __attribute__((nonnull));

/* ---- changing ---- */

/* 0, -EEXIST when the x is there and may not be twice, -EINVAL, -ENOSPC, -ENOMEM. */
int xyseries_add(struct xyseries *s, double x, double y) __attribute__((nonnull));

/* A new point, or a new y for the first of this x: 1, 0 (the y before to *old), or as above. */
int xyseries_add_or_update(struct xyseries *s, double x, double y, double *old)
    __attribute__((nonnull));

/* A new y for point i, or for the first of this x: 0, -ERANGE or -ENOENT, -EINVAL. */
int xyseries_set_y(struct xyseries *s, int i, double y) __attribute__((nonnull));
int xyseries_update(struct xyseries *s, double x, double y) __attribute__((nonnull));

/* Removes point i: 0 or -ERANGE. */
int xyseries_remove_at(struct xyseries *s, int i) __attribute__((nonnull));

/* Removes the first point of this x: 0 (its y to *y) or -ENOENT. */
int xyseries_remove(struct xyseries *s, double x, double *y) __attribute__((nonnull));

/* Removes the points from start to end - 1: 0 or -ERANGE. */
int xyseries_delete_range(struct xyseries *s, int start, int end) __attribute__((nonnull));

/* Removes all points and gives their memory back; how many there were. */
int xyseries_clear(struct xyseries *s) __attribute__((nonnull));

/* Adds dy to all y. */
int xyseries_shift_y(struct xyseries *s, double dy) __attribute__((nonnull));

/* Keeps at most n points, the last ones; 1 to XYSERIES_MAX_POINTS: 0 or -EINVAL. */
int xyseries_set_max_count(struct xyseries *s, int n) __attribute__((nonnull));
int xyseries_get_max_count(struct xyseries *s) __attribute__((nonnull));

/* ---- asking ---- */

int xyseries_count(struct xyseries *s) __attribute__((nonnull));
bool xyseries_is_empty(struct xyseries *s) __attribute__((nonnull));

/* Of point i: 0 or -ERANGE. */
int xyseries_get_x(struct xyseries *s, int i, double *x) __attribute__((nonnull));
int xyseries_get_y(struct xyseries *s, int i, double *y) __attribute__((nonnull));
int xyseries_get_point(struct xyseries *s, int i, struct xyseries_point *point)
    __attribute__((nonnull));

/* The index of the first point of this x, or -ENOENT. */
int xyseries_index_of(struct xyseries *s, double x) __attribute__((nonnull));

/* The smallest and the largest of all x (y): 0 or -ENOENT when there is no point. */
int xyseries_x_range(struct xyseries *s, double *low, double *high) __attribute__((nonnull));
int xyseries_y_range(struct xyseries *s, double *low, double *high) __attribute__((nonnull));

/* The y of the line through the points at x: 0, -ENOENT outside of them, -EINVAL if not sorted. */
int xyseries_interpolate(struct xyseries *s, double x, double *y) __attribute__((nonnull));

/* Copies up to cap points; how many there are in the series. */
int xyseries_copy(struct xyseries *s, struct xyseries_point *points, size_t cap)
    __attribute__((nonnull));

#endif
