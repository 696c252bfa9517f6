/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/random.c - random walk: at every scheduling point each runnable thread is equally
 * likely.
 *
 * Departure from the textbook walk: per execution the probability of leaving the current thread
 * where it could go on is drawn from {1, 1/2, 1/4, 1/8, 1/16} of the uniform one, because the plain
 * walk switches so often that no thread ever gets far ahead of the others. Costs nothing on short
 * tests (one execution in five is the plain walk) and finds what needs a long burst.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"

static uint32_t stay_shift;

static void
begin(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
    stay_shift = burl_rng_below(5);
}

static uint16_t
pick(const struct burl_choice *c)
{
    return burl_walk(c, c->runnable, c->n_runnable, stay_shift);
}

const struct burl_strategy_ops burl_strategy_random = {
    .name = "random",
    .begin = begin,
    .pick = pick,
};
