/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/printable.c - bytes from outside that are shown to people; contract in printable.h.
 *
 * Runs in the host.
 */
#include "base/printable.h"

#include <string.h>

size_t
burl_utf8_length(const unsigned char *s, size_t n)
{
    size_t len;
    unsigned char lo = 0x80;
    unsigned char hi = 0xbf;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        len = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        len = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        len = 4;
    else
        return 0;
    if (s[0] == 0xe0)
        lo = 0xa0;
    if (s[0] == 0xed)
        hi = 0x9f;
    if (s[0] == 0xf0)
        lo = 0x90;
    if (s[0] == 0xf4)
        hi = 0x8f;
    if (n < len || s[1] < lo || s[1] > hi)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    }
    return len;
}

/* U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF: no glyphs, and what they do
 * to their surroundings deceives readers. */
static bool
is_format(const unsigned char *s, size_t len)
{
    if (len == 2)
        return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
    if (len != 3)
        return false;
    if (s[0] == 0xe2 && s[1] == 0x80)
        return (s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae);
    if (s[0] == 0xe2 && s[1] == 0x81)
        return s[2] >= 0xa0 && s[2] <= 0xa9;
    return s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf;
}

size_t
burl_printable_length(const unsigned char *s, size_t n)
{
    const size_t len = n > 0 ? burl_utf8_length(s, n) : 0;

    if (len == 1)
        return s[0] >= ' ' && s[0] != 0x7f;
    return len > 0 && !is_format(s, len) ? len : 0;
}

void
burl_printable_fix_n(char *text, size_t n, bool lines)
{
    for (size_t i = 0; i < n;) {
        const size_t len = burl_printable_length((const unsigned char *)text + i, n - i);
        const bool kept = lines && (text[i] == '\n' || text[i] == '\t');

        if (len == 0 && !kept)
            text[i] = '?';
        i += len > 0 ? len : 1;
    }
}

/* Length of a color as burl writes it, 0: it is none. */
static size_t
color_length(const char *s, size_t n)
{
    static const char *const inks[] = { "\033[0m",    "\033[1m",  "\033[2m",  "\033[1;31m",
                                        "\033[1;33m", "\033[36m", "\033[32m", "\033[33m" };

    for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++) {
        const size_t len = strlen(inks[i]);

        if (len <= n && memcmp(s, inks[i], len) == 0)
            return len;
    }
    return 0;
}

void
burl_printable_fix_report(struct burl_buf *report, size_t from, bool color)
{
    char *p = report->p;
    size_t i = from;

    while (i < report->n) {
        size_t plain = i;
        size_t ink = 0;

        for (; plain < report->n && ink == 0; plain += ink == 0)
            ink = color ? color_length(p + plain, report->n - plain) : 0;
        burl_printable_fix_n(p + i, plain - i, true);
        i = plain + ink;
    }
}

void
burl_printable_fix(char *text, size_t size_b)
{
    const size_t n = strnlen(text, size_b - 1);

    text[n] = '\0';
    burl_printable_fix_n(text, n, true);
}

void
burl_printable_add(struct burl_buf *out, const char *text)
{
    const size_t n = strlen(text);

    for (size_t i = 0; i < n;) {
        const size_t len = burl_printable_length((const unsigned char *)text + i, n - i);

        if (len > 0)
            burl_buf_append(out, text + i, len);
        else
            burl_buf_printf(out, "\\x%02x", (unsigned char)text[i]);
        i += len > 0 ? len : 1;
    }
}
