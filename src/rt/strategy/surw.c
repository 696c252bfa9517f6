/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/surw.c - selectively uniform random walk.
 *
 * Zhao, Wolff, Mathur, Roychoudhury: "Selectively Uniform Concurrency Testing", ASPLOS 2025. A
 * random walk over threads is far from uniform over interleavings: a short thread is over before
 * a long one has begun. Here the thread of the next event is drawn in proportion to how many
 * events each thread still has, which makes every interleaving of the events equally likely; and
 * only interesting events count, all operations on one variable, drawn anew for each execution.
 * A thread that stands at an interesting event and was not drawn is held; all others run freely,
 * as in a random walk, until the drawn one has done its event.
 *
 * How many events each thread has is the mean of a few executions (learn/profile.c). A thread that
 * does not exist yet counts for the one that created it, and when it is created the draw is
 * decided between the two.
 *
 * Departures:
 * - Interesting is one variable or sync object of the profile, two of them (many bugs are about how
 *   two belong together: with one alone the other's order is left to the walk), or every operation
 *   on shared ones; each execution draws which. Half of the draws prefer what threads turn about:
 *   among many cells that are passed on once, the index that says which is one of many too.
 * - The estimates are of another schedule. One execution in FLAT_SHARE ignores them, because orders
 *   that contradict them would never come. In the others a thread with more events than estimated
 *   keeps weight 1 while it stands at one; a drawn thread that cannot run (it waits for
 *   one that is held, has ended, or does nothing interesting for PATIENCE decisions) gives the draw
 *   back. Neither hangs, and what is lost is uniformity, not schedules.
 * - Without a profile every thread weighs 1: the plain random walk.
 */
#include <string.h>

#include "rt/core/strategy.h"
#include "rt/learn/learn.h"

#define PATIENCE 1000u
#define FLAT_SHARE 16u

static const struct burl_profile_var *vars[2];
static uint32_t n_vars; /* 0: everything shared is interesting */
static bool flat;       /* without estimates */
/* Events still to come, by thread; of a thread that is alive including those not created yet. */
static int64_t left[BURL_PROFILE_TIDS];
static int64_t whole[BURL_PROFILE_TIDS]; /* at the start, with those it will create */
static uint16_t intended;
static uint32_t waited; /* decisions since an interesting event */
static uint32_t stay_shift;

static uint32_t
slot(uint16_t tid)
{
    return tid < BURL_PROFILE_TIDS ? tid : BURL_PROFILE_TIDS - 1;
}

/* ---- what is interesting ---------------------------------------------------------- */

static bool
touches(const struct burl_profile_var *v, const struct burl_op *op)
{
    return op->addr == v->addr && burl_is_access(op) == (v->kind == BURL_PROFILE_MEMORY);
}

static bool
interesting(const struct burl_op *op)
{
    if (!burl__profile_counts(op))
        return false;
    if (n_vars == 0)
        return !burl_is_access(op) ||
               (op->site < burl_rt.points_n && burl_rt.points[op->site] != 0);
    return touches(vars[0], op) || (n_vars > 1 && touches(vars[1], op));
}

static enum burl_wire_interest
draw_interest(uint32_t interest)
{
    if (interest != BURL_INTEREST_DRAWN)
        return (enum burl_wire_interest)interest;
    switch (burl_rng_below(8)) {
    case 0:
        return BURL_INTEREST_ALL;
    case 1:
    case 2:
    case 3:
        return BURL_INTEREST_TWO;
    default:
        return BURL_INTEREST_ONE;
    }
}

/* How many of its operations could have come elsewhere: all but those of the thread that does most.
 * What is passed once from one thread to another has one, what they all turn about has many. */
static uint32_t
movable(const struct burl_wire_profile *p, const struct burl_profile_var *v)
{
    const uint32_t n = p->n_threads < BURL_PROFILE_TIDS ? p->n_threads : BURL_PROFILE_TIDS;
    uint32_t most = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (v->count[i] > most)
            most = v->count[i];
    }
    return v->total > most ? v->total - most : 1;
}

/* One of them: in half of the executions any, in the others the more movable the more likely. */
static const struct burl_profile_var *
draw_var(const struct burl_wire_profile *p, uint32_t n)
{
    uint64_t sum = 0;

    if (burl_rng_below(2) == 0)
        return &p->vars[burl_rng_below(n)];
    for (uint32_t i = 0; i < n; i++)
        sum += movable(p, &p->vars[i]);
    sum = burl_rng_next() % sum;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t w = movable(p, &p->vars[i]);

        if (sum < w)
            return &p->vars[i];
        sum -= w;
    }
    return &p->vars[0];
}

