/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/assumed.c - what volatile accesses would order if they were atomic.
 *
 * Runs in the target. Programs synchronize with volatile variables, which order nothing in C: the
 * flag and everything behind it are races. So that a report can name the flag as the cause, each
 * thread has a second clock, of moments that it would know of if volatile stores released and
 * volatile loads acquired, with the variable by which it would know. Nothing but reports uses it.
 *
 * The clock passes from volatile variable to volatile variable only; atomic operations on one of
 * these take part with their own order. What goes on through a lock is not known: the error is a
 * race that is reported for itself, never one that is hidden.
 */
#include "detect.h"

#define SLOTS 64u /* later threads of an execution are not known */

struct burl_assumed {
    uint32_t c[SLOTS];
    uintptr_t by[SLOTS];
};

/* A variable that was stored to. */
struct flag {
    struct burl_chain chain;
    uint32_t c[SLOTS];
};

static struct burl_chains flags;

void
burl__assumed_acquire(struct burl_watch *w, uintptr_t addr)
{
    const struct flag *f = (const struct flag *)burl_chains_find(&flags, addr);

    if (f == NULL)
        return;
    if (w->assumed == NULL)
        w->assumed = burl_ob_alloc(sizeof *w->assumed);
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (f->c[i] > w->assumed->c[i] && f->c[i] > burl_vc_get(&w->hb, i)) {
            w->assumed->c[i] = f->c[i];
            w->assumed->by[i] = addr;
        }
    }
}

/* Adds what w knows or would know. */
static void
add_known(struct flag *f, const struct burl_watch *w)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        const uint32_t sure = burl_vc_get(&w->hb, i);
        const uint32_t maybe = w->assumed != NULL ? w->assumed->c[i] : 0;
        const uint32_t now = sure > maybe ? sure : maybe;

        if (now > f->c[i])
            f->c[i] = now;
    }
}

void
burl__assumed_release(struct burl_watch *w, uintptr_t addr)
{
    struct flag *f = burl_chains_get(&flags, addr, sizeof *f);

    memset(f->c, 0, sizeof f->c);
    add_known(f, w);
}

void
burl__assumed_follow(struct burl_watch *w, uintptr_t addr, uint8_t order, bool update)
{
    struct flag *f = (struct flag *)burl_chains_find(&flags, addr);

    if (f == NULL)
        return;
    if (!update)
        memset(f->c, 0, sizeof f->c);
    if (burl_mo_releases(order))
        add_known(f, w);
}

uintptr_t
burl__assumed_orders(const struct burl_watch *w, uint32_t slot, uint32_t clock)
{
    return w->assumed != NULL && slot < SLOTS && clock <= w->assumed->c[slot] ? w->assumed->by[slot]
                                                                              : 0;
}
