/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xyseries_fixed.c - a thread-safe series of points, in order of x or of their arrival.
 *
 * An array behind one mutex. A sorted series finds points by binary search, the other kind by
 * looking at all of them. The array grows as needed; only clearing gives it back.
 */
#include "xyseries.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- with the lock held -------------------------------------------------------------------- */

/* The index of the first point of a sorted series whose x is not less (greater, if after). */
static int
bound_locked(const struct xyseries *s, double x, bool after)
{
    int low = 0;
    int high = s->count;

    while (low < high) {
        const int mid = low + (high - low) / 2;

        if (s->points[mid].x < x || (after && s->points[mid].x == x))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* -ENOENT when there is no point of this x. */
static int
find_locked(const struct xyseries *s, double x)
{
    int i = 0;

    if (s->sorted)
        i = bound_locked(s, x, false);
    else
        while (i < s->count && s->points[i].x != x)
            i++;
    return i < s->count && s->points[i].x == x ? i : -ENOENT;
}

/* Closes the gap of n points at index i. */
static void
cut_locked(struct xyseries *s, int i, int n)
{
    if (n == 0)
        return;
    memmove(&s->points[i], &s->points[i + n], (size_t)(s->count - i - n) * sizeof *s->points);
    s->count -= n;
}

static int
reserve_locked(struct xyseries *s, int n)
{
    struct xyseries_point *points;
    const int capacity = s->capacity > 0 ? s->capacity * 2 : 4;

    if (n > XYSERIES_MAX_POINTS)
        return -ENOSPC;
    if (n <= s->capacity)
        return 0;
    points = realloc(s->points, (size_t)capacity * sizeof *points);
    if (points == NULL)
        return -ENOMEM;
    s->points = points;
    s->capacity = capacity;
    return 0;
}

/* A new point, behind those of the same x; the first ones leave when there are too many. */
static int
insert_locked(struct xyseries *s, double x, double y)
{
    const int i = s->sorted ? bound_locked(s, x, true) : s->count;
    const int rc = reserve_locked(s, s->count + 1);

    if (rc != 0)
        return rc;
    memmove(&s->points[i + 1], &s->points[i], (size_t)(s->count - i) * sizeof *s->points);
    s->points[i] = (struct xyseries_point){ .x = x, .y = y };
    s->count++;
    if (s->count > s->max_count)
        cut_locked(s, 0, s->count - s->max_count);
    return 0;
}

/* ---- making and freeing -------------------------------------------------------------------- */

int
xyseries_init(struct xyseries *s, bool sorted, bool duplicates)
{
    memset(s, 0, sizeof *s);
    s->sorted = sorted;
    s->duplicates = duplicates;
    s->max_count = XYSERIES_MAX_POINTS;
    pthread_mutex_init(&s->lock, NULL);
    return 0;
}

void
xyseries_destroy(struct xyseries *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->points);
    s->points = NULL;
}

/* Both are set once, before any other thread knows the series. */
bool
xyseries_is_sorted(struct xyseries *s)
{
    return s->sorted;
}

bool
xyseries_allows_duplicates(struct xyseries *s)
{
    return s->duplicates;
}

/* ---- changing ------------------------------------------------------------------------------ */

int
xyseries_add(struct xyseries *s, double x, double y)
{
    int rc = -EEXIST;

    if (!isfinite(x) || !isfinite(y))
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    if (s->duplicates || find_locked(s, x) < 0)
        rc = insert_locked(s, x, y);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_add_or_update(struct xyseries *s, double x, double y, double *old)
{
    int i;
    int rc = 0;

    if (!isfinite(x) || !isfinite(y))
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    i = find_locked(s, x);
    if (i >= 0) {
        *old = s->points[i].y;
        s->points[i].y = y;
    } else {
        rc = insert_locked(s, x, y);
        rc = rc == 0 ? 1 : rc;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_set_y(struct xyseries *s, int i, double y)
{
    int rc = -ERANGE;

    if (!isfinite(y))
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    if (i >= 0 && i < s->count) {
        s->points[i].y = y;
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_update(struct xyseries *s, double x, double y)
{
    int i;

    if (!isfinite(x) || !isfinite(y))
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    i = find_locked(s, x);
    if (i >= 0)
        s->points[i].y = y;
    pthread_mutex_unlock(&s->lock);
    return i >= 0 ? 0 : -ENOENT;
}

int
xyseries_remove_at(struct xyseries *s, int i)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&s->lock);
    if (i >= 0 && i < s->count) {
        cut_locked(s, i, 1);
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_remove(struct xyseries *s, double x, double *y)
{
    int i;

    pthread_mutex_lock(&s->lock);
    i = find_locked(s, x);
    if (i >= 0) {
        *y = s->points[i].y;
        cut_locked(s, i, 1);
    }
    pthread_mutex_unlock(&s->lock);
    return i >= 0 ? 0 : -ENOENT;
}

int
xyseries_delete_range(struct xyseries *s, int start, int end)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&s->lock);
    if (start >= 0 && start <= end && end <= s->count) {
        cut_locked(s, start, end - start);
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_clear(struct xyseries *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->count;
    free(s->points);
    s->points = NULL;
    s->count = 0;
    s->capacity = 0;
    pthread_mutex_unlock(&s->lock);
    return n;
}

int
xyseries_shift_y(struct xyseries *s, double dy)
{
    if (!isfinite(dy))
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->count; i++)
        s->points[i].y += dy;
    pthread_mutex_unlock(&s->lock);
    return 0;
}

int
xyseries_set_max_count(struct xyseries *s, int n)
{
    if (n < 1 || n > XYSERIES_MAX_POINTS)
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    s->max_count = n;
    if (s->count > n)
        cut_locked(s, 0, s->count - n);
    pthread_mutex_unlock(&s->lock);
    return 0;
}

int
xyseries_get_max_count(struct xyseries *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->max_count;
    pthread_mutex_unlock(&s->lock);
    return n;
}

/* ---- asking -------------------------------------------------------------------------------- */

int
xyseries_count(struct xyseries *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->count;
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool
xyseries_is_empty(struct xyseries *s)
{
    return xyseries_count(s) == 0;
}

int
xyseries_get_x(struct xyseries *s, int i, double *x)
{
    struct xyseries_point point;
    const int rc = xyseries_get_point(s, i, &point);

    if (rc == 0)
        *x = point.x;
    return rc;
}

int
xyseries_get_y(struct xyseries *s, int i, double *y)
{
    struct xyseries_point point;
    const int rc = xyseries_get_point(s, i, &point);

    if (rc == 0)
        *y = point.y;
    return rc;
}

int
xyseries_get_point(struct xyseries *s, int i, struct xyseries_point *point)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&s->lock);
    if (i >= 0 && i < s->count) {
        *point = s->points[i];
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_index_of(struct xyseries *s, double x)
{
    int i;

    pthread_mutex_lock(&s->lock);
    i = find_locked(s, x);
    pthread_mutex_unlock(&s->lock);
    return i;
}

int
xyseries_x_range(struct xyseries *s, double *low, double *high)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->count;
    for (int i = 0; i < n; i++) {
        const double x = s->points[i].x;

        *low = i == 0 || x < *low ? x : *low;
        *high = i == 0 || x > *high ? x : *high;
    }
    pthread_mutex_unlock(&s->lock);
    return n > 0 ? 0 : -ENOENT;
}

int
xyseries_y_range(struct xyseries *s, double *low, double *high)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->count;
    for (int i = 0; i < n; i++) {
        const double y = s->points[i].y;

        *low = i == 0 || y < *low ? y : *low;
        *high = i == 0 || y > *high ? y : *high;
    }
    pthread_mutex_unlock(&s->lock);
    return n > 0 ? 0 : -ENOENT;
}

int
xyseries_interpolate(struct xyseries *s, double x, double *y)
{
    int i;
    int rc = -ENOENT;

    if (!s->sorted)
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    i = bound_locked(s, x, false);
    if (i < s->count && s->points[i].x == x) {
        *y = s->points[i].y;
        rc = 0;
    } else if (i > 0 && i < s->count) {
        const struct xyseries_point *p = &s->points[i - 1];

        *y = p[0].y + (p[1].y - p[0].y) * (x - p[0].x) / (p[1].x - p[0].x);
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int
xyseries_copy(struct xyseries *s, struct xyseries_point *points, size_t cap)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->count;
    for (int i = 0; i < n && (size_t)i < cap; i++)
        points[i] = s->points[i];
    pthread_mutex_unlock(&s->lock);
    return n;
}
