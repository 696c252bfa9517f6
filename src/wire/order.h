/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/order.h - what the host asks of a target process: executions under one strategy.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_ORDER_H
#define BURL_WIRE_ORDER_H

#include <assert.h>
#include <stdint.h>

#include "enumerate.h"
#include "goal.h"
#include "schedule.h"
#include "suspect.h"

enum burl_wire_strategy {
    BURL_STRATEGY_NONPREEMPTIVE = 0,
    BURL_STRATEGY_ROUND_ROBIN,
    BURL_STRATEGY_RANDOM,
    BURL_STRATEGY_PCT,
    BURL_STRATEGY_POS,
    BURL_STRATEGY_REPLAY,
    BURL_STRATEGY_DIRECTED,   /* towards a goal, but for reads-from edges */
    BURL_STRATEGY_EXHAUSTIVE, /* every schedule once; uses the search area */
    BURL_STRATEGY_SURW,       /* selectively uniform random walk; uses ctl.profile */
    BURL_STRATEGY_READS_FROM, /* towards a reads-from edge */
    BURL_STRATEGY_DELAY,      /* enumeration of delays */
    BURL_STRATEGY_PREEMPT,    /* enumeration of preemptions */
    BURL_STRATEGY_BURST,      /* long bursts of one thread, starvation of others */
    BURL_STRATEGY__N
};
enum burl_wire_order_kind {
    BURL_ORDER_KIND_HELLO = 0, /* register modules, say what this program is; no execution */
    BURL_ORDER_KIND_BATCH,     /* seeds first_seed .. first_seed + n_execs - 1 */
    BURL_ORDER_KIND_QUIT
};

enum burl_wire_order_flag {
    BURL_ORDER_F_TRACE = 1u << 0,  /* fill the trace area (n_execs must be 1) */
    BURL_ORDER_F_RECORD = 1u << 1, /* leave the last execution's switches in sched_out */
    BURL_ORDER_F_STOP_AT_FINDING = 1u << 2,
    BURL_ORDER_F_ALL_POINTS = 1u << 3,      /* every site is a scheduling point, ignore the map */
    BURL_ORDER_F_LEARN = 1u << 4,           /* mark sites seen shared in points_new */
    BURL_ORDER_F_CHECK_TWICE = 1u << 5,     /* run each seed twice, compare the hashes */
    BURL_ORDER_F_STRICT_TIME = 1u << 6,     /* sleepers and time-outs wait for all other threads */
    BURL_ORDER_F_STOP_AT_SUSPECT = 1u << 8, /* and at a suspect that has happened: RACE, REGION */
    BURL_ORDER_F_STOP_AT_GOAL = 1u << 9,    /* after the execution that reached the goal */
    BURL_ORDER_F_PROFILE = 1u << 11,        /* with LEARN: count what threads do to shared variables
                                             (profile_new.vars, of the last execution) */
    BURL_ORDER_F_STOP_AT_MISUSE = 1u << 16, /* a misuse ends the execution */
    BURL_ORDER_F_MAIL = 1u << 10,           /* each execution leaves a record, see wire/mail.h */
    BURL_ORDER_F_SPURIOUS = 1u << 12,       /* waits may return without a signal */
    BURL_ORDER_F_FAIL_CREATE = 1u << 13,    /* creating a thread may fail */
    BURL_ORDER_F_FAIL_MALLOC = 1u << 14,    /* allocations may fail */
    BURL_ORDER_F_SEED_CHOICES = 1u << 15,   /* REPLAY: the schedule has no choices, the seed decides
                                             which waiter a signal wakes (files before version 3) */
    BURL_ORDER_F_PATIENT = 1u << 17,        /* threads may repeat a read for long before they count
                                             as spinning (rt/sched/spin.c); otherwise the seed
                                             decides which executions are patient */
    BURL_ORDER_F_VOLATILE = 1u << 18,       /* volatile loads acquire, volatile stores release */
    BURL_ORDER_F_THIN = 1u << 19,           /* in long executions leave out decisions at accesses
                                             that repeat earlier ones (rt/learn/thin.c) */
    BURL_ORDER_F_NO_FORK = 1u << 7          /* run the one execution in this very process and, at a
                                             failure, call burl_failure_stop(), with TRACE before
                                             steps burl_step_stop() (`replay --gdb`); the order lies
                                             in the block at the start, turn = TARGET */
};

/* What an execution injects, and all flags without which the same seed or schedule gives another
 * execution. */
#define BURL_ORDER_F_FAULTS (BURL_ORDER_F_FAIL_CREATE | BURL_ORDER_F_FAIL_MALLOC)
#define BURL_ORDER_F_INJECT (BURL_ORDER_F_SPURIOUS | BURL_ORDER_F_FAULTS)
#define BURL_ORDER_F_KEPT                                                              \
    (BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_STRICT_TIME | BURL_ORDER_F_SEED_CHOICES | \
     BURL_ORDER_F_STOP_AT_MISUSE | BURL_ORDER_F_PATIENT | BURL_ORDER_F_INJECT |       \
     BURL_ORDER_F_VOLATILE | BURL_ORDER_F_THIN)

