/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/tune/tune_page.h - a search for noise as one page: no script, no other file.
 *
 * Fitness over generations, every gene over time, coverage and errors as they grew; the best
 * setting in words, and the findings.
 */
#ifndef BURL_REPORT_TUNE_PAGE_H
#define BURL_REPORT_TUNE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* One evaluation. */
struct burl_tune_point {
    uint32_t generation;
    bool elite;
    uint32_t errors;
    uint64_t fresh; /* weight of new coverage */
    double fitness;
    const int32_t *genes; /* one for each gene of the page */
};

struct burl_tune_axis {
    const char *name;
    int32_t min, max;
};

struct burl_tune_line {
    const char *label; /* "plain runs" */
    const char *text;
};

struct burl_tune_page {
    const char *title;
    const struct burl_tune_line *lines; /* the summary */
    size_t n_lines;
    const char *setting; /* the best, in one line; NULL none */
    const char *words;   /* what it does, one sentence per line */
    const struct burl_tune_axis *genes;
    size_t n_genes;
    const int32_t *best; /* its genes; NULL none */
    const struct burl_tune_point *points; /* in order */
    size_t n_points;
    const struct burl_tune_line *findings; /* label: "#1 race.data" */
    size_t n_findings;
};

void burl_tune_page_render(const struct burl_tune_page *p, struct burl_buf *out);

#endif
