/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/thin.c - long executions: accesses that repeat what their thread did to private memory.
 *
 * Runs in the target. Two threads that each sort an array of their own make millions of accesses,
 * and with every observer on each costs as much as a hundred instructions of the program. Almost
 * all of them repeat an access that was seen in full. Those are thinned: committed, counted and
 * hashed as always, checked for use after free, but no scheduling point and unknown to observers
 * and to learn.c.
 *
 * An access is thinned if
 * - the execution has done BURL_THIN_STEPS steps. This is the default of --max-steps, so that only
 *   programs whose first execution was cut there are concerned;
 * - its site was executed BUDGET times since then;
 * - since then only this thread has touched the granule of 8 bytes; and
 * - since its last operation that is no plain access (lock, unlock, atomic, create, ...), this
 *   thread has done the same, a read or a write, to the same bytes. At sites that are points it
 *   must have been REPEATS accesses, so that others can come in between.
 * The first access of another thread ends it for the granule.
 *
 * Thinned are executions that sample schedules. A replay needs every decision, since switches may
 * be anywhere; searches and enumerations claim to have tried all of them; sites of a goal are
 * where threads are held. The host asks for it (BURL_ORDER_F_THIN) where nothing is
 * counted that an access may cover. It does not depend on observers: a seed is run again with
 * fewer of them.
 *
 * Direction of the error: a data race or a pair of locksets that one execution shows is still
 * shown, because the first access between two operations stands for its repetitions; the report may
 * name the site of the first one. What is missed: switches between two such accesses before
 * another thread has touched the granule, and triples whose sites differ from the first ones. Edges
 * and location pairs of the granule are not followed any more: the last writer is not known.
 * Memory beyond PAGES pages is not thinned.
 */
#include <string.h>

#include "learn.h"
#include "rt/core/strategy.h"
#include "rt/core/upcalls.h"
#include "thin.h"

#define BUDGET 1024u
#define REPEATS 15u
#define PAGE_B 4096u
#define PAGES 4096u
#define SLOTS (2 * PAGES)
#define PAGE_GRANULES (PAGE_B / 8)

/* What is known of a granule; 0 nothing. */
struct granule {
    uint32_t epoch; /* of the thread, when it did what the masks say */
    uint16_t tid : 12;
    uint16_t repeats : 4; /* accesses in this epoch, at most REPEATS */
    uint8_t reads;        /* bytes */
    uint8_t writes;
};

/* More than one thread. No access has a repetition but no bytes. */
static const struct granule shared = { .repeats = 1 };

_Static_assert(BURL_MAX_THREADS <= 1u << 12, "a thread number fits into a granule");
_Static_assert(sizeof(struct granule) == 8, "a page of them is as large as a page");

struct slot {
    uintptr_t page; /* addr / PAGE_B */
    uint32_t generation;
    uint32_t at; /* in `pages` */
};

static struct slot *slots;
static struct granule *pages[PAGES]; /* PAGE_GRANULES each; NULL: not needed so far */
static uint32_t n_pages;
static uint32_t generation;
static uint16_t *counts; /* by site, of this execution */
static uint64_t n_counts;
static bool has_counts; /* some of them are not zero */

static uint32_t goal[BURL_WIRE_MAX_SITES]; /* sites of the goal */
static uint32_t n_goal;

static bool
is_sampled(const struct burl_wire_order *o)
{
    switch (o->strategy) {
    case BURL_STRATEGY_REPLAY:
    case BURL_STRATEGY_DELAY:
    case BURL_STRATEGY_PREEMPT:
    case BURL_STRATEGY_EXHAUSTIVE:
        return false;
    default:
        return (o->flags & BURL_ORDER_F_THIN) != 0 && burl_rt.listener == NULL;
    }
}

