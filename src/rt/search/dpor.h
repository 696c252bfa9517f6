/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/dpor.h - the parts of the exhaustive search: search/exhaustive.c keeps the tree of
 * choices, dpor_ops.c says which operations depend on one another, dpor.c finds the races of an
 * execution and asks for their reversal.
 *
 * All of it lives in the search area of the control block: the choices outlive snapshots and
 * children, the events are those of the running execution.
 */
#ifndef BURL_RT_DPOR_H
#define BURL_RT_DPOR_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"
#include "wire/search.h"

struct burl_thread;
struct burl_op;

#define BURL_DPOR_TIDS BURL_SEARCH_TIDS
#define BURL_DPOR_NONE UINT32_MAX

static inline uint64_t
burl__dpor_bit(uint32_t tid)
{
    return tid < BURL_DPOR_TIDS ? 1ull << tid : 0;
}

/* ---- dpor_ops.c ----------------------------------------------------------------------------- */

#define BURL_DPOR_FEET 3u

struct burl_dpor_foot {
    uint64_t lo; /* bytes [lo, hi) */
    uint64_t hi;
    bool write;
};

/* What an operation touches. */
struct burl_dpor_touch {
    struct burl_dpor_foot feet[BURL_DPOR_FEET];
    uint8_t n_feet; /* 0: no other thread can observe it */
    uint8_t kind;   /* enum burl_wire_op */
    bool all;       /* depends on everything */
    bool tries;     /* can always happen: does not wait for a lock */
    bool object;    /* an operation on a sync object */
    bool tears;     /* an access in several parts, between which others may come */
};

/* A wait that goes on without a wakeup: its aux is the condition variable. */
bool burl__dpor_is_spurious(const struct burl_op *op);

struct burl_dpor_touch burl__dpor_touch(const struct burl_thread *t, const struct burl_op *op,
                                        bool reads_depend);
/* An access of t was committed; `is_event`: the search has an event for it. Keeps what the accesses
 * of one call add up to. */
void burl__dpor_note_call(const struct burl_thread *t, const struct burl_op *op, bool is_event);
void burl__dpor_begin_calls(void);
bool burl__dpor_depend(const struct burl_dpor_touch *a, const struct burl_dpor_touch *b);
/* Could `later` never have happened before `earlier`, where it comes after it, because it needs
 * what `earlier` gives back? */
bool burl__dpor_enables(const struct burl_dpor_touch *earlier, const struct burl_dpor_touch *later);
/* Is it an operation on a sync object in the program's memory? The words of once flags, guards of
 * C++ static variables and futexes count: the program reads and writes them itself. */
bool burl__dpor_is_object(uint8_t kind);

/* ---- dpor.c --------------------------------------------------------------------------------- */

/* `area` of `size_b` bytes holds the events of one execution. */
void burl__dpor_begin(void *area, uint64_t size_b);
void burl__dpor_thread_new(struct burl_thread *t);
/* An operation of t happens, chosen at `frame` (NONE: there was no choice). `quiet`: the races of
 * this part of the execution are known. False: no more room. */
bool burl__dpor_event(uint16_t tid, const struct burl_dpor_touch *touch, uint32_t frame,
                      bool quiet);
/* The same for something that t does in one go with its last operation. */
bool burl__dpor_glued(uint16_t tid, const struct burl_dpor_touch *touch, bool quiet);
/* `woken` goes on because of the last event of `by`. */
void burl__dpor_woken(uint16_t woken, uint16_t by);
/* Has the last operation of t changed something that others could see or wait for? */
bool burl__dpor_ends_with_change(uint16_t tid);
/* The execution is over before t could do this. `ended_by`: thread whose last operation ended it
 * and is taken to depend on all, BURL_TID_NONE: none. Returns false if that operation cannot come
 * after this one. */
bool burl__dpor_pending(uint16_t tid, const struct burl_dpor_touch *touch, uint16_t ended_by);
/* Operations of t so far, at most 2. */
uint32_t burl__dpor_count(uint16_t tid);
/* The next operation of `later` comes after the second of `earlier`, which has happened. */
void burl__dpor_in_turn(uint16_t later, uint16_t earlier);

/* ---- await.c -------------------------------------------------------------------------------- */

#define BURL_DPOR_LOOPS BURL_SEARCH_LOOPS

void burl__await_begin(struct burl_search_loops *loops);
void burl__await_commit(const struct burl_thread *t, const struct burl_op *op);
uint32_t burl__await_parked(void);
/* All runnable threads are parked: releases them. False: there are none. */
bool burl__await_release(void);
/* Members of the listener, core/listener.h. */
bool burl__await_parks(struct burl_thread *t, uint32_t site);
bool burl__await_is_polling(uint32_t site, uint32_t repeats);
bool burl__await_allows_yield(uint32_t yields);

/* ---- symmetry.c ----------------------------------------------------------------------------- */

/* *apart, nonzero: threads are distinguished, none has to wait. In shared memory. */
void burl__symmetry_begin(uint32_t *apart);
/* Of these, the ones that wait for a symmetric one. */
uint64_t burl__symmetry_waiting(uint64_t enabled);
/* Before the event of an operation is added. */
void burl__symmetry_commit(const struct burl_thread *t, const struct burl_op *op);
/* t reads its identity, or does more than one step at once. */
void burl__symmetry_named(const struct burl_thread *t);
/* The execution is over. */
void burl__symmetry_end(void);

/* ---- exhaustive.c --------------------------------------------------------------------------- */

/* An execution must be explored in which one of `initials` is chosen at this frame. */
void burl__search_want(uint32_t frame, uint64_t initials);
/* Threads that could have been chosen there. */
uint64_t burl__search_enabled(uint32_t frame);
/* The search proves nothing if it is complete. */
void burl__search_doubt(enum burl_wire_search_unsure why);

#endif
