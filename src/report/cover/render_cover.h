/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover.h - the renderers of struct burl_cover_model.
 *
 * Runs in the host. Every renderer reads the model and the sources that it names, and nothing else;
 * it writes into a burl_buf or, for the page, into a directory. None prints. A model with anything
 * missing renders: no target, no sources, no pairs, invalid indices.
 *
 * Order is the model's: the same model gives the same bytes.
 */
#ifndef BURL_REPORT_RENDER_COVER_H
#define BURL_REPORT_RENDER_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "report/cover/cover_model.h"
#include "report/report.h"

/* Gaps shown by the text; SIZE_MAX for all of them. */
#define BURL_COVER_GAPS_DEFAULT 10

/* For the terminal: a row per metric, a row per file, the first `max_gaps` gaps by rank, what the
 * analysis missed, stale prunes. At most style->width columns (0: 100). */
void burl_report_cover_text(const struct burl_cover_model *m, const struct burl_report_style *style,
                            size_t max_gaps, struct burl_buf *out);

/* One document; docs/formats/cover-json.md. */
#define BURL_COVER_JSON_VERSION 1u
void burl_report_cover_json(const struct burl_cover_model *m, struct burl_buf *out);

/* An lcov tracefile (.info): the lines of every file, with the location pairs in comments. */
void burl_report_cover_lcov(const struct burl_cover_model *m, struct burl_buf *out);

/* Writes the page into `dir`, made when missing: open dir/index.html. Files of ours that were there
 * are replaced, other files stay. */
BURL_MUST_CHECK enum burl_status burl_report_cover_html(const struct burl_cover_model *m,
                                                        const char *dir, struct burl_err *err);

/* NULL when the metric was not measured. */
const struct burl_cover_metric *burl_report_cover_metric(const struct burl_cover_model *m,
                                                         uint8_t metric);
/* Does the metric have a target? A target may be 0: all was pruned. */
bool burl_report_cover_has_target(const struct burl_cover_model *m,
                                  const struct burl_cover_metric *x);
/* The covered share in tenths of a percent, rounded down, as every renderer shows it; 1000 if the
 * target is 0. */
uint32_t burl_report_cover_permille(const struct burl_cover_model *m,
                                    const struct burl_cover_metric *x);

/* "location-pairs", "LP" and the definition; "" when out of range. */
const char *burl_report_metric_name(uint8_t metric);
const char *burl_report_metric_short(uint8_t metric);
const char *burl_report_metric_definition(uint8_t metric);
/* "covered", "uncovered", "pruned", "proposed", "impossible", "outside" */
const char *burl_report_cover_state_name(enum burl_cover_state state);

#endif
