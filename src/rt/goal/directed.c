/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/directed.c - a random walk towards a goal: races, triples, lock cycles and wakeups.
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

/* Threads held and compared with each other at a decision. */
#define MAX_HELD 64u
#define MAX_HALVINGS 8u

struct burl_directed burl_directed;

static const struct burl_goal_rules *const rules_by_kind[BURL_GOAL__N] = {
    [BURL_GOAL_RACE] = &burl_goal_race_rules,
    [BURL_GOAL_TRIPLE] = &burl_goal_triple_rules,
    [BURL_GOAL_CYCLE] = &burl_goal_cycle_rules,
    [BURL_GOAL_WAKEUP] = &burl_goal_wakeup_rules,
};

static void
directed_begin(const union burl_wire_args *args)
{
    burl_hold_begin(MAX_HALVINGS);
    burl_directed = (struct burl_directed){ .goal = &args->goal,
                                            .early = burl_rng_below(2) != 0,
                                            .ahead = BURL_TID_NONE,
                                            .follow = { BURL_TID_NONE, BURL_TID_NONE } };
    if (args->goal.kind < BURL_GOAL__N)
        burl_directed.rules = rules_by_kind[args->goal.kind];
    if (burl_directed.rules != NULL && burl_directed.rules->begin != NULL)
        burl_directed.rules->begin();
    burl_hold_draw(0);
}

static void
directed_thread_new(struct burl_thread *t)
{
    burl_hold_thread_new(t);
    if (burl_directed.rules != NULL && burl_directed.rules->thread_new != NULL)
        burl_directed.rules->thread_new(t);
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

static bool
directed_is_held(const struct burl_thread *t)
{
    const int role = burl_directed.rules != NULL ? burl_directed.rules->role(t) : -1;

    return role >= 0 && burl_hold_is_held(t, (uint32_t)role, 0, burl_hold_wants) &&
           burl_hold.n_held < MAX_HELD;
}

static uint16_t
pick_unmet(const struct burl_choice *c)
{
    burl_hold_split(c, directed_is_held);
    if (burl_hold.n_held > 1 && burl_directed.rules->meet != NULL) {
        const uint16_t first = burl_directed.rules->meet(burl_held, burl_hold.n_held);

        if (first != BURL_TID_NONE)
            return first;
    }
    if (burl_hold_must_release()) {
        const uint16_t tid = burl_hold_release();

        burl_hold.stalls[burl_directed.rules->role(burl_rt.threads[tid])]++;
        return tid;
    }
    if (burl_directed.ahead != BURL_TID_NONE && burl_hold.n_held == 0 &&
        burl_choice_has(c, burl_directed.ahead) && !burl_hold_is_quiet())
        return burl_directed.ahead;
    return burl_hold_walk(c);
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
    return burl_directed.calm ? burl_pick_default(c) : burl_hold_walk_all(c);
}

static void
directed_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (!burl_directed.met && burl_directed.rules != NULL && burl_directed.rules->commit != NULL)
        burl_directed.rules->commit(t, op);
}

/* A fork server accounts for a lost child without having begun anything itself. */
static void
directed_finish(void)
{
    if (burl_directed.rules != NULL && burl_directed.rules->finish != NULL)
        burl_directed.rules->finish();
}

const struct burl_strategy_ops burl_strategy_directed = {
    .begin = directed_begin,
    .thread_new = directed_thread_new,
    .pick = directed_pick,
    .commit = directed_commit,
    .finish = directed_finish,
};
