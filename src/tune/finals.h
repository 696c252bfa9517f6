/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/finals.h - final evaluations: which of the good settings is the best?
 *
 * A search evaluates many settings by a few executions each, and the best of many such values is
 * mostly luck. So the best ones are evaluated again, the better the more often, until they stay the
 * best: of n finalists each once, of the better half each three times, of the better quarter each
 * seven times, and so on. Which settings are finalists is decided anew after each evaluation: a
 * setting that falls behind makes room for the next.
 *
 * A search learns nothing of it, so it goes on as if there had been no finals.
 */
#ifndef BURL_TUNE_FINALS_H
#define BURL_TUNE_FINALS_H

#include "tune/tuner.h"

/* Numbers of final trials begin here: none of a search gets so far. */
#define BURL_FINALS_BASE (1ull << 32)

/* The trials to evaluate now, at most t->jobs and of different settings; none when the best of
 * `n_finalists` are evaluated often enough, or when no execution of any setting failed. The same
 * until they are learned. */
const struct burl_trial *burl_finals_batch(struct burl_tuner *t, uint32_t n_finalists, size_t *n);
/* The outcome of the first of them. */
const struct burl_evaluation *burl_finals_learn(struct burl_tuner *t,
                                                const struct burl_tune_outcome *o);
/* Repeats one of an earlier process. False: the search has not evaluated the setting. */
bool burl_finals_recall(struct burl_tuner *t, const struct burl_genes *genes,
                        const struct burl_tune_outcome *o);
/* Those that are not learned will not be. */
void burl_finals_drop(struct burl_tuner *t);

#endif
