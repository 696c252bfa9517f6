/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/finding.h - one finding as data, independent of its rendering.
 *
 * Built once by burl_report_finding_new() from a traced execution; afterwards read-only. All
 * strings belong to the finding and are never NULL ("" is unknown), so a finding outlives the trace
 * and the site tables.
 *
 * Threads are called T0, T1, ... by their logical number; T0 is main.
 */
#ifndef BURL_REPORT_FINDING_H
#define BURL_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding/facts.h"

/* A place in the user's source. line 0: unknown. */
struct burl_finding_loc {
    uint32_t site; /* process-wide number, 0 unknown */
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *func;
    const char *source; /* text of the line, trimmed */
};

/* One call frame, innermost first in every list. The innermost has the exact place; of the outer
 * ones only the function and where it begins are known. */
struct burl_finding_frame {
    struct burl_finding_loc loc;
    bool exact;     /* loc is where it is; otherwise where the function begins */
    uint32_t after; /* when not exact: line of its last visible operation, 0 none */
    bool system;    /* code of a library, not the user's */
    bool failed;    /* the failing instruction is in this function, which has no site */
};

/* Of a deep recursion the innermost BURL_FINDING_INNER and the outermost BURL_FINDING_OUTER. */
#define BURL_FINDING_INNER 64u
#define BURL_FINDING_OUTER 16u

struct burl_finding_stack {
    struct burl_finding_frame *frames;
    size_t n;
    size_t left_out; /* so many are not there, */
    size_t left_at;  /* before this one */
};

struct burl_finding_lock {
    uint64_t addr;
    const char *name;
    const char *mode; /* "", "reading", "writing" */
    uint32_t depth;   /* of recursive locking, 1 for plain */
    uint32_t step;    /* when taken */
    struct burl_finding_loc taken;
};

/* What a thread waits for at the end. */
struct burl_finding_wait {
    bool waits;
    bool in_cycle; /* it is part of the deadlock's cycle */
    uint8_t op;    /* enum burl_wire_op */
    uint64_t addr;
    const char *name; /* of the object */
    uint16_t owner;   /* BURL_TID_NONE */
    struct burl_finding_loc loc;
};

enum burl_finding_thread_state {
    BURL_FINDING_THREAD_READY = 0, /* could have continued */
    BURL_FINDING_THREAD_FAILED,    /* the one the verdict is about */
    BURL_FINDING_THREAD_WAITING,
    BURL_FINDING_THREAD_FINISHED,
    BURL_FINDING_THREAD_UNKNOWN /* of a free run: not observed */
};

struct burl_finding_thread {
    uint16_t tid;
    uint8_t state;    /* enum burl_finding_thread_state */
    const char *name; /* "main", or the function it started in */
    uint16_t creator; /* BURL_TID_NONE unknown */
    struct burl_finding_loc created;
    struct burl_finding_stack stack; /* at the end */
    struct burl_finding_lock *locks;
    size_t n_locks;
    struct burl_finding_wait wait;
    uint64_t n_ops; /* visible operations in the trace */
};

enum burl_finding_step_type {
    BURL_FINDING_STEP_OP = 0, /* an operation */
    BURL_FINDING_STEP_SWITCH, /* another thread runs */
    BURL_FINDING_STEP_SKIP    /* n_skipped operations that are not shown */
};

struct burl_finding_step {
    uint8_t type;  /* enum burl_finding_step_type */
    uint8_t op;    /* enum burl_wire_op; SWITCH: the pending one, BURL_OP_NONE unknown */
    uint8_t flags; /* BURL_EV_F_* */
    uint8_t why;   /* SWITCH: enum burl_wire_switch_why */
    uint8_t size_b;
    bool preemption; /* SWITCH: the thread could have continued */
    bool failure;    /* OP: the execution failed here */
    bool minor;      /* OP: a short report leaves it out */
    uint16_t tid;
    uint16_t next;  /* SWITCH */
    uint16_t other; /* OP: created, joined, canceled thread; BURL_TID_NONE */
    uint32_t step;
    uint32_t thread_op; /* per-thread count, as in the schedule file */
    uint64_t n_skipped; /* SKIP */
    uint64_t addr;
    uint64_t aux;
    uint64_t value; /* see flags */
    uint64_t after;
    const char *what; /* variable or object */
    const char *text; /* "read balance = 100", the whole of it in words */
    struct burl_finding_loc loc;
};

/* A heap block the finding is about. */
struct burl_finding_block {
    bool known;
    uint64_t addr;
    uint64_t size_b;
    uint16_t alloc_tid; /* BURL_TID_NONE: not in the trace */
    uint16_t free_tid;
    uint32_t alloc_step;
    uint32_t free_step;
    struct burl_finding_stack alloc_stack;
    struct burl_finding_stack free_stack;
};

/* One of the accesses of a race or an atomicity violation. */
struct burl_finding_side {
    uint16_t tid;
    uint8_t op; /* enum burl_wire_op */
    bool write;
    bool atomic;
    bool frees;    /* the access is the freeing of the block */
    bool near;     /* loc: one of several of that thread, close by in time and memory */
    bool in_trace; /* step and text are known */
    uint32_t size_b;
    uint32_t step;
    uint64_t addr;
    const char *verb;            /* "writes", "atomically updates" */
    const char *what;            /* "q->head" as the source says it there, "" unknown */
    const char *text;            /* with values: "q->head: 1 -> 2"; "" when not in the trace */
    struct burl_finding_loc loc; /* in the user's code */
    struct burl_finding_stack stack;
    struct burl_finding_lock *locks; /* held at the access; `step` and `depth` may be 0 */
    size_t n_locks;
    uint32_t n_more_locks; /* held too, not known which */
};

