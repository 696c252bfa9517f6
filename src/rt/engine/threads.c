/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - program threads as real threads that hand a baton around.
 *
 * For programs the fibers cannot carry, and for debuggers, which then see ordinary threads. Each
 * thread sleeps on its own futex word; the one that switches wakes the next and goes to sleep. An
 * execution cannot be undone in-process here, so every execution has a process of its own (or ends
 * the process, under a debugger).
 */
#include <pthread.h>

#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/real.h"
#include "rt/core/stacks.h"
#include "rt/core/sys.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"

static void
baton_wait(struct burl_thread *t)
{
    while (__atomic_load_n(&t->baton, __ATOMIC_ACQUIRE) == 0) /* pairs with baton_pass() */
        BURL_SYS6(SYS_futex, &t->baton, 128 /* FUTEX_WAIT | PRIVATE */, 0, 0, 0, 0);
    __atomic_store_n(&t->baton, 0, __ATOMIC_RELAXED); /* only the holder of the turn is here */
}

static void
baton_pass(struct burl_thread *to)
{
    /* Publishes everything the passing thread did; pairs with the acquire in baton_wait(). */
    __atomic_store_n(&to->baton, 1, __ATOMIC_RELEASE);
    BURL_SYS6(SYS_futex, &to->baton, 129 /* FUTEX_WAKE | PRIVATE */, 1, 0, 0, 0);
}

static void
threads_prepare(uint32_t n_threads)
{
    (void)n_threads;
}

/* libc puts struct pthread and the thread-local variables above the first frame. */
static void
locate_stack(struct burl_thread *t)
{
    pthread_attr_t attr;
    void *addr;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    pthread_attr_getstack(&attr, &addr, &size);
    pthread_attr_destroy(&attr);
    t->stack_lo = (uintptr_t)addr;
    t->stack_least = (uintptr_t)addr + BURL_STACK_RESERVE_B;
    t->stack_hi = (uintptr_t)__builtin_frame_address(0);
    t->tls_hi = (uintptr_t)addr + size;
    burl__stacks_add(t->stack_lo, t->tls_hi);
}

static void *
carrier_main(void *arg)
{
    struct burl_thread *t = arg;

    burl__verdict_alt_stack();
    locate_stack(t);
    t->os_tid = (uint32_t)BURL_SYS0(SYS_gettid);
    baton_wait(t);
    burl_self = t;
    burl_thread_main(t);
}

static bool
threads_spawn(struct burl_thread *t)
{
    pthread_t handle;
    pthread_attr_t attr;
    size_t size_b;
    int r;

    pthread_attr_init(&attr);
    if (pthread_attr_getstacksize(&attr, &size_b) == 0)
        pthread_attr_setstacksize(&attr, size_b + BURL_STACK_RESERVE_B);
    r = BURL_REAL(pthread_create)(&handle, &attr, carrier_main, t);
    pthread_attr_destroy(&attr);
    if (r != 0)
        return false;
    t->handle = (uint64_t)handle;
    return true;
}

static void
threads_switch_to(struct burl_thread *from, struct burl_thread *to)
{
    burl__stack_park(from);
    baton_pass(to);
    baton_wait(from);
}

/* The kernel thread ends without libc's knowledge: a handle must stay valid for joins to come,
 * and the process is about to go anyway. */
static BURL_NORETURN void
threads_switch_final(struct burl_thread *from, struct burl_thread *to)
{
    (void)from;
    baton_pass(to);
    for (;;)
        BURL_SYS1(SYS_exit, 0);
}

static void
threads_run(struct burl_thread *main_thread)
{
    main_thread->handle = (uint64_t)pthread_self();
    main_thread->os_tid = (uint32_t)BURL_SYS0(SYS_gettid);
    main_thread->stack_least = burl__stack_main_least();
    burl_self = main_thread;
    burl_thread_main(main_thread);
}

static BURL_NORETURN void
threads_leave(void)
{
    burl__exec_finish_process();
}

static void
threads_release(struct burl_thread *t)
{
    (void)t;
}

const struct burl_engine_ops burl_engine_threads = {
    .prepare = threads_prepare,
    .spawn = threads_spawn,
    .switch_to = threads_switch_to,
    .switch_final = threads_switch_final,
    .run = threads_run,
    .leave = threads_leave,
    .release = threads_release,
};
