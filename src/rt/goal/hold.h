/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/hold.h - holding threads at sites until others arrive: what all goals share.
 *
 * A held thread stays runnable; pick() passes it over. So holding cannot deadlock. A thread is held
 * or not for a whole arrival at a site, which is decided when it arrives. It is released when all
 * eligible threads are held, when nothing but polling has happened for a while, or when it was held
 * for longer than this execution's patience. Each such stall at a site halves the chance of holding
 * there again (the first is free), so that a loop through a site whose partner never comes is soon
 * left alone.
 *
 * One goal is pursued at a time: the state is one object. Who is held where is for the rules of
 * the goal to say.
 */
#ifndef BURL_RT_HOLD_H
#define BURL_RT_HOLD_H

#include "rt/core/core.h"
#include "rt/core/strategy.h"

struct burl_hold {
    uint32_t max_halvings; /* of the chance to hold at one site */
    uint32_t stay_shift; /* of the walk, see burl_walk() */
    uint64_t patience;   /* decisions for which a thread is held at most */
    uint64_t picks;      /* decisions so far */
    uint64_t since;      /* the decision at which the mode of the strategy began */
    uint64_t progress;   /* value of the progress counter at ... */
    uint64_t moved;      /* ... this decision */
    uint32_t stalls[BURL_WIRE_MAX_SITES]; /* by role */
};

struct burl_hold_mark {
    uint32_t decided; /* n_ops + 1 of the arrival that `hold` is for */
    uint8_t mode;     /* of the strategy, then */
    bool hold;
    uint64_t since; /* picks then */
};

extern struct burl_hold burl_hold;
extern struct burl_hold_mark burl_hold_marks[BURL_MAX_THREADS]; /* by thread */

void burl_hold_begin(uint32_t max_halvings);
/* Draws the walk, and a patience of 256 << least to 256 << 8. */
void burl_hold_draw(uint32_t least);
void burl_hold_thread_new(uint16_t tid);

/* The strategy goes over to another mode. */
void burl_hold_enter_mode(void);

/* Is a thread that arrives in this role to be held, going by earlier stalls? */
bool burl_hold_wants(uint32_t role);
/* Is t, which stands at the site of this role, passed over? `wants` is asked once per arrival and
 * mode. */
bool burl_hold_is_held(const struct burl_thread *t, uint32_t role, uint8_t mode,
                       bool (*wants)(uint32_t role));
/* Has nothing but polling happened lately? */
bool burl_hold_is_quiet(void);
/* Releases one of n held threads; its index. The caller counts the stall. */
uint32_t burl_hold_release(const uint16_t *held, uint32_t n);

#endif
