/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/core.h - the state of the runtime: one struct, burl_rt.
 *
 * In controlled mode exactly one thread of control runs at a time (INV-S1), so nothing in it needs
 * a lock. The harness clears `exec` before every execution; the rest lives as long as the process.
 * Most interposer families need only core/rt.h.
 */
#ifndef BURL_RT_CORE_H
#define BURL_RT_CORE_H

#include "rt.h"

/* Value of burl_thread.inside in a hook; interposed functions set 1. */
#define BURL_INSIDE_HOOK 2

struct burl_engine_ops;
struct burl_strategy_ops;

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
    uint32_t slow_ns;   /* more time for each reading of a clock: hooks/mail.c */
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
    bool contended; /* an operation of a thread other than main gave up because of what others held
                       or had not done: trylock, timed wait */
    struct burl_wire_verdict verdict;
};

struct burl_rt {
    struct burl_wire_ctl *ctl;
    uint64_t ctl_b; /* of the whole block; the size in the block can be overwritten */
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
    bool has_commit_listeners; /* of this execution, see core/event.h */
    bool has_access_listeners;
    bool has_thin_listeners; /* the same for commits of thinned accesses */
    uint64_t thin_from; /* see learn/thin.c */
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
    bool no_fork;              /* one execution in this very process, for a debugger */

    /* last, being large: what is above lies on few pages */
    uint16_t runnable[BURL_MAX_THREADS]; /* ascending */
    struct burl_thread *threads[BURL_MAX_THREADS];
};

extern struct burl_rt burl_rt;

/* core/mem.c */
/* Pages, outside every snapshot; ends the process when there are none. */
void *burl__mem_map(size_t n);
/* Copies memory of the program that may not be there; false: it is not, or cannot be read. */
bool burl__mem_read(void *to, uintptr_t from, size_t n);
void burl__mem_reset(void);
void burl__mem_prepare(void); /* see burl__sched_prepare() */

/* The LOCPAIRS observer saw this pair in this execution, for the first time or not. */
static inline void
burl__pair_covered(uint32_t earlier, uint32_t later)
{
    if (BURL_LIKELY(!burl_rt.watches_pair))
        return;
    if (burl_rt.pair[0] == earlier && burl_rt.pair[1] == later)
        burl_rt.exec.goal_hit = true;
}

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
