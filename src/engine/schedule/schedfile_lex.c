/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedfile_lex.c - words, numbers, names and strings of the schedule file.
 *
 * Runs in the host, on bytes from outside. Works on (pointer, length) pieces and
 * never relies on a NUL: the reader (schedfile_read.c) may hand it any part of a
 * file. Knows nothing about lines or meaning.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/schedule/schedfile_int.h"

/* One name or argument: the kernel's own limit on arguments. */
#define STRING_MAX_B (128u << 10)

/* Shows bytes from outside: short, on one line, without control characters. */
const char *
burl__lex_quote(struct burl__lex s, char out[48])
{
    size_t n = 0;

    for (size_t i = 0; i < s.n && n < 36; i++) {
        unsigned char c = (unsigned char)s.p[i];

        out[n++] = c >= ' ' && c < 0x7f ? (char)c : '.';
    }
    if (n == 36 && s.n > 36) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = '\0';
    return out;
}

bool
burl__lex_is(struct burl__lex s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

void
burl__lex_skip(struct burl__lex *s)
{
    while (s->n > 0 && (s->p[0] == ' ' || s->p[0] == '\t')) {
        s->p++;
        s->n--;
    }
}

/* Up to the next space; a quoted string is one word, its quotes included. Empty at the end. */
struct burl__lex
burl__lex_word(struct burl__lex *s)
{
    struct burl__lex w;
    bool quoted;
    size_t i = 0;

    burl__lex_skip(s);
    quoted = s->n > 0 && s->p[0] == '"';
    if (quoted) {
        for (i = 1; i < s->n && s->p[i] != '"'; i++) {
            if (s->p[i] == '\\')
                i++;
        }
        i = i < s->n ? i + 1 : s->n;
    }
    while (i < s->n && s->p[i] != ' ' && s->p[i] != '\t')
        i++;
    w = (struct burl__lex){ s->p, i };
    s->p += i;
    s->n -= i;
    return w;
}

bool
burl__lex_number(struct burl__lex w, unsigned base, uint64_t max, uint64_t *out)
{
    uint64_t x = 0;

    if (w.n == 0)
        return false;
    for (size_t i = 0; i < w.n; i++) {
        char c = w.p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;

        if (digit >= base || x > (UINT64_MAX - digit) / base)
            return false;
        x = x * base + digit;
    }
    *out = x;
    return x <= max;
}

/* 16 digits, as the writer makes them. */
bool
burl__lex_hash(struct burl__lex w, uint64_t *out)
{
    return w.n == 16 && burl__lex_number(w, 16, UINT64_MAX, out);
}

static bool
parse_escape(struct burl__lex w, size_t *i, char *out)
{
    uint64_t x;

    if (*i + 1 >= w.n)
        return false;
    ++*i;
    if (w.p[*i] == '"' || w.p[*i] == '\\') {
        *out = w.p[*i];
        return true;
    }
    if (w.p[*i] != 'x' || *i + 2 >= w.n ||
        !burl__lex_number((struct burl__lex){ w.p + *i + 1, 2 }, 16, 255, &x) || x == 0)
        return false;
    *i += 2;
    *out = (char)x;
    return true;
}

/* Turns a word into the string it stands for; NULL when it is not one. Caller frees. */
char *
burl__lex_string(struct burl__lex w)
{
    char *out;
    size_t n = 0;

    if (w.n == 0 || w.n > STRING_MAX_B)
        return NULL;
    if (burl__lex_is(w, "-"))
        return burl_xstrdup("");
    if (w.p[0] != '"') {
        out = burl_xstrndup(w.p, w.n);
        if (strlen(out) == w.n && burl__schedfile_is_bare(out))
            return out;
        free(out);
        return NULL;
    }
    if (w.n < 2 || w.p[w.n - 1] != '"')
        return NULL;
    w.n--;
    out = burl_xmalloc(w.n + 1);
    for (size_t i = 1; i < w.n; i++) {
        char c = w.p[i];

        if ((unsigned char)c < ' ' || c == '"' || (c == '\\' && !parse_escape(w, &i, &c))) {
            free(out);
            return NULL;
        }
        out[n++] = c;
    }
    out[n] = '\0';
    return out;
}

bool
burl__lex_name(struct burl__lex w, const char *const *names, size_t n, bool enum_names,
               uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        if (names[i] == NULL || strlen(names[i]) != w.n)
            continue;
        while (k < w.n) {
            char c = names[i][k];

            if (enum_names)
                c = c == '_' ? '-' : (char)tolower((unsigned char)c);
            if (c != w.p[k])
                break;
            k++;
        }
        if (k == w.n) {
            *out = i;
            return true;
        }
    }
    return false;
}
