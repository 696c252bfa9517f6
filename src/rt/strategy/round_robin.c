/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/round_robin.c - threads take turns of a fixed number of scheduling points.
 *
 * The length of a turn is drawn once per execution, small lengths more often than large ones
 * (a power of two up to 64, plus a remainder), and so is the offset of the first turn: a few
 * seeds cover tight alternation as well as long bursts.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"

static uint32_t quantum;
static uint32_t left;

static void
begin(uint32_t param, uint64_t horizon)
{
    uint32_t scale = 1u << burl_rng_below(7);

    (void)horizon;
    quantum = param != 0 ? param : scale + burl_rng_below(scale);
    left = 1 + burl_rng_below(quantum);
}

static uint16_t
next_after(const struct burl_choice *c)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] > c->current)
            return c->runnable[i];
    }
    return c->runnable[0];
}

static uint16_t
pick(const struct burl_choice *c)
{
    if (c->current_runnable && !c->yielding && left > 1) {
        left--;
        return c->current;
    }
    left = quantum;
    return next_after(c);
}

const struct burl_strategy_ops burl_strategy_round_robin = {
    .name = "round-robin",
    .begin = begin,
    .pick = pick,
};
