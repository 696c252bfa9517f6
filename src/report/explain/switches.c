/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switches.c - the reason of every switch between threads.
 *
 * Runs in the host. The trace shows that another thread ran; the recorded switches have the reason.
 * The two lists are joined per thread by the count of operations, because the trace may have lost
 * its beginning and a thread may be chosen and blocked again without a visible operation. Where no
 * switch was recorded the default policy acted, so the thread could not continue: the reason is
 * inferred from its next operation.
 */
#include "report/explain/explain.h"

/* Cursor into the recorded switches of one thread. */
struct cursor {
    size_t *v; /* indices into run->switches, ascending */
    size_t n;
    size_t cap;
    size_t at;
};

static struct cursor *
collect_switches(const struct burl__report_walk *w)
{
    struct cursor *cursors = burl_xcalloc(w->n_threads, sizeof *cursors);

    for (size_t i = 0; i < w->run->n_switches; i++) {
        uint16_t tid = w->run->switches[i].tid;

        if (tid < w->n_threads && !burl_switch_is_choice(w->run->switches[i].why))
            BURL_VEC_PUSH(&cursors[tid], i);
    }
    return cursors;
}

size_t *
burl__report_find_neighbors(const struct burl__report_walk *w, bool next)
{
    size_t n = w->run->n_events;
    size_t *out = burl_xcalloc(n + 1, sizeof *out);
    size_t *last = burl_xcalloc(w->n_threads, sizeof *last);

    for (size_t i = 0; i < w->n_threads; i++)
        last[i] = SIZE_MAX;
    for (size_t k = 0; k < n; k++) {
        const size_t i = next ? n - 1 - k : k;
        const struct burl_wire_event *ev = &w->run->events[i];

        out[i] = SIZE_MAX;
        if (ev->tid >= w->n_threads)
            continue;
        out[i] = last[ev->tid];
        if (burl__report_is_op(ev->kind))
            last[ev->tid] = i;
    }
    free(last);
    return out;
}

static struct burl__report_left
infer_reason(const struct burl__report_walk *w, const struct burl_wire_event *ev,
             const struct burl_wire_event *next)
{
    struct burl__report_left l = { .why = BURL__REPORT_WHY_UNKNOWN };

    if (next != NULL) {
        l.kind = next->kind;
        l.site = next->site;
    }
    if (ev->kind == BURL_OP_EXIT_THREAD || ev->kind == BURL_OP_EXIT_PROCESS)
        l.why = BURL_SWITCH_FINISHED;
    else if (next == NULL ? burl__report_wait_of(&w->run->verdict, ev->tid) != NULL
                          : (next->flags & BURL_EV_F_BLOCKED) != 0)
        l.why = BURL_SWITCH_BLOCKED;
    else if (ev->kind == BURL_OP_YIELD || ev->kind == BURL_OP_SLEEP)
        l.why = BURL_SWITCH_YIELD;
    return l;
}

struct burl__report_left *
burl__report_find_switches(const struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;
    struct burl__report_left *left = burl_xcalloc(run->n_events + 1, sizeof *left);
    struct cursor *cursors = collect_switches(w);
    size_t *next = burl__report_find_neighbors(w, true);
    size_t prev = SIZE_MAX;

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];
        const struct burl_wire_event *before;
        const struct burl_wire_event *after;
        struct cursor *c;

        if (!burl__report_is_op(ev->kind) || ev->tid >= w->n_threads)
            continue;
        before = prev != SIZE_MAX ? &run->events[prev] : NULL;
        if (before == NULL || before->tid == ev->tid) {
            prev = i;
            continue;
        }
        after = next[prev] != SIZE_MAX ? &run->events[next[prev]] : NULL;
        c = &cursors[before->tid];
        while (c->at < c->n && run->switches[c->v[c->at]].op < before->op)
            c->at++;
        if (c->at < c->n && (after == NULL || run->switches[c->v[c->at]].op <= after->op)) {
            const struct burl_wire_switch *sw = &run->switches[c->v[c->at++]];

            left[prev] = (struct burl__report_left){ sw->why, sw->kind, sw->site };
        } else {
            left[prev] = infer_reason(w, before, after);
        }
        prev = i;
    }
    for (size_t i = 0; i < w->n_threads; i++)
        BURL_VEC_FREE(&cursors[i]);
    free(cursors);
    free(next);
    return left;
}

/* Switches carry no address: it is that of the operation when it happened, or of the wait. A wait
 * for a signal is an event before it blocks; its wakeup is another one. */
static uint64_t
pending_addr(const struct burl__report_walk *w, const struct burl__report_left *l, size_t from,
             size_t next_event, uint16_t tid)
{
    const struct burl_wire_wait *wait = burl__report_wait_of(&w->run->verdict, tid);
    const struct burl_wire_event *events = w->run->events;

    if (next_event != SIZE_MAX && events[next_event].kind == l->kind)
        return events[next_event].addr;
    if (l->why == BURL_SWITCH_BLOCKED && events[from].kind == l->kind &&
        events[from].site == l->site)
        return events[from].addr;
    if (next_event != SIZE_MAX)
        return 0;
    return wait != NULL ? wait->addr : 0;
}

/* The thread that a join waits for: of the join when it happened, or of the wait. */
static uint16_t
joined_thread(const struct burl__report_walk *w, size_t next_event, uint16_t tid)
{
    const struct burl_wire_wait *wait = burl__report_wait_of(&w->run->verdict, tid);

    if (next_event != SIZE_MAX)
        return w->run->events[next_event].kind == BURL_OP_JOIN
                   ? (uint16_t)w->run->events[next_event].aux
                   : BURL_TID_NONE;
    return wait != NULL && wait->kind == BURL_OP_JOIN ? wait->owner : BURL_TID_NONE;
}

void
burl__report_put_switch(const struct burl__report_walk *w, const struct burl__report_left *l,
                        size_t from, size_t next_event, uint16_t next, struct burl_buf *out)
{
    const uint16_t tid = w->run->events[from].tid;

    static const char *const formats[] = {
        [BURL_SWITCH_PREEMPT] = "preempt T%u before ",
        [BURL_SWITCH_BLOCKED] = "T%u blocks in ",
        [BURL_SWITCH_FINISHED] = "T%u exits",
        [BURL_SWITCH_YIELD] = "T%u yields",
    };
    const uint16_t joined =
        l->kind == BURL_OP_JOIN ? joined_thread(w, next_event, tid) : BURL_TID_NONE;

    burl_buf_printf(out, l->why <= BURL_SWITCH_YIELD ? formats[l->why] : "leave T%u", tid);
    if (l->why == BURL_SWITCH_PREEMPT || l->why == BURL_SWITCH_BLOCKED)
        burl__report_pending_call(w, l->kind, l->site, pending_addr(w, l, from, next_event, tid),
                                  joined, out);
    burl_buf_printf(out, "; run T%u", next);
}
