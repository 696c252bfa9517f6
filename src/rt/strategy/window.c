/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/window.c - partial order sampling that keeps windows open.
 *
 * A window is the time between two operations of one thread on the same memory or lock. Most
 * atomicity bugs are another thread's operation in a window that was thought to be closed (Lu,
 * Tucek, Qin, Zhou: "AVIO", ASPLOS 2006). To aim at all of them at once nothing need be known about
 * the program: a thread whose next operation would close a window that no other thread has entered
 * is passed over as long as another one can run. The rest is decided as in strategy/pos.c.
 *
 * Runs in the target, for orders POS with args.pos.windows. Made for the first schedule of a
 * campaign, which has no profile and no suspects to go by; the price is that threads run in step,
 * so that late starters and long bursts are rarer than with POS alone.
 *
 * - Once a thread has entered a window on an address, other windows on that address are not kept
 *   open any more: loops would run in step forever. The same after two windows that were kept open
 *   in vain; the memory is then most likely private.
 * - What a thread did while it was the only one opens no window: initialization is not followed by
 *   anything that could be interrupted.
 *
 * Direction of the error: addresses are distinguished by a hash. A collision makes the order a
 * different one, never an impossible one: a thread that is passed over stays runnable.
 */
#include <string.h>

#include "rt/core/strategy.h"

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
window_begin(const union burl_wire_args *args)
{
    (void)args;
    n_threads = 0;
    memset(places, 0, sizeof places);
}

static void
window_thread_new(struct burl_thread *t)
{
    for (; n_threads <= t->tid; n_threads++)
        memset(windows[n_threads], 0, sizeof windows[n_threads]);
    t->priority = burl_rng_next();
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Accesses, and requests of locks: between two critical sections is a window too. */
static bool
opens_window(const struct burl_op *op)
{
    return op->addr != 0 && burl_kind_in(op->kind, BURL_KINDS_ACCESS | BURL_KIND(FREE) |
                                                       BURL_KINDS_LOCK | BURL_KIND(TRYLOCK));
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

/* Would its next operation close a window that no thread has entered? */
static bool
is_held(const struct burl_thread *t)
{
    const struct place *p;
    uint32_t tag;

    if (!opens_window(&t->op))
        return false;
    tag = tag_of(&t->op) & ~WROTE;
    if ((windows[t->tid][tag / 4 % SLOTS] & ~WROTE) != tag)
        return false;
    p = place_of(tag);
    return p->entered == 0 && p->vain < VAIN_MAX;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static uint16_t
window_pick(const struct burl_choice *c)
{
    struct burl_thread *best = NULL;
    bool best_held = false;

    burl_rt.threads[c->current]->priority = burl_rng_next();
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        struct burl_thread *t = burl_rt.threads[c->runnable[i]];
        const bool held = is_held(t);

        if (best == NULL || held < best_held ||
            (held == best_held && t->priority > best->priority)) {
            best = t;
            best_held = held;
        }
    }
    burl_redraw_conflicts(c, best);
    return best->tid;
}

static void
window_commit(const struct burl_thread *t, const struct burl_op *op)
{
    uint32_t tag;
    uint32_t slot;
    struct place *p;

    if (!opens_window(op) || burl_rt.exec.n_threads <= 1)
        return;
    tag = tag_of(op) & ~WROTE;
    slot = tag / 4 % SLOTS;
    p = place_of(tag);
    if ((windows[t->tid][slot] & ~WROTE) == tag && p->vain < VAIN_MAX)
        p->vain++;
    for (uint32_t i = 0; i < n_threads; i++) {
        const uint32_t w = windows[i][slot];

        if (i != t->tid && (w & ~WROTE) == tag && (!burl_op_only_reads(op) || (w & WROTE) != 0)) {
            windows[i][slot] = 0;
            p->entered = 1;
        }
    }
    windows[t->tid][slot] = tag | (burl_op_only_reads(op) ? 0 : WROTE);
}

const struct burl_strategy_ops burl_strategy_window = {
    .begin = window_begin,
    .thread_new = window_thread_new,
    .pick = window_pick,
    .commit = window_commit,
};
