/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/schedule.h - a schedule as the runtime records and follows it.
 *
 * A schedule is the list of switches of one execution, in order. Each switch
 * says: thread `tid` was about to perform its `op`-th visible operation (0 is
 * its first), whose site was `site`, and thread `next` was run instead. The
 * list is keyed by per-thread counts, so removing one switch leaves the keys of
 * the other threads valid; between switches the default policy applies: the
 * current thread runs while it can; when it cannot (blocked, exited, passed
 * over because it polls in vain), the lowest-numbered thread that can is run.
 *
 * Between the switches stand choices: outcomes that the tool decides and the program cannot
 * (which waiter a signal wakes, a spurious wakeup, an injected fault). Outcome 0 is the default and
 * is not recorded. A choice is keyed by (thread, count of operations, number of the choice at that
 * count) and is looked up by its thread alone: its place among the records of other threads means
 * nothing.
 *
 * The text form (docs/formats/schedule.md) has the same content with names.
 */
#ifndef BURL_WIRE_SCHEDULE_H
#define BURL_WIRE_SCHEDULE_H

#include <assert.h>
#include <stdint.h>

#define BURL_TID_NONE 0xffffu

enum burl_wire_switch_why {
    BURL_SWITCH_PREEMPT = 0, /* the thread could have gone on */
    BURL_SWITCH_BLOCKED,     /* it was waiting */
    BURL_SWITCH_FINISHED,    /* it had exited */
    BURL_SWITCH_YIELD,       /* it asked to be passed over, or made no progress */
    BURL_CHOICE_WAITER,      /* a choice, as all that follow: the waiter a signal wakes, in order
                                of arrival */
    BURL_CHOICE_SPURIOUS,    /* 1: a wait returns without a signal */
    BURL_CHOICE_CREATE,      /* 1: creating a thread fails */
    BURL_CHOICE_MALLOC,      /* 1: an allocation fails */
    BURL_SWITCH_WHY__N
};

static inline int
burl_switch_is_choice(uint8_t why)
{
    return why >= BURL_CHOICE_WAITER;
}

/* Did the tool inject something that may never happen on its own? */
static inline int
burl_switch_is_injected(uint8_t why)
{
    return why > BURL_CHOICE_WAITER;
}

/* How a schedule is followed: args.replay.how. */
enum burl_wire_replay {
    BURL_REPLAY_BY_COUNT = 0,  /* a switch comes where its thread has done as many operations */
    BURL_REPLAY_BY_PLACE,      /* at its site, not before that count (moved as the last was): for a
                                  program that was changed before that place */
    BURL_REPLAY_FIRST_ARRIVAL, /* at the first arrival there: something was taken out */
    BURL_REPLAY__N
};

struct burl_wire_switch {
    uint32_t op;   /* visible operations the thread had completed */
    uint32_t site; /* process-wide site number of its pending operation, 0 unknown */
    uint16_t tid;
    uint16_t next; /* choices: the outcome, not 0 */
    uint8_t  why;  /* enum burl_wire_switch_why */
    uint8_t  kind; /* enum burl_wire_op of the pending operation; choices: of the call */
    uint16_t nth;  /* choices: number of the choice at this count of operations, from 0 */
};

static_assert(sizeof(struct burl_wire_switch) == 16, "switch size is on the wire");

#endif
