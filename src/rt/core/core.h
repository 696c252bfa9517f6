/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/core.h - state and functions shared by the files of the core: start, harness, scheduler,
 * engines, reset, heap. The interposer families see only core/rt.h.
 *
 * One struct, burl_rt, holds everything. In controlled mode exactly one thread of control runs at
 * a time (INV-S1), so nothing in it needs a lock. "exec." fields are set to zero by
 * burl_exec_begin() for every execution; the rest lives as long as the process.
 */
#ifndef BURL_RT_CORE_H
#define BURL_RT_CORE_H

#include "rt.h"
#include "rt/strategy/strategy.h"

/* Value of burl_thread.inside in a hook; interposed functions set 1. */
#define BURL_INSIDE_HOOK 2

/* What carries program threads. Chosen once per process. */
struct burl_engine_ops {
    const char *name;
    /* Before the first execution, and again when more threads are wanted than it can carry. */
    void (*prepare)(uint32_t n_threads);
    /* Gives t something to run on and fills t->handle. False: none left (prepare for more). */
    bool (*spawn)(struct burl_thread *t);
    /* Runs `to` in place of `from`; returns when somebody switches back to `from`. */
    void (*switch_to)(struct burl_thread *from, struct burl_thread *to);
    /* The same for a thread that has ended. */
    BURL_NORETURN void (*switch_final)(struct burl_thread *from, struct burl_thread *to);
    /* Runs one execution: thread 0 from its start; returns when burl__engine->leave() was
     * called. */
    void (*run)(struct burl_thread *main_thread);
    /* Ends the execution from whatever stack we are on, a signal handler's too. */
    BURL_NORETURN void (*leave)(void);
    /* An ended and joined thread will never be asked for again. */
    void (*release)(struct burl_thread *t);
};

extern const struct burl_engine_ops burl_engine_fibers;
extern const struct burl_engine_ops burl_engine_threads;

struct burl_exec {
    uint64_t seed;
    uint64_t draw_seed; /* what random numbers are drawn from, see burl_exec_begin() */
    uint64_t ordinal; /* within its order, from 1 */
    uint64_t steps;  /* visible operations so far */
    uint64_t points; /* decisions offered to the strategy */
    uint64_t switches;
    uint64_t preemptions;
    uint64_t hash;      /* of (thread, kind, site, heap address) of every visible operation */
    uint64_t progress;  /* operations after which a waiting loop may see something new */
    uint64_t now_ns;    /* virtual monotonic time */
    uint32_t clock_reads;   /* since a thread was last created or exited */
    uint32_t clock_threads; /* created plus alive, at the last read */
    uint32_t slow_ns;   /* more time for each reading of a clock: core/mail.c */
    uint64_t late_ns;   /* and for each wait that ends by time */
    uint32_t n_threads; /* ever */
    uint32_t n_alive;
    uint32_t max_alive;
    uint32_t n_runnable;
    uint32_t idle_rounds;  /* decisions in a row at which all runnable threads waited in a loop */
    uint64_t idle_mark;    /* progress counter at the last idle round */
    uint32_t idle_yields;  /* yields since a thread was last created, ended or woken */
    uint32_t quiet_steps;  /* operations since then */
    uint32_t proof_period; /* livelock.c: nonzero while a repetition is being proved */
    uint32_t proof_at;     /* steps since the proof began */
    uint32_t n_sched_out;
    uint32_t sched_in_at; /* REPLAY: next switch to follow */
    uint32_t diverged_at;
    uint32_t n_events; /* ever recorded in the trace ring */
    uint32_t n_faults; /* injected so far */
    uint8_t spurious_shift; /* chance of a spurious wakeup: 1 in 1 << shift; 0 none (choose.c) */
    uint8_t fault_shift;    /* chance of a fault: 1 in 1 << (shift - 1); 0 none */
    uint32_t grow_to;  /* nonzero: ended only because the engine needs more carriers */
    bool patient;      /* BURL_ORDER_F_PATIENT */
    uint32_t patience; /* repeats of a read before a thread is passed over, spin.c */
    uint32_t exit_waits; /* decisions for which the end of the process is passed over, exits.c */
    bool any_exiting;    /* some thread may stand before it; false is certain */
    bool any_yielding; /* some thread may be passed over; false is certain */
    bool goal_hit;      /* the goal was reached */
    bool misused;      /* a misuse was recorded; burl_rt.misuse is the first one */
    struct burl_wire_verdict verdict;
};

