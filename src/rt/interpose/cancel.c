/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel.c - pthread_exit, cancellation, cleanup handlers, and the unwinding of a thread's stack.
 *
 * Ending a thread early means: leave every frame of the program in order, running on the way C++
 * destructors and catch (...) blocks, C cleanup handlers registered with pthread_cleanup_push, and
 * then continue in the trampoline that started the thread. libgcc's _Unwind_ForcedUnwind walks the
 * frames and calls stop_frame() before each.
 *
 * C cleanup handlers come in three forms, by how the program was compiled:
 *   C              the frame holds a __pthread_unwind_buf_t, filled by setjmp and registered
 *                  here; to run the handler we jump there, and the code that the macro left calls
 *                  the handler and then __pthread_unwind_next(), which continues the unwinding
 *   C -fexceptions an __attribute__((cleanup)) variable: a landing pad like any other
 *   C++            an object with a destructor: the same
 * and in an old one, _pthread_cleanup_push(), with a routine in a list.
 *
 * A buffer belongs to the frame it lies in. The unwinder gives us for each frame the value its
 * stack pointer has, so a buffer below that value is in a frame that has been left: this is one
 * frame later than libc decides it, which makes no difference because frames compiled that way
 * have nothing of their own to unwind.
 *
 * Deferred cancellation is acted upon in the waits of the families (BURL_WAIT_CANCELED) and in
 * burl__cancel_point(); asynchronous cancellation at the thread's next scheduling point.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unwind.h>

#include "interpose_int.h"

#define UNWIND_CLASS \
    0x4255524c464f5243ull /* "BURLFORC": no language knows it, so none catches by type */

/* ---- unwinding --------------------------------------------------------------------------- */

/* Where a registered buffer keeps its predecessor: memory that the header reserves for us. */
static __pthread_unwind_buf_t **
prev_of(__pthread_unwind_buf_t *b)
{
    return (__pthread_unwind_buf_t **)&b->__pad[0];
}

static void
on_not_rethrown(_Unwind_Reason_Code reason, struct _Unwind_Exception *exc)
{
    (void)reason;
    (void)exc;
    burl_rt_end(
        BURL_VERDICT_CRASH_ABORT, SIGABRT, 0, 0,
        "a catch (...) block swallowed the end of the thread (pthread_exit or cancellation)");
}

/* The buffer is the part of a jmp_buf that longjmp() reads when no signal mask was saved; the
 * compiler, which sees only the smaller type, is kept from objecting. */
static BURL_NORETURN void
jump_to(__pthread_unwind_buf_t *b)
{
    struct __jmp_buf_tag *env = (struct __jmp_buf_tag *)(void *)b;

    __asm__("" : "+r"(env));
    longjmp(env, 1);
}

/* Runs the old-style handlers of frames below `sp`. */
static void
run_old_handlers(struct burl_thread *t, uintptr_t sp)
{
    while (t->cleanup_old != NULL && (uintptr_t)t->cleanup_old < sp) {
        struct _pthread_cleanup_buffer *b = t->cleanup_old;

        t->cleanup_old = b->__prev;
        b->__routine(b->__arg);
    }
}

static _Unwind_Reason_Code
stop_frame(int version, _Unwind_Action actions, _Unwind_Exception_Class cls,
           struct _Unwind_Exception *exc, struct _Unwind_Context *context, void *arg)
{
    struct burl_thread *t = arg;
    uintptr_t sp = (actions & _UA_END_OF_STACK) != 0 ? UINTPTR_MAX : _Unwind_GetCFA(context);
    __pthread_unwind_buf_t *b = t->cleanup;

    (void)version;
    (void)cls;
    (void)exc;
    if (b != NULL && (uintptr_t)b < sp) {
        /* Handlers of both kinds run from the innermost outwards. */
        run_old_handlers(t, (uintptr_t)b);
        t->cleanup = *prev_of(b);
        jump_to(b);
    }
    run_old_handlers(t, sp);
    if ((uintptr_t)t->exit_jmp < sp)
        __builtin_longjmp(((struct burl_exit_frame *)t->exit_jmp)->jmp, 1);
    return _URC_NO_REASON;
}

/* Goes on leaving frames, from where we are. */
static BURL_NORETURN void
unwind_on(struct burl_thread *t)
{
    struct _Unwind_Exception *exc = t->unwind_exc;

    memset(exc, 0, sizeof *exc);
    exc->exception_class = UNWIND_CLASS;
    exc->exception_cleanup = on_not_rethrown;
    t->inside = 0; /* landing pads and handlers are the program's */
    (void)_Unwind_ForcedUnwind(exc, stop_frame, t);
    burl_rt_end(BURL_VERDICT_INTERNAL, 0, 0, 0, "the unwinder could not leave a thread's stack");
}

void
burl_thread_unwind(struct burl_thread *t, void *result)
{
    t->result = result;
    t->exiting = true;
    if (t->unwind_exc == NULL) {
        uintptr_t p = (uintptr_t)burl_exec_alloc(sizeof(struct _Unwind_Exception) + 16);

        t->unwind_exc = (void *)((p + 15) & ~(uintptr_t)15);
    }
    unwind_on(t);
}

/* ---- what the cleanup macros call -------------------------------------------------------- */

static void
push_buffer(struct burl_thread *t, __pthread_unwind_buf_t *b)
{
    *prev_of(b) = t->cleanup;
    t->cleanup = b;
}

static void
push_old(struct burl_thread *t, struct _pthread_cleanup_buffer *b, void (*fn)(void *), void *arg)
{
    b->__routine = fn;
    b->__arg = arg;
    b->__canceltype = t->cancel_type;
    b->__prev = t->cleanup_old;
    t->cleanup_old = b;
}

