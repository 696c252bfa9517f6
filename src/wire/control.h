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
 * stores (progress for people; no decision depends on it), and in free mode
 * `blocked` (wire/blocked.h).
 *
 * In fork mode the executions run in children of the target process; they share
 * the mapping, and the target process (the fork server) keeps the turn.
 */
#ifndef BURL_WIRE_CONTROL_H
#define BURL_WIRE_CONTROL_H

#include <assert.h>
#include <stdint.h>

#include "blocked.h"
#include "cover.h"
#include "enumerate.h"
#include "event.h"
#include "mail.h"
#include "profile.h"
#include "schedule.h"
#include "version.h"

#define BURL_WIRE_CTL_MAGIC 0x314c54434c525542ull /* "BURLCTL1" */

enum burl_wire_turn { BURL_TURN_HOST = 0, BURL_TURN_TARGET = 1 };

enum burl_wire_engine {
    BURL_ENGINE_FIBERS = 0,
    BURL_ENGINE_THREADS = 1,
    BURL_ENGINE_FREE = 2 /* not controlled: the program runs once, on all cores, observed; the order
                            lies in the block at the start, turn = TARGET. The trace area holds
                            the births of threads, result.n_events of them: CREATE, tid of the
                            creator, aux the new tid, site the call */
};
enum burl_wire_reset { BURL_RESET_SNAPSHOT = 0, BURL_RESET_FORK = 1 };

enum burl_wire_strategy {
    BURL_STRATEGY_NONPREEMPTIVE = 0,
    BURL_STRATEGY_ROUND_ROBIN,
    BURL_STRATEGY_RANDOM,
    BURL_STRATEGY_PCT,
    BURL_STRATEGY_POS,
    BURL_STRATEGY_REPLAY,
    BURL_STRATEGY_DIRECTED,   /* brings the sites of order.aim together */
    BURL_STRATEGY_EXHAUSTIVE, /* every schedule once; param 1: begin, 0: go on from the last order.
                                 Uses the trace area */
    BURL_STRATEGY_SURW,       /* selectively uniform random walk; uses ctl.profile */
    BURL_STRATEGY_READS_FROM, /* towards the edge of order.aim, kind READS_FROM */
    BURL_STRATEGY_DELAY,      /* enumeration by order.index_first over order.places: delays */
    BURL_STRATEGY_PREEMPT,    /* the same: preemptions */
    BURL_STRATEGY_BURST,      /* long bursts of one thread, starvation of others */
    BURL_STRATEGY__N
};

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
    X(INTERNAL, "internal", 0)       /* text: our own failure */

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

/* A thread's part in a deadlock or crash: what it waits for, and who has it. */
struct burl_wire_wait {
    uint64_t addr; /* object */
    uint32_t site;
    uint16_t tid;
    uint16_t owner; /* BURL_TID_NONE: nobody, or not known */
    uint8_t kind;   /* enum burl_wire_op it waits in */
    uint8_t pad[7];
};

/* ---- what observers report ------------------------------------------------------------- */

/* X(NAME, "name of --detect"): bits of order.observers. */
#define BURL_WIRE_OBSERVERS(X)                                                    \
    X(RACE, "race")       /* happens-before */                                    \
    X(LOCKSET, "lockset") /* potential races: disjoint locksets */                \
    X(GOLDILOCKS, "goldilocks")                                                   \
    X(TRIPLE, "triple")       /* unserializable triples */                        \
    X(LOCKORDER, "lockorder") /* cycles in the order of locks */                  \
    X(SIGNALS, "signals")     /* wake-ups that reached nobody */                  \
    X(LOCPAIRS, "locpairs")   /* this and the rest: coverage, see wire/cover.h */ \
    X(DEFUSE, "defuse")                                                           \
    X(ACCESSPAIRS, "accesspairs")                                                 \
    X(METHODPAIRS, "methodpairs")                                                 \
    X(CONCMETHODS, "concmethods")                                                 \
    X(SYNCHRO, "synchro")                                                         \
    X(HBPAIRS, "hbpairs")                                                         \
    X(AVIO, "avio")                                                               \
    X(GOLDISC, "goldisc")                                                         \
    X(PINV, "pinv")                                                               \
    X(BLOCKS, "blocks")                                                           \
    X(LINES, "lines")

