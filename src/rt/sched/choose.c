/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/choose.c - the record of decisions, and outcomes that the tool decides: which waiter a
 * signal wakes, spurious wakeups, faults.
 *
 * Runs in the target. burl__sched_record() is the only place where a decision, a switch or a
 * choice, enters the schedule; a choice also enters the trace hash there (a switch shows in the
 * threads of the operations that follow). Outcome 0 of a choice is the default and is not recorded.
 * The outcome comes from the strategy:
 *
 *   exhaustive   a frame of the search stack: each outcome is explored
 *   replay       the schedule; an outcome that is not there is 0
 *   all others   random, from the seed: see burl__choose_begin()
 *
 * A choice is keyed by its thread, the thread's count of operations, and a number that counts the
 * choices at that count. The number counts every call that could be a choice, whether or not this
 * order injects anything, so that a replay counts the same.
 *
 * Bounds. A wait (thread, calling site, object) returns without a wakeup at most once until a
 * wakeup has ended it, so a loop around it ends. An execution has at most BURL_MAX_FAULTS
 * faults. Both bounds depend on the set of outcomes and not on the order of the threads:
 * independent operations still commute, which partial-order reduction relies on. Why the moment
 * of the call is early enough to decide on a spurious wakeup: docs/design/0010-choices.md.
 */
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/core/strategy.h"
#include "rt/core/verdict.h"
#include "sched.h"

/* One execution in SPURIOUS_SHARE has spurious wakeups, if the order allows them, and one in
 * FAULT_SHARE a fault: most failures need neither. */
#define SPURIOUS_SHARE 8u
#define FAULT_SHARE 4u

void
burl__choose_begin(uint32_t flags)
{
    const uint64_t h = burl_mix64(burl_rt.exec.draw_seed ^ 0x63686f6963657321ull);
    struct burl_exec *e = &burl_rt.exec;

    /* Some executions get few, others many: which of them a failure needs is not known. */
    if ((flags & BURL_ORDER_F_SPURIOUS) != 0 && h % SPURIOUS_SHARE == 0)
        e->spurious_shift = (uint8_t)(1 + (h >> 8) % 3);
    if ((flags & BURL_ORDER_F_FAULTS) != 0 && (h >> 16) % FAULT_SHARE == 0)
        e->fault_shift = (uint8_t)(1 + (h >> 24) % 13);
}

/* ---- the record of decisions --------------------------------------------------------------- */

static uint8_t
decided_kind(enum burl_wire_switch_why why, const struct burl_thread *t)
{
    switch (why) {
    case BURL_CHOICE_CREATE:
        return BURL_OP_CREATE;
    case BURL_CHOICE_MALLOC:
        return BURL_OP_ALLOC;
    default:
        return burl_switch_is_choice((uint8_t)why) ? t->last_op : t->op.kind;
    }
}

void
burl__sched_record(const struct burl_thread *t, enum burl_wire_switch_why why, uint16_t next,
                   uint16_t nth)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    struct burl_exec *e = &burl_rt.exec;
    const bool is_choice = burl_switch_is_choice((uint8_t)why);

    if (is_choice) {
        e->hash = burl_mix64(e->hash ^ ((uint64_t)why << 48) ^ ((uint64_t)t->tid << 32) ^ next);
    } else {
        e->switches++;
        e->preemptions += why == BURL_SWITCH_PREEMPT;
    }
    if (!burl_rt.record)
        return;
    if (e->n_sched_out >= ctl->sched_out_n) {
        burl_rt_count(BURL_COUNTER_SCHED_FULL);
        return;
    }
    ((struct burl_wire_switch *)((char *)ctl + ctl->sched_out_off))[e->n_sched_out++] =
        (struct burl_wire_switch){
            .op = t->n_ops,
            .site = is_choice ? burl_rt_site(t) : t->op.site,
            .tid = t->tid,
            .next = next,
            .why = (uint8_t)why,
            .kind = decided_kind(why, t),
            .nth = nth,
        };
}

/* ---- choices ------------------------------------------------------------------------------- */

/* An outcome from 64 random bits. */
static uint32_t
draw_outcome(enum burl_wire_switch_why what, uint32_t n, uint64_t bits)
{
    const struct burl_exec *e = &burl_rt.exec;

    switch (what) {
    case BURL_CHOICE_WAITER:
        return (uint32_t)(bits % n);
    case BURL_CHOICE_SPURIOUS:
        return e->spurious_shift != 0 && (bits & ((1u << e->spurious_shift) - 1)) == 0;
    default:
        return e->fault_shift != 0 && (bits & ((1u << (e->fault_shift - 1)) - 1)) == 0;
    }
}

