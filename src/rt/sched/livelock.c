/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/livelock.c - livelock: threads that are busy forever without progress.
 *
 * spin.c proves a hang when nothing at all changes. Threads that yield to each other, or a loop
 * that counts its iterations, escape that proof. Here the sign is repetition: after very many
 * operations in which no thread was created, ended or woken, the last thousands of them repeat one
 * period exactly (same threads, sites and addresses, in the same order), and every
 * thread outside the period is blocked with no deadline. Then one of two conditions must hold too:
 *
 *   Proof. Every value in the period repeats, and over two more periods every thread returns to
 *   the same registers and stack at the same place: the whole state of the program recurs, and it
 *   repeats forever if the scheduler does.
 *
 *   Waiting loop. Every thread of the period yields or polls in it, one of the reads sees the same
 *   value every time, and no thread changes what another one of them sees, for WAITING_STEPS
 *   operations. Threads that do change something count the rounds of a long run as often as those
 *   of a livelock, so without a proof they are cut and not reported. A loop
 *   that does so very often and yet ends by counting alone would be misjudged; virtual time runs
 *   ever faster meanwhile, so a loop with a deadline has long ended. A seed that is recorded is
 *   one thread, for which long repetition is ordinary: there this condition does not count.
 */
#include "rt/core/core.h"
#include "rt/core/event.h"
#include "rt/core/op.h"
#include "rt/core/upcalls.h"
#include "sched.h"

#define STEPS 16384u /* remembered; power of two */
#define MAX_PERIOD 2048u
#define LOOK_EVERY 32768u
#define WAITING_STEPS 200000u
#define SLOW_YIELDS 64u /* yields in a row that cost no virtual time */

struct step {
    uint64_t value; /* read, or about to be overwritten; 0 when not a memory operation */
    uintptr_t addr;
    uint32_t site;
    uint16_t tid;
    uint8_t kind;
    bool yields;
};

static struct step *steps;
static uint32_t n_steps; /* remembered in this quiet time */

static const struct step *
past_step(uint32_t back)
{
    return &steps[(n_steps - 1 - back) % STEPS];
}

/* Is the step the same as that of the period before? */
static bool
is_repetition(uint32_t back, uint32_t period, bool with_values)
{
    const struct step *a = past_step(back);
    const struct step *b = past_step(back + period);

    return a->site == b->site && a->tid == b->tid && a->kind == b->kind && a->addr == b->addr &&
           (!with_values || a->value == b->value);
}

static bool
has_period(uint32_t period, bool with_values)
{
    for (uint32_t i = 0; i + period < STEPS; i++) {
        if (!is_repetition(i, period, with_values))
            return false;
    }
    return true;
}

/* ---- the waiting loop ---------------------------------------------------- */

/* Is the value at this place of the period the same in every round? */
static bool
polls_unchanged(uint32_t at, uint32_t period)
{
    for (uint32_t i = at; i + period < STEPS; i += period) {
        if (past_step(i)->value != past_step(i + period)->value)
            return false;
    }
    return true;
}

static bool
polls_something(uint32_t period)
{
    for (uint32_t at = 0; at < period; at++) {
        if (burl_kind_in(past_step(at)->kind, BURL_KINDS_READ) && polls_unchanged(at, period))
            return true;
    }
    return false;
}

/* Does another thread of the period touch what this step touches? */
static bool
is_shared(uint32_t at, uint32_t period)
{
    const struct step *a = past_step(at);

    for (uint32_t i = 0; i < period; i++) {
        if (past_step(i)->addr == a->addr && past_step(i)->tid != a->tid)
            return true;
    }
    return false;
}

/* Is the address of this step found with different values, in one period or in two? */
static bool
changes(uint32_t at, uint32_t period)
{
    const struct step *a = past_step(at);

    for (uint32_t i = 0; i < period; i++) {
        if (past_step(i)->addr == a->addr &&
            (past_step(i)->value != a->value || !polls_unchanged(i, period)))
            return true;
    }
    return false;
}

