/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/listener.h - facts for a strategy that reasons about executions.
 *
 * Hooks, interposers and the scheduler state what happens; they do not know which strategy listens.
 * Most strategies have no listener, and then a fact costs a load and a branch. What needs work
 * before it can be stated is guarded by burl_has_listener().
 */
#ifndef BURL_RT_LISTENER_H
#define BURL_RT_LISTENER_H

#include "core.h"

enum burl_fact {
    BURL_FACT_DEADLINE,      /* whether a deadline passes early is being decided */
    BURL_FACT_FRAME_GONE,    /* an access fails because another thread's frame is gone */
    BURL_FACT_FRAME_REUSED,  /* an access may have met a frame in reused stack memory */
    BURL_FACT_MISUSE,        /* a sync object changes in a way that its rules exclude */
    BURL_FACT_ENDED_EARLY,   /* a call ends the execution before it is an operation */
    BURL_FACT_SHARED_MEMORY, /* memory that may have other addresses is mapped */
    BURL_FACT_CHOICES_FULL,  /* an execution has more choices than can be numbered */
    BURL_FACT__N
};

struct burl_listener {
    void (*fact)(enum burl_fact what);
    /* t accesses what other threads change, in one step with its last operation. */
    void (*access_along)(const struct burl_thread *t, const struct burl_op *op);
    /* Functions of t have returned whose frames lie in [lo, hi). */
    void (*frames_left)(const struct burl_thread *t, uintptr_t lo, uintptr_t hi);
    void (*woken)(const struct burl_thread *w); /* by what the current thread does */
    /* The current thread wakes waiters of the condition variable; `all`: each, or there is none. */
    void (*signaled)(uintptr_t cond, bool all);
    /* A library function is called that keeps state or is not instrumented: enum
     * burl_wire_hidden. */
    void (*library_call)(const struct burl_thread *t, const struct burl_wire_site *site);
    /* The call that t is in changes what calls without a hook may read. */
    void (*unmodeled_call)(const struct burl_thread *t);
    void (*thread_id_read)(const struct burl_thread *t);
    /* A function begins; flags of its site (BURL_SITE_F_ADDRESSES, _IDENTITY). */
    void (*function_entered)(uint32_t flags);
    void (*allocated)(const struct burl_thread *t);
    void (*freed)(const struct burl_thread *t);
    /* All runnable threads are spinning. Returns true if one was unparked. */
    bool (*unpark)(void);
    /* t is about to repeat a read. Returns true if it spins in vain, and is parked. */
    bool (*parks)(struct burl_thread *t, uint32_t site);
    /* A read was repeated so often. Returns true if t is to be passed over. */
    bool (*is_polling)(uint32_t site, uint32_t repeats);
    /* May a thread that has yielded so often in a row run again at once? */
    bool (*allows_yield)(uint32_t yields);
};

static inline bool
burl_has_listener(void)
{
    return BURL_UNLIKELY(burl_rt.listener != NULL);
}

#define BURL_TELL(member, ...)                       \
    do {                                             \
        if (BURL_UNLIKELY(burl_rt.listener != NULL)) \
            burl_rt.listener->member(__VA_ARGS__);   \
    } while (0)

#endif
