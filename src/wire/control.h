/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/control.h - the shared memory between the host and one target process.
 *
 * The host creates a memfd, writes the head, and starts the program with the
 * descriptor's number in BURL_WIRE_ENV_CTL. The runtime maps it and closes the
 * descriptor. All areas lie in the one mapping at the offsets of the head.
 *
 * Turn-taking: `turn` is a futex word. HOST: the host owns the block, the target
 * sleeps. TARGET: the target owns it. Each side writes everything before it
 * hands over with a release store, and reads after an acquire load. While the
 * target has its turn the host reads only `live`, which is written with relaxed
 * stores (progress for people; no decision depends on it).
 *
 * In fork mode the executions run in children of the target process; they share
 * the mapping, and the target process (the fork server) keeps the turn.
 */
#ifndef BURL_WIRE_CONTROL_H
#define BURL_WIRE_CONTROL_H

#include <assert.h>
#include <stdint.h>

#include "event.h"
#include "schedule.h"
#include "version.h"

#define BURL_WIRE_CTL_MAGIC 0x314c54434c525542ull /* "BURLCTL1" */

enum burl_wire_turn { BURL_TURN_HOST = 0, BURL_TURN_TARGET = 1 };

enum burl_wire_engine { BURL_ENGINE_FIBERS = 0, BURL_ENGINE_THREADS = 1 };
enum burl_wire_reset { BURL_RESET_SNAPSHOT = 0, BURL_RESET_FORK = 1 };

enum burl_wire_strategy {
    BURL_STRATEGY_NONPREEMPTIVE = 0,
    BURL_STRATEGY_ROUND_ROBIN,
    BURL_STRATEGY_RANDOM,
    BURL_STRATEGY_PCT,
    BURL_STRATEGY_POS,
    BURL_STRATEGY_REPLAY,
    BURL_STRATEGY__N
};

/* How an execution ended. X(NAME, "dotted.kind", is_finding) */
#define BURL_WIRE_VERDICTS(X)                                        \
    X(PASS, "pass", 0)                                               \
    X(EXIT_NONZERO, "exit.nonzero", 1)        /* code */             \
    X(CRASH_SIGNAL, "crash.signal", 1)        /* code: signal; addr */ \
    X(CRASH_ABORT, "crash.abort", 1)          /* text: the assertion, if any */ \
    X(USE_AFTER_FREE, "memory.use-after-free", 1)                    \
    X(OVERFLOW, "memory.overflow", 1)                                \
    X(DOUBLE_FREE, "memory.double-free", 1)                          \
    X(BAD_FREE, "memory.bad-free", 1)         /* free of something malloc did not give */ \
    X(DEADLOCK_CYCLE, "deadlock.cycle", 1)                           \
    X(DEADLOCK_STUCK, "deadlock.stuck", 1)                           \
    X(LIVELOCK, "hang.livelock", 1)                                  \
    X(MISUSE_UNLOCK_FOREIGN, "misuse.unlock-foreign", 1)             \
    X(MISUSE_UNLOCK_UNLOCKED, "misuse.unlock-unlocked", 1)           \
    X(MISUSE_DESTROY_BUSY, "misuse.destroy-busy", 1)                 \
    X(MISUSE_RELOCK, "misuse.relock", 1)                             \
    X(MISUSE_WAIT_UNLOCKED, "misuse.wait-without-mutex", 1)          \
    X(MISUSE_JOIN_TWICE, "misuse.join-twice", 1)                     \
    X(MISUSE_USE_DESTROYED, "misuse.use-destroyed", 1)               \
    X(MISUSE_OTHER, "misuse.other", 1)        /* text says what */   \
    X(CUT_STEPS, "cut.steps", 0)              /* more steps than allowed */ \
    X(CUT_TIME, "cut.time", 0)                /* more wall time than allowed */ \
    X(DIVERGED, "diverged", 0)                /* replay could not follow its schedule */ \
    X(UNSUPPORTED, "unsupported", 0)          /* text: the primitive, by name */ \
    X(INTERNAL, "internal", 0)                /* text: our own failure */

enum burl_wire_verdict_kind {
#define BURL_X(name, text, finding) BURL_VERDICT_##name,
    BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
    BURL_VERDICT__N
};

#define BURL_WIRE_TEXT_B 256
#define BURL_WIRE_MAX_CYCLE 16
#define BURL_WIRE_MAX_STACK 24

