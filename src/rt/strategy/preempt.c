/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/preempt.c - preemption-bounded enumeration.
 *
 * Musuvathi, Qadeer: "Iterative Context Bounding for Systematic Testing of Multithreaded Programs",
 * PLDI 2007 (CHESS). A preemption stops a thread that could run on; switches at
 * blocking operations cost nothing. All places for one preemption are tried, then for two, with
 * every thread that the turn may go to.
 *
 * Departures:
 * - Not a search tree: the execution's number says where it preempts and which thread runs next
 *   (wire/enumerate.h).
 * - CHESS tries every thread at every blocking operation too, which multiplies the schedules by
 *   factorials of the number of threads. Here an order of threads is drawn for each execution, and
 *   the first in it that can run replaces a thread that blocks. So the set of places is complete,
 *   not the set of schedules; --strategy=delay is complete in its schedules.
 * - A place where the running thread blocks changes the thread that is next: that is how the
 *   enumeration departs from the drawn order.
 * - A thread that yields goes to the end of the order; else two that wait for a third would
 *   alternate forever.
 */
#include "places.h"
#include "rt/core/strategy.h"

static uint64_t lowest; /* every priority in use is at or above */

static void
preempt_begin(const union burl_wire_args *args)
{
    lowest = 1ull << 32;
    burl_places_begin(args);
}

/* The order of threads: random numbers, above every lowered one. */
static void
preempt_thread_new(struct burl_thread *t)
{
    t->priority = (1ull << 32) + (burl_rng_next() >> 33);
}

static uint16_t
preempt_pick(const struct burl_choice *c)
{
    uint16_t tid = c->current;
    uint32_t other;

    if (c->yielding)
        burl_rt.threads[c->current]->priority = --lowest;
    if (!c->current_runnable || c->yielding)
        tid = burl_highest(c->runnable, c->n_runnable)->tid;
    if (c->n_runnable == 1)
        return tid;
    if (burl_places_here(&other))
        tid = burl_choice_other(c, tid, other % (c->n_runnable - 1));
    burl_places_next();
    return tid;
}

const struct burl_strategy_ops burl_strategy_preempt = {
    .begin = preempt_begin,
    .thread_new = preempt_thread_new,
    .pick = preempt_pick,
};
