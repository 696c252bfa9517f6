/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigcalls.c - the signal functions of libc, on the model of signals.c.
 *
 * Dispositions and masks set before main count too (burl_self is NULL then), and only a process
 * without a supervisor, or a child of fork, talks to the kernel.
 */
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"

static uint64_t
to_bits(const sigset_t *set)
{
    uint64_t bits;

    memcpy(&bits, set, sizeof bits);
    return bits;
}

static void
from_bits(sigset_t *set, uint64_t bits)
{
    memset(set, 0, sizeof *set);
    memcpy(set, &bits, sizeof bits);
}

static bool
is_valid(int sig)
{
    return sig >= 1 && sig <= BURL__SIG_MAX && sig != 32 && sig != 33; /* libc's own two */
}

/* ---- dispositions ------------------------------------------------------------------------ */

static int
set_action(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction *a;

    if (!is_valid(sig) || (act != NULL && (sig == SIGKILL || sig == SIGSTOP)))
        return -EINVAL;
    a = &burl__sig_actions[sig];
    if (old != NULL)
        *old = *a;
    if (act != NULL) {
        *a = *act;
        if (burl_self != NULL) /* the handler sees what was written before it was set */
            burl__notify_send_order(burl_self, &burl_ob_channel_signal);
        burl__sig_action_changed(sig);
    }
    return 0;
}

BURL_EXPORT int
sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
    burl_rt_wake();
    if (!burl_rt_supervised)
        return burl_free_sigaction(sig, act, old);
    return (int)burl__result(set_action(sig, act, old));
}

static __sighandler_t
set_handler(int sig, __sighandler_t handler, int flags)
{
    struct sigaction act = { .sa_flags = flags };
    struct sigaction old;

    act.sa_handler = handler;
    if (burl__result(set_action(sig, &act, &old)) != 0)
        return SIG_ERR;
    return old.sa_handler;
}

/* bsd_signal() and sigset() are hidden by feature macros. */
__sighandler_t bsd_signal(int sig, __sighandler_t handler);

#define SIGNAL_FUNCTION(name, flags)                                  \
    BURL_DEFINE(__sighandler_t name(int sig, __sighandler_t handler)) \
    {                                                                 \
        burl_rt_wake();                                               \
        if (burl_free_me != NULL)                                     \
            return burl_free_signal(sig, handler, flags);             \
        if (!burl_rt_supervised)                                      \
            return BURL_REAL(name)(sig, handler);                     \
        return set_handler(sig, handler, flags);                      \
    }
