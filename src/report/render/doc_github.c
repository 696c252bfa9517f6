/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_github.c - findings as annotations of GitHub Actions, one workflow command each.
 *
 * Runs in the host. The runner reads commands "::error file=bank.c,line=6,title=...::message" from
 * the output of a step. A name must not end a property, a command or a line: the characters that
 * could are written as the runner decodes them.
 */
#include <string.h>

#include "report/render/doc_int.h"

/* `reserved`: the characters to encode as %XX. */
static void
put_encoded(struct burl_buf *out, const char *text, const char *reserved)
{
    for (; *text != '\0'; text++) {
        if (strchr(reserved, *text) != NULL)
            burl_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            burl_buf_char(out, *text);
    }
}

static void
put_property(struct burl_buf *out, const char *name, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;

    burl__doc_put_clean(&clean, text);
    burl_buf_printf(out, "%s=", name);
    put_encoded(out, burl_buf_str(&clean), "%\r\n:,");
    burl_buf_deinit(&clean);
}

static void
put_place(const struct burl_report_doc *d, const struct burl_finding_loc *loc, struct burl_buf *out)
{
    put_property(out, "file", burl__doc_path(d, loc->file));
    burl_buf_printf(out, ",line=%u", loc->line);
    if (loc->column != 0)
        burl_buf_printf(out, ",col=%u", loc->column);
    burl_buf_char(out, ',');
}

void
burl_report_doc_github(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;

    for (size_t i = 0; i < d->n; i++) {
        const struct burl_finding *f = d->v[i];
        const struct burl_finding_loc *loc = burl__doc_place(f);

        burl_buf_printf(out, "::%s ", burl__doc_is_warning(f) ? "warning" : "error");
        if (loc != NULL)
            put_place(d, loc, out);
        burl_buf_clear(&text);
        burl_buf_printf(&text, "burl: %s", f->kind);
        put_property(out, "title", burl_buf_str(&text));
        burl_buf_str_append(out, "::");
        burl_buf_clear(&text);
        burl__doc_put_message(&text, f);
        put_encoded(out, burl_buf_str(&text), "%\r\n");
        burl_buf_char(out, '\n');
    }
    burl_buf_deinit(&text);
}
