/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/cycle.c - threads that each hold a lock and request the next one of a cycle.
 *
 * A thread that holds a lock from `held_from` is held at `requested_at` until the others have
 * theirs. The deadlock then happens by itself, and sched/deadlock.c reports it.
 */
#include "rt/detect/observe.h"
#include "rules.h"

/* Does t hold a lock that it took at this site? Without observers that is not known: then the
 * request alone decides, which only makes holding less precise. */
static bool
cycle_holds_from(const struct burl_thread *t, uint32_t site)
{
    const struct burl_watch *w = t->watch;

    if (w == NULL)
        return true;
    for (uint32_t i = 0; i < burl_held_known(&w->held); i++) {
        if (w->held.v[i].site == site)
            return true;
    }
    return false;
}

static int
cycle_role(const struct burl_thread *t)
{
    const struct burl_goal_cycle *cycle = &burl_directed.goal->cycle;

    if (!burl_kind_in(t->op.kind, BURL_KINDS_LOCK))
        return -1;
    for (uint32_t i = 0; i < cycle->n; i++) {
        if (t->op.site == cycle->threads[i].requested_at &&
            cycle_holds_from(t, cycle->threads[i].held_from))
            return (int)i;
    }
    return -1;
}

static bool
cycle_requests_at(uint32_t site)
{
    const struct burl_goal_cycle *cycle = &burl_directed.goal->cycle;

    for (uint32_t i = 0; i < cycle->n; i++) {
        if (cycle->threads[i].requested_at == site)
            return true;
    }
    return false;
}

/* The goal is reached if the execution ended in a deadlock at these requests. */
static void
cycle_finish(void)
{
    const struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    if (v->kind != BURL_VERDICT_DEADLOCK_CYCLE)
        return;
    for (uint32_t i = 0; i < v->n_waits; i++) {
        if (!cycle_requests_at(v->waits[i].site))
            return;
    }
    burl_rt.exec.goal_hit = true;
}

const struct burl_goal_rules burl_goal_cycle_rules = {
    .role = cycle_role,
    .finish = cycle_finish,
};
