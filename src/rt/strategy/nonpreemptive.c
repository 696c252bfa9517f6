/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/nonpreemptive.c - a thread runs until it blocks, exits or yields.
 *
 * The control group of every campaign: what fails here fails without any preemption. After a yield
 * the next thread in cyclic order runs, so that several polling threads take turns.
 */
#include "rt/core/strategy.h"

static uint16_t
nonpreemptive_pick(const struct burl_choice *c)
{
    return c->yielding ? burl_choice_after(c, c->current) : burl_pick_default(c);
}

const struct burl_strategy_ops burl_strategy_nonpreemptive = {
    .pick = nonpreemptive_pick,
};
