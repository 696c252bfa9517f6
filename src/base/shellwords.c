/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shellwords.c - quotes and blanks of a POSIX shell.
 */
#include "base/shellwords.h"

#include <string.h>

#include "base/buf.h"
#include "base/printable.h"

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

/* $'...', which bash, ksh and zsh read: the only form that has no such byte in it. */
static void
add_escaped(struct burl_buf *out, const char *word)
{
    const size_t n = strlen(word);

    burl_buf_str_append(out, "$'");
    for (size_t i = 0; i < n;) {
        const size_t len = burl_printable_length((const unsigned char *)word + i, n - i);

        if (len == 0)
            burl_buf_printf(out, "\\x%02x", (unsigned char)word[i]);
        else if (word[i] == '\'' || word[i] == '\\')
            burl_buf_printf(out, "\\%c", word[i]);
        else
            burl_buf_append(out, word + i, len);
        i += len > 0 ? len : 1;
    }
    burl_buf_append(out, "'", 1);
}

static bool
is_printable(const char *word)
{
    const size_t n = strlen(word);
    size_t i = 0;

    while (i < n) {
        const size_t len = burl_printable_length((const unsigned char *)word + i, n - i);

        if (len == 0)
            return false;
        i += len;
    }
    return true;
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
    if (!is_printable(word)) {
        add_escaped(out, word);
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

char *
burl_shellwords_join(const char *const *words)
{
    struct burl_buf b;

    burl_buf_init(&b, BURL_BUF_NO_LIMIT);
    for (; *words; words++)
        burl_shellwords_add(&b, *words);
    return burl_buf_take(&b, NULL);
}

char *
burl_shellwords_quote(const char *word)
{
    const char *const words[] = { word, NULL };

    return burl_shellwords_join(words);
}
