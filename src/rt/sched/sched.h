/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/sched.h - threads, sync objects, waiting and virtual time, for all rooms above.
 */
#ifndef BURL_RT_SCHED_H
#define BURL_RT_SCHED_H

#include "rt/core/rt.h"

/* ---- sync objects (objects.c) ------------------------------------------------------ */

/* Finds the object at `addr` or makes a fresh one (*fresh tells which, may be NULL) with owner
 * NONE and everything else zero. An object of another class at the same address is replaced.
 * NULL never: out of room ends the execution as unsupported. */
struct burl_obj *burl_obj_get(const void *addr, enum burl_obj_class cls, bool *fresh);
/* Finds without making; NULL when not known. */
struct burl_obj *burl_obj_find(const void *addr, enum burl_obj_class cls);
/* A lock that t holds, NULL when there is none: slow, for reports. */
struct burl_obj *burl_obj_held_by(const struct burl_thread *t);
/* Forgets an object, so that the address may serve as something new. */
void burl_obj_drop(struct burl_obj *o);
/* After ANY change of an object's state: re-evaluates every waiter's predicate and so makes
 * threads runnable or not. Call it after taking and after releasing. */
void burl_obj_changed(struct burl_obj *o);
/* Calls fn for every live object of the heap in [addr, addr+n): free() looks for ones in use. */
void burl_obj_each_in(uintptr_t addr, size_t n, void (*fn)(struct burl_obj *o, void *arg),
                      void *arg);

/* ---- threads ------------------------------------------------------------------------- */

struct burl_thread *burl_thread_by_tid(uint16_t tid);
/* By pthread_t; NULL when no thread of this execution had that handle. In a search the thread is no
 * longer symmetric to others (search/symmetry.c). */
struct burl_thread *burl_thread_by_handle(uint64_t handle);
/* The same for a plain join, which symmetry.c follows by itself. */
struct burl_thread *burl_thread_to_join(uint64_t handle);
uint32_t burl_thread_count(void); /* threads ever created in this execution */
uint32_t burl_thread_alive(void); /* not finished */

/* ---- scheduling (sched/sched.c) ----------------------------------------------------- */

/* Announces an operation that can always happen; returns when it is t's turn. */
void burl_sched_point(struct burl_thread *t, const struct burl_op *op);

/* Announces an operation on `o` (NULL: waits for time only) that can happen when ready(o, t)
 * holds. t->woken must be set up by the caller before. `deadline_ns` in virtual time or
 * BURL_TIME_NEVER; `cancellable`: a cancellation point. On return the thread is no longer among
 * o's waiters; on READY the caller performs the operation at once and calls burl_obj_changed(o). */
enum burl_wait_result
burl_sched_wait(struct burl_thread *t, const struct burl_op *op, struct burl_obj *o,
                burl_ready_fn ready, uint64_t deadline_ns, bool cancellable);

/* Moves a waiting thread `w` to another object and predicate without running it, e.g. a
 * signaled waiter of a condition variable that must now get the mutex; `kind`, `addr`: its new
 * pending operation. */
void burl_sched_requeue(struct burl_thread *w, struct burl_obj *o, burl_ready_fn ready,
                        enum burl_wire_op kind, uintptr_t addr);

/* t yields until another thread makes progress (sched_yield, pause, spinning). */
void burl_sched_yield(struct burl_thread *t, const struct burl_op *op);

/* Something other than a sync object changed that a predicate may depend on (signals, I/O). */
void burl_sched_reevaluate(struct burl_thread *w);

/* Makes a new thread known: runnable, pending START. Returns NULL when the table is full. */
struct burl_thread *burl_sched_thread_new(struct burl_thread *parent);
/* t's last operation happened; picks another thread and never returns. */
BURL_NORETURN void burl_sched_thread_exit(struct burl_thread *t);

/* An outcome in [0, n) that the tool decides for the current thread; `what`: enum
 * burl_wire_switch_why of a choice. Every outcome but 0 is recorded in the schedule. choose.c */
uint32_t burl_sched_choose(enum burl_wire_switch_why what, uint32_t n);
/* Does this wait of t on the object at `addr` return without a wakeup? */
bool burl_sched_spurious(struct burl_thread *t, uintptr_t addr);
/* A wait of t on that object was ended by a wakeup. */
void burl_sched_woken(struct burl_thread *t, uintptr_t addr);
/* Does this call of t fail? `what`: BURL_CHOICE_CREATE, BURL_CHOICE_MALLOC */
bool burl_sched_fault(struct burl_thread *t, enum burl_wire_switch_why what);

/* ---- virtual time -------------------------------------------------------------------- */

