/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/minimize.h - the fewest preemptions that still show a failure.
 *
 * Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating
 * Failure-Inducing Input", 2002) over the switches of a recorded execution.
 * Departures: the input is not the result. A candidate is a list of switches
 * followed leniently; what counts is the schedule the execution then recorded,
 * ordered by (preemptions, threads that run, switches, steps), because the default
 * policy between switches may need fewer or more of them than the candidate had. Besides
 * switches, whole stretches of the execution and whole threads are left out. And what delta
 * debugging cannot take away further is not the fewest yet: two preemptions that need each
 * other can often be replaced by one at another place, so those are tried too.
 */
#ifndef BURL_ENGINE_MINIMIZE_H
#define BURL_ENGINE_MINIMIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/run.h"
#include "wire/schedule.h"

struct burl_minimize_budget {
    uint64_t max_execs;
    int64_t max_ms;
};

/* An execution that showed the failure. */
struct burl_minimize_shown {
    const struct burl_wire_switch *switches; /* that it recorded; valid until the next call */
    size_t n;
    uint64_t steps;
};

/*
 * Runs one candidate. Returns true when the same failure showed; then *shown is filled. Returning
 * false for a process that died is fine. *give_up set: stop at once with the best so far.
 */
typedef bool burl_minimize_try_fn(void *arg, const struct burl_wire_switch *candidate, size_t n,
                                  struct burl_minimize_shown *shown, bool *give_up);

/* A place at which the failing execution could have been preempted, in the order of time. */
struct burl_minimize_point {
    uint32_t op; /* as in wire/schedule.h */
    uint32_t site;
    uint16_t tid;
    uint8_t kind;
    bool promising; /* worth trying: a synchronization, or an access others see */
};

/* The places of the execution that follows `s`; *out is owned by the caller. May return 0. */
typedef size_t burl_minimize_points_fn(void *arg, const struct burl_wire_switch *s, size_t n,
                                       struct burl_minimize_point **out);

struct burl_minimize_result {
    struct burl_wire_switch *switches; /* caller frees */
    size_t n;
    uint64_t n_execs;
    uint32_t n_preemptions_before;
    uint32_t n_preemptions;
    bool finished; /* false: the budget ended first; still a failing schedule */
};

/* `start` must have failed. `points` may be NULL: then only what is there is taken away. Never
 * fails: at worst the result is `start`. */
void burl_minimize(struct burl_minimize_result *out, const struct burl_wire_switch *start, size_t n,
                   burl_minimize_try_fn *try_one, burl_minimize_points_fn *points, void *arg,
                   const struct burl_minimize_budget *budget);

uint32_t burl_minimize_count_preemptions(const struct burl_wire_switch *s, size_t n);

#endif
