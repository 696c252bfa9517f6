/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/reads_from.c - makes a read see a given write, or the value from before all writes.
 *
 * Wolff, Shi, Duck, Mathur, Roychoudhury: "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024.
 * There an abstract schedule is a set of reads-from constraints between sites, and a scheduler
 * that follows a random order otherwise holds threads back as long as that helps a constraint.
 * Runs in the target; the edge is the goal of the order, and the host says which
 * (engine/goal/reads_from.c). Three rules:
 *   seek   the write has not happened: threads that stand at the read are passed over, until it
 *          has. For the initial value it is the other way round: threads that stand at any write
 *          of the variable are passed over until the read has happened.
 *   guard  the write has happened: nobody overwrites its bytes; who stands at the read goes at
 *          once, and the thread that wrote first leaves its critical sections if need be.
 *   after  the read has happened: nobody is held any more, and often the reader goes on alone for
 *          a while, so that what it makes of the value shows before anybody repairs it.
 * Where an access lies in a critical section, passing over a thread that is inside would lock the
 * others out: such a thread is held at its gate, where it takes its outermost lock.
 *
 * Departures from the paper:
 * - One constraint, always positive ("reads from", never "does not read from").
 * - The random order below is drawn per execution: priorities of threads that never change,
 *   threads that run on until they stop, partial order sampling (strategy/pos.c, the paper's), or a
 *   random walk. The first two leave crowds of threads unstarted, or finished, for long, which a
 *   fresh coin at every step never does; they are what an edge is first tried with.
 * - The thread that is expected to read (the goal says which thread did, if one did) is mostly
 *   the last of all for the initial value: what it would read first is decided by the writes
 *   that come before those held.
 *
 * Nothing here can block: threads that are passed over stay runnable, and when only such are left,
 * when nothing but polling happens, or when patience is over, one is let go.
 */
#include <string.h>

#include "hold.h"
#include "rt/core/core.h"
#include "rt/sched/op.h"
#include "rt/sched/sched.h"

#define MAX_HALVINGS 6u
#define MAX_OTHERS BURL_GOAL_MAX_WRITES
/* Places that listed writes touched; when there are more, reads of the rest count as initial. */
#define MAX_WRITTEN 64u

enum mode { SEEK, GUARD, DONE };
enum base { BASE_PRIORITY, BASE_RUN, BASE_POS, BASE_WALK };

static uint16_t list[BURL_MAX_THREADS];
static uint16_t held[BURL_MAX_THREADS];

static struct {
    uint32_t write; /* 0: the initial value */
    uint32_t read;
    uint32_t gate_read;
    uint32_t n_others;
    uint32_t others[MAX_OTHERS];
    uint32_t other_gates[MAX_OTHERS];
    enum mode mode;
    enum base base;
    uint16_t late;   /* thread that comes last, NONE */
    uint16_t writer; /* GUARD: thread that wrote */
    uint16_t second; /* GUARD: thread that was let through the gate of the read */
    uint16_t reader; /* DONE: thread that read, while it goes on alone */
    uint32_t skip;   /* visits that are let through before any is held */
    uintptr_t addr;  /* GUARD: what was written */
    uint64_t n;
    uint32_t n_written;
    struct {
        uintptr_t addr;
        uint64_t n;
    } written[MAX_WRITTEN];
} s;

/* None when the edge is new, because most sites are visited once; else none in half of the
 * executions, 1 in a quarter, ... */
static uint32_t
draw_skip(uint32_t tries)
{
    uint32_t n = 0;

    while (tries != 0 && n < 16 && burl_rng_below(2) == 0)
        n++;
    return n;
}

static enum base
draw_base(uint32_t tries)
{
    const uint32_t coin = burl_rng_below(20);

    if (coin < (tries == 0 ? 10u : 4u))
        return BASE_PRIORITY;
    if (coin < (tries == 0 ? 20u : 8u))
        return BASE_RUN;
    return coin < 17 ? BASE_POS : BASE_WALK;
}

/* Holding a thread at its gate is for what locks order. Where one of the two is not under any, the
 * other must be stopped inside its section: before it, both would be too early. When an edge comes
 * back, locks may not be what they seem (two different ones, say): then sometimes without. */
static bool
uses_gates(const struct burl_goal_reads_from *goal)
{
    const bool both = goal->read_gate != 0 && (goal->write == 0 || goal->write_gate != 0);

    return goal->attempt == 0 || burl_rng_below(3) != 0 ? both : !both;
}

static void
read_goal(const struct burl_goal_reads_from *goal)
{
    const bool gates = uses_gates(goal);

    s.write = goal->write;
    s.read = goal->read;
    s.gate_read = gates ? goal->read_gate : 0;
    if (s.gate_read == goal->write_gate)
        s.gate_read = 0; /* who stands there may be either */
    for (uint32_t i = 0; i < goal->n_others && i < MAX_OTHERS; i++) {
        const uint32_t gate = goal->others[i].gate;

        s.others[s.n_others] = goal->others[i].write;
        s.other_gates[s.n_others++] = !gates || gate == goal->read_gate ? 0 : gate;
    }
}

static void
reads_from_begin(const union burl_wire_args *args)
{
    const struct burl_goal_reads_from *goal = &args->goal.reads_from;
    const uint32_t tries = goal->attempt;

    burl_hold_begin(MAX_HALVINGS);
    memset(&s, 0, sizeof s);
    s.writer = BURL_TID_NONE;
    s.second = BURL_TID_NONE;
    s.reader = BURL_TID_NONE;
    s.late = BURL_TID_NONE;
    if (args->goal.kind == BURL_GOAL_READS_FROM)
        read_goal(goal);
    else
        s.mode = DONE;
    s.base = draw_base(tries);
    s.skip = draw_skip(tries);
    /* Many threads need many decisions until all of them are held: not too little at first. */
    burl_hold_draw(tries == 0 ? 4 : 0);
    if (s.mode == SEEK && s.write == 0 && (tries == 0 || burl_rng_below(4) != 0))
        s.late = (uint16_t)goal->reader;
}

static void
reads_from_thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    burl_hold_thread_new(tid);
    burl_thread_by_tid(tid)->priority = tid == s.late ? 0 : burl_rng_next() | 1;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool
may_read(uint8_t kind)
{
    return kind == BURL_OP_READ || kind == BURL_OP_ATOMIC_LOAD || kind == BURL_OP_ATOMIC_RMW ||
           kind == BURL_OP_ATOMIC_CAS;
}

static bool
may_write(uint8_t kind)
{
    return kind == BURL_OP_WRITE || kind == BURL_OP_ATOMIC_STORE || kind == BURL_OP_ATOMIC_RMW ||
           kind == BURL_OP_ATOMIC_CAS || kind == BURL_OP_FREE;
}

static bool
only_reads(uint8_t kind)
{
    return kind == BURL_OP_READ || kind == BURL_OP_ATOMIC_LOAD;
}

static bool
at_gate(const struct burl_thread *t, uint32_t gate)
{
    return gate != 0 && t->op.site == gate && burl__op_takes_lock(t->op.kind) && t->n_locks == 0;
}

/* Inside a critical section it is too late to hold a thread, if there is a gate for it. */
static bool
at_site(const struct burl_thread *t, uint32_t site, uint32_t gate)
{
    return t->op.site == site && (gate == 0 || t->n_locks == 0);
}

static bool
waits_to_read(const struct burl_thread *t)
{
    return (may_read(t->op.kind) && at_site(t, s.read, s.gate_read)) || at_gate(t, s.gate_read);
}

static bool
waits_to_write(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < s.n_others; i++) {
        if ((may_write(t->op.kind) && at_site(t, s.others[i], s.other_gates[i])) ||
            at_gate(t, s.other_gates[i]))
            return true;
    }
    return false;
}

