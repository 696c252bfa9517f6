/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/blocked.h - free mode: which threads are blocked, in what, and what they hold.
 *
 * One record per thread. A thread fills its own record, stack included, before a call that may
 * block, and marks it RUNS when the call has returned. The host only reads: it looks for deadlocks
 * while the program runs, and the records stay when the process is gone.
 *
 * `seq` changes with every change of the record and is odd while one is under way. A reader that
 * finds the same even number before and after its copy has a consistent copy. If all copies are
 * still valid after the last one was made, they are one snapshot: there was a moment at which all
 * of them were true.
 *
 * A thread that spins counts its failed attempts: it may have been granted the lock and not have
 * run since, so an unchanged record does not say that it still waits. A count that grows does. Each
 * attempt is a locked instruction, so it comes after the count of the one before was visible.
 *
 * A lock is listed while the thread surely holds it: from after the acquiring call returned until
 * before the releasing call begins. So in a snapshot a thread that waits for a listed lock has not
 * been granted it.
 */
#ifndef BURL_WIRE_BLOCKED_H
#define BURL_WIRE_BLOCKED_H

#include <stdint.h>

#define BURL_WIRE_MAX_BLOCKED 256u /* threads at the same time: free mode has 255 clock slots */
#define BURL_BLOCKED_LOCKS 16u
#define BURL_BLOCKED_STACK 24u

enum burl_wire_blocked_state {
    BURL_BLOCKED_NONE = 0, /* no thread */
    BURL_BLOCKED_RUNS,     /* runs, or waits for something that is not listed here */
    BURL_BLOCKED_WAITS     /* in the call that the record names */
};

enum burl_wire_blocked_flag {
    BURL_BLOCKED_F_TIMED = 1u << 0,        /* the call has a time-out */
    BURL_BLOCKED_F_MUTEX = 1u << 1,        /* addr is a pthread_mutex_t or mtx_t */
    BURL_BLOCKED_F_SPINS = 1u << 2,        /* the thread waits without sleeping */
    BURL_BLOCKED_F_CHECKED = 1u << 3,      /* the call fails if the thread itself holds the lock */
    BURL_BLOCKED_F_WRITERS_FIRST = 1u << 4 /* a reader also waits for blocked writers */
};

/* What the mode of a held lock may be besides enum burl_wire_lock_mode: a once or guard variable
 * whose initializer the thread is running. */
#define BURL_BLOCKED_ONCE 2u

/* Where a thread is. Functions are codes: the low bits of a code of the module (wire/control.h) and
 * the number of the site in it, or site numbers when the modules' codes overlap. */
struct burl_wire_position {
    uint64_t ring;      /* address of uint64_t[BURL_WIRE_RING]: see WORD_ENTER in rt/free/stack.c */
    uint32_t ring_at;   /* words written */
    uint32_t depth;     /* functions; may exceed BURL_WIRE_FRAMES */
    uint32_t call_site; /* code of the last library call */
};
#define BURL_WIRE_RING 16384u
#define BURL_WIRE_FRAMES 512u
#define BURL_WIRE_CODES (1u << 21)

struct burl_wire_blocked_lock {
    uint64_t addr;
    uint32_t site; /* where it was taken */
    uint32_t mode;
};

struct burl_wire_blocked {
    uint32_t seq;
    uint32_t kernel_tid; /* 0: the thread has not begun */
    uint16_t tid;
    uint16_t target; /* JOIN: the thread to join, BURL_TID_NONE unknown */
    uint8_t state;   /* enum burl_wire_blocked_state */
    uint8_t op;      /* enum burl_wire_op */
    uint8_t mode;    /* of the lock that is requested */
    uint8_t flags;   /* BURL_BLOCKED_F_* */
    uint32_t site;   /* of the call */
    uint32_t n_locks;
    uint64_t addr;  /* object */
    union {
        uint64_t mutex;    /* COND_WAIT: released by the call, and taken again before it returns */
        uint64_t n_failed; /* F_SPINS: attempts that have failed; grows without a change of seq */
    };
    /* In the program's memory, constant for a thread; 0 before it begins. The host reads them there
     * when it ends a program that hangs: a thread that runs does not keep its record up to date. */
    uint64_t position; /* struct burl_wire_position */
    uint64_t frames;   /* uint32_t[BURL_WIRE_FRAMES]: functions, outermost first, as codes */
    uint32_t stack[BURL_BLOCKED_STACK]; /* as in the verdict */
    struct burl_wire_blocked_lock locks[BURL_BLOCKED_LOCKS]; /* held */
};

struct burl_wire_blocked_table {
    uint64_t own_signals;    /* bit sig - 1: the handler that the kernel knows is the runtime's, and
                               the program has none */
    uint32_t n_lost;         /* threads without a record */
    uint32_t foreign_unlock; /* rwlocks and spin locks were released by a thread that did not take
                                them: lists of held locks may be wrong */
    struct burl_wire_blocked v[BURL_WIRE_MAX_BLOCKED];
};

#endif
