/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/covered.h - coverage items of a campaign so far: metrics of `burl cover`.
 */
#ifndef BURL_ENGINE_COVERED_H
#define BURL_ENGINE_COVERED_H

#include "engine/plan/plan.h"

struct burl_covered;
struct burl_covered *burl__covered_new(void);
void burl__covered_free(struct burl_covered *s);
/* Takes over the items that came since the last call; before burl__batch_add_result(), so that
 * their executions are counted from the right one. `n`: executions of the order. */
void burl__covered_take(struct burl_batch *b, struct burl_target *t, uint64_t n);
/* Reports the new ones; `first`: executions of the campaign before this batch. */
BURL_MUST_CHECK enum burl_status burl__covered_commit(struct burl_campaign *c,
                                                      const struct burl_work *w,
                                                      const struct burl_batch *b, uint64_t first,
                                                      struct burl_err *err);
/* Was the schedule of this execution of the last batch recorded? */
bool burl__covered_is_recorded(const struct burl_campaign *c, uint64_t execution);

#endif