/* Would it overwrite what is guarded? */
static bool
would_spoil(const struct burl_thread *t)
{
    if (may_write(t->op.kind))
        return burl__op_overlaps(&t->op, s.addr, s.n) && t->op.site != s.read;
    return waits_to_write(t);
}

/* Would it read what is guarded, now? */
static bool
completes(const struct burl_thread *t)
{
    return t->tid != s.writer && t->op.site == s.read && may_read(t->op.kind) &&
           burl__op_overlaps(&t->op, s.addr, s.n);
}

/* ---- holding -------------------------------------------------------------------------------- */

static void
enter(enum mode mode)
{
    s.mode = mode;
    burl_hold_enter_mode();
}

/* There is one role. While the write is guarded, every thread that would spoil it is held. */
static bool
wants_to_hold(uint32_t role)
{
    if (s.mode == GUARD)
        return true;
    if (s.skip != 0) {
        s.skip--;
        return false;
    }
    return burl_hold_wants(role);
}

/* Is the thread passed over? Decided once for each arrival. */
static bool
is_held(const struct burl_thread *t)
{
    bool place;

    if (s.mode == GUARD)
        place = would_spoil(t);
    else
        place = s.write == 0 ? waits_to_write(t) : waits_to_read(t);
    return place && burl_hold_is_held(t, 0, (uint8_t)s.mode, wants_to_hold);
}

