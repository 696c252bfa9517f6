/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/random.c - random walk: at every scheduling point each runnable thread is equally
 * likely.
 *
 * Departure from the textbook walk: per execution the probability of leaving the current thread
 * where it could run on is drawn from {1, 1/2, 1/4, 1/8, 1/16} of the uniform one, because the
 * plain walk switches so often that no thread ever gets far ahead of the others. Costs nothing on
 * short tests (one execution in five is the plain walk) and finds what needs a long burst.
 */
#include "rt/core/strategy.h"

static uint32_t stay_shift;

static void
random_begin(const union burl_wire_args *args)
{
    (void)args;
    stay_shift = burl_rng_below(5);
}

static uint16_t
random_pick(const struct burl_choice *c)
{
    return burl_walk(c, c->runnable, c->n_runnable, stay_shift);
}

const struct burl_strategy_ops burl_strategy_random = {
    .begin = random_begin,
    .pick = random_pick,
};
