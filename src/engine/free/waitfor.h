/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/waitfor.h - the wait-for graph of a free run, from the threads' own records.
 *
 * Pure: a snapshot of wire/blocked.h goes in, a verdict comes out. What needs the live process (is
 * every thread asleep, can a signal come) is free_watch.c.
 */
#ifndef BURL_ENGINE_WAITFOR_H
#define BURL_ENGINE_WAITFOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/control.h"

struct burl_waitfor {
    struct burl_wire_blocked v[BURL_WIRE_MAX_BLOCKED]; /* threads, in the order of their numbers */
    size_t n;
    bool retakes[BURL_WIRE_MAX_BLOCKED]; /* COND_WAIT: woken or timed out, and blocked in taking the
                                            mutex again. All false unless the caller knows better */
    bool loops[BURL_WIRE_MAX_BLOCKED];     /* of a hang: it runs, or blocks only for a time, */
    uint32_t loop_sites[BURL_WIRE_MAX_BLOCKED]; /* in this function; 0 unknown */
    uint64_t sum;        /* of all sequence numbers */
    bool lost;           /* a thread has no record */
    bool foreign_unlock; /* see wire/blocked.h */
};

/* A cycle: indices into v; each waits for the next, the last for the first. */
struct burl_waitfor_cycle {
    size_t at[BURL_WIRE_MAX_CYCLE];
    size_t n;
};

/* Copies the records. False: some changed meanwhile, and the copy is no snapshot. */
bool burl_waitfor_read(struct burl_waitfor *g, const struct burl_wire_blocked_table *table);
/* The same of records that may go on changing: each is consistent, together they are no snapshot.
 * One that does not hold still is left out. */
void burl_waitfor_copy(struct burl_waitfor *g, const struct burl_wire_blocked_table *table);
/* Have all records stayed the same since burl_waitfor_read()? */
bool burl_waitfor_still(const struct burl_waitfor *g, const struct burl_wire_blocked_table *table);

/* There is a thread, and all are blocked without a time-out. */
bool burl_waitfor_all_stuck(const struct burl_waitfor *g);

/* The failed attempts of each thread by now, 0 of threads that do not spin. */
void burl_waitfor_attempts(const struct burl_waitfor *g,
                           const struct burl_wire_blocked_table *table, uint64_t *attempts);
/* Has thread i, if it spins, failed with an attempt that began after burl_waitfor_attempts() gave
 * this number? Its record must not have changed since. */
bool burl_waitfor_failed_since(const struct burl_waitfor *g, size_t i, uint64_t attempts);

/* Finds a cycle. joins: also through joins, which a running thread could end by cancellation. A
 * cycle of joins alone does not count. */
bool burl_waitfor_find_cycle(const struct burl_waitfor *g, bool joins,
                             struct burl_waitfor_cycle *c);

/* The kind and the words of a controlled execution in the same state. */
void burl_waitfor_cycle_verdict(const struct burl_waitfor *g, const struct burl_waitfor_cycle *c,
                                struct burl_wire_verdict *v);
void burl_waitfor_stuck_verdict(const struct burl_waitfor *g, struct burl_wire_verdict *v);
/* The program did not end in its time: where its threads are. Those that loop come first, joins
 * last; there is room for BURL_WIRE_MAX_CYCLE. */
void burl_waitfor_hang_verdict(const struct burl_waitfor *g, struct burl_wire_verdict *v);

#endif
