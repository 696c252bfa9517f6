/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - C++ static local variables: the guard functions of the Itanium C++ ABI. Runs in the
 * tested program.
 *
 * The compiler tests the guard's first byte itself and calls us only while it is zero; once.c has
 * the waiting. The originals are in the C++ library, which a program that never passes here need
 * not have.
 */
#include "interpose_int.h"
#include "rt/free/calls.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

static bool
guard_is_done(const void *addr)
{
    return *(const uint8_t *)addr != 0;
}

static void
mark_guard(void *addr)
{
    *(uint8_t *)addr = 1;
}

/* 1: the caller must initialize the variable, then call release or abort. 0: it is initialized. */
BURL_EXPORT int
__cxa_guard_acquire(uint64_t *guard)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL) {
        r = guard_is_done(guard)
                ? BURL_REAL(__cxa_guard_acquire)(guard)
                : BURL_FREE_BLOCKING(BURL_OP_ONCE, guard, BURL_REAL(__cxa_guard_acquire)(guard));
        burl_free_receive(guard);
        if (r != 0)
            burl_free_once_begin(guard);
        return r;
    }
    r = burl__once_begin(t, guard, guard_is_done);
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT void
__cxa_guard_release(uint64_t *guard)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL) {
        burl_free_send(guard);
        burl_free_once_end(guard);
        BURL_REAL(__cxa_guard_release)(guard);
        return;
    }
    burl__once_finish(t, guard, mark_guard);
    burl_rt_leave(t);
}

BURL_EXPORT void
__cxa_guard_abort(uint64_t *guard)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL) {
        burl_free_send(guard);
        burl_free_once_end(guard);
        BURL_REAL(__cxa_guard_abort)(guard);
        return;
    }
    burl__once_abandon(t, guard);
    burl_rt_leave(t);
}
