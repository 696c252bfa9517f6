/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - findings on one line each, for lists.
 *
 * Runs in the host. Number, kind, place, count, title, in columns. A line is never longer than the
 * terminal is wide, so that a list stays a list. Kind and place survive: people grep for them. A
 * title that does not fit is said in fewer words (short.c); of a place that does not fit the line
 * number remains.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "base/printable.h"
#include "report/render/doc_int.h"
#include "report/render/render_int.h"
#include "report/text/text.h"

#define MIN_TITLE 16u /* of less one learns nothing */
#define GAP 2u

struct columns {
    size_t number;
    size_t kind;
    size_t place;
    size_t count;
};

static char *
place_text(const struct burl_finding *f)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);

    return loc != NULL ? burl_xasprintf("%s:%u", burl_path_basename(loc->file), loc->line)
                       : burl_xstrdup("");
}

static char *
count_text(const struct burl_finding *f)
{
    char number[BURL_NUMBER_B];

    return f->facts.count > 0 ? burl_xasprintf("%sx", burl_number(f->facts.count, number))
                              : burl_xstrdup("");
}

static void
widen(size_t *width, const char *text)
{
    const size_t n = burl__report_columns(text);

    if (n > *width)
        *width = n;
}

static size_t
with_gap(size_t width)
{
    return width > 0 ? width + GAP : 0;
}

static struct columns
measure(const struct burl_finding *const *v, size_t n, size_t width)
{
    struct columns c = { 0 };
    size_t fixed;

    for (size_t i = 0; i < n; i++) {
        char *place = place_text(v[i]);
        char *count = count_text(v[i]);
        char number[16];

        snprintf(number, sizeof number, "#%u", v[i]->number);
        widen(&c.number, v[i]->number != 0 ? number : "");
        widen(&c.kind, v[i]->kind);
        widen(&c.place, place);
        widen(&c.count, count);
        free(place);
        free(count);
    }
    fixed = with_gap(c.number) + c.kind;
    if (fixed + GAP + c.place + GAP + c.count > width)
        c.count = 0;
    if (fixed + GAP + c.place > width)
        c.place = fixed + GAP < width ? width - fixed - GAP : 0;
    return c;
}

static void
put_padded(struct burl_buf *out, const struct burl_report_style *style, const char *text,
           size_t width, bool right)
{
    const size_t n = burl__report_columns(text);
    const size_t pad = width > n ? width - n : 0;

    if (width == 0)
        return;
    burl_buf_str_append(out, "  ");
    if (right)
        burl__report_pad(out, pad);
    burl__report_put_cut_start(out, style, text, width);
    if (!right)
        burl__report_pad(out, pad);
}

static void
put_line(struct burl_buf *out, const struct burl_report_style *style, const struct burl_finding *f,
         const struct columns *c, size_t width)
{
    const size_t used = with_gap(c->number) + c->kind + (c->place > 0 ? GAP + c->place : 0) +
                        (c->count > 0 ? GAP + c->count : 0);
    char *place = place_text(f);
    char *count = count_text(f);
    size_t mark = out->n;

    if (f->number != 0)
        burl_buf_printf(out, "#%u", f->number);
    burl__report_pad(out, with_gap(c->number) - (out->n - mark));
    burl__report_ink(out, style, BURL__REPORT_INK_FAILURE);
    burl_buf_str_append(out, f->kind);
    burl__report_ink(out, style, BURL__REPORT_INK_PLAIN);
    burl__report_pad(out, c->kind - burl__report_columns(f->kind));
    put_padded(out, style, place, c->place, false);
    put_padded(out, style, count, c->count, true);
    if (used + GAP + MIN_TITLE <= width) {
        burl_buf_str_append(out, "  ");
        burl__report_put_short(out, f, style, width - used - GAP);
    }
    while (!out->full && out->n > mark && out->p[out->n - 1] == ' ')
        burl_buf_truncate(out, out->n - 1);
    burl_buf_char(out, '\n');
    free(place);
    free(count);
}

void
burl_report_lines(const struct burl_finding *const *v, size_t n,
                  const struct burl_report_style *style, unsigned indent, struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    const size_t mark = out->n;
    struct columns c;
    size_t width;

    if (style == NULL)
        style = &plain;
    width = burl__report_width(style) - indent;
    c = measure(v, n, width);
    for (size_t i = 0; i < n; i++) {
        burl__report_pad(out, indent);
        put_line(out, style, v[i], &c, width);
    }
    burl_printable_fix_report(out, mark, style->color);
}

void
burl_report_line(const struct burl_finding *f, const struct burl_report_style *style,
                 struct burl_buf *out)
{
    burl_report_lines(&f, 1, style, 0, out);
}