enum burl_wire_observer {
#define BURL_X(name, text) BURL_OBSERVER_##name,
    BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
        BURL_OBSERVER__N
};

#define BURL_OB(name) (1u << BURL_OBSERVER_##name)

static_assert(BURL_OBSERVER__N - BURL_OBSERVER_LOCPAIRS == BURL_METRIC__N, "each metric observes");

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
    BURL_ORIGIN_TLS    /* of thread `tid` */
};

/* The memory that a report is about. */
struct burl_wire_origin {
    uint64_t addr; /* where block, region or late library begins; 0 unknown */
    uint64_t size_b;
    uint32_t site; /* HEAP: call that made it. GLOBAL: first of a library loaded late; 0 other */
    uint16_t tid;  /* thread that made it, or whose stack it is; BURL_TID_NONE */
    uint8_t kind;  /* enum burl_wire_origin_kind */
    uint8_t pad;
    uint32_t stack[BURL_WIRE_MAX_STACK];
};

enum burl_wire_suspect_kind {
    BURL_SUSPECT_RACE = 0,   /* sites: earlier, later. A happens-before race of this execution */
    BURL_SUSPECT_POTENTIAL,  /* sites: two. A race of some other execution, perhaps */
    BURL_SUSPECT_TRIPLE,     /* sites: p, r, c: another thread's r between p and c would not be
                               serializable */
    BURL_SUSPECT_REGION,     /* sites: p, r, c. A marked region was broken in this execution */
    BURL_SUSPECT_CYCLE,      /* sites: pairs (where a lock is held from, where the next is asked
                               for), one pair per thread, in the order of the circle */
    BURL_SUSPECT_SIGNAL,     /* sites: signal, then the wait that missed it. Informative */
    BURL_SUSPECT_PAIR,       /* an aim only. sites: earlier and later access of a location pair,
                               then, when n_sites says so, BURL_WIRE_MAX_GATES gates of each (0:
                               none), as result.aim_gates had them */
    BURL_SUSPECT_READS_FROM, /* an aim only. sites: write (0: initial), read, gate of the write,
                               gate of the read (0: none), then pairs (another write of the
                               variable, its gate) that must not come in between */
    BURL_SUSPECT_MISUSE,     /* a stop only. sites: the call, then the innermost functions of its
                               stack, BURL_WIRE_MISUSE_SITES in all at most */
    BURL_SUSPECT_WAKEUP,     /* to aim at, never shown. sites: signal, wait on the same condition
                               variable by another thread, where that took its lock (0: unknown):
                               the signal may come before the wait */
    BURL_SUSPECT__N
};

#define BURL_WIRE_MAX_AIM 16 /* sites: a cycle of eight threads */
#define BURL_WIRE_MAX_GATES 7
/* Functions of the C++ library that are not inlined lie between the call and the program. */
#define BURL_WIRE_MISUSE_SITES 5

/* Something seen that may be, or is, a bug; the execution went on. */
struct burl_wire_suspect {
    uint64_t key;     /* burl_wire_suspect_key(); equal keys are one suspect */
    uint64_t seed;    /* execution that showed it first */
    uint64_t count;   /* executions that showed it */
    uint64_t addr;    /* memory, lock or condition variable, in that execution */
    uint8_t kind;     /* enum burl_wire_suspect_kind */
    uint8_t observer; /* enum burl_wire_observer */
    uint8_t n_sites;
    uint8_t origin; /* enum burl_wire_origin_kind of addr; up to TRIPLE only, as are */
    uint32_t rank;  /* TRIPLE: length of the local window in steps; smaller is rarer */
    uint32_t sites[BURL_WIRE_MAX_AIM];
    uint8_t ops[BURL_WIRE_MAX_AIM]; /* enum burl_wire_op of each site */
    uint16_t tids[BURL_WIRE_MAX_AIM];
    uint64_t origin_addr; /* where the block begins, or a library that came with dlopen, */
    uint32_t origin_site; /* the call that made it, or the library's first site, */
    uint16_t origin_tid;  /* and whose stack it is: as in struct burl_wire_origin */
    uint16_t pad;
};

