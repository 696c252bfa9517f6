/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpose_int.h - what the interposer families share among themselves.
 *
 * The pattern every family keeps: an interposed function (BURL_INTERPOSE) announces each visible
 * operation before it takes effect, looks its object up *after* a burl_sched_point() (another
 * thread may have destroyed or recycled it meanwhile), changes the object, and calls
 * burl_obj_changed(). An object that a thread is queued on by burl_sched_wait() stays valid.
 *
 * State of the program's own structures: the families keep theirs in struct burl_obj. The
 * program's memory is read for what static initializers and the *_init functions of libc left
 * there, and written only where libc would leave a mark that means something later (an object
 * was destroyed, a once routine is done).
 */
#ifndef BURL_RT_INTERPOSE_INT_H
#define BURL_RT_INTERPOSE_INT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "interpose.h"
#include "rt/core/alias.h"
#include "rt/core/real.h"
#include "rt/core/sys.h"
#include "rt/core/trace.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"
#include "rt/detect/observe.h"
#include "rt/free/calls.h"
#include "rt/free/cover_events.h"
#include "rt/noise/noise.h"
#include "rt/sched/sched.h"

/* ---- interposed functions ---------------------------------------------------------------- */

/* Begins the definition of an interposed function; a declaration first, because headers do not have
 * one of every function. */
#define BURL_DEFINE(prototype) \
    BURL_EXPORT prototype;     \
    BURL_EXPORT prototype

/* A family of synchronization functions defines BURL_SYNC_FAMILY before it includes this: in free
 * mode each of its calls is between two noise points. Those of its functions that do not
 * synchronize are _PLAIN. */
#ifdef BURL_SYNC_FAMILY
#define BURL__AROUND(call) BURL_NOISE_AROUND(call)
#define BURL__AROUND_VOID(call) BURL_NOISE_AROUND_VOID(call)
#else
#define BURL__AROUND(call) (call)
#define BURL__AROUND_VOID(call) call
#endif

/* Defines an interposed function. Its value is `uncontrolled` in a thread that is not controlled
 * (no supervisor, free mode, before main) or calls from inside the runtime, else `controlled`, in
 * which `t` is the calling thread. */
#define BURL_INTERPOSE(prototype, uncontrolled, controlled) \
    BURL_INTERPOSE_AS(prototype, BURL__AROUND(uncontrolled), controlled, ret_)
#define BURL_INTERPOSE_PLAIN(prototype, uncontrolled, controlled) \
    BURL_INTERPOSE_AS(prototype, uncontrolled, controlled, ret_)
/* The same for results as system calls give them: if `controlled` is a negative errno value the
 * function sets errno and returns -1. */
#define BURL_INTERPOSE_SYS(prototype, uncontrolled, controlled) \
    BURL_INTERPOSE_AS(prototype, BURL__AROUND(uncontrolled), controlled, burl__result(ret_))
#define BURL_INTERPOSE_AS(prototype, uncontrolled, controlled, result) \
    BURL_DEFINE(prototype)                                             \
    {                                                                  \
        struct burl_thread *t = burl_rt_enter();                       \
                                                                       \
        if (t == NULL)                                                 \
            return uncontrolled;                                       \
        __auto_type ret_ = controlled;                                 \
        burl_rt_leave(t);                                              \
        return result;                                                 \
    }
#define BURL_INTERPOSE_VOID(prototype, uncontrolled, controlled) \
    BURL_DEFINE(prototype)                                       \
    {                                                            \
        struct burl_thread *t = burl_rt_enter();                 \
                                                                 \
        if (t == NULL) {                                         \
            BURL__AROUND_VOID(uncontrolled);                     \
            return;                                              \
        }                                                        \
        controlled;                                              \
        burl_rt_leave(t);                                        \
    }
/* The code of the OpenMP library: ompt.c. Its threads initialize locks for one another, and the
 * others spin meanwhile without a call: they would spin for ever if one of them stood there. */
extern uintptr_t burl__omp_code;
extern size_t burl__omp_code_b;

static inline bool
burl__is_omp_code(const void *pc)
{
    return (uintptr_t)pc - burl__omp_code < burl__omp_code_b;
}

