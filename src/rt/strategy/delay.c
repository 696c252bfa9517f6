/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/delay.c - delay-bounded enumeration.
 *
 * Emmi, Qadeer, Rakamaric: "Delay-Bounded Scheduling", POPL 2011. A deterministic scheduler makes
 * one schedule; a delay skips the thread that it would have run next, which then comes last in the
 * round. With d delays there are at most as many schedules as ways to place d delays among the
 * decisions, however many threads there are; most known bugs need one or two. The base is the one
 * the paper uses and Thomson, Donaldson, Betts measured ("Concurrency Testing Using Schedule
 * Bounding", PPoPP 2014): a thread runs until it blocks, exits or yields, then the next in cyclic
 * order of creation.
 *
 * Departures:
 * - Not a search tree: the execution's number says where its delays are (wire/enumerate.h), so
 *   there is no state and work can be cut anywhere. Executions shorter than the span repeat one
 *   with fewer delays; that is the price.
 * - Exactly the bound, since fewer were tried before; in an order that the campaign's seed decides.
 * - What the model leaves open besides the schedule (spurious wakeups, early time-outs) is
 *   drawn from the seed.
 */
#include "places.h"
#include "rt/core/strategy.h"

static uint16_t
delay_pick(const struct burl_choice *c)
{
    uint16_t tid = c->current;
    uint32_t other;

    if (!c->current_runnable || c->yielding)
        tid = burl_choice_after(c, c->current);
    if (c->n_runnable == 1)
        return tid;
    while (burl_places_here(&other))
        tid = burl_choice_after(c, tid);
    burl_places_next();
    return tid;
}

const struct burl_strategy_ops burl_strategy_delay = {
    .begin = burl_places_begin,
    .pick = delay_pick,
};
