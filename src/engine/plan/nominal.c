/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/nominal.c - what executions cost, counted and not measured.
 *
 * Runs in the host. The same seed must give the same findings and schedules on a busy machine and
 * on an idle one, so budgets of confirming and minimizing are in nominal time: counted from what
 * the executions did, at the cost bench/ measures, never from a clock.
 */
#include "engine/plan/plan.h"

#define NOMINAL_BUDGET_NS 5000000000ull
#define NOMINAL_STEP_NS 300ull
#define NOMINAL_SWITCH_NS 25000ull /* of OS threads; fibers switch within a step */
#define NOMINAL_FORK_NS 1000000ull
#define NOMINAL_EXEC_NS 10000ull
/* Of a time that the user gave, the part that minimizing one finding may take, and at least. */
#define MINIMIZE_PART 8u
#define MINIMIZE_LEAST_NS 100000000ull

uint64_t
burl__nominal_cost(enum burl_wire_engine engine, enum burl_wire_reset reset,
                   const struct burl_run *run)
{
    return run->steps * NOMINAL_STEP_NS +
           (engine == BURL_ENGINE_THREADS ? run->n_switches * NOMINAL_SWITCH_NS : 0) +
           (reset == BURL_RESET_FORK ? NOMINAL_FORK_NS : 0);
}

uint64_t
burl__nominal_explored(enum burl_wire_engine engine, enum burl_wire_reset reset,
                       const struct burl_campaign_totals *t)
{
    return t->steps * NOMINAL_STEP_NS / 2 + t->executions * NOMINAL_EXEC_NS +
           (engine == BURL_ENGINE_THREADS ? t->switches * NOMINAL_SWITCH_NS : 0) +
           (reset == BURL_RESET_FORK ? t->executions * NOMINAL_FORK_NS : 0);
}

uint64_t
burl__nominal_minimize_ns(uint64_t time_ms)
{
    const uint64_t part = time_ms * 1000000u / MINIMIZE_PART;

    if (time_ms == 0 || part > NOMINAL_BUDGET_NS)
        return NOMINAL_BUDGET_NS;
    return part > MINIMIZE_LEAST_NS ? part : MINIMIZE_LEAST_NS;
}