/* A function that initializes *object of the program and returns 0 on success. `call`, libc's
 * function, does it in any case; a controlled thread announces it before and does `after` then. */
#define BURL_INTERPOSE_INIT(prototype, object, announce, call, after) \
    BURL_DEFINE(prototype)                                            \
    {                                                                 \
        struct burl_thread *t = burl_rt_enter();                      \
        int ret_;                                                     \
                                                                      \
        if (t != NULL && !burl__is_omp_code(__builtin_return_address(0))) \
            announce;                                                 \
        ret_ = BURL__AROUND(BURL_FREE_OBJECT(object, call));          \
        if (t != NULL && ret_ == 0)                                   \
            after;                                                    \
        if (t != NULL)                                                \
            burl_rt_leave(t);                                         \
        return ret_;                                                  \
    }
/* Does `action` as part of a call that has not been entered, if a controlled thread makes it. */
#define BURL_IN_CALL(action)                     \
    do {                                         \
        struct burl_thread *t = burl_rt_enter(); \
                                                 \
        if (t != NULL) {                         \
            action;                              \
            burl_rt_leave(t);                    \
        }                                        \
    } while (0)

/* For state that is burl's from the first call on, before main too: `own` with a supervisor, also
 * from inside the runtime. */
#define BURL_INTERPOSE_SUPERVISED(prototype, unsupervised, own) \
    BURL_DEFINE(prototype)                                      \
    {                                                           \
        return burl_rt_supervised ? (own) : (unsupervised);     \
    }
/* A function that does not return; also called from inside the runtime. */
#define BURL_INTERPOSE_NORETURN(prototype, uncontrolled, controlled) \
    BURL_DEFINE(prototype)                                           \
    {                                                                \
        if (burl_self != NULL)                                       \
            controlled;                                              \
        uncontrolled;                                                \
        __builtin_unreachable();                                     \
    }
/* What a controlled thread may not do (R9). */
#define BURL_INTERPOSE_UNSUPPORTED(prototype, what, uncontrolled) \
    BURL_DEFINE(prototype)                                        \
    {                                                             \
        if (burl_self != NULL)                                    \
            burl_rt_unsupported(what);                            \
        return uncontrolled;                                      \
    }
/* The form of `plain` that a fortified program calls; if it is not ok, libc ends the process. */
#define BURL_INTERPOSE_CHECKED(prototype, ok, original, plain)   \
    BURL_DEFINE(prototype)                                       \
    {                                                            \
        return (ok) && burl_self != NULL ? (plain) : (original); \
    }

/* ---- helpers ----------------------------------------------------------------------------- */

static inline struct burl_op
burl__op(const struct burl_thread *t, enum burl_wire_op kind, const volatile void *addr,
         uint64_t aux)
{
    return (struct burl_op){
        .kind = (uint8_t)kind,
        .site = burl_rt_site(t),
        .addr = burl_alias((uintptr_t)addr),
        .aux = aux,
    };
}

/* Announces an operation that can always happen. */
static inline void
burl__point(struct burl_thread *t, enum burl_wire_op kind, const volatile void *addr, uint64_t aux)
{
    struct burl_op op = burl__op(t, kind, addr, aux);

    burl_sched_point(t, &op);
}

/* An operation on a descriptor; events: what of poll() it waits for. */
static inline struct burl_op
burl__io_op(const struct burl_thread *t, int fd, short events)
{
    return burl__op(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, (uint64_t)events);
}

/* Announces an operation, or yields with it when t polls: its last operation was a failed attempt
 * (burl__try_failed()). */
static inline void
burl__point_or_yield(struct burl_thread *t, const struct burl_op *op)
{
    if (t->poll_ops != 0 && t->n_ops == t->poll_ops)
        burl_sched_yield(t, op);
    else
        burl_sched_point(t, op);
}

/* A try operation that failed. The operation just announced is counted by the scheduler before the
 * next one is. */
static inline void
burl__try_failed(struct burl_thread *t)
{
    t->poll_ops = t->n_ops;
}

