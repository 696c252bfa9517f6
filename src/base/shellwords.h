/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shellwords.h - a text as the words that a POSIX shell would make of it, without expansions.
 */
#ifndef BURL_BASE_SHELLWORDS_H
#define BURL_BASE_SHELLWORDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"

struct burl_shellwords {
    BURL_VEC_OF(char *); /* owned */
};

/* Appends the words of the text: blanks separate, '...', "..." and \ quote. False: a quote is not
 * closed; its word ends with the text. */
bool burl_shellwords_split(struct burl_shellwords *out, const char *text);
void burl_shellwords_deinit(struct burl_shellwords *w);
/* Appends a blank, unless the buffer is empty or ends with one, and the word, quoted if a shell
 * would make something else of it. What is not printable is written as $'\xHH'. */
void burl_shellwords_add(struct burl_buf *out, const char *word);
/* The words up to NULL as a command to paste; caller frees. */
char *burl_shellwords_join(const char *const *words);
/* One word; caller frees. */
char *burl_shellwords_quote(const char *word);

#endif
