/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/retry_int.h - helpers around violations within this folder.
 */
#ifndef BURL_GEN_RETRY_INT_H
#define BURL_GEN_RETRY_INT_H

#include "gen/exec/exec.h"

/* *to is overwritten; the caller ends it with burl_gen_outcome_deinit(). */
void burl__gen_outcome_copy(struct burl_gen_outcome *to, const struct burl_gen_outcome *from);

#endif
