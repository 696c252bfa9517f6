/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/race.c - happens-before data races, exact for the execution it sees.
 *
 * Runs in the target; after FastTrack (Flanagan and Freund, PLDI 2009). Departures: for each group
 * of bytes that have the same history (a cell) we keep the list of accesses that a later one could
 * still race with, instead of one write epoch and one read epoch or clock. That list is one entry
 * long for data used by one thread and is the read vector clock when several threads read; it makes
 * room for atomic accesses, which race with plain ones and not with each other. Cells split where
 * accesses of different sizes overlap, so neighbors in one word are never confused.
 *
 * An access e can be dropped when a later access a by an ordered thread stands for it: everything
 * that would race with e and comes after a would race with a as well.
 *
 * Ranges above RANGE_B bytes (memcpy of large buffers) are kept as ranges beside the cells.
 *
 * In free mode this form runs under the observers' lock when further observers are on; the fast
 * one is in free/.
 *
 * Direction of the error: none for what one execution shows. Of ranges the oldest are forgotten
 * after MAX_RANGES: a miss.
 */
#include <string.h>

#include "detect.h"
#include "rt/core/core.h"

#define GRANULE_B 8u
#define RANGE_B 4096u
#define MAX_RANGES 256u

/* A past access. */
struct past {
    struct past *next;
    uint32_t clock;
    uint32_t site;
    uint32_t lockset;
    uint32_t size_b;
    uint16_t slot;
    uint16_t tid;
    uint8_t flags; /* BURL_ACCESS_* */
    uint8_t op;
    const struct burl_wire_side *side; /* kept when the order aims at the site */
};

/* Bytes of a granule with one history. */
struct cell {
    struct cell *next;
    struct past *past;
    uint8_t mask;
};

struct granule {
    struct burl_chain chain; /* key: address / GRANULE_B */
    struct cell *cells;      /* their masks are disjoint */
};

struct range {
    uintptr_t start;
    uintptr_t end; /* 0: not in use */
    struct past past;
};

static struct burl_chains granules;
static struct past *free_past;
static struct cell *free_cells;
static struct range ranges[MAX_RANGES];
static uint32_t n_ranges; /* ever */

static void
race_begin(void)
{
    burl_chains_clear(&granules);
    free_past = NULL;
    free_cells = NULL;
    memset(ranges, 0, (n_ranges < MAX_RANGES ? n_ranges : MAX_RANGES) * sizeof ranges[0]);
    n_ranges = 0;
}

/* ---- reporting -------------------------------------------------------------- */

static void
first_side(struct burl_wire_side *side, const struct past *p, uintptr_t addr)
{
    const struct burl_access a = {
        .addr = addr, .n = p->size_b, .site = p->site, .op = p->op, .flags = p->flags
    };

    if (p->side != NULL)
        *side = *p->side;
    else
        burl__past_side(side, &a, p->tid, p->lockset);
}

static void
race_report(struct burl_watch *w, const struct burl_access *a, const struct past *p, uintptr_t addr)
{
    const uint32_t sites[2] = { p->site, a->site };
    const uint8_t ops[2] = { p->op, a->op };
    const uint16_t tids[2] = { p->tid, w->tid };
    struct burl_wire_side sides[2];
    uint64_t key =
        burl_ob_suspect(BURL_SUSPECT_RACE, BURL_OBSERVER_RACE, sites, ops, tids, 2, addr, 0);

    if (!burl_ob_stops_at(key))
        return;
    first_side(&sides[0], p, addr);
    burl_ob_fill_side(&sides[1], w, a);
    burl_ob_verdict(BURL_VERDICT_RACE_DATA, w, addr, sides);
}

static void
check(struct burl_watch *w, const struct burl_access *a, const struct past *p, uintptr_t addr)
{
    if (p->slot != w->slot && burl_access_races(p->flags, a->flags) &&
        !burl_hb_before(p->slot, p->clock, w))
        race_report(w, a, p, addr);
}

/* ---- cells ---------------------------------------------------------------- */