/* The memory of a race or an atomicity violation. */
struct burl_finding_memory {
    uint8_t kind;        /* enum burl_wire_origin_kind */
    uint16_t tid;        /* that allocated it, or whose stack or TLS it is; BURL_TID_NONE */
    uint64_t addr;       /* of the access */
    uint64_t size_b;     /* of the access: bytes both sides touch */
    uint64_t block_addr; /* of the variable or block, 0 unknown */
    uint64_t block_b;
    const char *name;                /* "stats.hits", "q->head"; "" unknown */
    const char *symbol;              /* GLOBAL: of the symbol table, "" */
    struct burl_finding_loc made;    /* HEAP: the allocating call */
    struct burl_finding_stack stack; /* HEAP: of the allocation */
};

/* The outcome of either order of the two accesses. */
enum burl_finding_outcome {
    BURL_FINDING_OUTCOME_UNKNOWN = 0, /* not tried */
    BURL_FINDING_OUTCOME_SAME,
    BURL_FINDING_OUTCOME_DIFFERS,
    BURL_FINDING_OUTCOME_ONE_ORDER /* only one order was reproduced */
};

struct burl_finding_orders {
    uint8_t outcome;     /* enum burl_finding_outcome */
    const char *first[2];  /* "T1 writes first at f.c:12"; "" unknown */
    const char *ends[2]; /* "exit 0"; "" when that order was not reproduced */
    bool failing;        /* a failure follows in at least one of them */
    uint64_t failure;    /* its fingerprint, 0 not known */
};

/* Another pair of places that races on the same memory. */
struct burl_finding_pair {
    uint8_t op[2];
    struct burl_finding_loc loc[2];
    const char *what[2];
    uint64_t count; /* executions that showed it, 0 not known */
};

/* The recognized pattern of the bug. */
struct burl_finding_pattern {
    const char *kind;      /* "lost-update"; "" not recognized */
    const char *sentence;  /* one, without full stop; "" */
    const uint32_t *steps; /* of the operations it speaks of */
    size_t n_steps;
};

struct burl_finding {
    /* Which. */
    uint32_t number;    /* in the store, 0 not stored */
    uint8_t verdict;    /* enum burl_wire_verdict_kind */
    const char *kind;   /* "deadlock.cycle" */
    const char *title;  /* one sentence without full stop */
    const char *detail; /* longer explanation, may be "" */
    struct burl_finding_pattern pattern;
    const char *cause; /* the normalized text the fingerprint was made of */
    int32_t code;      /* exit code or signal */
    uint16_t tid;      /* failing thread, BURL_TID_NONE */
    uint64_t addr;
    struct burl_finding_loc where;
    bool unhooked; /* a crash at an instruction without a site: the last operation did not fail */

    /* How often, how sure. */
    struct burl_finding_facts facts;
    uint32_t n_preemptions;
    uint32_t n_switches;
    uint32_t n_spurious;          /* wakeups without a signal */
    uint32_t n_faults;            /* injected */
    const char *needs;            /* a sentence about these two, "" when there are none */

    /* What happened. */
    struct burl_finding_thread *threads; /* ascending tid */
    size_t n_threads;
    struct burl_finding_step *steps; /* chosen for people */
    size_t n_steps;
    uint64_t n_ops; /* visible operations in the trace */
    uint64_t n_ops_shown;
    uint64_t events_dropped; /* the trace has lost its beginning */
    uint64_t n_exec_steps;   /* of the whole execution */
    uint64_t trace_hash;
    struct burl_finding_block block;
    struct burl_finding_side sides[2]; /* race.data: earlier, later; atomicity.region: the
                                            region's first access, the other thread's */
    size_t n_sides;                    /* 2 for those kinds, else 0 */
    struct burl_finding_memory memory; /* for those kinds */
    struct burl_finding_orders orders;
    struct burl_finding_pair *pairs; /* more places on the same memory */
    size_t n_pairs;
    const char *region;    /* atomicity.region: its name, or the function; "" */
    const char *predicted; /* the prediction from an earlier run, "" none */
    const char **output;   /* last lines of the program's output */
    size_t n_output;
    bool output_cut; /* there were more */
    const char *check;           /* check.failed: the command; "" none */
    const char **check_output; /* the first lines it printed */
    size_t n_check_output;
    bool check_cut; /* there were more */

    /* With what. */
    const char *command;  /* program and arguments */
    const char *replay;   /* the command that reproduces it */
    const char *noise;    /* burl tune: the setting that first showed it, "" none */
    const char *again;    /* of a free run: the command that may show it again, "" none */
    const char *schedule; /* path of the schedule file */
    const char *engine;
    const char *strategy;
    const char *build_id;
    const char *problem; /* why names may be missing, "" */

    struct burl_finding_pool *pool; /* private: owns the strings and arrays */
};

#endif
