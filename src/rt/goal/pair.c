/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/pair.c - makes two sites adjacent: a, then directly b of another thread, on the same memory.
 *
 * Runs in the target, for orders DIRECTED with a goal of kind PAIR (the authors of the paper paused
 * threads by hand for this: Tasiran, Keremoglu, Muslu 2011, section 5). A random walk with three
 * rules, the first two before a has happened, the third after it:
 *   seek   a thread at a or at b is held until another one is at the other site. An access in a
 *          critical section would keep the other thread from its site; a thread on its way to one
 *          is held at its gate, where it takes a lock that it was seen to hold at the site (the
 *          goal has the gates, earlier orders found them).
 *   drive  once both are there, the first runs alone until it has done a.
 *   guard  then the bytes of a are guarded: no thread touches them but at b. A thread at b runs at
 *          once; else the partner runs, or the first thread until it has left its critical
 *          sections; others only when these cannot.
 * Which visit of a site is meant, which gate, and whether to hold at all is drawn per execution.
 *
 * Whether the pair was covered is for the LOCPAIRS observer to say (burl__pair_covered()); the
 * state here only steers. Trade-off: one guarded range at a time, the newest.
 */
#include <string.h>

#include "hold.h"
#include "rt/core/upcalls.h"
#include "rt/detect/observe.h"

#define MAX_HALVINGS 6u
/* Picks for which the first thread is driven towards a before that is given up. */
#define DRIVE_PICKS 4096u

enum { A = 0, B = 1, N_ROLES = 2 };
enum mode { SEEK, DRIVE, GUARD, DONE };

static struct {
    uint32_t site[N_ROLES];
    uint32_t gate[N_ROLES]; /* 0: hold at the site itself */
    bool holds[N_ROLES];
    uint16_t first;  /* thread that is to do a, or has done it */
    uint16_t second; /* thread that is to do b; NONE: any that comes */
    uintptr_t addr;  /* GUARD: the bytes */
    uint64_t n;
    bool left;      /* GUARD: the first thread was out of its critical sections once */
    uint32_t depth; /* DRIVE: locks that the first thread held at its gate */
} p;

static uint32_t
draw_gate(const uint32_t *gates)
{
    uint32_t n = 0;

    while (n < BURL_GOAL_MAX_GATES && gates[n] != 0)
        n++;
    if (n == 0 || burl_rng_below(4) == 0)
        return 0;
    return gates[burl_rng_below(n)];
}

/* 0 in half of the executions, 1 in a quarter, ... */
static uint32_t
draw_skip(void)
{
    uint32_t n = 0;

    while (n < 16 && burl_rng_below(2) != 0)
        n++;
    return n;
}

