/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/deadline.h - the end of a command with --time, as one value for all that it does.
 *
 * Two moments: nothing new begins after `at_ms`; what was seen until then may be confirmed until
 * `limit_ms`, at which the last process of the program is killed. The rest of the 20 percent that
 * a command may exceed its time by is for reports.
 */
#ifndef BURL_BASE_DEADLINE_H
#define BURL_BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Of burl_now_ms(). Zero is no deadline. */
struct burl_deadline {
    int64_t at_ms;
    int64_t limit_ms;
};

/* The deadline of what began at start_ms and may take time_ms; 0: none. */
struct burl_deadline burl_deadline_in(int64_t start_ms, uint64_t time_ms);
/* The earlier of two. */
struct burl_deadline burl_deadline_first(struct burl_deadline a, struct burl_deadline b);
bool burl_deadline_is_over(const struct burl_deadline *d);
bool burl_deadline_is_past_limit(const struct burl_deadline *d);
/* Until the deadline, until the limit; never negative, INT64_MAX: there is none. */
int64_t burl_deadline_left_ms(const struct burl_deadline *d);
int64_t burl_deadline_limit_left_ms(const struct burl_deadline *d);

#endif
