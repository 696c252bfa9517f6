/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/strategy.h - the interface of a strategy: an oracle that answers "who goes on?".
 *
 * A strategy sees the threads whose pending operation can happen and answers with one of them. It
 * draws randomness only from burl_rng_next(), which is seeded per execution, and keeps no state
 * from one execution to the next, so (program, strategy, parameters, seed) determines a schedule.
 * One file each, <name>.c, registered in strategies.c.
 */
#ifndef BURL_RT_STRATEGY_H
#define BURL_RT_STRATEGY_H

#include "rt.h"

struct burl_listener;

struct burl_choice {
    const uint16_t *runnable; /* never empty; ascending thread numbers */
    uint32_t n_runnable;
    uint16_t current;      /* thread that stopped here */
    bool current_runnable; /* it is in `runnable` */
    bool yielding;         /* hint: it asked to be passed over (and may still be in the list) */
};

struct burl_strategy_ops {
    const char *name;
    void (*begin)(const union burl_wire_args *args);
    void (*thread_new)(uint16_t tid, uint16_t parent); /* may be NULL */
    uint16_t (*pick)(const struct burl_choice *c);
    /* An operation happens, also one that was no scheduling point; may be NULL. */
    void (*commit)(const struct burl_thread *t, const struct burl_op *op);
    /* Number `nth` of the choices at t's count of operations, between outcomes 0 to n - 1 (`what`:
     * BURL_CHOICE_*). NULL: chance, from the seed (sched/choose.c). */
    uint32_t (*choose)(struct burl_thread *t, uint32_t what, uint32_t n, uint16_t nth);
    void (*finish)(void); /* the execution is over and has its verdict; may be NULL */
    const struct burl_listener *listener; /* core/listener.h; NULL: none */
};

extern const struct burl_strategy_ops burl_strategy_nonpreemptive;
extern const struct burl_strategy_ops burl_strategy_round_robin;
extern const struct burl_strategy_ops burl_strategy_random;
extern const struct burl_strategy_ops burl_strategy_pct;
extern const struct burl_strategy_ops burl_strategy_pos;
extern const struct burl_strategy_ops burl_strategy_replay;
extern const struct burl_strategy_ops burl_strategy_directed;
extern const struct burl_strategy_ops burl_strategy_exhaustive;
extern const struct burl_strategy_ops burl_strategy_surw;
extern const struct burl_strategy_ops burl_strategy_reads_from;
extern const struct burl_strategy_ops burl_strategy_delay;
extern const struct burl_strategy_ops burl_strategy_preempt;
extern const struct burl_strategy_ops burl_strategy_burst;
extern const struct burl_strategy_ops burl_strategy_pair;   /* DIRECTED, goal PAIR */
extern const struct burl_strategy_ops burl_strategy_window; /* POS with args.pos.windows */

const struct burl_strategy_ops *burl_strategy_by_number(uint32_t number);

/* The generator of this execution. */
void burl_rng_seed(uint64_t seed);
uint64_t burl_rng_next(void);
uint32_t burl_rng_below(uint32_t n); /* uniform in [0, n), n > 0 */

/* The default policy: the current thread while it can (a yield alone does not end its turn),
 * else the lowest number that can. Schedules leave out what follows from it: changing it breaks
 * them. */
uint16_t burl_pick_default(const struct burl_choice *c);

static inline bool
burl_choice_has(const struct burl_choice *c, uint16_t tid)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] == tid)
            return true;
    }
    return false;
}

/* One step of a random walk over n of the runnable threads, `list`: the current one stays but for
 * one time in 2^stay_shift. */
static inline uint16_t
burl_walk(const struct burl_choice *c, const uint16_t *list, uint32_t n, uint32_t stay_shift)
{
    if (c->current_runnable && !c->yielding && stay_shift != 0 &&
        burl_rng_below(1u << stay_shift) != 0) {
        if (list == c->runnable)
            return c->current;
        for (uint32_t i = 0; i < n; i++) {
            if (list[i] == c->current)
                return c->current;
        }
    }
    return list[burl_rng_below(n)];
}

#endif
