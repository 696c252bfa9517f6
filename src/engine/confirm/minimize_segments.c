/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/minimize_segments.c - threads and stretches of an execution that need not be
 * there.
 *
 * Runs in the host. An execution is a row of segments, each one thread from a switch to the next.
 * Leaving a segment out means that the switch before it goes to the thread of the
 * segment after it; two neighbors of one thread become one. Counts of operations are per
 * thread, so what is left keeps its keys, and choices stay with their threads. Whole threads first
 * (most of a hundred alike are not needed), then groups of neighboring segments, halving as delta
 * debugging does. Last, segments change places.
 *
 * What this finds and removing switches does not: an execution in which the default policy, which
 * runs the lowest-numbered thread that can, would run many that have nothing to do with it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/confirm/minimize_int.h"

/* Up to so many segments every group is tried at every place. */
#define SHORT 32u
/* Places behind which a segment is tried. */
#define MOVE_MAX 4u

struct segments {
    struct burl_wire_switch *switches; /* of the best execution, without its choices */
    size_t n_switches;
    uint16_t *tid; /* of each */
    bool *keep;
    size_t n;
    uint16_t *threads; /* distinct, in the order of their first segment; without the first's */
    size_t n_threads;
};

/* Half of the executions are for this: fewer preemptions say more than fewer stretches. */
static bool
is_over(const struct burl__minimize *s)
{
    return s->stop || s->segment_execs >= s->budget->max_execs / 2;
}

static void
segments_cut(struct segments *g, const struct burl__minimize *s)
{
    g->switches = burl_xcalloc(s->n_best + 1, sizeof *g->switches);
    g->n_switches = 0;
    for (size_t i = 0; i < s->n_best; i++) {
        if (!burl_switch_is_choice(s->best[i].why))
            g->switches[g->n_switches++] = s->best[i];
    }
    g->n = g->n_switches + 1;
    g->tid = burl_xcalloc(g->n, sizeof *g->tid);
    g->keep = burl_xcalloc(g->n, sizeof *g->keep);
    g->threads = burl_xcalloc(g->n, sizeof *g->threads);
    g->n_threads = 0;
    g->tid[0] = g->n_switches > 0 ? g->switches[0].tid : 0;
    for (size_t i = 0; i < g->n; i++) {
        bool known;

        if (i > 0)
            g->tid[i] = g->switches[i - 1].next;
        g->keep[i] = true;
        known = g->tid[i] == g->tid[0];
        for (size_t k = 0; k < g->n_threads && !known; k++)
            known = g->threads[k] == g->tid[i];
        if (!known)
            g->threads[g->n_threads++] = g->tid[i];
    }
}

static void
segments_deinit(struct segments *g)
{
    free(g->switches);
    free(g->tid);
    free(g->keep);
    free(g->threads);
}

/* Tries the execution made of these segments, the first one before them; cuts anew when it is
 * better. */
static bool
try_order(struct burl__minimize *s, struct segments *g, const size_t *order, size_t n_order)
{
    size_t prev = 0;
    size_t n = 0;

    for (size_t i = 0; i < n_order; i++) {
        if (g->tid[order[i]] != g->tid[prev]) {
            /* The last segment ends with the failure and not with a switch. */
            if (prev == g->n_switches)
                return false;
            s->scratch[n] = g->switches[prev];
            s->scratch[n++].next = g->tid[order[i]];
        }
        prev = order[i];
    }
    s->segment_execs++;
    if (!burl__minimize_attempt(s, burl__minimize_add_choices(s, n), true))
        return false;
    segments_deinit(g);
    segments_cut(g, s);
    return true;
}

static bool
try_kept(struct burl__minimize *s, struct segments *g)
{
    size_t *order = burl_xcalloc(g->n, sizeof *order);
    size_t n = 0;
    bool better;

    for (size_t i = 1; i < g->n; i++) {
        if (g->keep[i])
            order[n++] = i;
    }
    better = try_order(s, g, order, n);
    free(order);
    return better;
}

