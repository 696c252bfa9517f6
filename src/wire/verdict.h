/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/verdict.h - how an execution ended, and what a report about it needs.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_VERDICT_H
#define BURL_WIRE_VERDICT_H

#include <assert.h>
#include <stdint.h>

/* How an execution ended. X(NAME, "dotted.kind", is_finding) */
#define BURL_WIRE_VERDICTS(X)                                                                \
    X(PASS, "pass", 0)                                                                       \
    X(EXIT_NONZERO, "exit.nonzero", 1) /* code */                                            \
    X(CRASH_SIGNAL, "crash.signal", 1) /* code: signal; addr */                              \
    X(CRASH_ABORT, "crash.abort", 1)   /* text: the assertion, if any */                     \
    X(USE_AFTER_FREE, "memory.use-after-free", 1)                                            \
    X(OVERFLOW, "memory.overflow", 1)                                                        \
    X(DOUBLE_FREE, "memory.double-free", 1)                                                  \
    X(BAD_FREE, "memory.bad-free", 1) /* free of something malloc did not give */            \
    X(USE_AFTER_RETURN, "memory.use-after-return", 1) /* of a function: its frame is gone */ \
    X(USE_AFTER_EXIT, "memory.use-after-exit", 1) /* of a thread: its stack, its locals */   \
    X(DEADLOCK_CYCLE, "deadlock.cycle", 1)                                                   \
    X(DEADLOCK_STUCK, "deadlock.stuck", 1)                                                   \
    X(LIVELOCK, "hang.livelock", 1)                                                          \
    X(MISUSE_UNLOCK_FOREIGN, "misuse.unlock-foreign", 1)                                     \
    X(MISUSE_UNLOCK_UNLOCKED, "misuse.unlock-unlocked", 1)                                   \
    X(MISUSE_DESTROY_BUSY, "misuse.destroy-busy", 1)                                         \
    X(MISUSE_RELOCK, "misuse.relock", 1)                                                     \
    X(MISUSE_WAIT_UNLOCKED, "misuse.wait-without-mutex", 1)                                  \
    X(MISUSE_JOIN_TWICE, "misuse.join-twice", 1)                                             \
    X(MISUSE_USE_DESTROYED, "misuse.use-destroyed", 1)                                       \
    X(MISUSE_EXIT_HOLDING, "misuse.exit-holding", 1)                                         \
    X(MISUSE_REINIT, "misuse.reinit", 1)                                                     \
    X(MISUSE_DETACH_TWICE, "misuse.detach-twice", 1)                                         \
    X(MISUSE_OTHER, "misuse.other", 1)         /* text says what */                          \
    X(RACE_DATA, "race.data", 1)               /* sides: earlier and later access */         \
    X(ATOMICITY_REGION, "atomicity.region", 1) /* sides: first of the region, the other's */ \
    X(NON_LINEARIZABLE, "atomicity.non-linearisable", 1) /* text: what is impossible */      \
    X(CUT_STEPS, "cut.steps", 0)                         /* more steps than allowed */       \
    X(CUT_TIME, "cut.time", 0)                           /* more wall time than allowed */   \
    X(DIVERGED, "diverged", 0)       /* replay could not follow its schedule */              \
    X(UNSUPPORTED, "unsupported", 0) /* text: the primitive, by name */                      \
    X(INTERNAL, "internal", 0)       /* text: our own failure */                             \
    X(WILD_WRITE, "memory.wild-write", 1) /* host: over the control block; text: what */     \
    X(HANG_TIMEOUT, "hang.timeout", 1)    /* host: did not end in its time; waits: where */  \
    X(CHECK_FAILED, "check.failed", 1)    /* host: the user's check; text: it; code */

enum burl_wire_verdict_kind {
#define BURL_X(name, text, finding) BURL_VERDICT_##name,
    BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
        BURL_VERDICT__N
};

static inline int
burl_wire_is_misuse(uint32_t verdict)
{
    return verdict >= BURL_VERDICT_MISUSE_UNLOCK_FOREIGN && verdict <= BURL_VERDICT_MISUSE_OTHER;
}

#define BURL_WIRE_TEXT_B 256
#define BURL_WIRE_MAX_CYCLE 16
#define BURL_WIRE_MAX_STACK 24

/* A thread's part in a deadlock or crash: what it waits for, and which thread has it. */
struct burl_wire_wait {
    uint64_t addr; /* object */
    uint32_t site;
    uint16_t tid;
    uint16_t owner; /* BURL_TID_NONE: none, or not known */
    uint8_t kind;   /* enum burl_wire_op it waits in */
    uint8_t pad[7];
};
#define BURL_WIRE_MAX_LOCKS 8

enum burl_wire_lock_mode { BURL_LOCK_EXCLUSIVE = 0, BURL_LOCK_SHARED = 1 };

struct burl_wire_lock {
    uint64_t addr;
    uint32_t site; /* where it was taken */
    uint8_t mode;  /* enum burl_wire_lock_mode */
    uint8_t pad[3];
};

