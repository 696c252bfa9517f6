/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.c - how long the end of the process waits for what other threads still do.
 *
 * Runs in the target. A program whose main returns without joining ends wherever the others are,
 * and a schedule is worth little when it ends before they have begun. To every strategy the exit
 * is one operation of one thread, as likely as any other: the more the others still have to do,
 * the less of it is ever seen. So a thread that stands before the end of the process is passed
 * over here, for a number of decisions that the seed says: in half of the executions for as long
 * as anybody else gets on, in a quarter not at all, in a quarter for some of the others'
 * operations, which then are the last that happen. The first schedule of a campaign, which is to
 * show what there is, always waits.
 *
 * Not for strategies that follow a list, number their schedules or try all of them. What is left
 * out is only delayed, never lost: threads that wait in loops are passed over too and the exit
 * comes when nobody else is left, and threads that go on for ever are waited for LONGEST decisions.
 */
#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "sched.h"

#define LONGEST 2000u
#define SHORT 64u

static uint16_t others[BURL_MAX_THREADS];

void
burl__exits_begin(void)
{
    const uint32_t strategy = burl_rt.ctl->order.strategy;
    const uint64_t h = burl_mix64(burl_rt.exec.seed ^ 0x65786974ull);

    burl_rt.exec.any_exiting = false;
    burl_rt.exec.exit_waits = 0;
    if (strategy == BURL_STRATEGY_NONPREEMPTIVE || strategy == BURL_STRATEGY_REPLAY ||
        strategy == BURL_STRATEGY_EXHAUSTIVE || strategy == BURL_STRATEGY_DELAY ||
        strategy == BURL_STRATEGY_PREEMPT)
        return;
    if (burl_rt.strategy == &burl_strategy_window || (h & 2) != 0)
        burl_rt.exec.exit_waits = LONGEST;
    else if ((h & 1) != 0)
        burl_rt.exec.exit_waits = 1 + (uint32_t)(h >> 32) % SHORT;
}

/* Takes threads that stand before the end of the process out of *list, n of them, unless there are
 * no others. The number that is left. */
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