SIGNAL_FUNCTION(signal, SA_RESTART)
/* What signal() means to a program compiled for plain POSIX. */
SIGNAL_FUNCTION(__sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
SIGNAL_FUNCTION(sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
SIGNAL_FUNCTION(bsd_signal, SA_RESTART)
SIGNAL_FUNCTION(ssignal, SA_RESTART)

static int
set_interrupt(int sig, int interrupt)
{
    struct sigaction *a;

    if (!is_valid(sig))
        return -EINVAL;
    a = &burl__sig_actions[sig];
    if (interrupt != 0)
        a->sa_flags &= ~SA_RESTART;
    else
        a->sa_flags |= SA_RESTART;
    burl__sig_action_changed(sig);
    return 0;
}

/* Deprecated, and still called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
BURL_INTERPOSE_SUPERVISED(int siginterrupt(int sig, int interrupt),
                          BURL_REAL(siginterrupt)(sig, interrupt),
                          (int)burl__result(set_interrupt(sig, interrupt)))
#pragma GCC diagnostic pop

static int
set_alt_stack(struct burl_thread *t, const stack_t *ss, stack_t *old)
{
    stack_t *mine = t->sig_alt;

    /* The kernel's one is the runtime's, to survive stack overflows. */
    if (mine == NULL) {
        mine = burl_exec_alloc(sizeof *mine);
        mine->ss_flags = SS_DISABLE;
        t->sig_alt = mine;
    }
    if (old != NULL)
        *old = *mine;
    if (ss != NULL)
        *mine = *ss;
    return 0;
}

BURL_INTERPOSE(int sigaltstack(const stack_t *restrict ss, stack_t *restrict old),
               BURL_REAL(sigaltstack)(ss, old), set_alt_stack(t, ss, old))

/* ---- masks ------------------------------------------------------------------------------- */

/* Returns 0 or an errno value; signals that become unblocked are handled before it returns. */
static int
change_mask(int how, const sigset_t *set, sigset_t *old)
{
    struct burl_thread *t = burl_self;
    uint64_t *mask = t != NULL ? &t->sig_blocked : &burl__sig_main_mask;
    uint64_t before = *mask;

    if (set != NULL) {
        switch (how) {
        case SIG_BLOCK:
            *mask |= to_bits(set);
            break;
        case SIG_UNBLOCK:
            *mask &= ~to_bits(set);
            break;
        case SIG_SETMASK:
            *mask = to_bits(set);
            break;
        default:
            return EINVAL;
        }
        *mask &= ~BURL__SIG_UNBLOCKABLE;
    }
    if (old != NULL)
        from_bits(old, before);
    if (t != NULL && !t->inside) {
        t->inside = 1;
        burl__signals_run(t);
        t->inside = 0;
    }
    return 0;
}

BURL_INTERPOSE_SUPERVISED(int sigprocmask(int how, const sigset_t *restrict set,
                                          sigset_t *restrict old),
                          BURL_REAL(sigprocmask)(how, set, old),
                          (int)burl__result(-change_mask(how, set, old)))
BURL_INTERPOSE_SUPERVISED(int pthread_sigmask(int how, const sigset_t *restrict set,
                                              sigset_t *restrict old),
                          BURL_REAL(pthread_sigmask)(how, set, old), change_mask(how, set, old))

/* ---- System V: one signal at a time -------------------------------------------------------- */

static int
change_one(int how, int sig, bool *was_blocked)
{
    sigset_t set;
    sigset_t old;
    int r;

    if (!is_valid(sig)) {
        errno = EINVAL;
        return -1;
    }
    from_bits(&set, burl__sig_bit(sig));
    r = sigprocmask(how, &set, &old);
    *was_blocked = r == 0 && (to_bits(&old) & burl__sig_bit(sig)) != 0;
    return r;
}

BURL_EXPORT int
sighold(int sig)
{
    bool was;

    return change_one(SIG_BLOCK, sig, &was);
}

BURL_EXPORT int
sigrelse(int sig)
{
    bool was;

    return change_one(SIG_UNBLOCK, sig, &was);
}

BURL_EXPORT int
sigignore(int sig)
{
    struct sigaction act = { .sa_handler = SIG_IGN };

    return sigaction(sig, &act, NULL);
}

BURL_EXPORT __sighandler_t
sigset(int sig, __sighandler_t handler)
{
    struct sigaction act = { .sa_handler = handler };
    struct sigaction old;
    bool was;

    if (sigaction(sig, handler == SIG_HOLD ? NULL : &act, &old) != 0 ||
        change_one(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, sig, &was) != 0)
        return SIG_ERR;
    return was ? SIG_HOLD : old.sa_handler;
}

static uint64_t
pending_signals(const struct burl_thread *t)
{
    return t->sig_pending | burl__sig_process_pending;
}

BURL_INTERPOSE(int sigpending(sigset_t *set), BURL_REAL(sigpending)(set),
               (from_bits(set, pending_signals(t) & t->sig_blocked), 0))

/* ---- sending ----------------------------------------------------------------------------- */

static const union sigval no_value;

/* A thread-directed signal; 0 or an errno value. */
static int
send_thread(struct burl_thread *t, struct burl_thread *target, int sig, int code,
            union sigval value)
{
    if (target == NULL)
        return ESRCH;
    if (sig == 0)
        return 0;
    if (!is_valid(sig))
        return EINVAL;
    burl__point(t, BURL_OP_SIGNAL, (void *)(uintptr_t)target->handle, (uint64_t)sig);
    burl__sig_send(target, sig, code, value);
    burl__signals_run(t);
    return 0;
}

/* A signal to the process itself; 0 or an errno value. */
static int
send_process(struct burl_thread *t, int sig, int code, union sigval value)
{
    if (sig == 0)
        return 0;
    if (!is_valid(sig))
        return EINVAL;
    burl__point(t, BURL_OP_SIGNAL, NULL, (uint64_t)sig);
    burl__signal_process(sig, code, value);
    burl__signals_run(t);
    return 0;
}

static int
send_handle(struct burl_thread *t, pthread_t handle, int sig, int code, union sigval value)
{
    return send_thread(t, burl_thread_by_handle((uint64_t)handle), sig, code, value);
}

/* The numbers are those of gettid(): see futex.c. */
static int
send_tid(struct burl_thread *t, pid_t tgid, pid_t tid, int sig)
{
    pid_t pid = (pid_t)BURL_SYS0(SYS_getpid);

    if (tgid != pid)
        return (int)-BURL_SYS3(SYS_tgkill, tgid, tid, sig);
    if (tid < pid || (uint32_t)(tid - pid) >= burl_thread_count())
        return ESRCH;
    return send_thread(t, burl_thread_by_tid((uint16_t)(tid - pid)), sig, SI_TKILL, no_value);
}

static int
send_pid(struct burl_thread *t, pid_t pid, int sig)
{
    if (pid == (pid_t)BURL_SYS0(SYS_getpid))
        return send_process(t, sig, SI_USER, no_value);
    if (sig != 0 && (pid == 0 || pid == -1 || pid == -(pid_t)BURL_SYS0(SYS_getpgrp)))
        burl_rt_unsupported("kill of a process group that includes the tested program");
    return (int)-BURL_SYS2(SYS_kill, pid, sig);
}

#define FREE_SEND(sig, call) (burl_free_signal_send(sig), call)

BURL_INTERPOSE_SYS(int raise(int sig), FREE_SEND(sig, BURL_REAL(raise)(sig)),
                   -send_thread(t, t, sig, SI_TKILL, no_value))
BURL_INTERPOSE(int pthread_kill(pthread_t handle, int sig),
               FREE_SEND(sig, BURL_REAL(pthread_kill)(handle, sig)),
               send_handle(t, handle, sig, SI_TKILL, no_value))
BURL_INTERPOSE(int pthread_sigqueue(pthread_t handle, int sig, const union sigval value),
               FREE_SEND(sig, BURL_REAL(pthread_sigqueue)(handle, sig, value)),
               send_handle(t, handle, sig, SI_QUEUE, value))
BURL_INTERPOSE_SYS(int tgkill(pid_t tgid, pid_t tid, int sig),
                   FREE_SEND(sig, BURL_REAL(tgkill)(tgid, tid, sig)), -send_tid(t, tgid, tid, sig))
BURL_INTERPOSE_SYS(int kill(pid_t pid, int sig), FREE_SEND(sig, BURL_REAL(kill)(pid, sig)),
                   -send_pid(t, pid, sig))

BURL_INTERPOSE_SYS(int killpg(pid_t group, int sig), FREE_SEND(sig, BURL_REAL(killpg)(group, sig)),
                   group < 0 ? -EINVAL : -send_pid(t, -group, sig))

BURL_EXPORT int
sigqueue(pid_t pid, int sig, const union sigval value)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL || pid != (pid_t)BURL_SYS0(SYS_getpid)) {
        if (t != NULL)
            burl_rt_leave(t);
        return burl_free_signal_send(sig), BURL_REAL(sigqueue)(pid, sig, value);
    }
    r = send_process(t, sig, SI_QUEUE, value);
    burl_rt_leave(t);
    return (int)burl__result(-r);
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* A wait for signals; the wait_arg of the thread. */
struct sig_wait {
    uint64_t set;  /* sigwait: these; else 0 */
    uint32_t mark; /* t->sig_count at the beginning */
};

