/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - a finding on one line, for lists and progress.
 *
 * Runs in the host. Never longer than the terminal is wide, so that a list stays a
 * list; the kind stands alone in its column because people grep for it.
 */
#include <string.h>

#include "base/printable.h"
#include "report/text/text.h"

void
burl_report_line(const struct burl_finding *f, const struct burl_report_style *style,
                 struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    struct burl_buf tail = BURL_BUF_INIT;
    size_t used = 0;
    size_t tail_n;
    size_t width;
    size_t mark = out->n;

    if (style == NULL)
        style = &plain;
    width = burl__report_width(style);
    if (f->facts.count > 0)
        burl_buf_printf(&tail, "  %llux", (unsigned long long)f->facts.count);
    if (f->facts.sequential)
        burl_buf_str_append(&tail, "  without preemption");
    tail_n = tail.n;

    if (f->number != 0)
        burl_buf_printf(out, "#%-3u ", f->number);
    used = out->n - mark;
    burl__report_ink(out, style, BURL__REPORT_INK_FAILURE);
    burl_buf_printf(out, "%s", f->kind);
    burl__report_ink(out, style, BURL__REPORT_INK_PLAIN);
    used += strlen(f->kind);
    burl_buf_str_append(out, "  ");
    burl__report_put_cut(out, style, f->title,
                         width > used + 2 + tail_n ? width - used - 2 - tail_n : 0);
    burl_buf_str_append(out, burl_buf_str(&tail));
    burl_buf_char(out, '\n');
    burl_printable_fix_report(out, mark, style->color);
    burl_buf_deinit(&tail);
}
