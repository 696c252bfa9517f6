/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/fiber.h - contexts that share one kernel thread. See fiber_x86_64.S.
 */
#ifndef BURL_RT_FIBER_H
#define BURL_RT_FIBER_H

#include <stdint.h>

extern uint8_t burl_fiber_fsgsbase;

void burl_fiber_switch(void **save_sp, void *load_sp, uintptr_t fs_base);
void burl_fiber_entry(void);

/* The floating-point control words, as burl_fiber_switch() saves them: mxcsr (rounding, what is
 * masked, denormals as zero, exceptions raised) and the x87 control word. */
static inline uint64_t
burl_fiber_fp_words(void)
{
    uint32_t mxcsr;
    uint16_t x87;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | mxcsr;
}

/* Lays out a fresh context below `top` that will call fn(arg) with these floating-point control
 * words; returns its stack pointer. */
static inline void *
burl_fiber_make(uintptr_t top, void (*fn)(void *), void *arg, uint64_t fp_words)
{
    uint64_t *sp = (uint64_t *)(top & ~(uintptr_t)15);

    *--sp = 0;
    *--sp = 0;                          /* two words: the ABI's alignment at the entry's call */
    *--sp = (uint64_t)burl_fiber_entry; /* return address of the switch */
    *--sp = 0;                          /* rbp */
    *--sp = 0;                          /* rbx */
    *--sp = (uint64_t)fn;               /* r12 */
    *--sp = (uint64_t)arg;              /* r13 */
    *--sp = 0;                          /* r14 */
    *--sp = 0;                          /* r15 */
    *--sp = fp_words;
    return sp;
}

static inline uintptr_t
burl_fiber_fs_base(void)
{
    uintptr_t fs;

    __asm__("movq %%fs:0, %0" : "=r"(fs)); /* the TCB's first word points to itself */
    return fs;
}

/* The GS base, which libc leaves to the program; only where burl_fiber_fsgsbase is set. */
static inline uintptr_t
burl_fiber_gs_base(void)
{
    uintptr_t gs = 0;

    if (burl_fiber_fsgsbase)
        __asm__ volatile("rdgsbase %0" : "=r"(gs));
    return gs;
}

static inline void
burl_fiber_set_gs_base(uintptr_t gs)
{
    if (burl_fiber_gs_base() != gs)
        __asm__ volatile("wrgsbase %0" : : "r"(gs) : "memory");
}

#endif
