/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/halt.c - haltOneThread: now and then one thread stops until no other can run.
 *
 * The thread that draws it halts itself, if no other is halted. It looks every millisecond and goes
 * on when
 *   - the records of all other threads say that they are blocked (free/blocked.c), or there are no
 *     other threads; or
 *   - the other threads have used no processor time for IDLE_LOOKS looks: they sleep, wait for
 *     input, or for something without a record; the process's clock minus the thread's own says
 *     so; or
 *   - a signal has come for it; or
 *   - the cap is reached, BURL_NOISE_HALT_MS times the strength, or the host ends the noise.
 * Other threads never wait for the halted one but by the program's own locks, so the worst case is
 * a delay: there is no deadlock to make. After a halt as much time passes without one as it took;
 * a program whose threads poll would otherwise stand still.
 *
 * Signals are blocked meanwhile, asynchronous cancellation is one: a handler could leave by
 * longjmp, and `halted` would stay set for the rest of the run. The look finds a signal that is
 * pending, so its handler runs a millisecond later at most.
 */
#include "noise_int.h"

#define LOOK_NS BURL_NOISE_NS_PER_MS
#define IDLE_LOOKS 5u
/* What a look itself, and the kernel's bookkeeping, may cost in between. */
#define IDLE_NS 50000u

static uint32_t halted;    /* 1: a thread is */
static uint64_t next_halt; /* not before this time */

/* Processor time of the other threads. */
static uint64_t
others_ns(void)
{
    const uint64_t own = burl__noise_now(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t all = burl__noise_now(CLOCK_PROCESS_CPUTIME_ID);

    return all > own ? all - own : 0;
}

/* Is a signal pending that is not blocked by the program itself? */
static bool
has_signal(uint64_t mask)
{
    uint64_t pending = 0;

    BURL_SYS2(SYS_rt_sigpending, &pending, sizeof pending);
    return (pending & ~mask) != 0;
}

/* mask: the program's own. */
static void
stay(uint64_t end, uint64_t mask)
{
    uint64_t used = others_ns();
    uint32_t idle = 0;

    while (burl__noise_now(CLOCK_MONOTONIC) < end && idle < IDLE_LOOKS &&
           !burl__noise_is_stopped() && !burl_free_others_blocked() && !has_signal(mask)) {
        uint64_t now_used;

        burl__noise_pause(LOOK_NS);
        now_used = others_ns();
        idle = now_used < used + IDLE_NS ? idle + 1 : 0;
        used = now_used;
    }
}

bool
burl__noise_halt(uint32_t strength)
{
    const uint64_t all = ~0ull;
    const uint64_t begin = burl__noise_now(CLOCK_MONOTONIC);
    uint64_t mask;
    uint32_t none = 0;
    bool mine;

    if (begin < __atomic_load_n(&next_halt, __ATOMIC_RELAXED) ||
        __atomic_load_n(&halted, __ATOMIC_RELAXED) != 0)
        return false;
    BURL_SYS4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &mask, 8);
    mine =
        __atomic_compare_exchange_n(&halted, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (mine) {
        uint64_t now;

        stay(begin + (uint64_t)BURL_NOISE_HALT_MS * strength * BURL_NOISE_NS_PER_MS, mask);
        now = burl__noise_now(CLOCK_MONOTONIC);
        __atomic_store_n(&next_halt, now + (now - begin), __ATOMIC_RELAXED);
        __atomic_store_n(&halted, 0, __ATOMIC_RELEASE);
    }
    BURL_SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, NULL, 8);
    return mine;
}
