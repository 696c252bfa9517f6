/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - the life of program threads: create, join, detach, return.
 *
 * pthread_exit and cancellation (cancel.c) come back to burl_thread_main() by a jump, so there is
 * one way out for all: destructors, the last operation, and away.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>

#define BURL_SYNC_FAMILY
#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/listener.h"
#include "rt/core/shadow.h"
#include "rt/history/history.h"

/* Word of glibc's struct pthread_attr that points to an affinity and a signal mask, or is NULL. */
#define ATTR_EXTENSION 5

/* ---- running a thread ---------------------------------------------------- */

/* The place of this exit is main itself, not whatever main called last. */
static void
exit_with_main(struct burl_thread *t, int code)
{
    t->call_site = t->depth == 0 ? t->stack[0].func : 0;
    t->user_sp = (uintptr_t)__builtin_frame_address(0) + 16; /* main's frame is gone */
    burl_process_exit(t, code);
}

static void
call_start(struct burl_thread *t)
{
    if (t->start != NULL)
        t->result = t->start(t->arg);
    else if (t->start_c11 != NULL)
        t->result = (void *)(intptr_t)t->start_c11(t->arg);
    else
        exit_with_main(t, burl_rt.user_main(burl_rt.argc, burl_rt.argv, burl_rt.envp));
    if (burl_self == NULL)
        burl_process_exit(t, 0); /* a child of fork: its only thread has ended */
}

static void
first_operation(struct burl_thread *t)
{
    struct burl_op op = t->op;

    t->inside = 1;
    burl__sched_commit(t, &op);
    t->inside = 0;
}

/* Kept apart from burl_thread_main so that the frame the jump comes back to holds nothing else. */
static BURL_NOINLINE void
run_until_end(struct burl_thread *t)
{
    struct burl_exit_frame frame;

    if (__builtin_setjmp(frame.jmp) == 0) {
        t->exit_jmp = &frame;
        first_operation(t);
        call_start(t);
    }
    burl_self->exit_jmp = NULL;
}

/* What it holds stays locked for ever. */
static void
check_holds_nothing(struct burl_thread *t)
{
    struct burl_obj *o = t->n_locks != 0 ? burl_obj_held_by(t) : NULL;

    if (o != NULL)
        burl_rt_misuse(BURL_VERDICT_MISUSE_EXIT_HOLDING, o, NULL);
}

void
burl_thread_main(struct burl_thread *t)
{
    run_until_end(t);
    t = burl_self; /* the jump may have left a stale copy in a register */
    t->exiting = true;
    t->inside = 0;
    burl_keys_run_destructors(t);
    t->inside = 1;
    burl__mutex_thread_exit(t);
    check_holds_nothing(t);
    t->user_sp = (uintptr_t)__builtin_frame_address(0) + 16; /* the program's frames are gone */
    burl_sched_thread_exit(t);
}

/* ---- create -------------------------------------------------------------- */

static void
note_creator(struct burl_thread *child, const struct burl_thread *t)
{
    child->created_site = burl_rt_site(t);
    burl__shadow_fill(t, child->created_in, BURL_CREATED_IN);
}

/* NULL: it is made to fail. */
static struct burl_thread *
create_thread(struct burl_thread *t, void *(*start)(void *), int (*start_c11)(void *), void *arg)
{
    struct burl_thread *child;

    burl__point(t, BURL_OP_CREATE, NULL, 0);
    if (burl_sched_fault(t, BURL_CHOICE_CREATE)) {
        burl_trace_note(t, BURL_EV_F_FAILED | BURL_EV_F_INJECTED, BURL_TID_NONE);
        return NULL;
    }
    child = burl_sched_thread_new(t);
    /* An error code here would be a failure of ours that the program answers for. */
    if (child == NULL)
        burl_rt_unsupported("more than 4096 threads created in one execution");
    note_creator(child, t);
    child->start = start;
    child->start_c11 = start_c11;
    child->arg = arg;
    __builtin_memcpy(child->name, t->name, sizeof child->name);
    if (!burl_rt.engine->spawn(child)) {
        /* Fibers: more donors are needed, and this is no moment to make them. */
        burl_rt.exec.grow_to = 2 * burl_rt.exec.n_threads;
        burl_rt_end(BURL_VERDICT_INTERNAL, 0, 0, 0,
                    "no kernel thread to carry another program thread");
    }
    burl__process_thread_init(child, t);
    burl_trace_note(t, 0, child->tid);
    return child;
}

/* A number that differs when the attributes do. What an extension block holds is not compared: each
 * thread with one gets a number of its own. */
static uint64_t
attributes_sum(const pthread_attr_t *attr, const struct burl_thread *child)
{
    uint64_t words[sizeof *attr / sizeof(uint64_t)];
    uint64_t sum = 1;

    __builtin_memcpy(words, attr, sizeof words);
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        sum = burl_mix64(sum ^ words[i]);
    return words[ATTR_EXTENSION] == 0 ? sum : burl_mix64(sum ^ child->tid);
}

