/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/matrix.h - which pairs of functions ran at the same time, as a triangle: for the
 * terminal and as a page.
 */
#ifndef BURL_GEN_MATRIX_H
#define BURL_GEN_MATRIX_H

#include "base/buf.h"
#include "gen/search/search.h"

/* The states of a pair, as cells. */
struct burl_gen_cell {
    char sign;
    const char *name; /* of its class on the page */
    const char *words;
    const char *ink; /* on a terminal */
};
#define BURL_GEN_CELLS 4
extern const struct burl_gen_cell burl_gen_cells[BURL_GEN_CELLS];

const struct burl_gen_cell *burl_gen_cell_of(const struct burl_gen_pair *p);

/* The triangle, one row per function; at most `width` columns wide: functions that do not fit are
 * named and left to the page. */
void burl_gen_matrix_text(const struct burl_gen_model *m, struct burl_gen_pairs *p, unsigned width,
                          bool color, struct burl_buf *out);

/* What the page shows beside the matrix. */
struct burl_gen_page {
    const struct burl_gen_model *model;
    struct burl_gen_pairs *pairs;
    const struct burl_gen_stats *stats;
    const struct burl_gen_curve *curve;
    const char *const *findings; /* titles */
    size_t n_findings;
};
/* One self-contained HTML document. */
void burl_gen_matrix_html(const struct burl_gen_page *page, struct burl_buf *out);

#endif
