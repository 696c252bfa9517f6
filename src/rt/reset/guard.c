/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - detects executions that left no trace outside the pages they always write.
 *
 * Undoing an execution is mostly checking: was a page written that is never written, a descriptor
 * opened, anything printed? For a small test that is more than half of its time, and the answer is
 * always no. So after a while pages that no execution has changed are protected against writing,
 * and the kernel sends SIGSYS at a system call (syscall user dispatch, Linux 5.11). A write adds
 * its page to those that are copied after every execution. A system call *trips* the guard:
 * everything is writable and allowed again before the instruction is repeated, and this execution
 * is undone by checking, as if there had been no guard. The program notices neither. Both belong
 * together: a system call that writes into a protected page would not fault but fail.
 *
 * The kernel writes without being called in two places: the frames of signals, which go to a stack
 * of ours, and the restartable sequences of the main thread, whose page is never protected.
 *
 * A test that prints or opens files trips in every execution. Each trip costs some twenty
 * microseconds, so the guard stays off for longer each time. Only for snapshots, where one kernel
 * thread carries all of the program. Where the kernel cannot do it, nothing changes.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "reset.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_OFF 0
#define DISPATCH_ON 1
#define SELECT_ALLOW 0
#define SELECT_BLOCK 1
#define SI_USER_DISPATCH 2 /* SYS_USER_DISPATCH of newer headers */
#define SYSCALL_INSN_B 2   /* length of the instruction on x86-64 */

/* Executions to wait for before the first time: by then the pages that change are known. */
#define FIRST_WAIT 64u
#define LONGEST_WAIT (1u << 16)
/* So many executions without a trip: the next trip is the first of its kind again. */
#define LONG_CALM 256u

static volatile uint8_t selector = SELECT_ALLOW; /* the kernel reads it at every system call */
static bool up;                                  /* pages are protected, dispatch is on */
static bool unusable; /* the kernel does not know it, or does not let us */
static uint32_t wait = FIRST_WAIT;
static uint32_t next_wait = FIRST_WAIT;
static uint32_t calm; /* executions since it went up */

static bool
go_up(void)
{
    uintptr_t start;
    size_t n;

    /* Our own handlers that return must not count. */
    burl__verdict_sigreturn(&start, &n);
    if (BURL_SYS5(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, start, n, &selector) != 0)
        return false;
    burl__snapshot_protect(true);
    up = true;
    calm = 0;
    return true;
}

void
burl__guard_down(void)
{
    selector = SELECT_ALLOW;
    if (!up)
        return;
    burl__snapshot_protect(false);
    BURL_SYS5(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0);
    up = false;
}

void
burl__guard_begin(void)
{
    if (BURL_UNLIKELY(!up)) {
        if (unusable || wait-- != 0)
            return;
        wait = 0;
        if (!go_up()) {
            unusable = true;
            return;
        }
    }
    selector = SELECT_BLOCK;
}

static void
note_trip(void)
{
    if (calm >= LONG_CALM)
        next_wait = FIRST_WAIT;
    else if (next_wait < LONGEST_WAIT)
        next_wait *= 2;
    wait = next_wait;
    burl__guard_down();
}

bool
burl__guard_end(void)
{
    bool clean = selector == SELECT_BLOCK;

    selector = SELECT_ALLOW;
    if (BURL_LIKELY(clean))
        calm++;
    else if (up)
        note_trip();
    return clean;
}

/* The first thing is to be allowed to call the kernel. */
static void
trip_guard(void)
{
    selector = SELECT_ALLOW;
    burl__snapshot_protect(false);
}

/* A page is written that no execution had changed: from now on it is one that is copied. */
static bool
open_page(uintptr_t addr)
{
    const uint8_t before = selector;
    bool opened;

    selector = SELECT_ALLOW;
    opened = burl__snapshot_open(addr);
    selector = before;
    return opened;
}

bool
burl__guard_fault(int sig, const void *info, void *context)
{
    const siginfo_t *si = info;
    ucontext_t *uc = context;

    if (!up)
        return false;
    if (sig == SIGSYS && si->si_code == SI_USER_DISPATCH) {
        trip_guard();
        uc->uc_mcontext.gregs[REG_RIP] -= SYSCALL_INSN_B;
        return true;
    }
    return sig == SIGSEGV && si->si_code == SEGV_ACCERR && open_page((uintptr_t)si->si_addr);
}
