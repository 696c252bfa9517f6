/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/verdict.h - how executions end: findings, misuse, verdicts and their account.
 */
#ifndef BURL_RT_VERDICT_H
#define BURL_RT_VERDICT_H

#include <signal.h>

#include "rt.h"

/* ---- endings (core/verdict.c) ----------------------------------------------------------- */

/* Ends the execution with a finding about the calling thread. addr: the object. text may be
 * NULL. */
BURL_NORETURN void burl_rt_finding(enum burl_wire_verdict_kind kind, uintptr_t addr,
                                   const char *text);
/*
 * A misuse of `o` by the calling thread, after which the behavior of
 * libc is known well enough to go on. Records the finding; the caller then does what libc does.
 * Does not return when the order says that the execution ends here. Where libc's behavior is
 * not known, burl_rt_finding() is the right call.
 */
void burl_rt_misuse(enum burl_wire_verdict_kind kind, struct burl_obj *o, const char *text);
/* The same of the handle of `target`; ends: libc's behavior is not known, the execution ends. */
void burl_rt_misuse_thread(enum burl_wire_verdict_kind kind, const struct burl_thread *target,
                           bool ends, const char *text);
/* The same with the code of an exit or a signal and the pc of a fault. */
BURL_NORETURN void burl_rt_end(enum burl_wire_verdict_kind kind, int code, uintptr_t addr,
                               uintptr_t pc, const char *text);
/* R9: ends the execution as not controllable; name: the primitive. */
BURL_NORETURN void burl_rt_unsupported(const char *name);
/* The program ended by itself; runs nothing more of it. */
BURL_NORETURN void burl_rt_exit_process(int code);
void burl_rt_count(enum burl_wire_counter c);
/* This execution did something to the kernel that a snapshot does not undo; why: short text. */
void burl_rt_irreversible(const char *why);

/* ---- between the files of the core, the scheduler and the harness ------------------------- */

/* core/verdict.c */
BURL_EXPORT void burl_failure_stop(const char *kind); /* breakpoint anchor for debuggers */
/* What is known of a fatal signal, from its siginfo_t and ucontext_t. */
struct burl_fault {
    uintptr_t addr;   /* that was accessed, 0 if unknown */
    uintptr_t pc;     /* after a jump to where there is no code the call, or 0 */
    const char *text; /* NULL: no more */
};
#define BURL_FAULT_SENT "a signal the program sent to itself"
#define BURL_FAULT_SENT_ABORT "the program sent itself SIGABRT"
struct burl_fault burl__verdict_fault(int sig, const siginfo_t *info, const void *context);
void burl__verdict_install_signals(void);
void burl__verdict_alt_stack(void);                        /* for the calling kernel thread */
void burl__verdict_sigreturn(uintptr_t *start, size_t *n); /* code by which handlers return */
void burl__verdict_arm_timer(uint32_t wall_ms);
/* core/caller.c: the places of the program's code in the stack, none if they are unknown or if pc,
 * where a fault is, is in that code itself. */
void burl__caller_fill(struct burl_wire_origin *o, uintptr_t pc);
extern bool burl__caller_walks; /* it is being looked for: a fault now is of a wrecked stack */
/* Everything but what the kind needs besides (waits, sides); v is zeroed or partly filled. */
void burl__verdict_fill(struct burl_wire_verdict *v, enum burl_wire_verdict_kind kind, int code,
                        uintptr_t addr, uintptr_t pc, const char *text);
/* Appends as much of the text as fits. */
void burl__text_append(char out[BURL_WIRE_TEXT_B], const char *text);
/* Adds a failure of the execution to the result, once per execution and key. */
void burl__verdict_add_failure(const struct burl_wire_verdict *v, uint64_t key);
uint64_t burl__verdict_key(const struct burl_wire_verdict *v);

/* core/misuse.c */
uint64_t burl__misuse_key(const struct burl_wire_verdict *v); /* of a misuse */

/* core/origin.c */
void burl__origin_fill(struct burl_wire_origin *o, uintptr_t addr);
/* The thread itself: the call that created it, and the functions of that call. */
void burl__origin_fill_thread(struct burl_wire_origin *o, const struct burl_thread *t);

/* core/stall.c */
/* At a tick, on the kernel thread that has the turn: ends the execution as unsupported when the
 * interrupted code (a ucontext_t) has been waiting in a futex that the runtime does not control. */
void burl__stall_look(const void *context);

#endif
