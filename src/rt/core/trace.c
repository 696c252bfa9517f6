/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/trace.c - the trace of one execution, a ring of events in the control block.
 *
 * Values come for free: when a hook runs, the access has not happened yet and no other thread runs,
 * so what a read will see is what memory holds now; what a write left behind is what memory holds
 * at the writer's next hook.
 */
#include <string.h>

#include "core.h"
#include "op.h"
#include "trace.h"
#include "verdict.h"

BURL_EXPORT uint64_t burl_step_wanted = UINT64_MAX;

static struct burl_wire_event *
ring(void)
{
    return (struct burl_wire_event *)((char *)burl_rt.ctl + burl_rt.ctl->trace_off);
}

static struct burl_wire_event *
event_by_count(uint32_t count)
{
    return &ring()[(count - 1) % burl_rt.ctl->trace_n];
}

static struct burl_wire_event *
trace_append(struct burl_thread *t, uint8_t kind, uint32_t site, uintptr_t addr, uint64_t aux)
{
    struct burl_exec *e = &burl_rt.exec;
    struct burl_wire_event *ev = event_by_count(++e->n_events);

    if (e->n_events > burl_rt.ctl->trace_n)
        burl_rt_count(BURL_COUNTER_TRACE_FULL);
    memset(ev, 0, sizeof *ev);
    ev->addr = addr;
    ev->aux = aux;
    ev->step = (uint32_t)e->steps;
    ev->site = site;
    ev->op = t->n_ops;
    ev->tid = t->tid;
    ev->kind = kind;
    return ev;
}

/* Reading what a write left behind may touch memory that was freed or unmapped since: only
 * while the heap still calls it live, or when it is not the heap's. */
void
burl__trace_close(struct burl_thread *t)
{
    struct burl_wire_event *ev;

    if (t->open_event == 0)
        return;
    if (burl_rt.exec.n_events - t->open_event < burl_rt.ctl->trace_n) {
        ev = event_by_count(t->open_event);
        ev->after = burl_load_value(ev->addr, ev->size_b);
        ev->flags |= BURL_EV_F_AFTER;
    }
    t->open_event = 0;
}

/* Breakpoint anchor for debuggers: the current thread is about to perform its operation. */
BURL_EXPORT BURL_NOINLINE void
burl_step_stop(uint64_t step)
{
    __asm__ volatile("" : : "r"(step) : "memory");
}

/* One stop for each time that the debugger asks for one: `continue` runs to the failure. */
static void
stop_for_debugger(void)
{
    burl_step_wanted = UINT64_MAX;
    burl_step_stop(burl_rt.exec.steps);
}

static void
record(struct burl_thread *t, const struct burl_op *op)
{
    struct burl_wire_event *ev;

    burl__trace_close(t);
    ev = trace_append(t, op->kind, op->site, op->addr, op->aux);
    ev->op = t->n_ops - 1; /* it has just been counted */
    ev->size_b = op->size_b;
    if (t->was_blocked)
        ev->flags |= BURL_EV_F_BLOCKED;
    if (!burl_is_access(op) || op->size_b == 0)
        return;
    ev->value = burl_load_value(op->addr, op->size_b);
    ev->flags |= BURL_EV_F_VALUE;
    if (!burl_op_only_reads(op))
        t->open_event = burl_rt.exec.n_events;
}

void
burl__trace_commit(struct burl_thread *t, const struct burl_op *op)
{
    record(t, op);
    if (BURL_UNLIKELY(burl_rt.exec.steps >= burl_step_wanted))
        stop_for_debugger();
}

/* The newest event of t: the one its family has just performed. */
void
burl_trace_note(struct burl_thread *t, uint8_t flags, uint64_t aux)
{
    uint32_t n = burl_rt.exec.n_events;
    struct burl_wire_event *ev;

    if (!burl_rt.trace || n == 0)
        return;
    ev = event_by_count(n);
    if (ev->tid != t->tid)
        return;
    ev->flags |= flags;
    ev->aux = aux;
}

void
burl_trace_event(struct burl_thread *t, enum burl_wire_op kind, uintptr_t addr, uint64_t aux)
{
    uint32_t site = t->call_site;

    if (!burl_rt.trace)
        return;
    burl__trace_close(t);
    if (kind == BURL_OP_ENTER)
        site = (uint32_t)aux;
    trace_append(t, (uint8_t)kind, site, addr, aux);
}

void
burl__trace_finish(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    uint64_t n = burl_rt.exec.n_events;
    uint64_t room = burl_rt.ctl->trace_n;

    if (!burl_rt.trace)
        return;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (burl_rt.threads[i] != burl_rt.current)
            burl_rt.threads[i]->open_event = 0; /* its write has not happened yet, or was closed */
    }
    r->n_events = (uint32_t)(n < room ? n : room);
    r->events_dropped = n < room ? 0 : n - room;
    r->trace_start = (uint32_t)(n <= room ? 0 : n % room);
    if (n != 0 && burl_rt.exec.verdict.kind != BURL_VERDICT_PASS)
        event_by_count((uint32_t)n)->flags |= BURL_EV_F_LAST;
}