struct burl_rt {
    struct burl_wire_ctl *ctl;
    const struct burl_engine_ops *engine;
    const struct burl_strategy_ops *strategy;
    const struct burl_listener *listener; /* of the strategy; NULL: none */
    struct burl_exec exec;

    /* copied from the order, read on hot paths */
    bool all_points;
    bool learn;
    bool trace;
    bool record;
    bool check_twice;
    bool strict_time;
    bool early_shared; /* memory was mapped MAP_SHARED before main */
    bool watches_pair; /* a location pair is the goal, or watched for in a replay */
    uint32_t pair[2];  /* its sites */
    bool in_execution;
    bool commits_told; /* somebody is told of every operation: see burl__sched_commit() */
    uint64_t max_steps;
    uint8_t *points; /* per site number */
    uint8_t *points_new;
    uint32_t *gates_new;
    const struct burl_wire_profile *profile;
    struct burl_wire_profile *profile_new;
    bool profiling; /* BURL_ORDER_F_PROFILE */
    uint64_t points_n;
    uint64_t epoch_ns;

    struct burl_thread *current;
    struct burl_wire_verdict misuse; /* valid with exec.misused */

    int (*user_main)(int, char **, char **);
    int argc;
    char **argv;
    char **envp;
    uintptr_t main_stack_base; /* program frames of the main thread lie below */
    uintptr_t stacks_lo;       /* all stacks lie in [stacks_lo, stacks_lo + stacks_b) */
    uintptr_t stacks_b;
    uintptr_t fault_sp;        /* stack pointer of the program when the last signal hit it */
    uint32_t ticks_left;       /* of the wall clock's timer, until this execution is cut */
    bool forked;               /* this process is a child that runs one execution */
    bool no_fork;              /* one execution in this very process, for a debugger */

    /* last, being large: what is above lies on few pages */
    uint16_t runnable[BURL_MAX_THREADS]; /* ascending */
    struct burl_thread *threads[BURL_MAX_THREADS];
};

extern struct burl_rt burl_rt;

/* core/exec.c */
BURL_NORETURN void burl_harness(void);
/* In a process that runs one execution only: hands in the result and ends the process. */
BURL_NORETURN void burl__exec_finish_process(void);
void burl__exec_log_step(uint32_t site); /* CHECK_TWICE: remembers or compares this step */
void burl_exec_begin(uint64_t seed);

/* core/verdict.c */
BURL_EXPORT void burl_failure_stop(const char *kind); /* a debugger's place to stop at */
void burl__verdict_account(void); /* adds the finished execution to the result */
void burl__verdict_install_signals(void);
void burl__verdict_alt_stack(void);                        /* for the calling kernel thread */
void burl__verdict_sigreturn(uintptr_t *start, size_t *n); /* code by which handlers return */
void burl__verdict_arm_timer(uint32_t wall_ms);
void burl__verdict_restore_signals(void);
/* Everything but what the kind needs besides (waits, sides); v is zeroed or partly filled. */
void burl__verdict_fill(struct burl_wire_verdict *v, enum burl_wire_verdict_kind kind, int code,
                        uintptr_t addr, uintptr_t pc, const char *text);
/* Adds a failure of the execution to the result, once per execution and key. */
void burl__verdict_add_failure(const struct burl_wire_verdict *v, uint64_t key);
void burl__verdict_fill_stack(struct burl_wire_verdict *v, const struct burl_thread *t);
uint64_t burl__verdict_key(const struct burl_wire_verdict *v);

/* core/misuse.c */
uint64_t burl__misuse_key(const struct burl_wire_verdict *v); /* of a misuse */

/* core/stall.c */
/* At a tick, on the kernel thread that has the turn: ends the execution as unsupported when the
 * interrupted code (a ucontext_t) has been waiting in a futex we know nothing of. */
