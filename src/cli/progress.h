/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/progress.h - the one live line at the bottom of a terminal.
 *
 * Draws on standard error, and only when that is a terminal: in a log there is
 * no progress line at all. Anything else that prints to the terminal while the
 * line is up calls burl_progress_clear() first; the next update draws it again.
 */
#ifndef BURL_CLI_PROGRESS_H
#define BURL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct burl_progress {
    bool    on;
    bool    drawn;
    int64_t next_ms; /* monotonic; earlier updates are dropped */
    char    last[256];
};

/* `wanted` false (--quiet, --json) keeps it silent. */
void burl_progress_init(struct burl_progress *p, bool wanted);
/* Whether an update now would be drawn: lets callers skip the work of composing one. */
bool burl_progress_due(const struct burl_progress *p);
/* Draws the line, cut to the terminal's width; at most a few times a second. */
void burl_progress_update(struct burl_progress *p, const char *fmt, ...) BURL_PRINTF(2, 3);
/* "3.1/10 s", or "3.1 s" without a limit: how every line begins. */
const char *burl_progress_time(int64_t elapsed_ms, uint64_t limit_ms, char buf[48]);
/* Removes the line from the screen. */
void burl_progress_clear(struct burl_progress *p);

#endif
