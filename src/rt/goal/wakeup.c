/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/wakeup.c - a signal before the wait on the same condition variable.
 *
 * A thread is held at its wait, or where it takes the lock before that, until another thread has
 * signaled: a wait that does not check its condition first misses the signal. A thread that the
 * goal names runs until it is held, because the signaling thread may change what it checks.
 */
#include "rules.h"

enum wakeup_role { WAKEUP_WAIT = 1, WAKEUP_LOCK = 2 };

static void
wakeup_begin(void)
{
    const struct burl_goal_wakeup *goal = &burl_directed.goal->wakeup;

    if (goal->hold != BURL_HOLD_BY_SEED)
        burl_directed.early = goal->hold == BURL_HOLD_AT_LOCK;
    burl_directed.ahead = (uint16_t)goal->runs_first;
}

static int
wakeup_role(const struct burl_thread *t)
{
    const struct burl_goal_wakeup *goal = &burl_directed.goal->wakeup;

    if (burl_directed.early && goal->lock != 0)
        return burl_kind_in(t->op.kind, BURL_KINDS_LOCK) && t->op.site == goal->lock ? WAKEUP_LOCK
                                                                                     : -1;
    return t->op.kind == BURL_OP_COND_WAIT && t->op.site == goal->wait ? WAKEUP_WAIT : -1;
}

/* The goal is reached if the signal comes while a thread is held. That thread then goes on; where
 * no thread runs first it stays, for the signals that follow. */
static void
wakeup_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (op->site != burl_directed.goal->wakeup.signal ||
        (op->kind != BURL_OP_COND_SIGNAL && op->kind != BURL_OP_COND_BROADCAST))
        return;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (i != t->tid && burl_hold_marks[i].hold) {
            burl_directed.met = burl_directed.ahead != BURL_TID_NONE;
            burl_rt.exec.goal_hit = true;
        }
    }
}

const struct burl_goal_rules burl_goal_wakeup_rules = {
    .begin = wakeup_begin,
    .role = wakeup_role,
    .commit = wakeup_commit,
};
