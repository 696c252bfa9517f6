/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/buf.h - a growing byte and string buffer with a limit.
 *
 * The limit is given at init. Reaching it is sticky: the append that does not
 * fit is dropped whole, `full` is set, and every later append is dropped too, so
 * a builder may append freely and ask burl_buf_status() once at the end.
 * The bytes are always followed by a NUL that is not counted in `n`.
 */
#ifndef BURL_BASE_BUF_H
#define BURL_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define BURL_BUF_NO_LIMIT ((size_t)-1 / 2)

struct burl_buf {
    /* Read-only for callers; written by the functions below. */
    char  *p;    /* NULL while nothing was appended: use burl_buf_str() for a string */
    size_t n;    /* bytes in use */
    bool   full; /* an append was dropped because of the limit */
    /* Private. */
    size_t cap;
    size_t max;
};

/* An empty buffer without a limit: struct burl_buf b = BURL_BUF_INIT; */
#define BURL_BUF_INIT { .max = BURL_BUF_NO_LIMIT }
void burl_buf_init(struct burl_buf *b, size_t max_b);
void burl_buf_deinit(struct burl_buf *b);
/* Empties the buffer and clears `full`; keeps memory and limit. */
void burl_buf_clear(struct burl_buf *b);
void burl_buf_append(struct burl_buf *b, const void *p, size_t n);
void burl_buf_str_append(struct burl_buf *b, const char *s);
void burl_buf_char(struct burl_buf *b, char c);
void burl_buf_printf(struct burl_buf *b, const char *fmt, ...) BURL_PRINTF(2, 3);
void burl_buf_vprintf(struct burl_buf *b, const char *fmt, va_list ap) BURL_PRINTF(2, 0);
/* Text for an HTML page, in an element or a quoted attribute: <, >, &, " and ' become entities,
 * what is not printable U+FFFD. */
void burl_buf_html(struct burl_buf *b, const char *s);
void burl_buf_html_n(struct burl_buf *b, const char *s, size_t n);
/* Cuts the buffer to its first `n` bytes (n must not exceed the length). */
void burl_buf_truncate(struct burl_buf *b, size_t n);
/* Makes room for `n` more bytes and returns where to write them; NULL when over the limit.
 * burl_buf_commit() then says how many were written. */
char *burl_buf_reserve(struct burl_buf *b, size_t n);
void burl_buf_commit(struct burl_buf *b, size_t n);
/* Valid until the next call on `b`; never NULL. */
const char *burl_buf_str(const struct burl_buf *b);
/* Moves the bytes out (never NULL, NUL-terminated, caller frees) and leaves `b` empty.
 * `n` may be NULL. */
char *burl_buf_take(struct burl_buf *b, size_t *n);
/* BURL_OK, or BURL_E_LIMIT naming `what` when an append was dropped. */
BURL_MUST_CHECK enum burl_status burl_buf_status(const struct burl_buf *b, const char *what,
                                                 struct burl_err *err);

#endif
