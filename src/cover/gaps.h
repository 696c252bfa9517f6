/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/gaps.h - ranks uncovered pairs by value.
 *
 * Works on the model alone and opens nothing. Order, most valuable first: the user's own code
 * before pairs wholly within installed headers; pairs whose reverse is covered; read then write
 * before write then read before write then write; different functions before the same function;
 * then by variable, file and line, so that the order is the same for the same model whatever the
 * order of its pairs.
 */
#ifndef BURL_COVER_GAPS_H
#define BURL_COVER_GAPS_H

#include "report/cover/cover_model.h"

/* Fills `rank` (1, 2, ... without holes) and `why` (a short phrase, owned by the model) of every
 * pair in state UNCOVERED; all others get rank 0. PROPOSED pairs are not gaps. Call it last, when
 * states do not change any more. */
void burl_cover_gaps_rank(struct burl_cover_model *m);

#endif