static uint16_t
release_one(uint32_t n)
{
    burl_hold.stalls[0]++;
    return held[burl_hold_release(held, n)];
}

/* ---- choosing ------------------------------------------------------------------------------- */

static uint16_t
highest(const uint16_t *from, uint32_t n)
{
    const struct burl_thread *best = burl_rt.threads[from[0]];

    for (uint32_t i = 1; i < n; i++) {
        if (burl_rt.threads[from[i]]->priority > best->priority)
            best = burl_rt.threads[from[i]];
    }
    return best->tid;
}

static bool
conflict(const struct burl_op *a, const struct burl_op *b)
{
    return a->addr == b->addr && a->addr != 0 && !(only_reads(a->kind) && only_reads(b->kind));
}

/* The highest, and new coins for those in conflict with it (strategy/pos.c). */
static uint16_t
sample(const struct burl_choice *c, uint32_t n)
{
    const uint16_t best = highest(list, n);

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_rt.threads[c->runnable[i]];

        if (t->tid != best && conflict(&t->op, &burl_rt.threads[best]->op))
            t->priority = burl_rng_next();
    }
    return best;
}

/* The order that is followed where nothing is to be held: one of `n` threads in `list`. */
static uint16_t
pick_base(const struct burl_choice *c, uint32_t n)
{
    uint32_t k = 0;

    if (n == 1)
        return list[0];
    if (s.base == BASE_PRIORITY)
        return highest(list, n);
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] != s.late)
            list[k++] = list[i];
    }
    if (s.base == BASE_WALK)
        return burl_walk(c, list, k, burl_hold.stay_shift);
    if (s.base == BASE_POS)
        return sample(c, k);
    for (uint32_t i = 0; i < k; i++) {
        if (list[i] == c->current && !c->yielding)
            return c->current;
    }
    return list[burl_rng_below(k)];
}

static uint16_t
pick_all(const struct burl_choice *c)
{
    memcpy(list, c->runnable, c->n_runnable * sizeof *list);
    return pick_base(c, c->n_runnable);
}

/* Those that are at large come first in the base order; *n_held others are in `held`. */
static uint32_t
split(const struct burl_choice *c, uint32_t *n_held)
{
    uint32_t n = 0;

    *n_held = 0;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const uint16_t tid = c->runnable[i];

        if (is_held(burl_rt.threads[tid]))
            held[(*n_held)++] = tid;
        else
            list[n++] = tid;
    }
    return n;
}

static uint16_t
pick_seek(const struct burl_choice *c)
{
    uint32_t n_held;
    uint32_t n = split(c, &n_held);

    if (n_held != 0 && (n == 0 || burl_hold_is_quiet()))
        return release_one(n_held);
    return pick_base(c, n);
}

