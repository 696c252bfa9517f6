/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/impact.h - which accesses of the static target a change impacts, and which blocks
 * of the base version they map to: base/changes.h.
 */
#ifndef BURL_ANALYSIS_IMPACT_H
#define BURL_ANALYSIS_IMPACT_H

#include "analysis/diff/diff.h"
#include "analysis/target/target.h"

/* `sp` is the target of d->is. Nothing of them may be freed before. */
void burl_impact_find(struct burl_changes *c, const struct burl_diff *d, struct burl__sp *sp);

#endif
