/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/rules.h - the rules of one kind of goal, and what they share with directed.c.
 */
#ifndef BURL_RT_GOAL_RULES_H
#define BURL_RT_GOAL_RULES_H

#include "hold.h"

/* Any but `role` may be NULL. */
struct burl_goal_rules {
    void (*begin)(void);
    void (*thread_new)(const struct burl_thread *t);
    /* The role in which t waits for the others where it stands; -1: none. */
    int (*role)(const struct burl_thread *t);
    /* Two of the held threads that complete the goal: the one that goes first, after which
     * burl_directed.follow runs; BURL_TID_NONE: there are no two. */
    uint16_t (*meet)(const uint16_t *held, uint32_t n);
    void (*commit)(const struct burl_thread *t, const struct burl_op *op);
    void (*finish)(void);
};

struct burl_directed {
    const struct burl_goal_rules *rules; /* NULL: no goal */
    const struct burl_wire_goal *goal;
    bool early; /* a random bit of this execution; the rules say what for */
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

/* An access of a race or a triple. Freeing memory is one. */
static inline bool
burl_goal_is_access(const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_ACCESS | BURL_KIND(FREE));
}

static inline void
burl_directed_meet(void)
{
    burl_directed.met = true;
    burl_rt.exec.goal_hit = true;
}

#endif