void
burl__thin_begin(const struct burl_wire_order *o)
{
    burl_rt.thin_from = is_sampled(o) ? BURL_THIN_STEPS : UINT64_MAX;
    n_goal = burl_wire_has_goal(o->strategy) ? burl_wire_goal_sites(&o->args.goal, goal) : 0;
    generation++;
    n_pages = 0;
    if (n_counts < burl_rt.points_n) /* more sites than there were */
        n_counts = 0;
    else if (has_counts)
        memset(counts, 0, n_counts * sizeof *counts);
    has_counts = false;
}

/* The granules of a page; NULL: there are too many pages. */
static struct granule *
page_at(uintptr_t page, bool add)
{
    uint32_t at = (uint32_t)burl_mix64(page);
    struct slot *s;

    for (;; at++) {
        s = &slots[at & (SLOTS - 1)];
        if (s->generation != generation)
            break;
        if (s->page == page)
            return pages[s->at];
    }
    if (!add || n_pages == PAGES)
        return NULL;
    if (pages[n_pages] == NULL)
        pages[n_pages] = burl_rt_alloc(PAGE_B);
    else
        memset(pages[n_pages], 0, PAGE_B);
    *s = (struct slot){ .page = page, .generation = generation, .at = n_pages };
    return pages[n_pages++];
}

/* Has the site used up its budget? Sites of the goal never have. */
static bool
is_often(uint32_t site)
{
    if (BURL_UNLIKELY(site >= n_counts)) {
        if (site >= burl_rt.points_n)
            return false;
        n_counts = burl_rt.points_n;
        counts = burl_rt_alloc(n_counts * sizeof *counts);
        if (slots == NULL)
            slots = burl_rt_alloc(SLOTS * sizeof *slots);
    }
    if (counts[site] >= BUDGET)
        return true;
    has_counts = true;
    counts[site]++;
    for (uint32_t i = 0; i < n_goal && counts[site] == BUDGET; i++) {
        if (goal[i] == site)
            counts[site] = 0;
    }
    return false;
}

static bool
is_shared(const struct granule *g)
{
    return g->repeats != 0 && (g->reads | g->writes) == 0;
}

bool
burl__thin_skips(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                 bool write)
{
    const bool often = is_often(site);
    const uint8_t mask = (uint8_t)(((1u << size_b) - 1) << (addr & 7));
    struct granule *g;
    uint8_t *bytes;
    bool known;

    if (n_counts == 0 || (addr & 7) + size_b > 8)
        return false;
    g = page_at(addr / PAGE_B, true);
    if (g == NULL)
        return false;
    g += addr / 8 % PAGE_GRANULES;
    if (is_shared(g))
        return false;
    if ((g->reads | g->writes) != 0 && g->tid != t->tid) {
        burl__learn_stop_following(addr >> 3);
        *g = shared;
        return false;
    }
    if (g->epoch != t->sync_epoch) {
        g->epoch = t->sync_epoch;
        g->repeats = 0;
        g->reads = 0;
        g->writes = 0;
    }
    g->tid = t->tid & 0xfff;
    bytes = write ? &g->writes : &g->reads;
    known = (mask & ~*bytes) == 0;
    *bytes |= mask;
    if (g->repeats < REPEATS)
        g->repeats++;
    if (!often || !known || (t->sig_pending & ~t->sig_blocked) != 0 || t->cancel_requested)
        return false;
    return burl_rt.points[site] == 0 || g->repeats == REPEATS;
}

void
burl__thin_forget(uintptr_t addr, uint64_t n)
{
    const uintptr_t end = addr + n;

    if (n_pages == 0 || n == 0)
        return;
    if (n / PAGE_B >= PAGES) {
        generation++;
        n_pages = 0;
        return;
    }
    for (uintptr_t page = addr / PAGE_B; page <= (end - 1) / PAGE_B; page++) {
        struct granule *g = page_at(page, false);
        const uintptr_t from = addr > page * PAGE_B ? addr : page * PAGE_B;
        const uintptr_t to = end < (page + 1) * PAGE_B ? end : (page + 1) * PAGE_B;

        if (g != NULL)
            memset(&g[from / 8 % PAGE_GRANULES], 0, ((to - 1) / 8 - from / 8 + 1) * sizeof *g);
    }
}
