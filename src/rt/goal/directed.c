/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directed.c - a random walk towards a goal: races, triples, lock cycles and wake-ups.
 *
 * Runs in the target. Threads that stand at a site of the goal are held (hold.h) until the others
 * are there too. The rules of each kind are in race.c, triple.c, cycle.c and wakeup.c. Location
 * pairs and reads-from edges have strategies of their own, pair.c and reads_from.c.
 *
 * The walk keeps to a thread as strategy/random.c does. There is one meeting per execution, because
 * what matters is what follows from it.
 *
 * Direction of the error: sites that cannot meet within the patience are not met; never a false
 * meeting.
 */
#include <string.h>

#include "rules.h"

/* Threads compared with each other at a decision; more are held but not matched. */
#define MAX_HELD 64u
#define MAX_HALVINGS 8u

struct burl_directed burl_directed;

static uint16_t at_large[BURL_MAX_THREADS]; /* eligible and not held */

static void
no_goal_begin(const struct burl_wire_goal *goal, bool early)
{
    (void)goal;
    (void)early;
}

static int
no_goal_role(const struct burl_thread *t)
{
    (void)t;
    return -1;
}

static const struct burl_goal_rules *
rules_of(uint32_t kind)
{
    static const struct burl_goal_rules no_goal = { .begin = no_goal_begin, .role = no_goal_role };

    switch (kind) {
    case BURL_GOAL_RACE:
        return &burl_goal_race_rules;
    case BURL_GOAL_TRIPLE:
        return &burl_goal_triple_rules;
    case BURL_GOAL_CYCLE:
        return &burl_goal_cycle_rules;
    case BURL_GOAL_WAKEUP:
        return &burl_goal_wakeup_rules;
    default:
        return &no_goal;
    }
}

static void
directed_begin(const union burl_wire_args *args)
{
    burl_hold_begin(MAX_HALVINGS);
    memset(&burl_directed, 0, sizeof burl_directed);
    burl_directed.rules = rules_of(args->goal.kind);
    burl_directed.ahead = BURL_TID_NONE;
    burl_directed.follow[0] = BURL_TID_NONE;
    burl_directed.follow[1] = BURL_TID_NONE;
    burl_directed.rules->begin(&args->goal, burl_rng_below(2) != 0);
    burl_hold_draw(0);
}

static void
directed_thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_hold_thread_new(tid);
    if (burl_directed.rules->thread_new != NULL)
        burl_directed.rules->thread_new(tid);
}

/* The thread that is to run next; BURL_TID_NONE: none, or it cannot. */
static uint16_t
take_follower(const struct burl_choice *c)
{
    uint16_t *const follow = burl_directed.follow;

    while (follow[0] != BURL_TID_NONE) {
        const uint16_t tid = follow[0];

        follow[0] = follow[1];
        follow[1] = BURL_TID_NONE;
        if (burl_choice_has(c, tid))
            return tid;
    }
    return BURL_TID_NONE;
}

static uint16_t
pick_unmet(const struct burl_choice *c)
{
    const struct burl_goal_rules *rules = burl_directed.rules;
    uint16_t held[MAX_HELD];
    uint32_t roles[MAX_HELD];
    uint32_t n_held = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const struct burl_thread *t = burl_rt.threads[c->runnable[i]];
        const int role = rules->role(t);

        if (role >= 0 && burl_hold_is_held(t, (uint32_t)role, 0, burl_hold_wants) &&
            n_held < MAX_HELD) {
            roles[n_held] = (uint32_t)role;
            held[n_held++] = t->tid;
        } else {
            at_large[n++] = t->tid;
        }
    }
    if (rules->meet != NULL && n_held > 1) {
        const uint16_t first = rules->meet(held, n_held);

        if (first != BURL_TID_NONE)
            return first;
    }
    if (n_held != 0 && (n == 0 || burl_hold_is_quiet())) {
        const uint32_t i = burl_hold_release(held, n_held);

        burl_hold.stalls[roles[i]]++;
        return held[i];
    }
    if (burl_directed.ahead != BURL_TID_NONE && n_held == 0 &&
        burl_choice_has(c, burl_directed.ahead) && !burl_hold_is_quiet())
        return burl_directed.ahead;
    return burl_walk(c, at_large, n, burl_hold.stay_shift);
}

static uint16_t
directed_pick(const struct burl_choice *c)
{
    const uint16_t follower = take_follower(c);

    burl_hold.picks++;
    if (follower != BURL_TID_NONE)
        return follower;
    if (c->n_runnable == 1)
        return c->runnable[0];
    if (!burl_directed.met)
        return pick_unmet(c);
    return burl_directed.calm ? burl_pick_default(c)
                              : burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
}

static void
directed_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (burl_directed.rules->commit != NULL && !burl_directed.met)
        burl_directed.rules->commit(t, op);
}

static void
directed_finish(void)
{
    /* A fork server accounts for a lost child without having begun anything itself. */
    if (burl_directed.rules != NULL && burl_directed.rules->finish != NULL)
        burl_directed.rules->finish();
}

const struct burl_strategy_ops burl_strategy_directed = {
    .name = "directed",
    .begin = directed_begin,
    .thread_new = directed_thread_new,
    .pick = directed_pick,
    .commit = directed_commit,
    .finish = directed_finish,
};
