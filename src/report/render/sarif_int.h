/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/render/sarif_int.h - what the files of the SARIF document share.
 */
#ifndef BURL_REPORT_SARIF_INT_H
#define BURL_REPORT_SARIF_INT_H

#include "base/json.h"
#include "report/render/doc_int.h"

struct burl__sarif {
    const struct burl_report_doc *d;
    struct burl_json_writer *w;
};

/* A member `key`: a message of plain text, on several lines if `text` has them. What is not
 * printable becomes '?': viewers show it as it is. */
void burl__sarif_put_message(struct burl_json_writer *w, const char *key, const char *text);
/* A member `key`: a string of one line, cleaned in the same way. */
void burl__sarif_put_string(struct burl_json_writer *w, const char *key, const char *text);
/* Members `uri` and, for a file below the working directory, `uriBaseId`. */
void burl__sarif_put_uri(const struct burl__sarif *s, const char *file);
/* A member `originalUriBaseIds`: the working directory, which ends with a slash. */
void burl__sarif_put_root(const struct burl__sarif *s);
/* A location object; `message` NULL: none; `id` 0: none. Without a known line only the function. */
void burl__sarif_put_location(const struct burl__sarif *s, const struct burl_finding_loc *loc,
                              const char *message, unsigned id);
/* A stack object; frames of libraries too. */
void burl__sarif_put_stack(const struct burl__sarif *s, const struct burl_finding_stack *stack,
                           uint16_t tid, const char *message);
/* A member `codeFlows`: the interleaving, a thread flow for each thread; nothing when neither the
 * steps nor the accesses are known. */
void burl__sarif_put_flows(const struct burl__sarif *s, const struct burl_finding *f);

#endif