/* Who should go now that the write has happened; NONE: nobody in particular. */
static uint16_t
pick_reader(const struct burl_choice *c)
{
    const struct burl_thread *w = burl_rt.threads[s.writer];

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (completes(burl_rt.threads[c->runnable[i]]))
            return c->runnable[i];
    }
    if (s.second != BURL_TID_NONE && burl_choice_has(c, s.second) &&
        !would_spoil(burl_rt.threads[s.second]))
        return s.second;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] != s.writer && at_gate(burl_rt.threads[c->runnable[i]], s.gate_read)) {
            s.second = c->runnable[i];
            return s.second;
        }
    }
    if (w->n_locks != 0 && burl_choice_has(c, s.writer) && !would_spoil(w))
        return s.writer;
    return BURL_TID_NONE;
}

static uint16_t
pick_guard(const struct burl_choice *c)
{
    uint16_t tid = pick_reader(c);
    uint32_t n_held;
    uint32_t n;

    if (tid != BURL_TID_NONE && !burl_hold_is_quiet())
        return tid;
    n = split(c, &n_held);
    if (n_held != 0 && (n == 0 || burl_hold_is_quiet()))
        return release_one(n_held);
    return pick_base(c, n);
}

static uint16_t
reads_from_pick(const struct burl_choice *c)
{
    burl_hold.picks++;
    if (s.base == BASE_POS)
        burl_rt.threads[c->current]->priority = burl_rng_next();
    if (c->n_runnable == 1)
        return c->runnable[0];
    if (s.mode == SEEK)
        return pick_seek(c);
    if (s.mode == GUARD)
        return pick_guard(c);
    if (s.reader != BURL_TID_NONE && burl_choice_has(c, s.reader) &&
        burl_hold.picks - burl_hold.since < burl_hold.patience)
        return s.reader;
    return pick_all(c);
}

/* ---- what happened -------------------------------------------------------------------------- */

static void
meet(const struct burl_thread *t)
{
    burl_rt.exec.goal_hit = true;
    s.reader = burl_rng_below(2) == 0 ? t->tid : BURL_TID_NONE;
    s.late = BURL_TID_NONE;
    enter(DONE);
}

static bool
is_written(const struct burl_op *op)
{
    for (uint32_t i = 0; i < s.n_written; i++) {
        if (burl__op_overlaps(op, s.written[i].addr, s.written[i].n))
            return true;
    }
    return false;
}

static void
commit_initial(const struct burl_thread *t, const struct burl_op *op)
{
    if (op->site == s.read && may_read(op->kind) && !is_written(op)) {
        meet(t);
        return;
    }
    for (uint32_t i = 0; i < s.n_others && may_write(op->kind); i++) {
        if (op->site == s.others[i] && s.n_written < MAX_WRITTEN && !is_written(op)) {
            s.written[s.n_written].addr = op->addr;
            s.written[s.n_written++].n = burl__op_length(op);
        }
    }
}

static void
reads_from_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (s.mode == DONE || (!may_read(op->kind) && !may_write(op->kind)))
        return;
    if (s.write == 0) {
        commit_initial(t, op);
        return;
    }
    if (s.mode == GUARD && burl__op_overlaps(op, s.addr, s.n)) {
        if (op->site == s.read && may_read(op->kind) && t->tid != s.writer) {
            meet(t);
            return;
        }
        if (may_write(op->kind)) {
            s.second = BURL_TID_NONE;
            enter(SEEK);
        }
    }
    if (op->site == s.write && may_write(op->kind)) {
        s.writer = t->tid;
        s.addr = op->addr;
        s.n = burl__op_length(op);
        enter(GUARD);
    }
}

const struct burl_strategy_ops burl_strategy_reads_from = {
    .name = "reads-from",
    .begin = reads_from_begin,
    .thread_new = reads_from_thread_new,
    .pick = reads_from_pick,
    .commit = reads_from_commit,
};
