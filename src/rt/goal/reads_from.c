/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/reads_from.c - makes a read return a given write, or the value from before all writes.
 *
 * Wolff, Shi, Duck, Mathur, Roychoudhury: "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024.
 * There an abstract schedule is a set of reads-from constraints between sites, and a scheduler with
 * a random order holds threads back as long as that helps a constraint. Runs in the target; the
 * edge is the goal of the order, and the host chooses it (engine/goal/reads_from.c). Three rules:
 *   seek   before the write: threads at the read are held until it has happened. For the initial
 *          value: threads at any write of the variable are held until the read has happened.
 *   guard  after the write: no thread overwrites its bytes; a thread at the read runs at once, and
 *          the thread that wrote first leaves its critical sections if need be.
 *   done   after the read: no thread is held. Often the reader runs alone for a while, so that what
 *          it does with the value shows before another thread repairs it.
 * Where an access lies in a critical section, holding a thread inside would lock the others out:
 * such a thread is held at its gate, where it takes its outermost lock.
 *
 * Departures from the paper:
 * - One constraint, always positive ("reads from", never "does not read from").
 * - The random order is drawn per execution: priorities of threads that never change, threads that
 *   run until they stop, partial order sampling (strategy/pos.c, the paper's), or a random walk.
 *   The first two leave many threads unstarted, or finished, for long, which a random walk never
 *   does; an edge is first tried with them.
 * - The thread that is expected to read (the goal says which thread did, if one did) mostly runs
 *   last for the initial value: what it would read first is decided by the writes that come before
 *   those held.
 */
#include <string.h>

#include "hold.h"

#define MAX_HALVINGS 6u
#define MAX_OTHERS BURL_GOAL_MAX_WRITES
/* Places that listed writes touched; when there are more, reads of the rest count as initial. */
#define MAX_WRITTEN 64u
#define KINDS_WRITE (BURL_KINDS_WRITE | BURL_KIND(FREE))

enum mode { SEEK, GUARD, DONE };
enum base { BASE_PRIORITY, BASE_RUN, BASE_POS, BASE_WALK };

static struct {
    uint32_t write; /* 0: the initial value */
    uint32_t read;
    uint32_t gate_read;
    uint32_t n_others;
    uint32_t others[MAX_OTHERS];
    uint32_t other_gates[MAX_OTHERS];
    enum base base;
    uint16_t late;   /* thread that runs last, NONE */
    uint16_t writer; /* GUARD: thread that wrote */
    uint16_t second; /* GUARD: thread that was let through the gate of the read */
    uint16_t reader; /* DONE: thread that read, while it goes on alone */
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
        s.gate_read = 0; /* a thread there may be on its way to either */
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
        burl_hold.mode = DONE;
    s.base = draw_base(tries);
    burl_hold.skip[0] = draw_skip(tries);
    /* Many threads need many decisions until all of them are held: not too little at first. */
    burl_hold_draw(tries == 0 ? 4 : 0);
    if (burl_hold.mode == SEEK && s.write == 0 && (tries == 0 || burl_rng_below(4) != 0))
        s.late = (uint16_t)goal->reader;
}

static void
reads_from_thread_new(struct burl_thread *t)
{
    burl_hold_thread_new(t);
    t->priority = t->tid == s.late ? 0 : burl_rng_next() | 1;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool
may_read(const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_READ);
}

static bool
may_write(const struct burl_op *op)
{
    return burl_kind_in(op->kind, KINDS_WRITE);
}

static bool
at_gate(const struct burl_thread *t, uint32_t gate)
{
    return burl_hold_at_gate(&t->op, gate) && t->n_locks == 0;
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
    return (may_read(&t->op) && at_site(t, s.read, s.gate_read)) || at_gate(t, s.gate_read);
}

static bool
waits_to_write(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < s.n_others; i++) {
        if ((may_write(&t->op) && at_site(t, s.others[i], s.other_gates[i])) ||
            at_gate(t, s.other_gates[i]))
            return true;
    }
    return false;
}

/* Would it overwrite what is guarded? */
static bool
would_spoil(const struct burl_thread *t)
{
    if (may_write(&t->op))
        return burl_op_overlaps(&t->op, s.addr, s.n) && t->op.site != s.read;
    return waits_to_write(t);
}

/* Would it read what is guarded, now? */
static bool
completes(const struct burl_thread *t)
{
    return t->tid != s.writer && t->op.site == s.read && may_read(&t->op) &&
           burl_op_overlaps(&t->op, s.addr, s.n);
}

