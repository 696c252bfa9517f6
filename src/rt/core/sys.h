/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/sys.h - system calls without libc: no errno, no cancellation, no interposition.
 *
 * Results are the kernel's: negative errno on failure.
 */
#ifndef BURL_RT_SYS_H
#define BURL_RT_SYS_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "critical.h"

#if !defined(__x86_64__)
#error "burl's runtime is written for x86-64"
#endif

static inline long
burl_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

#define BURL_SYS0(nr) burl_sys6(nr, 0, 0, 0, 0, 0, 0)
#define BURL_SYS1(nr, a) burl_sys6(nr, (long)(a), 0, 0, 0, 0, 0)
#define BURL_SYS2(nr, a, b) burl_sys6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define BURL_SYS3(nr, a, b, c) burl_sys6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define BURL_SYS4(nr, a, b, c, d) burl_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define BURL_SYS5(nr, a, b, c, d, e) \
    burl_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define BURL_SYS6(nr, a, b, c, d, e, f) \
    burl_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* A raw system call's result as libc would return it to the program: -1 and errno. Setting errno
 * is not against R5: it is the result of the program's own call. */
static inline long
burl__result(long r)
{
    if (r < 0 && r >= -4095) {
        errno = (int)-r;
        return -1;
    }
    return r;
}

/* ---- spin locks, which yield after a while ------------------------------------------------ */

static inline void
burl__word_lock(uint32_t *word)
{
    /* pairs with the release store of burl__word_unlock() */
    for (uint32_t n = 0; __atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) != 0;) {
        while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0) {
            if (burl_critical.is_orphan)
                return;
            if (++n % 64 == 0)
                BURL_SYS0(SYS_sched_yield);
            __builtin_ia32_pause();
        }
    }
}

static inline void
burl__word_unlock(uint32_t *word)
{
    /* pairs with the acquire exchange of burl__word_lock() */
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

/* No handler of the program runs in a thread that has one of the following locks or waits for it:
 * core/critical.h. */
static inline void
burl__spin_lock(uint32_t *word)
{
    burl__critical_begin();
    burl__word_lock(word);
}

static inline void
burl__spin_unlock(uint32_t *word)
{
    burl__word_unlock(word);
    burl__critical_end();
}

/*
 * A lock whose word names its holder: the handler of a fault, or a cleanup handler of a
 * cancellation, that comes upon a lock of its own thread finds that out, from the very instruction
 * that takes the lock to the one that gives it back. False: the thread holds it already. `me` is
 * not 0.
 */
static inline bool
burl__owned_lock(uint32_t *word, uint32_t me)
{
    /* relaxed: only this thread writes this value */
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == me)
        return false;
    burl__critical_begin();
    for (uint32_t n = 0;;) {
        uint32_t free_word = 0;

        /* pairs with the release store of burl__owned_unlock() */
        if (__atomic_compare_exchange_n(word, &free_word, me, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
        while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0) {
            if (burl_critical.is_orphan) {
                __atomic_store_n(word, me, __ATOMIC_RELAXED);
                return true;
            }
            if (++n % 64 == 0)
                BURL_SYS0(SYS_sched_yield);
            __builtin_ia32_pause();
        }
    }
}

static inline void
burl__owned_unlock(uint32_t *word)
{
    burl__spin_unlock(word);
}

/* Gives the lock back if an operation of this thread that was never finished still has it. The
 * caller sees to the depth of burl_critical. */
static inline void
burl__owned_abandon(uint32_t *word, uint32_t me)
{
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == me)
        burl__word_unlock(word);
}

/* Signals are blocked between the two. */
static inline void
burl__signal_lock(uint32_t *word, uint64_t *mask)
{
    uint64_t all = ~0ull;

    BURL_SYS4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, mask, 8);
    burl__word_lock(word);
}

static inline void
burl__signal_unlock(uint32_t *word, uint64_t mask)
{
    burl__word_unlock(word);
    BURL_SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, NULL, 8);
}

#endif
