/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/critical.h - stretches of the runtime that hold a lock, or wait for one, in threads that run
 * freely. Nothing of the program runs within one.
 *
 * A handler of the program that ran there would come back into the runtime and wait for a second
 * lock while its thread holds the first, against the order of locks; a jump out of it, or a fork in
 * it, would leave the lock taken for good. So the handler is put off: the signal is remembered, all
 * signals stay blocked, and the end of the outermost stretch sends it to the thread once more
 * (free/late.c). Asynchronous cancellation waits as well. Faults cannot wait; only the
 * program's own instruction between the hooks of an atomic operation can have one.
 */
#ifndef BURL_RT_CRITICAL_H
#define BURL_RT_CRITICAL_H

#include <stdbool.h>
#include <stdint.h>

/* Of one thread. */
struct burl_critical {
    uint32_t depth;
    bool     late;         /* something waits for the end: a signal, a cancellation */
    bool     cancel_async; /* the thread asked for asynchronous cancellation */
    bool     is_orphan;    /* the child of a fork: threads that held locks are not there to give
                              them back. A handler that forked may return into the runtime. */
};

extern __thread struct burl_critical burl_critical __attribute__((tls_model("initial-exec")));

/* Both in free/late.c. The first begins an outermost stretch of a thread that asked for
 * asynchronous cancellation, the second ends an outermost stretch for whose end something waits.
 * They change the depth while signals are blocked. A handler that ran between the change and the
 * system call would end what it did not begin: its return restores the mask that it interrupted,
 * and the cancellation would stay blocked for good. */
void burl_free_hold_cancel(void);
void burl_free_critical_over(void);

/* The order of these stores matters to handlers of the same thread, to no other thread. */
static inline void
burl__critical_begin(void)
{
    if (__builtin_expect(burl_critical.cancel_async, 0) && burl_critical.depth == 0)
        burl_free_hold_cancel();
    else
        burl_critical.depth++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void
burl__critical_end(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(burl_critical.late, 0) && burl_critical.depth == 1) {
        burl_free_critical_over();
        return;
    }
    burl_critical.depth--;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* A signal that arrived in between has left all signals blocked. */
    if (__builtin_expect(burl_critical.late, 0) && burl_critical.depth == 0)
        burl_free_critical_over();
}

#endif
