/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/burst.c - long bursts and starvation.
 *
 * No paper: the complement of strategies that look for bugs with few switches at the right places.
 * Some states need one thread to run for long while another stands still: a queue that is full, a
 * ring that wraps, a cache that evicts, a counter that overflows while a thread has an old value
 * of it. A random walk never makes a lead of a thousand operations; priorities with few change
 * points make one or two, not one after the other.
 *
 * Each execution draws one of five shapes:
 *   BURSTS    threads run in turn for long. The magnitude, 2^4 to 2^20 operations, is drawn for the
 *             execution and lengths around it: leads that must follow each other are of one size
 *   GAP       a calm random walk; at some moment the running thread stands still, while another
 *             runs for a drawn length; then the first goes on for as long as it can
 *   BLOCKING  a thread runs until it blocks; the next one is drawn
 *   FAVORITE  one thread runs whenever it can
 *   STARVED   one thread, after a drawn number of its own operations, runs only when no other can
 *
 * A thread that yields is passed over in every shape, so waiting loops end; and sched.c makes all
 * threads take turns when nothing moves any more.
 */
#include "rt/core/strategy.h"

enum shape { BURSTS = 0, GAP, BLOCKING, FAVORITE, STARVED, SHAPES };

#define MIN_LOG2 4u
#define MAX_LOG2 20u
#define CALM 3u /* a random walk that switches one time in 8 */

static enum shape shape;
static uint16_t chosen;  /* the thread it is about; BURL_TID_NONE: to be drawn */
static uint16_t runner;  /* GAP: runs while the chosen one stands still */
static uint64_t until;   /* step at which this part ends */
static uint64_t from;    /* GAP: step, STARVED: operation of the thread, at which it begins */
static uint32_t scale;   /* log2 of the lengths */
static uint32_t ordinal; /* which of the threads is the one */

/* Half to twice the scale. */
static uint64_t
draw_length(void)
{
    return (1ull << scale) / 2 + burl_rng_next() % ((3ull << scale) / 2);
}

/* Mostly within the size of the execution: a burst that is longer is one until it blocks. */
static uint32_t
draw_scale(uint64_t horizon)
{
    uint32_t max = MIN_LOG2;

    while (max < MAX_LOG2 && 1ull << max < 2 * horizon)
        max++;
    if (horizon == 0 || burl_rng_below(4) == 0)
        max = MAX_LOG2;
    return MIN_LOG2 + burl_rng_below(max - MIN_LOG2 + 1);
}

static void
burst_begin(const union burl_wire_args *args)
{
    const uint64_t horizon = args->burst.horizon;

    shape = (enum shape)burl_rng_below(SHAPES);
    chosen = BURL_TID_NONE;
    runner = BURL_TID_NONE;
    until = 0;
    scale = draw_scale(horizon);
    ordinal = (uint32_t)(burl_rng_next() >> 40);
    from = shape == GAP       ? burl_rng_next() % (horizon < 16 ? 16 : horizon)
           : shape == STARVED ? burl_rng_next() % (1ull << burl_rng_below(11))
                              : 0;
}

/* One of the threads but main, which mostly waits for the others; as soon as there are some. */
static uint16_t
one_of_all(void)
{
    const uint32_t n = burl_rt.exec.n_threads;

    return (uint16_t)(n < 2 ? 0 : ordinal % 8 == 0 ? 0 : 1 + ordinal % (n - 1));
}

static uint16_t
draw_but(const struct burl_choice *c, uint16_t not)
{
    const uint32_t n = c->n_runnable - burl_choice_has(c, not);

    return n == 0 ? not : burl_choice_other(c, not, burl_rng_below(n));
}

static bool
passed_over(const struct burl_choice *c, uint16_t tid)
{
    return c->yielding && tid == c->current;
}

/* While it can; else a calm walk of the others. */
static uint16_t
prefer(const struct burl_choice *c, uint16_t tid)
{
    if (!passed_over(c, tid) && burl_choice_has(c, tid))
        return tid;
    return burl_walk(c, c->runnable, c->n_runnable, CALM);
}

static uint16_t
avoid(const struct burl_choice *c, uint16_t tid)
{
    if (c->current != tid && c->current_runnable && !c->yielding && burl_rng_below(1u << CALM) != 0)
        return c->current;
    return draw_but(c, tid);
}

static uint16_t
pick_bursts(const struct burl_choice *c)
{
    if (chosen == BURL_TID_NONE || burl_rt.exec.steps >= until) {
        chosen = draw_but(c, chosen);
        until = burl_rt.exec.steps + draw_length();
    }
    return prefer(c, chosen);
}

/* The thread that is running when the moment comes is chosen: it is in the middle of something. */
static uint16_t
pick_gap(const struct burl_choice *c)
{
    if (chosen == BURL_TID_NONE) {
        if (burl_rt.exec.steps < from || !c->current_runnable)
            return burl_walk(c, c->runnable, c->n_runnable, CALM);
        chosen = c->current;
        runner = draw_but(c, chosen);
        until = burl_rt.exec.steps + draw_length();
    }
    if (burl_rt.exec.steps >= until)
        return prefer(c, chosen);
    return !passed_over(c, runner) && burl_choice_has(c, runner) ? runner : avoid(c, chosen);
}

static uint16_t
burst_pick(const struct burl_choice *c)
{
    uint16_t victim;

    switch (shape) {
    case BURSTS:
        return pick_bursts(c);
    case GAP:
        return pick_gap(c);
    case FAVORITE:
        return prefer(c, one_of_all());
    case STARVED:
        victim = one_of_all();
        if (burl_rt.threads[victim]->n_ops >= from)
            return avoid(c, victim);
        return burl_walk(c, c->runnable, c->n_runnable, CALM);
    default:
        break;
    }
    if (c->current_runnable && !c->yielding)
        return c->current;
    return draw_but(c, c->yielding ? c->current : BURL_TID_NONE);
}

const struct burl_strategy_ops burl_strategy_burst = {
    .begin = burst_begin,
    .pick = burst_pick,
};