/* THIN: steps of an execution after which accesses are left out. */
#define BURL_THIN_STEPS 1000000u

/* Injected faults per execution. */
#define BURL_MAX_FAULTS 1u

/* Arguments of a strategy; order.strategy names the member. A strategy that is not listed has
 * none. */
union burl_wire_args {
    struct {
        uint32_t depth; /* 0: 3 */
        uint32_t pad;
        uint64_t horizon; /* estimated scheduling points per execution */
    } pct;
    struct {
        uint64_t horizon;
    } burst;
    struct {
        uint32_t windows; /* 1: hold threads that would close a window */
    } pos;
    struct {
        uint32_t interest; /* enum burl_wire_interest */
    } surw;
    struct {
        uint32_t begin; /* 1: a new search; 0: continue from the position in the search area */
    } exhaustive;
    struct {
        uint64_t index_first; /* number of first_seed's schedule in the enumeration */
        struct burl_enum places;
    } enumeration; /* DELAY, PREEMPT */
    struct {
        uint32_t n_sched_in; /* switches to follow, in the area sched_in */
        uint32_t how;        /* enum burl_wire_replay */
        uint64_t stop_at;    /* NO_FORK: call burl_step_stop() before this step; 0 none, 1 the
                                first, ... */
    } replay;
    struct burl_wire_goal goal; /* DIRECTED, READS_FROM */
};

/* Which variables the uniform walk of SURW is over. */
enum burl_wire_interest {
    BURL_INTEREST_DRAWN = 0, /* as the seed decides */
    BURL_INTEREST_ONE,
    BURL_INTEREST_TWO,
    BURL_INTEREST_ALL
};

static_assert(sizeof(union burl_wire_args) == 80, "argument size is on the wire");

static inline int
burl_wire_has_goal(uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DIRECTED || strategy == BURL_STRATEGY_READS_FROM;
}

/* Sites that every execution of the order is watched for: those of stop_key, whose stacks observers
 * keep, or a location pair that counts as the goal of a replay. */
struct burl_wire_watch {
    uint32_t kind;    /* enum burl_wire_suspect_kind: RACE, POTENTIAL, REGION, PAIR or MISUSE */
    uint32_t n_sites; /* 0: none */
    uint32_t sites[BURL_WIRE_MAX_SITES];
};

struct burl_wire_order {
    uint32_t kind;        /* enum burl_wire_order_kind */
    uint32_t flags;       /* BURL_ORDER_F_* */
    uint32_t strategy;    /* enum burl_wire_strategy */
    uint32_t observers;   /* BURL_OB(...) bits */
    uint64_t first_seed;
    uint64_t n_execs;
    uint64_t max_steps;   /* per execution */
    uint64_t epoch_ns;    /* virtual wall clock at the start of each execution */
    uint64_t stop_key;    /* nonzero: the execution ends, with the observer's verdict, when a
                             suspect of this key is seen to happen (RACE, REGION); or with the
                             misuse of this key (burl_wire_misuse_key()) */
    uint32_t max_wall_ms; /* per execution, enforced by the runtime's timer; 0 none */
    uint32_t context;     /* LOCPAIRS: innermost call sites that tell two pairs apart; 0 none */
    struct burl_wire_watch watch;
    union burl_wire_args args;
};

static_assert(sizeof(struct burl_wire_watch) == 72, "watch size is on the wire");
static_assert(sizeof(struct burl_wire_order) == 216, "order size is on the wire");

/* The number of a strategy that options, reports and files show beside its name, and the arguments
 * that have it. */
static inline uint32_t
burl_wire_args_number(uint32_t strategy, const union burl_wire_args *a)
{
    switch (strategy) {
    case BURL_STRATEGY_PCT:
        return a->pct.depth;
    case BURL_STRATEGY_POS:
        return a->pos.windows;
    case BURL_STRATEGY_SURW:
        return a->surw.interest;
    case BURL_STRATEGY_EXHAUSTIVE:
        return a->exhaustive.begin;
    case BURL_STRATEGY_DELAY:
    case BURL_STRATEGY_PREEMPT:
        return a->enumeration.places.bound;
    case BURL_STRATEGY_REPLAY:
        return a->replay.how;
    default:
        return 0;
    }
}

static inline union burl_wire_args
burl_wire_args_of(uint32_t strategy, uint32_t number)
{
    union burl_wire_args a = { .goal = { .kind = BURL_GOAL_NONE } };

    if (strategy == BURL_STRATEGY_PCT)
        a.pct.depth = number;
    else if (strategy == BURL_STRATEGY_POS)
        a.pos.windows = number;
    else if (strategy == BURL_STRATEGY_SURW)
        a.surw.interest = number;
    return a;
}

#endif
