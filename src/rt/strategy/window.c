/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/window.c - partial order sampling that keeps windows open.
 *
 * A window is what lies between two operations of one thread on the same memory or lock. Most
 * atomicity bugs are another thread's operation in a window that was thought to be closed (Lu,
 * Tucek, Qin, Zhou: "AVIO", ASPLOS 2006), and nothing need be known about the program to aim at all
 * of them at once: a thread whose next operation would end a window that nobody has come into is
 * passed over as long as another one can go on. What is left is decided as in strategy/pos.c.
 *
 * Runs in the target, for orders POS with parameter 1. Made for the first schedule of a campaign,
 * which has no profile and no suspects to go by; the price is that threads run in step, so that
 * late starters and long bursts are rarer than with POS by itself.
 *
 * - Once somebody has come into a window on an address, others on that address are not kept open
 *   any more: loops would go in step for ever. The same after a thread has gone on in vain twice;
 *   the memory is then most likely its own.
 * - What a thread did while it was the only one opens no window: initialization is not followed by
 *   anything that could be interrupted.
 *
 * Direction of the error: addresses are told apart by a hash. Two that are mixed up make the
 * order another one, never an impossible one: who is passed over stays runnable.
 */
#include <string.h>

#include "rt/core/core.h"
#include "rt/core/strategy.h"
#include "rt/sched/op.h"
#include "rt/sched/sched.h"

#define SLOTS 64u   /* windows of a thread; the older of two in one slot is forgotten */
#define PLACES 512u /* addresses that are remembered as tried */
#define VAIN_MAX 2u
#define WROTE 1u

struct place {
    uint32_t tag;
    uint8_t entered;
    uint8_t vain;
};

/* By thread: the tag of the address, with WROTE when the window began with a write; 0 none. */
static uint32_t windows[BURL_MAX_THREADS][SLOTS];
static struct place places[PLACES];
static uint32_t n_threads; /* with entries in `windows` */

static void
begin(uint32_t param, uint64_t horizon)
{
    (void)param;
    (void)horizon;
    n_threads = 0;
    memset(places, 0, sizeof places);
}

static void
thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    for (; n_threads <= tid; n_threads++)
        memset(windows[n_threads], 0, sizeof windows[n_threads]);
    burl_thread_by_tid(tid)->priority = burl_rng_next();
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Accesses, and requests of locks: between two critical sections is a window too. */
static bool
counts(const struct burl_op *op)
{
    switch (op->kind) {
    case BURL_OP_READ:
    case BURL_OP_WRITE:
    case BURL_OP_ATOMIC_LOAD:
    case BURL_OP_ATOMIC_STORE:
    case BURL_OP_ATOMIC_RMW:
    case BURL_OP_ATOMIC_CAS:
    case BURL_OP_FREE:
    case BURL_OP_LOCK:
    case BURL_OP_RDLOCK:
    case BURL_OP_WRLOCK:
    case BURL_OP_TRYLOCK:
    case BURL_OP_TIMEDLOCK:
        return op->addr != 0;
    default:
        return false;
    }
}

/* Never 0 without WROTE. */
static uint32_t
tag_of(const struct burl_op *op)
{
    return (uint32_t)(burl_mix64(op->addr) >> 32) | 2u * WROTE;
}

static struct place *
place_of(uint32_t tag)
{
    struct place *p = &places[(tag >> 8) % PLACES];

    if (p->tag != tag)
        *p = (struct place){ .tag = tag };
    return p;
}

/* Would its next operation end a window that nobody has come into? */
static bool
is_held(const struct burl_thread *t)
{
    const struct place *p;
    uint32_t tag;

    if (!counts(&t->op))
        return false;
    tag = tag_of(&t->op) & ~WROTE;
    if ((windows[t->tid][tag / 4 % SLOTS] & ~WROTE) != tag)
        return false;
    p = place_of(tag);
    return p->entered == 0 && p->vain < VAIN_MAX;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static uint16_t
pick(const struct burl_choice *c)
{
    struct burl_thread *best = NULL;
    bool best_held = false;

    burl_thread_by_tid(c->current)->priority = burl_rng_next();
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);
        const bool held = is_held(t);

        if (best == NULL || held < best_held ||
            (held == best_held && t->priority > best->priority)) {
            best = t;
            best_held = held;
        }
    }
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_thread_by_tid(c->runnable[i]);

        if (t != best && burl__op_conflict(&t->op, &best->op))
            t->priority = burl_rng_next();
    }
    return best->tid;
}

static void
commit(const struct burl_thread *t, const struct burl_op *op)
{
    uint32_t tag;
    uint32_t slot;
    struct place *p;

    if (!counts(op) || burl_rt.exec.n_threads <= 1)
        return;
    tag = tag_of(op) & ~WROTE;
    slot = tag / 4 % SLOTS;
    p = place_of(tag);
    if ((windows[t->tid][slot] & ~WROTE) == tag && p->vain < VAIN_MAX)
        p->vain++;
    for (uint32_t i = 0; i < n_threads; i++) {
        const uint32_t w = windows[i][slot];

        if (i != t->tid && (w & ~WROTE) == tag && (!burl__op_only_reads(op) || (w & WROTE) != 0)) {
            windows[i][slot] = 0;
            p->entered = 1;
        }
    }
    windows[t->tid][slot] = tag | (burl__op_only_reads(op) ? 0 : WROTE);
}

const struct burl_strategy_ops burl_strategy_window = {
    .name = "pos",
    .begin = begin,
    .thread_new = thread_new,
    .pick = pick,
    .commit = commit,
};
