/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/thin.h - long executions: accesses that repeat what their thread did to private memory.
 */
#ifndef BURL_RT_THIN_H
#define BURL_RT_THIN_H

#include "rt/core/core.h"

struct burl_wire_order;

/* Called when an execution begins. burl_rt.thin_from: steps from which on accesses are thinned;
 * UINT64_MAX: never. */
void burl__thin_begin(const struct burl_wire_order *o);

/* A plain access of at most 8 bytes that does not wait in a loop, by one of several threads. True:
 * it is no scheduling point, and neither observers nor learn.c need it. */
bool burl__thin_skips(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                      bool write);

#endif
