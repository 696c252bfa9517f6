/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/round_robin.c - threads take turns of a fixed number of scheduling points.
 *
 * The length of a turn is drawn once per execution, small lengths more often than large ones
 * (a power of two up to 64, plus a remainder), and so is the offset of the first turn: a few
 * seeds cover tight alternation as well as long bursts.
 */
#include "rt/core/strategy.h"

static uint32_t quantum;
static uint32_t left;

static void
round_robin_begin(const union burl_wire_args *args)
{
    uint32_t scale = 1u << burl_rng_below(7);

    (void)args;
    quantum = scale + burl_rng_below(scale);
    left = 1 + burl_rng_below(quantum);
}

static uint16_t
round_robin_pick(const struct burl_choice *c)
{
    if (c->current_runnable && !c->yielding && left > 1) {
        left--;
        return c->current;
    }
    left = quantum;
    return burl_choice_after(c, c->current);
}

const struct burl_strategy_ops burl_strategy_round_robin = {
    .begin = round_robin_begin,
    .pick = round_robin_pick,
};
