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
 * would
 *   be ruined by one runaway loop; too small a k only makes late change points unlikely.
 * - A thread that yields, or waits in a loop, drops below the current minimum; else a
 *   high-priority spinner would never let go.
 * - Points are decisions (two or more threads could run), not all instructions.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "rt/sched/sched.h"

#define MAX_DEPTH 32u

static uint64_t change_at[MAX_DEPTH];
static uint32_t n_changes;
static uint64_t at;     /* decisions so far */
static uint64_t lowest; /* every priority in use is at or above */

static void
begin(uint32_t param, uint64_t horizon)
{
    uint32_t depth = param == 0 ? 3 : param;

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
thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_thread_by_tid(tid)->priority = (1ull << 32) + (burl_rng_next() >> 33);
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
pick(const struct burl_choice *c)
{
    struct burl_thread *current = burl_thread_by_tid(c->current);
    struct burl_thread *best = NULL;

    at++;
    if (c->yielding || (c->current_runnable && is_change_point()))
        current->priority = --lowest;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);

        if (best == NULL || t->priority > best->priority)
            best = t;
    }
    return best->tid;
}

const struct burl_strategy_ops burl_strategy_pct = {
    .name = "pct",
    .begin = begin,
    .thread_new = thread_new,
    .pick = pick,
};
