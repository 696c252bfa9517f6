/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/bounded.c - bounded enumeration: delays and preemptions.
 *
 * Runs in the target. A deterministic base makes one schedule, from which an execution departs at a
 * few places. The number of the execution says where (wire/enumerate.h), so there is no search tree
 * and no state, and work can be cut anywhere. Decisions are counted like burl_exec.points, where
 * more than one thread can run, because the engine derives the span from that. Executions shorter
 * than the span repeat one with fewer places; that is the price. Exactly the bound, since fewer
 * were tried before; in an order that the campaign's seed decides. What the model leaves open
 * besides the schedule (spurious wakeups, early time-outs) is drawn from the seed.
 *
 * Delays. Emmi, Qadeer, Rakamaric: "Delay-Bounded Scheduling", POPL 2011. A delay skips the thread
 * that the base would run next, which then comes last in the round. With d delays there are at most
 * as many schedules as ways to place d delays among the decisions, however many threads there are;
 * most known bugs need one or two. The base is the one that the paper uses and Thomson, Donaldson,
 * Betts measured ("Concurrency Testing Using Schedule Bounding", PPoPP 2014): a thread runs until
 * it blocks, exits or yields, then the next in cyclic order of creation.
 *
 * Preemptions. Musuvathi, Qadeer: "Iterative Context Bounding for Systematic Testing of
 * Multithreaded Programs", PLDI 2007 (CHESS). A preemption stops a thread that could run on;
 * switches at blocking operations cost nothing. All places for one preemption are tried, then for
 * two, with every thread that may run instead. Departures:
 * - CHESS tries every thread at every blocking operation too, which multiplies the schedules by
 *   factorials of the number of threads. Here an order of threads is drawn for each execution, and
 *   the first in it that can run replaces a thread that blocks. So the set of places is complete,
 *   not the set of schedules; delays are complete in their schedules.
 * - A place where the running thread blocks changes the thread that is next: that is how the
 *   enumeration departs from the drawn order.
 * - A thread that yields goes to the end of the order; else two that wait for a third would
 *   alternate forever.
 */
#include "rt/core/strategy.h"

static struct burl_enum_place places[BURL_ENUM_MAX_BOUND];
static uint32_t n_places;
static uint32_t next_place;
static uint64_t decision;
static uint64_t lowest; /* every priority in use is at or above */

static void
draw_places(const struct burl_enum *e)
{
    for (uint32_t i = 0; i < e->bound; i++) {
        const struct burl_enum_place new = { .at = burl_rng_next() % e->span,
                                             .other = burl_rng_below(e->others) };
        uint32_t k = i;

        while (k > 0 && places[k - 1].at > new.at) {
            places[k] = places[k - 1];
            k--;
        }
        places[k] = new;
    }
}

static void
bounded_begin(const union burl_wire_args *args)
{
    const struct burl_enum *e = &args->enumeration.places;
    const uint64_t index =
        args->enumeration.index_first + (burl_rt.exec.seed - burl_rt.ctl->order.first_seed);
    uint64_t total;

    lowest = 1ull << 32;
    decision = 0;
    next_place = 0;
    n_places = 0;
    if (e->bound == 0 || e->bound > BURL_ENUM_MAX_BOUND || e->span == 0 || e->others == 0)
        return;
    n_places = e->bound;
    total = burl_enum_total(e);
    if (total < BURL_ENUM_MANY && index < total)
        burl_enum_get(e, index, places);
    else
        draw_places(e);
}

/* Is the decision at hand one of the places (once more)? */
static bool
take_place(uint32_t *other)
{
    while (next_place < n_places && places[next_place].at < decision)
        next_place++;
    if (next_place >= n_places || places[next_place].at != decision)
        return false;
    *other = places[next_place++].other;
    return true;
}

static uint16_t
delay_pick(const struct burl_choice *c)
{
    uint16_t tid = c->current;
    uint32_t other;

    if (!c->current_runnable || c->yielding)
        tid = burl_choice_after(c, c->current);
    if (c->n_runnable == 1)
        return tid;
    while (take_place(&other))
        tid = burl_choice_after(c, tid);
    decision++;
    return tid;
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
    if (take_place(&other))
        tid = burl_choice_other(c, tid, other % (c->n_runnable - 1));
    decision++;
    return tid;
}

const struct burl_strategy_ops burl_strategy_delay = {
    .begin = bounded_begin,
    .pick = delay_pick,
};

const struct burl_strategy_ops burl_strategy_preempt = {
    .begin = bounded_begin,
    .thread_new = preempt_thread_new,
    .pick = preempt_pick,
};
