/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/rules.h - the rules of one kind of goal, and what they share with directed.c.
 */
#ifndef BURL_RT_GOAL_RULES_H
#define BURL_RT_GOAL_RULES_H

#include "hold.h"
#include "rt/sched/op.h"

struct burl_goal_rules {
    /* `early` is a coin of this execution; the rules say what for. */
    void (*begin)(const struct burl_wire_goal *goal, bool early);
    void (*thread_new)(uint16_t tid); /* may be NULL */
    /* The role in which t waits for the others where it stands; -1: none. */
    int (*role)(const struct burl_thread *t);
    /* Two of the held threads that complete the goal: the one that goes first, after which
     * burl_directed.follow runs; BURL_TID_NONE: there are no two. May be NULL. */
    uint16_t (*meet)(const uint16_t *held, uint32_t n);
    void (*commit)(const struct burl_thread *t, const struct burl_op *op); /* may be NULL */
    void (*finish)(void);                                                  /* may be NULL */
};

struct burl_directed {
    const struct burl_goal_rules *rules;
    bool met;
    bool calm;          /* no preemption after the meeting */
    uint16_t ahead;     /* runs first while no thread is held, BURL_TID_NONE: none */
    uint16_t follow[2]; /* threads that run next, before the walk goes on */
};

extern struct burl_directed burl_directed;

extern const struct burl_goal_rules burl_goal_race_rules;
extern const struct burl_goal_rules burl_goal_triple_rules;
extern const struct burl_goal_rules burl_goal_cycle_rules;
extern const struct burl_goal_rules burl_goal_wakeup_rules;

static inline void
burl_directed_meet(void)
{
    burl_directed.met = true;
    burl_rt.exec.goal_hit = true;
}

/* An access of a race or a triple. Freeing memory is one. */
static inline bool
burl__goal_is_access(uint8_t kind)
{
    return (kind >= BURL_OP_READ && kind <= BURL_OP_ATOMIC_CAS) || kind == BURL_OP_FREE;
}

static inline bool
burl__goal_is_lock_request(uint8_t kind)
{
    return kind == BURL_OP_LOCK || kind == BURL_OP_RDLOCK || kind == BURL_OP_WRLOCK ||
           kind == BURL_OP_TIMEDLOCK;
}

#endif