#define BURL_WIRE_MAX_SUSPECTS 512

/* Memory of which nothing more need be said: its race is known, and other pairs of places on it are
 * one more sight of the same bug, or there is more suspicion of it than can be tried. So it neither
 * fills the table nor costs the host anything. An open hash table; a zero entry is free. */
struct burl_wire_settled {
    uint64_t where; /* the address, or with `site` burl_wire_settled_place() */
    uint64_t key;   /* the pair that goes on being counted; 0: none */
    uint32_t site;
    uint32_t kinds; /* bits of enum burl_wire_suspect_kind that are reported no more; 0: free */
};

#define BURL_WIRE_MAX_SETTLED 256 /* a power of two; never full */

static inline uint64_t
burl_wire_mix(uint64_t h, uint64_t x)
{
    h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
}

/* What stands for a place in memory in every execution, together with the site of its origin;
 * false: nothing does. The offset in the block that the call at the site makes, or in the library
 * whose first site it is. */
static inline bool
burl_wire_settled_place(uint8_t origin, uint64_t addr, uint64_t origin_addr, uint32_t origin_site,
                        uint64_t *where)
{
    const bool global = origin == BURL_ORIGIN_GLOBAL;

    *where = origin_site == 0 ? addr : (addr - origin_addr) | (uint64_t)global << 63;
    return global || (origin == BURL_ORIGIN_HEAP && origin_site != 0 && addr >= origin_addr);
}

/* The entry of a place in memory, or the free one where it belongs. */
static inline uint32_t
burl_wire_settled_slot(const struct burl_wire_settled *table, uint64_t where, uint32_t site)
{
    uint32_t at = (uint32_t)(burl_wire_mix(where, site) >> 8) & (BURL_WIRE_MAX_SETTLED - 1);

    for (uint32_t i = 0; i < BURL_WIRE_MAX_SETTLED && table[at].kinds != 0; i++) {
        if (table[at].where == where && table[at].site == site)
            break;
        at = (at + 1) & (BURL_WIRE_MAX_SETTLED - 1);
    }
    return at;
}

/* A race and the suspicion of one are the same thing, in either order of its sites; a circle is
 * the same wherever it is entered. */
static inline uint64_t
burl_wire_suspect_key(uint32_t kind, const uint32_t *sites, uint32_t n)
{
    uint64_t h;
    uint32_t start = 0;

    if (kind <= BURL_SUSPECT_POTENTIAL && n == 2) {
        uint32_t lo = sites[0] < sites[1] ? sites[0] : sites[1];
        uint32_t hi = sites[0] < sites[1] ? sites[1] : sites[0];

        return burl_wire_mix(burl_wire_mix(1, lo), hi) | 1;
    }
    for (uint32_t i = 0; kind == BURL_SUSPECT_CYCLE && i + 1 < n; i += 2) {
        if (sites[i + 1] < sites[start + 1] ||
            (sites[i + 1] == sites[start + 1] && sites[i] < sites[start]))
            start = i;
    }
    h = kind + 2;
    for (uint32_t i = 0; i < n; i++)
        h = burl_wire_mix(h, sites[(start + i) % n]);
    return h | 1;
}

/* Misuses of one kind at one call, reached through the same functions, are one failure. Sites that
 * are missing at the end count as 0. */
static inline uint64_t
burl_wire_misuse_key(uint32_t verdict, const uint32_t *sites, uint32_t n)
{
    uint64_t h = verdict + BURL_SUSPECT__N;

    for (uint32_t i = 0; i < BURL_WIRE_MISUSE_SITES; i++)
        h = burl_wire_mix(h, i < n ? sites[i] : 0);
    return h | 1;
}

/* What a DIRECTED execution brings together. */
struct burl_wire_aim {
    uint32_t kind;    /* enum burl_wire_suspect_kind */
    uint32_t n_sites; /* 0: nothing */
    uint32_t sites[BURL_WIRE_MAX_AIM];
};

