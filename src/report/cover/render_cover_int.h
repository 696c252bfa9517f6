/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_int.h - what the renderers of coverage share. Nothing outside includes
 * it.
 *
 * The model comes from elsewhere and may be half filled: every string may be NULL and every index
 * may point nowhere, so renderers read it through these functions.
 */
#ifndef BURL_REPORT_RENDER_COVER_INT_H
#define BURL_REPORT_RENDER_COVER_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/cover/render_cover.h"
#include "report/html/html.h"
#include "report/text/text.h"

#define BURL__COVER_N_STATES (BURL_COVER_OUTSIDE + 1)

/* ---- cover_pick.c: the model, read safely -------------------------------------------- */

/* "" for NULL. */
const char *burl__cover_str(const char *s);
/* Never NULL: a site without names when the index points nowhere. */
const struct burl_cover_site *burl__cover_site(const struct burl_cover_model *m, uint32_t i);
/* "acct->balance": of the pair's variable, else of its earlier site, else "". */
const char *burl__cover_variable(const struct burl_cover_model *m, const struct burl_cover_pair *p);
/* "read", "write", "atomic read", "atomic update", ... */
const char *burl__cover_access(const struct burl_cover_site *s);
/* Pairs per state. */
void burl__cover_count(const struct burl_cover_model *m, uint64_t n[BURL__COVER_N_STATES]);
/* Indices of the UNCOVERED pairs, best rank first, those without a rank last; caller frees. */
uint32_t *burl__cover_gaps(const struct burl_cover_model *m, size_t *n);
/* Tenths of a percent, rounded down, so that 100.0 means all; 0 when there is no target. */
uint32_t burl__cover_permille(uint64_t covered, uint64_t target);
/* Why a target is 0, in a few words; "" when it is not. */
const char *burl__cover_why_no_target(const struct burl_cover_model *m,
                                      const struct burl_cover_metric *x);
/* What LINE counts in a program without instrumented blocks, and what BLK lacks; "" otherwise. */
const char *burl__cover_line_note(const struct burl_cover_model *m);
const char *burl__cover_block_note(const struct burl_cover_model *m);
/* Does the metric have a weight, or unserializable items? */
bool burl__cover_has_weight(uint8_t metric);
bool burl__cover_has_unserial(uint8_t metric);
/* The command that replays a schedule file; appends nothing for NULL and "". */
void burl__cover_replay(const char *schedule, struct burl_buf *out);

/*
 * ---- the HTML report ----------------------------------------------------------------
 *
 * The page is a directory: index.html (summary), pairs.html, variables.html, file/N-name.html (one
 * per source file), data.js (the model) and the scripts and the style sheet of
 * src/report/cover/html, which the Makefile turns into strings. It is opened from disk: nothing is
 * fetched, the data come as a script. Summary and sources are written out here and need no script;
 * lists and matrices, which may be too large to write out, are drawn by one.
 *
 * Everything from the model or from a source goes through burl_buf_html_n(), %E of
 * burl__html_put() or the JSON writer.
 */

/* Pairs the page can show: more and browsers get slow. The best gaps are kept. */
#define BURL__COVER_HTML_PAIRS 100000u

/* A source file of the page. Strings are borrowed from the model but for href. */
struct burl__cover_src {
    const char *name;
    const char *path;
    const struct burl_cover_file *f; /* NULL: known from sites alone */
    char *href;                      /* "file/3-bank.c.html" */
};

/* A pair begins or ends on a line. */
struct burl__cover_mark {
    uint32_t src;
    uint32_t line;
    uint32_t pair; /* number on the page */
    bool later;
};

struct burl__cover_html {
    const struct burl_cover_model *m;
    BURL_VEC(struct burl__cover_src) srcs;
    uint32_t *site_src;       /* per site: index into srcs, UINT32_MAX none */
    BURL_VEC(uint32_t) pairs; /* those on the page: indices into m->pairs, ascending */
    BURL_VEC(struct burl__cover_mark) marks; /* ascending by file, line, pair */
    struct burl_buf lines; /* JSON: source lines around the sites, by file and line */
};

/* cover_html_plan.c */
void burl__cover_html_plan(struct burl__cover_html *h, const struct burl_cover_model *m);
void burl__cover_html_deinit(struct burl__cover_html *h);
/* The number on the page of m->pairs.v[i]; SIZE_MAX when it is not there. */
size_t burl__cover_html_number(const struct burl__cover_html *h, uint32_t i);
/* The first mark of the file; `n` how many. */
const struct burl__cover_mark *burl__cover_marks(const struct burl__cover_html *h, uint32_t src,
                                                 size_t *n);

/* render_cover_html.c: parts of every page */
/* "bank.c:40", a link to the line if there is one; `data`: further attributes of the link. */
void burl__cover_put_place(const struct burl__cover_html *h, uint32_t site, const char *data,
                           struct burl_buf *out);
/* Up to and with <main>; `root` is "" or "../". */
void burl__cover_html_head(const struct burl__cover_html *h, struct burl_buf *out,
                           const char *title, const char *page, const char *root);
/* The rest; `script` is the page's own. */
void burl__cover_html_foot(struct burl_buf *out, const char *root, const char *script);
/* A bar with its percentage; a dash when there is no target. */
void burl__cover_html_bar(struct burl_buf *out, uint64_t covered, uint64_t target);
/* "●": the state as a shape; never the color alone. */
const char *burl__cover_state_mark(enum burl_cover_state state);

/* One page each. */
void burl__cover_html_index(const struct burl__cover_html *h, struct burl_buf *out);
void burl__cover_html_curve(const struct burl_cover_metric *x, struct burl_buf *out);
void burl__cover_html_pairs(const struct burl__cover_html *h, struct burl_buf *out);
void burl__cover_html_variables(const struct burl__cover_html *h, struct burl_buf *out);
void burl__cover_html_file(struct burl__cover_html *h, uint32_t src,
                           const struct burl__html_source *t, struct burl_buf *out);
void burl__cover_html_data(const struct burl__cover_html *h, struct burl_buf *out);

/* cover_assets.c */
struct burl__cover_asset {
    const char *name; /* NULL ends the table */
    const char *text;
};

extern const struct burl__cover_asset burl__cover_assets[];

#endif
