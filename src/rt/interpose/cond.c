/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cond.c - condition variables.
 *
 * A wait is up to three visible operations:
 *
 *     COND_WAIT            gives the mutex back and joins the waiters, as one step
 *     (pending COND_WAIT)  blocked until a signal, the deadline or a cancellation; a signal moves
 *                          the thread to the mutex without running it, so this is a step of its
 *                          own only when the waiter gives up (noted as time-out or failed)
 *     COND_WAKE            has the mutex again
 *
 * Between giving up and COND_WAKE the thread is no waiter any more: a signal in that gap goes to
 * another waiter or is lost, as it does in reality.
 *
 * Which waiter a signal wakes is the strategy's choice (POSIX leaves it open), and so is whether a
 * wait returns without a signal (POSIX and C++ allow it). A spurious wakeup is decided when the
 * thread would join the waiters: it does not, and goes straight to COND_WAKE.
 *
 * Fields: `extra` is the mutex the present waiters gave back. glibc keeps the clock in bit 1 of
 * __wrefs and, after pthread_cond_destroy, "destroyed" in bit 2; like for mutexes the second is
 * read from memory, because C++ makes condition variables by assignment, with no call.
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"

#define WREFS_MONOTONIC 2u
#define WREFS_DESTROYED 4u

static struct burl_obj *
get_cond(pthread_cond_t *c)
{
    struct burl_obj *o = burl_obj_get(c, BURL_OBJ_COND, NULL);

    o->destroyed = (c->__data.__wrefs & WREFS_DESTROYED) != 0;
    if (BURL_UNLIKELY(o->destroyed)) /* glibc's functions do not notice it */
        burl_rt_misuse(BURL_VERDICT_MISUSE_USE_DESTROYED, o,
                       "a condition variable is used after pthread_cond_destroy");
    return o;
}

static bool
is_signaled(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)o;
    return t->woken;
}

/* The waiting thread's turn has come and it does not hold the mutex yet. `spurious`: the condition
 * variable that did not wake it, NULL none. */
static int
retake_mutex(struct burl_thread *t, pthread_mutex_t *m, pthread_cond_t *spurious)
{
    struct burl_obj *mo = burl__mutex_get(m);
    struct burl_op op = burl__op(t, BURL_OP_COND_WAKE, m, (uintptr_t)spurious);

    burl__wait(t, &op, mo, burl__mutex_ready, BURL_TIME_NEVER, false);
    return burl__mutex_take(t, mo);
}

/* A thread that destroys a condition variable with waiters queues on its second byte: a signal must
 * not wake it. */
static const void *
destroyers_of(uintptr_t cond)
{
    return (const void *)(cond + 1);
}

static bool
has_no_waiters(const struct burl_obj *o, const struct burl_thread *t)
{
    const struct burl_obj *cond = burl_obj_find((const void *)(o->addr - 1), BURL_OBJ_COND);

    (void)t;
    return cond == NULL || cond->n_waiters == 0;
}

/* Waiters may have left: a thread that waits to destroy it may go on. */
static void
wake_destroyers(const struct burl_obj *o)
{
    struct burl_obj *d;

    if (BURL_LIKELY(o->misuses == 0))
        return;
    d = burl_obj_find(destroyers_of(o->addr), BURL_OBJ_COND);
    if (d != NULL)
        burl_obj_changed(d);
}

/* Checks that t may wait with m. 0 or the error a checking mutex gives. */
static int
check_wait(struct burl_thread *t, struct burl_obj *o, struct burl_obj *mo)
{
    if (mo->owner != t->tid) {
        if (burl__mutex_checks_owner(mo))
            return EPERM;
        burl_rt_misuse(
            BURL_VERDICT_MISUSE_WAIT_UNLOCKED, mo,
            mo->owner == BURL_TID_NONE
                ? "a thread waits on a condition variable with a mutex that no thread holds"
                : "a thread waits on a condition variable with a mutex that another thread holds");
    }
    if (o->n_waiters > 0 && o->extra != mo->addr)
        burl_rt_misuse(BURL_VERDICT_MISUSE_OTHER, o,
                       "threads wait on one condition variable with different mutexes");
    o->extra = mo->addr;
    return 0;
}

int
burl__cond_wait(struct burl_thread *t, pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline_ns)
{
    struct burl_op op = burl__op(t, BURL_OP_COND_WAIT, c, (uintptr_t)m);
    struct burl_obj *o;
    struct burl_obj *mo;
    int locked;
    int r;

    if (deadline_ns == BURL__TIME_INVALID)
        return EINVAL;
    burl_sched_point(t, &op);
    o = get_cond(c);
    mo = burl__mutex_get(m);
    r = check_wait(t, o, mo);
    if (r != 0) {
        burl__note_result(t, r);
        return r;
    }
    burl__notify_cond(t, (void *)o->addr, true, 0);
    if (BURL_LIKELY(mo->owner == t->tid))
        burl__mutex_give(t, mo);
    else
        burl__mutex_give_foreign(t, mo);

    t->woken = false;
    if (burl_sched_spurious(t, (uintptr_t)c)) {
        burl_trace_note(t, BURL_EV_F_SPURIOUS, (uintptr_t)m);
        burl__notify_outcome(t, c, BURL_SYNCHRO__N);
        r = retake_mutex(t, m, c);
        burl_trace_note(t, BURL_EV_F_SPURIOUS, (uint64_t)r);
        return r;
    }
    r = burl__wait(t, &op, o, is_signaled, deadline_ns, true);
    wake_destroyers(o);
    if (t->woken) {
        burl_sched_woken(t, (uintptr_t)c);
        /* Signaled, and so moved to the mutex. A deadline or a cancellation that came after the
         * signal does not undo it: the signal must not be lost, and cancellation stays pending. */
        locked = r == 0 ? burl__mutex_take(t, mo) : retake_mutex(t, m, NULL);
        r = 0;
    } else {
        burl_trace_note(t, r == ETIMEDOUT ? BURL_EV_F_TIMEOUT : BURL_EV_F_FAILED, (uintptr_t)m);
        burl__notify_outcome(t, c, r == ETIMEDOUT ? BURL_SYNCHRO_TIMED_OUT : BURL_SYNCHRO__N);
        if (r == ETIMEDOUT)
            burl__gave_up(t);
        locked = retake_mutex(t, m, NULL);
    }
    if (r == ECANCELED)
        burl_thread_unwind(t, PTHREAD_CANCELED);
    r = locked != 0 ? locked : r;
    burl_trace_note(t, r == ETIMEDOUT ? BURL_EV_F_TIMEOUT : 0, (uint64_t)r);
    return r;
}

