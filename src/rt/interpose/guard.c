/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - C++ static local variables: the guard functions of the Itanium C++ ABI.
 *
 * The compiler tests the guard's first byte itself and calls us only while it is zero; once.c has
 * the waiting. The originals are in the C++ library, which a program that never passes here need
 * not have.
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"

int __cxa_guard_acquire(uint64_t *guard);

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

static int
free_acquire(uint64_t *guard)
{
    int r = guard_is_done(guard)
                ? BURL_REAL(__cxa_guard_acquire)(guard)
                : BURL_FREE_BLOCKING(BURL_OP_ONCE, guard, BURL_REAL(__cxa_guard_acquire)(guard));

    burl_free_receive(guard);
    if (r != 0)
        burl_free_once_begin(guard);
    return r;
}

static void
free_finish(uint64_t *guard)
{
    burl_free_send(guard);
    burl_free_once_end(guard);
}

static bool
begin(struct burl_thread *t, uint64_t *guard)
{
    burl_obj_get(guard, BURL_OBJ_ONCE, NULL)->type = BURL_ONCE_GUARD;
    return burl__once_begin(t, guard, guard_is_done);
}

/* 1: the caller must initialize the variable, then call release or abort. 0: it is initialized. */
BURL_INTERPOSE(int __cxa_guard_acquire(uint64_t *guard), free_acquire(guard), begin(t, guard))
BURL_INTERPOSE_VOID(void __cxa_guard_release(uint64_t *guard),
                    (free_finish(guard), BURL_REAL(__cxa_guard_release)(guard)),
                    burl__once_finish(t, guard, mark_guard))
BURL_INTERPOSE_VOID(void __cxa_guard_abort(uint64_t *guard),
                    (free_finish(guard), BURL_REAL(__cxa_guard_abort)(guard)),
                    burl__once_abandon(t, guard))
