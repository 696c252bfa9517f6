/* SPDX-License-Identifier: Apache-2.0 */
/*
 * livelock.c - loops that yield for ever although something in them changes.
 *
 * spin.c proves a hang when nothing at all changes. A loop that counts its turns, or two threads that
 * politely make way for each other, escape that proof. Here the criterion is repetition: after very many
 * operations in which no thread was created, ended or woken, the last thousands of them are an exact
 * repetition of one period (same threads, sites and addresses, in the same order), every thread that
 * takes part yields or polls in each period, one of the reads sees the same value every time, and
 * every other thread is blocked with no deadline.
 *
 * Direction of the error: a loop that yields in each of very many rounds, polls something, and yet ends
 * by counting alone would be called a hang. Virtual time runs ever faster meanwhile, so a loop with a
 * deadline has long ended.
 */
#include <string.h>

#include "../rt_core.h"

#define QUIET 200000u      /* operations that moved no thread, before the question is asked */
#define WATCH_FROM 180000u /* when they begin to be remembered */
#define STEPS 16384u       /* remembered; power of two */
#define MAX_PERIOD 2048u
#define SLOW_YIELDS 64u  /* yields that cost no virtual time */

struct step {
    uint64_t value;   /* read or overwritten, 0 when not a memory operation */
    uintptr_t addr;
    uint32_t site;
    uint16_t tid;
    uint8_t kind;
    bool yields;
};

static struct step *steps;
static uint32_t n_steps; /* remembered in this quiet time */

static bool repeats_for_ever(void);

/* Every operation while somebody has been yielding. */
void
burl__livelock_watch(const struct burl_thread *t, const struct burl_op *op)
{
    struct step *s;
    uint32_t quiet = ++burl_rt.exec.quiet_steps;

    if (quiet < WATCH_FROM)
        return;
    if (steps == NULL)
        steps = burl_rt_alloc(STEPS * sizeof *steps);
    if (quiet == WATCH_FROM)
        n_steps = 0;
    if (quiet % QUIET == 0 && repeats_for_ever())
        burl__sched_livelock();
    s = &steps[n_steps++ % STEPS];
    *s = (struct step){ .addr = op->addr, .site = op->site, .tid = t->tid, .kind = op->kind,
                        .yields = op->kind == BURL_OP_YIELD || t->spin_hits != 0 };
    if (op->kind >= BURL_OP_READ && op->kind <= BURL_OP_ATOMIC_CAS)
        memcpy(&s->value, (const void *)op->addr, op->size_b < 8 ? op->size_b : 8);
}

static const struct step *
step_back(uint32_t back)
{
    return &steps[(n_steps - 1 - back) % STEPS];
}

static bool
same_place(const struct step *a, const struct step *b)
{
    return a->site == b->site && a->tid == b->tid && a->kind == b->kind && a->addr == b->addr;
}

static bool
has_period(uint32_t period)
{
    for (uint32_t i = 0; i + period < STEPS; i++) {
        if (!same_place(step_back(i), step_back(i + period)))
            return false;
    }
    return true;
}

static bool
is_read(uint8_t kind)
{
    return kind == BURL_OP_READ || kind == BURL_OP_ATOMIC_LOAD || kind == BURL_OP_ATOMIC_CAS;
}

/* Is the value at this place of the period the same in every round? */
static bool
polls_unchanged(uint32_t at, uint32_t period)
{
    for (uint32_t i = at; i + period < STEPS; i += period) {
        if (step_back(i)->value != step_back(i + period)->value)
            return false;
    }
    return true;
}

static bool
polls_something(uint32_t period)
{
    for (uint32_t at = 0; at < period; at++) {
        if (is_read(step_back(at)->kind) && polls_unchanged(at, period))
            return true;
    }
    return false;
}

static bool
yields(uint16_t tid, uint32_t period)
{
    for (uint32_t i = 0; i < period; i++) {
        if (step_back(i)->tid == tid && step_back(i)->yields)
            return true;
    }
    return false;
}

static bool
all_wait(uint32_t period)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];
        bool stuck = t->state == BURL_THREAD_FINISHED ||
                     (t->state == BURL_THREAD_BLOCKED && t->deadline_ns == BURL_TIME_NEVER);

        if (!stuck && !yields(t->tid, period))
            return false;
    }
    return burl_io_obj()->n_waiters == 0;
}

static bool
repeats_for_ever(void)
{
    if (n_steps < STEPS)
        return false;
    for (uint32_t period = 1; period <= MAX_PERIOD; period++) {
        if (has_period(period))
            return polls_something(period) && all_wait(period);
    }
    return false;
}

void
burl__livelock_yield(void)
{
    uint32_t n = ++burl_rt.exec.idle_yields;

    if (n <= SLOW_YIELDS)
        return;
    n = (n - SLOW_YIELDS) / 16;
    burl_time_advance(1000ull << (n < 30 ? n : 30));
    burl__time_wake_due();
}