/* ---- holding -------------------------------------------------------------------------------- */

/* There is one role. While the write is guarded, every thread that would spoil it is held. */
static bool
wants_to_hold(uint32_t role)
{
    return burl_hold.mode == GUARD || burl_hold_wants(role);
}

static bool
is_held(const struct burl_thread *t)
{
    bool place;

    if (burl_hold.mode == GUARD)
        place = would_spoil(t);
    else
        place = s.write == 0 ? waits_to_write(t) : waits_to_read(t);
    return place && burl_hold_is_held(t, 0, burl_hold.mode, wants_to_hold);
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* The random order where nothing is to be held: one of the threads in `list`, which may change. */
static uint16_t
pick_base(const struct burl_choice *c, uint16_t *list, uint32_t n)
{
    uint32_t k = 0;

    if (n == 1)
        return list[0];
    if (s.base == BASE_PRIORITY)
        return burl_highest(list, n)->tid;
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] != s.late)
            list[k++] = list[i];
    }
    if (s.base == BASE_WALK)
        return burl_walk(c, list, k, burl_hold.stay_shift);
    if (s.base == BASE_POS) {
        struct burl_thread *best = burl_highest(list, k);

        burl_redraw_conflicts(c, best);
        return best->tid;
    }
    for (uint32_t i = 0; i < k; i++) {
        if (list[i] == c->current && !c->yielding)
            return c->current;
    }
    return list[burl_rng_below(k)];
}

static uint16_t
pick_all(const struct burl_choice *c)
{
    memcpy(burl_at_large, c->runnable, c->n_runnable * sizeof *burl_at_large);
    return pick_base(c, burl_at_large, c->n_runnable);
}

/* A held thread that must be released, else one at large. */
static uint16_t
pick_unheld(const struct burl_choice *c)
{
    burl_hold_split(c, is_held);
    if (!burl_hold_must_release())
        return pick_base(c, burl_at_large, burl_hold.n_at_large);
    burl_hold.stalls[0]++;
    return burl_hold_release();
}

/* The thread that is to run now that the write has happened; NONE: none in particular. */
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
reads_from_pick(const struct burl_choice *c)
{
    burl_hold.picks++;
    if (s.base == BASE_POS)
        burl_rt.threads[c->current]->priority = burl_rng_next();
    if (c->n_runnable == 1)
        return c->runnable[0];
    if (burl_hold.mode == GUARD) {
        const uint16_t tid = pick_reader(c);

        return tid != BURL_TID_NONE && !burl_hold_is_quiet() ? tid : pick_unheld(c);
    }
    if (burl_hold.mode == SEEK)
        return pick_unheld(c);
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
    burl_hold_enter_mode(DONE);
}

static bool
is_written(const struct burl_op *op)
{
    for (uint32_t i = 0; i < s.n_written; i++) {
        if (burl_op_overlaps(op, s.written[i].addr, s.written[i].n))
            return true;
    }
    return false;
}

static void
commit_initial(const struct burl_thread *t, const struct burl_op *op)
{
    if (op->site == s.read && may_read(op) && !is_written(op)) {
        meet(t);
        return;
    }
    for (uint32_t i = 0; i < s.n_others && may_write(op); i++) {
        if (op->site == s.others[i] && s.n_written < MAX_WRITTEN && !is_written(op)) {
            s.written[s.n_written].addr = op->addr;
            s.written[s.n_written++].n = burl_op_length(op);
        }
    }
}

static void
reads_from_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (burl_hold.mode == DONE || (!may_read(op) && !may_write(op)))
        return;
    if (s.write == 0) {
        commit_initial(t, op);
        return;
    }
    if (burl_hold.mode == GUARD && burl_op_overlaps(op, s.addr, s.n)) {
        if (op->site == s.read && may_read(op) && t->tid != s.writer) {
            meet(t);
            return;
        }
        if (may_write(op)) {
            s.second = BURL_TID_NONE;
            burl_hold_enter_mode(SEEK);
        }
    }
    if (op->site == s.write && may_write(op)) {
        s.writer = t->tid;
        s.addr = op->addr;
        s.n = burl_op_length(op);
        burl_hold_enter_mode(GUARD);
    }
}

const struct burl_strategy_ops burl_strategy_reads_from = {
    .begin = reads_from_begin,
    .thread_new = reads_from_thread_new,
    .pick = reads_from_pick,
    .commit = reads_from_commit,
};
