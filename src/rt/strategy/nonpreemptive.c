/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/nonpreemptive.c - a thread runs until it blocks, ends or yields.
 *
 * The control group of every campaign: what fails here fails without any preemption and is not a
 * matter of unlucky interleaving. After a yield the next thread in cyclic order is run, so that
 * several threads polling in turn all get their share.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"

static void
begin(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
}

static uint16_t
pick(const struct burl_choice *c)
{
    if (!c->yielding)
        return burl_pick_default(c);
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] > c->current)
            return c->runnable[i];
    }
    return c->runnable[0];
}

const struct burl_strategy_ops burl_strategy_nonpreemptive = {
    .name = "nonpreemptive",
    .begin = begin,
    .pick = pick,
};