static struct past *
past_new(void)
{
    struct past *p = free_past;

    if (p == NULL)
        return burl_ob_alloc(sizeof *p);
    free_past = p->next;
    return p;
}

static void
past_fill(struct past *p, const struct burl_watch *w, const struct burl_access *a,
          const struct burl_wire_side *side)
{
    p->clock = w->clock;
    p->site = a->site;
    p->lockset = w->lockset;
    p->size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n;
    p->slot = w->slot;
    p->tid = w->tid;
    p->flags = a->flags;
    p->op = a->op;
    p->side = side;
}

/* Checks the access against the cell's past, drops what it stands for and adds it. */
static void
cell_access(struct cell *c, struct burl_watch *w, const struct burl_access *a,
            const struct burl_wire_side *side, uintptr_t addr)
{
    struct past **at = &c->past;
    struct past *own = NULL;

    while (*at != NULL) {
        struct past *p = *at;

        check(w, a, p, addr);
        if (burl_access_stands_for(a->flags, p->flags) && burl_hb_before(p->slot, p->clock, w)) {
            *at = p->next;
            p->next = own;
            own = p;
            continue;
        }
        at = &p->next;
    }
    if (own == NULL) {
        own = past_new();
    } else {
        while (own->next != NULL) { /* one is used again, the others are free */
            struct past *p = own->next;

            own->next = p->next;
            p->next = free_past;
            free_past = p;
        }
    }
    past_fill(own, w, a, side);
    own->next = c->past;
    c->past = own;
}

static struct cell *
cell_new(struct granule *g, uint8_t mask)
{
    struct cell *c = free_cells;

    if (c == NULL)
        c = burl_ob_alloc(sizeof *c);
    else
        free_cells = c->next;
    c->mask = mask;
    c->past = NULL;
    c->next = g->cells;
    g->cells = c;
    return c;
}

/* The bytes of `rest` go on with a copy of the history. */
static void
cell_split(struct granule *g, struct cell *c, uint8_t rest)
{
    struct cell *other = cell_new(g, rest);
    struct past **tail = &other->past;

    c->mask &= (uint8_t)~rest;
    for (const struct past *p = c->past; p != NULL; p = p->next) {
        struct past *copy = past_new();

        *copy = *p;
        copy->next = NULL;
        *tail = copy;
        tail = &copy->next;
    }
}

static void
race_granule_access(uintptr_t key, uint8_t mask, struct burl_watch *w, const struct burl_access *a,
                    const struct burl_wire_side *side)
{
    struct granule *g = (struct granule *)burl_chains_find(&granules, key);
    uintptr_t base = key * GRANULE_B;
    uintptr_t addr = a->addr > base ? a->addr : base;
    uint8_t uncovered = mask;

    if (g == NULL) {
        g = burl_ob_alloc(sizeof *g);
        g->chain.key = key;
        burl_chains_add(&granules, &g->chain);
    }
    for (struct cell *c = g->cells; c != NULL; c = c->next) {
        if ((c->mask & mask) == 0)
            continue;
        if ((c->mask & ~mask) != 0)
            cell_split(g, c, (uint8_t)(c->mask & ~mask));
        uncovered &= (uint8_t)~c->mask;
        cell_access(c, w, a, side, addr);
    }
    if (uncovered != 0)
        cell_access(cell_new(g, uncovered), w, a, side, addr);
}

/* ---- ranges ----------------------------------------------------------------- */

static void
check_ranges(struct burl_watch *w, const struct burl_access *a)
{
    uint32_t n = n_ranges < MAX_RANGES ? n_ranges : MAX_RANGES;

    for (uint32_t i = 0; i < n; i++) {
        const struct range *r = &ranges[i];

        if (a->addr < r->end && r->start < a->addr + a->n)
            check(w, a, &r->past, a->addr > r->start ? a->addr : r->start);
    }
}

