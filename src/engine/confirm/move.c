/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/move.c - the executions with a step moved; contract in move.h.
 *
 * Runs in the host; knows nothing of processes: the caller runs the executions.
 *
 * The operations of the trace are put into the wanted order: up to the step to be moved as they
 * were, then all but those of its thread (or only those of the other one) up to the operation that
 * is to come first, then what was held back, then the rest. Where neighbors are of different
 * threads there is a switch. Such an order may be impossible: the thread holds a lock that the
 * other needs. Then it is held where it takes that lock, and so on outwards. Whether an execution
 * has the wanted order is read from its own trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/confirm/move.h"

/* Locks around the step, from the inside outwards, before which it is tried to hold it. */
#define MAX_HOLDS 4u

static bool
takes_lock(uint8_t kind)
{
    return kind == BURL_OP_LOCK || kind == BURL_OP_TRYLOCK || kind == BURL_OP_TIMEDLOCK ||
           kind == BURL_OP_RDLOCK || kind == BURL_OP_WRLOCK || kind == BURL_OP_SEM_WAIT ||
           kind == BURL_OP_START;
}

/* The event that is operation `op` of the thread, SIZE_MAX none. */
static size_t
find_op(const struct burl_run *run, uint16_t tid, uint32_t op)
{
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *e = &run->events[i];

        if (e->tid == tid && e->op == op && burl__engine_is_visible(e->kind))
            return i;
    }
    return SIZE_MAX;
}

/* The thread's last operation before event `i` that may have to be held instead. */
static size_t
hold_before(const struct burl_run *run, uint16_t tid, size_t i)
{
    while (i-- > 0) {
        if (run->events[i].tid == tid && takes_lock(run->events[i].kind))
            return i;
    }
    return SIZE_MAX;
}

/* The number of the operation that its thread does after event `i`. */
static uint32_t
op_after(const struct burl_run *run, size_t i)
{
    const struct burl_wire_event *e = &run->events[i];

    for (size_t k = i + 1; k < run->n_events; k++) {
        if (run->events[k].tid == e->tid && burl__engine_is_visible(run->events[k].kind))
            return run->events[k].op;
    }
    return e->op + 1;
}

/* ---- the order --------------------------------------------------------------------- */

struct order {
    const struct burl_run *run;
    size_t *v; /* events */
    size_t n;
};

/* Appends the operations of events from .. to - 1: of thread `tid` only, or of all but it. */
static void
append_events(struct order *o, size_t from, size_t to, uint16_t tid, bool only)
{
    for (size_t i = from; i < to && i < o->run->n_events; i++) {
        const struct burl_wire_event *e = &o->run->events[i];

        if (burl__engine_is_visible(e->kind) && (e->tid == tid) == only)
            o->v[o->n++] = i;
    }
}

/* `until` is an event, or SIZE_MAX: the thread has not come so far. */
static void
arrange_events(struct order *o, const struct burl_run_move *m, size_t hold, size_t until)
{
    const size_t n = o->run->n_events;

    append_events(o, 0, hold, BURL_TID_NONE, false);
    if (until != SIZE_MAX && !m->on) {
        append_events(o, hold, until + 1, m->ahead ? m->until : m->held, m->ahead);
        append_events(o, hold, until + 1, m->ahead ? m->until : m->held, !m->ahead);
        append_events(o, until + 1, n, BURL_TID_NONE, false);
        return;
    }
    /* All that the other thread has done and would do comes first; it is not known how far. */
    append_events(o, hold, n, m->until, true);
    append_events(o, hold, n, m->until, false);
}

static struct burl_wire_switch
switch_after(const struct burl_run *run, size_t event, uint16_t next)
{
    return (struct burl_wire_switch){ .op = op_after(run, event),
                                      .tid = run->events[event].tid,
                                      .next = next,
                                      .why = BURL_SWITCH_PREEMPT };
}