/* Announces an operation that only reads a state (testcancel, poll without time-out). The second
 * such call in a row is a polling loop, and yields. */
static inline void
burl__poll_point(struct burl_thread *t, const struct burl_op *op)
{
    burl__point_or_yield(t, op);
    burl__try_failed(t);
}

/* Before a call on a descriptor that will not block: a point, and a yield when it is repeated in a
 * loop. */
static inline void
burl__io_poll_point(struct burl_thread *t, int fd, short events)
{
    struct burl_op op = burl__io_op(t, fd, events);

    burl__poll_point(t, &op);
}

static inline void
burl__yield(struct burl_thread *t)
{
    struct burl_op op = burl__op(t, BURL_OP_YIELD, NULL, 0);

    burl_sched_yield(t, &op);
}

/* Initializes `object` of the program, n bytes: an operation like any other, since another thread
 * may be about to use the object. Called before the memory changes. */
static inline void
burl__init_point(struct burl_thread *t, const volatile void *object, uint64_t n, uint64_t value)
{
    burl__point(t, BURL_OP_INIT, object, value);
    if (burl_thread_alive() > 1)
        burl_rt_call_access(t, object, n, true);
}

/* The same with attributes of n_attr bytes, which are read; attr may be NULL. */
static inline void
burl__init_with(struct burl_thread *t, const volatile void *object, uint64_t n, const void *attr,
                uint64_t n_attr)
{
    if (attr != NULL && burl_thread_alive() > 1)
        burl_rt_call_access(t, attr, n_attr, false);
    burl__init_point(t, object, n, 0);
}

/* Does a thread wait that cannot go on? One that could, and was not chosen yet, has not begun. */
static inline bool
burl__is_waited_for(const struct burl_obj *o)
{
    for (const struct burl_thread *w = o->waiters; w != NULL; w = w->wait_next) {
        if (w->state == BURL_THREAD_BLOCKED)
            return true;
    }
    return false;
}

/* ---- time ---------------------------------------------------------------------------------- */

#define BURL__NS_PER_S 1000000000ull

static inline bool
burl__timespec_ok(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)BURL__NS_PER_S;
}

/* A valid *ts in nanoseconds; what does not fit is as long as can be. */
static inline uint64_t
burl__timespec_ns(const struct timespec *ts)
{
    if ((uint64_t)ts->tv_sec > UINT64_MAX / BURL__NS_PER_S - 1)
        return UINT64_MAX - 1;
    return (uint64_t)ts->tv_sec * BURL__NS_PER_S + (uint64_t)ts->tv_nsec;
}

static inline struct timespec
burl__ns_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / BURL__NS_PER_S),
                              .tv_nsec = (long)(ns % BURL__NS_PER_S) };
}

static inline struct timeval
burl__ns_timeval(uint64_t ns)
{
    return (struct timeval){ .tv_sec = (time_t)(ns / BURL__NS_PER_S),
                             .tv_usec = (suseconds_t)(ns % BURL__NS_PER_S / 1000u) };
}

/* Virtual time until `deadline_ns`, 0 when it has passed. */
static inline uint64_t
burl__time_left(uint64_t deadline_ns)
{
    uint64_t now = burl_time_peek_ns();

    return deadline_ns > now ? deadline_ns - now : 0;
}

/* A deadline that is not a time: the operation fails with EINVAL, but only if it had to wait.
 * Next to the value at which the clock saturates, 584 years after the start. */
#define BURL__TIME_INVALID (BURL_TIME_NEVER - 2)

/* The absolute time *ts of `clock` as a deadline for burl__wait(). */
static inline uint64_t
burl__deadline(int clock, const struct timespec *ts)
{
    if (ts->tv_nsec < 0 || ts->tv_nsec >= (long)BURL__NS_PER_S)
        return BURL__TIME_INVALID;
    return burl_time_deadline(clock, ts->tv_sec, ts->tv_nsec);
}

/* The clocks that the *_clock* functions of libc accept. */
static inline bool
burl__clock_ok(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* burl_sched_wait() with libc's codes: 0 (it is t's turn and ready holds), ETIMEDOUT, EINVAL
 * (BURL__TIME_INVALID and not ready), ECANCELED. */