struct burl_wire_verdict {
    uint8_t kind;  /* enum burl_wire_verdict_kind */
    uint8_t op;    /* enum burl_wire_op of the failing thread's last operation */
    uint16_t tid;  /* failing thread, BURL_TID_NONE for deadlocks */
    int32_t code;  /* exit code or signal */
    uint32_t site; /* last site of the failing thread; user code's innermost */
    uint32_t n_waits;
    uint64_t addr;                       /* faulting address, object, allocation */
    uint64_t pc;                         /* of the fault, 0 when not a fault */
    uint32_t stack[BURL_WIRE_MAX_STACK]; /* sites of kind FUNC, innermost first, 0-terminated */
    struct burl_wire_wait waits[BURL_WIRE_MAX_CYCLE];
    char text[BURL_WIRE_TEXT_B];
    uint32_t n_sides; /* RACE_DATA, ATOMICITY_REGION: 2, else 0 */
    uint32_t pad;
    struct burl_wire_side sides[2];
    struct burl_wire_origin origin; /* of the memory, for the same kinds */
};

/* Counters of lost or unusual things (rule R6). X(NAME, "sentence") */
#define BURL_WIRE_COUNTERS(X)                                          \
    X(SCHED_FULL, "switches not recorded: schedule area full")         \
    X(TRACE_FULL, "events not recorded: trace area full")              \
    X(VERDICTS_FULL, "failures not distinguished: verdict table full")    \
    X(HEAP_FULL, "allocations passed to libc: heap arena full")        \
    X(THREADS_FULL, "threads refused: thread table full")              \
    X(OBJECTS_FULL, "sync objects not modeled: object table full")    \
    X(FORKS, "fork calls of the program: the child ran uncontrolled")  \
    X(UNCONTROLLED_SYNC, "sync calls that reached libc uncontrolled")  \
    X(FORCED_YIELDS, "yields forced on threads that made no progress") \
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
    BURL_ORDER_F_STRICT_TIME = 1u << 6,     /* sleepers and time-outs wait for everybody else */
    BURL_ORDER_F_STOP_AT_SUSPECT = 1u << 8, /* and at a suspect that has happened: RACE, REGION */
    BURL_ORDER_F_STOP_AT_AIM = 1u << 9,     /* after the execution in which the sites met */
    BURL_ORDER_F_PROFILE = 1u << 11,        /* with LEARN: count what threads do to shared variables
                                             (profile_new.vars, of the last execution) */
    BURL_ORDER_F_STOP_AT_MISUSE = 1u << 16, /* a misuse ends the execution */
    BURL_ORDER_F_MAIL = 1u << 10,           /* each execution leaves a record, see wire/mail.h */
    BURL_ORDER_F_SPURIOUS = 1u << 12,       /* waits may return without a signal */
    BURL_ORDER_F_FAIL_CREATE = 1u << 13,    /* creating a thread may fail */
    BURL_ORDER_F_FAIL_MALLOC = 1u << 14,    /* allocations may fail */
    BURL_ORDER_F_SEED_CHOICES = 1u << 15,   /* REPLAY: the schedule has no choices, the seed decides
                                             which waiter a signal wakes (files before version 3) */
    BURL_ORDER_F_NO_FORK = 1u << 7          /* run the one execution in this very process and, at a
                                             failure, call burl_failure_stop() (`replay --gdb`); the
                                             order lies in the block at the start, turn = TARGET */
};

/* What an execution injects, and all flags without which the same seed or schedule gives another
 * execution. */
#define BURL_ORDER_F_FAULTS (BURL_ORDER_F_FAIL_CREATE | BURL_ORDER_F_FAIL_MALLOC)
#define BURL_ORDER_F_INJECT (BURL_ORDER_F_SPURIOUS | BURL_ORDER_F_FAULTS)
#define BURL_ORDER_F_KEPT                                                              \
    (BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_STRICT_TIME | BURL_ORDER_F_SEED_CHOICES | \
     BURL_ORDER_F_STOP_AT_MISUSE | BURL_ORDER_F_INJECT)

/* Injected faults per execution. */
#define BURL_MAX_FAULTS 1u

/* Above the 48 bits of a seed: threads of such an execution may repeat a read for long before they
 * are taken to wait (rt/sched/spin.c). Others are patient by chance. Part of the seed, so that a
 * replay is the same. */
