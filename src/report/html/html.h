/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/html/html.h - what the HTML pages share: escaping, head, theme, source files.
 */
#ifndef BURL_REPORT_HTML_H
#define BURL_REPORT_HTML_H

#include "base/vec.h"
#include "report/text/text.h"

/* ---- html.c ------------------------------------------------------------------------ */

/* In the format of burl__text_vformat(), with %E: a string (NULL is "") that is escaped. */
void burl__html_put(struct burl_buf *out, const char *fmt, ...);
/* From the doctype into the head: charset, viewport, color scheme, title, an empty icon. The caller
 * adds its styles and closes the head. */
void burl__html_head(struct burl_buf *out, const char *title);
/* Inside of the head of a page in one file: the policy that admits these styles and this script and
 * nothing else (script "": none at all), and the styles. Neither may hold "</". */
void burl__html_head_inline(struct burl_buf *out, const char *styles, const char *script);

/* ---- assets.c: files of assets/, inside burl --------------------------------------- */

/* The text of a file: "theme.css" (colors, and what all pages have), "report.css", "report.js". It
 * must be there. */
const char *burl__html_asset(const char *name);

/* ---- source.c ---------------------------------------------------------------------- */

/* A source file in memory, cut into lines. */
struct burl__html_source {
    char *text; /* NULL: not found */
    size_t n;
    BURL_VEC(size_t) at; /* where each line begins; one more for the end */
};

void burl__html_source_load(struct burl__html_source *t, const char *path);
void burl__html_source_deinit(struct burl__html_source *t);
/* Line `n` (from 1) without its end; NULL when there is none. */
const char *burl__html_source_line(const struct burl__html_source *t, uint32_t n, size_t *len);

#endif
