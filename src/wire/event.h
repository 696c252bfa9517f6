/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/event.h - visible operations and the trace of one execution.
 *
 * The runtime fills the trace area of the control block when an order asks for
 * it; the host reads it after the execution. Everything a report shows (values,
 * stacks, held locks, which thread waited for which) is derived from these events.
 */
#ifndef BURL_WIRE_EVENT_H
#define BURL_WIRE_EVENT_H

#include <assert.h>
#include <stdint.h>

/* X(NAME, "text", sync): sync is 1 when the operation is one of a primitive, 0 for memory. */
#define BURL_WIRE_OPS(X)                                                           \
    X(NONE, "none", 0)                                                             \
    X(START, "start", 1)               /* first operation of every thread */       \
    X(READ, "read", 0)                                                             \
    X(WRITE, "write", 0)                                                           \
    X(ATOMIC_LOAD, "atomic load", 0)                                               \
    X(ATOMIC_STORE, "atomic store", 0)                                             \
    X(ATOMIC_RMW, "atomic update", 0)                                              \
    X(ATOMIC_CAS, "compare-exchange", 0)                                           \
    X(FENCE, "fence", 0)                                                           \
    X(CREATE, "create", 1)             /* aux: new tid */                          \
    X(JOIN, "join", 1)                 /* aux: joined tid */                       \
    X(DETACH, "detach", 1)                                                         \
    X(EXIT_THREAD, "thread exit", 1)                                               \
    X(EXIT_PROCESS, "exit", 1)         /* aux: exit code */                        \
    X(LOCK, "lock", 1)                                                             \
    X(TRYLOCK, "trylock", 1)           /* aux: result */                           \
    X(TIMEDLOCK, "timedlock", 1)                                                   \
    X(UNLOCK, "unlock", 1)                                                         \
    X(RDLOCK, "read lock", 1)                                                      \
    X(WRLOCK, "write lock", 1)                                                     \
    X(RWUNLOCK, "rwlock unlock", 1)                                                \
    X(COND_WAIT, "wait", 1)            /* releases the mutex; aux: mutex address */ \
    X(COND_WAKE, "woken", 1)           /* re-acquires the mutex; aux: result */    \
    X(COND_SIGNAL, "signal", 1)        /* aux: waiters woken */                    \
    X(COND_BROADCAST, "broadcast", 1)  /* aux: waiters woken */                    \
    X(BARRIER_WAIT, "barrier arrive", 1)                                           \
    X(BARRIER_LEAVE, "barrier leave", 1)                                           \
    X(SEM_WAIT, "sem wait", 1)                                                     \
    X(SEM_POST, "sem post", 1)                                                     \
    X(ONCE, "once", 1)                                                             \
    X(ONCE_DONE, "once done", 1)                                                   \
    X(FUTEX_WAIT, "futex wait", 1)                                                 \
    X(FUTEX_WOKEN, "futex woken", 1)                                               \
    X(FUTEX_WAKE, "futex wake", 1)     /* aux: waiters woken */                    \
    X(INIT, "init", 1)                 /* of a sync object */                      \
    X(DESTROY, "destroy", 1)           /* of a sync object */                      \
    X(YIELD, "yield", 1)                                                           \
    X(SLEEP, "sleep", 1)               /* aux: nanoseconds */                      \
    X(IO, "I/O wait", 1)               /* addr: descriptor; aux: events */         \
    X(SIGNAL, "send signal", 1)        /* aux: signal number */                    \
    X(CANCEL, "cancel", 1)             /* aux: target tid */                       \
    X(ALLOC, "alloc", 0)               /* aux: bytes */                            \
    X(FREE, "free", 0)                 /* aux: bytes */                            \
    X(FORK, "fork", 1)                                                             \
    X(ENTER, "enter", 0)               /* function entry: site is a FUNC site */   \
    X(LEAVE, "leave", 0)               /* aux: depth after leaving */              \
    X(STATE, "process state", 1)       /* of library or kernel; aux: 1 changes it, 2 all */

enum burl_wire_op {
#define BURL_X(name, text, sync) BURL_OP_##name,
    BURL_WIRE_OPS(BURL_X)
#undef BURL_X
    BURL_OP__N
};

/* Flags of an event. */
enum burl_wire_event_flag {
    BURL_EV_F_BLOCKED = 1u << 0,  /* the thread had to wait before this could happen */
    BURL_EV_F_VALUE = 1u << 1,    /* `value` holds what was read, or was there before a write */
    BURL_EV_F_AFTER = 1u << 2,    /* `after` holds what a write left behind */
    BURL_EV_F_TIMEOUT = 1u << 3,  /* a timed operation gave up */
    BURL_EV_F_FAILED = 1u << 4,   /* trylock busy, compare-exchange failed */
    BURL_EV_F_LAST = 1u << 5,     /* the operation at which the execution failed */
    BURL_EV_F_SPURIOUS = 1u << 6, /* a wait that returns without a wakeup */
    BURL_EV_F_INJECTED = 1u << 7  /* the call fails because the tool makes it fail */
};

struct burl_wire_event {
    uint64_t addr;   /* object acted on, in the target's address space */
    uint64_t aux;    /* see BURL_WIRE_OPS; bytes of a range access */
    uint64_t value;  /* little endian, first 8 bytes */
    uint64_t after;
    uint32_t step;   /* position in the total order of visible operations */
    uint32_t site;   /* process-wide site number, 0 unknown */
    uint32_t op;     /* per-thread count of visible operations, as in wire/schedule.h */
    uint16_t tid;    /* logical thread number, dense from 0 */
    uint8_t  kind;   /* enum burl_wire_op */
    uint8_t  flags;  /* BURL_EV_F_* */
    uint8_t  size_b; /* bytes accessed; 255 for more (then aux) */
    uint8_t  pad[7];
};

static_assert(sizeof(struct burl_wire_event) == 56, "event size is on the wire");

#endif
