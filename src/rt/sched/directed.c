/* SPDX-License-Identifier: Apache-2.0 */
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
    return c->runnable[burl_rng_below(c->n_runnable)];
}

const struct burl_strategy_ops burl_strategy_directed = {
    .name = "directed",
    .begin = begin,
    .pick = pick,
};
