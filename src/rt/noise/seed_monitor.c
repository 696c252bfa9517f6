/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/seed_monitor.c - seedings with a monitor of the runtime: wait, and synchYield.
 *
 * The monitor is one futex word for all threads, by raw system calls: no observer sees it, so it
 * adds no happens-before edge, and no interposer. Threads that come to it contend for it for real.
 *
 * It cannot deadlock. Signals are blocked while it is held (asynchronous cancellation is one), so
 * neither a handler nor a longjmp nor a cancellation comes between; nothing of the program runs
 * meanwhile; and a thread gives up after ENTER_MS. wait holds it only to begin: it waits on a
 * second word that nothing ever changes, until its time is over or a signal comes.
 */
#include <linux/futex.h>

#include "noise_int.h"

#define ENTER_MS 100u
#define FREE 0u
#define HELD 1u
#define CONTENDED 2u /* held, and others sleep */

static uint32_t monitor;
static uint32_t condition; /* stays 0 */

static void
futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
    struct timespec ts = burl__noise_timespec(ns);

    BURL_SYS4(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &ts);
}

static bool
try_enter(void)
{
    uint32_t was = FREE;

    /* acquire, release: as any lock; what it guards is time alone */
    return __atomic_compare_exchange_n(&monitor, &was, HELD, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Signals are blocked afterwards; *mask: those before. False: it took too long. */
static bool
enter(uint64_t *mask)
{
    const uint64_t all = ~0ull;
    uint64_t end = 0;
    bool entered;

    BURL_SYS4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, mask, 8);
    entered = try_enter();
    while (!entered) {
        const uint64_t now = burl__noise_now(CLOCK_MONOTONIC);

        if (end == 0)
            end = now + ENTER_MS * BURL_NOISE_NS_PER_MS;
        if (now >= end)
            break;
        entered = __atomic_exchange_n(&monitor, CONTENDED, __ATOMIC_ACQUIRE) == FREE;
        if (!entered)
            futex_wait(&monitor, CONTENDED, end - now);
    }
    if (!entered)
        BURL_SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, mask, NULL, 8);
    return entered;
}

static void
leave(const uint64_t *mask)
{
    if (__atomic_exchange_n(&monitor, FREE, __ATOMIC_RELEASE) == CONTENDED)
        BURL_SYS3(SYS_futex, &monitor, FUTEX_WAKE_PRIVATE, 1);
    BURL_SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, mask, NULL, 8);
}

void
burl__noise_wait(uint32_t ms)
{
    uint64_t mask;

    if (enter(&mask))
        leave(&mask);
    futex_wait(&condition, 0, ms * BURL_NOISE_NS_PER_MS);
}

void
burl__noise_synch_yield(uint32_t times)
{
    uint64_t mask;
    const bool entered = enter(&mask);

    burl__noise_yield(times);
    if (entered)
        leave(&mask);
}
