/* SPDX-License-Identifier: Apache-2.0 */
/*
 * once.c - one-time initialization: pthread_once and C11's call_once.
 *
 * "Done" is a property of the program's memory (glibc's value, so that code which looks at the
 * word itself, a forked child for one, sees what it expects); "running" is ours: `state`, and
 * `owner` is the thread that runs the routine. A thread that comes to its own once again waits for
 * itself, which the scheduler finds as the deadlock it is in libc too.
 *
 * A call that finds the work done is recorded but is no scheduling point: done never becomes
 * undone, so no order of it against other operations makes a difference.
 *
 * The routine may be left by a C++ exception or a cancellation; then the next caller starts
 * again. The clean-up is a scope's, so this file must be compiled with -fexceptions.
 */
#include <threads.h>

#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"

#ifndef __EXCEPTIONS
#error "compile once.c with -fexceptions: without it a canceled once routine is never forgotten"
#endif

#define ONCE_DONE 2 /* the bit glibc sets in a pthread_once_t */

enum once_state { STATE_IDLE = 0, STATE_RUNNING };

static bool
is_idle(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->state == STATE_IDLE;
}

bool
burl__once_begin(struct burl_thread *t, void *addr, bool (*done)(const void *addr))
{
    struct burl_op op = burl__op(t, BURL_OP_ONCE, addr, 0);
    struct burl_obj *o;

    if (done(addr)) {
        BURL_TELL(access_along, t, &op);
        burl_trace_event(t, BURL_OP_ONCE, (uintptr_t)addr, 0);
        burl__notify_receive_order(t, addr);
        return false;
    }
    o = burl_obj_get(addr, BURL_OBJ_ONCE, NULL);
    burl__wait(t, &op, o, is_idle, BURL_TIME_NEVER, false);
    burl__notify_receive_order(t, addr);
    if (done(addr))
        return false;
    o->state = STATE_RUNNING;
    o->owner = t->tid;
    burl_obj_changed(o);
    burl_trace_note(t, 0, 1);
    return true;
}

static void
set_idle(void *addr)
{
    struct burl_obj *o = burl_obj_get(addr, BURL_OBJ_ONCE, NULL);

    o->state = STATE_IDLE;
    o->owner = BURL_TID_NONE;
    burl_obj_changed(o);
}

void
burl__once_finish(struct burl_thread *t, void *addr, void (*mark)(void *addr))
{
    burl__point(t, BURL_OP_ONCE_DONE, addr, 0);
    burl__notify_send_order(t, addr);
    mark(addr);
    set_idle(addr);
}

void
burl__once_abandon(struct burl_thread *t, void *addr)
{
    /* No scheduling point: the stack is being unwound, and nothing of the program can run
     * between here and the point at which that ends. */
    burl_trace_event(t, BURL_OP_ONCE_DONE, (uintptr_t)addr, 1);
    /* The next one to try sees what this one did. */
    burl__notify_send_order(t, addr);
    set_idle(addr);
}

static bool
word_is_done(const void *addr)
{
    return (*(const int *)addr & ONCE_DONE) != 0;
}

static void
mark_word(void *addr)
{
    *(int *)addr = ONCE_DONE;
}

/* A routine that is being run; cleared when it returned. */
struct running {
    struct burl_thread *t;
    void *addr;
};

static void
forget_running(struct running *r)
{
    if (r->t == NULL)
        return;
    r->t->inside = 1;
    burl__once_abandon(r->t, r->addr);
    burl_rt_leave(r->t);
}

static void
run_once(struct burl_thread *t, void *addr, void (*routine)(void))
{
    if (burl__once_begin(t, addr, word_is_done)) {
        struct running running __attribute__((cleanup(forget_running))) = { t, addr };

        burl_rt_leave(t);
        routine();
        running.t = NULL;
        t->inside = 1;
        burl__once_finish(t, addr, mark_word);
    }
    burl_rt_leave(t);
}

BURL_EXPORT int
pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return BURL_NOISE_AROUND(burl_free_once(once, routine));
    run_once(t, once, routine);
    return 0;
}

BURL_EXPORT void
call_once(once_flag *flag, void (*routine)(void))
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        BURL_NOISE_AROUND_VOID(burl_free_call_once(flag, routine));
    else
        run_once(t, flag, routine);
}
