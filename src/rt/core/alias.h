/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/alias.h - one address for memory that a process has mapped several times.
 *
 * A file or shared memory that is mapped twice has two addresses. A lock taken at one of them is
 * held at the other, too, so everything that is known by its address (sync objects, clocks, the
 * last accesses) is known by that in the oldest mapping that has these bytes.
 */
#ifndef BURL_RT_CORE_ALIAS_H
#define BURL_RT_CORE_ALIAS_H

#include <stddef.h>
#include <stdint.h>

#include "rt/core/rt.h"

/* Bounds of all shared mappings; span_b 0 while no two have bytes in common. */
struct burl_alias_bounds {
    uintptr_t low;
    uintptr_t span_b;
};
extern struct burl_alias_bounds burl_alias_bounds;

uintptr_t burl__alias_find(uintptr_t addr);

static inline uintptr_t
burl_alias(uintptr_t addr)
{
    /* relaxed: a thread that uses a mapping has been given its address by the one that made it */
    const uintptr_t low = __atomic_load_n(&burl_alias_bounds.low, __ATOMIC_RELAXED);
    const uintptr_t span_b = __atomic_load_n(&burl_alias_bounds.span_b, __ATOMIC_RELAXED);

    return BURL_LIKELY(addr - low >= span_b) ? addr : burl__alias_find(addr);
}

/* A successful mmap() with MAP_SHARED, and what ends a mapping or parts of it. */
void burl__alias_map(uintptr_t addr, size_t n, int fd, uint64_t offset);
void burl__alias_unmap(uintptr_t addr, size_t n);
/* After mremap(): what was in from_b bytes at `from` is in n bytes at `to`. */
void burl__alias_move(uintptr_t from, size_t from_b, uintptr_t to, size_t n);
/* What was mapped by now is there in every execution; back to that. */
void burl__alias_mark(void);
void burl__alias_rewind(void);

#endif