void burl__stall_look(const void *context);

/* sched/sched.c */
void burl__sched_reset(void);
/* Memory for so many threads, touched: children forked from here then need not ask for it. */
void burl__sched_prepare(uint32_t n_threads);
void burl__objects_reset(void);
/* Bytes of the sync object of the program at addr; a word when it is not known yet. */
uint32_t burl__object_b(uintptr_t addr);
/* Does [addr, addr + n) meet a sync object whose state is not what its memory says? */
bool burl__objects_meet(uintptr_t addr, uint64_t n);
void burl__sched_start_main(void);
/* Counts an operation that has just become t's: step, hash, trace. */
void burl__sched_commit(struct burl_thread *t, const struct burl_op *op);
/* Adds a record to the schedule of this execution, if it is wanted. */
void burl__sched_record(const struct burl_wire_switch *s);
/* sched/choose.c: what an execution injects by chance. */
void burl__choose_begin(uint32_t flags);
/* A point at which t is polling: it is passed over until somebody else made progress. */
void burl__sched_poll_point(struct burl_thread *t, const struct burl_op *op);

/* sched/deadlock.c */
/* t has just blocked: ends the execution when that closes a circle of locks. */
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
/* At a yield or timed wait while nothing progresses: is the thread in the very state it was in
 * before? */
void burl__spin_note_state(struct burl_thread *t);

/* How often threads of this execution may repeat a read. */
uint32_t burl__spin_patience(void);
/* exits.c: at the start of an execution; and the threads of *list, n of them, that may run now that
 * some stand before the end of the process. */
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

/* Hash of the calling thread's registers and stack, from the program's innermost frame up; 0:
 * not known. */
uint64_t burl__spin_state(const struct burl_thread *t);

/* sched/livelock.c */
/* Operations in which no thread was created, ended or woken, before repetition is looked for. */
#define BURL_QUIET_STEPS 100000u
void burl__livelock_yield(void); /* somebody yielded or polls */
void burl__livelock_watch(struct burl_thread *t, const struct burl_op *op);

/* strategy/places.c: the places of an execution of an enumeration */
void burl_places_begin(const union burl_wire_args *args);
/* Is the decision at hand one of them (once more)? */
bool burl_places_here(uint32_t *other);
void burl_places_next(void); /* the decision is made */

/* Virtual time at the start of every execution. */
#define BURL_EXEC_START_NS 1000000000ull

/* goal/pair.c */
/* An access that has its turn, before it happens. Only with watches_pair. */
void burl__pair_access(const struct burl_thread *t, const struct burl_op *op);

/* The LOCPAIRS observer saw this pair in this execution, for the first time or not. */
static inline void
burl__pair_covered(uint32_t earlier, uint32_t later)
{
    if (BURL_LIKELY(!burl_rt.watches_pair))
        return;
    if (burl_rt.pair[0] == earlier && burl_rt.pair[1] == later)
        burl_rt.exec.goal_hit = true;
}

/* learn/learn.c */
enum burl_learn_how {
    BURL_LEARN_READ = 1u << 0,
    BURL_LEARN_WRITE = 1u << 1, /* it may write */
    BURL_LEARN_STORES = 1u << 2 /* it does: what is there afterwards is its value */
};

void burl__learn_reset(void);
void burl__learn_prepare(void); /* see burl__sched_prepare() */
/* An access that has its turn, before it happens (a compare-exchange that stored something: once
 * more afterwards). */
void burl__learn_access(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                        uint32_t how);

/* t uses the sync object in these bytes. Plain accesses of other threads to them become points.
 * Only in a search. */
void burl__learn_object(const struct burl_thread *t, uintptr_t addr, uint32_t size_b);

/* learn/edges.c */
void burl__edges_reset(void);
uint16_t burl__edges_cell(void); /* a new one for a granule; 0: none left */
/* An access to the bytes in `mask` of the granule that has this cell; how: BURL_LEARN_*. */
void burl__edges_access(uint16_t cell, const struct burl_thread *t, uint32_t site, uint8_t mask,
                        uint32_t how);

