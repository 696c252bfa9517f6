/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proof/prove_small.c - the search of all interleavings as part of the default search.
 *
 * Runs in the host. A test that looks small is searched whole, within a bound that grows with
 * what was spent on it otherwise: when all its interleavings were explored there is nothing left
 * to try. What the search cannot finish it leaves to the other strategies, and goes on later.
 */
#include "engine/engine_int.h"

/* A test is worth searching whole when its executions have at most so many decisions and threads;
 * more would take too long, however well the search prunes. */
#define SMALL_POINTS 600u
#define SMALL_THREADS 12u
/* Executions that are worth a search, of the one right after the opening (a test with few
 * interleavings is proven before anything else is tried), of the next one, and the growth of
 * those after it. */
#define SEARCH_LEAST 16u
#define SEARCH_AT_ONCE 96u
/* Visible operations of an execution, on average, above which that one is not tried. */
#define SEARCH_AT_ONCE_STEPS 20000u
#define SEARCH_FIRST 1000u
#define SEARCH_GROWTH 8u
/* Visible operations of one of its executions, at most. One that takes longer goes round in a loop,
 * and the search, which need not be fair, would do little else. */
#define STEPS_AT_MOST 20000u
/* A long search (one that is more than a second) must be worth its time: one of its executions
 * costs as much as so many others, since it keeps clocks, watches for races and has one process. It
 * grows slowly, so that no stretch of the campaign is spent on it alone. */
#define SEARCH_SHORT 10000u
#define SEARCH_COST 6u
#define SEARCH_GROWTH_LONG 2u
/* One that, by its position, needs more than so many times its next bound gets a small part of that
 * share. Estimates err by orders of magnitude: what sleeps makes later branches smaller than
 * earlier ones, and races found later add branches. */
#define SEARCH_FAR 64u
#define SEARCH_FAR_PART 16u

uint64_t
burl__prove_after(uint64_t most, double expected)
{
    if (most <= SEARCH_FIRST)
        return 0;
    if (most <= SEARCH_SHORT)
        return 2 * most;
    return 2 * most * SEARCH_COST * (expected > (double)most * SEARCH_FAR ? SEARCH_FAR_PART : 1);
}

uint64_t
burl__prove_next(uint64_t most)
{
    return most < SEARCH_FIRST   ? SEARCH_FIRST
           : most < SEARCH_SHORT ? most * SEARCH_GROWTH
                                 : most * SEARCH_GROWTH_LONG;
}

enum burl_status
burl__prove_small(struct burl_campaign *c, struct burl_err *err)
{
    const uint64_t left = burl__campaign_runs_left(c);
    const uint64_t done = c->stats->all.executions;
    uint64_t most = c->proof.next_bound;
    enum burl_status st;

    if (most == 0)
        most = SEARCH_AT_ONCE;
    if (!c->plan.portfolio || c->learned.reduced || c->proof.hopeless ||
        c->stats->nondeterministic || c->learned.max_points > SMALL_POINTS ||
        c->stats->max_threads > SMALL_THREADS ||
        (c->proof.next_bound == 0 && c->stats->all.steps / (done + 1) > SEARCH_AT_ONCE_STEPS) ||
        done < burl__prove_after(most, burl__frontier_expected(&c->proof.searched)))
        return BURL_OK;
    /* It goes on where it was left. */
    if (most - c->proof.executions > left / 4)
        most = c->proof.executions + left / 4; /* the rest of the campaign is for everything else */
    if (most - c->proof.executions < SEARCH_LEAST)
        return BURL_OK;
    st = burl__search_whole(c, most, STEPS_AT_MOST, err);
    if (st == BURL_OK && c->stats->search.complete)
        burl__campaign_end(c, BURL_CAMPAIGN_END_EXPLORED);
    c->proof.next_bound = c->proof.next_bound == 0 ? SEARCH_FIRST : burl__prove_next(most);
    return st;
}
