/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.c - the model of signals: dispositions, masks, pending sets, delivery.
 *
 * Fibers share one kernel thread, so masks and thread-directed signals cannot be the kernel's:
 * dispositions are kept in a table, masks and pending sets in struct burl_thread, and a signal that
 * the program sends to itself never leaves the process. It is delivered at the receiver's next
 * operation, or at once when the sender is the receiver; a receiver that waits in a call that can
 * be interrupted wakes up for it; in other calls the handler runs after the wait (and not inside
 * it: docs/explain/limits.md).
 *
 * What the kernel has to know: that a signal is ignored or at its default, and, for signals with a
 * handler that another process may send, a catcher that only notes the number. The signals of
 * faults belong to the runtime, those of timers to timers.c; a handler that the program sets for
 * them runs only when the program sends the signal itself.
 */
#include <string.h>
#include <ucontext.h>

#include "interpose_int.h"
#include "rt/core/verdict.h"

struct sig_info {
    int code;
    union sigval value;
};

struct sigaction burl__sig_actions[BURL__SIG_MAX + 1];
uint64_t burl__sig_main_mask;
uint64_t burl__sig_process_pending;
static struct sigaction start_actions[BURL__SIG_MAX + 1];
static struct sig_info infos[BURL__SIG_MAX + 1];
static uint64_t changed; /* dispositions that differ from those at the start of main */
static uint64_t outside; /* caught from outside; atomic, set by catch_outside() */

/* The runtime's own: faults, and timers (timers.c; 63 is core/verdict.c's clock of real time); and
 * signals that cannot be caught. */
#define OWN_SIGNALS                                                                     \
    (BURL__SIG(SIGSEGV) | BURL__SIG(SIGBUS) | BURL__SIG(SIGFPE) | BURL__SIG(SIGILL) |   \
     BURL__SIG(SIGABRT) | BURL__SIG(SIGTRAP) | BURL__SIG(SIGSYS) | BURL__SIG(SIGALRM) | \
     BURL__SIG(SIGVTALRM) | BURL__SIG(SIGPROF) | BURL__SIG(63) | BURL__SIG_UNBLOCKABLE)
/* What the default action ignores, and what it stops the process for. */
#define IGNORED_SIGNALS \
    (BURL__SIG(SIGCHLD) | BURL__SIG(SIGURG) | BURL__SIG(SIGWINCH) | BURL__SIG(SIGCONT))
#define STOP_SIGNALS \
    (BURL__SIG(SIGSTOP) | BURL__SIG(SIGTSTP) | BURL__SIG(SIGTTIN) | BURL__SIG(SIGTTOU))

/* ---- what the kernel has to know --------------------------------------------------------- */

static void
catch_outside(int sig)
{
    /* Relaxed: the reader only wants the bit, and is on this thread or polls. */
    __atomic_fetch_or(&outside, burl__sig_bit(sig), __ATOMIC_RELAXED);
}

/* A write to a broken pipe must fail with EPIPE and not kill the runtime with the program; the
 * signal is made in burl__signal_pipe(). A handler and not SIG_IGN, which exec would pass on. */
static void
catch_pipe(int sig)
{
    (void)sig;
}

static bool
has_handler(int sig)
{
    return burl__sig_actions[sig].sa_handler != SIG_DFL &&
           burl__sig_actions[sig].sa_handler != SIG_IGN;
}

