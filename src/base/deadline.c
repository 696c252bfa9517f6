/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/deadline.c - see deadline.h.
 *
 * Runs in the host.
 */
#include "base/deadline.h"

#include "base/proc.h"

/* Of the time that was given, the part after it in which confirming may go on, and at least. */
#define LATE_PART 10u
#define LATE_LEAST_MS 100u

struct burl_deadline
burl_deadline_in(int64_t start_ms, uint64_t time_ms)
{
    const uint64_t late = time_ms / LATE_PART > LATE_LEAST_MS ? time_ms / LATE_PART : LATE_LEAST_MS;
    struct burl_deadline d = { 0 };

    if (time_ms == 0 || time_ms > (uint64_t)INT64_MAX / 4)
        return d;
    d.at_ms = start_ms + (int64_t)time_ms;
    d.limit_ms = d.at_ms + (int64_t)late;
    return d;
}

struct burl_deadline
burl_deadline_first(struct burl_deadline a, struct burl_deadline b)
{
    if (a.at_ms == 0)
        return b;
    return b.at_ms == 0 || a.limit_ms <= b.limit_ms ? a : b;
}

static int64_t
left_until(int64_t ms)
{
    const int64_t now = burl_now_ms();

    if (ms == 0)
        return INT64_MAX;
    return ms > now ? ms - now : 0;
}

int64_t
burl_deadline_left_ms(const struct burl_deadline *d)
{
    return left_until(d->at_ms);
}

int64_t
burl_deadline_limit_left_ms(const struct burl_deadline *d)
{
    return left_until(d->limit_ms);
}

bool
burl_deadline_is_over(const struct burl_deadline *d)
{
    return burl_deadline_left_ms(d) == 0;
}

bool
burl_deadline_is_past_limit(const struct burl_deadline *d)
{
    return burl_deadline_limit_left_ms(d) == 0;
}
