/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/buf.c - a growing byte and string buffer with a limit; contract in buf.h.
 *
 * Runs in the host. Invariant: p is NULL and cap is 0, or p has cap bytes,
 * n < cap and p[n] is NUL.
 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/printable.h"

/* Small enough for a message, large enough that short strings grow once. */
#define FIRST_CAP 64

void
burl_buf_init(struct burl_buf *b, size_t max_b)
{
    BURL_ASSERT(max_b <= BURL_BUF_NO_LIMIT);
    *b = (struct burl_buf){ .max = max_b };
}

void
burl_buf_deinit(struct burl_buf *b)
{
    free(b->p);
    *b = (struct burl_buf){ .max = b->max };
}

void
burl_buf_clear(struct burl_buf *b)
{
    b->n = 0;
    b->full = false;
    if (b->p)
        b->p[0] = '\0';
}

char *
burl_buf_reserve(struct burl_buf *b, size_t n)
{
    size_t need;

    if (b->full || n > b->max - b->n) {
        b->full = true;
        return NULL;
    }
    need = b->n + n + 1;
    if (need > b->cap) {
        size_t cap = b->cap ? b->cap : FIRST_CAP;

        while (cap < need)
            cap *= 2;
        b->p = burl_xrealloc(b->p, cap);
        b->cap = cap;
        b->p[b->n] = '\0';
    }
    return b->p + b->n;
}

void
burl_buf_commit(struct burl_buf *b, size_t n)
{
    BURL_ASSERT(n < b->cap - b->n);
    b->n += n;
    b->p[b->n] = '\0';
}

void
burl_buf_append(struct burl_buf *b, const void *p, size_t n)
{
    char *to = burl_buf_reserve(b, n);

    if (!to || n == 0)
        return;
    memcpy(to, p, n);
    burl_buf_commit(b, n);
}

void
burl_buf_str_append(struct burl_buf *b, const char *s)
{
    burl_buf_append(b, s, strlen(s));
}

void
burl_buf_char(struct burl_buf *b, char c)
{
    burl_buf_append(b, &c, 1);
}

void
burl_buf_vprintf(struct burl_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    char *to;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    BURL_ASSERT(n >= 0);
    to = burl_buf_reserve(b, (size_t)n);
    if (to) {
        vsnprintf(to, (size_t)n + 1, fmt, again);
        burl_buf_commit(b, (size_t)n);
    }
    va_end(again);
}

void
burl_buf_printf(struct burl_buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void
burl_buf_html_n(struct burl_buf *b, const char *s, size_t n)
{
    static const char *const names[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"
    };

    for (size_t len; n > 0; s += len, n -= len) {
        const unsigned char c = (unsigned char)*s;

        len = burl_printable_length((const unsigned char *)s, n);
        if (c < sizeof names / sizeof names[0] && names[c])
            burl_buf_str_append(b, names[c]);
        else if (len > 0 || c == '\n' || c == '\t')
            burl_buf_append(b, s, len > 0 ? len : 1);
        else
            burl_buf_str_append(b, "\xef\xbf\xbd"); /* U+FFFD */
        len = len > 0 ? len : 1;
    }
}

void
burl_buf_html(struct burl_buf *b, const char *s)
{
    burl_buf_html_n(b, s, strlen(s));
}

void
burl_buf_truncate(struct burl_buf *b, size_t n)
{
    BURL_ASSERT(n <= b->n);
    b->n = n;
    if (b->p)
        b->p[n] = '\0';
}

const char *
burl_buf_str(const struct burl_buf *b)
{
    return b->p ? b->p : "";
}

char *
burl_buf_take(struct burl_buf *b, size_t *n)
{
    char *p = b->p ? b->p : burl_xstrdup("");

    if (n)
        *n = b->n;
    b->p = NULL;
    b->n = 0;
    b->cap = 0;
    b->full = false;
    return p;
}

enum burl_status
burl_buf_status(const struct burl_buf *b, const char *what, struct burl_err *err)
{
    if (!b->full)
        return BURL_OK;
    return burl_err_set(err, BURL_E_LIMIT, 0, "%s is larger than the limit of %zu bytes", what,
                        b->max);
}
