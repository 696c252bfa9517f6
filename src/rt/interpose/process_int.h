/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_int.h - what the process-side families (keys, cancel, futex, time, timers, io, signals,
 * exit, fork, kernel) share with each other and with process.c.
 *
 * Each family that keeps state of its own has a burl__<family>_reset(): it runs before every
 * execution (burl_interpose_reset()) and forgets what the last execution left; and, where
 * something made before main has to survive, a burl__<family>_mark_start(), called once by
 * burl_interpose_mark_start().
 */
#ifndef BURL_RT_PROCESS_INT_H
#define BURL_RT_PROCESS_INT_H

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "interpose.h"
#include "rt/core/real.h"
#include "rt/core/sys.h"
#include "rt/core/trace.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"
#include "rt/sched/sched.h"

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
/* The same for a call that has not been entered yet, perhaps before main. */
void burl__state_doubt_call(enum burl__state what);

void burl__keys_reset(void);
void burl__timers_reset(void);
void burl__io_reset(void);
void burl__signals_reset(void);
void burl__exit_reset(void);
void burl__fork_reset(void);

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

/* ---- cancel.c ---------------------------------------------------------------------------- */

/* A cancellation point that is no wait: unwinds t if a request is pending. */
void burl__cancel_point(struct burl_thread *t);

/* Announces an operation that only looks at something (testcancel, poll without time-out). The
 * second such call in a row with nothing between is a polling loop, and yields. */
void burl__poll_point(struct burl_thread *t, const struct burl_op *op);

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

/* ---- time.c, timers.c -------------------------------------------------------------------- */

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
    bool granted;       /* flock: the lock was given to us by a check */
    uint32_t mark;      /* t->sig_count at the beginning */
    long arg[4];        /* the check's own */
};

/* Waits until w->check() holds: 0; -ETIMEDOUT at the deadline; -EINTR after a handler. A
 * cancellation point: does not return when t is canceled. op: what is announced. */
int burl__io_wait(struct burl_thread *t, struct burl__io_wait *w, const struct burl_op *op,
                  uint64_t deadline_ns);
/* A check of w->fds with poll(). */
bool burl__io_check_poll(struct burl__io_wait *w);
/* burl__io_wait() for one descriptor and poll events. */
int burl__io_wait_fd(struct burl_thread *t, int fd, short events, uint64_t deadline_ns);
/* Something happened that may make waiting operations possible. */
void burl__io_changed(void);
/* Both ends of fd are in this process alone. */
bool burl__fd_internal(int fd);
void burl__fd_set_internal(int fd, bool internal);

/* fork(): the other process holds our descriptors too; a pid > 0 is remembered until the reset. */
void burl__io_note_fork(int pid);
void burl__io_note_reaped(int pid);

#endif
