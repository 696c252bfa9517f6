/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/goal.h - what an execution is directed towards: these sites meet in this way.
 *
 * A goal is the argument of the strategies DIRECTED and READS_FROM (wire/order.h). Each kind has
 * members of its own. Goals come from suspects (burl_wire_goal_of()), from location pairs and from
 * reads-from edges.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_GOAL_H
#define BURL_WIRE_GOAL_H

#include <assert.h>
#include <stdint.h>

#include "schedule.h"
#include "suspect.h"

#define BURL_GOAL_MAX_CYCLE (BURL_WIRE_MAX_SITES / 2) /* threads of a lock cycle */
#define BURL_GOAL_MAX_GATES 7
#define BURL_GOAL_MAX_WRITES 6
#define BURL_GOAL_MAX_INSTALLERS 2

enum burl_wire_goal_kind {
    BURL_GOAL_NONE = 0,
    BURL_GOAL_RACE,
    BURL_GOAL_TRIPLE,
    BURL_GOAL_CYCLE,
    BURL_GOAL_PAIR,
    BURL_GOAL_READS_FROM,
    BURL_GOAL_WAKEUP,
    BURL_GOAL__N
};

enum burl_goal_race_order {
    BURL_RACE_FIRST_SITE = 0,
    BURL_RACE_SECOND_SITE,
    BURL_RACE_BY_SEED
};

/* Two threads at the two sites, on overlapping bytes, one of them writing. */
struct burl_goal_race {
    uint32_t first;
    uint32_t second;
    uint32_t goes_first; /* enum burl_goal_race_order: the access that comes first */
    uint32_t calm;       /* 1: no preemption after the meeting; the thread at `first` runs on */
};

/* Another thread's `remote` comes between two accesses of one thread. Installers are threads that
 * do something first: each is stopped after its store, as soon as it holds no lock. */
struct burl_goal_triple {
    uint32_t local_first;
    uint32_t remote;
    uint32_t local_second;
    uint32_t installers; /* the first of these threads; 0: there are none */
    uint32_t install[BURL_GOAL_MAX_INSTALLERS]; /* their stores, in order; 0: no more */
};

/* Each thread holds the lock that it took at `held_from` and requests the next one. */
struct burl_goal_cycle {
    uint32_t n; /* threads */
    struct {
        uint32_t held_from;
        uint32_t requested_at;
    } threads[BURL_GOAL_MAX_CYCLE];
};

/* A location pair: `second` touches the memory that another thread touched last, at `first`. A gate
 * is where a lock held at the site was taken, outermost first; 0 ends the list. */
struct burl_goal_pair {
    uint32_t first;
    uint32_t second;
    uint32_t first_gates[BURL_GOAL_MAX_GATES];
    uint32_t second_gates[BURL_GOAL_MAX_GATES];
};

/* The read returns what the write stored. A gate is where the outermost lock was taken; 0: none. */
struct burl_goal_reads_from {
    uint32_t write; /* 0: the initial value */
    uint32_t read;
    uint32_t write_gate;
    uint32_t read_gate;
    uint32_t reader;  /* thread that reads, BURL_TID_NONE: any */
    uint32_t attempt; /* orders for this edge before this one */
    uint32_t n_others;
    struct {
        uint32_t write; /* of the same variable: must not come in between */
        uint32_t gate;
    } others[BURL_GOAL_MAX_WRITES];
};

enum burl_goal_hold { BURL_HOLD_AT_WAIT = 0, BURL_HOLD_AT_LOCK, BURL_HOLD_BY_SEED };

/* The signal comes before the wait on the same condition variable. */
struct burl_goal_wakeup {
    uint32_t signal;
    uint32_t wait;
    uint32_t lock;       /* where the waiting thread took its lock, 0: unknown */
    uint32_t runs_first; /* thread, BURL_TID_NONE: none */
    uint32_t hold;       /* enum burl_goal_hold: where the waiting thread is held */
};

struct burl_wire_goal {
    uint32_t kind; /* enum burl_wire_goal_kind; names the member */
    union {
        struct burl_goal_race race;
        struct burl_goal_triple triple;
        struct burl_goal_cycle cycle;
        struct burl_goal_pair pair;
        struct burl_goal_reads_from reads_from;
        struct burl_goal_wakeup wakeup;
    };
};

