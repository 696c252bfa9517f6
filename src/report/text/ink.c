/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ink.c - colors, widths and wrapping for the text renderers.
 *
 * Runs in the host. Names and source lines come from the user and may be UTF-8; widths
 * are counted in code points. Escape sequences are written only around whole pieces, so that
 * they never count as columns.
 */
#include "report/text/text.h"

#define DEFAULT_WIDTH 100u
#define MIN_WIDTH 40u /* narrower than this nothing fits beside anything */

void
burl__report_ink(struct burl_buf *out, const struct burl_report_style *style,
                 enum burl__report_ink ink)
{
    static const char *const codes[] = {
        [BURL__REPORT_INK_PLAIN] = "\033[0m",      [BURL__REPORT_INK_TITLE] = "\033[1m",
        [BURL__REPORT_INK_FAILURE] = "\033[1;31m", [BURL__REPORT_INK_PREEMPT] = "\033[1;33m",
        [BURL__REPORT_INK_THREAD] = "\033[36m",    [BURL__REPORT_INK_DIM] = "\033[2m",
    };

    if (style->color)
        burl_buf_str_append(out, codes[ink]);
}

void
burl__report_put_inked(struct burl_buf *out, const struct burl_report_style *style,
                       enum burl__report_ink ink, const char *fmt, ...)
{
    va_list ap;

    burl__report_ink(out, style, ink);
    va_start(ap, fmt);
    burl_buf_vprintf(out, fmt, ap);
    va_end(ap);
    burl__report_ink(out, style, BURL__REPORT_INK_PLAIN);
}

unsigned
burl__report_width(const struct burl_report_style *style)
{
    if (style->width == 0)
        return DEFAULT_WIDTH;
    return style->width < MIN_WIDTH ? MIN_WIDTH : style->width;
}

static bool
starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t
burl__report_columns(const char *s)
{
    size_t n = 0;

    for (; *s != '\0'; s++)
        n += starts_character(*s);
    return n;
}

/* Bytes of the first `max` characters. */
static size_t
bytes_of(const char *s, size_t max)
{
    size_t i = 0;

    for (size_t n = 0; s[i] != '\0'; i++) {
        if (starts_character(s[i]) && n++ == max)
            break;
    }
    return i;
}

/* `head` characters of the beginning, dots, and the end, `max` columns in all. */
static size_t
put_ends(struct burl_buf *out, const struct burl_report_style *style, const char *s, size_t max,
         size_t head)
{
    const size_t n = burl__report_columns(s);
    const size_t dots_n = style->unicode ? 1 : 3;
    size_t tail;

    if (n <= max) {
        burl_buf_str_append(out, s);
        return n;
    }
    if (max <= dots_n)
        return 0;
    head = head < max - dots_n ? head : max - dots_n;
    tail = max - dots_n - head;
    burl_buf_append(out, s, bytes_of(s, head));
    burl_buf_str_append(out, style->unicode ? "\xe2\x80\xa6" : "...");
    burl_buf_str_append(out, s + bytes_of(s, n - tail));
    return max;
}

size_t
burl__report_put_cut(struct burl_buf *out, const struct burl_report_style *style, const char *s,
                     size_t max)
{
    return put_ends(out, style, s, max, max);
}

size_t
burl__report_put_cut_start(struct burl_buf *out, const struct burl_report_style *style,
                           const char *s, size_t max)
{
    return put_ends(out, style, s, max, 0);
}

void
burl__report_pad(struct burl_buf *out, size_t n)
{
    while (n-- > 0)
        burl_buf_char(out, ' ');
}

/* A name that is too long for a line is cut between its scopes, if it has any. */
static size_t
cut_name(const char *s, size_t limit)
{
    for (size_t i = limit; i > 2; i--) {
        if (s[i - 1] == ':' && s[i - 2] == ':' && s[i] != ' ')
            return i;
    }
    return limit;
}

size_t
burl__report_wrap(const char *s, size_t max)
{
    size_t limit = bytes_of(s, max > 0 ? max : 1);
    size_t cut = limit;

    if (s[limit] == '\0' || s[limit] == ' ')
        return limit;
    while (cut > 0 && s[cut - 1] != ' ')
        cut--;
    while (cut > 0 && s[cut - 1] == ' ')
        cut--;
    return cut > 0 ? cut : cut_name(s, limit);
}

void
burl__report_put_wrapped(struct burl_buf *out, const struct burl_report_style *style, const char *s,
                         unsigned indent)
{
    size_t width = burl__report_width(style) - indent;

    while (*s != '\0') {
        size_t n = burl__report_wrap(s, width);

        burl__report_pad(out, indent);
        burl_buf_append(out, s, n);
        burl_buf_char(out, '\n');
        s += n;
        while (*s == ' ')
            s++;
    }
}
