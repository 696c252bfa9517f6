/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/upcalls.h - every function that a lower room calls and a higher room defines.
 *
 * Rooms include only what lies below them (src/README.md). Where control has to go up, the
 * function is declared here, under the room that defines it, so that this file is the whole list.
 * Events of the program are no upcalls: they go through core/event.h.
 */
#ifndef BURL_RT_UPCALLS_H
#define BURL_RT_UPCALLS_H

#include "critical.h" /* two more, which its inline functions call */
#include "rt.h"

/* ---- engine, reset, harness ------------------------------------------------------------- */

/* Excludes [start, end) from the snapshot (reset/snapshot.c). */
void burl__snapshot_exclude(uintptr_t start, uintptr_t end);
/* In the handler of a fatal signal: true if the write guard caused it (reset/guard.c); then the
 * instruction is to be repeated. info: siginfo_t, context: ucontext_t. */
bool burl__guard_fault(int sig, const void *info, void *context);
/* Ends the process, which must not go on with a supervisor (harness/start.c). */
BURL_NORETURN void burl_rt_refuse(const char *why);
/* Takes orders and runs executions (harness/exec.c). */
BURL_NORETURN void burl_harness(void);
/* In a process that runs one execution only: hands in the result and ends the process. */
BURL_NORETURN void burl__exec_finish_process(void);
void burl__exec_log_step(uint32_t site); /* CHECK_TWICE: remembers or compares this step */

/* ---- cover ------------------------------------------------------------------------------ */

/* An execution begins, with these observers; before their own begin(). */
void burl__cover_begin(uint32_t mask);
/* For a thread that `parent` creates now: hash of its stack and ordinal among equal ones. */
uint64_t burl__cover_birth(struct burl_watch *parent);
/* Free mode: memory has been reused; names of addresses are no longer valid. */
void burl__cover_names_forget(void);

/* ---- learn ------------------------------------------------------------------------------ */

/* The memory is given out anew (learn/thin.c). */
void burl__thin_forget(uintptr_t addr, uint64_t n);
/* A location pair or an order of two locks, with LEARN; flags: BURL_PAIR_F_* (learn/adjacent.c). */
void burl__pairs_tell(uint32_t earlier, uint32_t later, uint32_t flags);

/* ---- free ------------------------------------------------------------------------------- */

struct burl_wire_side;

/* The module table has grown. */
void burl_free_modules_changed(void);
/* Memory is new: what was known of its addresses is forgotten. */
void burl_free_mapped(uintptr_t addr, size_t n);
/* Records the verdict of an observer of w's thread; the program goes on. One failure, however often
 * it is reported. */
void burl_free_verdict(enum burl_wire_verdict_kind kind, const struct burl_watch *w, uintptr_t addr,
                       const struct burl_wire_side sides[2]);
/* Adds the stack of the calling thread. */
void burl_free_stack(struct burl_wire_side *side);

/* ---- noise ------------------------------------------------------------------------------ */

extern bool burl_noise_on; /* from the start of free mode on, for good; noise/noise.c */

/* Free mode begins: reads the setting. */
void burl_noise_start(void);
struct burl_free_thread;
/* The role of a thread that this one creates: `stack` is the hash of where (burl__stack_hash()),
 * and `start` its routine. Called by the creator. */
uint64_t burl_noise_birth(struct burl_free_thread *creator, uint64_t stack, uintptr_t start);
/* An access of a thread follows one of another thread to the same memory, which is at addr. */
void burl_noise_shared(uint32_t earlier, uint32_t later, uintptr_t addr);
/* The two conflict. */
void burl_noise_switched(uint32_t earlier);

/* ---- history ---------------------------------------------------------------------------- */

/* A module has registered. */
void burl_history_module(const struct burl_wire_module *m);
/* This process is a child of fork. */
void burl_history_child(void);

/* ---- hooks, interpose ------------------------------------------------------------------- */

/* The interposed function that t is in reads or writes memory of the program now: an access like
 * those of the hooks, at the site of the call (hooks/hooks.c). */
void burl_rt_call_access(struct burl_thread *t, const volatile void *addr, uint64_t n, bool write);
/* The life of a program thread, on its own stack (interpose/thread.c). */
BURL_NORETURN void burl_thread_main(struct burl_thread *t);
/* Runs cleanup handlers and unwinds t's stack, then runs thread_local and key destructors, and
 * ends the thread with `result` (pthread_exit, cancellation). */
BURL_NORETURN void burl_thread_unwind(struct burl_thread *t, void *result);
/* Called with `inside` clear when t has pending unblocked signals and has its turn. */
void burl_signals_deliver(struct burl_thread *t);
/* exit(code): a scheduling point, then handlers, destructors and stdio of the program, then the
 * end of the execution. */
BURL_NORETURN void burl_process_exit(struct burl_thread *t, int code);
/* The process-wide object that I/O waiters queue on. */
struct burl_obj *burl_io_obj(void);
/* No thread can run: waits for real for one of the I/O waiters. False: none can ever wake. */
bool burl_io_wait_external(void);
/* Virtual timers of the program (alarm, setitimer, timer_create): the next expiry, or
 * BURL_TIME_NEVER. The owner of the clock counts it among the deadlines, and calls
 * burl_timers_fire() when time has moved. */
uint64_t burl_timers_next(void);
void burl_timers_fire(void);
/* A thread that t waits for: the writer; a waiting writer that goes first; else one of the readers
 * (t itself if it wants to write what it reads). BURL_TID_NONE: none. For deadlocks. */
uint16_t burl__rwlock_holder(const struct burl_obj *o, const struct burl_thread *t);
/* Is `o` a mutex, read-write lock or spin lock that t holds? */
bool burl__lock_held_by(const struct burl_obj *o, const struct burl_thread *t);

/* ---- goal -------------------------------------------------------------------------------- */

/* goal/pair.c */
/* An access that has its turn, before it happens. Only with watches_pair. */
void burl__pair_access(const struct burl_thread *t, const struct burl_op *op);

#endif