static void
refuse_before_main(void)
{
    if (burl_self == NULL && burl_rt_supervised)
        burl_rt_unsupported("a thread created before main (by a constructor)");
}

static int
create_posix(struct burl_thread *t, pthread_t *out, const pthread_attr_t *attr,
             void *(*start)(void *), void *arg)
{
    struct burl_thread *child;
    int detach = PTHREAD_CREATE_JOINABLE;

    if (attr != NULL && burl_thread_alive() > 1)
        burl_rt_call_access(t, attr, sizeof *attr, false);
    child = create_thread(t, start, NULL, arg);
    if (child == NULL)
        return EAGAIN;
    *out = (pthread_t)child->handle;
    if (attr != NULL) {
        pthread_attr_getdetachstate(attr, &detach);
        child->attr_sum = attributes_sum(attr, child);
    }
    child->detached = detach == PTHREAD_CREATE_DETACHED;
    return 0;
}

static int
create_c11(struct burl_thread *t, thrd_t *out, thrd_start_t start, void *arg)
{
    struct burl_thread *child = create_thread(t, NULL, start, arg);

    if (child == NULL)
        return thrd_error;
    *out = (thrd_t)child->handle;
    return thrd_success;
}

static int
create_uncontrolled(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return burl_history_on ? burl_history_create(out, attr, start, arg)
                           : burl_free_create(out, attr, start, arg);
}

static int
create_c11_uncontrolled(thrd_t *out, thrd_start_t start, void *arg)
{
    return burl_history_on ? burl_history_create_c11(out, start, arg)
                           : burl_free_create_c11(out, start, arg);
}

BURL_INTERPOSE(int pthread_create(pthread_t *out, const pthread_attr_t *attr,
                                  void *(*start)(void *), void *arg),
               (refuse_before_main(), create_uncontrolled(out, attr, start, arg)),
               create_posix(t, out, attr, start, arg))
BURL_INTERPOSE(int thrd_create(thrd_t *out, thrd_start_t start, void *arg),
               (refuse_before_main(), create_c11_uncontrolled(out, start, arg)),
               create_c11(t, out, start, arg))

/* ---- join ---------------------------------------------------------------- */

static bool
has_finished(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return ((const struct burl_thread *)o->addr)->state == BURL_THREAD_FINISHED;
}

/* A detached thread that runs is known to libc, which answers EINVAL; the handle of one that has
 * exited is not valid any more, and nothing is known of what follows. */
static int
misuse_detached(const struct burl_thread *target, enum burl_wire_verdict_kind kind,
                const char *text)
{
    burl_rt_misuse_thread(kind, target, target->state == BURL_THREAD_FINISHED, text);
    return EINVAL;
}

/* 0, or an errno value as pthread_join gives it. */
static int
join_thread(struct burl_thread *t, uint64_t handle, void **result, uint64_t deadline_ns)
{
    const bool plain = deadline_ns == BURL_TIME_NEVER && handle != t->handle;
    struct burl_thread *target =
        plain ? burl_thread_to_join(handle) : burl_thread_by_handle(handle);
    struct burl_op op = burl__op(t, BURL_OP_JOIN, target, target != NULL ? target->tid : 0);
    int r;

    /* Undefined behavior. A program that goes on after a failed creation comes here. */
    if (target == NULL && burl_rt.exec.n_faults != 0)
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, 0, "a thread is joined that was never created");
    if (target == NULL)
        return ESRCH;
    if (target == t)
        return EDEADLK;
    if (target->joined)
        burl_rt_misuse_thread(BURL_VERDICT_MISUSE_JOIN_TWICE, target, true,
                              "the thread was joined before");
    if (target->detached)
        return misuse_detached(target, BURL_VERDICT_MISUSE_JOIN_TWICE, "the thread is detached");
    if (burl__observed(t))
        burl_ob_join_begin(t->watch);
    op.addr = 0; /* a thread is no place in the program's memory */
    r = burl__wait(t, &op, target->join_obj, has_finished, deadline_ns, true);
    if (r == ECANCELED)
        burl_thread_unwind(t, PTHREAD_CANCELED);
    burl__notify_tried(t, NULL, r);
    if (r != 0)
        return r;
    if (target->joined)
        burl_rt_misuse_thread(BURL_VERDICT_MISUSE_JOIN_TWICE, target, true,
                              "two threads joined the same thread");
    target->joined = true;
    if (burl__observed(t) && target->watch != NULL)
        burl_ob_join(t->watch, target->watch);
    if (result != NULL)
        *result = target->result;
    burl_rt.engine->release(target);
    return 0;
}

