/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/result.h - what a batch of executions gave.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_RESULT_H
#define BURL_WIRE_RESULT_H

#include <assert.h>
#include <stdint.h>

#include "goal.h"
#include "verdict.h"

/* Counters of lost or unusual things (rule R6). X(NAME, "sentence") */
#define BURL_WIRE_COUNTERS(X)                                          \
    X(SCHED_FULL, "switches not recorded: schedule area full")         \
    X(TRACE_FULL, "events not recorded: trace area full")              \
    X(VERDICTS_FULL, "failures not distinguished: verdict table full")    \
    X(THREADS_FULL, "threads refused: thread table full")              \
    X(FORKS, "fork calls of the program: the child ran uncontrolled")  \
    X(UNCONTROLLED_SYNC, "sync calls that reached libc uncontrolled")  \
    X(SUSPECTS_FULL, "suspects not distinguished: suspect table full")    \
    X(SHADOW_FULL, "accesses not observed: shadow memory full")        \
    X(CLOCKS_FULL, "observation ended: out of clock values")           \
    X(CYCLES_CUT, "search for lock cycles cut short: too many nested locks")

enum burl_wire_counter {
#define BURL_X(name, text) BURL_COUNTER_##name,
    BURL_WIRE_COUNTERS(BURL_X)
#undef BURL_X
        BURL_COUNTER__N
};
enum burl_wire_search { BURL_SEARCH_NONE = 0, BURL_SEARCH_MORE, BURL_SEARCH_COMPLETE };

/* Why a complete search proves nothing. */
enum burl_wire_search_unsure {
    BURL_SEARCH_UNSURE_TIME = 1u << 0, /* clocks, sleeping, time-outs */
    BURL_SEARCH_UNSURE_IO = 1u << 1,
    BURL_SEARCH_UNSURE_LOOPS = 1u << 2,   /* threads that wait in loops */
    BURL_SEARCH_UNSURE_SIGNALS = 1u << 3, /* signals, cancellation, fork */
    BURL_SEARCH_UNSURE_THREADS = 1u << 4, /* more than 64 */
    BURL_SEARCH_UNSURE_DEPTH = 1u << 5,   /* too many decisions in one execution */
    BURL_SEARCH_UNSURE_DIFFERS = 1u << 6, /* the same choices gave another run */
    BURL_SEARCH_UNSURE_RANGES = 1u << 7,  /* accesses to more memory at once than is tracked */
    BURL_SEARCH_UNSURE_HIDDEN = 1u << 8,  /* library functions that remember, see wire/site.h */
    BURL_SEARCH_UNSURE_UNSEEN = 1u << 9,  /* or that touch memory without a hook */
    BURL_SEARCH_UNSURE_SHARED = 1u << 10, /* MAP_SHARED: one memory may have two addresses */
    BURL_SEARCH_UNSURE_TORN = 1u << 11,   /* an access in several parts races with another */
    BURL_SEARCH_UNSURE_ADDRESSES = 1u << 13, /* of blocks are compared, and could be others */
    BURL_SEARCH_UNSURE_MISUSE = 1u << 12, /* an object was misused: others than its owner changed
                                             it, and the reduction takes that for impossible */
    BURL_SEARCH_UNSURE_STACK = 1u << 14,  /* an access to another thread's stack may have met the
                                             frame of a later call */
    BURL_SEARCH_UNSURE_OBJECT = 1u << 16, /* memory of a sync object is accessed directly */
    BURL_SEARCH_UNSURE_OVERWRITTEN = 1u << 17, /* its position, by a wild write of the program */
    BURL_SEARCH_UNSURE_OUTSIDE = 1u << 18, /* a value that differs from run to run was read */
    BURL_SEARCH_UNSURE_ENDED = 1u << 15   /* a failure came before a thread could run on */
};
#define BURL_WIRE_VERDICTS_MAX 64
#define BURL_FREE_DISTURBED 2u /* of `irreversible` */

struct burl_wire_result {
    uint64_t n_done;   /* executions completed */
    uint64_t n_steps;  /* visible operations, all executions */
    uint64_t n_points; /* scheduling decisions offered to the strategy */
    uint64_t n_switches;
    uint64_t n_preemptions;
    uint64_t n_by_verdict[BURL_WIRE_VERDICTS_MAX];
    uint64_t last_trace_hash;
    uint64_t last_steps;
    uint64_t min_points;
    uint64_t max_points;           /* of an execution that was not cut */
    uint64_t sum_completed_points; /* over executions that were not cut: PCT's horizon */
    uint64_t n_completed;
    uint64_t unstable_seed; /* CHECK_TWICE: first seed whose two runs differed; ~0 none */
    uint32_t unstable_step; /* CHECK_TWICE: first step that differed */
    uint32_t unstable_site;
    uint32_t n_failures;
    uint32_t max_threads; /* most threads alive at once */
    uint32_t n_sched_out;
    uint32_t n_events;       /* valid events in the trace area */
    uint64_t events_dropped; /* oldest events overwritten in the trace ring */
    uint32_t trace_start;    /* ring index of the oldest event */
    uint32_t irreversible;   /* nonzero: the snapshot cannot be trusted any more; FREE: the program
                                was not observed, or not to its end; text says why;
                                BURL_FREE_DISTURBED: besides, its end may be burl's doing */
    uint64_t counters[BURL_COUNTER__N];
    uint64_t goal_hits;     /* executions that reached the goal, or the pair of order.watch */
    uint64_t goal_seed;     /* of the first of these */
    uint64_t pair_visits[2]; /* PAIR: accesses at its first and its second site */
    uint64_t search_pruned; /* EXHAUSTIVE: executions given up as the same as one before, or by
                                symmetry; part of n_done */
    uint64_t search_void;   /* EXHAUSTIVE: executions of this order before the search last began
                                again of itself, and search_pruned with it; 0: it did not */
    uint32_t search;        /* EXHAUSTIVE: enum burl_wire_search */
    uint32_t search_unsure; /* EXHAUSTIVE: enum burl_wire_search_unsure, of the whole search */
    uint32_t search_site;   /* EXHAUSTIVE: first call that made it HIDDEN or UNSEEN; 0 none */
    uint32_t diverged_at;   /* REPLAY: index of the first switch not followed, ~0 none */
    uint32_t pair_gates[2][BURL_GOAL_MAX_GATES]; /* PAIR: where the locks held there were taken,
                                                    outermost first; 0 ends */
    uint64_t n_pairs;              /* LOCPAIRS: distinct pairs covered so far in this process */
    uint32_t n_suspects;           /* valid entries of ctl.suspects */
    uint32_t last_goal_hit;        /* the last execution reached the goal */
    char text[BURL_WIRE_TEXT_B];   /* irreversible or internal: why */
    struct burl_wire_verdict last; /* of the last execution */
    struct burl_wire_failure failures[BURL_WIRE_MAX_FAILURES];
};

static_assert(BURL_VERDICT__N <= BURL_WIRE_VERDICTS_MAX, "n_by_verdict has a place for each");
static_assert(sizeof(struct burl_wire_result) == 94160, "result size is on the wire");

#endif
