/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/stacks.h - stacks of program threads (stacks.c).
 */
#ifndef BURL_RT_STACKS_H
#define BURL_RT_STACKS_H

#include "core.h"

/* At the low end of every stack, the guard page among it: for the runtime, whose functions run on
 * the program's stack and need more of it in one order than in another. */
#define BURL_STACK_RESERVE_B (64u << 10)

/* The stack of a thread, with its thread-local variables. The first call adds the main stack. */
void burl__stacks_add(uintptr_t lo, uintptr_t hi);
/* Its frames and thread-local variables. */
void burl__stack_bounds(const struct burl_thread *t, uintptr_t *lo, uintptr_t *hi);
/* Does addr lie where the thread's frames are or were? */
bool burl__stack_has(const struct burl_thread *t, uintptr_t addr);
/* The thread whose stack or thread-local variables addr lies in; NULL none. */
struct burl_thread *burl__stack_owner(uintptr_t addr);
/* In a search: t's functions with frames below sp have returned. Not exact: perhaps not all. */
void burl__stack_returned(struct burl_thread *t, uintptr_t sp, bool exact);
/* In a search: t begins a call at this depth of its shadow stack, or has only so many left. */
void burl__stack_call(struct burl_thread *t, uint32_t depth, uintptr_t sp);
void burl__stack_cut(struct burl_thread *t, uint32_t depth);
/* Ends the execution with a finding when addr is stack memory whose function or thread is gone. */
void burl__stack_check_slow(struct burl_thread *t, uintptr_t addr, uintptr_t sp);

/* Is addr stack memory that burl__stack_check_slow() must look at? Not if it is in a live frame or
 * a thread-local variable of t itself. sp: stack pointer of t's program. */
static inline bool
burl__stack_is_suspect(const struct burl_thread *t, uintptr_t addr, uintptr_t sp)
{
    return addr - burl_rt.stacks_lo < burl_rt.stacks_b &&
           (addr < sp || addr >= (t->tid == 0 ? burl_rt.main_stack_base : t->tls_hi));
}

/* Where the frames of main may reach down to, now; 0: no limit is known. */
uintptr_t burl__stack_main_least(void);
/* A call has come to the reserve: the execution ends as it would a little later. sp: of the
 * function that was called, before it called its hook. */
BURL_NORETURN void burl__stack_overflow(uintptr_t sp);

/* Has a call of t used up its stack? Unsigned: with no limit known the difference is large. */
static inline bool
burl__stack_is_over(const struct burl_thread *t, uintptr_t sp)
{
    return t->stack_least - sp - 1 < BURL_STACK_RESERVE_B;
}

/* t is about to switch away, on its own stack. */
static inline void
burl__stack_park(struct burl_thread *t)
{
    t->live_sp = t->user_sp != 0 ? t->user_sp : (uintptr_t)__builtin_frame_address(0);
}

#endif