enum burl_wire_side_flag {
    BURL_SIDE_F_NEAR = 1u << 0, /* site: one of several of that thread, in the same stretch of its
                                     run and within 8 bytes */
    BURL_SIDE_F_ATOMIC = 1u << 1,
    BURL_SIDE_F_FREE = 1u << 2 /* the access is the freeing of the block */
};

/* One access that a report is about. */
struct burl_wire_side {
    uint64_t addr;
    uint32_t site;
    uint32_t size_b;
    uint16_t tid;
    uint8_t op;                          /* enum burl_wire_op */
    uint8_t flags;                       /* BURL_SIDE_F_* */
    uint32_t n_locks;                    /* held; the first BURL_WIRE_MAX_LOCKS are kept */
    uint32_t stack[BURL_WIRE_MAX_STACK]; /* as in the verdict; may be empty */
    struct burl_wire_lock locks[BURL_WIRE_MAX_LOCKS];
};

enum burl_wire_origin_kind {
    BURL_ORIGIN_UNKNOWN = 0,
    BURL_ORIGIN_HEAP,
    BURL_ORIGIN_GLOBAL,
    BURL_ORIGIN_STACK, /* of thread `tid` */
    BURL_ORIGIN_TLS,   /* of thread `tid` */
    BURL_ORIGIN_THREAD /* no memory: thread `tid` itself; in verdicts only */
};

/* The memory that a report is about, or the thread. */
struct burl_wire_origin {
    uint64_t addr; /* where block, region or late library begins; 0 unknown */
    uint64_t size_b;
    uint32_t site; /* HEAP, THREAD: call that made it. GLOBAL: first of a late library; 0 other */
    uint16_t tid;  /* thread that made it, or whose stack it is; BURL_TID_NONE */
    uint8_t kind;  /* enum burl_wire_origin_kind */
    uint8_t pad;
    uint32_t stack[BURL_WIRE_MAX_STACK];
};

struct burl_wire_verdict {
    uint8_t kind;  /* enum burl_wire_verdict_kind */
    uint8_t op;    /* enum burl_wire_op of the failing thread's last operation */
    uint16_t tid;  /* failing thread, BURL_TID_NONE for deadlocks */
    int32_t code;  /* exit code or signal */
    uint32_t site; /* last site of the failing thread; user code's innermost */
    uint32_t n_waits;
    uint64_t addr;                       /* faulting address, object, allocation */
    union {
        uint64_t pc; /* of the fault, 0 when not a fault */
        uint64_t behind; /* RACE_DATA: a variable whose volatile accesses would order the two if
                            they were atomic; 0 none */
    };
    uint32_t stack[BURL_WIRE_MAX_STACK]; /* innermost first, 0-terminated: the FUNC site of the
                                            first; of the others where they are in a call (CALL,
                                            PLACE), or FUNC when that is not known */
    struct burl_wire_wait waits[BURL_WIRE_MAX_CYCLE];
    char text[BURL_WIRE_TEXT_B];
    uint32_t n_sides;    /* RACE_DATA, ATOMICITY_REGION: 2, else 0 */
    uint32_t other_site; /* USE_AFTER_FREE: the call that freed the block. Crashes: the last call
                            of a library function. 0 unknown */
    struct burl_wire_side sides[2]; /* misuses: only sides[0].stack, the FUNC sites of `stack` */
    struct burl_wire_origin origin; /* for the same kinds, freed blocks, misused things. Crashes in
                                       a library: addr is the program's call, by its code, and
                                       stack has burl_wire_callers() */
};

/* Text of a crash whose pc is that of the call. */
#define BURL_WIRE_TEXT_JUMP "jump to an address without code"

#define BURL_WIRE_MAX_CALLERS (BURL_WIRE_MAX_STACK / 2)
/* Crashes in a library: the program's calls by their code, innermost first, 0-terminated. */
static inline void
burl_wire_callers(const struct burl_wire_origin *o, uint64_t out[BURL_WIRE_MAX_CALLERS])
{
    for (uint32_t i = 0; i < BURL_WIRE_MAX_CALLERS; i++)
        out[i] = (uint64_t)o->stack[2 * i + 1] << 32 | o->stack[2 * i];
}

static_assert(sizeof(struct burl_wire_side) == 248, "side size is on the wire");
static_assert(sizeof(struct burl_wire_verdict) == 1392, "verdict size is on the wire");

/* One distinct failure of a batch: the first execution that showed it, and the number of executions
 * that did. An execution continues after most misuses, so that it may show several. */
struct burl_wire_failure {
    uint64_t seed;
    uint64_t count;
    uint64_t trace_hash;
    uint64_t key; /* of the verdict; equal keys are one failure */
    uint64_t steps;
    struct burl_wire_verdict verdict;
};

#define BURL_WIRE_MAX_FAILURES 64
static_assert(sizeof(struct burl_wire_failure) == 1432, "failure size is on the wire");

#endif