#define BURL_SEED_PATIENT (1ull << 52)

struct burl_wire_order {
    uint32_t kind;     /* enum burl_wire_order_kind */
    uint32_t flags;    /* BURL_ORDER_F_* */
    uint32_t strategy; /* enum burl_wire_strategy */
    uint32_t param;    /* PCT: depth; READS_FROM: thread that is to read (BURL_TID_NONE:
                              any), and how often the edge was tried << 16; DIRECTED, at a
                              WAKEUP: thread that runs first (BURL_TID_NONE: none) << 16 */
    uint64_t first_seed;
    uint64_t n_execs;
    uint64_t max_steps;   /* per execution */
    uint64_t horizon;     /* PCT: estimated scheduling points per execution */
    uint64_t epoch_ns;    /* virtual wall clock at the start of each execution */
    uint32_t n_sched_in;  /* switches to follow (REPLAY) */
    uint32_t max_wall_ms; /* per execution, enforced by the runtime's timer; 0 none */
    uint64_t stop_key;    /* nonzero: the execution ends, with the observer's verdict, when a
                              suspect of this key is seen to happen (RACE, REGION); or with the
                              misuse of this key (burl_wire_misuse_key()) */
    uint32_t observers;   /* BURL_OB(...) bits */
    uint32_t aim_first;   /* DIRECTED, races: index of the site that is to go first once both are
                              there; wake-ups: held at 0 the wait, 1 its lock; 2: as the seed
                              decides */
    struct burl_wire_aim aim; /* DIRECTED; a REPLAY keeps it for stop_key's stacks */
    uint32_t context;         /* LOCPAIRS: innermost call sites that tell two pairs apart; 0 none */
    uint32_t pad;
    uint64_t index_first; /* DELAY, PREEMPT: number of first_seed's schedule in the enumeration */
    struct burl_enum places; /* DELAY, PREEMPT: the enumeration, see wire/enumerate.h */
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
    BURL_SEARCH_UNSURE_RANGES = 1u << 7,  /* accesses to more memory at once than is looked at */
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
    BURL_SEARCH_UNSURE_ENDED = 1u << 15   /* a failure came before a thread could go on */
};

/* One distinct failure of a batch: the first execution that showed it, and the number of executions
 * that did. An execution goes on after most misuses, so that it may show several. */
struct burl_wire_failure {
    uint64_t seed;
    uint64_t count;
    uint64_t trace_hash;
    uint64_t key; /* of the verdict; equal keys are one failure */
    uint64_t steps;
    struct burl_wire_verdict verdict;
};

#define BURL_WIRE_MAX_FAILURES 64

struct burl_wire_result {
    uint64_t n_done;   /* executions completed */
    uint64_t n_steps;  /* visible operations, all executions */
    uint64_t n_points; /* scheduling decisions offered to the strategy */
    uint64_t n_switches;
    uint64_t n_preemptions;
    uint64_t n_by_verdict[64];
    uint64_t last_trace_hash;
    uint64_t last_steps;
    uint64_t last_points; /* decisions of the last execution */
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
                                was not observed, or not to its end; text says why */
    uint32_t diverged_at;    /* REPLAY: index of the first switch not followed, ~0 none */
    uint32_t n_shared_new;   /* LEARN: sites newly seen shared */
    uint64_t counters[BURL_COUNTER__N];
    uint64_t aim_hits;      /* DIRECTED: executions in which the sites met */
    uint64_t aim_seed;      /* of the first of these */
    uint64_t aim_visits[2]; /* aim PAIR: accesses at its first and its second site */
    uint64_t search_pruned; /* EXHAUSTIVE: executions given up as the same as one before, or by
                                symmetry; part of n_done */
    uint64_t search_void;   /* EXHAUSTIVE: executions of this order before the search last began
                                again of itself, and search_pruned with it; 0: it did not */
    uint32_t search;        /* EXHAUSTIVE: enum burl_wire_search */
    uint32_t search_unsure; /* EXHAUSTIVE: enum burl_wire_search_unsure, of the whole search */
    uint32_t search_site;   /* EXHAUSTIVE: first call that made it HIDDEN or UNSEEN; 0 none */
    uint32_t pad;
    uint32_t aim_gates[2][BURL_WIRE_MAX_GATES]; /* aim PAIR: where the locks held there were taken,
                                                   outermost first; 0 ends */
    uint64_t goldilocks[4];                     /* accesses by outcome: SCT, SCL, LS, E */
    uint64_t n_pairs;              /* LOCPAIRS: distinct pairs covered so far in this process */
    uint32_t n_suspects;           /* valid entries of ctl.suspects */
    uint32_t last_aim_hit;         /* DIRECTED: the last execution's sites met */
    char text[BURL_WIRE_TEXT_B];   /* irreversible or internal: why */
    struct burl_wire_verdict last; /* of the last execution */
    struct burl_wire_failure failures[BURL_WIRE_MAX_FAILURES];
};