static bool
sigwait_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    const struct sig_wait *w = t->wait_arg;

    (void)o;
    return (pending_signals(t) & w->set) != 0 || burl__signal_wakes(t, w->mark);
}

bool
burl__sig_awaits(const struct burl_thread *t, int sig)
{
    return t->ready == sigwait_ready && t->state != BURL_THREAD_FINISHED &&
           (((const struct sig_wait *)t->wait_arg)->set & burl__sig_bit(sig)) != 0;
}

/* Waits until a signal of w->set is there, a handler is due, or the deadline. Queued where I/O
 * waits, because the signal may come from outside. */
static enum burl_wait_result
wait_for(struct burl_thread *t, struct sig_wait *w, uint64_t deadline_ns)
{
    struct burl_op op = burl__op(t, BURL_OP_SLEEP, NULL, 0);
    enum burl_wait_result r;

    t->wait_arg = w;
    r = burl_sched_wait(t, &op, burl_io_obj(), sigwait_ready, deadline_ns, true);
    if (r == BURL_WAIT_CANCELED)
        burl_thread_unwind(t, PTHREAD_CANCELED);
    return r;
}

/* Takes a pending signal of `set`: its number, 0 when there is none. */
static int
take_signal(struct burl_thread *t, uint64_t set)
{
    uint64_t *shared = &burl__sig_process_pending;
    uint64_t now = t->sig_pending & set;

    if (now != 0) {
        t->sig_pending &= ~(now & -now);
    } else {
        now = *shared & set;
        *shared &= ~(now & -now);
    }
    if (now == 0)
        return 0;
    burl__notify_receive_order(t, &burl_ob_channel_signal);
    return __builtin_ctzll(now) + 1;
}

