/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shellwords.c - quotes and blanks of a POSIX shell.
 */
#include "base/shellwords.h"

#include <string.h>

#include "base/buf.h"

/* Does a backslash before `next` quote it? In double quotes it does so for few characters only. */
static bool
is_escape(char quote, char next)
{
    if (next == '\0' || quote == '\'')
        return false;
    return quote == '\0' || strchr("\"\\$`", next) != NULL;
}

bool
burl_shellwords_split(struct burl_shellwords *out, const char *text)
{
    struct burl_buf word = BURL_BUF_INIT;
    bool in_word = false;
    char quote = '\0';

    for (const char *s = text; *s; s++) {
        if (quote == '\0' && strchr(" \t\n", *s)) {
            if (in_word)
                BURL_VEC_PUSH(out, burl_buf_take(&word, NULL));
            in_word = false;
            continue;
        }
        in_word = true;
        if (*s == '\\' && is_escape(quote, s[1]))
            burl_buf_char(&word, *++s);
        else if (quote == '\0' && (*s == '"' || *s == '\''))
            quote = *s;
        else if (*s == quote)
            quote = '\0';
        else
            burl_buf_char(&word, *s);
    }
    if (in_word)
        BURL_VEC_PUSH(out, burl_buf_take(&word, NULL));
    burl_buf_deinit(&word);
    return quote == '\0';
}

void
burl_shellwords_deinit(struct burl_shellwords *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    BURL_VEC_FREE(w);
}

void
burl_shellwords_add(struct burl_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";

    if (out->n > 0 && burl_buf_str(out)[out->n - 1] != ' ')
        burl_buf_append(out, " ", 1);
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        burl_buf_str_append(out, word);
        return;
    }
    burl_buf_append(out, "'", 1);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            burl_buf_str_append(out, "'\\''");
        else
            burl_buf_append(out, word, 1);
    }
    burl_buf_append(out, "'", 1);
}
