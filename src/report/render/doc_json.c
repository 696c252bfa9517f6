/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_json.c - all findings as one JSON document: docs/formats/report-json.md.
 *
 * Runs in the host. Each finding is as in its finding.json; nothing is lost or cleaned, JSON
 * escapes what it must.
 */
#include "base/json.h"
#include "report/render/doc_int.h"

void
burl_report_doc_json(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl_json_writer w;

    burl_json_writer_init(&w, out, 2);
    burl_json_object_begin(&w);
    burl__json_put(&w, "burl_report:u burl:s campaign:o", BURL_REPORT_DOC_SCHEMA, d->version,
                   d->campaign != 0, (uint64_t)d->campaign);
    burl_json_kv_array(&w, "findings");
    for (size_t i = 0; i < d->n; i++)
        burl_report_json_value(d->v[i], &w);
    burl_json_array_end(&w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
}