static void
pair_begin(const union burl_wire_args *args)
{
    const struct burl_goal_pair *goal = &args->goal.pair;
    const uint32_t *const gates[N_ROLES] = { goal->first_gates, goal->second_gates };
    const bool gated = gates[A][0] != 0 || gates[B][0] != 0;

    burl_hold_begin(MAX_HALVINGS);
    memset(&p, 0, sizeof p);
    p.site[A] = goal->first;
    p.site[B] = goal->second;
    for (uint32_t r = 0; r < N_ROLES; r++) {
        p.gate[r] = gated ? draw_gate(gates[r]) : 0;
        burl_hold.skip[r] = draw_skip();
        p.holds[r] = burl_rng_below(8) != 0;
    }
    p.first = BURL_TID_NONE;
    p.second = BURL_TID_NONE;
    burl_hold_draw(0);
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool
overlaps(const struct burl_op *op, uintptr_t addr, uint64_t n)
{
    return burl_is_access(op) && burl_op_overlaps(op, addr, n);
}

static const struct burl_op *
pending(uint16_t tid)
{
    return &burl_rt.threads[tid]->op;
}

static bool
stands_at(const struct burl_op *op, uint32_t role)
{
    return burl_is_access(op) && op->site == p.site[role];
}

/* Does the thread stand where it is held for this role? */
static bool
waits_as(const struct burl_op *op, uint32_t role)
{
    return p.gate[role] != 0 ? burl_hold_at_gate(op, p.gate[role]) : stands_at(op, role);
}

/* Would it end the guard without being b? */
static bool
would_spoil(const struct burl_thread *t)
{
    return overlaps(&t->op, p.addr, p.n) && (t->tid == p.first || t->op.site != p.site[B]);
}

static bool
completes(const struct burl_thread *t)
{
    return t->tid != p.first && t->op.site == p.site[B] && overlaps(&t->op, p.addr, p.n);
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool
wants_to_hold(uint32_t role)
{
    return p.holds[role] && burl_hold_wants(role);
}

static bool
is_held(const struct burl_thread *t)
{
    if (waits_as(&t->op, B))
        return burl_hold_is_held(t, B, 0, wants_to_hold);
    return waits_as(&t->op, A) && burl_hold_is_held(t, A, 0, wants_to_hold);
}

/* Can the two come together, as far as is known before they are at their sites? */
static bool
fit(const struct burl_op *a, const struct burl_op *b)
{
    if (!waits_as(a, A) || !waits_as(b, B))
        return false;
    if (stands_at(a, A) && stands_at(b, B))
        return overlaps(b, a->addr, burl_op_length(a));
    return true;
}

/* Finds two held threads that complete each other. */
static bool
meet(void)
{
    const uint32_t n = burl_hold.n_held;
    const uint32_t start = burl_rng_below(n);

    for (uint32_t k = 0; k < n; k++) {
        const uint16_t a = burl_held[(start + k) % n];

        for (uint32_t i = 0; i < n; i++) {
            const uint16_t b = burl_held[i];

            if (a == b || !fit(pending(a), pending(b)))
                continue;
            p.first = a;
            p.second = b;
            p.depth = burl_rt.threads[a]->n_locks;
            burl_hold_enter_mode(DRIVE);
            return true;
        }
    }
    return false;
}

/* Are threads at both sites, on different memory? Then the next visit may fit, and holding is no
 * mistake. */
static bool
have_both(void)
{
    bool at[N_ROLES] = { false, false };

    for (uint32_t i = 0; i < burl_hold.n_held; i++) {
        at[A] |= waits_as(pending(burl_held[i]), A);
        at[B] |= waits_as(pending(burl_held[i]), B);
    }
    return burl_hold.n_held > 1 && at[A] && at[B];
}

static uint16_t
pick_seek(const struct burl_choice *c)
{
    uint16_t tid;

    burl_hold_split(c, is_held);
    if (burl_hold.n_held > 1 && meet())
        return p.first;
    if (!burl_hold_must_release())
        return burl_hold_walk(c);
    tid = burl_hold_release();
    if (!have_both())
        burl_hold.stalls[waits_as(pending(tid), B) ? B : A]++;
    return tid;
}

/* Back to seeking. The partner stays where it is when only the first thread was at fault. */
static void
give_up(bool keep_second)
{
    burl_hold_marks[p.first].hold = false;
    if (p.second != BURL_TID_NONE && !keep_second)
        burl_hold_marks[p.second].hold = false;
    burl_hold.stalls[A]++;
    p.first = BURL_TID_NONE;
    p.second = BURL_TID_NONE;
    burl_hold_enter_mode(SEEK);
}

static uint16_t
give_up_and_walk(const struct burl_choice *c)
{
    give_up(false);
    return burl_hold_walk_all(c);
}

static uint16_t
give_up_and_seek(const struct burl_choice *c)
{
    give_up(true);
    return pick_seek(c);
}

/* Has the first thread gone past its gate, and out of the section again, without doing a? */
static bool
missed(void)
{
    const struct burl_thread *t = burl_rt.threads[p.first];

    return t->state == BURL_THREAD_FINISHED ||
           (p.gate[A] != 0 && t->n_locks <= p.depth && !waits_as(&t->op, A));
}

static bool
waits_for_first(const struct burl_thread *t)
{
    return t->tid == p.second || stands_at(&t->op, B);
}

/* The first thread runs until a; while it cannot, the threads that do not wait for it. */
static uint16_t
pick_drive(const struct burl_choice *c)
{
    if (missed())
        return give_up_and_seek(c);
    if (burl_hold.picks - burl_hold.since > DRIVE_PICKS || burl_hold_is_quiet())
        return give_up_and_walk(c);
    if (burl_choice_has(c, p.first))
        return p.first;
    burl_hold_split(c, waits_for_first);
    return burl_hold.n_at_large != 0 ? burl_hold_walk(c) : give_up_and_walk(c);
}

/* GUARD: also the threads that are held for a visit on other memory. */
static bool
is_kept_back(const struct burl_thread *t)
{
    return would_spoil(t) || is_held(t);
}

static bool
may_run(const struct burl_choice *c, uint16_t tid)
{
    return tid != BURL_TID_NONE && burl_choice_has(c, tid) && !would_spoil(burl_rt.threads[tid]);
}

static uint16_t
pick_guard(const struct burl_choice *c)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (completes(burl_rt.threads[c->runnable[i]]))
            return c->runnable[i];
    }
    if (burl_hold.picks - burl_hold.since > burl_hold.patience || burl_hold_is_quiet())
        return give_up_and_walk(c);
    p.left |= burl_rt.threads[p.first]->n_locks == 0;
    if (may_run(c, p.second))
        return p.second;
    if (!p.left && may_run(c, p.first))
        return p.first;
    burl_hold_split(c, is_kept_back);
    if (burl_hold.n_at_large == 0 && burl_rng_below(2) == 0)
        burl_hold_split(c, would_spoil);
    if (burl_hold.n_at_large != 0)
        return burl_hold_walk(c);
    return p.second == BURL_TID_NONE ? give_up_and_seek(c) : give_up_and_walk(c);
}