/* A thread's part in a deadlock or crash: what it waits for, and who has it. */
struct burl_wire_wait {
    uint64_t addr;   /* object */
    uint32_t site;
    uint16_t tid;
    uint16_t owner;  /* BURL_TID_NONE: nobody, or not known */
    uint8_t  kind;   /* enum burl_wire_op it waits in */
    uint8_t  pad[7];
};

struct burl_wire_verdict {
    uint8_t  kind;              /* enum burl_wire_verdict_kind */
    uint8_t  op;                /* enum burl_wire_op of the failing thread's last operation */
    uint16_t tid;               /* failing thread, BURL_TID_NONE for deadlocks */
    int32_t  code;              /* exit code or signal */
    uint32_t site;              /* last site of the failing thread; user code's innermost */
    uint32_t n_waits;
    uint64_t addr;              /* faulting address, object, allocation */
    uint64_t pc;                /* of the fault, 0 when not a fault */
    uint32_t stack[BURL_WIRE_MAX_STACK]; /* sites of kind FUNC, innermost first, 0-terminated */
    struct burl_wire_wait waits[BURL_WIRE_MAX_CYCLE];
    char     text[BURL_WIRE_TEXT_B];
};

/* Counters of lost or unusual things (rule R6). X(NAME, "sentence") */
#define BURL_WIRE_COUNTERS(X)                                               \
    X(SCHED_FULL, "switches not recorded: schedule area full")              \
    X(TRACE_FULL, "events not recorded: trace area full")                   \
    X(VERDICTS_FULL, "failures not told apart: verdict table full")         \
    X(HEAP_FULL, "allocations passed to libc: heap arena full")             \
    X(THREADS_FULL, "threads refused: thread table full")                   \
    X(OBJECTS_FULL, "sync objects not modelled: object table full")         \
    X(FORKS, "fork calls of the program: the child ran uncontrolled")       \
    X(UNCONTROLLED_SYNC, "sync calls that reached libc uncontrolled")       \
    X(FORCED_YIELDS, "yields forced on threads that made no progress")

enum burl_wire_counter {
#define BURL_X(name, text) BURL_COUNTER_##name,
    BURL_WIRE_COUNTERS(BURL_X)
#undef BURL_X
    BURL_COUNTER__N
};

enum burl_wire_order_kind {
    BURL_ORDER_KIND_HELLO = 0, /* register modules, say what this program is; no execution */
    BURL_ORDER_KIND_BATCH,     /* seeds first_seed .. first_seed + n_execs - 1 */
    BURL_ORDER_KIND_QUIT
};

enum burl_wire_order_flag {
    BURL_ORDER_F_TRACE = 1u << 0,         /* fill the trace area (n_execs must be 1) */
    BURL_ORDER_F_RECORD = 1u << 1,        /* leave the last execution's switches in sched_out */
    BURL_ORDER_F_STOP_AT_FINDING = 1u << 2,
    BURL_ORDER_F_ALL_POINTS = 1u << 3,    /* every site is a scheduling point, ignore the map */
    BURL_ORDER_F_LEARN = 1u << 4,         /* mark sites seen shared in points_new */
    BURL_ORDER_F_CHECK_TWICE = 1u << 5,   /* run each seed twice, compare the hashes */
    BURL_ORDER_F_STRICT_TIME = 1u << 6,   /* sleepers and time-outs wait for everybody else */
    BURL_ORDER_F_NO_FORK = 1u << 7        /* run the one execution in this very process and, at a
                                             failure, call burl_failure_stop() (`replay --gdb`); the
                                             order lies in the block at the start, turn = TARGET */
};

struct burl_wire_order {
    uint32_t kind;         /* enum burl_wire_order_kind */
    uint32_t flags;        /* BURL_ORDER_F_* */
    uint32_t strategy;     /* enum burl_wire_strategy */
    uint32_t param;        /* PCT: depth */
    uint64_t first_seed;
    uint64_t n_execs;
    uint64_t max_steps;    /* per execution */
    uint64_t horizon;      /* PCT: estimated scheduling points per execution */
    uint64_t epoch_ns;     /* virtual wall clock at the start of each execution */
    uint32_t n_sched_in;   /* switches to follow (REPLAY) */
    uint32_t max_wall_ms;  /* per execution, enforced by the runtime's timer; 0 none */
};