/* Returns the number of switches; *out is owned by the caller. */
static size_t
make_switches(const struct burl_run *run, const struct burl_run_move *m, size_t hold, size_t until,
              struct burl_wire_switch **out)
{
    struct order o = { .run = run };
    size_t n = 0;
    bool open = m->on || until == SIZE_MAX; /* nothing says where the other thread is left */

    o.v = burl_xcalloc(run->n_events + 1, sizeof *o.v);
    arrange_events(&o, m, hold, until);
    *out = burl_xcalloc(o.n + 2, sizeof **out);
    for (size_t i = 0; i + 1 < o.n; i++) {
        const uint16_t tid = run->events[o.v[i]].tid;
        const uint16_t next = run->events[o.v[i + 1]].tid;
        const bool held_now = o.v[i] < hold && o.v[i + 1] >= hold;

        if (open && held_now) {
            if (tid != m->until)
                (*out)[n++] = switch_after(run, o.v[i], m->until);
            continue;
        }
        /* It goes on until it cannot. */
        if (tid != next && !(open && tid == m->until && o.v[i] >= hold))
            (*out)[n++] = switch_after(run, o.v[i], next);
    }
    free(o.v);
    return n;
}

/* ---- what came of it --------------------------------------------------------------- */

/* Was the step moved in this execution? The other operation must be the same one, at the same
 * place. */
static bool
is_moved(const struct burl_run *failing, const struct burl_run_move *m, const struct burl_run *run)
{
    const size_t was = find_op(failing, m->until, m->until_op);
    const size_t until = find_op(run, m->until, m->until_op);
    const size_t held = find_op(run, m->held, m->held_op);

    if (until == SIZE_MAX || (held != SIZE_MAX && held < until))
        return false;
    return was == SIZE_MAX || failing->events[was].site == run->events[until].site;
}

/* Did it fail before either came? Then it did so without the step. */
static bool
fails_without(const struct burl_run_move *m, const struct burl_run *run, bool same)
{
    return same && find_op(run, m->held, m->held_op) == SIZE_MAX;
}

static enum burl_run_moved
try_hold(const struct burl_run *failing, const struct burl_run_move *m, size_t hold, size_t until,
         burl_move_try_fn *try_one, void *arg)
{
    enum burl_run_moved moved = BURL_MOVED_NOT;
    struct burl_wire_switch *switches;
    const size_t n = make_switches(failing, m, hold, until, &switches);
    struct burl_run run;
    bool same = false;

    memset(&run, 0, sizeof run);
    if (try_one(arg, switches, n, &run, &same) && run.events_dropped == 0) {
        if (fails_without(m, &run, same))
            moved = BURL_MOVED_FAILS;
        else if (is_moved(failing, m, &run))
            moved = same ? BURL_MOVED_FAILS : BURL_MOVED_PASSES;
    }
    burl_run_deinit(&run);
    free(switches);
    return moved;
}

enum burl_run_moved
burl_move_try(const struct burl_run *failing, const struct burl_run_move *move,
              burl_move_try_fn *try_one, void *arg)
{
    size_t hold = find_op(failing, move->held, move->held_op);
    const size_t until = find_op(failing, move->until, move->until_op);
    enum burl_run_moved moved = BURL_MOVED_NOT;

    if (failing->events_dropped > 0 || move->held == move->until ||
        (until != SIZE_MAX && until < hold))
        return BURL_MOVED_NOT;
    for (unsigned i = 0; i < MAX_HOLDS && hold != SIZE_MAX && moved == BURL_MOVED_NOT; i++) {
        moved = try_hold(failing, move, hold, until, try_one, arg);
        hold = hold_before(failing, move->held, hold);
    }
    return moved;
}

bool
burl__engine_is_visible(uint8_t kind)
{
    return kind != BURL_OP_ENTER && kind != BURL_OP_LEAVE && kind != BURL_OP_ALLOC &&
           kind != BURL_OP_NONE && kind < BURL_OP__N;
}