static void
tell_kernel(int sig)
{
    struct sigaction sa;

    if (burl__sig_bit(sig) & OWN_SIGNALS)
        return;
    memset(&sa, 0, sizeof sa);
    sa.sa_flags = SA_RESTART | (burl__sig_actions[sig].sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
    if (sig == SIGPIPE)
        sa.sa_handler = catch_pipe;
    else
        sa.sa_handler = has_handler(sig) ? catch_outside : burl__sig_actions[sig].sa_handler;
    (void)BURL_REAL(sigaction)(sig, &sa, NULL);
}

void
burl__sig_action_changed(int sig)
{
    changed |= burl__sig_bit(sig);
    tell_kernel(sig);
}

/* ---- default actions --------------------------------------------------------------------- */

static bool
is_ignored(int sig)
{
    return burl__sig_actions[sig].sa_handler == SIG_IGN ||
           (burl__sig_actions[sig].sa_handler == SIG_DFL &&
            (burl__sig_bit(sig) & IGNORED_SIGNALS) != 0);
}

static bool
is_fatal(int sig)
{
    return burl__sig_actions[sig].sa_handler == SIG_DFL &&
           (burl__sig_bit(sig) & IGNORED_SIGNALS) == 0;
}

static BURL_NORETURN void
take_default(int sig)
{
    if (burl__sig_bit(sig) & STOP_SIGNALS)
        burl_rt_unsupported("a stop signal sent to the program by itself");
    if (sig == SIGABRT)
        burl_rt_end(BURL_VERDICT_CRASH_ABORT, sig, 0, 0, BURL_FAULT_SENT_ABORT);
    burl_rt_end(BURL_VERDICT_CRASH_SIGNAL, sig, 0, 0,
                sig == SIGPIPE ? "write to a pipe or socket without a reader" : BURL_FAULT_SENT);
}

/* ---- delivery ---------------------------------------------------------------------------- */

void
burl__sig_fill_info(int sig, siginfo_t *out)
{
    memset(out, 0, sizeof *out);
    out->si_signo = sig;
    out->si_code = infos[sig].code;
    out->si_value = infos[sig].value;
    if (infos[sig].code != SI_TIMER && infos[sig].code != SI_KERNEL) {
        out->si_pid = (pid_t)BURL_SYS0(SYS_getpid);
        out->si_uid = (uid_t)BURL_SYS0(SYS_getuid);
    }
}

/* Runs t's handler for sig; `inside` is clear. */
static void
deliver_signal(struct burl_thread *t, int sig)
{
    struct sigaction sa = burl__sig_actions[sig];
    uint64_t saved = t->sig_blocked;
    uint64_t mask;

    if (is_ignored(sig))
        return;
    if (is_fatal(sig))
        take_default(sig);
    memcpy(&mask, &sa.sa_mask, sizeof mask);
    t->sig_blocked |= mask | ((sa.sa_flags & SA_NODEFER) != 0 ? 0 : burl__sig_bit(sig));
    if ((sa.sa_flags & (int)SA_RESETHAND) != 0) {
        burl__sig_actions[sig].sa_handler = SIG_DFL;
        burl__sig_action_changed(sig);
    }
    t->sig_count++;
    if ((sa.sa_flags & SA_RESTART) == 0)
        t->sig_eintr++;
    if ((sa.sa_flags & SA_SIGINFO) != 0) {
        siginfo_t info;
        ucontext_t context;

        burl__sig_fill_info(sig, &info);
        memset(&context, 0, sizeof context);
        sa.sa_sigaction(sig, &info, &context);
    } else {
        sa.sa_handler(sig);
    }
    t->sig_blocked = saved;
}

static bool
accepts_signal(const struct burl_thread *t, uint64_t bit)
{
    return t->state != BURL_THREAD_FINISHED && !t->exiting && (t->sig_blocked & bit) == 0;
}

void
burl_signals_deliver(struct burl_thread *t)
{
    (void)burl__signals_external();
    for (;;) {
        uint64_t now = t->sig_pending & ~t->sig_blocked;
        int sig;

        if (now == 0) {
            now = burl__sig_process_pending & ~t->sig_blocked;
            if (now == 0)
                return;
            burl__sig_process_pending &= ~(now & -now);
        }
        t->sig_pending &= ~(now & -now);
        sig = __builtin_ctzll(now) + 1;
        burl__notify_receive_order(t, &burl_ob_channel_signal);
        deliver_signal(t, sig);
    }
}

void
burl__signals_run(struct burl_thread *t)
{
    if (((t->sig_pending | burl__sig_process_pending) & ~t->sig_blocked) == 0 &&
        __atomic_load_n(&outside, __ATOMIC_RELAXED) == 0) /* see catch_outside() */
        return;
    t->inside = 0;
    burl_signals_deliver(t);
    t->inside = 1;
}

bool
burl__signal_wakes(const struct burl_thread *t, uint32_t mark)
{
    return (t->sig_pending & ~t->sig_blocked) != 0 || t->sig_count != mark;
}

/* ---- sending ----------------------------------------------------------------------------- */

void
burl__sig_send(struct burl_thread *target, int sig, int code, union sigval value)
{
    uint64_t bit = burl__sig_bit(sig);

    if (target->state == BURL_THREAD_FINISHED)
        return;
    if ((target->sig_blocked & bit) == 0) {
        if (is_ignored(sig))
            return;
        if (is_fatal(sig)) /* the kernel does not wait for the receiver's turn either */
            take_default(sig);
    }
    if (sig == SIGKILL)
        take_default(sig);
    infos[sig] = (struct sig_info){ .code = code, .value = value };
    target->sig_pending |= bit;
    if (target != burl_self)
        burl_sched_reevaluate(target);
}

/* The receiver of a signal to the process: a thread in sigwait for it, else the first thread, in
 * the order of creation, that does not block it. */
static struct burl_thread *
pick_receiver(int sig)
{
    uint64_t bit = burl__sig_bit(sig);
    struct burl_thread *found = NULL;

    for (uint32_t i = 0; i < burl_thread_count(); i++) {
        struct burl_thread *t = burl_thread_by_tid((uint16_t)i);

        if (burl__sig_awaits(t, sig))
            return t;
        if (found == NULL && accepts_signal(t, bit))
            found = t;
    }
    return found;
}

void
burl__signal_process(int sig, int code, union sigval value)
{
    struct burl_thread *t = pick_receiver(sig);

    if (t != NULL) {
        burl__sig_send(t, sig, code, value);
        return;
    }
    infos[sig] = (struct sig_info){ .code = code, .value = value };
    burl__sig_process_pending |= burl__sig_bit(sig);
}

bool
burl__signal_takable(int sig)
{
    uint64_t bit = burl__sig_bit(sig);

    if (is_ignored(sig) || (burl__sig_process_pending & bit) != 0)
        return false;
    for (uint32_t i = 0; i < burl_thread_count(); i++) {
        const struct burl_thread *t = burl_thread_by_tid((uint16_t)i);

        if (t->state != BURL_THREAD_FINISHED && (t->sig_pending & bit) != 0)
            return false;
    }
    return true;
}

void
burl__signal_pipe(struct burl_thread *t)
{
    burl__sig_send(t, SIGPIPE, SI_KERNEL, (union sigval){ 0 });
    burl__signals_run(t);
}

bool
burl__signals_external(void)
{
    uint64_t bits;

    if (__atomic_load_n(&outside, __ATOMIC_RELAXED) == 0) /* see catch_outside() */
        return false;
    bits = __atomic_exchange_n(&outside, 0, __ATOMIC_RELAXED);
    for (; bits != 0; bits &= bits - 1)
        burl__signal_process(__builtin_ctzll(bits) + 1, SI_USER, (union sigval){ 0 });
    return true;
}

/* ---- life -------------------------------------------------------------------------------- */

void
burl__signals_thread_init(struct burl_thread *t, const struct burl_thread *parent)
{
    t->sig_blocked = parent != NULL ? parent->sig_blocked : burl__sig_main_mask;
}

void
burl__signals_mark_start(void)
{
    memcpy(start_actions, burl__sig_actions, sizeof start_actions);
    changed = 0;
    tell_kernel(SIGPIPE);
}

void
burl__signals_reset(void)
{
    burl__sig_process_pending = 0;
    __atomic_store_n(&outside, 0, __ATOMIC_RELAXED); /* see catch_outside() */
    while (changed != 0) {
        int sig = __builtin_ctzll(changed) + 1;

        changed &= changed - 1;
        burl__sig_actions[sig] = start_actions[sig];
        tell_kernel(sig);
    }
}

void
burl__signals_child(struct burl_thread *t)
{
    for (int sig = 1; sig <= BURL__SIG_MAX; sig++) {
        if (sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33) /* libc's own two */
            (void)BURL_REAL(sigaction)(sig, &burl__sig_actions[sig], NULL);
    }
    (void)BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &t->sig_blocked, NULL, 8);
}