/* One distinct failure of a batch: the first execution that showed it, and how often it came. */
struct burl_wire_failure {
    uint64_t seed;
    uint64_t count;
    uint64_t trace_hash;
    uint64_t key;          /* of the verdict; equal keys are one failure */
    uint64_t steps;
    struct burl_wire_verdict verdict;
};

#define BURL_WIRE_MAX_FAILURES 32

struct burl_wire_result {
    uint64_t n_done;         /* executions completed */
    uint64_t n_steps;        /* visible operations, all executions */
    uint64_t n_points;       /* scheduling decisions offered to the strategy */
    uint64_t n_switches;
    uint64_t n_preemptions;
    uint64_t n_by_verdict[32];
    uint64_t last_trace_hash;
    uint64_t last_steps;
    uint64_t last_points;    /* decisions of the last execution */
    uint64_t min_points;
    uint64_t sum_completed_points; /* over executions that were not cut: PCT's horizon */
    uint64_t n_completed;
    uint64_t unstable_seed;  /* CHECK_TWICE: first seed whose two runs differed; ~0 none */
    uint32_t unstable_step;  /* CHECK_TWICE: first step that differed */
    uint32_t unstable_site;
    uint32_t n_failures;
    uint32_t max_threads;    /* most threads alive at once */
    uint32_t n_sched_out;
    uint32_t n_events;       /* valid events in the trace area */
    uint64_t events_dropped; /* oldest events overwritten in the trace ring */
    uint32_t trace_start;    /* ring index of the oldest event */
    uint32_t irreversible;   /* nonzero: the snapshot cannot be trusted any more; text says why */
    uint32_t diverged_at;    /* REPLAY: index of the first switch not followed, ~0 none */
    uint32_t n_shared_new;   /* LEARN: sites newly seen shared */
    uint64_t counters[BURL_COUNTER__N];
    char     text[BURL_WIRE_TEXT_B]; /* irreversible or internal: why */
    struct burl_wire_verdict last;   /* of the last execution */
    struct burl_wire_failure failures[BURL_WIRE_MAX_FAILURES];
};

#define BURL_WIRE_MAX_MODULES 4096
#define BURL_WIRE_PATH_B 256

/* One loaded file (executable or shared object) that holds instrumented modules. */
struct burl_wire_object {
    uint64_t load_bias;
    uint64_t text_start;
    uint64_t text_end;
    char     path[BURL_WIRE_PATH_B];
};

#define BURL_WIRE_MAX_OBJECTS 256

struct burl_wire_module_entry {
    uint64_t hash;
    uint32_t base;     /* process-wide number of its site 0 */
    uint32_t n_sites;
    uint32_t object;   /* index into objects */
    uint32_t pad;
};

struct burl_wire_live {
    uint64_t execs;
    uint64_t steps;
    uint64_t seed;
};

struct burl_wire_ctl {
    uint64_t magic;
    uint32_t version;
    uint32_t turn;            /* futex; enum burl_wire_turn */
    uint64_t size_b;          /* of the whole mapping */
    uint64_t points_off;      /* uint8_t per site number: 1 = scheduling point */
    uint64_t points_n;
    uint64_t points_new_off;  /* same shape: sites seen shared in this order */
    uint64_t sched_in_off;    /* struct burl_wire_switch[] */
    uint64_t sched_in_n;
    uint64_t sched_out_off;
    uint64_t sched_out_n;
    uint64_t trace_off;       /* struct burl_wire_event[], a ring */
    uint64_t trace_n;
    uint32_t engine;          /* enum burl_wire_engine, chosen by the host before the start */
    uint32_t reset;           /* enum burl_wire_reset */
    uint32_t rt_version;      /* filled by the runtime */
    uint32_t rt_pid;
    uint32_t host_pid;        /* the runtime ends when this process is gone */
    uint32_t n_modules;
    uint32_t n_objects;
    uint32_t n_sites;         /* highest site number + 1; number 0 is "unknown" */
    uint64_t snapshot_b;      /* bytes saved by the snapshot, 0 none */
    struct burl_wire_live live;
    struct burl_wire_order order;
    struct burl_wire_result result;
    struct burl_wire_object objects[BURL_WIRE_MAX_OBJECTS];
    struct burl_wire_module_entry modules[BURL_WIRE_MAX_MODULES];
};

#endif