/* learn/adjacent.c; with LEARN only */
void burl__pairs_tell(uint32_t earlier, uint32_t later, uint32_t flags); /* BURL_PAIR_F_* */
void burl__pairs_seen(uint32_t earlier, uint32_t later); /* a location pair has come about */

/* learn/profile.c: only while burl_rt.profiling */
void burl__profile_reset(void);
void burl__profile_commit(const struct burl_thread *t, const struct burl_op *op);
void burl__profile_finish(void); /* the execution is over */

static inline bool
burl__profile_is_memory(const struct burl_op *op)
{
    return op->kind >= BURL_OP_READ && op->kind <= BURL_OP_ATOMIC_CAS;
}

/* Is it an operation on a variable or a sync object whose order a profile is about? */
static inline bool
burl__profile_counts(const struct burl_op *op)
{
    if (burl__profile_is_memory(op))
        return true;
    return op->addr != 0 && op->kind >= BURL_OP_LOCK && op->kind <= BURL_OP_FUTEX_WAKE &&
           op->kind != BURL_OP_UNLOCK && op->kind != BURL_OP_RWUNLOCK &&
           op->kind != BURL_OP_BARRIER_LEAVE && op->kind != BURL_OP_FUTEX_WOKEN;
}

/* core/real.c: a process that forks its executions looks up what its children had to look up */
void burl__real_share(uint8_t *found_by); /* BURL_REAL_ID__N of them, in shared memory */
void burl__real_catch_up(void);

/* core/trace.c */
void burl__trace_commit(struct burl_thread *t, const struct burl_op *op);
void burl__trace_close(struct burl_thread *t); /* fills what an earlier write left behind */
void burl__trace_finish(void);

/* core/mem.c */
/* Pages, outside every snapshot; ends the process when there are none. */
void *burl__mem_map(size_t n);
void burl__mem_reset(void);
void burl__mem_prepare(void); /* see burl__sched_prepare() */

/* core/module.c */
bool burl__module_is_runtime(uintptr_t pc);
bool burl__module_is_libc(uintptr_t pc);
bool burl__module_is_data(uintptr_t addr); /* static storage of the program or a library */
/* The same of a library that was loaded while the program ran: where the file lies in this
 * execution, and its first site, which is the same in all. */
bool burl__module_is_late(uintptr_t addr, uint64_t *bias, uint32_t *site);
void burl__module_locate(void); /* finds the runtime's, libc's and the program's address ranges */
/* What the program speaks: ours, or that of a module which another version of burl has built. */
uint32_t burl__module_version(void);
void burl__module_publish(void);
/* The site with this process-wide number; NULL: there is none. */
const struct burl_wire_site *burl__module_site(uint32_t number);
/* The module registered as number i; NULL: there are no more. */
const struct burl_wire_module *burl__module_at(uint32_t i);
/* Has any module a site of this kind? */
bool burl__module_has_kind(enum burl_wire_site_kind kind);

/* reset/snapshot.c */
void burl__snapshot_exclude(uintptr_t start, uintptr_t end);
bool burl__snapshot_take(void);          /* false: cannot (result text says why) */
void burl__snapshot_restore(bool clean); /* clean: what burl__guard_end() said */
/* Takes writing away from, or gives it back to, all pages that no execution has changed. */
void burl__snapshot_protect(bool on);
/* Gives writing back to the page of addr, which counts as changed; false: it was not taken away. */
bool burl__snapshot_open(uintptr_t addr);

/* reset/guard.c; around the program's part of an execution */
void burl__guard_begin(void);
bool burl__guard_end(void);  /* true: no system call, no write to a page not always copied */
void burl__guard_down(void); /* until further notice nothing is protected */
/* In the handler of a fatal signal: was it the guard's? Then the instruction is to be repeated. */
bool burl__guard_fault(int sig, const void *info, void *context); /* siginfo_t, ucontext_t */

/* reset/kernel.c: descriptors and mappings */
void burl__kernel_mark(void);
void burl__kernel_reset_files(void); /* the program's output is emptied, its input rewound */
bool burl__kernel_restore(void);     /* false: something cannot be undone (text set) */
void burl__kernel_note_map(uintptr_t addr, size_t n);
void burl__kernel_note_unmap(uintptr_t addr, size_t n);
bool burl__kernel_made(uintptr_t addr, size_t n); /* wholly a mapping of this execution */

