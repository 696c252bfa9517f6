/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_gitlab.c - findings as a Code Quality report of GitLab: docs/formats/report-ci.md.
 *
 * Runs in the host. GitLab shows an entry at its line in the merge request, and compares reports by
 * fingerprint. An entry without a place is refused there, so a finding whose place is not known
 * is at the program.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/render/doc_int.h"

static void
put_location(const struct burl_report_doc *d, const struct burl_finding *f,
             struct burl_json_writer *w)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);
    struct burl_buf path = BURL_BUF_INIT;

    if (loc != NULL)
        burl__doc_put_clean(&path, burl__doc_path(d, loc->file));
    else
        burl__doc_put_clean(&path, burl__doc_path(d, f->command));
    if (loc == NULL && strchr(burl_buf_str(&path), ' ') != NULL)
        burl_buf_truncate(&path, strcspn(burl_buf_str(&path), " ")); /* its arguments */
    burl_json_kv_object(w, "location");
    burl__json_put(w, "path:s", path.n > 0 ? burl_buf_str(&path) : "unknown");
    burl_json_kv_object(w, "lines");
    burl__json_put(w, "begin:u", loc != NULL ? loc->line : 1u);
    burl_json_object_end(w);
    burl_json_object_end(w);
    burl_buf_deinit(&path);
}

static void
put_finding(const struct burl_report_doc *d, const struct burl_finding *f,
            struct burl_json_writer *w)
{
    struct burl_buf text = BURL_BUF_INIT;
    char fingerprint[24];

    burl__doc_put_line(&text, f); /* GitLab shows it in one line */
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)f->facts.fingerprint);
    burl_json_object_begin(w);
    burl__json_put(w, "description:s check_name:s fingerprint:s severity:s", burl_buf_str(&text),
                   f->kind, fingerprint, burl__doc_is_warning(f) ? "major" : "critical");
    put_location(d, f, w);
    burl_json_object_end(w);
    burl_buf_deinit(&text);
}

void
burl_report_doc_gitlab(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl_json_writer w;

    burl_json_writer_init(&w, out, 2);
    burl_json_array_begin(&w);
    for (size_t i = 0; i < d->n; i++)
        put_finding(d, d->v[i], &w);
    burl_json_array_end(&w);
    burl_json_writer_finish(&w);
}