/* A signal number, or a negative errno value: EINTR (a handler ran), EAGAIN (the time is over). */
static int
wait_signal(struct burl_thread *t, const sigset_t *set, uint64_t deadline_ns)
{
    struct sig_wait w = { .set = to_bits(set) & ~BURL__SIG_UNBLOCKABLE, .mark = t->sig_count };
    enum burl_wait_result r = wait_for(t, &w, deadline_ns);
    int sig = take_signal(t, w.set);

    if (sig != 0)
        return sig;
    if (r == BURL_WAIT_TIMEOUT)
        return -EAGAIN;
    burl__signals_run(t);
    return -EINTR;
}

static int
free_sigwait(const sigset_t *set, int *sig)
{
    int r = BURL_REAL(sigwait)(set, sig);

    if (r == 0)
        burl_free_signal_taken(*sig);
    return r;
}

static int
wait_any(struct burl_thread *t, const sigset_t *set, int *sig)
{
    int r;

    do {
        r = wait_signal(t, set, BURL_TIME_NEVER);
    } while (r == -EINTR);
    *sig = r;
    return 0;
}

/* ts: NULL without a time-out. */
static int
wait_info(struct burl_thread *t, const sigset_t *set, siginfo_t *info, const struct timespec *ts)
{
    int r;

    if (ts != NULL && !burl__timespec_ok(ts))
        return -EINVAL;
    r = wait_signal(t, set, ts != NULL ? burl_time_after(burl__timespec_ns(ts)) : BURL_TIME_NEVER);
    if (r > 0 && info != NULL)
        burl__sig_fill_info(r, info);
    return r;
}

BURL_INTERPOSE(int sigwait(const sigset_t *restrict set, int *restrict sig), free_sigwait(set, sig),
               wait_any(t, set, sig))
BURL_INTERPOSE_SYS(int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info),
                   burl_free_sigwaited(BURL_REAL(sigwaitinfo)(set, info)),
                   wait_info(t, set, info, NULL))
BURL_INTERPOSE_SYS(int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                                    const struct timespec *restrict ts),
                   burl_free_sigwaited(BURL_REAL(sigtimedwait)(set, info, ts)),
                   wait_info(t, set, info, ts))

/* Until a handler has run; the result of the calls that wait for that. */
static int
wait_handler(struct burl_thread *t)
{
    struct sig_wait w = { .mark = t->sig_count };

    while (t->sig_count == w.mark) {
        (void)wait_for(t, &w, BURL_TIME_NEVER);
        burl__signals_run(t);
    }
    return -EINTR;
}

static int
suspend_thread(struct burl_thread *t, const sigset_t *set)
{
    uint64_t saved = t->sig_blocked;
    int r;

    t->sig_blocked = to_bits(set) & ~BURL__SIG_UNBLOCKABLE;
    r = wait_handler(t);
    t->sig_blocked = saved;
    return r;
}

/* A signal that is handled on the way to pause() does not end it: that is the classic bug. So what
 * is pending is handled by a point of its own, before the count is looked at. */
static int
pause_thread(struct burl_thread *t)
{
    burl__point(t, BURL_OP_SLEEP, NULL, 0);
    return wait_handler(t);
}

BURL_INTERPOSE_SYS(int sigsuspend(const sigset_t *set), BURL_REAL(sigsuspend)(set),
                   suspend_thread(t, set))
BURL_INTERPOSE_SYS(int pause(void), BURL_REAL(pause)(), pause_thread(t))

BURL_INTERPOSE_UNSUPPORTED(int signalfd(int fd, const sigset_t *set, int flags), "signalfd",
                           (burl_free_signalfd(), BURL_REAL(signalfd)(fd, set, flags)))
