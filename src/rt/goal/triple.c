/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/triple.c - another thread's `remote` between two accesses of one thread, on the same bytes.
 *
 * Park, Lu, Zhou: "CTrigger", ASPLOS 2009. A thread that did local_first is held at local_second
 * until another thread did `remote`, and a thread at `remote` until one did local_first. Where
 * local_second lies inside a critical section that `remote` needs too, that is too late; so in one
 * execution of two the thread is held before that, at its next lock.
 *
 * With installers, the other threads are held until each of these has done its store and holds no
 * lock; there it is held itself. What it has stored may be overwritten by what it does next.
 */
#include <string.h>

#include "rules.h"

enum triple_role { TRIPLE_REMOTE = 1, TRIPLE_SECOND = 2, TRIPLE_INSTALLED = 3, TRIPLE_WAITS = 4 };

/* A thread between its two accesses. */
static struct {
    bool armed;     /* it did local_first and not yet local_second */
    bool done;      /* and `remote` came in between */
    uintptr_t addr; /* bytes of local_first */
    uint64_t n;
    bool installed; /* an installer: it did its store */
} windows[BURL_MAX_THREADS];

static const struct burl_goal_triple *
triple_goal(void)
{
    return &burl_directed.goal->triple;
}

/* The site of an installer's store; 0: the thread is none. */
static uint32_t
triple_install_site(uint32_t tid)
{
    const uint32_t first = triple_goal()->installers;

    return first != 0 && tid >= first && tid - first < BURL_GOAL_MAX_INSTALLERS
               ? triple_goal()->install[tid - first]
               : 0;
}

static bool
triple_has_installed(const struct burl_thread *t)
{
    return windows[t->tid].installed && t->n_locks == 0;
}

static bool
triple_all_installed(void)
{
    const uint32_t first = triple_goal()->installers;

    for (uint32_t i = 0; i < BURL_GOAL_MAX_INSTALLERS && triple_goal()->install[i] != 0; i++) {
        if (first + i >= burl_rt.exec.n_threads ||
            !triple_has_installed(burl_rt.threads[first + i]))
            return false;
    }
    return true;
}

static void
triple_thread_new(const struct burl_thread *t)
{
    memset(&windows[t->tid], 0, sizeof windows[t->tid]);
}

static bool
triple_overlaps(uint32_t tid, const struct burl_op *op)
{
    return burl_op_overlaps(op, windows[tid].addr, windows[tid].n);
}

/* Is another thread between its two accesses on these bytes, and `remote` has not come yet? */
static bool
triple_is_open(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (i != t->tid && windows[i].armed && !windows[i].done && triple_overlaps(i, &t->op))
            return true;
    }
    return false;
}

static int
triple_role(const struct burl_thread *t)
{
    const bool open = windows[t->tid].armed && !windows[t->tid].done;

    if (triple_install_site(t->tid) != 0)
        return triple_has_installed(t) ? TRIPLE_INSTALLED : -1;
    if (triple_goal()->installers != 0 && t->tid != 0 && !triple_all_installed())
        return TRIPLE_WAITS;
    if (open && burl_directed.early && burl_kind_in(t->op.kind, BURL_KINDS_LOCK))
        return TRIPLE_SECOND;
    if (!burl_goal_is_access(&t->op))
        return -1;
    if (t->op.site == triple_goal()->local_second && open && triple_overlaps(t->tid, &t->op))
        return TRIPLE_SECOND;
    if (t->op.site == triple_goal()->remote && !triple_is_open(t))
        return TRIPLE_REMOTE;
    return -1;
}

static void
triple_follow(uint16_t tid)
{
    burl_directed.follow[0] = tid;
    burl_directed.follow[1] = BURL_TID_NONE;
}

/* local_first was done: a thread that waits at `remote` may come now, or while local_second is
 * held; the seed decides. */
static void
triple_call_remote(const struct burl_thread *t)
{
    if (burl_rng_below(2) == 0)
        return;
    for (uint32_t i = 0; i < burl_rt.exec.n_runnable; i++) {
        const struct burl_thread *u = burl_rt.threads[burl_rt.runnable[i]];

        if (u != t && u->op.site == triple_goal()->remote && burl_goal_is_access(&u->op) &&
            triple_overlaps(t->tid, &u->op)) {
            triple_follow(u->tid);
            return;
        }
    }
}

/* t did `remote`: for all threads between their two accesses on these bytes. */
static void
triple_note_remote(const struct burl_thread *t, const struct burl_op *op)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (i == t->tid || !windows[i].armed || !triple_overlaps(i, op))
            continue;
        windows[i].done = true;
        if (burl_rt.threads[i]->op.site == triple_goal()->local_second)
            triple_follow((uint16_t)i);
    }
}

static void
triple_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (!burl_goal_is_access(op))
        return;
    if (op->site == triple_install_site(t->tid))
        windows[t->tid].installed = true;
    if (op->site == triple_goal()->local_second && windows[t->tid].armed &&
        triple_overlaps(t->tid, op)) {
        if (windows[t->tid].done)
            burl_directed_meet();
        windows[t->tid].armed = false;
        windows[t->tid].done = false;
    }
    if (op->site == triple_goal()->remote)
        triple_note_remote(t, op);
    if (op->site == triple_goal()->local_first) {
        windows[t->tid].armed = true;
        windows[t->tid].done = false;
        windows[t->tid].addr = op->addr;
        windows[t->tid].n = burl_op_length(op);
        triple_call_remote(t);
    }
}

const struct burl_goal_rules burl_goal_triple_rules = {
    .thread_new = triple_thread_new,
    .role = triple_role,
    .commit = triple_commit,
};
