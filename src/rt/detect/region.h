/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/region.h - marked atomic regions (region.c), part of the observer of triples (triple.c).
 */
#ifndef BURL_RT_REGION_H
#define BURL_RT_REGION_H

#include "observe.h"

void burl__region_reset(void); /* of an execution */
void burl__region_begin(struct burl_watch *w);
void burl__region_end(struct burl_watch *w);
void burl__region_access(struct burl_watch *w, const struct burl_access *a);
void burl__region_forget(uintptr_t addr, uint64_t n);

#endif