static void
pop_old(struct burl_thread *t, struct _pthread_cleanup_buffer *b, int execute)
{
    t->cleanup_old = b->__prev;
    if (execute != 0)
        b->__routine(b->__arg);
}

/* Is there a request to cancel t that t would act upon at a cancellation point? */
static bool
cancel_pending(const struct burl_thread *t)
{
    return t->cancel_requested && t->cancel_state == PTHREAD_CANCEL_ENABLE && !t->exiting;
}

/* The same for asynchronous cancellability: t has to act upon it at its next turn. */
static bool
cancel_due(const struct burl_thread *t)
{
    return t->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && cancel_pending(t);
}

static void
act_on_cancel(struct burl_thread *t)
{
    if (cancel_due(t))
        burl_thread_unwind(t, PTHREAD_CANCELED);
}

static void
pop_restore(struct burl_thread *t, struct _pthread_cleanup_buffer *b, int execute)
{
    t->cancel_type = (uint8_t)b->__canceltype;
    t->cleanup_old = b->__prev;
    act_on_cancel(t);
    if (execute != 0)
        b->__routine(b->__arg);
}

/* These are the thread's own business: no operations, and the same inside the runtime. */
#define CLEANUP_FUNCTION(prototype, uncontrolled, controlled) \
    BURL_DEFINE(prototype)                                    \
    {                                                         \
        struct burl_thread *t = burl_self;                    \
                                                              \
        if (t == NULL)                                        \
            uncontrolled;                                     \
        else                                                  \
            controlled;                                       \
    }

CLEANUP_FUNCTION(void __pthread_register_cancel(__pthread_unwind_buf_t *b),
                 BURL_REAL(__pthread_register_cancel)(b), push_buffer(t, b))
CLEANUP_FUNCTION(void __pthread_unregister_cancel(__pthread_unwind_buf_t *b),
                 BURL_REAL(__pthread_unregister_cancel)(b), t->cleanup = *prev_of(b))
CLEANUP_FUNCTION(void _pthread_cleanup_push(struct _pthread_cleanup_buffer *b, void (*fn)(void *),
                                            void *arg),
                 BURL_REAL(_pthread_cleanup_push)(b, fn, arg), push_old(t, b, fn, arg))
CLEANUP_FUNCTION(void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *b, int execute),
                 BURL_REAL(_pthread_cleanup_pop)(b, execute), pop_old(t, b, execute))
CLEANUP_FUNCTION(void _pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *b,
                                                  void (*fn)(void *), void *arg),
                 BURL_REAL(_pthread_cleanup_push_defer)(b, fn, arg),
                 (push_old(t, b, fn, arg), t->cancel_type = PTHREAD_CANCEL_DEFERRED))
CLEANUP_FUNCTION(void _pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *b, int execute),
                 BURL_REAL(_pthread_cleanup_pop_restore)(b, execute), pop_restore(t, b, execute))

BURL_INTERPOSE_NORETURN(void __pthread_unwind_next(__pthread_unwind_buf_t *b),
                        BURL_REAL(__pthread_unwind_next)(b), unwind_on(burl_self))

/* ---- ending and canceling --------------------------------------------------------------- */

BURL_INTERPOSE_NORETURN(void pthread_exit(void *result),
                        (burl_noise_call(), BURL_REAL(pthread_exit)(result)),
                        burl_thread_unwind(burl_self, result))

void
burl__cancel_point(struct burl_thread *t)
{
    if (cancel_pending(t))
        burl_thread_unwind(t, PTHREAD_CANCELED);
}

static int
cancel_thread(struct burl_thread *t, struct burl_thread *target)
{
    if (target == NULL)
        return ESRCH;
    burl__point(t, BURL_OP_CANCEL, (void *)(uintptr_t)target->handle, target->tid);
    if (target->state == BURL_THREAD_FINISHED || target->exiting)
        return 0;
    target->cancel_requested = true;
    if (target != t) {
        burl__notify_wake(t, target, NULL);
        burl_sched_reevaluate(target);
    } else {
        act_on_cancel(t);
    }
    return 0;
}

static void
test_cancel(struct burl_thread *t)
{
    struct burl_op op = burl__op(t, BURL_OP_YIELD, NULL, 0); /* not CANCEL: it makes no progress */

    burl__poll_point(t, &op);
    burl__cancel_point(t);
}

/* Sets t's cancelability state or type, which has two values. */
static int
set_cancelability(struct burl_thread *t, uint8_t *field, int value, int *old)
{
    static_assert(PTHREAD_CANCEL_ENABLE == 0 && PTHREAD_CANCEL_DISABLE == 1, "states");
    static_assert(PTHREAD_CANCEL_DEFERRED == 0 && PTHREAD_CANCEL_ASYNCHRONOUS == 1, "types");
    if (value != 0 && value != 1)
        return EINVAL;
    if (old != NULL)
        *old = *field;
    *field = (uint8_t)value;
    act_on_cancel(t);
    return 0;
}

BURL_INTERPOSE(int pthread_cancel(pthread_t handle),
               BURL_NOISE_AROUND(BURL_REAL(pthread_cancel)(handle)),
               cancel_thread(t, burl_thread_by_handle((uint64_t)handle)))
BURL_INTERPOSE_VOID(void pthread_testcancel(void), BURL_REAL(pthread_testcancel)(), test_cancel(t))
BURL_INTERPOSE(int pthread_setcancelstate(int state, int *old),
               BURL_REAL(pthread_setcancelstate)(state, old),
               set_cancelability(t, &t->cancel_state, state, old))
BURL_INTERPOSE(int pthread_setcanceltype(int type, int *old), burl_free_setcanceltype(type, old),
               set_cancelability(t, &t->cancel_type, type, old))