static void
draw_vars(const struct burl_wire_profile *p, enum burl_wire_interest what)
{
    const uint32_t n = p->n_vars < BURL_PROFILE_VARS ? p->n_vars : BURL_PROFILE_VARS;

    n_vars = 0;
    if (what == BURL_INTEREST_ALL || n == 0)
        return;
    vars[n_vars++] = draw_var(p, n);
    if (what == BURL_INTEREST_TWO && n > 1) {
        vars[n_vars++] = draw_var(p, n);
        if (vars[1] == vars[0])
            n_vars = 1;
    }
}

/* ---- how much is left --------------------------------------------------------------- */

static int64_t
estimate(const struct burl_wire_profile *p, uint32_t thread)
{
    int64_t n = 0;

    if (n_vars == 0)
        return p->ops[thread];
    for (uint32_t i = 0; i < n_vars; i++)
        n += vars[i]->count[thread];
    return n;
}

static void
surw_begin(const union burl_wire_args *args)
{
    const struct burl_wire_profile *p = burl_rt.profile;
    const uint32_t n = p->n_threads < BURL_PROFILE_TIDS ? p->n_threads : BURL_PROFILE_TIDS;

    flat =
        n == 0 || (args->surw.interest == BURL_INTEREST_DRAWN && burl_rng_below(FLAT_SHARE) == 0);
    intended = BURL_TID_NONE;
    waited = 0;
    stay_shift = burl_rng_below(2) * 2;
    draw_vars(p, draw_interest(args->surw.interest));
    memset(left, 0, sizeof left);
    memset(whole, 0, sizeof whole);
    for (uint32_t i = n; i > 0; i--) {
        const uint32_t t = i - 1;

        whole[t] += estimate(p, t);
        if (t > 0 && p->parent[t] < t)
            whole[p->parent[t]] += whole[t];
    }
}

static void
surw_thread_new(struct burl_thread *t)
{
    const uint32_t me = slot(t->tid);
    const uint16_t parent = t->parent;
    int64_t before;

    if (parent == BURL_TID_NONE || flat) {
        left[me] = flat ? 1 : whole[me];
        return;
    }
    before = left[slot(parent)];
    left[me] += whole[me];
    left[slot(parent)] = before > whole[me] ? before - whole[me] : 0;
    if (intended == parent && whole[me] > 0 && before > 0 &&
        (int64_t)(burl_rng_next() % (uint64_t)before) < whole[me])
        intended = t->tid;
}

/* ---- the next thread --------------------------------------------------------------------- */

/* At an event although none was expected any more, or one of unknown number: it counts little. */
static int64_t
weight(const struct burl_thread *t)
{
    const int64_t w = left[slot(t->tid)];

    if (t->state == BURL_THREAD_FINISHED)
        return 0;
    return w > 0 ? w : t->state == BURL_THREAD_RUNNABLE && interesting(&t->op);
}

/* The thread of the next interesting event, among all that live. */
static uint16_t
draw_intended(void)
{
    const uint32_t n = burl_rt.exec.n_threads;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += (uint64_t)weight(burl_rt.threads[i]);
    if (sum == 0)
        return BURL_TID_NONE;
    sum = burl_rng_next() % sum;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t w = (uint64_t)weight(burl_rt.threads[i]);

        if (sum < w)
            return (uint16_t)i;
        sum -= w;
    }
    return BURL_TID_NONE;
}

/* The same among the runnable threads, all of which are held. */
static uint16_t
draw_held(const struct burl_choice *c)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++)
        sum += (uint64_t)weight(burl_rt.threads[c->runnable[i]]) + 1;
    sum = burl_rng_next() % sum;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const uint64_t w = (uint64_t)weight(burl_rt.threads[c->runnable[i]]) + 1;

        if (sum < w)
            return c->runnable[i];
        sum -= w;
    }
    return c->runnable[0];
}

static uint16_t
surw_pick(const struct burl_choice *c)
{
    static uint16_t can[BURL_MAX_THREADS];
    uint32_t n = 0;

    if (intended == BURL_TID_NONE)
        intended = draw_intended();
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const uint16_t tid = c->runnable[i];

        if (tid == intended || !interesting(&burl_rt.threads[tid]->op))
            can[n++] = tid;
    }
    if (n > 0 && ++waited < PATIENCE)
        return burl_walk(c, can, n, stay_shift);
    waited = 0;
    intended = draw_held(c);
    return intended;
}

static void
surw_commit(const struct burl_thread *t, const struct burl_op *op)
{
    const uint32_t me = slot(t->tid);

    if (op->kind == BURL_OP_EXIT_THREAD) {
        if (t->tid < BURL_PROFILE_TIDS - 1)
            left[me] = 0;
    } else if (burl_rt.exec.n_alive < 2 || !interesting(op)) {
        return;
    } else {
        waited = 0;
        if (!flat && left[me] > 0)
            left[me]--;
    }
    if (t->tid == intended)
        intended = BURL_TID_NONE;
}

const struct burl_strategy_ops burl_strategy_surw = {
    .begin = surw_begin,
    .thread_new = surw_thread_new,
    .pick = surw_pick,
    .commit = surw_commit,
};