static inline int
burl__wait(struct burl_thread *t, const struct burl_op *op, struct burl_obj *o,
           burl_ready_fn ready, uint64_t deadline_ns, bool cancellable)
{
    if (deadline_ns == BURL__TIME_INVALID) {
        burl_sched_point(t, op);
        return ready(o, t) ? 0 : EINVAL;
    }
    switch (burl_sched_wait(t, op, o, ready, deadline_ns, cancellable)) {
    case BURL_WAIT_READY:
        return 0;
    case BURL_WAIT_TIMEOUT:
        return ETIMEDOUT;
    case BURL_WAIT_CANCELED:
        break;
    }
    return ECANCELED;
}

/* burl__wait() of a recorded misuse that blocks in libc: perhaps for ever, and then that is no
 * deadlock to be reported besides. */
static inline void
burl__wait_misused(struct burl_thread *t, const struct burl_op *op, struct burl_obj *o,
                   burl_ready_fn ready)
{
    t->stuck_by_misuse = true;
    burl__wait(t, op, o, ready, BURL_TIME_NEVER, false);
    t->stuck_by_misuse = false;
}

/* A try operation: like burl__point(), but a thread that tries again right after a failure polls,
 * and is passed over until another makes progress. */
static inline void
burl__try_point(struct burl_thread *t, enum burl_wire_op kind, const volatile void *addr)
{
    struct burl_op op = burl__op(t, kind, addr, 0);

    op.tries = true;
    burl__point_or_yield(t, &op);
}

/* Notes for reports how an operation that may fail ended; r: 0 or an errno value. */
static inline void
burl__note_result(struct burl_thread *t, int r)
{
    if (r == ETIMEDOUT)
        burl_trace_note(t, BURL_EV_F_TIMEOUT, (uint64_t)r);
    else if (r != 0)
        burl_trace_note(t, BURL_EV_F_FAILED, (uint64_t)r);
}

/* ---- notifying the observers --------------------------------------------------------------- */

static inline bool
burl__observed(const struct burl_thread *t)
{
    return BURL_UNLIKELY(burl_ob_mask != 0) && t->watch != NULL;
}

#define BURL_CALL_SITE burl_rt_site(t)
#define BURL_X(event, parameters, arguments, names)                                         \
    static inline void                                                               \
    burl__notify_##event(struct burl_thread *t, BURL_UNWRAP parameters)              \
    {                                                                                \
        if (burl__observed(t))                                                       \
            burl_ob_##event(t->watch, BURL_UNWRAP arguments);                        \
    }
BURL_STREAM_EVENTS(BURL_X)
#undef BURL_X
#undef BURL_CALL_SITE

/* t's lock is gone, see burl_ob_lost(). */
static inline void
burl__notify_lost(struct burl_thread *t, const volatile void *lock)
{
    if (burl__observed(t))
        burl_ob_lost(t->watch, lock);
}

/* `woken`, which waited for the object, goes on because of what t does; NULL: for none. */
static inline void
burl__notify_wake(struct burl_thread *t, struct burl_thread *woken, const volatile void *object)
{
    if (!burl__observed(t) || woken->watch == NULL)
        return;
    t->watch->wakes_by = (uintptr_t)object;
    burl_ob_wake(t->watch, woken->watch);
    t->watch->wakes_by = 0;
}

static inline void
burl__notify_renewed(const volatile void *object)
{
    if (BURL_UNLIKELY(burl_ob_mask != 0))
        burl_ob_forget_object(object);
}

/* The thread `tid`, if there is one, no longer holds the lock, without an unlock of its own. */
static inline void
burl__lock_lost(uint16_t tid, const struct burl_obj *o)
{
    struct burl_thread *t = burl_thread_by_tid(tid);

    if (t == NULL)
        return;
    t->n_locks -= t->n_locks != 0; /* 0: taken before main */
    burl__notify_lost(t, (void *)o->addr);
}

/* t gives back a lock that it holds. */
static inline void
burl__lock_released(struct burl_thread *t, const struct burl_obj *o)
{
    t->n_locks -= t->n_locks != 0; /* 0: taken before main */
    burl__notify_release(t, (void *)o->addr);
}