uint64_t burl_time_mono_ns(void);          /* since the execution's start; each read costs 1 us */
uint64_t burl_time_wall_ns(void);          /* since 1970 */
uint64_t burl_time_peek_ns(void);          /* monotonic, without the cost */
void     burl_time_advance(uint64_t ns);
/* An absolute time of `clock` (CLOCK_REALTIME, CLOCK_MONOTONIC, ...) as a monotonic deadline. */
uint64_t burl_time_deadline(int clock, int64_t sec, int64_t nsec);
/* A relative one; saturates. */
uint64_t burl_time_after(uint64_t ns);

/* ---- for the hot path, the harness, strategies and the search ------------------------------- */

/* sched/sched.c */
/* Memory for so many threads, touched: children forked from here then need not ask for it. */
void burl__sched_prepare(uint32_t n_threads);
void burl__objects_reset(void);
/* Bytes of the sync object of the program at addr; a word when it is not known yet. */
uint32_t burl__object_b(uintptr_t addr);
bool burl__object_is_guard(uintptr_t addr); /* of a C++ static variable */
/* Does [addr, addr + n) meet a sync object whose state is not what its memory says? */
bool burl__objects_meet(uintptr_t addr, uint64_t n);
/* Counts an operation that has just become t's: step, hash, trace. */
void burl__sched_commit(struct burl_thread *t, const struct burl_op *op);
/* sched/choose.c: draws what this execution injects. */
void burl__choose_begin(uint32_t flags);
/* Enters a decision into the schedule, if the order records it, and into counters or trace hash.
 * Switches: t is left for thread `next`. Choices: `next` is the outcome, `nth` the number of the
 * choice at t's count of operations. */
void burl__sched_record(const struct burl_thread *t, enum burl_wire_switch_why why, uint16_t next,
                        uint16_t nth);
/* A point at which t is polling: it is passed over until another thread makes progress. */
void burl__sched_poll_point(struct burl_thread *t, const struct burl_op *op);

/* sched/deadlock.c */
/* Called when t blocks; ends the execution if that completes a lock cycle. */
void burl__sched_check_cycle(const struct burl_thread *t);
BURL_NORETURN void burl__sched_deadlock(void);
BURL_NORETURN void burl__sched_livelock(void);

/* sched/time.c */
bool burl__time_wake_earliest(void); /* advances the clock to the next deadline; false: none */
void burl__time_wake_due(void);      /* threads whose deadline has passed become runnable */
/* Does t's sleep end at once, without a scheduling point? */
bool burl__time_skips_sleep(const struct burl_thread *t, uint64_t deadline_ns);
bool burl__time_eager(const struct burl_thread *t); /* may the deadline count as passed early? */

/* sched/spin.c */
bool burl__spin_all_stagnant(void);
/* At a yield or timed wait while nothing progresses: notes whether t is in the same state as
 * before. */
void burl__spin_note_state(struct burl_thread *t);

/* How often threads of this execution may repeat a read. */
uint32_t burl__spin_patience(void);
/* exits.c: at the start of an execution; and the threads of *list, n of them, that may run now that
 * some are about to exit the process. */
void burl__exits_begin(void);
uint32_t burl__exits_pass_over(const uint16_t **list, uint32_t n);

/* Is this one of the executions in which bounded retry loops run to their end? */
bool burl__spin_is_patient(void);
/* Are the later attempts of such loops no scheduling points? */
bool burl__spin_skips_retries(void);

enum burl_yield_kind {
    BURL_YIELD_NONE,  /* no scheduling point */
    BURL_YIELD_SOFT,  /* a hint to the strategy; the thread stays eligible */
    BURL_YIELD_POINT, /* an ordinary scheduling point */
    BURL_YIELD_HARD   /* the thread is passed over until another makes progress */
};

/* How t's yield at `site` counts. */
enum burl_yield_kind burl__spin_yield_kind(struct burl_thread *t, uint32_t site);

/* A read that is about to happen. */
enum burl_spin_read {
    BURL_SPIN_NONE,  /* a scheduling point if the site is one */
    BURL_SPIN_RETRY, /* one more attempt of a bounded loop: no scheduling point */
    BURL_SPIN_POLL   /* the thread is polling and is passed over */
};

/* t has repeated a read BURL_POLL_REPEATS times or more. */
enum burl_spin_read burl__spin_judge_repeat(struct burl_thread *t, uint32_t site);

/* t reads where it has not read since it last changed something. */
void burl__spin_fresh(struct burl_thread *t);

/* t has done so BURL_LONG_READS times again. */
enum burl_spin_read burl__spin_judge_long(struct burl_thread *t);

/* Hash of the calling thread's registers and stack, from the program's innermost frame up; 0:
 * not known. */
uint64_t burl__spin_state(struct burl_thread *t);

/* sched/livelock.c */
/* Operations in which no thread was created, ended or woken, before repetition is looked for. */
#define BURL_QUIET_STEPS 100000u
void burl__livelock_yield(void); /* a thread yielded or polls */
void burl__livelock_watch(struct burl_thread *t, const struct burl_op *op);

/* Virtual time at the start of every execution. */
#define BURL_EXEC_START_NS 1000000000ull

#endif