static_assert(sizeof(struct burl_goal_race) == 16, "race size is on the wire");
static_assert(sizeof(struct burl_goal_triple) == 24, "triple size is on the wire");
static_assert(sizeof(struct burl_goal_cycle) == 68, "cycle size is on the wire");
static_assert(sizeof(struct burl_goal_pair) == 64, "pair size is on the wire");
static_assert(sizeof(struct burl_goal_reads_from) == 76, "reads-from size is on the wire");
static_assert(sizeof(struct burl_goal_wakeup) == 20, "wakeup size is on the wire");
static_assert(sizeof(struct burl_wire_goal) == 80, "goal size is on the wire");

static inline struct burl_wire_goal
burl__wire_cycle_of(const struct burl_wire_suspect *s)
{
    struct burl_wire_goal g = { .kind = BURL_GOAL_CYCLE };

    for (uint32_t i = 0; i + 1 < s->n_sites && g.cycle.n < BURL_GOAL_MAX_CYCLE; i += 2) {
        g.cycle.threads[g.cycle.n].held_from = s->sites[i];
        g.cycle.threads[g.cycle.n++].requested_at = s->sites[i + 1];
    }
    return g;
}

/* The goal that shows whether a suspect is real; kind NONE when no execution can. The seed makes
 * the choices that a suspect leaves open. */
static inline struct burl_wire_goal
burl_wire_goal_of(const struct burl_wire_suspect *s)
{
    const uint32_t *sites = s->sites;

    switch (s->kind) {
    case BURL_SUSPECT_RACE:
    case BURL_SUSPECT_POTENTIAL:
        return (struct burl_wire_goal){ .kind = BURL_GOAL_RACE,
                                        .race = { .first = sites[0],
                                                  .second = sites[1],
                                                  .goes_first = BURL_RACE_BY_SEED } };
    case BURL_SUSPECT_TRIPLE:
    case BURL_SUSPECT_REGION:
        return (struct burl_wire_goal){ .kind = BURL_GOAL_TRIPLE,
                                        .triple = { .local_first = sites[0],
                                                    .remote = sites[1],
                                                    .local_second = sites[2] } };
    case BURL_SUSPECT_CYCLE:
        return burl__wire_cycle_of(s);
    case BURL_SUSPECT_WAKEUP:
        return (struct burl_wire_goal){ .kind = BURL_GOAL_WAKEUP,
                                        .wakeup = { .signal = sites[0],
                                                    .wait = sites[1],
                                                    .lock = sites[2],
                                                    .runs_first = BURL_TID_NONE,
                                                    .hold = BURL_HOLD_BY_SEED } };
    default:
        return (struct burl_wire_goal){ .kind = BURL_GOAL_NONE };
    }
}

/* The sites of a goal without its gates, 0 for one that is not known. Returns how many. */
static inline uint32_t
burl_wire_goal_sites(const struct burl_wire_goal *g, uint32_t sites[BURL_WIRE_MAX_SITES])
{
    uint32_t n = 0;

    switch (g->kind) {
    case BURL_GOAL_RACE:
        sites[n++] = g->race.first;
        sites[n++] = g->race.second;
        break;
    case BURL_GOAL_TRIPLE:
        sites[n++] = g->triple.local_first;
        sites[n++] = g->triple.remote;
        sites[n++] = g->triple.local_second;
        for (uint32_t i = 0; i < BURL_GOAL_MAX_INSTALLERS && g->triple.install[i] != 0; i++)
            sites[n++] = g->triple.install[i];
        break;
    case BURL_GOAL_CYCLE:
        for (uint32_t i = 0; i < g->cycle.n && i < BURL_GOAL_MAX_CYCLE; i++) {
            sites[n++] = g->cycle.threads[i].held_from;
            sites[n++] = g->cycle.threads[i].requested_at;
        }
        break;
    case BURL_GOAL_PAIR:
        sites[n++] = g->pair.first;
        sites[n++] = g->pair.second;
        break;
    case BURL_GOAL_READS_FROM:
        sites[n++] = g->reads_from.write;
        sites[n++] = g->reads_from.read;
        for (uint32_t i = 0; i < g->reads_from.n_others && i < BURL_GOAL_MAX_WRITES; i++)
            sites[n++] = g->reads_from.others[i].write;
        break;
    case BURL_GOAL_WAKEUP:
        sites[n++] = g->wakeup.signal;
        sites[n++] = g->wakeup.wait;
        sites[n++] = g->wakeup.lock;
        break;
    default:
        break;
    }
    return n;
}

static_assert(2 * BURL_GOAL_MAX_CYCLE <= BURL_WIRE_MAX_SITES, "a cycle's sites fit");
static_assert(2 + BURL_GOAL_MAX_WRITES <= BURL_WIRE_MAX_SITES, "an edge's sites fit");

#endif