/* t has taken a lock. */
static inline void
burl__lock_taken(struct burl_thread *t, const struct burl_obj *o, enum burl_wire_lock_mode mode,
                 bool by_try)
{
    burl_rt_took_lock(t);
    burl__notify_acquire(t, (void *)o->addr, mode, by_try);
}

/* t unlocks a lock that does not check: it is free afterwards, whichever thread had it. The texts
 * are for misuses: no thread holds it, another one does. */
static inline void
burl__lock_dropped(struct burl_thread *t, struct burl_obj *o, const char *unlocked,
                   const char *foreign)
{
    if (o->owner == BURL_TID_NONE) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, o, unlocked);
    } else if (o->owner != t->tid) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, o, foreign);
        burl__lock_lost(o->owner, o);
    } else {
        t->n_locks -= t->n_locks != 0;
    }
    o->owner = BURL_TID_NONE;
    burl__notify_release(t, (void *)o->addr);
    burl_obj_changed(o);
}

/* A try or timed operation ended so; r: 0 or an errno value. Success shows in taking the lock. */
static inline void
burl__notify_tried(struct burl_thread *t, const volatile void *object, int r)
{
    if (BURL_UNLIKELY(r == EBUSY || r == EAGAIN))
        burl__notify_outcome(t, object, BURL_SYNCHRO_TRY_BUSY);
    else if (BURL_UNLIKELY(r == ETIMEDOUT))
        burl__notify_outcome(t, object, BURL_SYNCHRO_TIMED_OUT);
}

/* A try or timed operation of t gave up because of other threads. Calls that are made one after the
 * other never see that, so results that follow from it are not compared with theirs. Main calls
 * alone in generated tests, before and after the threads. */
static inline void
burl__gave_up(const struct burl_thread *t)
{
    burl_rt.exec.contended |= t->tid != 0;
}

/* How many were waiting for what t does. */
static inline enum burl_wire_synchro
burl__waiters(uint32_t n)
{
    return n == 0   ? BURL_SYNCHRO_NO_WAITER
           : n == 1 ? BURL_SYNCHRO_ONE_WAITER
                    : BURL_SYNCHRO_MANY_WAITERS;
}

/* ---- state of the process (process.c) -------------------------------------------------------- */

/* What a library or the kernel keeps for the whole process and calls of it read or change. */
enum burl__state {
    BURL__STATE_KEYS,     /* which keys of thread-specific data there are */
    BURL__STATE_HANDLERS, /* of exit and fork */
    BURL__STATE_CLOCK,
    BURL__STATE_TIMERS,
    BURL__STATE_KERNEL, /* directory, ids, limits, priorities, names, mappings, descriptors */
    BURL__STATE__N
};

/* A call of t that reads or changes such state: an operation while there are other threads. */
void burl__state_point(struct burl_thread *t, enum burl__state what, bool changes);
/* t reads the clock, which each reading moves: an operation where several threads do. */
void burl__clock_point(struct burl_thread *t);
/* The same for a change by a call that has not been entered yet, perhaps before main. */
void burl__state_call(enum burl__state what);
/* The same for state that calls burl does not see may read: a search must not claim a proof. */
void burl__state_doubt(struct burl_thread *t, enum burl__state what);
/* The same for a call of t whose order with every operation of other threads matters. */
void burl__state_doubt_all(struct burl_thread *t);
/* burl__state_doubt() for a call that has not been entered yet, perhaps before main. */
void burl__state_doubt_call(enum burl__state what);

/* arch_prctl() of a thread that is inside (kernel.c). */
long burl__segment_call(struct burl_thread *t, int code, long arg);

/* ---- the life of the families --------------------------------------------------------------- */

/* Before every execution: forget what the last one left (process.c, burl_interpose_reset()). */
void burl__mutex_reset(void);
void burl__rwlock_reset(void);
void burl__sem_reset(void);
void burl__keys_reset(void);
void burl__timers_reset(void);
void burl__io_reset(void);
void burl__signals_reset(void);
void burl__exit_reset(void);
void burl__fork_reset(void);

