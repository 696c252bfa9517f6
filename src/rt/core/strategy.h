/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/strategy.h - the interface of a strategy, which picks the thread that runs next.
 *
 * A strategy is given the threads whose pending operation can happen and returns one of them. It
 * draws random numbers only from burl_rng_next(), which is seeded per execution, and keeps no state
 * from one execution to the next, so (program, strategy, arguments, seed) determines a schedule.
 * One file each, <name>.c, registered in strategies.c.
 */
#ifndef BURL_RT_STRATEGY_H
#define BURL_RT_STRATEGY_H

#include "core.h"
#include "op.h"

struct burl_listener;

struct burl_choice {
    const uint16_t *runnable; /* never empty; ascending thread numbers */
    uint32_t n_runnable;
    uint16_t current;      /* thread that announced an operation, or exited */
    bool current_runnable; /* it is in `runnable` */
    bool yielding;         /* hint: it asked to be passed over (and may still be in the list) */
};

/* Any but `pick` may be NULL. */
struct burl_strategy_ops {
    void (*begin)(const union burl_wire_args *args);
    void (*thread_new)(struct burl_thread *t);
    uint16_t (*pick)(const struct burl_choice *c);
    /* An operation happens, also one that was no scheduling point. */
    void (*commit)(const struct burl_thread *t, const struct burl_op *op);
    /* Number `nth` of the choices at t's count of operations, between outcomes 0 to n - 1 (`what`:
     * BURL_CHOICE_*). NULL: random, from the seed (sched/choose.c). */
    uint32_t (*choose)(struct burl_thread *t, uint32_t what, uint32_t n, uint16_t nth);
    void (*finish)(void); /* the execution is over and has its verdict */
    /* Before that: is what the strategy has in the control block as it left it? */
    bool (*is_intact)(void);
    const struct burl_listener *listener; /* core/listener.h; NULL: none */
};

/* Strategies by number: X(NUMBER, name). */
#define BURL_STRATEGIES(X)          \
    X(NONPREEMPTIVE, nonpreemptive) \
    X(ROUND_ROBIN, round_robin)     \
    X(RANDOM, random)               \
    X(PCT, pct)                     \
    X(POS, pos)                     \
    X(REPLAY, replay)               \
    X(DIRECTED, directed)           \
    X(EXHAUSTIVE, exhaustive)       \
    X(SURW, surw)                   \
    X(READS_FROM, reads_from)       \
    X(DELAY, delay)                 \
    X(PREEMPT, preempt)             \
    X(BURST, burst)

#define BURL_X(number, name) extern const struct burl_strategy_ops burl_strategy_##name;
BURL_STRATEGIES(BURL_X)
#undef BURL_X
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

/* The runnable thread that follows `tid` in cyclic order. */
static inline uint16_t
burl_choice_after(const struct burl_choice *c, uint16_t tid)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] > tid)
            return c->runnable[i];
    }
    return c->runnable[0];
}

/* Number `nth` of the runnable threads without `not`; `not` if there is no such thread. */
static inline uint16_t
burl_choice_other(const struct burl_choice *c, uint16_t not, uint32_t nth)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] != not && nth-- == 0)
            return c->runnable[i];
    }
    return not;
}

/* The thread of `list` with the highest priority, the first of equal ones. */
static inline struct burl_thread *
burl_highest(const uint16_t *list, uint32_t n)
{
    struct burl_thread *best = burl_rt.threads[list[0]];

    for (uint32_t i = 1; i < n; i++) {
        if (burl_rt.threads[list[i]]->priority > best->priority)
            best = burl_rt.threads[list[i]];
    }
    return best;
}

/* Draws new priorities for the runnable threads whose pending operation conflicts with that of
 * `next` (partial order sampling, strategy/pos.c). */
static inline void
burl_redraw_conflicts(const struct burl_choice *c, const struct burl_thread *next)
{
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_rt.threads[c->runnable[i]];

        if (t != next && burl_op_conflict(&t->op, &next->op))
            t->priority = burl_rng_next();
    }
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
