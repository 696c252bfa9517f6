/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/frames.h - the function stack of a thread of free mode: what happens at a function's entry.
 *
 * Compiled into the runtime and, with hooks/hot.c, into every object. stack.c reads what is written
 * here.
 */
#ifndef BURL_RT_FREE_FRAMES_H
#define BURL_RT_FREE_FRAMES_H

#include "free.h"

#define BURL_RING_CALL_SHIFT 48
#define BURL_RING_CALL_MAX 0x3fffu /* of larger ones the lower bits: readers check the site */

/* In which call the function at this depth is (wire/site.h); 0 unknown. Words are read from the
 * thread's own stack only: one that was left in another way may still count as live, and its stack
 * be gone. */
static inline uint32_t
burl_free_call_of(const struct burl_free_thread *f, uint32_t depth)
{
    const uint32_t *word;

    if (BURL_UNLIKELY(depth >= BURL_FREE_DEPTH))
        return 0;
    word = f->words[depth];
    if (BURL_LIKELY((uintptr_t)word - f->stack_lo < f->stack_hi - f->stack_lo))
        return *word;
    return 0;
}

/* Bits 63,62 of a ring word are its kind; see stack.c. */
static inline void *
burl_free_enter(struct burl_free_thread *f, uint32_t site, const uint32_t *word)
{
    uint32_t depth = f->depth++;
    uint32_t call = burl_free_call_of(f, depth - 1);

    if (BURL_LIKELY(depth < BURL_FREE_DEPTH)) {
        f->stack[depth] = site;
        f->words[depth] = word;
    }
    /* relaxed: another thread may read it for a report and checks whether it was overwritten */
    __atomic_store_n(&f->ring[f->ring_at++ % BURL_RING_N],
                     (uint64_t)(call & BURL_RING_CALL_MAX) << BURL_RING_CALL_SHIFT |
                         (uint64_t)site << 16 | (uint16_t)depth,
                     __ATOMIC_RELAXED);
    return (void *)((uintptr_t)depth + 1);
}

#endif
