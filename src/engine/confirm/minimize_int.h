/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/minimize_int.h - what the files of the minimizer share.
 *
 *   minimize.c           the plan, the budget, and delta debugging over switches
 *   minimize_segments.c  whole stretches of an execution, and whole threads, left out
 *   minimize_exchange.c  preemptions at other places than where they were found
 *
 * `best` is what the best execution recorded; `list` the candidate it followed, which is
 * shorter, since the default policy fills in the rest.
 */
#ifndef BURL_ENGINE_MINIMIZE_INT_H
#define BURL_ENGINE_MINIMIZE_INT_H

#include "engine/confirm/minimize.h"

/* How good a schedule is to show a person; the first difference decides, less is better. */
struct burl__minimize_cost {
    uint32_t injected; /* spurious wakeups and faults: a failure without them says more */
    uint32_t preemptions;
    uint32_t threads; /* that ran at all */
    size_t switches;
    uint64_t steps; /* to the failure; UINT64_MAX not known */
    uint64_t place; /* sum over the preemptions of what their threads had done: early is easier
                         to follow than the same thing after many turns of a loop */
};

struct burl__minimize {
    burl_minimize_try_fn *try_one;
    burl_minimize_points_fn *points;
    void *arg;
    const struct burl_minimize_budget *budget;
    int64_t started_ms;
    uint64_t n_execs;
    uint64_t segment_execs; /* of these, for leaving segments out */
    bool stop;
    struct burl_wire_switch *list;
    size_t n;
    struct burl_wire_switch *best;
    size_t n_best;
    struct burl__minimize_cost cost;  /* of best */
    struct burl_wire_switch *scratch; /* the next candidate; room for the longer of both, and one */
};

/* Runs the first `n` switches of `scratch`. When that fails the same way and costs no more, or
 * with `strictly` less, it becomes list and best. */
bool burl__minimize_attempt(struct burl__minimize *s, size_t n, bool strictly);

/* Adds the choices of `best` to a candidate of n records in `scratch`; the new number. Where they
 * stand means nothing. */
size_t burl__minimize_add_choices(struct burl__minimize *s, size_t n);

/* Each returns whether the best schedule improved. */
bool burl__minimize_segments(struct burl__minimize *s);
bool burl__minimize_exchange_two(struct burl__minimize *s);
bool burl__minimize_exchange_all(struct burl__minimize *s);
bool burl__minimize_move_earlier(struct burl__minimize *s);

#endif
