/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tried.c - tests by execution whether the order that a sentence blames is the cause.
 *
 * Runs in the host. A recognizer names the orders of operations that its sentence blames. Each is
 * reversed in an execution of its own (report.h: facts->moved) that keeps everything else
 * unchanged. If the failure is reproduced, that order is not the cause and the sentence is dropped;
 * so it is when no order could be reversed. An order that create or join enforces cannot be the
 * cause of anything that depends on the schedule.
 *
 * This is the counterfactual of Lewis, as used for failures by Zeller ("Isolating Cause-Effect
 * Chains from Computer Programs", 2002). Departure: one operation is moved and not a set of
 * differences, so that of two orders which are both needed each is tried alone.
 */
#include <stdlib.h>

#include "report/explain/pattern_int.h"

/* Executions per finding: each costs about as much as one of the search. */
#define MAX_MOVES 16u

static struct burl__report_order *
add_order(struct burl__report_sentence *s, size_t first, size_t second, uint16_t tid, uint32_t op)
{
    static struct burl__report_order dropped;
    struct burl__report_order *o =
        s->n_orders < BURL__REPORT_MAX_ORDERS ? &s->orders[s->n_orders++] : &dropped;

    *o = (struct burl__report_order){ .first = first, .second = second, .tid = tid, .op = op };
    return o;
}

static struct burl__report_order *
blame_event(struct burl__report_sentence *s, size_t first, size_t second)
{
    return add_order(s, first, second, sentence_event(s, second)->tid,
                     sentence_event(s, second)->op);
}

void
burl__sentence_blame(struct burl__report_sentence *s, size_t first, size_t second)
{
    blame_event(s, first, second);
}

void
burl__sentence_blame_between(struct burl__report_sentence *s, size_t first, size_t from, size_t to,
                             size_t second)
{
    blame_event(s, from, second)->ahead = true;
    blame_event(s, first, to)->or_on = true;
}

void
burl__sentence_blame_broadly(struct burl__report_sentence *s)
{
    for (size_t i = 0; i < s->n_orders; i++)
        s->orders[i].or_on = true;
}

void
burl__sentence_blame_pending(struct burl__report_sentence *s, size_t first, size_t last,
                             bool preemption)
{
    add_order(s, first, SIZE_MAX, sentence_event(s, last)->tid, sentence_event(s, last)->op + 1)
        ->on = preemption;
}

/* Threads whose operations at event `end` come after event `a` in every execution. */
static bool *
threads_after(const struct burl__report_causes *c, size_t a, size_t end)
{
    const struct burl_run *run = c->w->run;
    bool *after = burl_xcalloc(c->w->n_threads + 1, sizeof *after);

    after[run->events[a].tid] = true;
    for (size_t i = a; i < end && i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->tid >= c->w->n_threads || ev->aux >= c->w->n_threads)
            continue;
        if (ev->kind == BURL_OP_CREATE && after[ev->tid])
            after[ev->aux] = true;
        if (ev->kind == BURL_OP_JOIN && !(ev->flags & BURL_EV_F_FAILED) && after[ev->aux])
            after[ev->tid] = true;
    }
    return after;
}

bool
burl__report_is_forced(const struct burl__report_causes *c, size_t a, size_t b)
{
    const struct burl_run *run = c->w->run;
    bool forced;
    bool *after;

    if (run->events[a].tid >= c->w->n_threads || run->events[b].tid >= c->w->n_threads)
        return true; /* unknown: do not blame it */
    after = threads_after(c, a, b);
    forced = after[run->events[b].tid];
    free(after);
    return forced;
}

static bool
is_forced_order(const struct burl__report_causes *c, const struct burl__report_order *o)
{
    size_t second = o->second;

    if (second == SIZE_MAX)
        second = burl__report_last_of(c, o->tid, c->w->run->n_events);
    return second == SIZE_MAX || o->first == SIZE_MAX ||
           (second > o->first && burl__report_is_forced(c, o->first, second));
}

static enum burl_run_moved
try_move(struct burl__report_causes *c, const struct burl__report_order *o, bool on)
{
    const struct burl_wire_event *held = &c->w->run->events[o->first];
    const struct burl_run_move move = {
        .held = held->tid,
        .held_op = held->op,
        .until = o->tid,
        .until_op = o->op,
        .on = on,
        .ahead = o->ahead,
    };

    if (!c->facts || !c->facts->moved || c->n_moves >= MAX_MOVES)
        return BURL_MOVED_NOT;
    c->n_moves++;
    return c->facts->moved(c->facts->moved_arg, &move);
}

bool
burl__sentence_confirm(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    bool gone = false;

    if (s->unknown)
        return false;
    for (size_t i = 0; i < s->n_orders; i++) {
        if (is_forced_order(c, &s->orders[i]))
            return false;
    }
    for (size_t i = 0; i < s->n_orders; i++) {
        const struct burl__report_order *o = &s->orders[i];
        enum burl_run_moved moved = try_move(c, o, o->on);

        if (moved == BURL_MOVED_FAILS && o->or_on && !o->on)
            moved =
                try_move(c, o, true) == BURL_MOVED_PASSES ? BURL_MOVED_PASSES : BURL_MOVED_FAILS;
        if (moved == BURL_MOVED_FAILS)
            return false;
        gone = gone || moved == BURL_MOVED_PASSES;
    }
    return gone;
}
