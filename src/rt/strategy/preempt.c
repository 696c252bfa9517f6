/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/preempt.c - preemption-bounded enumeration.
 *
 * Musuvathi, Qadeer: "Iterative Context Bounding for Systematic Testing of Multithreaded Programs",
 * PLDI 2007 (CHESS). A preemption takes the turn from a thread that could go on; switches at
 * blocking operations cost nothing. All places for one preemption are tried, then for two, with
 * every thread that the turn may go to.
 *
 * Departures:
 * - Not a search tree: the execution's number says where it preempts and whom it lets run
 *   (wire/enumerate.h).
 * - CHESS tries every thread at every blocking operation too, which multiplies the schedules by
 *   factorials of the number of threads. Here an order of threads is drawn for each execution, and
 *   the first in it that can run goes on where the running one cannot. So what is complete
 *   is the set of places, not of schedules; --strategy=delay is complete in its schedules.
 * - A place where the running thread cannot go on anyway changes who is next: that is
 *   how the enumeration departs from the drawn order.
 * - A thread that yields goes to the end of the order; else two that wait for a third would
 *   alternate for ever.
 */
#include "places.h"
#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "rt/sched/sched.h"

static uint64_t lowest; /* every priority in use is at or above */

static void
begin_preempt(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
    lowest = 1ull << 32;
    burl_places_begin();
}

/* The order of threads: random numbers, above every lowered one. */
static void
thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_thread_by_tid(tid)->priority = (1ull << 32) + (burl_rng_next() >> 33);
}

static uint16_t
first_in_order(const struct burl_choice *c)
{
    const struct burl_thread *best = burl_thread_by_tid(c->runnable[0]);

    for (uint32_t i = 1; i < c->n_runnable; i++) {
        const struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);

        if (t->priority > best->priority)
            best = t;
    }
    return best->tid;
}

/* The thread number `other` of those that are not `not`; there is one. */
static uint16_t
other_thread(const struct burl_choice *c, uint16_t not, uint32_t other)
{
    uint32_t skip = other % (c->n_runnable - 1);

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] != not&&skip-- == 0)
            return c->runnable[i];
    }
    return c->runnable[0];
}

static uint16_t
pick_preempt(const struct burl_choice *c)
{
    uint16_t tid = c->current;
    uint32_t other;

    if (c->yielding)
        burl_thread_by_tid(c->current)->priority = --lowest;
    if (!c->current_runnable || c->yielding)
        tid = first_in_order(c);
    if (c->n_runnable == 1)
        return tid;
    if (burl_places_here(&other))
        tid = other_thread(c, tid, other);
    burl_places_next();
    return tid;
}

const struct burl_strategy_ops burl_strategy_preempt = {
    .name = "preemption",
    .begin = begin_preempt,
    .thread_new = thread_new,
    .pick = pick_preempt,
};
