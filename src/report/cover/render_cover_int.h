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

#endif