/* Once, before main: what constructors made belongs to every execution. */
void burl__sem_mark_start(void);
void burl__keys_mark_start(void);
void burl__signals_mark_start(void);
void burl__exit_mark_start(void);
void burl__fork_mark_start(void);

void burl__keys_thread_init(struct burl_thread *t);
void burl__signals_thread_init(struct burl_thread *t, const struct burl_thread *parent);

/* In a child of fork, from here on an ordinary process: hand over to libc what the families kept
 * for the thread that called fork. */
void burl__keys_child(struct burl_thread *t);
void burl__signals_child(struct burl_thread *t);
void burl__exit_child(void);

/* ---- mutex.c ------------------------------------------------------------------------------- */

/* Called by the core when t's last operation has happened: robust mutexes it still holds become
 * "owner died"; others stay taken for ever. */
void burl__mutex_thread_exit(struct burl_thread *t);

/* The whole calls, for threads that are inside already (C11 and POSIX share them). */
int burl__mutex_lock(struct burl_thread *t, pthread_mutex_t *m, enum burl_wire_op kind,
                     uint64_t deadline_ns);
int burl__mutex_trylock(struct burl_thread *t, pthread_mutex_t *m);
int burl__mutex_unlock(struct burl_thread *t, pthread_mutex_t *m);
void burl__mutex_inited(pthread_mutex_t *m);
int burl__mutex_destroy(struct burl_thread *t, pthread_mutex_t *m);

/* Parts, for condition variables. */
struct burl_obj *burl__mutex_get(pthread_mutex_t *m);
/* May t have the mutex now? True also for a recursive mutex that t has already. */
bool burl__mutex_ready(const struct burl_obj *o, const struct burl_thread *t);
/* t takes the mutex; burl__mutex_ready() must hold. 0, EOWNERDEAD or ENOTRECOVERABLE. */
int burl__mutex_take(struct burl_thread *t, struct burl_obj *o);
/* t gives back one level of a mutex it holds. */
void burl__mutex_give(struct burl_thread *t, struct burl_obj *o);
/* t unlocks a mutex that it does not hold, and libc does not check that: its owner, if any, loses
 * it. */
void burl__mutex_give_foreign(struct burl_thread *t, struct burl_obj *o);
/* Does a program that unlocks this mutex without holding it expect an error code? */
bool burl__mutex_checks_owner(const struct burl_obj *o);

/* ---- cond.c --------------------------------------------------------------------------------- */

int burl__cond_wait(struct burl_thread *t, pthread_cond_t *c, pthread_mutex_t *m,
                    uint64_t deadline_ns);
int burl__cond_wake(struct burl_thread *t, pthread_cond_t *c, bool all);
void burl__cond_inited(pthread_cond_t *c);
int burl__cond_destroy(struct burl_thread *t, pthread_cond_t *c);

/* ---- once.c ---------------------------------------------------------------------------------- */

/* Waits until no thread runs the initialization guarded by `addr`. True: it is now t's to run;
 * false: done() says that it has been run. */
bool burl__once_begin(struct burl_thread *t, void *addr, bool (*done)(const void *addr));
/* The end of an initialization that t began: mark() writes "done" into the program's memory. */
void burl__once_finish(struct burl_thread *t, void *addr, void (*mark)(void *addr));
/* The initialization that t began was left by an exception or a cancellation: the next caller
 * starts again. */
void burl__once_abandon(struct burl_thread *t, void *addr);

/* ---- mapping.c ------------------------------------------------------------------------------ */

/* Memory is mapped with these flags. */
void burl__note_mapping(int flags);

/* ---- cancel.c ---------------------------------------------------------------------------- */

/* A cancellation point that is no wait: unwinds t if a request is pending. */
void burl__cancel_point(struct burl_thread *t);

/* ---- keys.c ------------------------------------------------------------------------------ */

/* Runs thread_local destructors, then key destructors, for a thread that is ending. */
void burl_keys_run_destructors(struct burl_thread *t);
/* thread_local destructors of t alone, as exit() runs them. */
void burl__keys_run_tls_dtors(struct burl_thread *t);

