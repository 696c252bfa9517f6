/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/pair.c - makes two sites adjacent: a, then directly b of another thread, on the same memory.
 *
 * Runs in the target, for orders DIRECTED with a goal of kind PAIR (the paper's authors paused
 * threads by hand for this: Tasiran, Keremoglu, Muslu 2011, section 5). A random walk with three
 * rules, the first two before a has happened, the third after it:
 *   hold   a thread that stands at a or at b is passed over until another stands at the other
 *          one. Where the access lies in a critical section that would be too late, because the
 *          other thread cannot come near it then: such a thread is held at its gate, the place
 *          where it takes a lock that it was seen to hold at the site (the goal brings the gates,
 *          earlier orders found them).
 *   drive  once both are there the first goes on alone until it has done a.
 *   guard  from then on the bytes of a are guarded: nobody touches them but at b. Who stands at b
 *          goes at once; else the partner runs, or the first thread as long as it needs to leave
 *          its critical sections; others only when these cannot.
 * Which visit of a site is meant, which gate, and whether to hold at all is drawn per execution.
 *
 * Nothing here can block: threads that are passed over stay runnable, and when only such are left,
 * when nothing but polling happens, or when patience is over, one is let go. So no deadlock
 * is of our making, and what cannot be adjacent is not met; the walk goes on to its end.
 *
 * Whether the pair was covered is the LOCPAIRS observer's to say (burl__pair_covered()); the
 * bookkeeping here only steers. Trade-off: one guarded range at a time, the newest.
 */
#include <string.h>

#include "hold.h"
#include "rt/core/core.h"
#include "rt/core/upcalls.h"
#include "rt/detect/observe.h"
#include "rt/sched/op.h"

#define MAX_HALVINGS 6u
/* Picks for which the first thread is driven towards a before that is given up. */
#define DRIVE_PICKS 4096u

enum { A = 0, B = 1, N_ROLES = 2 };
enum mode { SEEK, DRIVE, GUARD, DONE };

static uint16_t list[BURL_MAX_THREADS];

static struct {
    uint32_t site[N_ROLES];
    uint32_t gate[N_ROLES]; /* 0: hold at the site itself */
    uint32_t skip[N_ROLES]; /* visits that are let through before any is held */
    bool holds[N_ROLES];
    enum mode mode;
    uint16_t first;  /* thread that is to do a, or has done it */
    uint16_t second; /* thread that is to do b; NONE: whoever comes */
    uintptr_t addr;  /* GUARD: the bytes */
    uint64_t n;
    bool left;      /* GUARD: the first thread was out of its sections once */
    uint32_t depth; /* DRIVE: locks the first thread held at its gate */
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
        p.skip[r] = draw_skip();
        p.holds[r] = burl_rng_below(8) != 0;
    }
    p.first = BURL_TID_NONE;
    p.second = BURL_TID_NONE;
    burl_hold_draw(0);
}

static void
pair_thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_hold_thread_new(tid);
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool
is_access(uint8_t kind)
{
    return kind >= BURL_OP_READ && kind <= BURL_OP_ATOMIC_CAS;
}

static bool
overlaps(const struct burl_op *op, uintptr_t addr, uint64_t n)
{
    return is_access(op->kind) && burl__op_overlaps(op, addr, n);
}

static const struct burl_op *
pending(uint16_t tid)
{
    return &burl_rt.threads[tid]->op;
}

static bool
stands_at(const struct burl_op *op, uint32_t role)
{
    return is_access(op->kind) && op->site == p.site[role];
}

/* Does the thread stand where it is held for this role? */
static bool
waits_as(const struct burl_op *op, uint32_t role)
{
    if (p.gate[role] != 0)
        return burl__op_takes_lock(op->kind) && op->site == p.gate[role];
    return stands_at(op, role);
}

/* Would it end the guard without being b? */
static bool
would_spoil(uint16_t tid)
{
    const struct burl_op *op = pending(tid);

    return overlaps(op, p.addr, p.n) && (tid == p.first || op->site != p.site[B]);
}