static bool
replays(void)
{
    return burl_rt.strategy == &burl_strategy_replay;
}

static bool
has_flag(uint32_t flag)
{
    return (burl_rt.ctl->order.flags & flag) != 0;
}

/* Numbers the choice. False: there were too many at one count of operations to tell them apart. */
static bool
number_choice(struct burl_thread *t, uint16_t *nth)
{
    if (t->choice_op != t->n_ops) {
        t->choice_op = t->n_ops;
        t->choice_nth = 0;
    }
    if (t->choice_nth > UINT16_MAX)
        return false;
    *nth = (uint16_t)t->choice_nth++;
    return true;
}

static uint32_t
decide_outcome(struct burl_thread *t, enum burl_wire_switch_why what, uint32_t n, uint16_t nth)
{
    const uint64_t key = burl_rt.exec.draw_seed * 0x9e3779b97f4a7c15ull + ((uint64_t)t->tid << 32) +
                         t->n_ops + ((uint64_t)nth << 48);

    if (burl_rt.strategy->choose != NULL) {
        if (!has_flag(BURL_ORDER_F_SEED_CHOICES))
            return burl_rt.strategy->choose(t, what, n, nth);
        if (what != BURL_CHOICE_WAITER)
            return 0;
    }
    return draw_outcome(what, n, burl_mix64(key));
}

/* `allowed`: false counts the choice and takes its default. */
static uint32_t
choose(struct burl_thread *t, enum burl_wire_switch_why what, uint32_t n, bool allowed)
{
    uint32_t value = 0;
    uint16_t nth;

    if (!number_choice(t, &nth)) {
        if (allowed)
            BURL_TELL(fact, BURL_FACT_CHOICES_FULL);
        return 0;
    }
    if (allowed)
        value = decide_outcome(t, what, n, nth);
    if (value != 0 && !has_flag(BURL_ORDER_F_SEED_CHOICES))
        burl__sched_record(t, what, (uint16_t)value, nth);
    return value;
}

uint32_t
burl_sched_choose(enum burl_wire_switch_why what, uint32_t n)
{
    if (n < 2)
        return 0;
    if (n > UINT16_MAX)
        n = UINT16_MAX;
    return choose(burl_rt.current, what, n, true);
}

/* ---- spurious wakeups -------------------------------------------------------------------- */

static uint64_t
wait_key(const struct burl_thread *t, uintptr_t addr)
{
    return burl_mix64(addr ^ ((uint64_t)burl_rt_site(t) << 48));
}

static uint32_t
find_wait(const struct burl_thread *t, uint64_t key)
{
    uint32_t i = 0;

    while (i < t->n_spurious && t->spurious[i] != key)
        i++;
    return i;
}

bool
burl_sched_spurious(struct burl_thread *t, uintptr_t addr)
{
    const uint64_t key = wait_key(t, addr);
    const bool canceled = t->cancel_requested && t->cancel_state == 0; /* a wait must notice it */
    bool allowed = (replays() || has_flag(BURL_ORDER_F_SPURIOUS)) && !canceled;

    if (allowed && find_wait(t, key) < t->n_spurious)
        allowed = false;
    if (allowed && t->n_spurious == BURL_MAX_SPURIOUS) {
        allowed = false;
        BURL_TELL(fact, BURL_FACT_CHOICES_FULL);
    }
    if (choose(t, BURL_CHOICE_SPURIOUS, 2, allowed) == 0)
        return false;
    t->spurious[t->n_spurious++] = key;
    return true;
}

void
burl_sched_woken(struct burl_thread *t, uintptr_t addr)
{
    const uint32_t i = find_wait(t, wait_key(t, addr));

    if (i < t->n_spurious)
        t->spurious[i] = t->spurious[--t->n_spurious];
}

/* ---- faults ------------------------------------------------------------------------------ */

bool
burl_sched_fault(struct burl_thread *t, enum burl_wire_switch_why what)
{
    const uint32_t flag =
        what == BURL_CHOICE_CREATE ? BURL_ORDER_F_FAIL_CREATE : BURL_ORDER_F_FAIL_MALLOC;
    const bool allowed = (replays() || has_flag(flag)) && burl_rt.exec.n_faults < BURL_MAX_FAULTS;

    if (choose(t, what, 2, allowed) == 0)
        return false;
    burl_rt.exec.n_faults++;
    return true;
}