/* heap.c */
void burl__heap_init(void);
void burl__heap_reset(void); /* empty again */
/* Ends the execution with a finding when [addr, addr+n) is in the heap and not all of it live. */
void burl__heap_check_slow(uintptr_t addr, size_t n);
void *burl__heap_alloc(size_t size, size_t align, bool zero); /* NULL: no room */
void burl__heap_free(uintptr_t addr);
/* The block that addr lies in; false and zeros when it is none. */
bool burl__heap_block(uintptr_t addr, uint64_t *start, uint64_t *size_b);
/* Where a block (by its first byte, live or in quarantine) was allocated. */
void burl__heap_set_site(uintptr_t addr, uint32_t site);
uint32_t burl__heap_site(uintptr_t addr);
size_t burl__heap_size(uintptr_t addr); /* as asked for; a finding when addr is not a live block */

#define BURL_HEAP_BASE 0x600000000000ull
#define BURL_HEAP_B (16ull << 30)

static inline bool
burl__heap_owns(uintptr_t addr)
{
    return addr - BURL_HEAP_BASE < BURL_HEAP_B;
}

static inline void
burl__heap_check(uintptr_t addr, size_t n)
{
    if (burl__heap_owns(addr))
        burl__heap_check_slow(addr, n);
}

/* core/stacks.c */
/* The stack of a thread, with its thread-local variables. The first call adds the main stack. */
void burl__stacks_add(uintptr_t lo, uintptr_t hi);
/* Its frames and thread-local variables. */
void burl__stack_bounds(const struct burl_thread *t, uintptr_t *lo, uintptr_t *hi);
/* Does addr lie where the thread's frames are or were? */
bool burl__stack_has(const struct burl_thread *t, uintptr_t addr);
/* The thread whose stack or thread-local variables addr lies in; NULL none. */
struct burl_thread *burl__stack_owner(uintptr_t addr);
/* In a search: t's functions with frames below sp have returned. Not exact: perhaps not all. */
void burl__stack_returned(struct burl_thread *t, uintptr_t sp, bool exact);
/* In a search: t begins a call at this depth of its shadow stack, or has only so many left. */
void burl__stack_call(struct burl_thread *t, uint32_t depth, uintptr_t sp);
void burl__stack_cut(struct burl_thread *t, uint32_t depth);
void burl__stack_check_slow(struct burl_thread *t, uintptr_t addr, uintptr_t sp);

/* Ends the execution with a finding when addr is stack memory whose function or thread is gone;
 * sp: stack pointer of t's program. */
static inline void
burl__stack_check(struct burl_thread *t, uintptr_t addr, uintptr_t sp)
{
    if (addr - burl_rt.stacks_lo >= burl_rt.stacks_b)
        return;
    /* Most are live frames and thread-local variables of its own. */
    if (addr < sp || addr >= (t->tid == 0 ? burl_rt.main_stack_base : t->tls_hi))
        burl__stack_check_slow(t, addr, sp);
}

/* The program of t enters the runtime with this stack pointer, 0: not known. */
static inline void
burl__stack_entered(struct burl_thread *t, uintptr_t sp)
{
    if (BURL_UNLIKELY(burl_rt.listener != NULL) && sp != 0)
        burl__stack_returned(t, sp, true);
}

/* t is about to switch away, on its own stack. */
static inline void
burl__stack_park(struct burl_thread *t)
{
    t->live_sp = t->user_sp != 0 ? t->user_sp : (uintptr_t)__builtin_frame_address(0);
}

/* fibers.c */
void burl__fibers_save(void); /* part of taking the snapshot: tops of the donors' stacks */
void burl__fibers_restore(void);
BURL_NORETURN void burl__fibers_enter_harness(void);

/* interpose/thread.c: the life of a program thread, on its own stack. Never returns. */
BURL_NORETURN void burl_thread_main(struct burl_thread *t);

static inline uint64_t
burl_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    x ^= x >> 31;
    return x;
}

#endif
