/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/exits.c - how long the exit of the process is delayed while other threads run.
 *
 * Runs in the target. A program whose main returns without joining ends wherever the others are,
 * and a schedule that ends before they have begun shows little. To every strategy the exit is one
 * operation of one thread, as likely as any other: the more the others still have to do, the less
 * of it is ever seen. So a thread whose pending operation is the exit of the process is passed
 * over here, for a number of decisions that the seed decides: in half of the executions as long
 * as another thread makes progress, in a quarter not at all, in a quarter for some of the others'
 * operations, which then are the last that happen. The first schedule of a campaign always waits.
 *
 * Not for strategies that follow a list, number their schedules or try all of them. The exit is
 * only delayed, never lost: spinning threads are passed over too, so the exit happens when no other
 * thread is left, and threads that run forever are waited for LONGEST decisions.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "sched.h"

#define LONGEST 2000u
#define SHORT 64u
#define UNDELAYED                                                     \
    (1u << BURL_STRATEGY_NONPREEMPTIVE | 1u << BURL_STRATEGY_REPLAY | \
     1u << BURL_STRATEGY_EXHAUSTIVE | 1u << BURL_STRATEGY_DELAY | 1u << BURL_STRATEGY_PREEMPT)

static uint16_t others[BURL_MAX_THREADS];

void
burl__exits_begin(void)
{
    const uint32_t strategy = burl_rt.ctl->order.strategy;
    const uint64_t h = burl_mix64(burl_rt.exec.draw_seed ^ 0x65786974ull);

    if ((UNDELAYED >> strategy & 1) != 0)
        return;
    if (burl_rt.strategy == &burl_strategy_window || (h & 2) != 0)
        burl_rt.exec.exit_waits = LONGEST;
    else if ((h & 1) != 0)
        burl_rt.exec.exit_waits = 1 + (uint32_t)(h >> 32) % SHORT;
}

/* Removes threads that are about to exit the process from *list, n of them, unless there are no
 * others. Returns how many are left. */
uint32_t
burl__exits_pass_over(const uint16_t **list, uint32_t n)
{
    uint32_t left = 0;

    if (burl_rt.exec.exit_waits == 0)
        return n;
    for (uint32_t i = 0; i < n; i++) {
        if (burl_rt.threads[(*list)[i]]->op.kind != BURL_OP_EXIT_PROCESS)
            others[left++] = (*list)[i];
    }
    if (left == 0 || left == n)
        return n;
    burl_rt.exec.exit_waits--;
    *list = others;
    return left;
}
