/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/duration.h - lengths of time as users write them.
 */
#ifndef BURL_BASE_DURATION_H
#define BURL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* "500ms", "10s", "1.5m", "2h", "10" (seconds), "0". A positive time is never 0 milliseconds. */
bool burl_duration_parse(const char *text, uint64_t *ms);

#endif
