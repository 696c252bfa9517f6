/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_lines.c - findings for editors and grep: "file:line: kind: text", one line each.
 *
 * Runs in the host. The shape of compiler messages, which editors and CI logs know. A finding
 * without a place begins with "burl:" in place of file and line.
 */
#include "report/render/doc_int.h"

void
burl_report_doc_lines(const struct burl_report_doc *d, struct burl_buf *out)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct burl_finding *f = d->v[i];
        const struct burl_finding_loc *loc = burl__doc_place(f);

        burl__doc_put_clean(out, loc != NULL ? burl__doc_path(d, loc->file) : "burl");
        if (loc != NULL)
            burl_buf_printf(out, ":%u", loc->line);
        burl_buf_str_append(out, ": ");
        burl__doc_put_clean(out, f->kind);
        burl_buf_str_append(out, ": ");
        burl__doc_put_line(out, f);
        burl_buf_char(out, '\n');
    }
}
