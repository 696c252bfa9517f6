/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategies.c - the table of strategies, their generator, and the default policy.
 * Runs in the target.
 */

#include "rt/core/core.h"
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
        [BURL_STRATEGY_NONPREEMPTIVE] = &burl_strategy_nonpreemptive,
        [BURL_STRATEGY_ROUND_ROBIN] = &burl_strategy_round_robin,
        [BURL_STRATEGY_RANDOM] = &burl_strategy_random,
        [BURL_STRATEGY_PCT] = &burl_strategy_pct,
        [BURL_STRATEGY_POS] = &burl_strategy_pos,
        [BURL_STRATEGY_REPLAY] = &burl_strategy_replay,
        [BURL_STRATEGY_DIRECTED] = &burl_strategy_directed,
        [BURL_STRATEGY_EXHAUSTIVE] = &burl_strategy_exhaustive,
        [BURL_STRATEGY_SURW] = &burl_strategy_surw,
        [BURL_STRATEGY_READS_FROM] = &burl_strategy_reads_from,
        [BURL_STRATEGY_DELAY] = &burl_strategy_delay,
        [BURL_STRATEGY_PREEMPT] = &burl_strategy_preempt,
        [BURL_STRATEGY_BURST] = &burl_strategy_burst,
    };

    return number < BURL_STRATEGY__N ? table[number] : &burl_strategy_nonpreemptive;
}
