/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/progress.c - the live line; contract in progress.h.
 *
 * Runs in the host. Erases with "clear to end of line" rather than spaces, so a
 * resized terminal heals at the next update.
 */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/proc.h"

/* Often enough to look alive, rarely enough to be free. */
#define INTERVAL_MS 200

static int
terminal_width(void)
{
    struct winsize w;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 10)
        return w.ws_col;
    return 80;
}

void
burl_progress_init(struct burl_progress *p, bool wanted)
{
    const char *term = getenv("TERM");

    *p = (struct burl_progress){
        .on = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
    };
}

bool
burl_progress_due(const struct burl_progress *p)
{
    return p->on && burl_now_ms() >= p->next_ms;
}

void
burl_progress_update(struct burl_progress *p, const char *fmt, ...)
{
    va_list ap;

    if (!burl_progress_due(p))
        return;
    va_start(ap, fmt);
    vsnprintf(p->last, sizeof p->last, fmt, ap);
    va_end(ap);
    /* One column stays free: writing the last one makes some terminals wrap. */
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, p->last);
    fflush(stderr);
    p->drawn = true;
    p->next_ms = burl_now_ms() + INTERVAL_MS;
}

const char *
burl_progress_time(int64_t elapsed_ms, uint64_t limit_ms, char buf[48])
{
    char limit[24] = "";

    if (limit_ms > 0)
        snprintf(limit, sizeof limit, "/%.6g", (double)limit_ms / 1000.0);
    snprintf(buf, 48, "%.1f%s s", (double)elapsed_ms / 1000.0, limit);
    return buf;
}

void
burl_progress_clear(struct burl_progress *p)
{
    if (!p->drawn)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    p->drawn = false;
    p->next_ms = 0;
}