/* Threads that change what others of the period see, or pass a lock on, may well be in the middle
 * of a long run: two that take turns a number of times repeat everything but their counters. */
static bool
communicates(uint32_t period)
{
    for (uint32_t at = 0; at < period; at++) {
        const struct step *a = past_step(at);

        if ((a->kind == BURL_OP_UNLOCK || a->kind == BURL_OP_RWUNLOCK) && is_shared(at, period))
            return true;
        if (burl_kind_in(a->kind, BURL_KINDS_WRITE) && is_shared(at, period) && changes(at, period))
            return true;
    }
    return false;
}

/* ---- threads of the period ------------------------------------------------------ */

static bool
takes_part(uint16_t tid, uint32_t period, bool must_yield)
{
    for (uint32_t i = 0; i < period; i++) {
        if (past_step(i)->tid == tid && (!must_yield || past_step(i)->yields))
            return true;
    }
    return false;
}

static bool
all_take_part(uint32_t period, bool must_yield)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];
        bool stuck = t->state == BURL_THREAD_FINISHED ||
                     (t->state == BURL_THREAD_BLOCKED && t->deadline_ns == BURL_TIME_NEVER);

        if (!stuck && !takes_part(t->tid, period, must_yield))
            return false;
    }
    return burl_io_obj()->n_waiters == 0;
}

/* ---- the proof ----------------------------------------------------------- */

static void
begin_proof(uint32_t period)
{
    burl_rt.exec.proof_period = period;
    burl_rt.exec.proof_at = 0;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++)
        burl_rt.threads[i]->proof_hash = 0;
}

/* t's first step in this period: remember its state in the first, compare in the second. */
static bool
check_state(struct burl_thread *t, uint32_t at, uint32_t period)
{
    uint64_t state;

    for (uint32_t back = 1; back <= at % period; back++) {
        if (past_step(back)->tid == t->tid)
            return true;
    }
    state = burl__spin_state(t);
    if (at < period) {
        t->proof_hash = state;
        t->proof_calls = t->lib_calls;
        return state != 0;
    }
    return state == t->proof_hash && t->lib_calls == t->proof_calls;
}

static void
continue_proof(struct burl_thread *t)
{
    uint32_t period = burl_rt.exec.proof_period;
    uint32_t at = burl_rt.exec.proof_at++;

    if (at == 2 * period)
        burl__sched_livelock();
    if (!is_repetition(0, period, true) || !check_state(t, at, period))
        burl_rt.exec.proof_period = 0;
}

/* ---- watching ------------------------------------------------------------ */

static void
look_for_period(void)
{
    for (uint32_t period = 1; period <= MAX_PERIOD; period++) {
        if (!has_period(period, false))
            continue;
        if (burl_rt.exec.quiet_steps > WAITING_STEPS && (burl_ob_mask & BURL_OB(RECORD)) == 0 &&
            polls_something(period) && all_take_part(period, true) && !communicates(period))
            burl__sched_livelock();
        if (has_period(period, true) && all_take_part(period, false))
            begin_proof(period);
        return;
    }
}

void
burl__livelock_watch(struct burl_thread *t, const struct burl_op *op)
{
    struct step *s;

    if (steps == NULL)
        steps = burl_rt_alloc(STEPS * sizeof *steps);
    if (burl_rt.exec.quiet_steps == BURL_QUIET_STEPS) {
        n_steps = 0;
        burl_rt.exec.proof_period = 0;
    }
    s = &steps[n_steps++ % STEPS];
    *s = (struct step){
        .addr = op->addr,
        .site = op->site,
        .tid = t->tid,
        .kind = op->kind,
        .yields = op->kind == BURL_OP_YIELD || t->spin_hits != 0,
    };
    if (burl_is_access(op))
        s->value = burl_load_value(op->addr, op->size_b);
    if (burl_rt.exec.proof_period != 0)
        continue_proof(t);
    else if (n_steps % LOOK_EVERY == 0)
        look_for_period();
}

/* Yields in a row make virtual time run ever faster, so that a loop that waits for time ends. */
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