static void
keep_all(struct segments *g)
{
    for (size_t i = 0; i < g->n; i++)
        g->keep[i] = true;
}

static void
drop_thread(struct segments *g, uint16_t tid)
{
    for (size_t i = 1; i < g->n; i++)
        g->keep[i] = g->keep[i] && g->tid[i] != tid;
}

/* Is it part of a preemption, or the thread that ran last? */
static bool
is_central(const struct burl__minimize *s, const struct segments *g, uint16_t tid)
{
    if (tid == g->tid[g->n - 1])
        return true;
    for (size_t i = 0; i < s->n_best; i++) {
        if (s->best[i].why == BURL_SWITCH_PREEMPT &&
            (s->best[i].tid == tid || s->best[i].next == tid))
            return true;
    }
    return false;
}

/* The one guess that is right for most programs. */
static bool
drop_bystanders(struct burl__minimize *s, struct segments *g)
{
    size_t dropped = 0;

    keep_all(g);
    for (size_t k = 0; k < g->n_threads; k++) {
        if (!is_central(s, g, g->threads[k])) {
            drop_thread(g, g->threads[k]);
            dropped++;
        }
    }
    return dropped > 0 && try_kept(s, g);
}

static bool
drop_threads(struct burl__minimize *s, struct segments *g)
{
    bool changed = false;

    for (size_t chunk = (g->n_threads + 1) / 2; chunk >= 1 && !is_over(s); chunk /= 2) {
        for (size_t at = 0; at < g->n_threads && !is_over(s);) {
            keep_all(g);
            for (size_t k = at; k < at + chunk && k < g->n_threads; k++)
                drop_thread(g, g->threads[k]);
            if (try_kept(s, g))
                changed = true;
            else
                at += chunk;
        }
    }
    return changed;
}

static bool
drop_stretches(struct burl__minimize *s, struct segments *g)
{
    bool changed = false;

    for (size_t chunk = (g->n + 1) / 2; chunk >= 1 && !is_over(s);) {
        bool pass = false;

        for (size_t at = 1; at < g->n && !is_over(s);) {
            keep_all(g);
            for (size_t i = at; i < at + chunk && i < g->n; i++)
                g->keep[i] = false;
            /* Two threads taking turns have to be left out in pairs, at any place. */
            if (try_kept(s, g))
                pass = true;
            else
                at += g->n <= SHORT ? 1 : chunk;
        }
        changed = changed || pass;
        if (chunk == 1 || !pass)
            chunk = chunk > 4 ? (chunk + 1) / 2 : chunk - 1;
    }
    return changed;
}

/* Moves a segment behind one of the next few: what a thread was preempted for may happen when it
 * has to wait anyway. */
static bool
move_segments(struct burl__minimize *s, struct segments *g)
{
    bool changed = false;
    size_t i = 1;

    while (i < g->n && g->n <= SHORT && !is_over(s)) {
        bool better = false;

        for (size_t to = i + 1; to < g->n && to <= i + MOVE_MAX && !better && !is_over(s); to++) {
            size_t order[SHORT];
            size_t n = 0;

            for (size_t k = 1; k < g->n; k++) {
                if (k != i)
                    order[n++] = k;
                if (k == to)
                    order[n++] = i;
            }
            better = try_order(s, g, order, n);
        }
        changed = changed || better;
        if (!better)
            i++;
    }
    return changed;
}

bool
burl__minimize_segments(struct burl__minimize *s)
{
    struct segments g;
    bool changed;

    segments_cut(&g, s);
    changed = drop_bystanders(s, &g);
    changed = drop_threads(s, &g) || changed;
    changed = drop_stretches(s, &g) || changed;
    changed = move_segments(s, &g) || changed;
    segments_deinit(&g);
    return changed;
}
