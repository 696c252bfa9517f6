/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/record.h - what is known of one goal: make these sites meet in this way.
 *
 * Every kind has the same record. It is embedded where the kind keeps its own facts (suspects,
 * hunted pairs) and is what one campaign leaves to the next (store/memory.h has it as a row).
 */
#ifndef BURL_ENGINE_RECORD_H
#define BURL_ENGINE_RECORD_H

#include <stdint.h>

#include "wire/control.h"

/* X(NAME, "name in the store") */
#define BURL_GOAL_KINDS(X)                                                             \
    X(RACE, "race")                     /* it happened */                              \
    X(POTENTIAL_RACE, "potential-race") /* predicted */                                \
    X(TRIPLE, "triple")                                                                \
    X(REGION, "region") /* a triple that broke a marked region */                      \
    X(CYCLE, "lock-cycle")                                                             \
    X(LOST_SIGNAL, "lost-signal")                                                      \
    X(WAKEUP, "wakeup") /* a signal before a wait */                                   \
    X(PAIR, "pair")                                                                    \
    X(LOCK_ORDER, "lock-order") /* two locks, one requested while the other is held */ \
    X(READS_FROM, "reads-from")

enum burl_goal_kind {
#define BURL_X(name, text) BURL_GOAL_KIND_##name,
    BURL_GOAL_KINDS(BURL_X)
#undef BURL_X
        BURL_GOAL_KIND__N
};

/* X(NAME, "name in the store") */
#define BURL_GOAL_STATES(X)                                                                  \
    X(UNTRIED, "untried")         /* no attempt yet: beyond its share of the budget */       \
    X(UNCONFIRMED, "unconfirmed") /* not reached in `attempts` executions */                 \
    X(HARMLESS, "harmless")       /* reached `hits` times, and the runs passed */            \
    X(CONFIRMED, "confirmed")     /* reached; of a suspect: a finding shows it */            \
    X(COVERED, "covered")         /* another goal stands for it: the race of its variable */ \
    X(HIDDEN, "hidden")           /* suppressed by the user */                               \
    X(IMPOSSIBLE, "impossible")   /* a complete search did not reach it */

enum burl_goal_state {
#define BURL_X(name, text) BURL_GOAL_STATE_##name,
    BURL_GOAL_STATES(BURL_X)
#undef BURL_X
        BURL_GOAL_STATE__N
};

struct burl_goal {
    enum burl_goal_kind kind;
    enum burl_goal_state state;
    uint64_t attempts;   /* directed executions */
    uint64_t hits;       /* of these, that reached it */
    uint64_t first_seed; /* of the first execution that showed it; 0 not known */
};

/* A goal with its sites, as a campaign leaves it to the next. */
struct burl_goal_memory {
    struct burl_goal goal;
    uint32_t n_sites;
    uint32_t sites[BURL_WIRE_MAX_SITES]; /* 0: the initial value of a reads-from goal */
    uint8_t ops[BURL_WIRE_MAX_SITES];    /* suspects: enum burl_wire_op of each site */
    uint16_t tids[BURL_WIRE_MAX_SITES];
    uint8_t observer; /* suspects: enum burl_wire_observer, */
    uint32_t rank;    /* and as in struct burl_wire_suspect */
    uint64_t addr;
};

#endif
