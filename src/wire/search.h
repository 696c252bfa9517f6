/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/search.h - where an exhaustive search stands.
 *
 * The stack of choices lies at the start of the search area of the control block. The runtime
 * changes it (rt/search/exhaustive.c), an execution at a time; between orders the host may copy it
 * and put it into another process of the same program, which then continues from there
 * (args.exhaustive.begin 0). Everything that a search knows from one execution to the next must
 * therefore be in here.
 *
 * A search must be able to stop where it is: while an order runs the host may lower order.n_execs,
 * and the execution at hand is then its last.
 *
 * It is also kept in stores: a change of its layout or meaning raises BURL_SEARCH_VERSION, and
 * searches that were kept before begin anew.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_SEARCH_H
#define BURL_WIRE_SEARCH_H

#include <assert.h>
#include <stdint.h>

#include "site.h"

#define BURL_SEARCH_VERSION 4u
#define BURL_SEARCH_LOOPS 32u
#define BURL_SEARCH_TIDS 64u
#define BURL_SEARCH_CALLS 126u

/* One decision of the execution that is next. */
struct burl_search_frame {
    uint64_t enabled; /* threads that could run, or outcomes of a choice */
    uint64_t sleep;   /* of these, asleep when the frame was made */
    uint64_t todo;    /* to be explored, or explored */
    uint64_t tried;   /* and done with */
    uint32_t chosen;
    uint32_t is_choice; /* of the tool (burl_sched_choose), not of a thread */
};

/* Sites that were seen to repeat a read, of the whole search. */
struct burl_search_loops {
    uint32_t n;
    uint32_t begin_again; /* one was added: the search so far did not know of it */
    uint32_t sites[BURL_SEARCH_LOOPS];
};

struct burl_search_stack {
    uint32_t n;
    uint32_t depth; /* frames passed in this execution */
    uint32_t unsure;
    uint32_t ended;       /* this execution was given up */
    uint32_t apart;       /* threads are distinguished, symmetry.c */
    uint32_t begun_apart; /* and this search knows it */
    struct burl_search_loops loops;
    uint32_t hidden_changed;                /* bits of enum burl_wire_hidden: changed observably */
    uint32_t site;                          /* the first call that is a doubt, 0 none */
    uint64_t hidden_by[BURL_HIDDEN_STATES]; /* threads that used it while there were others */
    uint32_t n_calls;                       /* UNSEEN ones while there were other threads */
    uint32_t compares; /* BURL_SITE_F_ADDRESSES, _IDENTITY of the functions that ran */
    uint64_t allocated_by; /* threads that did while there were others */
    uint64_t freed_by;
    uint32_t reused; /* a thread allocated after it had freed, while there were others */
    uint32_t outside; /* the first call whose result differs from run to run, 0 none */
    uint32_t calls[BURL_SEARCH_CALLS]; /* their sites */
    struct burl_search_frame frames[];
};

static_assert(sizeof(struct burl_search_stack) % 8 == 0, "it is kept as words");
static_assert(sizeof(struct burl_search_frame) == 40, "it is kept as words");

/* Bytes of a search area of `size_b` that the stack has; the rest has the events of one
 * execution. */
static inline uint64_t
burl_search_stack_b(uint64_t size_b)
{
    return size_b / 8 / 64 * 64;
}

/* Frames that have room there. */
static inline uint32_t
burl_search_frames_max(uint64_t size_b)
{
    return (uint32_t)((burl_search_stack_b(size_b) - sizeof(struct burl_search_stack)) /
                      sizeof(struct burl_search_frame));
}

#endif
