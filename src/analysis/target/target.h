/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/target.h - the static target of a program (base/sp.h), from its points-to
 * solution.
 */
#ifndef BURL_ANALYSIS_TARGET_H
#define BURL_ANALYSIS_TARGET_H

#include "analysis/pts/pts.h"

enum burl_target_form {
    BURL_TARGET_FILE,  /* as base/sp.h reads it */
    BURL_TARGET_STATS, /* sizes and times */
    BURL_TARGET_CALLS  /* call graph and threads */
};

struct burl__sp; /* the target and all that led to it: analysis/target/steps.h */

/* Analyzes. `for_changes`: two versions are compared, and more is asked than the target of `burl
 * cover` says: memory that is freed is written, and which locks are held at calls. `start_ms`: when
 * the program was opened, by burl_pts_now_ms(). Lives until the process ends. */
struct burl__sp *burl_target_make(const struct burl_program *p, const struct burl_pts *pts,
                                  bool for_changes, uint64_t start_ms);
void burl_target_write(const struct burl__sp *sp, enum burl_target_form form, struct burl_buf *out);

#endif
