/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/pct.c - probabilistic concurrency testing.
 *
 * Burckhardt, Kothari, Musuvathi, Nagarakatte: "A Randomized Scheduler with Probabilistic
 * Guarantees of Finding Bugs", ASPLOS 2010. Every thread has a random priority; the runnable
 * thread with the highest runs; at d - 1 points, drawn in advance among the first k scheduling
 * points, the running thread drops below all others.
 *
 * Departures:
 * - k (the horizon) is not known: the engine passes the mean of completed executions. A maximum
 *   would be ruined by one runaway loop; too small a k only makes late change points unlikely.
 * - A thread that yields, or waits in a loop, drops below the current minimum; else a
 *   high-priority spinner would never let go.
 * - Points are decisions (two or more threads could run), not all instructions.
 */
#include "rt/core/strategy.h"

#define MAX_DEPTH 32u

static uint64_t change_at[MAX_DEPTH];
static uint32_t n_changes;
static uint64_t at;     /* decisions so far */
static uint64_t lowest; /* every priority in use is at or above */

static void
pct_begin(const union burl_wire_args *args)
{
    const uint64_t horizon = args->pct.horizon;
    uint32_t depth = args->pct.depth == 0 ? 3 : args->pct.depth;

    if (depth > MAX_DEPTH)
        depth = MAX_DEPTH;
    n_changes = depth - 1;
    for (uint32_t i = 0; i < n_changes; i++)
        change_at[i] = 1 + burl_rng_below(horizon < 2 ? 2 : (uint32_t)horizon);
    at = 0;
    lowest = 1ull << 32;
}

/* Initial priorities are random 31-bit numbers above every lowered one. */
static void
pct_thread_new(struct burl_thread *t)
{
    t->priority = (1ull << 32) + (burl_rng_next() >> 33);
}

static bool
is_change_point(void)
{
    for (uint32_t i = 0; i < n_changes; i++) {
        if (change_at[i] == at)
            return true;
    }
    return false;
}

static uint16_t
pct_pick(const struct burl_choice *c)
{
    at++;
    if (c->yielding || (c->current_runnable && is_change_point()))
        burl_rt.threads[c->current]->priority = --lowest;
    return burl_highest(c->runnable, c->n_runnable)->tid;
}

const struct burl_strategy_ops burl_strategy_pct = {
    .begin = pct_begin,
    .thread_new = pct_thread_new,
    .pick = pct_pick,
};
