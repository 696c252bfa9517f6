/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/late.c - signals and cancellations that arrive while a thread is in a critical stretch of
 * the runtime, and wait until it is over: core/critical.h.
 *
 * The kernel delivers a signal that had to wait a second time, so that masks, stacks and the
 * interrupted calls are as the program asked for. It may come after one of the same number that
 * arrived meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"

#define CANCEL_BIT (1ull << 31) /* SIGCANCEL of glibc: number 32 */

#define SET_MASK(how, mask, old) BURL_SYS4(SYS_rt_sigprocmask, how, mask, old, 8)

#define BIT(sig) (1ull << ((sig) - 1))
/* Blocked, these would kill the process when an instruction causes one. */
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))

#define OTHERS (~(FAULTS | BIT(SIGKILL) | BIT(SIGSTOP)))

/* OTHERS are blocked while one waits. */
static __thread struct {
    int sig; /* 0: none */
    uint64_t mask;
    siginfo_t info;
    bool holds_cancel;
} late __attribute__((tls_model("initial-exec")));

/* An instruction caused it, and would cause it again. */
static bool
is_fault(int sig, const siginfo_t *info)
{
    return info->si_code > 0 && (BIT(sig) & FAULTS) != 0;
}

/* The calling thread gets the signal once more, when it is not blocked. */
static void
send_again(int sig, const siginfo_t *info)
{
    if (BURL_SYS4(SYS_rt_tgsigqueueinfo, BURL_SYS0(SYS_getpid), BURL_SYS0(SYS_gettid), sig, info) !=
        0) /* too many wait: without what came along */
        BURL_SYS3(SYS_tgkill, BURL_SYS0(SYS_getpid), BURL_SYS0(SYS_gettid), sig);
}

static void
mask_of(const ucontext_t *uc, uint64_t *mask)
{
    memcpy(mask, &uc->uc_sigmask, sizeof *mask); /* as much as the kernel knows of it */
}

static void
set_mask_of(ucontext_t *uc, uint64_t mask)
{
    memcpy(&uc->uc_sigmask, &mask, sizeof mask);
}

bool
burl__late_signal(int sig, const void *info, void *context)
{
    uint64_t mask;

    if (burl_critical.depth == 0 || is_fault(sig, info))
        return false;
    mask_of(context, &mask);
    if (late.sig != 0) { /* the signal of a fault, and a thread has sent it */
        set_mask_of(context, mask | BIT(sig));
        send_again(sig, info);
        return true;
    }
    late.sig = sig;
    late.mask = mask;
    memcpy(&late.info, info, sizeof late.info);
    set_mask_of(context, OTHERS | mask);
    burl_critical.late = true;
    return true;
}

bool
burl__late_before_fault(void *context, uint64_t *mask)
{
    mask_of(context, mask);
    if (late.sig == 0 || (*mask & OTHERS) != OTHERS)
        return false; /* none, or it came after the fault */
    *mask = late.mask;
    set_mask_of(context, late.mask);
    send_again(late.sig, &late.info);
    late.sig = 0;
    burl_critical.late = late.holds_cancel;
    return true;
}

void
burl_free_hold_cancel(void)
{
    uint64_t mask = OTHERS;
    uint64_t old;

    SET_MASK(SIG_BLOCK, &mask, &old);
    if ((old & CANCEL_BIT) == 0) {
        late.holds_cancel = true;
        burl_critical.late = true;
    }
    burl_critical.depth++;
    mask = old | CANCEL_BIT;
    SET_MASK(SIG_SETMASK, &mask, NULL);
}

void
burl_free_critical_over(void)
{
    uint64_t mask = OTHERS;
    uint64_t old;
    int sig;

    SET_MASK(SIG_BLOCK, &mask, &old);
    sig = late.sig;
    mask = sig != 0 ? late.mask : old;
    if (late.holds_cancel)
        mask &= ~CANCEL_BIT;
    late.sig = 0;
    late.holds_cancel = false;
    burl_critical.late = false;
    burl_critical.depth = 0;
    if (sig != 0)
        send_again(sig, &late.info);
    SET_MASK(SIG_SETMASK, &mask, NULL);
}

int
burl_free_setcanceltype(int type, int *old)
{
    const bool was_async = burl_critical.cancel_async;
    int r;

    /* Set early and cleared late: the thread may be canceled at any time between the two. */
    if (burl_free_me != NULL && type == PTHREAD_CANCEL_ASYNCHRONOUS)
        burl_critical.cancel_async = true;
    r = BURL_REAL(pthread_setcanceltype)(type, old);
    if (r != 0)
        burl_critical.cancel_async = was_async;
    else if (type != PTHREAD_CANCEL_ASYNCHRONOUS)
        burl_critical.cancel_async = false;
    return r;
}
