/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/strategies.c - the table of strategies, their random numbers, and the default policy.
 * Runs in the target.
 */
#include "rt/core/strategy.h"

static uint64_t rng_state;

void
burl_rng_seed(uint64_t seed)
{
    rng_state = burl_mix64(seed + 0x9e3779b97f4a7c15ull);
}

uint64_t
burl_rng_next(void)
{
    rng_state += 0x9e3779b97f4a7c15ull;
    return burl_mix64(rng_state);
}

/* Multiply-shift: the bias is below n / 2^32, far under what any schedule count could show. */
uint32_t
burl_rng_below(uint32_t n)
{
    return (uint32_t)(((burl_rng_next() >> 32) * (uint64_t)n) >> 32);
}

uint16_t
burl_pick_default(const struct burl_choice *c)
{
    return c->current_runnable ? c->current : c->runnable[0];
}

const struct burl_strategy_ops *
burl_strategy_by_number(uint32_t number)
{
    static const struct burl_strategy_ops *const table[BURL_STRATEGY__N] = {
#define BURL_X(number, name) [BURL_STRATEGY_##number] = &burl_strategy_##name,
        BURL_STRATEGIES(BURL_X)
#undef BURL_X
    };

    return number < BURL_STRATEGY__N ? table[number] : &burl_strategy_nonpreemptive;
}
