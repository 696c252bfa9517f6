/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/u32s.h - lists of numbers, as lists and as sets.
 */
#ifndef BURL_ANALYSIS_U32S_H
#define BURL_ANALYSIS_U32S_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct burl_u32s {
    BURL_VEC_OF(uint32_t);
};

bool burl_u32s_has(const struct burl_u32s *l, uint32_t x);
/* False: it was there already. */
bool burl_u32s_add(struct burl_u32s *l, uint32_t x);
/* Makes it ascend, without repetitions. */
void burl_u32s_sort(struct burl_u32s *l);
/* Both ascend; true when something was added. */
bool burl_u32s_unite(struct burl_u32s *l, const uint32_t *v, size_t n);

#endif
