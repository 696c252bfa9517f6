/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/stall.c - detects a thread that is blocked in the kernel and cannot be woken.
 *
 * Code that is not instrumented may make system calls of its own, past every interposer: the OpenMP
 * runtime waits on its futexes by inline assembly, and so do libc's own locks. Only the current
 * thread runs, so the thread that would wake it cannot, and the execution would last until its time
 * limit and look like a program that never stops. Runs in the handler of the wall-clock timer:
 * everything here must be async-signal-safe.
 *
 * Only futexes are judged. Any other call may return without another thread (a disk, another
 * process), and the time limit of the execution covers it.
 */
#include <sys/syscall.h>
#include <ucontext.h>

#include "core.h"
#include "module.h"
#include "verdict.h"

/* Ticks in a row at the same place, about a second. Less would misjudge a futex that another
 * process is about to wake; more only keeps the user waiting. */
#define STALL_TICKS 20u

#define FUTEX_COMMAND 0x7f
#define FUTEX_WAIT_COMMAND 0
#define FUTEX_LOCK_PI_COMMAND 6
#define FUTEX_WAIT_BITSET_COMMAND 9

/* Ours restarts system calls, so an interrupted one is about to be made again: the program
 * counter is at the instruction and the number is back in place. One with a time-out fails with
 * EINTR instead and is not seen here; it ends by itself. */
static bool
waits_for_futex(const greg_t *regs)
{
    const unsigned char *pc = (const unsigned char *)regs[REG_RIP];
    const long command = regs[REG_RSI] & FUTEX_COMMAND;

    if (regs[REG_RAX] != SYS_futex || pc[0] != 0x0f || pc[1] != 0x05)
        return false;
    return command == FUTEX_WAIT_COMMAND || command == FUTEX_LOCK_PI_COMMAND ||
           command == FUTEX_WAIT_BITSET_COMMAND;
}

static const char *
file_name_at(uintptr_t pc)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    for (uint32_t i = 0; i < ctl->n_objects; i++) {
        const struct burl_wire_object *o = &ctl->objects[i];

        if (pc - o->text_start < o->text_end - o->text_start)
            return burl__module_file_name(o->path);
    }
    return "code of no known file";
}

void
burl__stall_look(const void *context)
{
    static uint64_t steps;
    static uintptr_t place;
    static uint32_t n_ticks;
    const greg_t *regs = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t pc = (uintptr_t)regs[REG_RIP];
    char text[BURL_WIRE_TEXT_B] = "a futex wait that burl does not control, in ";

    if (burl__module_is_runtime(pc) || !waits_for_futex(regs)) {
        n_ticks = 0;
        return;
    }
    if (pc != place || burl_rt.exec.steps != steps)
        n_ticks = 0;
    place = pc;
    steps = burl_rt.exec.steps;
    if (++n_ticks < STALL_TICKS)
        return;
    n_ticks = 0;
    burl_rt.fault_sp = (uintptr_t)regs[REG_RSP];
    burl__text_append(text, file_name_at(pc));
    burl_rt_unsupported(text);
}
