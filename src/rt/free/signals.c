/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/signals.c - signals of the program in free mode.
 *
 * Handlers of the program are called through one of ours, which makes the edge from the thread
 * that sent the signal; the kernel knows ours, the program only its own. Faults that would kill
 * the process are caught first, so that the place of the crash is in the result; then the process
 * dies as it would have.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"
#include "rt/core/verdict.h"

#define N_SIGNALS 65
#define FAULT_STACK_B (32u << 10)

static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };

/* Those by which a user or burl itself ends a program. Observers that report at the end must do so
 * before it. */
static const int ending[] = { SIGINT, SIGTERM };

/* The action that the program set; NULL: nothing, or not a function. Never changed once it is here.
 * */
static const struct sigaction *wanted[N_SIGNALS];

/* ---- faults --------------------------------------------------------------------------------- */

static void on_fault(int sig, siginfo_t *info, void *context);

static bool
is_in(int sig, const int *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == sig)
            return true;
    }
    return false;
}

static bool
is_ending(int sig)
{
    return is_in(sig, ending, sizeof ending / sizeof ending[0]);
}

/* Is it caught while the program leaves it to its default? */
static bool
is_caught(int sig)
{
    return is_in(sig, fatal, sizeof fatal / sizeof fatal[0]) || (burl_free.more && is_ending(sig));
}