/* ---- signals.c --------------------------------------------------------------------------- */

/* Has t a signal to handle, or did handlers run since `mark` (a value of t->sig_count)? */
bool burl__signal_wakes(const struct burl_thread *t, uint32_t mark);
/* Runs the handlers of t's pending signals now; `inside` is set and is so again afterwards. */
void burl__signals_run(struct burl_thread *t);
/* Sends a signal to the process, as the kernel or a timer does. */
void burl__signal_process(int sig, int code, union sigval value);
/* Would a further signal of this number be noticed: not ignored, and none of it still pending? */
bool burl__signal_takable(int sig);
/* The kernel's SIGPIPE for a write of t that gave EPIPE. */
void burl__signal_pipe(struct burl_thread *t);
/* Takes over signals that came from outside the process; true when there were any. */
bool burl__signals_external(void);
/* The state of the signals, shared by signals.c (model) and sigcalls.c (functions). Numbers are
 * 1..64; a set has bit sig - 1. */
#define BURL__SIG_MAX 64
#define BURL__SIG(sig) (1ull << ((sig)-1))
#define BURL__SIG_UNBLOCKABLE (BURL__SIG(SIGKILL) | BURL__SIG(SIGSTOP))
extern struct sigaction burl__sig_actions[BURL__SIG_MAX + 1];
extern uint64_t burl__sig_main_mask;       /* of the main thread, before main */
extern uint64_t burl__sig_process_pending; /* sent to the process, every thread blocks it */

static inline uint64_t
burl__sig_bit(int sig)
{
    return sig >= 1 && sig <= BURL__SIG_MAX ? BURL__SIG(sig) : 0;
}

void burl__sig_action_changed(int sig); /* after a change of the table: what the kernel must know */
void burl__sig_send(struct burl_thread *target, int sig, int code, union sigval value);
void burl__sig_fill_info(int sig, siginfo_t *out);
/* Is t in sigwait for this signal? */
bool burl__sig_awaits(const struct burl_thread *t, int sig);

/* ---- time.c -------------------------------------------------------------------------------- */

/* A relative sleep: 0, EINVAL, or EINTR with what is left in *rem. A cancellation point: does not
 * return when t is canceled. */
int burl__sleep_for(struct burl_thread *t, const struct timespec *req, struct timespec *rem);

/* ---- fds.c, io.c, iopoll.c --------------------------------------------------------------- */

struct pollfd;

/* One wait for the world of descriptors and processes; lives on the waiting thread's stack. */
struct burl__io_wait {
    /* Can the operation happen? Looks at the kernel without changing anything there. */
    bool (*check)(struct burl__io_wait *w);
    struct pollfd *fds; /* what it depends on, NULL when that is not descriptors */
    unsigned n_fds;
    bool external;      /* something outside this process may end it */
    bool no_restart;    /* any handler interrupts it, SA_RESTART or not */
    uint32_t mark;      /* t->sig_count at the beginning */
    long arg[4];        /* the check's own */
};

/* Waits until w->check() holds: 0; -ETIMEDOUT at the deadline; -EINTR after a handler. A
 * cancellation point: does not return when t is canceled. op: what is announced. */
int burl__io_wait(struct burl_thread *t, struct burl__io_wait *w, const struct burl_op *op,
                  uint64_t deadline_ns);
/* A wait until poll() would return. */
struct burl__io_wait burl__io_poll_wait(struct pollfd *fds, unsigned n);
/* burl__io_wait() for one descriptor and poll events. */
int burl__io_wait_fd(struct burl_thread *t, int fd, short events, uint64_t deadline_ns);
/* Something happened that may make waiting operations possible. */
void burl__io_changed(void);

/* The result r of a call by which that may have happened. */
static inline long
burl__io_result(long r)
{
    burl__io_changed();
    return r;
}

/* Both ends of fd are in this process alone. */
bool burl__fd_internal(int fd);
void burl__fd_set_internal(int fd, bool internal);

/* fork(): the other process holds our descriptors too; a pid > 0 is remembered until the reset. */
void burl__io_note_fork(int pid);
void burl__io_note_reaped(int pid);

#endif
