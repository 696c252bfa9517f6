/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s_surw.c - not written yet: a random walk stands in.
 */
#include "../rt_core.h"

static void
begin(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
}

static uint16_t
pick(const struct burl_choice *c)
{
    return burl_walk(c, c->runnable, c->n_runnable, 2);
}

const struct burl_strategy_ops burl_strategy_surw = {
    .name = "surw",
    .begin = begin,
    .pick = pick,
};
