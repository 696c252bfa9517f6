/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/matrix.h - which pairs of functions ran at the same time, as a triangle: for the
 * terminal and as a page.
 */
#ifndef BURL_GEN_MATRIX_H
#define BURL_GEN_MATRIX_H

#include "base/buf.h"
#include "gen/search/search.h"

/* The state of a pair. X(NAME, sign, "words") */
#define BURL_GEN_CELLS(X)                          \
    X(UNTRIED, '.', "not tried")                   \
    X(TRIED, '-', "tried, never at the same time") \
    X(COVERED, 'o', "ran at the same time")        \
    X(VIOLATED, 'X', "a violation")

enum burl_gen_cell {
#define BURL_X(name, sign, words) BURL_GEN_CELL_##name,
    BURL_GEN_CELLS(BURL_X)
#undef BURL_X
        BURL_GEN_CELL__N
};

enum burl_gen_cell burl_gen_cell_of(const struct burl_gen_pair *p);

struct burl_gen_matrix_row {
    size_t covered;
    size_t tried;
    size_t all;
};
/* Totals over all pairs. */
struct burl_gen_matrix_row burl_gen_matrix_totals(const struct burl_gen_pairs *p);

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
