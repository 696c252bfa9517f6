/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/render/page_int.h - what the files of the HTML page of findings share.
 *
 * Every name of a program goes through %E of burl__html_put(). There are no style attributes and no
 * scripts in elements: the policy of the page excludes them.
 */
#ifndef BURL_REPORT_PAGE_INT_H
#define BURL_REPORT_PAGE_INT_H

#include "base/vec.h"
#include "report/html/html.h"
#include "report/render/doc_int.h"
#include "report/render/render_int.h"

/* A source file that was looked for. */
struct burl__page_file {
    const char *path; /* of the finding */
    struct burl__html_source source;
};

struct burl__page {
    const struct burl_report_doc *d;
    struct burl_buf *out;
    BURL_VEC(struct burl__page_file) files;
    struct burl_buf words; /* for a sentence that is escaped afterwards */
};

/* page_parts.c */

/* "bank.c:40 in deposit", as it is in all places; nothing for an unknown place. */
void burl__page_put_place(struct burl__page *p, const struct burl_finding_loc *loc, bool func);
/* The lines around the place if the file is there and has the line that the finding has; else that
 * line alone, if it is known. */
void burl__page_put_excerpt(struct burl__page *p, const struct burl_finding_loc *loc);
void burl__page_put_stack(struct burl__page *p, const struct burl_finding_stack *stack);
/* Of a list; nothing when `n` is 0. */
void burl__page_put_locks(struct burl__page *p, const struct burl_finding *f,
                          const struct burl_finding_lock *locks, size_t n);
/* The words collected in p->words, escaped, as an element of this name; empties them. */
void burl__page_put_words(struct burl__page *p, const char *element);
/* A heading with a note behind it (NULL none); the words of a title begin in lower case. */
void burl__page_put_heading(struct burl__page *p, const char *title, const char *note);
void burl__page_deinit(struct burl__page *p);

/* page_lanes.c: the interleaving, threads as columns; nothing when there are no steps. */
void burl__page_put_lanes(struct burl__page *p, const struct burl_finding *f);

/* page_finding.c: one finding, to fold. */
void burl__page_put_finding(struct burl__page *p, const struct burl_finding *f);

#endif