static void
check_granules_in(struct burl_watch *w, const struct burl_access *a)
{
    uintptr_t first = a->addr / GRANULE_B;
    uintptr_t last = (a->addr + a->n - 1) / GRANULE_B;

    for (uint32_t b = 0; b < granules.n_buckets; b++) {
        for (struct burl_chain *p = granules.heads[b]; p != NULL; p = p->next) {
            uintptr_t base = p->key * GRANULE_B;

            if (p->key < first || p->key > last)
                continue;
            for (const struct cell *c = ((struct granule *)p)->cells; c != NULL; c = c->next) {
                for (const struct past *x = c->past; x != NULL; x = x->next)
                    check(w, a, x, base > a->addr ? base : a->addr);
            }
        }
    }
}

static void
range_access(struct burl_watch *w, const struct burl_access *a, const struct burl_wire_side *side)
{
    struct range *r = NULL;

    check_granules_in(w, a);
    for (uint32_t i = 0; i < MAX_RANGES && i < n_ranges; i++) {
        struct range *x = &ranges[i];

        if (x->start >= a->addr && x->end <= a->addr + a->n &&
            burl_access_stands_for(a->flags, x->past.flags) &&
            burl_hb_before(x->past.slot, x->past.clock, w))
            r = x;
    }
    if (r == NULL)
        r = &ranges[n_ranges++ % MAX_RANGES];
    r->start = a->addr;
    r->end = a->addr + a->n;
    past_fill(&r->past, w, a, side);
}

/* ---- events ------------------------------------------------------------------ */

static const struct burl_wire_side *
keep_side(const struct burl_watch *w, const struct burl_access *a)
{
    struct burl_wire_side *side;

    if (burl_rt.ctl->order.stop_key == 0 || !burl_ob_aims_at(a->site))
        return NULL;
    side = burl_ob_alloc(sizeof *side);
    burl_ob_fill_side(side, w, a);
    return side;
}

static uint8_t
mask_of(uintptr_t from, uintptr_t to)
{
    return (uint8_t)((0xffu << (from % GRANULE_B)) & (0xffu >> (7 - (to - 1) % GRANULE_B)));
}

static void
access_hb(struct burl_watch *w, const struct burl_access *a)
{
    const struct burl_wire_side *side = keep_side(w, a);
    uintptr_t end = a->addr + a->n;

    if (n_ranges != 0)
        check_ranges(w, a);
    if (a->n > RANGE_B) {
        range_access(w, a, side);
        return;
    }
    for (uintptr_t at = a->addr; at < end;) {
        uintptr_t next = (at / GRANULE_B + 1) * GRANULE_B;

        if (next > end)
            next = end;
        race_granule_access(at / GRANULE_B, mask_of(at, next), w, a, side);
        at = next;
    }
}

/* All bytes of the granule: a block or a stack begins and ends on granules. */
static void
forget_granule(struct granule *g)
{
    while (g->cells != NULL) {
        struct cell *c = g->cells;

        while (c->past != NULL) {
            struct past *p = c->past;

            c->past = p->next;
            p->next = free_past;
            free_past = p;
        }
        g->cells = c->next;
        c->next = free_cells;
        free_cells = c;
    }
}

static void
race_forget(uintptr_t addr, uint64_t n)
{
    uintptr_t first = addr / GRANULE_B;
    uintptr_t last = (addr + n + GRANULE_B - 1) / GRANULE_B;

    for (uint32_t i = 0; i < MAX_RANGES && i < n_ranges; i++) {
        if (ranges[i].start < addr + n && addr < ranges[i].end)
            ranges[i].end = 0;
    }
    if (granules.n == 0)
        return;
    if (last - first <= granules.n || last - first <= granules.n_buckets) {
        for (uintptr_t key = first; key < last; key++) {
            struct granule *g = (struct granule *)burl_chains_find(&granules, key);

            if (g != NULL)
                forget_granule(g);
        }
        return;
    }
    for (uint32_t b = 0; b < granules.n_buckets; b++) {
        for (struct burl_chain *p = granules.heads[b]; p != NULL; p = p->next) {
            if (p->key >= first && p->key < last)
                forget_granule((struct granule *)p);
        }
    }
}

const struct burl_observer burl_observer_race = {
    .name = "race",
    .begin = race_begin,
    .access = access_hb,
    .forget = race_forget,
};