static bool
completes(uint16_t tid)
{
    const struct burl_op *op = pending(tid);

    return tid != p.first && op->site == p.site[B] && overlaps(op, p.addr, p.n);
}

/* ---- choosing ------------------------------------------------------------------------------- */

static void
enter(enum mode mode)
{
    p.mode = mode;
    burl_hold_enter_mode();
}

static bool
wants_to_hold(uint32_t role)
{
    if (!p.holds[role])
        return false;
    if (p.skip[role] != 0) {
        p.skip[role]--;
        return false;
    }
    return burl_hold_wants(role);
}

/* Is the thread passed over while both are sought? Decided once for each arrival. */
static bool
is_held(const struct burl_thread *t)
{
    uint32_t role;

    if (waits_as(&t->op, B))
        role = B;
    else if (waits_as(&t->op, A))
        role = A;
    else
        return false;
    return burl_hold_is_held(t, role, 0, wants_to_hold);
}

/* Can the two come together, as far as is known before they are at their sites? */
static bool
fit(const struct burl_op *a, const struct burl_op *b)
{
    if (!waits_as(a, A) || !waits_as(b, B))
        return false;
    if (stands_at(a, A) && stands_at(b, B))
        return overlaps(b, a->addr, burl__op_length(a));
    return true;
}

/* Two held threads that complete each other. */
static bool
meet(const uint16_t *held, uint32_t n)
{
    uint32_t start = burl_rng_below(n);

    for (uint32_t k = 0; k < n; k++) {
        uint16_t a = held[(start + k) % n];

        for (uint32_t i = 0; i < n; i++) {
            uint16_t b = held[i];

            if (a == b || !fit(pending(a), pending(b)))
                continue;
            p.first = a;
            p.second = b;
            p.depth = burl_rt.threads[a]->n_locks;
            enter(DRIVE);
            return true;
        }
    }
    return false;
}

/* Are both sites there, on different memory? Then the next visit may fit, and holding is no
 * mistake. */
static bool
have_both(const uint16_t *held, uint32_t n)
{
    bool at[N_ROLES] = { false, false };

    for (uint32_t i = 0; i < n; i++) {
        at[A] |= waits_as(pending(held[i]), A);
        at[B] |= waits_as(pending(held[i]), B);
    }
    return n > 1 && at[A] && at[B];
}

static uint16_t
release_one(const uint16_t *held, uint32_t n)
{
    const uint16_t tid = held[burl_hold_release(held, n)];

    if (!have_both(held, n))
        burl_hold.stalls[waits_as(pending(tid), B) ? B : A]++;
    return tid;
}

static uint16_t
pick_seek(const struct burl_choice *c)
{
    static uint16_t held[BURL_MAX_THREADS];
    uint32_t n_held = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        uint16_t tid = c->runnable[i];

        if (is_held(burl_rt.threads[tid]))
            held[n_held++] = tid;
        else
            list[n++] = tid;
    }
    if (n_held > 1 && meet(held, n_held))
        return p.first;
    if (n_held != 0 && (n == 0 || burl_hold_is_quiet()))
        return release_one(held, n_held);
    return burl_walk(c, list, n, burl_hold.stay_shift);
}

/* Back to seeking. The partner stays where it is when the first thread alone was at fault. */
static void
give_up(bool keep_second)
{
    burl_hold_marks[p.first].hold = false;
    if (p.second != BURL_TID_NONE && !keep_second)
        burl_hold_marks[p.second].hold = false;
    burl_hold.stalls[A]++;
    p.first = BURL_TID_NONE;
    p.second = BURL_TID_NONE;
    enter(SEEK);
}

/* Has the first thread gone past its gate, and out of the section again, without doing a? */
static bool
missed(void)
{
    const struct burl_thread *t = burl_rt.threads[p.first];

    return t->state == BURL_THREAD_FINISHED ||
           (p.gate[A] != 0 && t->n_locks <= p.depth && !waits_as(&t->op, A));
}

/* The first thread goes on to a; while it cannot, those that neither wait for it nor stand at
 * the second site. */
