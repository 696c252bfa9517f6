/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/heap.h - the program's heap (heap.c).
 */
#ifndef BURL_RT_HEAP_H
#define BURL_RT_HEAP_H

#include "rt.h"

void burl__heap_init(void);
void burl__heap_reset(void); /* empty again */
/* Ends the execution with a finding when [addr, addr+n) is in the heap and not all of it live. */
void burl__heap_check_slow(uintptr_t addr, size_t n);
/* The same for one load instruction: an aligned word may reach over the end of its block. */
void burl__heap_check_load(uintptr_t addr, size_t n);
/* NULL: no room. *recycled: the block had an earlier life. */
void *burl__heap_alloc(size_t size, size_t align, bool zero, bool *recycled);
/* Bytes of the block at addr; a finding when it is not a live block or was overrun. */
size_t burl__heap_check_free(uintptr_t addr);
void burl__heap_free(uintptr_t addr); /* after burl__heap_check_free() */
/* The block that addr lies in; false and zeros when it is none. */
bool burl__heap_block(uintptr_t addr, uint64_t *start, uint64_t *size_b);
/* Where a block (by its first byte, live or in quarantine) was allocated. */
void burl__heap_set_site(uintptr_t addr, uint32_t site);
/* Is addr in a block that was allocated while there were several threads? */
bool burl__heap_is_late(uintptr_t addr);
uint32_t burl__heap_site(uintptr_t addr);
size_t burl__heap_size(uintptr_t addr); /* in bytes; a finding when addr is not a live block */
/* Makes the end that glibc would add to the block part of it. Returns the number of new bytes. */
size_t burl__heap_open_end(uintptr_t addr);

#define BURL_HEAP_BASE 0x600000000000ull
#define BURL_HEAP_B (16ull << 30)

static inline bool
burl__heap_owns(uintptr_t addr)
{
    return addr - BURL_HEAP_BASE < BURL_HEAP_B;
}

static inline void
burl__heap_check(uintptr_t addr, size_t n)
{
    if (burl__heap_owns(addr))
        burl__heap_check_slow(addr, n);
}

#endif
