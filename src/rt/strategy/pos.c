/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/pos.c - partial order sampling.
 *
 * Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling", CAV 2018. Every pending
 * operation has a random priority; the highest that can happen is performed; then the operations
 * of other threads that conflict with it get new priorities, so that the order of each
 * conflicting pair is decided by a fresh coin.
 *
 * Departures:
 * - Priorities belong to pending operations at scheduling points; operations that are not
 *   points (sites never seen shared) ride along with the thread.
 * - Two sync operations on one object conflict; so do two accesses that overlap in their first
 *   address, one of them writing.
 */
#include "rt/core/strategy.h"

static void
pos_thread_new(struct burl_thread *t)
{
    t->priority = burl_rng_next();
}

static uint16_t
pos_pick(const struct burl_choice *c)
{
    struct burl_thread *best;

    /* The thread that stopped here has a new pending operation: a new coin for it. Passed over
     * (yielding) threads draw too, but are not in the list. */
    burl_rt.threads[c->current]->priority = burl_rng_next();
    best = burl_highest(c->runnable, c->n_runnable);
    burl_redraw_conflicts(c, best);
    return best->tid;
}

const struct burl_strategy_ops burl_strategy_pos = {
    .thread_new = pos_thread_new,
    .pick = pos_pick,
};
