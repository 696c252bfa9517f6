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

#include "granules.h"

#define RANGE_B 4096u
#define MAX_RANGES 256u

/* A past access. */
struct past {
    struct past *next;
    struct burl_past about;
    uint32_t clock;
    uint16_t slot;
};

/* Bytes of a granule with one history. */
struct cell {
    struct cell *next;
    struct past *past;
    uint8_t mask;
};

struct granule {
    struct burl_chain chain;
    struct cell *cells; /* their masks are disjoint */
};

struct range {
    uintptr_t start;
    uintptr_t end; /* 0: not in use */
    struct past past;
};

static struct burl_chains granules;
static struct burl_pool pasts;
static struct burl_pool cells;
static struct range ranges[MAX_RANGES];
static uint32_t n_ranges; /* ever */

static uint32_t
n_known_ranges(void)
{
    return n_ranges < MAX_RANGES ? n_ranges : MAX_RANGES;
}

static void
race_begin(void)
{
    memset(ranges, 0, n_known_ranges() * sizeof ranges[0]);
    n_ranges = 0;
}

/* ---- reporting -------------------------------------------------------------- */

static void
race_report(struct burl_watch *w, const struct burl_access *a, const struct past *past,
            uintptr_t addr)
{
    const struct burl_past *p = &past->about;
    const uint32_t sites[2] = { p->site, a->site };
    const uint8_t ops[2] = { p->op, a->op };
    const uint16_t tids[2] = { p->tid, w->tid };
    struct burl_wire_side sides[2];

    const uint64_t key =
        burl_ob_suspect(BURL_SUSPECT_RACE, BURL_OBSERVER_RACE, sites, ops, tids, 2, addr, 0);

    w->behind = burl__assumed_orders(w, past->slot, past->clock);
    burl_ob_behind(key, w->behind != 0 ? BURL_BEHIND_FLAG : BURL_BEHIND_NONE);
    if (!burl_ob_stops_at(key))
        return;
    burl__past_side(&sides[0], p, addr);
    burl_ob_fill_side(&sides[1], w, a);
    burl_ob_verdict(BURL_VERDICT_RACE_DATA, w, addr, sides);
}

static void
race_check(struct burl_watch *w, const struct burl_access *a, const struct past *p, uintptr_t addr)
{
    if (p->slot != w->slot && burl_access_races(p->about.flags, a->flags) &&
        !burl_hb_before(p->slot, p->clock, w))
        race_report(w, a, p, addr);
}

/* Everything that races with p races with the access, too, and comes after it. */
static bool
race_replaces(const struct burl_watch *w, const struct burl_access *a, const struct past *p)
{
    return burl_access_stands_for(a->flags, p->about.flags) && burl_hb_before(p->slot, p->clock, w);
}

/* ---- cells ---------------------------------------------------------------- */

/* Checks the access against the cell's past, drops what it stands for and adds it. */
static void
cell_access(struct cell *c, struct burl_watch *w, const struct burl_access *a,
            const struct past *now, uintptr_t addr)
{
    struct past *own;

    for (struct past **at = &c->past; *at != NULL;) {
        race_check(w, a, *at, addr);
        if (race_replaces(w, a, *at))
            BURL_POOL_GIVE_AT(&pasts, at);
        else
            at = &(*at)->next;
    }
    own = burl_pool_take(&pasts, sizeof *own);
    *own = *now;
    own->next = c->past;
    c->past = own;
}

static struct cell *
cell_new(struct granule *g, uint8_t mask)
{
    struct cell *c = burl_pool_take(&cells, sizeof *c);

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
        struct past *copy = burl_pool_take(&pasts, sizeof *copy);

        *copy = *p;
        copy->next = NULL;
        *tail = copy;
        tail = &copy->next;
    }
}

static void
race_granule_access(const struct burl_piece *piece, struct burl_watch *w,
                    const struct burl_access *a, const struct past *now)
{
    struct granule *g = burl_chains_get(&granules, piece->key, sizeof *g);
    uint8_t uncovered = piece->mask;

    for (struct cell *c = g->cells; c != NULL; c = c->next) {
        if ((c->mask & piece->mask) == 0)
            continue;
        if ((c->mask & ~piece->mask) != 0)
            cell_split(g, c, (uint8_t)(c->mask & ~piece->mask));
        uncovered &= (uint8_t)~c->mask;
        cell_access(c, w, a, now, piece->addr);
    }
    if (uncovered != 0)
        cell_access(cell_new(g, uncovered), w, a, now, piece->addr);
}

/* ---- ranges ----------------------------------------------------------------- */

static void
check_ranges(struct burl_watch *w, const struct burl_access *a)
{
    for (uint32_t i = 0; i < n_known_ranges(); i++) {
        const struct range *r = &ranges[i];

        if (a->addr < r->end && r->start < a->addr + a->n)
            race_check(w, a, &r->past, a->addr > r->start ? a->addr : r->start);
    }
}

static void
check_granules_in(struct burl_watch *w, const struct burl_access *a)
{
    uintptr_t first = a->addr / BURL_GRANULE_B;
    uintptr_t last = (a->addr + a->n - 1) / BURL_GRANULE_B;

    for (uint32_t b = 0; b < granules.n_buckets; b++) {
        for (struct burl_chain *p = granules.heads[b]; p != NULL; p = p->next) {
            uintptr_t base = p->key * BURL_GRANULE_B;

            if (p->key < first || p->key > last)
                continue;
            for (const struct cell *c = ((struct granule *)p)->cells; c != NULL; c = c->next) {
                for (const struct past *x = c->past; x != NULL; x = x->next)
                    race_check(w, a, x, base > a->addr ? base : a->addr);
            }
        }
    }
}

static void
range_access(struct burl_watch *w, const struct burl_access *a, const struct past *now)
{
    struct range *r = NULL;

    check_granules_in(w, a);
    for (uint32_t i = 0; i < n_known_ranges(); i++) {
        struct range *x = &ranges[i];

        if (x->start >= a->addr && x->end <= a->addr + a->n && race_replaces(w, a, &x->past))
            r = x;
    }
    if (r == NULL)
        r = &ranges[n_ranges++ % MAX_RANGES];
    *r = (struct range){ .start = a->addr, .end = a->addr + a->n, .past = *now };
}

/* ---- events ------------------------------------------------------------------ */

static void
race_access(struct burl_watch *w, const struct burl_access *a)
{
    const struct past now = { .about = burl__past_of(w, a), .clock = w->clock, .slot = w->slot };
    struct burl_piece piece = burl_pieces(a, RANGE_B);

    if (n_ranges != 0)
        check_ranges(w, a);
    if (a->n > RANGE_B) {
        range_access(w, a, &now);
        return;
    }
    while (burl_piece_next(&piece))
        race_granule_access(&piece, w, a, &now);
}

/* All bytes of the granule: a block or a stack begins and ends on granules. */
static void
race_granule_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    while (g->cells != NULL) {
        BURL_POOL_GIVE_ALL(&pasts, &g->cells->past);
        BURL_POOL_GIVE_AT(&cells, &g->cells);
    }
}

static void
race_forget(uintptr_t addr, uint64_t n)
{
    for (uint32_t i = 0; i < n_known_ranges(); i++) {
        if (ranges[i].start < addr + n && addr < ranges[i].end)
            ranges[i].end = 0;
    }
}

const struct burl_observer burl_observer_race = {
    .granules = &granules,
    .granule_empty = race_granule_empty,
    .begin = race_begin,
    .access = race_access,
    .forget = race_forget,
};