static uint16_t
pair_pick(const struct burl_choice *c)
{
    burl_hold.picks++;
    if (burl_hold.mode != DONE && burl_rt.exec.goal_hit)
        burl_hold_enter_mode(DONE);
    if (c->n_runnable == 1)
        return c->runnable[0];
    switch (burl_hold.mode) {
    case SEEK:
        return pick_seek(c);
    case DRIVE:
        return pick_drive(c);
    case GUARD:
        return pick_guard(c);
    default:
        return burl_hold_walk_all(c);
    }
}

/* ---- what happened -------------------------------------------------------------------------- */

/* Where the locks held at a site of the goal were taken, outermost first: gates of later orders. */
static void
note_gates(const struct burl_thread *t, uint32_t role)
{
    uint32_t *gates = burl_rt.ctl->result.pair_gates[role];
    const struct burl_watch *w = t->watch;

    for (uint32_t i = 0; w != NULL && i < burl_held_known(&w->held); i++) {
        uint32_t k = 0;

        while (k < BURL_GOAL_MAX_GATES && gates[k] != 0 && gates[k] != w->held.v[i].site)
            k++;
        if (k < BURL_GOAL_MAX_GATES)
            gates[k] = w->held.v[i].site;
    }
}

/* The thread that is held for b and may touch this memory there; BURL_TID_NONE: none. */
static uint16_t
partner(uint16_t except, const struct burl_op *a)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];

        if (i != except && burl_hold_marks[i].hold && burl_hold_marks[i].decided == t->n_ops + 1 &&
            t->state != BURL_THREAD_FINISHED && waits_as(&t->op, B) &&
            (!stands_at(&t->op, B) || overlaps(&t->op, a->addr, burl_op_length(a))))
            return (uint16_t)i;
    }
    return BURL_TID_NONE;
}

void
burl__pair_access(const struct burl_thread *t, const struct burl_op *op)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    bool guarded = burl_hold.mode == GUARD && overlaps(op, p.addr, p.n);

    for (uint32_t role = 0; role < N_ROLES; role++) {
        if (op->site != burl_rt.pair[role])
            continue;
        r->pair_visits[role]++;
        note_gates(t, role);
    }
    if (burl_rt.strategy != &burl_strategy_pair || burl_hold.mode == DONE)
        return;
    if (op->site == p.site[A] && (burl_hold.mode != DRIVE || t->tid == p.first)) {
        uint16_t second = burl_hold.mode == DRIVE ? p.second : partner(t->tid, op);

        /* No thread is near b: in half of the cases the walk just goes on. */
        if (second == BURL_TID_NONE && burl_hold.mode == SEEK && burl_rng_below(2) != 0)
            return;
        p.first = t->tid;
        p.second = second;
        p.addr = op->addr;
        p.n = burl_op_length(op);
        p.left = t->n_locks == 0;
        burl_hold_enter_mode(GUARD);
    } else if (guarded) {
        give_up(t->tid == p.first);
    }
}

const struct burl_strategy_ops burl_strategy_pair = {
    .begin = pair_begin,
    .thread_new = burl_hold_thread_new,
    .pick = pair_pick,
};
