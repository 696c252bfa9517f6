/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/hold.h - holding threads at sites until others arrive: what all goals share.
 *
 * A held thread stays runnable; pick() passes it over. So holding cannot deadlock. Whether a thread
 * is held is decided once for each arrival at a site. It is released when all eligible threads are
 * held, when nothing but polling has happened for a while, or when it was held for longer than this
 * execution's patience. Each such stall at a site halves the chance of holding there again (the
 * first is free), so that a loop through a site whose partner never comes is soon left alone.
 *
 * One goal is pursued at a time: the state is one object. The rules of the goal say which threads
 * are held where.
 */
#ifndef BURL_RT_HOLD_H
#define BURL_RT_HOLD_H

#include "rt/core/core.h"
#include "rt/core/op.h"
#include "rt/core/strategy.h"

struct burl_hold {
    uint32_t max_halvings; /* of the chance to hold at one site */
    uint32_t stay_shift;   /* of the walk, see burl_walk() */
    uint32_t mode;         /* what the strategy is about; its own enum */
    uint64_t patience;     /* decisions for which a thread is held at most */
    uint64_t picks;        /* decisions so far */
    uint64_t since;        /* the decision at which the mode began */
    uint64_t progress;     /* value of the progress counter at ... */
    uint64_t moved;        /* ... this decision */
    uint32_t skip[BURL_WIRE_MAX_SITES];   /* by role: arrivals that are let through first */
    uint32_t stalls[BURL_WIRE_MAX_SITES]; /* by role */
    uint32_t n_held;                      /* of burl_hold_split() */
    uint32_t n_at_large;
};

struct burl_hold_mark {
    uint32_t decided; /* n_ops + 1 of the arrival that `hold` is for */
    uint32_t mode;    /* as given then */
    bool hold;
    uint64_t since; /* picks then */
};

extern struct burl_hold burl_hold;
extern struct burl_hold_mark burl_hold_marks[BURL_MAX_THREADS]; /* by thread */
/* The last division of the eligible threads. */
extern uint16_t burl_held[BURL_MAX_THREADS];
extern uint16_t burl_at_large[BURL_MAX_THREADS];

void burl_hold_begin(uint32_t max_halvings);
/* Draws the walk, and a patience of 256 << least to 256 << 8. */
void burl_hold_draw(uint32_t least);
void burl_hold_thread_new(struct burl_thread *t);
void burl_hold_enter_mode(uint32_t mode);

/* Is a thread that arrives in this role to be held, going by `skip` and earlier stalls? */
bool burl_hold_wants(uint32_t role);
/* Is t, which stands at the site of this role, passed over? `wants` is called once per arrival and
 * mode. */
bool burl_hold_is_held(const struct burl_thread *t, uint32_t role, uint32_t mode,
                       bool (*wants)(uint32_t role));
/* Divides the eligible threads into those that `is_held` selects and those at large. */
void burl_hold_split(const struct burl_choice *c, bool (*is_held)(const struct burl_thread *t));
/* Has nothing but polling happened lately? */
bool burl_hold_is_quiet(void);
/* After a split: is one of the held threads to be released? */
bool burl_hold_must_release(void);
/* Releases one of them. The caller counts the stall. */
uint16_t burl_hold_release(void);
/* One step of the walk: of the threads at large, of all. */
uint16_t burl_hold_walk(const struct burl_choice *c);
uint16_t burl_hold_walk_all(const struct burl_choice *c);

/* Is this operation about to take a lock at the gate of a critical section? The end of a wait for a
 * condition takes its lock again. */
static inline bool
burl_hold_at_gate(const struct burl_op *op, uint32_t gate)
{
    return gate != 0 && op->site == gate &&
           burl_kind_in(op->kind, BURL_KINDS_LOCK | BURL_KIND(TRYLOCK) | BURL_KIND(COND_WAKE));
}

#endif