static_assert(BURL_VERDICT__N <= 64, "n_by_verdict has a place for each");

#define BURL_WIRE_MAX_MODULES 4096
#define BURL_WIRE_PATH_B 256

/* One loaded file (executable or shared object) that holds instrumented modules. */
struct burl_wire_object {
    uint64_t load_bias;
    uint64_t text_start;
    uint64_t text_end;
    char path[BURL_WIRE_PATH_B];
};

#define BURL_WIRE_MAX_OBJECTS 256

struct burl_wire_module_entry {
    uint64_t hash;
    uint32_t base; /* process-wide number of its site 0 */
    uint32_t n_sites;
    uint32_t object; /* index into objects */
    uint32_t late;   /* 1: loaded while the program ran (dlopen) */
};

struct burl_wire_live {
    uint64_t execs;
    uint64_t steps;
    uint64_t seed;
};

struct burl_wire_ctl {
    uint64_t magic;
    uint32_t version;
    uint32_t turn;       /* futex; enum burl_wire_turn */
    uint64_t size_b;     /* of the whole mapping */
    uint64_t points_off; /* uint8_t per site number: 1 = scheduling point */
    uint64_t points_n;
    uint64_t points_new_off; /* same shape: sites seen shared in this order */
    uint64_t gates_new_off;  /* uint32_t per site number: the outermost lock held when shared
                                 memory was touched there, as the site that took it; 0 none */
    uint64_t profile_off;    /* struct burl_wire_profile, see wire/profile.h */
    uint64_t profile_new_off;
    uint64_t sched_in_off; /* struct burl_wire_switch[] */
    uint64_t sched_in_n;
    uint64_t sched_out_off;
    uint64_t sched_out_n;
    uint64_t trace_off; /* struct burl_wire_event[], a ring */
    uint64_t trace_n;
    uint64_t cover_off;    /* struct burl_wire_cover, 0 none */
    uint64_t mail_in_off;  /* struct burl_mail_test, BURL_MAIL_IN_B */
    uint64_t mail_out_off; /* struct burl_mail_out, BURL_MAIL_OUT_B; emptied by the host */
    uint32_t engine;       /* enum burl_wire_engine, chosen by the host before the start */
    uint32_t reset;        /* enum burl_wire_reset */
    uint32_t rt_version;   /* filled by the runtime */
    uint32_t rt_pid;
    uint32_t host_pid; /* the runtime ends when this process is gone */
    uint32_t n_modules;
    uint32_t n_objects;
    uint32_t n_sites;    /* highest site number + 1; number 0 is "unknown" */
    uint64_t snapshot_b; /* bytes saved by the snapshot, 0 none */
    struct burl_wire_live live;
    struct burl_wire_order order;
    struct burl_wire_result result;
    struct burl_wire_suspect suspects[BURL_WIRE_MAX_SUSPECTS]; /* of this order */
    struct burl_wire_settled settled[BURL_WIRE_MAX_SETTLED];   /* by the host, between orders */
    uint32_t n_settled;
    uint32_t pad_settled;
    struct burl_wire_object objects[BURL_WIRE_MAX_OBJECTS];
    struct burl_wire_module_entry modules[BURL_WIRE_MAX_MODULES];
    struct burl_wire_blocked_table blocked; /* FREE */
};

static_assert(BURL_BLOCKED_STACK == BURL_WIRE_MAX_STACK, "stacks are copied into verdicts");

#endif
