/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/linereader.c - see linereader.h. Host side.
 */
#include "base/linereader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- pieces ------------------------------------------------------------------------ */

bool
burl_span_is(struct burl_span s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool
burl_word_in(const char *word, const char *list, char separator)
{
    const size_t n = strlen(word);

    for (const char *p = list; n > 0 && p; p = strchr(p, separator)) {
        p += *p == separator;
        if (strncmp(p, word, n) == 0 && (p[n] == separator || p[n] == '\0'))
            return true;
    }
    return false;
}

struct burl_span
burl_span_trim(struct burl_span s)
{
    for (; s.n > 0 && isspace((unsigned char)s.p[0]); s.n--)
        s.p++;
    while (s.n > 0 && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

bool
burl_span_number(struct burl_span s, unsigned base, uint64_t max, uint64_t *out)
{
    uint64_t x = 0;

    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
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

/* The escape that begins at s.p[*i]; *i is left at its last character. */
static bool
take_escape(struct burl_span s, const char *escapes, size_t *i, char *out)
{
    const char c = *i + 1 < s.n ? s.p[*i + 1] : '\0';
    uint64_t x;

    *out = c;
    if (escapes && c == 'x' && strchr(escapes, 'x')) {
        if (*i + 3 >= s.n ||
            !burl_span_number((struct burl_span){ s.p + *i + 2, 2 }, 16, 255, &x) || x == 0)
            return false;
        *out = (char)x;
        *i += 3;
        return true;
    }
    if (escapes && c == 'n' && strchr(escapes, 'n')) {
        *out = '\n';
    } else if (c != '"' && c != '\\') {
        *out = '\\';
        return escapes == NULL;
    }
    ++*i;
    return true;
}

char *
burl_span_string(struct burl_span word, const char *escapes)
{
    struct burl_span s = { word.p, word.n - 1 }; /* without the last quote */
    char *out;
    size_t n = 0;

    if (word.n == 0 || memchr(word.p, '\0', word.n))
        return NULL;
    if (word.p[0] != '"')
        return burl_xstrndup(word.p, word.n);
    if (word.n < 2 || word.p[word.n - 1] != '"')
        return NULL;
    out = burl_xmalloc(s.n);
    for (size_t i = 1; i < s.n; i++) {
        char c = s.p[i];

        if (c == '"' || (c == '\\' && !take_escape(s, escapes, &i, &c))) {
            free(out);
            return NULL;
        }
        out[n++] = c;
    }
    out[n] = '\0';
    return out;
}

void
burl_linereader_put_string(struct burl_buf *out, const char *s)
{
    burl_buf_char(out, '"');
    for (; *s; s++) {
        if (*s == '\n')
            burl_buf_str_append(out, "\\n");
        else if (*s == '"' || *s == '\\')
            burl_buf_printf(out, "\\%c", *s);
        else
            burl_buf_char(out, *s);
    }
    burl_buf_char(out, '"');
}

const char *
burl_span_show(struct burl_span s, char out[48])
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

/* ---- lines ------------------------------------------------------------------------- */

enum burl_status
burl_linereader_open(struct burl_linereader *r, const char *name, const char *text, size_t n,
                     enum burl_status code, struct burl_err *err)
{
    const char *zero = n > 0 ? memchr(text, '\0', n) : NULL;

    *r = (struct burl_linereader){ .name = name, .text = { text, n } };
    if (zero == NULL)
        return BURL_OK;
    while (burl_linereader_next(r) && r->text.p <= zero)
        ;
    return burl_linereader_fail(r, code, err, "not a text file: it holds a zero byte");
}

bool
burl_linereader_next(struct burl_linereader *r)
{
    const char *end;
    size_t n;

    if (r->text.n == 0)
        return false;
    end = memchr(r->text.p, '\n', r->text.n);
    n = end != NULL ? (size_t)(end - r->text.p) : r->text.n;
    r->rest = (struct burl_span){ r->text.p, n };
    if (n > 0 && r->rest.p[n - 1] == '\r')
        r->rest.n--;
    n += end != NULL;
    r->text.p += n;
    r->text.n -= n;
    r->line++;
    return true;
}

bool
burl_linereader_next_words(struct burl_linereader *r)
{
    while (burl_linereader_next(r)) {
        if (!burl_linereader_at_end(r) && r->rest.p[0] != '#')
            return true;
    }
    return false;
}

void
burl_linereader_cut_comment(struct burl_linereader *r, bool quotes)
{
    const char *s = r->rest.p;
    char quote = '\0';
    size_t i;

    for (i = 0; i < r->rest.n; i++) {
        if (quote != '\0') {
            if (s[i] == '\\')
                i++;
            else if (s[i] == quote)
                quote = '\0';
        } else if (quotes && (s[i] == '"' || s[i] == '\'')) {
            quote = s[i];
        } else if (s[i] == '#' && (i == 0 || isspace((unsigned char)s[i - 1]))) {
            r->rest.n = i;
        }
    }
    while (r->rest.n > 0 && isspace((unsigned char)s[r->rest.n - 1]))
        r->rest.n--;
}

bool
burl_linereader_at_end(struct burl_linereader *r)
{
    for (; r->rest.n > 0 && (r->rest.p[0] == ' ' || r->rest.p[0] == '\t'); r->rest.n--)
        r->rest.p++;
    return r->rest.n == 0;
}

struct burl_span
burl_linereader_word(struct burl_linereader *r)
{
    struct burl_span *s = &r->rest;
    struct burl_span w;
    size_t i = 0;

    if (!burl_linereader_at_end(r) && s->p[0] == '"') {
        for (i = 1; i < s->n && s->p[i] != '"'; i++) {
            if (s->p[i] == '\\')
                i++;
        }
        i = i < s->n ? i + 1 : s->n;
    }
    while (i < s->n && s->p[i] != ' ' && s->p[i] != '\t')
        i++;
    w = (struct burl_span){ s->p, i };
    s->p += i;
    s->n -= i;
    return w;
}

enum burl_status
burl_linereader_fail(const struct burl_linereader *r, enum burl_status code, struct burl_err *err,
                     const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)burl_err_vset(err, code, 0, fmt, ap);
    va_end(ap);
    if (err)
        (void)burl_err_prefix(err, "%s:%u", r->name, r->line);
    return code;
}
