/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - one execution as the host knows it, copied out of the control block.
 *
 * Filled by the engine, read by the schedule writer and the reports. Owns its arrays.
 */
#ifndef BURL_BASE_RUN_H
#define BURL_BASE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/control.h"

struct burl_run {
    struct burl_wire_verdict verdict;
    struct burl_wire_event *events;    /* oldest first; empty unless the order asked for a trace */
    size_t n_events;
    uint64_t events_dropped;           /* older events that did not fit */
    struct burl_wire_switch *switches; /* in order */
    size_t n_switches;
    bool is_cut;                       /* there were more than the record has room for */
    uint64_t trace_hash;
    uint64_t steps;
    uint64_t epoch_ns;                 /* virtual wall clock at the start */
    uint32_t diverged_at;              /* replay: first switch not followed, ~0 none */
    uint32_t goal_hit;                  /* directed: nonzero when the sites of the aim met */
    char *output;                      /* last bytes of stdout and stderr, NUL-terminated */
    size_t output_b;
};

/*
 * The same execution with one step moved: thread `held` waits before its operation number `held_op`
 * until thread `until` has performed its number `until_op`. Numbers are per thread, as in
 * wire/schedule.h.
 */
struct burl_run_move {
    uint32_t held_op;
    uint32_t until_op;
    uint16_t held;
    uint16_t until;
    bool on;    /* `until` runs until it blocks */
    bool ahead; /* all other threads wait too: `until` is moved forward instead of `held` back */
};

/* The outcome of a move. */
enum burl_run_moved {
    BURL_MOVED_NOT = 0, /* no execution was found in which the step comes later */
    BURL_MOVED_FAILS,   /* the execution still fails */
    BURL_MOVED_PASSES   /* the execution passes */
};

void burl_run_deinit(struct burl_run *run); /* frees the arrays, leaves it empty */

#endif