static void
wake_waiter(struct burl_thread *t, struct burl_thread *w, const pthread_cond_t *c)
{
    pthread_mutex_t *m = (pthread_mutex_t *)(uintptr_t)w->op.aux;

    w->woken = true;
    burl__notify_wake(t, w, c);
    burl_sched_requeue(w, burl__mutex_get(m), burl__mutex_ready, BURL_OP_COND_WAKE, (uintptr_t)m);
}

int
burl__cond_wake(struct burl_thread *t, pthread_cond_t *c, bool all)
{
    struct burl_obj *o;
    struct burl_thread *w;
    uint32_t n;

    burl__point(t, all ? BURL_OP_COND_BROADCAST : BURL_OP_COND_SIGNAL, c, 0);
    o = get_cond(c);
    n = o->n_waiters;
    BURL_TELL(signaled, (uintptr_t)c, all || n == 0);
    if (all) {
        while (o->waiters != NULL)
            wake_waiter(t, o->waiters, c);
    } else if (n > 0) {
        w = o->waiters;
        for (uint32_t k = n > 1 ? burl_sched_choose(BURL_CHOICE_WAITER, n) : 0; k > 0; k--)
            w = w->wait_next;
        wake_waiter(t, w, c);
        n = 1;
    }
    burl__notify_cond(t, (void *)o->addr, false, n);
    burl_obj_changed(o);
    wake_destroyers(o);
    burl_trace_note(t, 0, n);
    return 0;
}

void
burl__cond_inited(pthread_cond_t *c)
{
    struct burl_obj *o = burl_obj_get(c, BURL_OBJ_COND, NULL);

    if (burl__is_waited_for(o))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a condition variable is initialized while threads wait on it");
    o->destroyed = 0;
}

int
burl__cond_destroy(struct burl_thread *t, pthread_cond_t *c)
{
    struct burl_op op = burl__op(t, BURL_OP_DESTROY, c, 0);
    struct burl_obj *o;

    burl_sched_point(t, &op);
    o = get_cond(c);
    if (o->n_waiters > 0) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a condition variable is destroyed while threads wait on it");
        burl__note_result(t, EBUSY);
        burl__wait_misused(t, &op, burl_obj_get(destroyers_of(o->addr), BURL_OBJ_COND, NULL),
                           has_no_waiters); /* as glibc does */
    }
    o->destroyed = 1;
    BURL_REAL(pthread_cond_destroy)(c);
    return 0;
}

static int
clock_of(const pthread_cond_t *c)
{
    return c->__data.__wrefs & WREFS_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

BURL_INTERPOSE_INIT(int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr), c,
                    burl__init_with(t, c, sizeof *c, attr, sizeof *attr),
                    BURL_REAL(pthread_cond_init)(c, attr), burl__cond_inited(c))
BURL_INTERPOSE(int pthread_cond_destroy(pthread_cond_t *c),
               BURL_FREE_OBJECT(c, BURL_REAL(pthread_cond_destroy)(c)), burl__cond_destroy(t, c))
BURL_INTERPOSE(int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m),
               burl_free_waited(burl_free_cond_wait(c, m), c),
               burl__cond_wait(t, c, m, BURL_TIME_NEVER))
BURL_INTERPOSE(int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                          const struct timespec *abstime),
               burl_free_waited(burl_free_cond_timedwait(c, m, abstime), c),
               burl__cond_wait(t, c, m, burl__deadline(clock_of(c), abstime)))
BURL_INTERPOSE(int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                          const struct timespec *abstime),
               burl_free_waited(burl_free_cond_clockwait(c, m, clock, abstime), c),
               burl__clock_ok(clock) ? burl__cond_wait(t, c, m, burl__deadline(clock, abstime))
                                     : EINVAL)
BURL_INTERPOSE(int pthread_cond_signal(pthread_cond_t *c),
               (burl_free_cond_signal(c, false), BURL_REAL(pthread_cond_signal)(c)),
               burl__cond_wake(t, c, false))
BURL_INTERPOSE(int pthread_cond_broadcast(pthread_cond_t *c),
               (burl_free_cond_signal(c, true), BURL_REAL(pthread_cond_broadcast)(c)),
               burl__cond_wake(t, c, true))
