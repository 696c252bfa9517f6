/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/linereader.h - lines, words, strings and numbers of our text formats.
 *
 * For bytes from outside: everything is a (pointer, length) piece of the text, and no NUL is relied
 * on. The reader knows where it is, for messages; what the words mean is the format's business.
 */
#ifndef BURL_BASE_LINEREADER_H
#define BURL_BASE_LINEREADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* A piece of the text; not NUL-terminated. */
struct burl_span {
    const char *p;
    size_t n;
};

bool burl_span_is(struct burl_span s, const char *text);
/* Is the word, which is not empty, one of those in the list "a|b|c"? */
bool burl_word_in(const char *word, const char *list, char separator);
/* Without white space at both ends. */
struct burl_span burl_span_trim(struct burl_span s);
/* Digits only (lower case beyond 9), at most `max`. */
bool burl_span_number(struct burl_span s, unsigned base, uint64_t max, uint64_t *out);
/* The string that a word stands for, quoted or not; NULL when a quote is not closed or is followed
 * by more. Caller frees. In quotes \" and \\ are escapes, and \n and \xHH (not 00) where `escapes`
 * has their letters; another backslash is refused, or stands for itself when `escapes` is NULL. */
char *burl_span_string(struct burl_span word, const char *escapes);
/* Writes a string in quotes so that burl_span_string(word, "n") gives it back; one line. */
void burl_linereader_put_string(struct burl_buf *out, const char *s);
/* Bytes from outside for a message: short, on one line, without control characters. */
const char *burl_span_show(struct burl_span s, char out[48]);

struct burl_linereader {
    const char *name;      /* of the file, for messages; borrowed */
    struct burl_span text; /* lines that were not read yet */
    struct burl_span rest; /* of the current line */
    uint32_t line;         /* its number, from 1 */
};

/* Refuses, with `code`, a text that holds a zero byte. */
BURL_MUST_CHECK enum burl_status burl_linereader_open(struct burl_linereader *r, const char *name,
                                                      const char *text, size_t n,
                                                      enum burl_status code, struct burl_err *err);
/* Goes to the next line; its end (LF or CRLF) is not in `rest`. False: there is none. */
bool burl_linereader_next(struct burl_linereader *r);
/* The same, past empty lines and those that begin with a #, to the line's first word. */
bool burl_linereader_next_words(struct burl_linereader *r);
/* Cuts off a comment and white space before it. A comment is a # at the start of the line or after
 * white space; quotes: not one between quotes. */
void burl_linereader_cut_comment(struct burl_linereader *r, bool quotes);
/* Takes the next word: up to a space or tab; a quoted string is one word, its quotes included.
 * Empty at the end of the line. */
struct burl_span burl_linereader_word(struct burl_linereader *r);
/* Skips blanks. True: nothing is left of the line. */
bool burl_linereader_at_end(struct burl_linereader *r);
/* "NAME:LINE: ..."; returns `code`. */
enum burl_status burl_linereader_fail(const struct burl_linereader *r, enum burl_status code,
                                      struct burl_err *err, const char *fmt, ...) BURL_PRINTF(4, 5);

#endif
