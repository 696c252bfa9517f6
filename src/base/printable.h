/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/printable.h - bytes from outside that are shown to people: names of files, threads and
 * functions, arguments, what a program printed.
 *
 * What could act on a terminal or change the order of the text on a page does not go through:
 * control characters, the C1 controls of Unicode, its line and paragraph separators and its marks
 * of direction (bidi). Malformed UTF-8 does not go through either.
 */
#ifndef BURL_BASE_PRINTABLE_H
#define BURL_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Length of the well-formed UTF-8 sequence at `s`, 0 when it is malformed (overlong forms,
 * surrogates and values above U+10FFFF included). */
size_t burl_utf8_length(const unsigned char *s, size_t n);

/* Length of the printable character at `s`, 0 when there is none. Newline and tab are none. */
size_t burl_printable_length(const unsigned char *s, size_t n);

/* In place: ends the text within its `size_b` bytes at the latest, and makes '?' of every byte
 * that is not part of a printable character, newline or tab. */
void burl_printable_fix(char *text, size_t size_b);
/* The same for `n` bytes that a NUL need not end; newlines become '?' too unless `lines`. */
void burl_printable_fix_n(char *text, size_t n, bool lines);
/* A report that was put together, from byte `from` on: lines stay, and with `color` the colors that
 * burl writes. */
void burl_printable_fix_report(struct burl_buf *report, size_t from, bool color);
/* Appends the text; what is not printable as \xHH, newline and tab too. */
void burl_printable_add(struct burl_buf *out, const char *text);

#endif