/* The host takes a handler for one that may wake a thread of the program, unless it is ours. */
static void
set_own(int sig, bool own)
{
    uint64_t *mask = &burl_rt.ctl->blocked.own_signals;
    uint64_t bit = 1ull << (sig - 1);

    if (own)
        __atomic_fetch_or(mask, bit, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(mask, ~bit, __ATOMIC_RELAXED);
}

static void
set_default(int sig)
{
    struct sigaction sa = { .sa_handler = SIG_DFL };

    (void)BURL_REAL(sigaction)(sig, &sa, NULL);
}

static void
catch_fault(int sig)
{
    struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

    set_own(sig, true);
    (void)BURL_REAL(sigaction)(sig, &sa, NULL);
}

static void
on_fault(int sig, siginfo_t *info, void *context)
{
    struct burl_fault f = burl__verdict_fault(sig, info, context);

    if (sig == SIGABRT && f.text == NULL && burl__signal_is_sent())
        f.text = BURL_FAULT_SENT_ABORT;
    if (burl__late_signal(sig, info, context))
        return;
    /* A signal to the process may be delivered to a thread that has ended but for the library. */
    if ((burl_free_me != NULL || burl_free.on) &&
        burl_rt.ctl->result.last.kind == BURL_VERDICT_PASS) {
        burl__observers_finish();
        if (!is_ending(sig))
            burl__report_crash(sig == SIGABRT ? BURL_VERDICT_CRASH_ABORT
                                              : BURL_VERDICT_CRASH_SIGNAL,
                               sig, f.addr, f.pc, f.text);
    }
    set_default(sig);
    /* A fault happens again on return; a trap or a signal that was sent has to be sent again. */
    if (info->si_code <= 0 || sig == SIGTRAP || sig == SIGSYS)
        BURL_SYS3(SYS_tgkill, BURL_SYS0(SYS_getpid), BURL_SYS0(SYS_gettid), sig);
}

void
burl__free_signals_thread(struct burl_free_thread *f)
{
    stack_t now;
    stack_t ours = { .ss_size = FAULT_STACK_B };

    if (BURL_SYS2(SYS_sigaltstack, NULL, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0)
        return;
    if (f->fault_stack == NULL)
        f->fault_stack = burl__arena_alloc(FAULT_STACK_B);
    ours.ss_sp = f->fault_stack;
    BURL_SYS2(SYS_sigaltstack, &ours, NULL);
}

/* Calls set() for the signals to be caught that have the default action, or (ours) our handler. */
static void
replace_actions(void (*set)(int sig), bool ours)
{
    for (int sig = 1; sig < N_SIGNALS; sig++) {
        struct sigaction old;

        if (is_caught(sig) && BURL_REAL(sigaction)(sig, NULL, &old) == 0 &&
            (ours ? old.sa_sigaction == on_fault : old.sa_handler == SIG_DFL))
            set(sig);
    }
}

void
burl__free_signals_init(void)
{
    replace_actions(catch_fault, false);
    burl__free_signals_thread(burl_free_me);
}

void
burl__free_signals_child(void)
{
    replace_actions(set_default, true);
}

/* ---- handlers of the program ---------------------------------------------------------------- */

static void on_signal(int sig, siginfo_t *info, void *context);

/* What the kernel is told instead of the program's action. */
static struct sigaction
ours_for(const struct sigaction *sa)
{
    struct sigaction mine = *sa;

    mine.sa_sigaction = on_signal;
    mine.sa_flags |= SA_SIGINFO;
    return mine;
}

/* Must it wait? The kernel will deliver it again, to the same handler. */
static bool
is_late(int sig, siginfo_t *info, void *context, const struct sigaction *sa)
{
    struct sigaction mine = ours_for(sa);

    if (!burl__late_signal(sig, info, context))
        return false;
    if ((sa->sa_flags & (int)SA_RESETHAND) != 0)
        (void)BURL_REAL(sigaction)(sig, &mine, NULL);
    return true;
}

/* The handler runs in the middle of an atomic operation: without our locks, and with the mask that
 * the program asked for. */
static void
meet_fault(struct burl_free_thread *f, struct burl_atomics *atomics, int sig,
           const struct sigaction *sa, void *context)
{
    uint64_t own = (sa->sa_flags & SA_NODEFER) != 0 ? 0 : 1ull << (sig - 1);
    uint64_t wanted_mask;
    uint64_t mask;
    bool waits = burl__late_before_fault(context, &mask);

    burl__atomics_suspend(f, atomics);
    if (!waits)
        return;
    memcpy(&wanted_mask, &sa->sa_mask, sizeof wanted_mask);
    mask |= own | wanted_mask;
    BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* A signal that comes now would wait with the mask of this handler: it is to come afterwards. */
static void
resume(struct burl_free_thread *f, const struct burl_atomics *atomics)
{
    uint64_t all = ~0ull;

    BURL_SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
    burl__atomics_resume(f, atomics);
}

static void
on_signal(int sig, siginfo_t *info, void *context)
{
    /* pairs with the release in burl_free_sigaction(): the record */
    const struct sigaction *sa = __atomic_load_n(&wanted[sig], __ATOMIC_ACQUIRE);
    struct burl_free_thread *f = burl_free_me;
    uint32_t call_site = f != NULL ? f->call_site : 0;
    uint32_t depth = f != NULL ? f->depth : 0;
    uint32_t floor = f != NULL ? f->handler_floor : 0;
    const struct burl_wire_scope *scope = f != NULL ? f->scope : NULL;
    struct burl_wire_blocked blocked;
    struct burl_atomics atomics = { .n = 0 };
    bool hidden;

    if (sa == NULL || is_late(sig, info, context, sa))
        return;
    if (f != NULL && f->n_atomic != 0)
        meet_fault(f, &atomics, sig, sa, context);
    hidden = burl__blocked_hide(f, &blocked);
    if (f != NULL && floor == 0)
        f->handler_floor = depth + 1;
    if (f != NULL)
        f->scope = NULL;
    burl_free_signal_taken(sig);
    if ((sa->sa_flags & SA_SIGINFO) != 0)
        sa->sa_sigaction(sig, info, context);
    else
        sa->sa_handler(sig);
    if (f != NULL && f == burl_free_me) {
        f->call_site = call_site;
        f->depth = depth;
        f->handler_floor = floor;
        f->scope = scope;
        if (atomics.n != 0)
            resume(f, &atomics);
        if (hidden)
            burl__blocked_restore(f, &blocked);
    }
}

static bool
is_function(const struct sigaction *sa)
{
    return sa->sa_handler != SIG_DFL && sa->sa_handler != SIG_IGN;
}

int
burl_free_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    const struct sigaction *before = NULL;
    struct sigaction mine;
    struct sigaction was;
    int r;

    if (burl_free_me == NULL || sig <= 0 || sig >= N_SIGNALS)
        return BURL_REAL(sigaction)(sig, act, old);
    before = __atomic_load_n(&wanted[sig], __ATOMIC_ACQUIRE);
    if (act != NULL) {
        mine = *act;
        if (is_function(act)) {
            struct sigaction *record = burl__arena_alloc(sizeof *record);

            *record = *act;
            mine = ours_for(act);
            burl_free_signal_send(sig); /* what was written before it is set comes before it runs */
            /* pairs with the acquire in on_signal() */
            __atomic_store_n(&wanted[sig], record, __ATOMIC_RELEASE);
            set_own(sig, false);
        } else if (act->sa_handler == SIG_DFL && is_caught(sig)) {
            set_own(sig, true);
            mine.sa_sigaction = on_fault;
            mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
        }
    }
    r = BURL_REAL(sigaction)(sig, act != NULL ? &mine : NULL, &was);
    if (r != 0 || old == NULL)
        return r;
    *old = was;
    if (was.sa_sigaction == on_signal && before != NULL) {
        *old = *before;
    } else if (was.sa_sigaction == on_fault) {
        memset(old, 0, sizeof *old);
        old->sa_handler = SIG_DFL;
    }
    return 0;
}

sighandler_t
burl_free_signal(int sig, sighandler_t handler, int flags)
{
    struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
    struct sigaction old;

    if (burl_free_sigaction(sig, &sa, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}