static uint16_t
pick_drive(const struct burl_choice *c)
{
    uint32_t n = 0;

    if (missed()) {
        give_up(true);
        return pick_seek(c);
    }
    if (burl_hold.picks - burl_hold.since > DRIVE_PICKS || burl_hold_is_quiet()) {
        give_up(false);
        return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
    }
    if (burl_choice_has(c, p.first))
        return p.first;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] != p.second && !stands_at(pending(c->runnable[i]), B))
            list[n++] = c->runnable[i];
    }
    if (n == 0) {
        give_up(false);
        return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
    }
    return burl_walk(c, list, n, burl_hold.stay_shift);
}

/* Those that may run while the bytes are guarded, into `list`; with or without those that are held
 * for a visit on other memory. */
static uint32_t
at_large(const struct burl_choice *c, bool keep_held)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const uint16_t tid = c->runnable[i];

        if (!would_spoil(tid) && !(keep_held && is_held(burl_rt.threads[tid])))
            list[n++] = tid;
    }
    return n;
}

static uint16_t
pick_guard(const struct burl_choice *c)
{
    const struct burl_thread *first = burl_rt.threads[p.first];
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (completes(c->runnable[i]))
            return c->runnable[i];
    }
    if (burl_hold.picks - burl_hold.since > burl_hold.patience || burl_hold_is_quiet()) {
        give_up(false);
        return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
    }
    p.left |= first->n_locks == 0;
    if (p.second != BURL_TID_NONE && burl_choice_has(c, p.second) && !would_spoil(p.second))
        return p.second;
    if (!p.left && burl_choice_has(c, p.first) && !would_spoil(p.first))
        return p.first;
    n = at_large(c, true);
    if (n == 0 && burl_rng_below(2) == 0)
        n = at_large(c, false);
    if (n == 0 && p.second == BURL_TID_NONE) {
        give_up(true);
        return pick_seek(c);
    }
    if (n == 0) {
        give_up(false);
        return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
    }
    return burl_walk(c, list, n, burl_hold.stay_shift);
}

static uint16_t
pair_pick(const struct burl_choice *c)
{
    burl_hold.picks++;
    if (p.mode != DONE && burl_rt.exec.goal_hit)
        enter(DONE);
    if (c->n_runnable == 1)
        return c->runnable[0];
    switch (p.mode) {
    case SEEK:
        return pick_seek(c);
    case DRIVE:
        return pick_drive(c);
    case GUARD:
        return pick_guard(c);
    default:
        return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
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

/* Who is held for b, and may touch this memory there. */
static uint16_t
partner(uint16_t except, const struct burl_op *a)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];

        if (i != except && burl_hold_marks[i].hold && burl_hold_marks[i].decided == t->n_ops + 1 &&
            t->state != BURL_THREAD_FINISHED && waits_as(&t->op, B) &&
            (!stands_at(&t->op, B) || overlaps(&t->op, a->addr, burl__op_length(a))))
            return (uint16_t)i;
    }
    return BURL_TID_NONE;
}

void
burl__pair_access(const struct burl_thread *t, const struct burl_op *op)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    bool guarded = p.mode == GUARD && overlaps(op, p.addr, p.n);

    for (uint32_t role = 0; role < N_ROLES; role++) {
        if (op->site != burl_rt.pair[role])
            continue;
        r->pair_visits[role]++;
        note_gates(t, role);
    }
    if (burl_rt.strategy != &burl_strategy_pair || p.mode == DONE)
        return;
    if (op->site == p.site[A] && (p.mode != DRIVE || t->tid == p.first)) {
        uint16_t second = p.mode == DRIVE ? p.second : partner(t->tid, op);

        /* Nobody is near b: in half of the cases the walk just goes on. */
        if (second == BURL_TID_NONE && p.mode == SEEK && burl_rng_below(2) != 0)
            return;
        p.first = t->tid;
        p.second = second;
        p.addr = op->addr;
        p.n = burl__op_length(op);
        p.left = t->n_locks == 0;
        enter(GUARD);
    } else if (guarded) {
        give_up(t->tid == p.first);
    }
}

const struct burl_strategy_ops burl_strategy_pair = {
    .name = "pair",
    .begin = pair_begin,
    .thread_new = pair_thread_new,
    .pick = pair_pick,
};