static int
try_join(struct burl_thread *t, pthread_t handle, void **result)
{
    const struct burl_thread *target = burl_thread_by_handle((uint64_t)handle);

    burl__point(t, BURL_OP_TRYLOCK, target, 0);
    if (target == NULL || target->state == BURL_THREAD_FINISHED)
        return join_thread(t, (uint64_t)handle, result, BURL_TIME_NEVER);
    burl__notify_tried(t, NULL, EBUSY);
    return EBUSY;
}

static int
join_until(struct burl_thread *t, pthread_t handle, void **result, clockid_t clock,
           const struct timespec *until)
{
    if (!burl__clock_ok(clock))
        return EINVAL;
    return join_thread(t, (uint64_t)handle, result, burl__deadline(clock, until));
}

static int
join_c11(struct burl_thread *t, thrd_t handle, int *result)
{
    void *value = NULL;

    if (join_thread(t, (uint64_t)handle, &value, BURL_TIME_NEVER) != 0)
        return thrd_error;
    if (result != NULL)
        *result = (int)(intptr_t)value;
    return thrd_success;
}

#define JOIN(handle, call) BURL_HISTORY_AROUND(burl_history_joined, handle, call)
#define DETACH(handle, call) BURL_HISTORY_AROUND(burl_history_detached, handle, call)

BURL_INTERPOSE(int pthread_join(pthread_t handle, void **result),
               (burl_free_join_begins(),
                JOIN(handle, BURL_FREE_JOIN(handle, BURL_REAL(pthread_join)(handle, result)))),
               join_thread(t, (uint64_t)handle, result, BURL_TIME_NEVER))
BURL_INTERPOSE(int pthread_tryjoin_np(pthread_t handle, void **result),
               (burl_free_join_begins(),
                JOIN(handle,
                     BURL_FREE_TRYJOIN(handle, BURL_REAL(pthread_tryjoin_np)(handle, result)))),
               try_join(t, handle, result))
BURL_INTERPOSE(int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                        const struct timespec *until),
               (burl_free_join_begins(),
                JOIN(handle,
                     BURL_FREE_TRYJOIN(handle, BURL_REAL(pthread_clockjoin_np)(handle, result,
                                                                               clock, until)))),
               join_until(t, handle, result, clock, until))
BURL_INTERPOSE(
    int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until),
    (burl_free_join_begins(),
     JOIN(handle,
          BURL_FREE_TRYJOIN(handle, BURL_REAL(pthread_timedjoin_np)(handle, result, until)))),
    join_until(t, handle, result, CLOCK_REALTIME, until))
BURL_INTERPOSE(int thrd_join(thrd_t handle, int *result),
               (burl_free_join_begins(),
                JOIN(handle, BURL_FREE_JOIN(handle, BURL_REAL(thrd_join)(handle, result)))),
               join_c11(t, handle, result))

/* ---- the calling thread -------------------------------------------------- */

/* A search must know that a thread reads its own id: see search/symmetry.c. */
BURL_EXPORT pthread_t
pthread_self(void)
{
    const struct burl_thread *t = burl_self;
    pthread_t self;

    __asm__("mov %%fs:0x10, %0" : "=r"(self)); /* as libc does it */
    if (BURL_UNLIKELY(t != NULL))
        BURL_TELL(thread_id_read, t);
    return self;
}

BURL_EXPORT thrd_t thrd_current(void) __attribute__((alias("pthread_self")));

/* ---- detach -------------------------------------------------------------- */

static int
detach_thread(struct burl_thread *t, uint64_t handle)
{
    struct burl_thread *target = burl_thread_by_handle(handle);

    burl__point(t, BURL_OP_DETACH, NULL, target != NULL ? target->tid : 0);
    if (target == NULL)
        return ESRCH;
    if (target->joined)
        burl_rt_misuse_thread(BURL_VERDICT_MISUSE_DETACH_TWICE, target, true,
                              "the thread was joined before");
    if (target->detached)
        return misuse_detached(target, BURL_VERDICT_MISUSE_DETACH_TWICE,
                               "the thread is detached already");
    target->detached = true;
    burl_rt.engine->release(target);
    return 0;
}

BURL_INTERPOSE(int pthread_detach(pthread_t handle),
               DETACH(handle, BURL_FREE_DETACH(handle, BURL_REAL(pthread_detach)(handle))),
               detach_thread(t, (uint64_t)handle))
BURL_INTERPOSE(int thrd_detach(thrd_t handle),
               DETACH(handle, BURL_FREE_DETACH(handle, BURL_REAL(thrd_detach)(handle))),
               detach_thread(t, (uint64_t)handle) == 0 ? thrd_success : thrd_error)

BURL_INTERPOSE_NORETURN(void thrd_exit(int result),
                        (burl_noise_call(), BURL_REAL(thrd_exit)(result)),
                        burl_thread_unwind(burl_self, (void *)(intptr_t)result))
